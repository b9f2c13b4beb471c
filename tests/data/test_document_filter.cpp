// Of texts in one language, documents that are odd are left out, and nothing else is, whoever made which shard.
#include <doctest/doctest.h>

#include <map>

#include "data/corpora/prepared_tokens.h"
#include "data/corpora/tokenize_files.h"
#include "data/tokenizers/byte_tokenizer.h"
#include "tests/data/tiny_text.h"
#include "tests/support.h"

namespace kette {
namespace {

namespace fs = std::filesystem;
using testing::contains;
using testing::message_of;
using testing::write_file;
using Ids = std::vector<std::int32_t>;

struct DocumentFilterFixture {
  DocumentFilterFixture() {
    fs::create_directory(folder);
    options.documents = DocumentKind::line;
    options.bytes_a_shard = 900;
  }

  PreparedTokens make() const { return prepare_tokens(folder, {text}, tokenizer, options); }
  LeftOutDocuments make_and_report() const {
    const PreparedTokens prepared = make();
    prepared.save(folder);
    return left_out_documents(folder, prepared.texts.back());
  }
  void start_again() const {
    fs::remove_all(folder);
    fs::create_directory(folder);
  }
  Ids read() const {
    const TokenStream stream = prepared_tokens(folder, tokenizer);
    return stream.copy(0, stream.size());
  }
  /// Of a text as it would be without a filter.
  Ids ids_of(const std::string& other) const {
    write_file(scratch / "other.en", other);
    tokenize_files({scratch / "other.en"}, tokenizer, options.documents, scratch / "ids");
    const TokenFile file = TokenFile::open(scratch / "ids");
    return file.copy(0, file.size());
  }
  std::map<std::string, std::string> files() const { return testing::files_in(folder); }

