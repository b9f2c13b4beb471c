// `kette parse-score`: scores labelled brackets of trees against gold trees, equal to evalb.
#include <memory>
#include <optional>

#include "cli/commands/commands.h"
#include "cli/common.h"
#include "cli/parse_scoring.h"
#include "cli/scoring.h"
#include "cli/show.h"

namespace kette::cli {
namespace {

struct ParseScoreCommandOptions {
  CommonOptions common;
  std::filesystem::path gold, test, against;
  ParseScoreOptions scoring;
};

void run(ParseScoreCommandOptions& o) {
  use_threads(o.common);
  const Treebank gold = read_trees(o.gold, kWholeText),
                 test = read_trees_beside(gold, o.test, kWholeText);
  std::optional<ScoreStatistics> other;
  if (!o.against.empty()) {
    other = parse_statistics(gold, read_trees_beside(gold, o.against, kWholeText), o.scoring);
  }
  const ParseScore score = parse_score(gold, test, o.scoring);
  Report report = to_report(score);
  report.about = o.test.filename().string() + " against " + o.gold.filename().string() +
                 ". Made by kette parse-score.";
  if (other) {
    report.inner("against", report_of_comparison(parse_statistics(gold, test, o.scoring),
                                                 o.against.string(), *other));
  }
  show(report, o.common);
}

void add_parse_score_options(CLI::App& command) {
  auto options = std::make_shared<ParseScoreCommandOptions>();
  OptionGroup group(command, "Trees");
  group
      .path(
          "--gold", options->gold,
          "The right trees, in brackets; an outer one may be without a label, or TOP, ROOT, S1 or VROOT")
      .required();
  group
      .path(
          "--test", options->test,
          "A parser's trees for the same sentences; (()) for none, or an empty line where each has a line")
      .required();
  group.path(
      "--against", options->against,
      "Another parser's trees for them: also say whether F1 is higher or lower by more than chance");
  group.number(
      "--cutoff", options->scoring.cutoff, at_least(1),
      "Score those of at most so many words by themselves, too (default: 40, or what --parameters has)");
  add_parse_scoring_options(group, options->scoring);
  add_page_option(group, options->common);
  add_common_options(command, options->common);
  when_run(command, [options] { run(*options); });
}

}  // namespace

const Command parse_score_command = {"parse-score",
                                     "Score constituency trees against gold ones, as evalb does",
                                     add_parse_score_options};

}  // namespace kette::cli
