#include "cli/sweep_table.h"

#include <algorithm>
#include <optional>

#include "cli/common.h"
#include "data/files/json_text.h"
#include "data/metrics/significance.h"

namespace kette::cli {
namespace {

/// The score of an evaluation: of a translation model that, of a language model its perplexity, of a masked one the
/// pseudo-perplexity.
std::optional<double> score_in(const Json& result) {
  const auto found = result.find("evaluation");
  if (found == result.end()) return {};
  for (const char* key : {"score", "perplexity", "pseudo_perplexity"}) {
    if (found->contains(key)) return found->at(key).get<double>();
  }
  return {};
}

template <class Value>
double mean_of(const std::vector<Json>& results, const Value& value) {
  double sum = 0;
  for (const Json& result : results) sum += value(result);
  return sum / static_cast<double>(results.size());
}

double mean_of(const std::vector<Json>& results, const char* key) {
  return mean_of(results, [&](const Json& result) { return result.at(key).get<double>(); });
}

bool is_scored(const SweepRow& row) {
  return !row.results.empty() &&
         std::all_of(row.results.begin(), row.results.end(),
                     [](const Json& result) { return score_in(result).has_value(); });
}

double mean_score(const SweepRow& row) {
  return mean_of(row.results, [](const Json& result) { return *score_in(result); });
}

bool has_translations(const SweepRow& row) {
  return !row.scores.empty() && row.scores.size() == row.results.size();
}

/// Beside the run that it is to be compared with, where both have translations.
struct Comparison {
  double difference, p;
};
std::optional<Comparison> compared(const SweepRow& row, const std::vector<SweepRow>& rows) {
  const auto other = std::find_if(rows.begin(), rows.end(), [&](const SweepRow& one) {
    return one.run.name == row.run.against;
  });
  if (other == rows.end() || !has_translations(row) || !has_translations(*other)) return {};
  return Comparison{mean_score(row) - mean_score(*other),
                    paired_bootstrap_p(row.scores, other->scores)};
}

/// "40.38", or of several seeds "40.38 (40.10 to 40.61)".
std::string score_text(const SweepRow& row) {
  if (!is_scored(row)) return "";
  std::string score = text("%.2f", mean_score(row));
  if (row.results.size() > 1) {
    std::vector<double> scores;
    for (const Json& result : row.results) scores.push_back(*score_in(result));
    const auto [least, most] = std::minmax_element(scores.begin(), scores.end());
    score += text(" (%.2f to %.2f)", *least, *most);
  }
  return score;
}

std::string signature_of(const SweepRow& row) {
  if (!is_scored(row)) return "";
  const Json& evaluation = row.results.front().at("evaluation");
  if (!evaluation.contains("signature")) return "";
  return evaluation.at("metric").get<std::string>() + ", " +
         evaluation.at("signature").get<std::string>();
}

}  // namespace

std::string sweep_table(const std::vector<SweepRow>& rows) {
  std::string table =
      "| run | what is its own | parameters | perplexity | score | beside | steps | minutes |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- |\n";
  std::string signature;
  std::size_t most_seeds = 0;
  bool is_compared = false;
  for (const SweepRow& row : rows) {
    table += "| " + row.run.name + " | " + row.run.own + " | ";
    if (row.results.empty()) {
      table += "| | | | | |\n";
      continue;
    }
    most_seeds = std::max(most_seeds, row.results.size());
    if (signature.empty()) signature = signature_of(row);
    std::string beside;
    if (const std::optional<Comparison> comparison = compared(row, rows)) {
      is_compared = true;
      beside = text("%+.2f, p = %.3f, ", comparison->difference, comparison->p) + row.run.against;
    }
    table += with_commas(row.results.front().at("parameters")) + " | " +
             text("%.2f", mean_of(row.results, "perplexity")) + " | " + score_text(row) + " | " +
             beside + " | " + with_commas(std::llround(mean_of(row.results, "steps"))) + " | " +
             text("%.1f", mean_of(row.results, "seconds") / 60) + " |\n";
  }
  if (most_seeds > 1) {
    table +=
        text("\nmeans of up to %zu seeds, of scores with the least and the greatest\n", most_seeds);
  }
  if (!signature.empty()) table += "\nscore: " + signature + "\n";
  if (is_compared) {
    const SignificanceOptions drawn;
    table += text("\nbeside: the difference, p by paired bootstrap resampling (bs:%d|seed:%llu)\n",
                  drawn.resamples, static_cast<unsigned long long>(drawn.seed));
  }
  return table;
}

nlohmann::ordered_json sweep_json(const std::vector<SweepRow>& rows) {
  Json runs = Json::object();
  for (const SweepRow& row : rows) {
    Json& json = runs[row.run.name];
    if (row.results.empty()) continue;
    json = {{"perplexity", mean_of(row.results, "perplexity")},
            {"seconds", mean_of(row.results, "seconds")},
            {"results", row.results}};
    if (is_scored(row)) json["score"] = mean_score(row);
    if (const std::optional<Comparison> comparison = compared(row, rows)) {
      json["against"] = {{"name", row.run.against},
                         {"difference", comparison->difference},
                         {"bootstrap_p", comparison->p}};
    }
  }
  return runs;
}

}  // namespace kette::cli
