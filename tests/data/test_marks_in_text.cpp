// Marks that a text spells: counted as a search with std::string::find counts them, and told.
#include <doctest/doctest.h>

#include "data/corpora/tokenize_files.h"
#include "data/tokenizers/byte_tokenizer.h"
#include "data/tokenizers/gpt2_tokenizer.h"
#include "data/tokenizers/marks_in_text.h"
#include "data/tokenizers/sentencepiece_tokenizer.h"
#include "tests/data/tiny_text.h"
#include "tests/support.h"

namespace kette {
namespace {

using testing::ScratchFolder;
using testing::write_file;

SharedTokenizer small_gpt2() {
  return load_tokenizer(testing::source_folder() / "tests/fixtures/gpt2_tiny", "gpt2");
}

}  // namespace

TEST_CASE("marks: a search finds the first string, and of those at one place the longest") {
  const TextSearch search({"<|end|>", "<|end|>er", "b", "<"});
  const std::string text = "a<|end|>erb<|en<|end|>";
  std::vector<std::pair<std::size_t, std::string>> found;
  for (std::size_t at = 0; at < text.size();) {
    const auto [begin, string] = search.find(text, at);
    if (string == TokenTable::kNone) break;
    found.emplace_back(begin, search.string(string));
    at = begin + search.string(string).size();
  }
  CHECK(found == std::vector<std::pair<std::size_t, std::string>>{
                     {1, "<|end|>er"}, {10, "b"}, {11, "<"}, {15, "<|end|>"}});
  CHECK(search.find("none", 0).begin == 4);
  CHECK(TextSearch().find("text", 1).string == TokenTable::kNone);
}

TEST_CASE("marks: those of a vocabulary are what its ids without text are called") {
  CHECK(small_gpt2()->marks() == std::vector<std::string>{"<|endoftext|>"});
  CHECK(ByteTokenizer().marks().empty());
  SentencePieceOptions options;
  options.vocabulary = 80;
  options.languages = {"de"};
  options.mask = true;
  const auto text = testing::tiny_text();
  const auto lines = text.source_lines();
  const auto tokenizer = SentencePieceTokenizer::train(lines.views(), options);
  std::vector<std::string> marks = tokenizer->marks();
  std::sort(marks.begin(), marks.end());
  CHECK(marks == std::vector<std::string>{"</s>", "<2de>", "<pad>", "<s>", "<unk>", "[MASK]"});
}

TEST_CASE("marks: what a text spells is counted and told") {
  MarksInText marks(*small_gpt2(), {"</s>"});
  CHECK(marks.text().empty());
  marks.add("a<|endoftext|>b </s>");
  marks.add("<|endoftext|><|endoftext| >");
  CHECK(marks.text() == "'</s>' once, '<|endoftext|>' 2 times: read as text, and not as marks");
  MarksInText heeded(*small_gpt2(), {}, {"<|endoftext|>"});
  heeded.add("<|endoftext|>");
  CHECK(heeded.text().empty());
}

TEST_CASE("marks: of texts that become ids, with any tokenizer, and documents may end there") {
  const ScratchFolder folder;
  std::string text;
  for (int i = 0; i < 30; ++i) text += "the man sees it.\n<|endoftext|>\n";
  write_file(folder / "text", text);
  const auto tokenizer = small_gpt2();
  const auto report =
      tokenize_files({folder / "text"}, *tokenizer, DocumentKind::file, folder / "a");
  CHECK(report.documents == 1);
  CHECK(
      marks_note(report.marks) ==
      "the text has '<|endoftext|>' 30 times: read as text, and not as marks (--documents endoftext "
      "ends a document at each)");
  const auto split =
      tokenize_files({folder / "text"}, *tokenizer, DocumentKind::endoftext, folder / "b");
  CHECK(split.documents == 30);
  CHECK(marks_note(split.marks).empty());
  const auto ids = TokenFile::open(folder / "b").copy(0, split.tokens);
  std::vector<std::int32_t> expected;
  for (int i = 0; i < 30; ++i) {
    const auto one = tokenizer->encode("the man sees it.");
    expected.insert(expected.end(), one.begin(), one.end());
    expected.push_back(tokenizer->special().end);
  }
  CHECK(ids == expected);
  CHECK(!tokenize_files({folder / "text"}, ByteTokenizer(), DocumentKind::file, folder / "c")
             .marks.empty());
}

}  // namespace kette
