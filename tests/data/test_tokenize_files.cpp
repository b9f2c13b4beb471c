// Text files to token files: every document and every end of text in its place, whatever the number
// of files, pieces and threads.
#include <doctest/doctest.h>
#include <omp.h>
#include <sys/stat.h>

#include <algorithm>
#include <thread>

#include "data/corpora/token_file.h"
#include "data/corpora/tokenize_files.h"
#include "tensor/error.h"
#include "tests/data/packings.h"
#include "tests/data/tiny_text.h"
#include "tests/support.h"

namespace kette {
namespace {

namespace fs = std::filesystem;
using testing::contains;
using testing::message_of;
using testing::ScratchFolder;
using testing::write_file;
using Ids = std::vector<std::int32_t>;

/// Bytes as ids, and 256 as the end of text; it cannot spell "#".
class FakeTokenizer final : public Tokenizer {
 public:
  std::string kind() const override { return "fake"; }
  std::int64_t vocabulary() const override { return 257; }
  SpecialTokens special() const override { return SpecialTokens::of_end(256); }
  Ids encode_text(std::string_view text, Side) const override {
    KETTE_CHECK(text.find('#') == std::string_view::npos, "expected no #, given one");
    Ids ids;
    for (const char byte : text) ids.push_back(static_cast<unsigned char>(byte));
    return ids;
  }
  std::string decode(std::span<const std::int32_t> ids) const override {
    std::string text;
    for (const std::int32_t id : ids) text += id == 256 ? "|" : std::string(1, char(id));
    return text;
  }
  std::vector<std::pair<std::string, std::string>> files() const override { return {}; }
};

std::string content(const fs::path& path) {
  const TokenFile file = TokenFile::open(path);
  return FakeTokenizer().decode(file.copy(0, file.size()));
}

}  // namespace

TEST_CASE("tokenize: documents of several files, each with its end of text") {
  const ScratchFolder folder;
  write_file(folder / "a", "one\ntwo\n\nthree\n");
  write_file(folder / "b", std::string("f\0ur\xff", 5));
  const std::vector<fs::path> files = {folder / "a", folder / "b"};
  const FakeTokenizer tokenizer;
  const fs::path out = folder / "out";

  const TokenizeReport whole = tokenize_files(files, tokenizer, DocumentKind::file, out);
  CHECK(content(out) == "one\ntwo\n\nthree\n|" + std::string("f\0ur\xff|", 6));
  CHECK(whole.documents == 2);
  CHECK(whole.bytes == 20);
  CHECK(whole.tokens == 22);
  const TokenFileInfo info = TokenFile::open(out).info();
  CHECK(info.tokenizer == tokenizer.fingerprint());
  CHECK(info.vocabulary == 257);
  CHECK(info.end_of_text == 256);
  CHECK(info.documents == 2);
  CHECK(info.bytes == 20);

  CHECK(tokenize_files(files, tokenizer, DocumentKind::line, out).documents == 4);
  CHECK(content(out) == "one|two|three|" + std::string("f\0ur\xff|", 6));
  CHECK(tokenize_files({folder / "a"}, tokenizer, DocumentKind::paragraph, out).bytes == 12);
  CHECK(content(out) == "one\ntwo|three|");
}

TEST_CASE(
    "tokenize: many parts, any number of threads, packed: the same ids; progress to the end") {
  const ScratchFolder folder;
  std::string text;
  for (int i = 0; i < 500'000; ++i) text += "line " + std::to_string(i) + " of it\n";
  write_file(folder / "plain", text);
  for (const testing::Packing& packing : testing::kPackings) {
    write_file(folder / packing.format, packing.pack(text));
  }
  const int threads = omp_get_max_threads();
  const FakeTokenizer tokenizer;
  for (const auto& [name, count] :
       {std::pair{"plain", 1}, {"plain", 3}, {"gzip", 2}, {"xz", 2}, {"zstd", 2}}) {
    omp_set_num_threads(count);
    std::vector<double> shares;
    std::int64_t tokens = 0;
    const TokenizeReport report =
        tokenize_files({folder / name}, tokenizer, DocumentKind::file, folder / "out",
                       [&](const TokenizeReport& so_far, double share) {
                         CHECK(so_far.tokens > tokens);
                         tokens = so_far.tokens;
                         shares.push_back(share);
                       });
    CHECK(content(folder / "out") == text + "|");
    CHECK(report.documents == 1);
    REQUIRE(shares.size() >= 2);
    CHECK(std::is_sorted(shares.begin(), shares.end()));
    CHECK(shares.front() > 0);
    CHECK(shares.back() > 0.6);
    CHECK(shares.back() <= 1);
  }
  omp_set_num_threads(threads);
}

TEST_CASE("tokenize: GPT-2's ids of a text in pieces are those of the whole") {
  const auto shared = testing::shared_data();
  if (!shared || !fs::exists(*shared / "gpt2-tokenizer") ||
      !fs::exists(*shared / "tinyshakespeare" / "input.txt")) {
    MESSAGE("skipped: no GPT-2 vocabulary or no Tiny Shakespeare in the shared data");
    return;
  }
  const fs::path text = *shared / "tinyshakespeare" / "input.txt";
  const SharedTokenizer tokenizer = load_tokenizer(*shared / "gpt2-tokenizer", "gpt2");
  TextDocuments documents(text, DocumentKind::file, 500);
  Ids ids;
  while (const std::optional<TextPiece> piece = documents.next()) {
    const Ids more = tokenizer->encode(piece->text);
    ids.insert(ids.end(), more.begin(), more.end());
  }
  CHECK(ids == tokenizer->encode(testing::read_file(text)));
  CHECK(ids.size() == 338'025);  // nanoGPT's data/shakespeare counts 301,966 + 36,059
}

TEST_CASE("tokenize: a pipe is read from its beginning") {
  const ScratchFolder folder;
  REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
  std::thread writer([&] { write_file(folder / "pipe", "some text of a pipe"); });
  CHECK_FALSE(is_token_file(folder / "pipe"));
  tokenize_files({folder / "pipe"}, FakeTokenizer(), DocumentKind::file, folder / "out");
  writer.join();
  CHECK(content(folder / "out") == "some text of a pipe|");
}

TEST_CASE("tokenize: what goes wrong is named, and leaves nothing") {
  const ScratchFolder folder;
  const FakeTokenizer tokenizer;
  const fs::path out = folder / "out";
  const auto error = [&](const std::vector<fs::path>& files,
                         DocumentKind kind = DocumentKind::file) {
    const std::string message = message_of([&] { tokenize_files(files, tokenizer, kind, out); });
    CHECK(!fs::exists(out));
    return message;
  };
  write_file(folder / "good", "text\n");
  write_file(folder / "bad", "line\nli#ne\n");
  write_file(folder / "empty", "");
  write_file(folder / "blank", "\n \n");
  CHECK(contains(error({}), "at least one text file"));
  CHECK(contains(error({folder / "good", folder / "none"}), "none: expected a text file"));
  CHECK(contains(error({folder / "good", folder / "empty"}), "empty: expected text"));
  CHECK(contains(error({folder / "blank"}, DocumentKind::line), "blank: expected at least one"));
  CHECK(contains(error({folder / "good", folder / "bad"}, DocumentKind::line),
                 "bad: in the text from byte 5 on: expected no #"));
  tokenize_files({folder / "good"}, tokenizer, DocumentKind::file, folder / "tokens");
  CHECK(contains(error({folder / "good", folder / "tokens"}),
                 "tokens: expected text, given a file of tokens"));
  CHECK(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()) == 5);
  CHECK(contains(message_of([&] {
                   tokenize_files({folder / "good"}, tokenizer, DocumentKind::file,
                                  folder / "good");
                 }),
                 "not one of the texts"));
  CHECK(testing::read_file(folder / "good") == "text\n");
}

}  // namespace kette
