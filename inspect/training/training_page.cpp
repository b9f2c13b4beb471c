#include "inspect/training/training_page.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "data/files/json_text.h"
#include "inspect/page/html.h"
#include "inspect/page/page.h"
#include "inspect/training/record_sections.h"

namespace kette {
namespace {

constexpr std::size_t kMostPoints = 500;

std::string number(double value, const char* format) {
  if (std::isnan(value)) return "\xE2\x80\x93";
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, format, value);
  return buffer;
}

/// The number first, so that the column can be sorted: "0.25 BLEU at 90".
std::string with_step(const RunSummary::Best& best, const char* format,
                      const std::string& unit = "") {
  if (std::isnan(best.value)) return number(best.value, format);
  return number(best.value, format) + (unit.empty() ? "" : " " + unit) + " at " +
         number(best.step, "%.0f");
}

class TrainingPage {
 public:
  TrainingPage(const std::vector<PlottedRun>& runs, const std::string& title,
               const std::string& lead)
      : runs_(runs), page_(title, lead) {}

  std::string str() {
    add_scales();
    page_.section("Runs", summaries());
    page_.section("Loss", losses());
    for (const std::string& key : scores()) {
      page_.section(score_label(key), chart(key, "of the validation text", true));
    }
    page_.section("The way there", "<div class=\"charts\">" + way() + "</div>\n");
    int recorded = 0;
    for (const PlottedRun& run : runs_) recorded += run.record.empty() ? 0 : 1;
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      if (runs_[i].record.empty()) continue;
      add_record_sections(page_, runs_[i], static_cast<int>(i), recorded > 1);
    }
    page_.section("Settings", settings());
    return page_.str();
  }

 private:
  /// What a step is in tokens and in minutes, for who would rather look along those.
  void add_scales() {
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
    page_.data("scales", {{"names", names}, {"values", values}});
  }

  std::string summaries() const {
    HtmlTable table({{"run"},
                     {"steps", true},
                     {"epochs", true},
                     {"target tokens", true},
                     {"minutes", true, "of training"},
                     {"loss", true, "mean over about the last 100 steps, without label smoothing"},
                     {"best valid. loss", true, "nats per target token, and the step"},
                     {"last valid. loss", true},
                     {"best score", true, "greedy, of the validation text, and the step"},
                     {"tokens/s", true, "target tokens, without validation"}});
    for (const PlottedRun& run : runs_) {
      const RunSummary s = summary_of(run.log);
      table.row({run.name, number(s.steps, "%.0f"), number(s.epochs + 1, "%.0f"),
                 number(s.target_tokens, "%.0f"), number(s.seconds / 60, "%.1f"),
                 number(s.train_loss, "%.4f"), with_step(s.valid_loss, "%.4f"),
                 number(s.last_valid_loss, "%.4f"), with_step(s.valid_score, "%.2f", s.score),
                 number(s.tokens_per_second, "%.0f")});
    }
    return table.str();
  }

  std::string settings() const {
    std::vector<HtmlTable::Column> columns = {{"setting"}};
    for (const PlottedRun& run : runs_) columns.push_back({run.name});
    std::string html;
    if (runs_.size() > 1) {
      HtmlTable table(columns);
      const std::vector<DifferingSetting> differing = differing_settings(runs_);
      for (const DifferingSetting& setting : differing) {
        std::vector<HtmlTable::Cell> cells = {setting.name};
        for (const std::string& value : setting.values) {
          cells.emplace_back(value.empty() ? "\xE2\x80\x93" : value);
        }
        table.row(cells);
      }
      html += differing.empty() ? "<p class=\"note\">No setting differs between the runs.</p>\n"
                                : "<h3>That differ</h3>\n" + table.str();
    }
    for (const PlottedRun& run : runs_) {
      if (run.settings.empty()) continue;
      HtmlTable table({{"setting"}, {run.name}});
      for (const auto& [name, value] : run.settings) table.row({name, value});
      html += "<details><summary>All settings of " + escaped(run.name) + "</summary>" +
              table.str() + "</details>\n";
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

  std::string chart(const std::string& title, const std::string& unit, std::vector<Curve> curves,
                    bool log_y = false) {
    return step_chart(page_, title, unit, std::move(curves), log_y);
  }
  std::string chart(const std::string& key, const std::string& unit, bool marked) {
    return chart(key, unit, curves(key, marked));
  }

  std::string losses() {
    std::vector<Curve> all = smooth_curves(kLoss);
    for (Curve curve : curves("valid_loss", true)) {
      curve.legend = curve.name + ", validation";
      curve.name = curve.legend;
      all.push_back(std::move(curve));
    }
    if (all.empty()) return "<p class=\"note\">Nothing has been trained yet.</p>\n";
    return "<p class=\"note\">Negative log likelihood of a target token, without label smoothing. Drag to "
           "zoom all curves in, double-click to zoom out; click a name to hide a curve.</p>\n" +
           chart("Loss", "nats per target token", std::move(all));
  }

  std::string way() {
    std::string html;
    if (learns_smoothed_labels()) {
      html += chart("Loss with smoothed labels", "nats per target token", smooth_curves("loss"));
    }
    html += chart("Learning rate", "", curves("lr", false));
    html += chart("Stage", "where each begins", curves("stage", true));
    html += chart("Norm of the gradient", "before clipping", smooth_curves("gradient_norm"), true);
    html += chart("Target tokens a second", "mean since the run went on",
                  curves("target_tokens_per_second", false));
    return html;
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
  Page page_;
};

}  // namespace

std::string training_page(const std::vector<PlottedRun>& runs, const std::string& title,
                          const std::string& lead) {
  return TrainingPage(runs, title, lead).str();
}

}  // namespace kette
