// scripts/diversify.sh: models of both directions translate the training text for another one.
#include <doctest/doctest.h>

#include "tests/cli/run_bash.h"

using namespace kette::testing;

TEST_CASE("diversify: a model of the text and its translations, made where it was stopped") {
  const ScratchFolder folder;
  write_small_corpus(folder.path());
  const auto path = [&](const std::string& name) { return "'" + (folder / name).string() + "'"; };
  const std::string command =
      "export KETTE='" + kette_binary() + "' OMP_NUM_THREADS=1; scripts/diversify.sh --src " +
      path("train.en") + " --tgt " + path("train.de") + " --valid-src " + path("valid.en") +
      " --valid-tgt " + path("valid.de") + " --out " + path("out") + " --mono-src " +
      path("valid.en") + " --mono-tgt " + path("valid.de") +
      " --rounds 2 -- --vocab 80 --encoder-layers 1 --decoder-layers 1 --width 16 --hidden 32 --heads 2"
      " --batch-tokens 200 --max-length 60 --quiet --steps 4 --threads 1 -- --steps 6";
  const Outcome made = run_bash(command);
  REQUIRE_MESSAGE(made.code == 0, made.out);
  const auto lines = [&](const std::string& name) {
    const std::string text = read_file(folder / name);
    return count_of(text, "\n");
  };
  for (const char* way : {"forward-1", "backward-1", "model"}) {
    CHECK(lines(std::string("out/") + way + ".txt") == 60);
    CHECK(lines(std::string("out/") + way + "-mono.txt") == lines("valid.en"));
  }
  const auto settings = [&](const std::string& name) {
    return read_file(folder / "out" / name / "config.toml");
  };
  CHECK(contains(settings("forward-1"), "steps = 4"));
  CHECK(contains(settings("backward-1"), "steps = 4"));
  for (const char* model : {"model", "model-2"}) {
    CHECK(contains(settings(model), "steps = 6"));
    for (const char* text :
         {"forward-1.txt\"", "backward-1.txt\"", "forward-1-mono.txt\"", "backward-1-mono.txt\""}) {
      CHECK(contains(settings(model), text));
    }
  }
  for (const char* text : {"/model.txt\"", "/model-mono.txt\""}) {
    CHECK_FALSE(contains(settings("model"), text));
    CHECK(contains(settings("model-2"), text));
  }

  const auto written = [&] {
    return std::filesystem::last_write_time(folder / "out/model/model.safetensors");
  };
  const auto before = written();
  std::filesystem::remove(folder / "out/backward-1.txt");  // as if stopped before it was whole
  const Outcome again = run_bash(command);
  CHECK(again.code == 0);
  const auto begins = [&](const std::string& part) { return contains(again.out, "== " + part); };
  CHECK(begins("backward-1 translates"));
  CHECK_FALSE(begins("forward-1 translates"));
  CHECK_FALSE(begins("model translates"));
  CHECK(written() == before);

  // Other settings, and another text: nothing is taken for what it is not.
  const Outcome changed = run_bash(command + " --lr 0.5");
  CHECK(changed.code == 1);
  CHECK(contains(changed.out, "given 0.5"));
  write_file(folder / "valid.de", read_file(folder / "valid.de") + "das kind mag musik .\n");
  const Outcome other = run_bash(command);
  CHECK(other.code == 1);
  CHECK(written() == before);
}

TEST_CASE("diversify: what is missing is named") {
  CHECK(run_bash("scripts/diversify.sh --src a").out ==
        "diversify.sh: expected --tgt, given none\n");
  const Outcome odd = run_bash("scripts/diversify.sh --modles 3");
  CHECK(odd.code == 2);
  CHECK(contains(odd.out, "given --modles"));
  CHECK(contains(
      run_bash(
          "scripts/diversify.sh --models 0 --src a --tgt a --valid-src a --valid-tgt a --out a")
          .out,
      "expected a number of models of at least 1, given \"0\""));
  CHECK(contains(
      run_bash(
          "scripts/diversify.sh --rounds x --src a --tgt a --valid-src a --valid-tgt a --out a")
          .out,
      "expected a number of rounds of at least 1, given \"x\""));
}
