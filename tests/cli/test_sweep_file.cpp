// The files of kette sweep: what is shared, runs, seeds and evaluations.
#include <doctest/doctest.h>

#include <sstream>

#include "cli/options.h"
#include "cli/sweep_file.h"
#include "tests/cli/run_kette.h"

using namespace kette;
using namespace kette::cli;
using namespace kette::testing;

namespace {

SweepFile sweep_of(const std::string& text) {
  const ScratchFolder folder;
  write_file(folder / "runs.toml", text);
  return read_sweep_file(folder / "runs.toml");
}

/// What the file is answered with.
std::string complaint_about(const std::string& text) {
  return message_of([&] { sweep_of(text); });
}

}  // namespace

TEST_CASE("sweep file: what is shared, what is a run's own, and how they are scored") {
  const SweepFile file = sweep_of(
      "# a comment\nheads = 4\nwidth = 128 # of all\n\n[evaluate]\nbeam = 5\n[base]\n"
      "[\"one head\"]\nheads = 1 # a | b\nlr = 1e-3\n");
  REQUIRE(file.evaluations.size() == 1);
  CHECK(file.evaluations[0].name.empty());
  CHECK(file.evaluations[0].settings == "beam = 5\n");
  REQUIRE(file.runs.size() == 2);
  CHECK(file.runs[0].name == "base");
  CHECK(file.runs[0].settings == "heads = 4\nwidth = 128 # of all\n");
  CHECK(file.runs[0].own.empty());
  CHECK(file.runs[1].name == "one head");
  CHECK(file.runs[1].settings == "width = 128 # of all\nheads = 1 # a | b\nlr = 1e-3\n");
  CHECK(file.runs[1].own == "heads = 1, lr = 1e-3");
  CHECK(file.seeds.empty());
}

TEST_CASE("sweep file: several evaluations have names, and are no runs") {
  const SweepFile file =
      sweep_of("[\"evaluate test 2017\"]\nbeam = 5\n[evaluate more]\nbeam = 4\n[a]\n[evaluated]\n");
  REQUIRE(file.evaluations.size() == 2);
  CHECK(file.evaluations[0].name == "test 2017");
  CHECK(file.evaluations[0].key() == "evaluation test 2017");
  CHECK(file.evaluations[0].settings == "beam = 5\n");
  CHECK(file.evaluations[1].name == "more");
  REQUIRE(file.runs.size() == 2);
  CHECK(file.runs[1].name == "evaluated");
  CHECK(sweep_of("[evaluate]\n[a]\n").evaluations.empty());  // it asks for nothing
  CHECK(contains(complaint_about("[evaluate b]\n[evaluate b]\n[a]\n"),
                 "runs.toml:2: expected each table once, given [evaluate b] again"));
  CHECK(contains(complaint_about("[evaluate b]\n[a]\nagainst = \"evaluate b\"\n"),
                 "against: expected the name of a run, given evaluate b"));
  CHECK(contains(complaint_about("[evaluate b]\noutput = \"x\"\n[a]\n"),
                 "output: expected nothing of it, which kette sweep sets itself"));
}

TEST_CASE("sweep file: seeds, and what a run is compared with") {
  const SweepFile file =
      sweep_of("seeds = [1, 20]\nheads = 4\n[a]\n[b]\nheads = 1\n[c]\nagainst = \"a\"\nlr = 2\n");
  CHECK(file.seeds == std::vector<std::string>{"1", "20"});
  CHECK(file.runs[0].against.empty());
  CHECK(file.runs[0].settings == "heads = 4\n");
  CHECK(file.runs[1].against == "a");  // the one before
  CHECK(file.runs[2].against == "a");
  CHECK(file.runs[2].own == "lr = 2");
  const SweepFile all = sweep_of("against = \"b\"\n[a]\n[b]\n[c]\n");
  CHECK(all.runs[0].against == "b");
  CHECK(all.runs[1].against.empty());
  CHECK(all.runs[2].against == "b");
  CHECK(all.runs[2].settings.empty());
  CHECK(sweep_of("seeds = [1]\n[evaluate]\nseed = 7\n[a]\n").evaluations[0].settings ==
        "seed = 7\n");

  CHECK(contains(complaint_about("seeds = [1, x]\n[a]\n"),
                 "runs.toml: seeds: expected different whole numbers, given x"));
  CHECK(contains(complaint_about("seeds = [1, 2, 1]\n[a]\n"), "given 1 twice"));
  CHECK(contains(complaint_about("[a]\nseeds = [1]\n"),
                 "runs.toml:1: [a]: expected seeds before the first table"));
  CHECK(contains(complaint_about("seeds = [1]\n[a]\nseed = 3\n"),
                 "expected seed or seeds, given both"));
  CHECK(contains(complaint_about("[a]\nagainst = \"z\"\n"),
                 "runs.toml:1: against: expected the name of a run, given z"));
}

