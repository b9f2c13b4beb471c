#include "inspect/training/training_report.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "data/files/json_text.h"
#include "inspect/page/html.h"
#include "inspect/report/text.h"
#include "inspect/training/record_sections.h"

namespace kette {
namespace {

constexpr std::size_t kMostPoints = 500;
constexpr const char* kNone = "\xE2\x80\x93";

/// What is not there, or no number, is null.
Json finite(double value) { return std::isfinite(value) ? Json(value) : Json(); }
Json json_of(const RunSummary::Best& best) {
  return {{"value", finite(best.value)}, {"step", finite(best.step)}, {"average", best.is_average}};
}

struct SummedRun {
  const PlottedRun* run;
  RunSummary sum;
};

Table summaries(const std::vector<PlottedRun>& runs) {
  std::vector<SummedRun> all;
  for (const PlottedRun& run : runs) all.push_back({&run, summary_of(run.log)});
  const auto add = [](const RunSummary& s) { return s.score.empty() ? "" : s.score + " "; };
  // On a page with the step, the number first, by which the column can be sorted: "0.25 BLEU at 90".
  const auto best = [](Cell cell, const RunSummary::Best& of, const std::string& unit, int count) {
    return std::isnan(of.value)
               ? cell
               : std::move(cell).draw(
                     escaped(fixed(of.value, count) + (unit.empty() ? "" : " " + unit) +
                             (of.is_average ? ", the average" : " at " + fixed(of.step, 0))));
  };
  const auto step = [](const RunSummary::Best& of) {
    return of.is_average ? Cell(of.step).as("average") : Cell(of.step);
  };
  constexpr Where kShown = kText | kPage;
  return tabulated(
      "runs", all,
      {{{.key = "name", .title = "run"}, [](const auto& r) { return r.run->name; }},
       {{.key = "folder", .where = kJson}, [](const auto& r) { return r.run->folder; }},
       {{.key = "steps", .title = "steps", .digits = grouped()},
        [](const auto& r) { return static_cast<std::int64_t>(r.sum.steps); }},
       {{.title = "epochs", .digits = decimals(0), .where = kShown},
        [](const auto& r) { return r.sum.epochs + 1; }},
       {{.key = "target_tokens",
         .title = "target tokens",
         .digits = decimals(0),
         .where = kJson | kPage},
        [](const auto& r) {
          Cell cell(r.sum.target_tokens);
          return std::isnan(r.sum.target_tokens)
                     ? cell
                     : std::move(cell).as(
                           with_commas(static_cast<std::int64_t>(r.sum.target_tokens)));
        }},
       {{.title = "minutes", .digits = decimals(1), .help = "of training", .where = kShown},
        [](const auto& r) { return r.sum.seconds / 60; }},
       {{.key = "seconds", .where = kJson}, [](const auto& r) { return r.sum.seconds; }},
       {{.key = "loss",
         .title = "loss",
         .digits = decimals(4),
         .help = "mean over about the last 100 steps, without label smoothing"},
        [](const auto& r) { return r.sum.train_loss; }},
       {{.title = "best valid.",
         .digits = decimals(4),
         .help = "nats per target token, and the step, or that it is the average of checkpoints",
         .where = kShown,
         .page_title = "best valid. loss"},
        [&](const auto& r) { return best(r.sum.valid_loss.value, r.sum.valid_loss, "", 4); }},
       {{.title = "at step", .digits = decimals(0), .where = kText},
        [&](const auto& r) { return step(r.sum.valid_loss); }},
       {{.key = "best_valid_loss", .where = kJson},
        [](const auto& r) { return nested(json_of(r.sum.valid_loss)); }},
       {{.key = "valid_loss",
         .title = "last valid.",
         .digits = decimals(4),
         .page_title = "last valid. loss"},
        [](const auto& r) { return r.sum.last_valid_loss; }},
       {{.key = "score", .where = kJson}, [](const auto& r) { return r.sum.score; }},
       {{.title = "best score",
         .digits = decimals(2),
         .help = "greedy, of the validation text, and the step, or that it is the average",
         .where = kShown},
        [&](const auto& r) {
          const RunSummary::Best& of = r.sum.valid_score;
          const std::string value = std::isnan(of.value) ? "-" : text("%.2f", of.value);
          return best(std::isnan(of.value) && r.sum.score.empty() ? Cell(of.value)
                                                                  : Cell(add(r.sum) + value),
                      of, r.sum.score, 2);
        }},
       {{.title = "at step", .digits = decimals(0), .where = kText},
        [&](const auto& r) { return step(r.sum.valid_score); }},
       {{.key = "best_valid_score", .where = kJson},
        [](const auto& r) { return nested(json_of(r.sum.valid_score)); }},
       {{.key = "target_tokens_per_second",
         .title = "tokens/s",
         .digits = decimals(0),
         .help = "target tokens, without validation"},
        [](const auto& r) { return r.sum.tokens_per_second; }},
       {{.key = "recorded_steps", .where = kJson},
        [](const auto& r) { return std::ssize(recorded_steps(r.run->record)); }},
       {{.key = "settings", .where = kJson}, [](const auto& r) {
          Json settings = Json::object();
          for (const auto& [name, value] : r.run->settings) settings[name] = value;
          return nested(std::move(settings));
        }}});
}

class TrainingReport {
 public:
  explicit TrainingReport(const std::vector<PlottedRun>& runs) : runs_(runs) {}

