#include "cli/sweep_table.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>

#include "cli/common.h"
#include "data/files/json_text.h"
#include "data/metrics/significance.h"

namespace kette::cli {

std::optional<double> number_of(const Json& result, const std::string& key) {
  if (!result.is_object() || !result.contains(key)) return {};
  const Json& value = result.at(key);
  if (value.is_null() && key.ends_with("perplexity")) {
    return std::numeric_limits<double>::infinity();
  }
  return value.is_number() ? std::optional(value.get<double>()) : std::nullopt;
}

std::optional<double> score_of(const Json& evaluation) {
  for (const std::string key : {"score", "f1", "perplexity", "pseudo_perplexity"}) {
    if (evaluation.is_object() && evaluation.contains(key)) return number_of(evaluation, key);
  }
  return {};
}

namespace {

double mean_of(const std::vector<Json>& results, const char* key) {
  double sum = 0;
  for (const Json& result : results) sum += number_of(result, key).value();
  return sum / static_cast<double>(results.size());
}

/// What came of one evaluation of a run.
class Scores {
 public:
  Scores(const SweepRow& row, const std::string& evaluation) : row_(row), evaluation_(evaluation) {
    for (const Json& result : row.results) {
      const auto found = result.find(evaluation);
      if (found == result.end()) continue;
      if (const auto score = score_of(*found)) values_.push_back(*score);
    }
  }

  /// Of all seeds.
  bool are_there() const { return !values_.empty() && values_.size() == row_.results.size(); }
  double mean() const {
    return std::accumulate(values_.begin(), values_.end(), 0.0) /
           static_cast<double>(values_.size());
  }
  /// "40.38", or of several seeds "40.38 (40.10 to 40.61)".
  std::string shown() const {
    if (!are_there()) return "";
    std::string shown = text("%.2f", mean());
    if (values_.size() > 1) {
      const auto [least, most] = std::minmax_element(values_.begin(), values_.end());
      shown += text(" (%.2f to %.2f)", *least, *most);
    }
    return shown;
  }
  std::string signature() const {
    if (!are_there()) return "";
    const Json& evaluation = row_.results.front().at(evaluation_);
    if (!evaluation.contains("signature")) return "";
    const std::string metric = evaluation.value("metric", "");  // a parser's signature says it
    return (metric.empty() ? "" : metric + ", ") + evaluation.at("signature").get<std::string>();
  }
  /// Null where there is no output of all seeds.
  const std::vector<ScoreStatistics>* statistics() const {
    const auto found = row_.scores.find(evaluation_);
    const bool all = found != row_.scores.end() && found->second.size() == row_.results.size();
    return all && are_there() ? &found->second : nullptr;
  }

 private:
  const SweepRow& row_;
  std::string evaluation_;
  std::vector<double> values_;
};

/// Beside the run that it is to be compared with, where both have an output.
struct Comparison {
  double difference, p;
};
std::optional<Comparison> compared(const SweepRow& row, const std::vector<SweepRow>& rows,
                                   const std::string& evaluation) {
  const auto other = std::find_if(rows.begin(), rows.end(), [&](const SweepRow& one) {
    return one.run.name == row.run.against;
  });
  if (other == rows.end()) return {};
  const Scores own(row, evaluation), others(*other, evaluation);
  if (own.statistics() == nullptr || others.statistics() == nullptr) return {};
  return Comparison{own.mean() - others.mean(),
                    paired_bootstrap_p(*own.statistics(), *others.statistics())};
}

/// A bar would end the cell.
std::string in_cell(const std::string& text) {
  std::string escaped;
  for (const char c : text) escaped += (c == '|' ? "\\" : "") + std::string(1, c);
  return escaped;
}

/// The title of its column.
std::string title_of(const SweepEvaluation& evaluation) {
  return evaluation.name.empty() ? "score" : evaluation.name;
}

}  // namespace

std::string sweep_table(const SweepFile& file, const std::vector<SweepRow>& rows) {
  std::string titles = "| run | what is its own | parameters | perplexity |",
              rule = "| --- | --- | --- | --- |";
  for (const SweepEvaluation& evaluation : file.evaluations) {
    titles += " " + title_of(evaluation) + " | beside |";
    rule += " --- | --- |";
  }
  std::string table = titles + " steps | minutes |\n" + rule + " --- | --- |\n";
  std::size_t most_seeds = 0;
  bool is_compared = false;
  for (const SweepRow& row : rows) {
    table += "| " + row.run.name + " | " + in_cell(row.run.own) + " |";
    if (row.results.empty()) {
      for (std::size_t i = 0; i < 4 + 2 * file.evaluations.size(); ++i) table += " |";
      table += "\n";
      continue;
    }
    most_seeds = std::max(most_seeds, row.results.size());
    table += " " + with_commas(row.results.front().at("parameters")) + " | " +
             text("%.2f", mean_of(row.results, "perplexity")) + " |";
    for (const SweepEvaluation& evaluation : file.evaluations) {
      const Scores scores(row, evaluation.key());
      table += " " + scores.shown() + " | ";
      if (const auto comparison = compared(row, rows, evaluation.key())) {
        is_compared = true;
        table += text("%+.2f, p = %.3f, ", comparison->difference, comparison->p) + row.run.against;
      }
      table += " |";
    }
    table += " " + with_commas(std::llround(mean_of(row.results, "steps"))) + " | " +
             text("%.1f", mean_of(row.results, "seconds") / 60) + " |\n";
  }
  if (most_seeds > 1) {
    table +=
        text("\nmeans of up to %zu seeds, of scores with the least and the greatest\n", most_seeds);
  }
  for (const SweepEvaluation& evaluation : file.evaluations) {
    for (const SweepRow& row : rows) {
      const std::string signature = Scores(row, evaluation.key()).signature();
      if (signature.empty()) continue;
      table += "\n" + title_of(evaluation) + ": " + signature + "\n";
      break;
    }
  }
  if (is_compared) {
    const SignificanceOptions drawn;
    table += text("\nbeside: the difference, p by paired bootstrap resampling (bs:%d|seed:%llu)\n",
                  drawn.resamples, static_cast<unsigned long long>(drawn.seed));
  }
  return table;
}

nlohmann::ordered_json sweep_json(const SweepFile& file, const std::vector<SweepRow>& rows) {
  Json runs = Json::object();
  for (const SweepRow& row : rows) {
    Json& json = runs[row.run.name];
    if (row.results.empty()) continue;
    json = {{"perplexity", mean_of(row.results, "perplexity")},
            {"seconds", mean_of(row.results, "seconds")},
            {"results", row.results}};
    for (const SweepEvaluation& evaluation : file.evaluations) {
      Json& where = evaluation.name.empty() ? json : json[evaluation.key()];
      const Scores scores(row, evaluation.key());
      if (scores.are_there()) where["score"] = scores.mean();
      if (const auto comparison = compared(row, rows, evaluation.key())) {
        where["against"] = {{"name", row.run.against},
                            {"difference", comparison->difference},
                            {"bootstrap_p", comparison->p}};
      }
    }
  }
  return runs;
}

}  // namespace kette::cli