  testing::ScratchFolder scratch;
  fs::path folder = scratch / "tokens", text = scratch / "text.en";
  ByteTokenizer tokenizer;
  PrepareTokensOptions options;
};

std::string sentence(int number) {
  return "This is sentence " + std::to_string(number) + " of the text, and it is in English.\n";
}

TEST_CASE_FIXTURE(DocumentFilterFixture,
                  "document filter: odd lines are left out, and nothing else is") {
  std::string all, kept;
  for (int i = 0; i < 100; ++i) {
    all += sentence(i);
    kept += sentence(i);
    if (i % 10 == 0) all += sentence(i / 2);  // which came before
    if (i == 33) all += "Das ist ein Satz, und er ist nicht auf Englisch.\n";
    if (i == 44) all += "This one has <b>a tag</b> in it.\n";
    if (i == 55) all += "This one is br\xF6ken.\n";
    if (i == 66) all += "12 + 13 = 25; 26 + 27 = 53\n";
  }
  write_file(text, all);
  options.odd = {Oddity::duplicate, Oddity::other_language, Oddity::markup, Oddity::encoding,
                 Oddity::few_letters};
  const LeftOutDocuments left_out = make_and_report();
  CHECK(read() == ids_of(kept));
  CHECK(left_out.documents == 114);
  REQUIRE(left_out.odd.size() == 5);
  const std::vector<std::int64_t> counts = {10, 1, 1, 1, 1};
  for (std::size_t i = 0; i < counts.size(); ++i) CHECK(left_out.odd[i].pairs == counts[i]);
  CHECK(left_out.odd[0].samples.size() == 10);
  CHECK(left_out.odd[0].samples[1].line == 13);
  CHECK(left_out.odd[0].samples[1].note == "as document 7");
  CHECK(left_out.odd[3].samples[0].source == "This one is br\xEF\xBF\xBDken.");

  const auto whole = files();
  CHECK(whole.size() > 5);
  fs::remove(folder / "tokens.json");
  fs::remove(folder / "text-1-00002.tokens");
  fs::remove(folder / "text-1-00004.tokens");
  make().save(folder);
  CHECK(files() == whole);
  start_again();
  options.shards.processes = 3;
  for (options.shards.process = 0; options.shards.process < 3; ++options.shards.process) {
    const PreparedTokens prepared = make();
    if (options.shards.process == 2) prepared.save(folder);
  }
  CHECK(files() == whole);
  options.shards = {};

  // A shard of which nothing stays is a shard.
  start_again();
  std::string again;
  for (int i = 0; i < 60; ++i) again += sentence(i % 20);
  write_file(text, again + sentence(99));
  CHECK(make_and_report().odd[0].pairs == 40);
  CHECK(std::ssize(read()) == std::ssize(ids_of(again.substr(0, again.size() / 3) + sentence(99))));

  start_again();
  write_file(text, "1 2 3\n4 5 6\n");
  options.odd = {Oddity::few_letters};
  CHECK(contains(message_of([&] { make(); }), "given only such as the filter leaves out"));
  options.odd = {Oddity::swapped};
  CHECK(contains(message_of([&] { make(); }),
                 "expected what a text in one language can have (duplicate, other-language"));
  options.odd = {Oddity::other_language};
  fs::rename(text, scratch / "text.xx");
  text = scratch / "text.xx";
  CHECK(contains(message_of([&] { make(); }), "expected text in English, German or French"));
}

TEST_CASE_FIXTURE(DocumentFilterFixture, "document filter: each file has its own language") {
  const auto german = [](int number) {
    return "Das ist Satz " + std::to_string(number) + ", und er ist auf Deutsch.\n";
  };
  const std::string english = sentence(0) + sentence(1) + sentence(2);
  options.odd = {Oddity::duplicate, Oddity::other_language};
  const auto left_out_of = [&](const std::vector<std::string>& names) {
    std::vector<fs::path> files;
    for (const std::string& name : names) files.push_back(scratch / name);
    start_again();
    const PreparedTokens prepared = prepare_tokens(folder, files, tokenizer, options);
    prepared.save(folder);
    return left_out_documents(folder, prepared.texts.back()).odd;
  };
  for (const std::vector<std::string>& names :
       {std::vector<std::string>{"a.en", "a.de"}, std::vector<std::string>{"a.txt", "b.txt"}}) {
    write_file(scratch / names[0], english);
    write_file(scratch / names[1], german(0) + german(1) + german(1) + sentence(1));
    const std::vector<OddPairs> odd = left_out_of(names);
    CHECK(odd[0].pairs == 2);
    CHECK(odd[0].samples[0].note == "as document 2");
    CHECK(odd[0].samples[1].note == "as " + (scratch / names[0]).string() + ":2");
    CHECK(odd[1].pairs == 0);
    write_file(scratch / names[1], german(0) + german(1) + sentence(3));
    CHECK(left_out_of(names)[1].pairs == 1);
  }
  // Of documents that are files each, it is that of most.
  options.documents = DocumentKind::file;
  write_file(scratch / "a.txt", english);
  write_file(scratch / "b.txt", german(0));
  write_file(scratch / "c.txt", sentence(3));
  CHECK(left_out_of({"a.txt", "b.txt", "c.txt"})[1].pairs == 1);
}

TEST_CASE_FIXTURE(DocumentFilterFixture,
                  "document filter: a document is judged as a whole, a long one by its start") {
  options.documents = DocumentKind::paragraph;
  options.odd = {Oddity::duplicate, Oddity::other_language};
  const auto german = [](int lines) {
    std::string lines_of;
    for (int i = 0; i < lines; ++i)
      lines_of += "Das ist Satz " + std::to_string(i) + ", und er ist auf Deutsch.\n";
    return lines_of + "\n";
  };
  const auto english = [](int begin, int lines) {
    std::string lines_of;
    for (int i = begin; i < begin + lines; ++i) lines_of += sentence(i);
    return lines_of + "\n";
  };
  const std::string kept =
      english(0, 4).substr(0, english(0, 4).size() - 1) + german(1) + english(10, 20000);
  const std::string odd = german(20000) + english(10, 20000) + german(3);
  write_file(text, kept + odd + english(50000, 2));
  options.bytes_a_shard = 100'000;  // less than a document has
  const LeftOutDocuments left_out = make_and_report();
  CHECK(left_out.odd[0].pairs == 1);
  CHECK(left_out.odd[1].pairs == 2);
  CHECK(read() == ids_of(kept + english(50000, 2)));
  const auto whole = files();
  // What a shard in the midst of a document must know of its start.
  for (const char* name : {"text-1-00003.tokens", "text-1-00008.tokens", "text-1-00010.tokens"}) {
    REQUIRE(fs::remove(folder / name));
    make().save(folder);
    CHECK(files() == whole);
  }
}

TEST_CASE_FIXTURE(DocumentFilterFixture,
                  "document filter: marks are those of the text, whatever was passed over") {
  std::string all;
  for (int i = 0; i < 60; ++i) {
    all += "</p> " + std::to_string(i) + " <|endoftext|> " + sentence(i);
    all += "<|endoftext|> " + sentence(i);
  }
  write_file(text, all);
  options.odd = {Oddity::markup};
  make_and_report();
  const auto whole = files();
  CHECK(contains(PreparedTokens::of(folder).texts[0].marks, "'<|endoftext|>' 120 times"));
  fs::remove(folder / "tokens.json");
  fs::remove(folder / "text-1-00003.tokens");
  make_and_report();
  CHECK(files() == whole);
}

}  // namespace
}  // namespace kette
