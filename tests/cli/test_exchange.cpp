// `kette import` and `kette export` as scripts see them; that the models are the same ones is tested
// in tests/models.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/run_kette.h"

using namespace kette::testing;

namespace {

std::string fixture(const std::string& name) {
  return source_folder().string() + "/tests/fixtures/hugging_face/" + name;
}

}  // namespace

TEST_CASE("cli: an imported translation model translates, scores and is not written over") {
  const ScratchFolder folder;
  const std::string model = (folder / "model").string(), text = (folder / "text").string();
  write_file(folder / "text", "A man in a blue\nTwo young people\n");
  const Outcome imported =
      run_kette({"import", "--from", fixture("marian"), "--out", model, "--json"});
  CAPTURE(imported.err);
  REQUIRE(imported.code == 0);
  CHECK(imported.says("Marian, 2 + 2 layers, width 24, vocabulary of "));
  CHECK(nlohmann::json::parse(imported.last_line()).at("out") == model);
  const Outcome full = run_kette({"translate", "--model", model, "--input", text, "--beam", "4",
                                  "--beam-kind", "full", "--n-best", "4"});
  CHECK(full.code == 0);
  CHECK(std::count(full.out.begin(), full.out.end(), '\n') == 8);
  CHECK(full.out.find("1 ||| ") == 0);
  CHECK(run_kette({"score", "--model", model, "--src", text, "--tgt", text}).code == 0);
  const Outcome wrong = run_kette({"translate", "--model", model, "--beam-kind", "half"});
  CHECK(wrong.code == 2);
  CHECK(wrong.says("expected narrowing|full, given half"));

  const Outcome again = run_kette({"import", "--from", fixture("gpt2"), "--out", model});
  CHECK(again.code == 1);
  CHECK(again.says("model: expected a folder that is not there yet"));
  CHECK(run_kette({"export", "--model", model, "--out", fixture("gpt2")}).code == 1);
  CHECK(run_kette({"import", "--from", (folder / "none").string(), "--out", text + "2"})
            .says("none: expected a folder with a model, given no such folder"));
  CHECK(run_kette({"import", "--from", model, "--out", text + "2"})
            .says("config.json: expected the key \"model_type\""));
  CHECK(run_kette({"import", "--out", model}).code == 2);
  CHECK(!std::filesystem::exists(text + "2"));
}

TEST_CASE("cli: a model that went out and came back translates as it did") {
  const SmallModel& small = SmallModel::get();
  const ScratchFolder folder;
  const std::string theirs = (folder / "theirs").string(), ours = (folder / "ours").string();
  const Outcome exported = run_kette({"export", "--model", small.model(), "--out", theirs});
  CAPTURE(exported.err);
  REQUIRE(exported.code == 0);
  REQUIRE(run_kette({"import", "--from", theirs, "--out", ours}).code == 0);
  const auto translate = [&](const std::string& model) {
    return run_kette(
        {"translate", "--model", model, "--input", small.file("valid.en"), "--beam", "1"});
  };
  CHECK(translate(ours).code == 0);
  CHECK(translate(ours).out == translate(small.model()).out);
}

TEST_CASE("cli: a language model is imported and exported") {
  const ScratchFolder folder;
  const std::string ours = (folder / "ours").string(), theirs = (folder / "theirs").string();
  const Outcome imported = run_kette({"import", "--from", fixture("gpt2"), "--out", ours});
  CAPTURE(imported.err);
  REQUIRE(imported.code == 0);
  CHECK(imported.says("GPT-2, 2 layers, width 24, vocabulary of 360, 18416 parameters"));
  CHECK(run_kette({"export", "--model", ours, "--out", theirs}).code == 0);
  CHECK(std::filesystem::exists(folder / "theirs" / "merges.txt"));
}
