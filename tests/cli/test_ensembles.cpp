// Several models at once, as scripts ask for them.
#include <doctest/doctest.h>

#include <sstream>

#include "models/average.h"
#include "tests/cli/call_kette.h"

using namespace kette;
using namespace kette::testing;

TEST_CASE("ensembles: what translate finds, score and evaluate agree about") {
  const SmallModel& small = SmallModel::get();
  const ScratchFolder folder;
  const auto checkpoints = list_checkpoints(small.model());
  REQUIRE(checkpoints.size() == 2);
  const std::vector<std::string> models = {"--model",
                                           small.model(),
                                           "--checkpoint",
                                           checkpoints[0].string(),
                                           checkpoints[1].string(),
                                           "--threads",
                                           "1"};
  const Outcome found = call_kette(with(
      {"translate", "--input", small.file("valid.en"), "--n-best", "2", "--length-penalty", "none"},
      models));
  REQUIRE_MESSAGE(found.code == 0, found.err);
  CHECK(found.says(checkpoints[0].string()));
  CHECK(found.says(checkpoints[1].string()));

  // `line ||| text ||| score`, two of each line.
  std::string sources, targets, scores;
  std::istringstream lines(found.out), sentences(read_file(small.file("valid.en")));
  std::string line, sentence;
  for (int i = 0; std::getline(lines, line); ++i) {
    if (i % 2 == 0) std::getline(sentences, sentence);
    const std::size_t text = line.find(" ||| ") + 5, score = line.rfind(" ||| ");
    sources += sentence + "\n";
    targets += line.substr(text, score - text) + "\n";
    scores += line.substr(score + 5) + "\n";
  }
  write_file(folder / "src", sources);
  write_file(folder / "tgt", targets);
  const Outcome scored = call_kette(with(
      {"score", "--src", (folder / "src").string(), "--tgt", (folder / "tgt").string()}, models));
  CHECK_MESSAGE(scored.out == scores, scored.err);

  const Outcome evaluated = call_kette(
      with({"evaluate", "--src", small.file("valid.en"), "--ref", small.file("valid.de"), "--json"},
           models));
  CHECK(evaluated.code == 0);
  CHECK(evaluated.json().at("sentences") == 2);
}

TEST_CASE("ensembles: models of other tokens, and checkpoints of nothing, are refused") {
  const SmallModel& small = SmallModel::get();
  const Outcome trained = call_kette(
      train_arguments(small.folder(), "other-tokens", {"--vocab", "70", "--steps", "1"}));
  REQUIRE_MESSAGE(trained.code == 0, trained.err);
  const std::string other = small.file("other-tokens");
  RunOptions said;
  said.input = "a man\n";
  const Outcome mixed = run_kette({"translate", "--model", small.model(), other}, said);
  CHECK(mixed.code == 1);
  CHECK(mixed.says(other + ": expected the tokenizer of " + small.model()));

  const Outcome counted = call_kette(
      {"score", "--src", small.file("valid.en"), "--tgt", small.file("valid.de"), "--model",
       small.model(), small.model(), "--checkpoint", small.model() + "/model.safetensors"});
  CHECK(counted.code == 2);
  CHECK(counted.says("--checkpoint: expected one for each of 2 models, or none, given 1"));
}
