// `kette parse-score`: labelled brackets of trees against gold ones, equal to evalb.
#include <memory>

#include "cli/commands/commands.h"
#include "cli/common.h"
#include "cli/parse_scoring.h"

namespace kette::cli {
namespace {

struct ParseScoreCommandOptions {
  CommonOptions common;
  std::filesystem::path gold, test;
  std::string punctuation = "own";
  ParseScoreOptions scoring;
};

void run(ParseScoreCommandOptions& o) {
  use_threads(o.common);
  o.scoring.gold_punctuation = o.punctuation == "gold";
  const ParseScore score =
      parse_score(read_trees(o.gold, kWholeText), read_trees(o.test, kWholeText), o.scoring);
  print_parse_score(score);
  if (o.common.json) print_json(parse_score_json(score));
}

}  // namespace

void add_parse_score_command(CLI::App& program) {
  CLI::App& command = add_command(program, "parse-score",
                                  "Score constituency trees against gold ones, as evalb does");
  auto options = std::make_shared<ParseScoreCommandOptions>();
  OptionGroup group(command, "Trees");
  group
      .path("--gold", options->gold,
            "The right trees, in brackets; an outer one may be without a label, or TOP")
      .required();
  group.path("--test", options->test, "A parser's trees for the same sentences; (()) for none")
      .required();
  group.number("--cutoff", options->scoring.cutoff, at_least(1),
               "Score those of at most so many words by themselves, too");
  group.choice("--punctuation", options->punctuation, {"own", "gold"},
               "By whose tags punctuation is left out: each file's own, as evalb does, or gold's");
  add_common_options(command, options->common);
  when_run(command, [options] { run(*options); });
}

}  // namespace kette::cli
