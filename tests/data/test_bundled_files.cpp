// The files of the bundled corpus: what is in them, and that they take no other text's place.
#include <doctest/doctest.h>

#include <filesystem>
#include <string>

#include "data/bundled/corpus.h"
#include "tensor/error.h"
#include "tests/support.h"

using namespace kette::bundled;
using namespace kette::testing;

TEST_CASE("bundled corpus: files hold one sentence a line") {
  const ScratchFolder folder;
  const Corpus small = generate(5, {3000, 5, 5});
  write(small, folder / "corpus");
  const std::string text = read_file(folder / "corpus" / "valid.de");
  std::string expected;
  for (const SentencePair& pair : small.valid) expected += pair.german + "\n";
  CHECK(text == expected);
  write_file(folder / "file", "");
  CHECK_THROWS_AS(write(small, folder / "file"), kette::Error);
}

TEST_CASE("bundled corpus: a text of another's stays, and then none is written") {
  const ScratchFolder folder;
  const std::filesystem::path corpus = folder / "corpus";
  const Corpus small = generate(5, {1500, 3, 3}), other = generate(5, {1500, 2, 2});
  std::filesystem::create_directory(corpus);
  write_file(corpus / "valid.de", "mine\n");
  write_file(corpus / "train.en", "");
  const std::string refused = message_of([&] { write(small, corpus); });
  CHECK(contains(refused, "valid.de: expected a new file or this corpus, given other text"));
  CHECK(contains(refused, "--force"));
  CHECK(entries_in(corpus) == 2);
  CHECK(read_file(corpus / "valid.de") == "mine\n");
  CHECK(read_file(corpus / "train.en").empty());

  std::filesystem::remove(corpus / "valid.de");
  write(small, corpus);  // over an empty file
  const auto files = files_in(corpus);
  CHECK(files.size() == 6);
  write(small, corpus);  // over itself
  CHECK(files_in(corpus) == files);
  CHECK_THROWS_AS(write(other, corpus), kette::Error);
  CHECK(files_in(corpus) == files);
  write(other, corpus, Replace::all);
  CHECK(files_in(corpus) != files);
}
