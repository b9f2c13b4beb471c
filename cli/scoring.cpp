#include "cli/scoring.h"

#include <algorithm>

#include "cli/common.h"
#include "cli/host.h"
#include "data/files/json_text.h"
#include "data/files/visible_text.h"
#include "data/metrics/score_format.h"
#include "data/metrics/score_hints.h"
#include "data/metrics/significance.h"
#include "tensor/suggestion.h"

namespace kette::cli {
namespace {

struct AddMetricOption {
  OptionGroup& group;
  const MetricOption& option;

  Option operator()(bool* value) const { return group.flag(option.name, *value, option.help); }
  Option operator()(const MetricOption::Whole& whole) const {
    const Range range = {static_cast<double>(whole.least), true,
                         static_cast<double>(whole.most + 1)};
    return group.number(option.name, *whole.value, range, option.help);
  }
  Option operator()(MetricOption::Real value) const {
    return group.number(option.name, *value, at_least(0), option.help);
  }
  Option operator()(const MetricOption::Choice& choice) const {
    return group.one_of(option.name, choice.names, choice.set, choice.get, option.help);
  }
  Option operator()(const MetricOption::Text& text) const {
    return group.custom(option.name, text.set, text.get, option.help, text.type);
  }
};

/// On stderr, for the score is what it is.
void say_hints(const ScoreLines& translations, const std::vector<ScoreLines>& references,
               const Metric& metric, const std::string& name = "translations") {
  for (const std::string& hint :
       score_hints(translations, references, metric.takes_raw_text, name)) {
    to_stderr() << "kette: " << visible(hint) << "\n";
  }
}

/// What format() prints beside the score.
void add_confidence(Report& report, const CorpusScore& score) {
  if (!score.interval) return;
  Report interval;
  interval.fact("mean", score.interval->mean);
  interval.fact("half_width", score.interval->half_width);
  report.inner("confidence", std::move(interval));
}

}  // namespace

ScoringOptions::ScoringOptions() : names_(metric_names()), name_(names_.front()) {
  for (const std::string& name : names_) configs_.push_back(metric_config(name));
}

void ScoringOptions::add_to(CLI::App& command) {
  OptionGroup group(command, "Scoring");
  group.choice("--metric", name_, names_, "The score; " + joined(metric_notes(), "; "));
  for (std::size_t i = 0; i < names_.size(); ++i) {
    for (const MetricOption& option : configs_[i]->options()) {
      const auto is_it = [&](const Added& other) { return other.option.name() == option.name; };
      const auto known = std::find_if(added_.begin(), added_.end(), is_it);
      if (known != added_.end()) {
        known->metrics.push_back(names_[i]);
        continue;
      }
      added_.push_back({add_metric_option(group, option), {names_[i]}});
      for (const Added& other : added_) {
        if (other.option.name() == option.excludes) added_.back().option.excludes(other.option);
      }
    }
  }
  group.flag("--confidence", confidence_, "Add the 95 % interval of 1000 bootstrap resamples");
}

MetricConfig& ScoringOptions::config() const {
  const auto chosen = std::find(names_.begin(), names_.end(), name_) - names_.begin();
  MetricConfig& config = *configs_[chosen];
  for (auto i = chosen; i-- > 0;) config.copy_options(*configs_[i]);
  config.lowercase = configs_.front()->lowercase;
  return config;
}

void ScoringOptions::check() const {
  for (const auto& [option, metrics] : added_) {
    const bool fits = std::find(metrics.begin(), metrics.end(), name_) != metrics.end();
    if (fits || !option.is_changed()) continue;
    throw UsageError(option.name() + ": expected --metric " + metrics.front() +
                     " beside it, given --metric " + name_);
  }
  config().check();
}

Option add_metric_option(OptionGroup& group, const MetricOption& option) {
  return std::visit(AddMetricOption{group, option}, option.value);
}

Report report_of_scores(const ScoreLines& translations, const std::vector<ScoreLines>& references,
                        const OtherSystem& other, const ScoringOptions& o) {
  BootstrapOptions bootstrap;
  if (o.confidence()) bootstrap.samples = SignificanceOptions().resamples;
  const Metric metric = o.metric();
  const ScoreStatistics statistics(metric, translations, references);
  const CorpusScore score = corpus_score(statistics, bootstrap);
  say_hints(translations, references, metric);
  if (!other.name.empty()) {
    say_hints(other.translations, {}, metric, "translations of " + other.name);
  }
  Report report{.title = "Score",
                .lead = o.name() + text(" is %.2f, of ", score.score) +
                        with_commas(std::ssize(translations)) + " segments; " +
                        (lower_is_better(o.name()) ? "lower" : "higher") + " is better."};
  report.line(score.format(2, true) + "\n", kText | kPage);
  report.fact("metric", o.name());
  report.fact("score", score.score, o.name(), decimals(2));
  report.fact("signature", score.signature);
  add_confidence(report, score);
  if (metric.detail_values) {
    const Json details = metric.detail_values(statistics.sum());
    for (const auto& [key, value] : details.items()) report.fact(key, nested(value));
  }
  if (other.name.empty()) return report;
  report.inner("against",
               report_of_comparison(statistics, other.name,
                                    {metric, other.translations, references}, bootstrap));
  return report;
}

Report report_of_comparison(const ScoreStatistics& system, const std::string& other_name,
                            const ScoreStatistics& other, const BootstrapOptions& bootstrap) {
  const SignificanceOptions drawn;
  const CorpusScore other_score = corpus_score(other, bootstrap);
  const SignificanceTests tests = test_significance(system, other, drawn);
  const double difference = system.score() - other_score.score;
  const auto seed = static_cast<unsigned long long>(drawn.seed);
  Report report;
  report.section("Against another system");
  const std::string found =
      ": " + other_score.format() + "\n" +
      text(
          "difference %+.2f: p = %.4f by paired bootstrap resampling (bs:%d|seed:%llu), "
          "p = %.4f by paired approximate randomisation (ar:%d|seed:%llu)\n",
          difference, tests.bootstrap_p, drawn.resamples, seed, tests.randomisation_p, drawn.trials,
          seed);
  report.line(other_name + found);
  report.line(name_of_folder(other_name) + found, kPage);
  report.fact("name", other_name);
  report.fact("score", other_score.score, "the other's", decimals(2));
  report.fact("difference", difference, "difference", signed_decimals(2));
  report.fact("bootstrap_p", tests.bootstrap_p, "p, bootstrap", decimals(4));
  report.fact("randomisation_p", tests.randomisation_p, "p, randomisation", decimals(4));
  report.fact("resamples", drawn.resamples);
  report.fact("trials", drawn.trials);
  report.fact("seed", drawn.seed);
  add_confidence(report, other_score);
  return report;
}

}  // namespace kette::cli
