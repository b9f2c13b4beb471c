// What `kette tokenize` makes of a folder that has something already, and what a model learns that its texts are like.
#include <doctest/doctest.h>

#include "data/files/json_text.h"
#include "tests/cli/call_kette.h"

using namespace kette::testing;

TEST_CASE("cli: what a model's text is like is told of all its texts, however they were prepared") {
  const ScratchFolder folder;
  write_small_corpus(folder.path());
  const auto path = [&](const std::string& name) { return (folder / name).string(); };
  std::string english, german;
  for (int i = 0; i < 20; ++i) {
    english += "He sees the dog. It is here.\n";
    german += "Er sieht den Hund. Es ist da.\n";
  }
  write_file(folder / "doc.en", english);
  write_file(folder / "doc.de", german);
  const auto run = [&](const std::vector<std::string>& arguments) {
    const Outcome outcome = call_kette(arguments);
    CAPTURE(outcome.err);
    CHECK(outcome.code == 0);
  };
  const auto prepare = [&](const std::string& name, const std::string& out,
                           const std::vector<std::string>& more) {
    run(with({"tokenize", "--quiet", "--src", path(name + ".en"), "--tgt", path(name + ".de"),
              "--out", path(out)},
             more));
  };
  const auto facts_of_model = [&](const std::string& name, const std::vector<std::string>& texts) {
    const auto arguments = without(train_arguments(folder.path(), name, {"--steps", "1"}),
                                   {"--src", "--tgt", "--vocab", "--max-length"});
    run(with(arguments, texts));
    return read_file(folder / name / "text.json");
  };
  const std::vector<std::string> of_both = {"--src", path("doc.en"), path("train.en"),
                                            "--tgt", path("doc.de"), path("train.de")};
  run(with({"tokenize", "--quiet", "--vocab", "90", "--out", path("both-texts")}, of_both));
  const std::vector<std::string> known = {"--tokenizer", path("both-texts/tokenizer.model")};
  prepare("doc", "pairs", known);
  prepare("train", "more", known);
  const std::vector<std::string> texts = with(of_both, known);
  const std::string facts = facts_of_model("of-texts", texts);
  CHECK(facts_of_model("of-two", {"--pairs", path("pairs"), path("more")}) == facts);
  CHECK(facts != read_file(folder / "pairs" / "text.json"));
  const std::string both = facts_of_model("both", with(texts, {"--both-directions"}));
  CHECK(both != facts);
  prepare("train", "pairs", {"--append"});
  CHECK(read_file(folder / "pairs" / "text.json") == facts);
  CHECK(facts_of_model("of-one", {"--pairs", path("pairs")}) == facts);
  CHECK(facts_of_model("both-of-one", {"--pairs", path("pairs"), "--both-directions"}) == both);

  // An earlier version kept nothing of each text.
  auto list = kette::parse_json(read_file(folder / "more" / "pairs.json"), "pairs.json");
  list["texts"][0].erase("counts");
  write_file(folder / "more" / "pairs.json", list.dump(2) + "\n");
  CHECK(facts_of_model("of-old", {"--pairs", path("more")}) ==
        read_file(folder / "more" / "text.json"));
  auto old_and_new = with(without(train_arguments(folder.path(), "old-and-new", {"--steps", "1"}),
                                  {"--src", "--tgt", "--vocab", "--max-length"}),
                          {"--pairs", path("more"), path("pairs")});
  std::erase(old_and_new, "--quiet");
  CHECK(call_kette(old_and_new).says("pairs.json: expected what each text is like"));
  CHECK_FALSE(std::filesystem::exists(folder / "old-and-new" / "text.json"));
  prepare("doc", "more", {"--append"});
  CHECK_FALSE(std::filesystem::exists(folder / "more" / "text.json"));
}

TEST_CASE("cli: tokenize takes no vocabulary that a failed command has left of other texts") {
  const ScratchFolder folder;
  write_small_corpus(folder.path());
  const auto file = [&](const std::string& name) { return (folder / name).string(); };
  std::string other;
  for (int i = 0; i < 60; ++i) other += std::string(1, static_cast<char>('a' + i % 26)) + "xyz q\n";
  write_file(file("other"), other);
  write_file(file("short"), other.substr(other.find('\n') + 1));
  const auto prepare = [&](const std::vector<std::string>& texts, const std::string& out) {
    return call_kette(with({"tokenize", "--quiet", "--out", file(out)}, texts)).code;
  };
  const auto vocabulary_in = [&](const std::string& out) {
    return read_file(folder / out / "tokenizer.model");
  };
  CHECK(prepare({"--src", file("other"), "--tgt", file("short"), "--vocab", "60"}, "pairs") == 1);
  const std::string of_others = vocabulary_in("pairs");
  for (const char* out : {"pairs", "new-pairs"}) {
    CHECK(prepare({"--src", file("train.en"), "--tgt", file("train.de"), "--vocab", "60"}, out) ==
          0);
  }
  CHECK(vocabulary_in("pairs") == vocabulary_in("new-pairs"));
  CHECK(vocabulary_in("pairs") != of_others);

  CHECK(prepare({"--text", file("other"), "--vocab", "300"}, "text") == 0);
  for (const char* made : {"tokens.json", "text-1-00001.tokens"}) {
    REQUIRE(std::filesystem::remove(folder / "text" / made));  // as if it had been killed before
  }
  write_file(folder / "text" / ".tokenizer-unfinished", "");
  for (const char* out : {"text", "new-text"}) {
    CHECK(prepare({"--text", file("train.en"), "--vocab", "300"}, out) == 0);
  }
  CHECK(vocabulary_in("text") == vocabulary_in("new-text"));
}

TEST_CASE("cli: tokenize replaces no tokenizer that another has put into its folder") {
  const ScratchFolder folder;
  write_small_corpus(folder.path());
  const auto path = [&](const std::string& name) { return (folder / name).string(); };
  const auto prepare = [&](const std::string& out, const std::vector<std::string>& more) {
    return call_kette(with({"tokenize", "--quiet", "--src", path("train.en"), "--tgt",
                            path("train.de"), "--out", path(out)},
                           more));
  };
  REQUIRE(prepare("pairs", {"--vocab", "80"}).code == 0);
  REQUIRE(prepare("others", {"--vocab", "90"}).code == 0);
  CHECK_FALSE(std::filesystem::exists(folder / "pairs" / ".tokenizer-unfinished"));
  std::filesystem::create_directory(folder / "own");
  std::filesystem::copy_file(folder / "pairs" / "tokenizer.model",
                             folder / "own" / "tokenizer.model");
  const std::string own = read_file(folder / "own" / "tokenizer.model");
  for (const std::vector<std::string>& more :
       std::vector<std::vector<std::string>>{{}, {"--vocab", "90"}, {"--vocab", "80"}}) {
    const Outcome refused = prepare("own", more);
    CHECK(refused.code == 1);
    CHECK(refused.says("given one with a tokenizer.model that no kette tokenize has left there"));
  }
  // Nor for one that is given.
  for (const char* out : {"own", "pairs"}) {
    const Outcome refused = prepare(out, {"--tokenizer", path("others/tokenizer.model")});
    CHECK(refused.code == 1);
    CHECK(refused.says("given one with another tokenizer.model (choose another --out)"));
    CHECK(read_file(folder / out / "tokenizer.model") == own);
  }
  CHECK(prepare("own", {"--tokenizer", path("own")}).code == 0);
  CHECK(read_file(folder / "own" / "tokenizer.model") == own);
}
