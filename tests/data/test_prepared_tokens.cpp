// A folder of texts: what is trained on is what one file of their ids has, whatever ended the preparation, and whoever made
// which part.
#include <doctest/doctest.h>

#include <map>

#include "data/corpora/prepared_pairs.h"
#include "data/corpora/prepared_tokens.h"
#include "data/corpora/tokenize_files.h"
#include "data/tokenizers/byte_tokenizer.h"
#include "data/tokenizers/character_tokenizer.h"
#include "tests/data/tiny_text.h"
#include "tests/support.h"

namespace kette {
namespace {

namespace fs = std::filesystem;
using testing::contains;
using testing::message_of;
using testing::write_file;

struct PreparedTokensFixture {
  PreparedTokensFixture() {
    std::string text;
    for (int i = 0; i < 105; ++i) text += "line " + std::to_string(i * i) + "\n";
    write_file(scratch / "a", text);
    write_file(scratch / "b", "another\n\n text\n");
    write_file(scratch / "c", "added\nlater\n");
    options.documents = DocumentKind::line;
    options.bytes_a_shard = 100;
    fs::create_directory(folder);
  }

  PreparedTokens make(const std::vector<fs::path>& files) const {
    return prepare_tokens(folder, files, tokenizer, options);
  }
  void make_and_save(const std::vector<fs::path>& files) const { make(files).save(folder); }
  /// The ids of one file of them.
  std::vector<std::int32_t> ids_of(const std::vector<fs::path>& files) const {
    tokenize_files(files, tokenizer, options.documents, scratch / "one");
    const TokenFile file = TokenFile::open(scratch / "one");
    return file.copy(0, file.size());
  }
  std::vector<std::int32_t> read() const {
    const TokenStream text = prepared_tokens(folder, tokenizer);
    return text.copy(0, text.size());
  }
  /// Their content, by name.
  std::map<std::string, std::string> files() const { return testing::files_in(folder); }

