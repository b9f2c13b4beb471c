#include "cli/parse_scoring.h"

#include "cli/common.h"
#include "cli/host.h"

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

/// What JSON has of sentences of all lengths, or of short ones.
Report block(const ParseCounts& counts, const std::string& signature) {
  Report report;
  report.fact("signature", signature);
  for (const ParseRow& row : kCountRows) {
    report.fact(row.key, static_cast<std::int64_t>(row.value(counts)));
  }
  for (const ParseRow& row : kScoreRows) report.fact(row.key, row.value(counts));
  Report brackets;
  brackets.fact("matched", counts.matched);
  brackets.fact("gold", counts.gold);
  brackets.fact("test", counts.test);
  report.inner("brackets", std::move(brackets));
  return report;
}

/// Both side by side.
Table table_of(const ParseScore& score) {
  const std::string limit = score.short_signature.substr(score.short_signature.rfind("len"));
  Table table{.columns = {{.width = -20},
                          {.title = "all", .digits = decimals(2), .width = 8},
                          {.title = limit, .digits = decimals(2), .width = 8}}};
  const auto add = [&](const ParseRow& row, int count) {
    const double all = row.value(score.all), few = row.value(score.short_ones);
    table.rows.push_back({{row.name, Cell(all).as(text("%.*f", count, all)),
                           Cell(few).as(text("%.*f", count, few))}});
  };
  for (const ParseRow& row : kCountRows) add(row, 0);
  for (const ParseRow& row : kScoreRows) add(row, 2);
  return table;
}

void say_what_is_odd(const ParseScore& score) {
  if (score.all.errors > 0 && score.signature.find("punctuation:gold") == std::string::npos) {
    to_stderr()
        << "kette: errors have other words than the gold tree once what each calls punctuation is left out "
           "(--punctuation gold goes by the gold tree's)\n";
  }
  if (score.lone_roots > 0 && score.lone_roots == score.all.valid()) {
    to_stderr()
        << "kette: of all " << score.lone_roots
        << text(
               " sentences the roots are in one file alone, or other ones in the other, and count as wrong "
               "brackets; without roots F1 is %.2f (leave --parameters out, or add DELETE_LABEL and "
               "their label to the file)\n",
               score.rootless.f1());
  }
}

}  // namespace

std::vector<Option> add_parse_scoring_options(OptionGroup& group, ParseScoreOptions& options) {
  return {
      group.one_of(
          "--punctuation", {"own", "gold"},
          [&](const std::string& whose) { options.gold_punctuation = whose == "gold"; },
          [&] { return std::string(options.gold_punctuation ? "gold" : "own"); },
          "By whose tags the score leaves punctuation out: each file's own, as evalb does, or gold's, "
          "as the F1 of training does"),
      group.custom(
          "--parameters",
          [&](const std::string& file) { options.parameters = read_bracket_parameters(file); },
          [] { return std::string(); },
          "A parameter file of evalb (.prm): count as evalb does with it, roots included, unless it "
          "deletes their label (default: as COLLINS.prm, without the roots TOP, ROOT, S1 and VROOT)",
          "FILE")};
}

Report to_report(const ParseScore& score) {
  Report report = block(score.all, score.signature);
  report.title = "Brackets of trees";
  report.lead = text("F1 is %.2f, of the brackets of two files of trees; 100 were the same trees.",
                     score.all.f1());
  report.table(table_of(score), kText | kPage);
  report.line(score.signature + text(" = %.2f\n", score.all.f1()), kText | kPage);
  report.inner("short", block(score.short_ones, score.short_signature));
  say_what_is_odd(score);
  return report;
}

}  // namespace kette::cli
