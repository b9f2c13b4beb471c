// A run in stages that stands in a file: it says them, keeps them, and goes on with them.
#include <doctest/doctest.h>

#include "data/files/safetensors.h"
#include "tests/cli/call_kette.h"
#include "tests/train/resumed_run.h"

using namespace kette;
using namespace kette::testing;

TEST_CASE("cli: stages in a run's file are in its saved one, on its page, and in what goes on") {
  const ScratchFolder folder;
  write_small_corpus(folder.path());
  const auto path = [&](const std::string& name) { return (folder / name).string(); };
  write_file(folder / "more.en", "the dog hears music .\nthe cat finds water .\n");
  write_file(folder / "more.de", "der hund hört musik .\ndie katze findet wasser .\n");
  write_file(folder / "run.toml", "src = [\"" + path("train.en") + "\", \"" + path("more.en") +
                                      "\"]\ntgt = [\"" + path("train.de") + "\", \"" +
                                      path("more.de") +
                                      "\"]\nstages = [\"1 0 until 4 steps\", \"1 4\"]\n");
  const auto arguments = [&](const std::string& name, const std::string& steps) {
    std::vector<std::string> words = train_arguments(folder.path(), name, {"--warmup", "2"});
    std::erase(words, "--quiet");
    for (const char* option : {"--src", "--tgt", "--steps"}) {
      const auto at = std::find(words.begin(), words.end(), option);
      if (at != words.end()) words.erase(at, at + 2);
    }
    return with(words, {"--config", path("run.toml"), "--page", "--steps", steps});
  };
  const Outcome whole = call_kette(arguments("whole", "8"));
  CAPTURE(whole.err);
  REQUIRE(whole.code == 0);
  CHECK(whole.says("stage 1 of 2 begins with step 1: 1 0 until 4 steps\n"));
  CHECK(whole.says("stage 2 of 2 begins with step 5: 1 4\n"));
  CHECK(contains(read_file(folder / "whole" / "config.toml"),
                 "stages = [\"1 0 until 4 steps\", \"1 4\"]\n"));
  CHECK(contains(read_file(folder / "whole" / "page.html"), "where each begins"));

  const auto parameters = [&](const std::string& name) { return parameters_in(folder / name); };
  const Outcome short_one = call_kette(arguments("halves", "3"));
  CAPTURE(short_one.err);
  REQUIRE(short_one.code == 0);
  CHECK(short_one.says("stage 2 begins after 4 steps, and the run ends before that\n"));
  const Outcome rest = call_kette({"train", "--out", path("halves"), "--resume", "--steps", "8"});
  CAPTURE(rest.err);
  REQUIRE(rest.code == 0);
  CHECK_FALSE(rest.says("stage 1"));
  CHECK(rest.says("stage 2 of 2 begins with step 5: 1 4\n"));
  CHECK(parameters("halves") == parameters("whole"));
  CHECK(call_kette({"train", "--out", path("halves"), "--resume", "--steps", "9", "--stages",
                    "1 0 until 5 steps", "1 4"})
            .says("expected stage 1 = 1 0 until 4 steps, as in the run that is resumed"));
}