  Report report() && {
    report_.drawing([scales = nested(scales())](Page& page) {
      page.data("scales", *scales);
      return std::string();
    });
    report_.lead = lead();
    report_.section("Runs");
    report_.table(summaries(runs_));
    if (runs_.size() > 1) add_differing(kText);
    report_.section("Loss");
    add_losses();
    for (const std::string& key : scores()) {
      report_.section(score_label(key));
      std::vector<Chart> charts;
      add_step_chart(charts, score_label(key) + " of the validation text", "", curves(key, true));
      report_.charts(std::move(charts));
    }
    report_.section("The way there");
    report_.charts(way(), true);
    const auto recorded = std::count_if(runs_.begin(), runs_.end(),
                                        [](const PlottedRun& run) { return !run.record.empty(); });
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      if (runs_[i].record.empty()) continue;
      add_record_sections(report_, runs_[i], static_cast<int>(i), recorded > 1);
    }
    report_.section("Settings");
    if (runs_.size() > 1) add_differing(kPage);
    report_.drawing([html = all_settings()](Page&) { return html; });
    return std::move(report_);
  }

 private:
  /// What a step is in tokens and in minutes, for who would rather look along those.
  Json scales() const {
    Json names = Json::array({"step"}), values = Json::array();
    bool with_tokens = true, with_time = true;
    for (const PlottedRun& run : runs_) {
      with_tokens &= !run.log["target_tokens"].steps.empty();
      with_time &= !run.log["seconds"].steps.empty();
      values.push_back(Json::array({nullptr}));
    }
    const auto add = [&](const char* name, const auto& series_of, double factor) {
      names.push_back(name);
      for (std::size_t i = 0; i < runs_.size(); ++i) {
        Series series = thinned(series_of(runs_[i].log), kMostPoints);
        for (double& value : series.values) value = std::round(value * factor * 1000) / 1000;
        values[i].push_back(Json::array({series.steps, series.values}));
      }
    };
    if (with_tokens) add("target tokens", tokens_by_step, 1);
    if (with_time) {
      add(
          "minutes of training", [](const StepSeries& log) { return log["seconds"]; }, 1.0 / 60);
    }
    return {{"names", names}, {"values", values}};
  }

  void add_differing(Where where) {
    const std::vector<DifferingSetting> differing = differing_settings(runs_);
    report_.line(differing.empty() ? "\nNo setting differs.\n" : "\nSettings that differ\n", where);
    if (differing.empty()) return;
    Table table{.columns = {{.title = "setting"}}};
    for (const PlottedRun& run : runs_) table.columns.push_back({.title = run.name});
    for (const DifferingSetting& setting : differing) {
      table.rows.push_back({{setting.name}});
      for (const std::string& value : setting.values) {
        table.rows.back().cells.emplace_back(!value.empty()   ? value
                                             : where == kText ? std::string("-")
                                                              : kNone);
      }
    }
    report_.table(std::move(table), where);
  }

  std::string all_settings() const {
    std::string html;
    for (const PlottedRun& run : runs_) {
      if (run.settings.empty()) continue;
      HtmlTable table({{"setting"}, {run.name}}, "Settings of " + run.name);
      for (const auto& [name, value] : run.settings) table.row({name, value});
      html += folded("All settings of " + run.name, table.str());
    }
    return html;
  }

