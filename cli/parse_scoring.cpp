#include "cli/parse_scoring.h"

#include <iostream>

#include "cli/common.h"

namespace kette::cli {
namespace {

struct ParseRow {
  const char *name, *key;
  double (*value)(const ParseCounts&);
};

double as_double(std::int64_t count) { return static_cast<double>(count); }

/// Of sentences and of scores, in evalb's order.
constexpr ParseRow kCountRows[] = {
    {"sentences", "sentences", [](const ParseCounts& c) { return as_double(c.sentences); }},
    {"of them errors", "errors", [](const ParseCounts& c) { return as_double(c.errors); }},
    {"of them skipped", "skipped", [](const ParseCounts& c) { return as_double(c.skipped); }}};
constexpr ParseRow kScoreRows[] = {
    {"recall", "recall", [](const ParseCounts& c) { return c.recall(); }},
    {"precision", "precision", [](const ParseCounts& c) { return c.precision(); }},
    {"F1", "f1", [](const ParseCounts& c) { return c.f1(); }},
    {"complete match", "complete_match", [](const ParseCounts& c) { return c.complete_match(); }},
    {"mean crossing", "mean_crossing", [](const ParseCounts& c) { return c.mean_crossing(); }},
    {"no crossing", "no_crossing", [](const ParseCounts& c) { return c.without_crossing(); }},
    {"2 or less crossing", "few_crossing",
     [](const ParseCounts& c) { return c.with_few_crossing(); }},
    {"tagging accuracy", "tagging_accuracy",
     [](const ParseCounts& c) { return c.tagging_accuracy(); }}};

Json block_json(const ParseCounts& counts, const std::string& signature) {
  Json json = {{"signature", signature}};
  for (const ParseRow& row : kCountRows) {
    json[row.key] = static_cast<std::int64_t>(row.value(counts));
  }
  for (const ParseRow& row : kScoreRows) json[row.key] = row.value(counts);
  json["brackets"] = {{"matched", counts.matched}, {"gold", counts.gold}, {"test", counts.test}};
  return json;
}

}  // namespace

Option add_punctuation_option(OptionGroup& group, ParseScoreOptions& options) {
  return group.one_of(
      "--punctuation", {"own", "gold"},
      [&](const std::string& whose) { options.gold_punctuation = whose == "gold"; },
      [&] { return std::string(options.gold_punctuation ? "gold" : "own"); },
      "By whose tags the score leaves punctuation out: each file's own, as evalb does, or gold's");
}

void print_parse_score(const ParseScore& score) {
  const std::string limit = score.short_signature.substr(score.short_signature.rfind("len"));
  std::cout << text("%-20s %8s %8s\n", "", "all", limit.c_str());
  const auto print = [&](const ParseRow& row, int decimals) {
    std::cout << text("%-20s %8.*f %8.*f\n", row.name, decimals, row.value(score.all), decimals,
                      row.value(score.short_ones));
  };
  for (const ParseRow& row : kCountRows) print(row, 0);
  for (const ParseRow& row : kScoreRows) print(row, 2);
  std::cout << score.signature << text(" = %.2f\n", score.all.f1());
  if (score.all.errors > 0 && score.signature.find("punctuation:gold") == std::string::npos) {
    std::cerr
        << "kette: errors have other words than the gold tree once what each calls punctuation is left out "
           "(--punctuation gold goes by the gold tree's)\n";
  }
}

Json parse_score_json(const ParseScore& score) {
  Json json = block_json(score.all, score.signature);
  json["short"] = block_json(score.short_ones, score.short_signature);
  return json;
}

}  // namespace kette::cli