TEST_CASE("sweep file: what makes no sense is refused, with its line") {
  CHECK(contains(complaint_about("heads = 4\n"), "expected runs, a table such as [base] for each"));
  CHECK(contains(complaint_about("[a]\n[b]\n[a]\n"),
                 "runs.toml:3:1: expected each table once, given [a] again"));
  CHECK(contains(complaint_about("[a/b]\n"), "runs.toml:1: expected a name of letters"));
  CHECK(contains(complaint_about("[..]\n"), "runs.toml:1: expected a name of letters"));
  CHECK(contains(complaint_about("[a]\nheads\n"), "runs.toml:2:6: expected '='"));
  CHECK(contains(complaint_about("[a]\nheads = 1\nheads = 2\n"),
                 "runs.toml:3:9: expected each key once, given heads again"));
  CHECK(contains(complaint_about("[a] heads = 2\n"),
                 "runs.toml:1:5: expected the end of the line, given 'heads = 2'"));
  CHECK(contains(complaint_about("[table.md]\n"), "other than table.md"));
  for (const char* text :
       {"[a]\nout = \"b\"\n", "device = \"cpu\"\n[a]\n", "[evaluate]\nmodel = 3\n[a]\n"}) {
    CHECK(contains(complaint_about(text), "expected nothing of it, which kette sweep sets itself"));
  }
  for (const char* seed : {"01", "99999999999999999999999", "-1", "1, 1"}) {
    CHECK(contains(complaint_about("seeds = [" + std::string(seed) + "]\n[a]\n"),
                   "seeds: expected different whole numbers"));
  }
  CHECK(sweep_of("[a] # the first\n").runs.front().name == "a");
  CHECK(contains(complaint_about("[a.b]\n[\"a.b\"]\n"), "runs.toml:2: expected each table once"));
  CHECK(
      contains(complaint_about("[\"\"]\n"), "runs.toml:1: expected each table once, with a name"));
  CHECK(contains(complaint_about("[[a]]\nheads = 1\n"),
                 "runs.toml:1: a: expected values, given a table"));
}

TEST_CASE("sweep file: all of TOML, in the order of the file") {
  const SweepFile file = sweep_of(
      "z.heads = 3\nweights = [\n  1,\n  2,\n]\n[lr 0.1]\nlr = 0.1\n['b c']\n[lr0.2]\nheads = 0x4\n[a.b]\n[a]\n");
  std::string names;
  for (const SweepRun& run : file.runs) names += run.name + ",";
  CHECK(names == "z,lr 0.1,b c,lr0.2,a.b,a,");
  CHECK(file.runs[0].settings == "weights = [\n  1,\n  2,\n]\nheads = 3\n");
  CHECK(file.runs[0].own == "heads = 3");
  CHECK(file.runs[3].own == "heads = 4");
  CHECK(file.runs[5].settings == "weights = [\n  1,\n  2,\n]\n");
}

TEST_CASE("sweep file: those of bench/ are of options that there are") {
  const std::string known = run_kette({"train", "--help-all"}).out;
  for (const auto& [name, runs] : {std::pair{"table3.toml", 20},
                                   {"attention.toml", 8},
                                   {"multi30k.toml", 9},
                                   {"masked_words.toml", 3}}) {
    const SweepFile file = read_sweep_file(source_folder() / "bench" / name);
    CHECK(file.runs.front().own.empty());
    CHECK(std::ssize(file.runs) == runs);
    for (const SweepRun& run : file.runs) {
      std::istringstream lines(run.settings);
      for (std::string key; lines >> key; std::getline(lines, key)) {
        CAPTURE(key);
        CHECK(contains(known, "--" + key));
      }
    }
  }
}