  /// The curves of one key of the log. marked: points that are few, such as validations.
  std::vector<Curve> curves(const std::string& key, bool marked) const {
    std::vector<Curve> curves;
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      const Series& series = key == kLoss ? training_loss(runs_[i].log) : runs_[i].log[key];
      add_curve(curves, i, runs_[i].name, series, marked ? CurveKind::marked : CurveKind::line);
    }
    return curves;
  }
  /// With a smooth one over the noise of single steps.
  std::vector<Curve> smooth_curves(const std::string& key) const {
    std::vector<Curve> faint = curves(key, false), smooth;
    for (Curve& curve : faint) {
      curve.kind = CurveKind::faint;
      curve.legend = curve.name;
      curve.name += ", each step";
    }
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      const Series& series = key == kLoss ? training_loss(runs_[i].log) : runs_[i].log[key];
      const double span = std::clamp(static_cast<double>(series.steps.size()) / 80, 1.0, 100.0);
      add_curve(smooth, i, runs_[i].name, smoothed(series, span), CurveKind::line);
    }
    faint.insert(faint.end(), smooth.begin(), smooth.end());
    return faint;
  }
  static void add_curve(std::vector<Curve>& curves, std::size_t run, const std::string& name,
                        const Series& series, CurveKind kind) {
    if (series.steps.empty()) return;
    const Series few = thinned(series, kMostPoints);
    Curve curve{name, few.steps, few.values};
    curve.kind = kind;
    curve.color = curve.scale = static_cast<int>(run);
    curves.push_back(std::move(curve));
  }

  void add_losses() {
    std::vector<Curve> all = smooth_curves(kLoss);
    for (Curve curve : curves("valid_loss", true)) {
      curve.legend = curve.name + ", validation";
      curve.name = curve.legend;
      if (runs_.size() == 1) curve.color = 1;  // one run's own colour says nothing
      all.push_back(std::move(curve));
    }
    if (all.empty()) return report_.note("Nothing has been trained yet.");
    report_.note(
        "Negative log likelihood of a target token, without label smoothing; faint: single steps; dashed: validation. "
        "Drag (on a touch screen spread two fingers) to zoom all curves in, double-click or tap twice to zoom out; click "
        "or tap a name to hide its curve.");
    std::vector<Chart> charts;
    add_step_chart(charts, "Loss", "nats per target token", std::move(all));
    report_.charts(std::move(charts));
  }

  std::vector<Chart> way() const {
    std::vector<Chart> charts;
    if (learns_smoothed_labels()) {
      add_step_chart(charts, "Loss with smoothed labels", "nats per target token",
                     smooth_curves("loss"));
    }
    add_step_chart(charts, "Learning rate", "", curves("lr", false));
    add_step_chart(charts, "Stage", "where each begins", curves("stage", true));
    add_step_chart(charts, "Norm of the gradient", "before clipping",
                   smooth_curves("gradient_norm"), true);
    add_step_chart(charts, "Target tokens a second", "of the last steps each", speeds());
    return charts;
  }

  /// Over some steps each, not since the beginning: a slow spell is seen where it was, and gone afterwards.
  std::vector<Curve> speeds() const {
    constexpr std::size_t kRecords = 100;
    std::vector<Curve> curves;
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      const Series tokens = tokens_by_step(runs_[i].log), &seconds = runs_[i].log["seconds"];
      std::map<double, double> seconds_at;
      for (std::size_t at = 0; at < seconds.steps.size(); ++at) {
        seconds_at[seconds.steps[at]] = seconds.values[at];
      }
      Series speed;
      const std::size_t apart = 1 + tokens.steps.size() / kRecords;
      for (std::size_t at = apart; at < tokens.steps.size(); at += apart) {
        const double passed = seconds_at[tokens.steps[at]] - seconds_at[tokens.steps[at - apart]];
        if (!(passed > 0)) continue;
        speed.steps.push_back(tokens.steps[at]);
        speed.values.push_back((tokens.values[at] - tokens.values[at - apart]) / passed);
      }
      add_curve(curves, i, runs_[i].name, speed, CurveKind::line);
    }
    return curves;
  }

  /// What came out, and how to read it.
  std::string lead() const {
    const PlottedRun* best = nullptr;
    RunSummary::Best loss;
    double steps = 0;
    for (const PlottedRun& run : runs_) {
      const RunSummary sum = summary_of(run.log);
      steps = std::max(steps, sum.steps);
      if (best && !(sum.valid_loss.value < loss.value)) continue;
      if (std::isnan(sum.valid_loss.value)) continue;
      best = &run;
      loss = sum.valid_loss;
    }
    const auto count = static_cast<std::int64_t>(steps);
    const std::string after = "After " + with_commas(count) + (count == 1 ? " step " : " steps ");
    if (!best) return after + "nothing has been validated yet; a curve of a loss is to fall.";
    return after + "the lowest validation loss " +
           (runs_.size() > 1
                ? "of " + std::to_string(runs_.size()) + " runs is that of " + best->name + ", "
                : "is ") +
           fixed(loss.value, 3) + " nats a target token, " +
           (loss.is_average ? "of the average of the last checkpoints"
                            : "at step " + with_commas(static_cast<std::int64_t>(loss.step))) +
           "; below, each curve goes from the first step to the last.";
  }

  bool learns_smoothed_labels() const {
    for (const PlottedRun& run : runs_) {
      if (!run.log["nll"].steps.empty() && run.log["nll"].values != run.log["loss"].values) {
        return true;
      }
    }
    return false;
  }

  /// Whatever validations give besides the loss.
  std::set<std::string> scores() const {
    std::set<std::string> keys;
    for (const PlottedRun& run : runs_) {
      const std::vector<std::string> names = score_names(run.log);
      keys.insert(names.begin(), names.end());
    }
    return keys;
  }

  static constexpr const char* kLoss = "training loss";

  const std::vector<PlottedRun>& runs_;
  Report report_;
};

}  // namespace

Report to_report(const std::vector<PlottedRun>& runs) { return TrainingReport(runs).report(); }

}  // namespace kette
