// `kette import` and `kette export` as scripts see them; that the models are the same ones is tested
// in tests/models.
#include <doctest/doctest.h>

#include "tests/cli/call_kette.h"

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
      call_kette({"import", "--from", fixture("marian"), "--out", model, "--json"});
  CAPTURE(imported.err);
  REQUIRE(imported.code == 0);
  CHECK(imported.says("Marian, 2 + 2 layers, width 24, vocabulary of "));
  CHECK(imported.json().at("out") == model);
  const Outcome full = call_kette({"translate", "--model", model, "--input", text, "--beam", "4",
                                   "--beam-kind", "full", "--n-best", "4"});
  CHECK(full.code == 0);
  CHECK(count_of(full.out, "\n") == 8);
  CHECK(full.out.find("1 ||| ") == 0);
  CHECK(call_kette({"score", "--model", model, "--src", text, "--tgt", text}).code == 0);
  const Outcome wrong = call_kette({"translate", "--model", model, "--beam-kind", "half"});
  CHECK(wrong.code == 2);
  CHECK(wrong.says("expected narrowing|full, given half"));

  const Outcome again = call_kette({"import", "--from", fixture("gpt2"), "--out", model});
  CHECK(again.code == 1);
  CHECK(again.says("model: expected a folder that is not there yet"));
  CHECK(call_kette({"export", "--model", model, "--out", fixture("gpt2")}).code == 1);
  CHECK(call_kette({"import", "--from", (folder / "none").string(), "--out", text + "2"})
            .says("none: expected a folder with a model, given no such folder"));
  CHECK(call_kette({"import", "--from", model, "--out", text + "2"})
            .says("config.json: expected the key \"model_type\""));
  CHECK(call_kette({"import", "--out", model}).code == 2);
  CHECK(!std::filesystem::exists(text + "2"));
}

TEST_CASE("cli: a model that went out and came back translates as it did") {
  const SmallModel& small = SmallModel::get();
  const ScratchFolder folder;
  const std::string theirs = (folder / "theirs").string(), ours = (folder / "ours").string();
  const Outcome exported = call_kette({"export", "--model", small.model(), "--out", theirs});
  CAPTURE(exported.err);
  REQUIRE(exported.code == 0);
  REQUIRE(call_kette({"import", "--from", theirs, "--out", ours}).code == 0);
  const auto translate = [&](const std::string& model) {
    return call_kette(
        {"translate", "--model", model, "--input", small.file("valid.en"), "--beam", "1"});
  };
  CHECK(translate(ours).code == 0);
  CHECK(translate(ours).out == translate(small.model()).out);
}

// transformers 5.24.0 reads such a folder's ">>de<< the fox" with one id for the tag: MarianTokenizer takes what stands between
// >> and << at the start off the text and looks it up in vocab.json.
TEST_CASE(
    "cli: a model of several languages goes out with tags as Marian has them, and comes back") {
  const SmallModel& small = SmallModel::get();
  const ScratchFolder folder;
  const std::string model = (folder / "model").string(), theirs = (folder / "theirs").string(),
                    ours = (folder / "ours").string();
  std::vector<std::string> arguments =
      train_arguments(small.folder(), "unused",
                      {"--src", small.file("train.de"), "--tgt", small.file("train.en"),
                       "--languages", "de", "en", "--no-validate-bleu", "--steps", "2"});
  *std::find(arguments.begin(), arguments.end(), (small.folder() / "unused").string()) = model;
  REQUIRE(call_kette(arguments).code == 0);
  const Outcome exported = call_kette({"export", "--model", model, "--out", theirs});
  CAPTURE(exported.err);
  REQUIRE(exported.code == 0);
  CHECK(exported.says("to de: transformers is asked for by \">>de<< \" before a text"));
  const auto vocabulary = JsonView::parse(read_file(folder / "theirs" / "vocab.json"));
  CHECK(vocabulary.contains(">>de<<"));
  CHECK(vocabulary.contains(">>en<<"));
  CHECK_FALSE(vocabulary.contains("<2de>"));
  REQUIRE(call_kette({"import", "--from", theirs, "--out", ours}).code == 0);
  const auto translate = [&](const std::string& from) {
    return call_kette({"translate", "--model", from, "--to", "de", "--input",
                       small.file("valid.en"), "--beam", "1", "--max-length", "8"});
  };
  CHECK(translate(model).code == 0);
  CHECK(translate(ours).out == translate(model).out);
}

TEST_CASE("cli: a language model is imported and exported") {
  const ScratchFolder folder;
  const std::string ours = (folder / "ours").string(), theirs = (folder / "theirs").string();
  const Outcome imported = call_kette({"import", "--from", fixture("gpt2"), "--out", ours});
  CAPTURE(imported.err);
  REQUIRE(imported.code == 0);
  CHECK(imported.says("GPT-2, 2 layers, width 24, vocabulary of 360, 18416 parameters"));
  CHECK(call_kette({"export", "--model", ours, "--out", theirs}).code == 0);
  CHECK(std::filesystem::exists(folder / "theirs" / "merges.txt"));
}

TEST_CASE("cli: what an import does not keep is told by name, and marks in texts are counted") {
  const ScratchFolder folder;
  const std::string ours = (folder / "ours").string(), theirs = (folder / "theirs").string();
  std::filesystem::copy(fixture("gpt2"), theirs);
  write_file(folder / "theirs" / "generation_config.json", R"({"repetition_penalty": 1.2})");
  const Outcome imported = call_kette({"import", "--from", theirs, "--out", ours, "--json"});
  REQUIRE(imported.code == 0);
  CHECK(imported.says("kette: generation_config.json: not kept: repetition_penalty 1.2"));
  CHECK(imported.json().at("notes").size() == 1);
  const Outcome text = call_kette({"generate", "--model", ours, "--prompt", "a<|endoftext|>b",
                                   "--max-tokens", "2", "--temperature", "0"});
  CHECK(text.code == 0);
  CHECK(text.says("kette: prompt: '<|endoftext|>' once: read as text, and not as marks"));
  write_file(folder / "text", "one\n<|endoftext|>\ntwo\n<|endoftext|>\n");
  const std::string tokens = (folder / "tokens").string();
  std::vector<std::string> tokenize = {
      "tokenize", "--text", (folder / "text").string(), "--tokenizer", theirs, "--out", tokens};
  const Outcome noted = call_kette(tokenize);
  CHECK(
      noted.says("'<|endoftext|>' 2 times: read as text, and not as marks (--documents endoftext"));
  const Outcome split = call_kette(with(tokenize, {"--documents", "endoftext"}));
  CHECK(contains(split.out, "in 2 documents"));
  CHECK_FALSE(split.says("read as text"));
}
