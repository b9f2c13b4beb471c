// BERT's tokenizer against that of transformers (tests/fixtures/make_bert_golden.py), and what it says
// of files that are none of its own.
#include <doctest/doctest.h>

#include "data/tokenizers/wordpiece_tokenizer.h"
#include "tensor/error.h"
#include "tests/data/tiny_text.h"
#include "tests/json_view.h"
#include "tests/support.h"

namespace kette {
namespace {

using Ids = std::vector<std::int32_t>;
using testing::contains;
using testing::message_of;
using testing::write_file;

const std::filesystem::path kFixtures =
    testing::source_folder() / "tests" / "fixtures" / "hugging_face";

/// A folder with a vocabulary and settings.
std::string load_error(const std::string& vocabulary, const std::string& settings = "{}") {
  const testing::ScratchFolder folder;
  write_file(folder / "vocab.txt", vocabulary);
  write_file(folder / "tokenizer_config.json", settings);
  const std::string message = message_of([&] { WordPieceTokenizer::load(folder.path()); });
  const std::string path = (folder / "").string();
  return message.starts_with(path) ? message.substr(path.size()) : message;
}

TEST_CASE("WordPiece: the ids of transformers, with and without case, accents and Chinese blanks") {
  const testing::JsonView golden =
      testing::JsonView::parse(testing::read_file(kFixtures / "bert_golden.json"));
  const std::string vocabulary = testing::read_file(kFixtures / "bert" / "vocab.txt");
  const std::pair<const char*, const char*> kinds[] = {
      {"uncased", R"({"do_lower_case": true})"},
      {"cased", R"({"do_lower_case": false, "strip_accents": null})"},
      {"lower", R"({"strip_accents": false})"},
      {"plain", R"({"do_lower_case": false, "tokenize_chinese_chars": false})"}};
  for (const auto& [name, settings] : kinds) {
    const std::string kind = name;  // clang 14 does not capture what a binding names
    const testing::ScratchFolder folder;
    write_file(folder / "vocab.txt", vocabulary);
    write_file(folder / "tokenizer_config.json", settings);
    const SharedTokenizer tokenizer = load_tokenizer(folder.path());
    CHECK(tokenizer->kind() == "wordpiece");
    CAPTURE(kind);
    for (const testing::JsonView& expected : golden.at("tokens")) {
      const auto text = expected.at("text").text();
      CAPTURE(text);
      CHECK(tokenizer->encode(text) == expected.at(kind).get<Ids>());
    }
    // As a model directory keeps it.
    const testing::ScratchFolder copy;
    tokenizer->save(copy.path());
    const SharedTokenizer again = load_tokenizer(copy.path(), "wordpiece");
    CHECK(again->fingerprint() == tokenizer->fingerprint());
    CHECK(again->encode("Über naïve 中") == tokenizer->encode("Über naïve 中"));
  }
}

TEST_CASE("WordPiece: marks, masks, and words back from their pieces") {
  const testing::ScratchFolder folder;
  write_file(folder / "vocab.txt", "[UNK]\n[CLS]\n[SEP]\nwalk\n##ing\n##er\n,\n[MASK]\n");
  const SharedTokenizer tokenizer = load_tokenizer(folder.path());
  CHECK(tokenizer->special() == SpecialTokens{-1, 0, 1, 2});
  CHECK(tokenizer->mask() == 7);
  CHECK(tokenizer->piece(4) == "##ing");
  const Ids ids = tokenizer->encode("Walking, WALKER run");
  CHECK(ids == Ids{3, 4, 6, 3, 5, 0});
  CHECK(tokenizer->decode(ids) == "walking , walker [UNK]");
  CHECK(tokenizer->decode(Ids{1, 3, 7, 4, 2}) == "walking");
  CHECK(contains(message_of([&] { tokenizer->encode("a\xFF"); }), "at byte offset 1"));
  CHECK_THROWS_AS(tokenizer->decode(Ids{8}), Error);
}

TEST_CASE("WordPiece: damaged files are errors with file and line") {
  CHECK(load_error("[UNK]\n[CLS]\n[SEP]\na\n").empty());
  // Equal lines and empty ones keep their numbers, as with transformers.
  CHECK(load_error("[UNK]\n[CLS]\n[SEP]\na\nb\n\na\n").empty());
  CHECK(contains(load_error("[CLS]\n[SEP]\na\n"), "vocab.txt: expected the piece [UNK], given 3"));
  CHECK(contains(load_error(""), "vocab.txt"));
  CHECK(contains(load_error("[UNK]\n[CLS]\n\xFF\n"), "vocab.txt:3"));
  const std::string good = "[UNK]\n[CLS]\n[SEP]\na\n";
  CHECK(contains(
      load_error(good, R"({"do_lower_case": "no"})"),
      "tokenizer_config.json: expected true or false for \"do_lower_case\", given \"no\""));
  CHECK(contains(load_error(good, "[1"), "tokenizer_config.json"));
}

}  // namespace
}  // namespace kette