  testing::ScratchFolder scratch;
  fs::path folder = scratch / "tokens";
  std::vector<fs::path> both{scratch / "a", scratch / "b"};
  ByteTokenizer tokenizer;
  PrepareTokensOptions options;
};

TEST_CASE_FIXTURE(PreparedTokensFixture,
                  "prepared tokens: the ids of one file, cut where documents end") {
  for (const std::string& name_of_kind : all_names<DocumentKind>()) {
    CAPTURE(name_of_kind);
    const auto kind = enum_named<DocumentKind>(name_of_kind);
    fs::remove_all(folder);
    fs::create_directory(folder);
    options.documents = kind;
    make_and_save(both);
    CHECK(read() == ids_of(both));
    const PreparedTokens list = PreparedTokens::of(folder);
    CHECK(list.documents == kind);
    REQUIRE(list.texts.size() == 1);
    CHECK(list.texts[0].files == std::vector<std::string>{both[0].string(), both[1].string()});
    const TokenFileInfo one = TokenFile::open(scratch / "one").info(),
                        shards = prepared_tokens(folder, tokenizer).info();
    CHECK(shards.documents == one.documents);
    CHECK(shards.bytes == one.bytes);
    if (kind != DocumentKind::line) continue;
    CHECK(list.texts[0].shards.size() == 9);
    for (const std::string& name : list.texts[0].shards) {
      const TokenFile shard = TokenFile::open(folder / name);
      CHECK(shard.copy(shard.size() - 1, 1).front() == tokenizer.special().end);
      if (name != list.texts[0].shards.back()) CHECK(shard.info().bytes >= 100);
      CHECK(shard.info().bytes < 100 + 12);
    }
  }
}

TEST_CASE_FIXTURE(PreparedTokensFixture,
                  "prepared tokens: a long document is cut where a piece ends") {
  std::string text;
  while (text.size() < 3'000'000) text += "some words of one document\n";
  write_file(scratch / "long", text);
  options.documents = DocumentKind::file;
  options.bytes_a_shard = 1'000'000;
  make_and_save({scratch / "long"});
  CHECK(PreparedTokens::of(folder).texts[0].shards.size() == 3);
  CHECK(read() == ids_of({scratch / "long"}));
  // One that ends within an eighth is not.
  text.resize(560'000);
  write_file(scratch / "several", text + "\n\n" + text + "\n\n" + text);
  fs::remove_all(folder);
  fs::create_directory(folder);
  options.documents = DocumentKind::paragraph;
  options.bytes_a_shard = 500'000;
  make_and_save({scratch / "several"});
  const std::vector<std::string> shards = PreparedTokens::of(folder).texts[0].shards;
  CHECK(shards.size() == 3);
  for (const std::string& name : shards)
    CHECK(TokenFile::open(folder / name).info().documents == 1);
}

TEST_CASE_FIXTURE(PreparedTokensFixture,
                  "prepared tokens: what was ended goes on, and what is damaged is made again") {
  make_and_save(both);
  const auto whole = files();
  REQUIRE(whole.size() == 10);
  fs::remove(folder / "tokens.json");
  fs::remove(folder / "text-1-00002.tokens");
  fs::remove(folder / "text-1-00009.tokens");
  std::string damaged = whole.at("text-1-00003.tokens");
  damaged[4100] ^= 8;
  write_file(folder / "text-1-00003.tokens", damaged);
  const auto before = fs::last_write_time(folder / "text-1-00001.tokens");
  make_and_save(both);
  CHECK(files() == whole);
  CHECK(fs::last_write_time(folder / "text-1-00001.tokens") == before);

  write_file(folder / "text-1-00003.tokens", damaged);
  CHECK(contains(message_of([&] { read(); }), "text-1-00003.tokens: expected bytes 0 to"));
  // Another shard of a name is one of another text.
  fs::copy_file(folder / "text-1-00001.tokens", folder / "text-1-00002.tokens",
                fs::copy_options::overwrite_existing);
  make_and_save(both);
  CHECK(files() == whole);
  // So is one of shards of another size.
  options.bytes_a_shard = 200;
  make_and_save(both);
  CHECK(read() == ids_of(both));
  CHECK(PreparedTokens::of(folder).texts[0].shards.size() == 5);
}

TEST_CASE_FIXTURE(PreparedTokensFixture,
                  "prepared tokens: of several processes each makes its shards") {
  make_and_save(both);
  const auto whole = files();
  fs::remove_all(folder);
  fs::create_directory(folder);
  options.shards.processes = 3;
  std::size_t made = 0;
  for (options.shards.process = 0; options.shards.process < 3; ++options.shards.process) {
    const PreparedTokens prepared = make(both);
    CHECK(files().size() == made + 3);
    made = files().size();
    if (options.shards.process == 2) prepared.save(folder);
  }
  CHECK(files() == whole);
}

TEST_CASE_FIXTURE(PreparedTokensFixture,
                  "prepared tokens: texts are added, and no others take their place") {
  make_and_save(both);
  const auto before = files();
  CHECK(contains(message_of([&] { make({scratch / "c"}); }),
                 "expected the 1 texts that its tokens are of, given others (--append"));
  options.shards.appends = true;
  make_and_save({scratch / "c"});
  CHECK(read() == ids_of({scratch / "a", scratch / "b", scratch / "c"}));
  CHECK(files().at("text-1-00001.tokens") == before.at("text-1-00001.tokens"));
  const auto all = files();
  make_and_save({scratch / "c"});  // as if it had not been known to be done
  CHECK(files() == all);
  options.odd = {Oddity::duplicate};
  CHECK(contains(
      message_of([&] { make({scratch / "c"}); }),
      "expected no filter \"duplicate\" beside --append, which does not look at the tokens"));
  options.odd.clear();
  options.documents = DocumentKind::file;
  CHECK(contains(message_of([&] { make({scratch / "c"}); }),
                 "expected the documents of the texts that it has, line, given file"));
  options.documents = DocumentKind::line;
  const auto other = CharacterTokenizer::from_text("adet lr", "text");
  CHECK(contains(message_of([&] { prepare_tokens(folder, {scratch / "c"}, *other, options); }),
                 "expected the tokenizer that its tokens are of, byte"));
  CHECK(contains(message_of([&] { prepared_tokens(folder, *other); }),
                 "expected tokens of the tokenizer character"));
}

TEST_CASE_FIXTURE(PreparedTokensFixture,
                  "prepared tokens: what is no text, or no such folder, is told") {
  CHECK(contains(message_of([&] { read(); }),
                 "expected a folder of tokens, which kette tokenize --text makes, given none"));
  write_file(scratch / "empty", "");
  write_file(scratch / "blank", "\n \n");
  CHECK(contains(message_of([&] {
                   make({scratch / "a", scratch / "empty"});
                 }),
                 "empty: expected text, given an empty file"));
  CHECK(contains(message_of([&] { make({scratch / "blank"}); }),
                 "blank: expected at least one document"));
  options.bytes_a_shard = 0;
  CHECK(contains(message_of([&] { make(both); }), "expected at least a byte a shard"));
  write_file(folder / "pairs.json", "{}");
  CHECK(contains(message_of([&] { read(); }),
                 "given one of pairs, which kette tokenize --src --tgt made (kette train --pairs"));
  fs::rename(folder / "pairs.json", folder / "tokens.json");
  CHECK(contains(message_of([&] { read(); }), "tokens.json: expected what kette tokenize wrote"));
  CHECK(contains(message_of([&] { prepared_texts(folder); }),
                 "expected a folder of pairs, which kette tokenize --src --tgt makes, given one of "
                 "tokens, which kette tokenize --text made (kette train --text takes it)"));
}

}  // namespace
}  // namespace kette
