// `kette quantize` and --weights: the same translations from a directory in int8 as of its model, by every
// path that the CPU has.
#include <doctest/doctest.h>

#include "tensor/cpu/int8_path.h"
#include "tests/cli/call_kette.h"
#include "tests/environment.h"

using namespace kette::testing;

namespace {

Outcome translate(const std::string& model, const std::vector<std::string>& more = {}) {
  std::vector<std::string> arguments = {"translate", "--model",      model, "--beam",
                                        "3",         "--n-best",     "3",   "--threads",
                                        "1",         "--max-length", "12"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  RunOptions options;
  options.input = "the cat sees bread .\na man likes music .\n";
  return run_kette(arguments, options);
}

}  // namespace

TEST_CASE("quantize: a directory translates as its model with --weights, on every path alike") {
  const SmallModel& small = SmallModel::get();
  const ScratchFolder folder;
  const std::string int8 = (folder / "int8").string();
  const Outcome made = call_kette({"quantize", "--model", small.model(), "--out", int8, "--json"});
  REQUIRE(made.code == 0);
  CHECK(made.json()["weights"] == "int8");
  const Outcome wide = call_kette({"explain", "--model", int8, "the cat"});
  INFO(wide.err);
  CHECK(wide.code == 0);
  CHECK(wide.says("the model's int8 weights are computed with in f32 here; decoding computes in"));
  const Outcome expected = translate(small.model(), {"--weights", "int8"});
  REQUIRE(expected.code == 0);
  CHECK(expected.out != translate(small.model()).out);
  CHECK(translate(int8).out == expected.out);
  for (const kette::Int8Path path : kette::cpu::int8_paths()) {
    CAPTURE(kette::enum_name(path));
    const Environment asked("KETTE_INT8", kette::enum_name(path));
    CHECK(translate(int8).out == expected.out);
  }
  const auto info = call_kette({"info", "--model", int8, "--json"}).json();
  CHECK(info["model"]["weights"] == "int8");
  const Outcome tuned = call_kette(train_arguments(small.folder(), "tuned", {"--from", int8}));
  CHECK(tuned.code == 1);
  CHECK(tuned.says("expected weights in f32 to train, given int8"));
}

TEST_CASE("KETTE_INT8: a path that the CPU lacks is an error that lists those it has") {
  const Environment asked("KETTE_INT8", "abacus");
  const Outcome outcome = translate(SmallModel::get().model(), {"--weights", "int8"});
  CHECK(outcome.code == 1);
  CHECK(outcome.says("KETTE_INT8: expected what this CPU has, portable"));
  CHECK(translate(SmallModel::get().model()).code == 0);
}
