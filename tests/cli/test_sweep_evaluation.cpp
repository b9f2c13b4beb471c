// How the runs of kette sweep are evaluated: parsers by their trees, and what is refused.
#include <doctest/doctest.h>

#include <map>

#include "data/metrics/parse_score.h"
#include "data/metrics/significance.h"
#include "tests/cli/run_kette.h"
#include "tests/toy_trees.h"

using namespace kette::testing;

namespace {

std::string line(const char* key, const std::filesystem::path& file) {
  return std::string(key) + " = \"" + file.string() + "\"\n";
}

/// What runs on the small corpus of a folder share.
std::string on_small_corpus(const std::filesystem::path& folder) {
  return line("src", folder / "train.en") + line("tgt", folder / "train.de") +
         line("valid-src", folder / "valid.en") + line("valid-tgt", folder / "valid.de") +
         "vocab = 80\n";
}
constexpr const char* kFewQuickSteps =
    "encoder-layers = 1\ndecoder-layers = 1\nwidth = 16\nhidden = 32\nheads = 2\nsteps = 4\n"
    "quiet = true\n";

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
  const auto b = outcome.json().at("runs").at("b");
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
  CHECK(contains(table, "| perplexity | wide | beside | narrow | beside | steps |"));
  CHECK(contains(table, "\nwide: evalb|prm:COLLINS|roots:no|micro|punctuation:gold|len<=all\n"));

  // As kette parse says it, before anything is trained.
  CHECK(sweep("[evaluate]\nmetric = \"chrf\"\n" + gold).says("unknown key metric"));
  CHECK(sweep("[evaluate]\ngold = \"/nowhere\"\n")
            .says("expected a file, given /nowhere, which is not there"));
}

TEST_CASE(
    "kette sweep: what a run or an evaluation would refuse is told before anything is trained") {
  const ScratchFolder folder;
  write_small_corpus(folder.path());
  const std::string runs = (folder / "runs.toml").string(), out = (folder / "out").string();
  const std::string shared = on_small_corpus(folder.path());
  const std::string source = "[evaluate]\n" + line("src", folder / "valid.en"),
                    both = source + line("ref", folder / "valid.de");
  const auto check_refused = [&](const std::string& text, int code, const std::string& message,
                                 const std::vector<std::string>& more = {}) {
    write_file(runs, shared + text);
    const Outcome outcome = run_kette(with({"sweep", runs, "--out", out}, more));
    CAPTURE(outcome.err);
    CHECK(outcome.code == code);
    CHECK(outcome.says(message));
    CHECK_FALSE(std::filesystem::exists(out));
  };
  check_refused(source + "[a]\n", 2, "[evaluate]: expected --src and --ref");
  check_refused(both + "metric = \"chrf\"\ntokenize = \"none\"\n[a]\n", 2,
                "[evaluate]: " + runs + ":10: --tokenize: expected --metric bleu beside it");
  check_refused(both + "beam = 2\nmbr = \"bleu\"\nn-best = 4\n[a]\n", 2, "[evaluate]: ");
  check_refused("[evaluate]\n" + line("gold", folder / "valid.en") + "beam = 0\n[a]\n", 2,
                "--beam");
  check_refused("[bad]\nvalid-tgt = \"/nowhere\"\n", 1,
                "[bad]: " + runs + ":7: valid-tgt: expected a file, given /nowhere");
  check_refused("[bad]\nlora-rank = 2\n", 2,
                "[bad]: --lora-rank: expected a model to put adapters on");
  check_refused("[a]\nthreads = 2\n", 2, "threads: expected nothing of it");
  check_refused("[a]\n", 2, "expected cpu, cuda or cuda:N, given foo", {"--device", "foo"});
}

TEST_CASE(
    "kette sweep: a result without its numbers is refused by name, and scored anew without it") {
  const ScratchFolder folder;
  write_small_corpus(folder.path());
  write_file(folder / "runs.toml", on_small_corpus(folder.path()) + kFewQuickSteps +
                                       "[evaluate]\n" + line("src", folder / "valid.en") +
                                       line("ref", folder / "valid.de") + "[a]\n");
  const auto sweep = [&] {
    return run_kette({"sweep", (folder / "runs.toml").string(), "--out", (folder / "out").string(),
                      "--threads", "1"});
  };
  CHECK(sweep().code == 0);
  const std::filesystem::path result = folder / "out" / "a" / "result.json";
  const std::string whole = read_file(result);
  for (
      const char* damaged :
      {"{\"evaluation\":{},\"seconds\":\"x\"}",
       "{\"evaluation\":{\"score\":1},\"seconds\":1,\"parameters\":1,\"steps\":1,\"perplexity\":\"x\"}",
       "{\"evaluation\":[],\"seconds\":1,\"parameters\":1,\"steps\":1,\"perplexity\":2}",
       "{\"evaluation\":{\"score\":null},\"seconds\":1,\"parameters\":1,\"steps\":1,\"perplexity\":2}"}) {
    write_file(result, damaged);
    const Outcome outcome = sweep();
    CHECK(outcome.code == 1);
    CHECK(outcome.says("result.json: expected"));
    CHECK(outcome.says("remove the file"));
  }
  std::filesystem::remove(result);
  CHECK(sweep().code == 0);
  const auto numbers = [](const std::string& text) {
    return JsonView::parse(text).at("evaluation").at("score");
  };
  CHECK(numbers(read_file(result)) == numbers(whole));
}

TEST_CASE("kette sweep: a run of infinite perplexity is one of the table") {
  const ScratchFolder folder;
  write_small_corpus(folder.path());
  write_file(folder / "runs.toml", on_small_corpus(folder.path()) + kFewQuickSteps +
                                       "[a]\n[wild]\nlr = 1000\nwarmup = 1\n[b]\nlr = 0.01\n");
  const std::vector<std::string> words = {"sweep",     (folder / "runs.toml").string(),
                                          "--out",     (folder / "out").string(),
                                          "--threads", "1",
                                          "--json"};
  for (int start = 0; start < 2; ++start) {
    const Outcome outcome = run_kette(words);
    CAPTURE(outcome.err);
    REQUIRE(outcome.code == 0);
    CHECK(outcome.json().at("runs").at("wild").at("perplexity").is_null());
    CHECK(outcome.json().at("runs").at("b").at("perplexity") > 1);
    CHECK(contains(read_file(folder / "out" / "table.md"), " | inf | "));
  }
}
