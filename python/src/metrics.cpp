// Scores of translations that are in memory. (kt.bleu and kt.evaluate are the commands, for files.)
#include "data/metrics/metrics.h"

#include <nanobind/stl/variant.h>

#include <algorithm>
#include <variant>

#include "data/metrics/score_format.h"
#include "data/metrics/significance.h"
#include "python/src/bindings.h"

namespace kette::python {
namespace {

using Lines = std::vector<std::string>;
using References = std::variant<Lines, std::vector<Lines>>;

ScoreLines views(const Lines& lines) { return {lines.begin(), lines.end()}; }

std::vector<ScoreLines> views(const References& references) {
  if (const auto* one = std::get_if<Lines>(&references)) return {views(*one)};
  std::vector<ScoreLines> all;
  for (const Lines& lines : std::get<std::vector<Lines>>(references)) all.push_back(views(lines));
  return all;
}

/// "--chrf-beta" as chrf_beta.
std::string keyword(const MetricOption& option) {
  std::string name = option.name.substr(2);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

template <class Value>
Value value_of(const std::string& name, nb::handle value, const char* expected) {
  Value result{};
  if (!nb::try_cast(value, result, false))
    throw nb::type_error((name + ": expected " + expected).c_str());
  return result;
}

struct SetOption {
  const std::string& name;
  nb::handle value;

  void operator()(bool* flag) const { *flag = value_of<bool>(name, value, "True or False"); }
  void operator()(const MetricOption::Whole& whole) const {
    const auto number = value_of<std::int64_t>(name, value, "a whole number");
    KETTE_CHECK(number >= whole.least && number <= whole.most, name, ": expected ", whole.least,
                " to ", whole.most, ", given ", number);
    *whole.value = number;
  }
  void operator()(MetricOption::Real real) const {
    const auto number = value_of<double>(name, nb::float_(value), "a number");
    KETTE_CHECK(number >= 0, name, ": expected at least 0, given ", number);
    *real = number;
  }
  void operator()(const MetricOption::Choice& choice) const {
    choice.set(value_of<std::string>(name, value, "a name"));
  }
  void operator()(const MetricOption::Text& text) const {
    text.set(nb::cast<std::string>(nb::str(value)));
  }
};

Metric metric_of(const std::string& name, bool of_sentence, const nb::kwargs& options) {
  const std::unique_ptr<MetricConfig> config = metric_config(name);
  std::vector<MetricOption> known = config->options();
  for (const auto& [key, value] : options) {
    const auto keyed = nb::cast<std::string>(key);
    const auto found = std::find_if(known.begin(), known.end(),
                                    [&](const MetricOption& one) { return keyword(one) == keyed; });
    if (found == known.end()) {
      std::vector<std::string> names;
      for (const MetricOption& one : known) names.push_back(keyword(one));
      throw nb::type_error((name + ": expected one of the options " + joined(names) + ", given " +
                            keyed + did_you_mean(keyed, names))
                               .c_str());
    }
    std::visit(SetOption{keyed, value}, found->value);
  }
  config->check();
  return config->metric(of_sentence);
}

CorpusScore score(const Lines& hypotheses, const References& references, const std::string& metric,
                  bool confidence, const nb::kwargs& options) {
  const Metric chosen = metric_of(metric, false, options);
  const GilRelease release;
  return corpus_score(ScoreStatistics(chosen, views(hypotheses), views(references)),
                      {.samples = confidence ? SignificanceOptions().resamples : 0});
}

std::vector<double> sentence_scores(const Lines& hypotheses, const References& references,
                                    const std::string& metric, const nb::kwargs& options) {
  const Metric chosen = metric_of(metric, true, options);
  const GilRelease release;
  const ScoreStatistics statistics(chosen, views(hypotheses), views(references));
  const std::size_t width = statistics.sum().size();
  std::vector<double> scores;
  for (std::size_t row = 0; row < statistics.segments(); ++row) {
    ScoreCounts counts(width);
    statistics.add_row(row, counts);
    scores.push_back(chosen.score(counts));
  }
  return scores;
}

}  // namespace

void bind_metrics(nb::module_& m) {
  nb::class_<CorpusScore>(m, "CorpusScore", "The score of a corpus, as sacreBLEU prints it.")
      .def_ro("name", &CorpusScore::name, "The metric's name, such as \"BLEU\" or \"chrF2++\".")
      .def_ro("score", &CorpusScore::score, "The score, in percent.")
      .def_ro(
          "details", &CorpusScore::details,
          "What the metric says besides, such as BLEU's precisions and brevity penalty; may be empty.")
      .def_ro("signature", &CorpusScore::signature,
              "sacreBLEU's signature: all settings that the score depends on.")
      .def_prop_ro(
          "interval",
          [](const CorpusScore& score) -> std::optional<std::vector<double>> {
            if (!score.interval) return {};
            return std::vector<double>{score.interval->mean - score.interval->half_width,
                                       score.interval->mean + score.interval->half_width};
          },
          "With confidence=True the ends of the 95 % interval of 1,000 resamples; else None.")
      .def("__float__", [](const CorpusScore& score) { return score.score; })
      .def("__repr__", [](const CorpusScore& score) { return score.format(2, true); });
  m.def(
      "corpus_score", &score, "hypotheses"_a, "references"_a, "metric"_a = "bleu",
      "confidence"_a = false, "options"_a,
      ("The score of translations: a list of lines, against one list of references or several. metric: " +
       joined(metric_names()) +
       ". Options are those of kette bleu, such as tokenize=\"13a\", lowercase=True, chrf_word_order=2.")
          .c_str());
  m.def(
      "sentence_scores", &sentence_scores, "hypotheses"_a, "references"_a, "metric"_a = "bleu",
      "options"_a,
      "The score of each line alone. Of bleu with effective order, as sacreBLEU's sentence_bleu.");
}

}  // namespace kette::python
