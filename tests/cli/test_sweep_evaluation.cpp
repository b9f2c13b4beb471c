// How the runs of kette sweep are evaluated: parsers by their trees, and what is refused.
#include <doctest/doctest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "data/metrics/parse_score.h"
#include "data/metrics/significance.h"
#include "tests/cli/run_kette.h"
#include "tests/toy_trees.h"

using namespace kette::testing;

namespace {

std::string line(const char* key, const std::filesystem::path& file) {
  return std::string(key) + " = \"" + file.string() + "\"\n";
}

}  // namespace

TEST_CASE("kette sweep: parsers are scored by F1, and compared sentence by sentence") {
  const ScratchFolder folder;
  write_file(folder / "train.mrg", toy_trees(60, 1));
  write_file(folder / "valid.mrg", toy_trees(10, 2));
  const std::string shared =
      "seeds = [1, 2]\nvocab = 60\nencoder-layers = 1\ndecoder-layers = 1\nwidth = 16\nhidden = 32\n"
      "heads = 2\nsteps = 80\nwarmup = 10\nlr = 0.01\nquiet = true\n" +
      line("trees", folder / "train.mrg") + line("valid-trees", folder / "valid.mrg");
  const auto sweep = [&](const std::string& evaluations) {
    write_file(folder / "runs.toml", shared + evaluations + "[a]\n[b]\nlr = 0.004\n");
    return run_kette({"sweep", (folder / "runs.toml").string(), "--out", (folder / "out").string(),
                      "--threads", "1", "--json"});
  };
  const std::string gold = line("gold", folder / "valid.mrg") + "punctuation = \"gold\"\n";
  const Outcome outcome =
      sweep("[\"evaluate wide\"]\nbeam = 3\n" + gold + "[\"evaluate narrow\"]\nbeam = 1\n" + gold);
  REQUIRE_MESSAGE(outcome.code == 0, outcome.err);
  const auto b = nlohmann::json::parse(outcome.last_line()).at("runs").at("b");
  kette::ParseScoreOptions by_gold;
  by_gold.gold_punctuation = true;
  const kette::Treebank valid = kette::read_trees(folder / "valid.mrg");
  for (const std::string name : {"wide", "narrow"}) {
    const auto& json = b.at("evaluation " + name);
    std::map<std::string, std::vector<kette::ScoreStatistics>> parsers;
    double sum = 0;
    for (const std::string run : {"a", "b"}) {
      for (const char* seed : {"seed 1", "seed 2"}) {
        const auto trees =
            kette::read_trees(folder / "out" / run / seed / ("trees " + name + ".mrg"));
        parsers[run].push_back(kette::parse_statistics(valid, trees, by_gold));
        if (run == "b") sum += parsers[run].back().score();
      }
    }
    CHECK(sum > 0);
    CHECK(json.at("score").get<double>() == doctest::Approx(sum / 2));
    CHECK(json.at("against").at("name") == "a");
    CHECK(json.at("against").at("bootstrap_p") ==
          kette::paired_bootstrap_p(parsers["b"], parsers["a"]));
  }
  const std::string table = read_file(folder / "out" / "table.md");
  CHECK(holds(table, "| perplexity | wide | beside | narrow | beside | steps |"));
  CHECK(holds(table, "\nwide: evalb|prm:COLLINS|micro|punctuation:gold|len<=all\n"));

  // As kette parse says it, before anything is trained.
  CHECK(sweep("[evaluate]\nmetric = \"chrf\"\n" + gold).says("unknown key metric"));
  CHECK(sweep("[evaluate]\ngold = \"/nowhere\"\n")
            .says("expected a file, given /nowhere, which is not there"));
}
