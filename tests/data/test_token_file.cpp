// Token files: what is written is read, in bounded memory; every damage is an Error that names the
// file; a writer that is stopped leaves nothing.
#include <doctest/doctest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <numeric>

#include "data/corpora/token_file.h"
#include "tensor/error.h"
#include "tensor/splitmix.h"
#include "tests/data/tiny_text.h"
#include "tests/support.h"

namespace kette {
namespace {

namespace fs = std::filesystem;
using testing::contains;
using testing::entries_in;
using testing::message_of;
using testing::ScratchFolder;
using Ids = std::vector<std::int32_t>;

Ids random_ids(std::int64_t count, std::int64_t vocabulary) {
  Ids ids;
  for (std::int64_t i = 0; i < count; ++i) {
    ids.push_back(
        static_cast<std::int32_t>(hash_of(7, i) % static_cast<std::uint64_t>(vocabulary)));
  }
  return ids;
}

TokenFileInfo info_of(std::int64_t vocabulary) {
  return {"byte 257 00000000", vocabulary, static_cast<std::int32_t>(vocabulary - 1), 3, 1234};
}

void write(const fs::path& path, const Ids& ids, std::int64_t vocabulary) {
  TokenFileWriter writer(path, vocabulary);
  writer.append(ids);
  writer.finish(info_of(vocabulary));
}

/// A file with this header and these bytes of data.
void write_framed(const fs::path& path, const std::string& header, const std::string& data) {
  const std::uint64_t length = header.size();
  testing::write_file(
      path, std::string(reinterpret_cast<const char*>(&length), sizeof length) + header + data);
}

}  // namespace

TEST_CASE("token file: what is written in pieces is read in pieces, in 16 or 32 bits") {
  const ScratchFolder folder;
  const std::pair<std::int64_t, std::uintmax_t> kinds[] = {{257, 2}, {65536, 2}, {65537, 4}};
  for (const auto& [vocabulary, bytes] : kinds) {
    Ids ids = random_ids(200'000, vocabulary);
    ids.back() = static_cast<std::int32_t>(vocabulary - 1);
    TokenFileWriter writer(folder / "tokens", vocabulary);
    for (std::size_t at = 0, piece = 1; at < ids.size(); at += piece, piece = piece * 3 % 1009) {
      piece = std::min(piece, ids.size() - at);
      writer.append(std::span(ids).subspan(at, piece));
    }
    CHECK(writer.size() == 200'000);
    writer.finish(info_of(vocabulary));
    const std::uintmax_t data = bytes * ids.size(), blocks = (data + 65535) / 65536;
    CHECK(fs::file_size(folder / "tokens") == 4096 + data + 4 * blocks);

    const TokenFile file = TokenFile::open(folder / "tokens");
    CHECK(file.size() == 200'000);
    CHECK(file.info().tokenizer == "byte 257 00000000");
    CHECK(file.info().vocabulary == vocabulary);
    CHECK(file.info().end_of_text == vocabulary - 1);
    CHECK(file.info().documents == 3);
    CHECK(file.info().bytes == 1234);
    CHECK(file.copy(0, 200'000) == ids);
    CHECK(file.copy(199'990, 10) == Ids(ids.end() - 10, ids.end()));
    CHECK(file.copy(77, 1) == Ids{ids[77]});
    CHECK(file.copy(200'000, 0).empty());
  }
}

TEST_CASE("token file: a note of any length comes back") {
  const ScratchFolder folder;
  for (const std::size_t length :
       {std::size_t{0}, std::size_t{1024}, std::size_t{1025}, std::size_t{70000}}) {
    CAPTURE(length);
    TokenFileInfo info = info_of(300);
    for (std::size_t i = 0; i < length; ++i) info.note += static_cast<char>('a' + i % 26);
    TokenFileWriter writer(folder / "note", 300);
    writer.append(random_ids(100, 300));
    writer.finish(info, {30, 67});
    const TokenFile file = TokenFile::open(folder / "note");
    CHECK(file.info().note == info.note);
    CHECK(file.lengths() == Ids{30, 67});
    file.check();
  }
}

TEST_CASE("token file: none, and no tokens at all") {
  const ScratchFolder folder;
  CHECK(
      contains(message_of([&] { TokenFile::open(folder / "none"); }), "none: expected a readable"));
  write(folder / "empty", {}, 10);
  const TokenFile file = TokenFile::open(folder / "empty");
  CHECK(file.size() == 0);
  CHECK(file.copy(0, 0).empty());
}

TEST_CASE("token file: a place outside the file is an error") {
  const ScratchFolder folder;
  write(folder / "tokens", Ids(10, 1), 5);
  const TokenFile file = TokenFile::open(folder / "tokens");
  const std::int64_t most = INT64_MAX;
  const std::pair<std::int64_t, std::int64_t> places[] = {
      {0, 11}, {10, 1}, {11, 0}, {-1, 1}, {0, -1}, {1, most}, {most, most}, {most, 1}};
  for (const auto& [begin, count] : places) {
    CHECK(contains(message_of([&, b = begin, c = count] { file.copy(b, c); }),
                   "expected some of its 10 tokens"));
  }
}

TEST_CASE("token file: a part counts from its own start, and so does a part of it") {
  const ScratchFolder folder;
  const Ids ids = random_ids(100, 300);
  write(folder / "tokens", ids, 300);
  const TokenFile part = TokenFile::open(folder / "tokens").part(10, 50);
  CHECK(part.size() == 50);
  CHECK(part.copy(0, 50) == Ids(ids.begin() + 10, ids.begin() + 60));
  const TokenFile inner = part.part(5, 20);
  CHECK(inner.copy(2, 3) == Ids(ids.begin() + 17, ids.begin() + 20));
  CHECK(contains(message_of([&] { inner.copy(20, 1); }), "expected some of its 20 tokens"));
  CHECK(contains(message_of([&] { part.part(40, 11); }), "expected a part of its 50 tokens"));
}

TEST_CASE("token file: ids outside the vocabulary are refused, written or read") {
  const ScratchFolder folder;
  TokenFileWriter writer(folder / "tokens", 100);
  writer.append(Ids{1, 2, 99});
  CHECK(contains(message_of([&] {
                   writer.append(Ids{4, 100});
                 }),
                 "tokens: expected ids from 0 to 99, given 100 as token 4"));
  CHECK(writer.size() == 3);
  CHECK_THROWS_AS(writer.append(Ids{-1}), Error);
  CHECK(contains(message_of([&] { writer.finish(info_of(101)); }), "given 101"));

  // In a file of another program, which has no checksums.
  const Ids stored{50, 50, -1, 50};
  write_framed(folder / "other",
               R"({"tokens":{"dtype":"I32","shape":[4],"data_offsets":[0,16]},"__metadata__":{)"
               R"("tokenizer":"t","end_of_text":"0","documents":"1","bytes":"1",)"
               R"("vocabulary":"70000"}})",
               {reinterpret_cast<const char*>(stored.data()), 16});
  const TokenFile file = TokenFile::open(folder / "other");
  CHECK(file.copy(0, 2) == Ids{50, 50});
  CHECK(contains(message_of([&] { file.copy(1, 3); }), "given -1 as token 2"));
}

TEST_CASE("token file: every flipped bit is found, in the header at once, in the data when read") {
  const ScratchFolder folder;
  const Ids ids = random_ids(100'000, 300);  // four blocks of 32768 and less
  write(folder / "tokens", ids, 300);
  const std::string good = testing::read_file(folder / "tokens");
  const auto damage = [&](std::size_t at) {
    std::string bytes = good;
    bytes[at] = static_cast<char>(bytes[at] ^ 1);
    testing::write_file(folder / "tokens", bytes);
  };
  for (std::size_t at = 0; at < 4096; at += at < 600 ? 1 : 193) {
    CAPTURE(at);
    damage(at);
    REQUIRE(message_of([&] { TokenFile::open(folder / "tokens"); }) != "");
  }
  for (std::size_t at = 4096 + 200'000; at < good.size(); ++at) {  // the table
    damage(at);
    REQUIRE(contains(message_of([&] { TokenFile::open(folder / "tokens"); }), "checksum"));
  }
  damage(4096 + 2 * 70'000);
  const TokenFile file = TokenFile::open(folder / "tokens");
  CHECK(file.copy(0, 60'000) == Ids(ids.begin(), ids.begin() + 60'000));
  CHECK(file.copy(99'000, 1'000) == Ids(ids.end() - 1'000, ids.end()));
  CHECK(contains(message_of([&] { file.copy(90'000, 1); }), "the file is damaged"));
  CHECK(contains(message_of([&] { file.copy(60'000, 10'000); }), "the file is damaged"));
}

TEST_CASE("token file: headers that are not a token file's") {
  const ScratchFolder folder;
  const fs::path path = folder / "wrong";
  const auto error = [&](const std::string& tensors, const std::string& metadata) {
    write_framed(path, "{" + tensors + R"(,"__metadata__":{)" + metadata + "}}", "abcd");
    const std::string message = message_of([&] { TokenFile::open(path); });
    CAPTURE(message);
    CHECK(message.starts_with(path.string() + ": "));
    return message;
  };
  const std::string tensor = R"("tokens":{"dtype":"U16","shape":[2],"data_offsets":[0,4]})";
  const std::string start = R"("tokenizer":"t","end_of_text":"0","documents":"1","bytes":"1",)";
  const std::string metadata = start + R"("vocabulary":"65536")";
  CHECK(contains(error(R"("x":{"dtype":"U16","shape":[2],"data_offsets":[0,4]})", metadata),
                 "expected the tensor \"tokens\" and its checksums alone"));
  CHECK(contains(error(R"("tokens":{"dtype":"F32","shape":[1],"data_offsets":[0,4]})", metadata),
                 "expected U16 [n], given F32"));
  CHECK(contains(error(R"("tokens":{"dtype":"I32","shape":[1],"data_offsets":[0,4]})", metadata),
                 "given I32"));
  CHECK(contains(error(tensor, start + R"("vocabulary":"65537")"), "expected I32 [n], given U16"));
  CHECK(contains(error(R"("tokens":{"dtype":"U16","shape":[1,2],"data_offsets":[0,4]})", metadata),
                 "given U16 [1, 2]"));
  CHECK(contains(error(tensor, start + R"("note":"")"), "expected \"vocabulary\""));
  for (const char* number :
       {"", "0", "-5", "5x", "5.0", " 5", "2147483648", "99999999999999999999"}) {
    CAPTURE(number);
    CHECK(contains(error(tensor, start + R"("vocabulary":")" + number + "\""),
                   "expected a whole number from 1 to 2147483647 for \"vocabulary\""));
  }
  CHECK(contains(error(tensor, R"("tokenizer":"t","end_of_text":"7","vocabulary":"7")"),
                 "from 0 to 6 for \"end_of_text\""));
}

TEST_CASE("token file: cut at any length it is an error") {
  const ScratchFolder folder;
  write(folder / "tokens", random_ids(40, 300), 300);
  const std::string bytes = testing::read_file(folder / "tokens");
  const fs::path path = folder / "cut";
  for (std::size_t size = 0; size < bytes.size(); size += size < 4000 ? 97 : 1) {
    fs::remove(path);
    testing::write_file(path, bytes.substr(0, size));
    CAPTURE(size);
    REQUIRE(message_of([&] { TokenFile::open(path); }).starts_with(path.string() + ": "));
  }
}

TEST_CASE("token file: cut short while open it is an error; replaced, it stays as it was") {
  const ScratchFolder folder;
  const fs::path path = folder / "tokens";
  const Ids ids = random_ids(1000, 300);
  write(path, ids, 300);
  const TokenFile file = TokenFile::open(path);
  write(path, Ids(5, 1), 300);
  CHECK(file.copy(0, 1000) == ids);
  const TokenFile other = TokenFile::open(path);
  CHECK(other.copy(0, 2) == Ids{1, 1});
  fs::resize_file(path, 4096 + 4);
  CHECK(other.copy(0, 2) == Ids{1, 1});
  CHECK(contains(message_of([&] { other.copy(0, 5); }), "cut short while in use"));
}

TEST_CASE("token file: a writer without finish leaves the earlier file and nothing beside it") {
  const ScratchFolder folder;
  write(folder / "tokens", Ids(7, 3), 10);
  {
    TokenFileWriter writer(folder / "tokens", 10);
    writer.append(Ids(500'000, 4));
    CHECK(entries_in(folder.path()) == 2);
  }
  CHECK(entries_in(folder.path()) == 1);
  CHECK(TokenFile::open(folder / "tokens").copy(0, 7) == Ids(7, 3));
}

TEST_CASE("token file: a killed writer leaves the earlier file, and the next one clears up") {
  const ScratchFolder folder;
  write(folder / "tokens", Ids(7, 3), 10);
  for (const useconds_t delay : {1'000u, 5'000u, 20'000u}) {
    const pid_t child = ::fork();
    if (child == 0) {
      try {
        const Ids ids(10'000, 4);
        TokenFileWriter writer(folder / "tokens", 10);
        for (int i = 0; i < 10'000; ++i) writer.append(ids);
      } catch (...) {
      }
      ::_exit(1);
    }
    ::usleep(delay);
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    REQUIRE(TokenFile::open(folder / "tokens").copy(0, 7) == Ids(7, 3));
  }
  write(folder / "tokens", Ids(8, 3), 10);
  CHECK(entries_in(folder.path()) == 1);
}

TEST_CASE("token file: several threads read at once") {
  const ScratchFolder folder;
  const Ids ids = random_ids(50'000, 1000);
  write(folder / "tokens", ids, 1000);
  const TokenFile file = TokenFile::open(folder / "tokens");
  std::atomic<int> wrong = 0;
#pragma omp parallel for num_threads(4)
  for (int i = 0; i < 500; ++i) {
    const auto begin = static_cast<std::ptrdiff_t>(hash_of(i) % 49'000);
    wrong += file.copy(begin, 1000) != Ids(ids.begin() + begin, ids.begin() + begin + 1000);
  }
  CHECK(wrong == 0);
}

TEST_CASE("safetensors: elements in part, and what a stream refuses") {
  const ScratchFolder folder;
  write_safetensors(folder / "model",
                    {{"x", Tensor::from(std::vector<float>{1, 2, 3, 4}, {2, 2})}});
  const auto file = SafetensorsFile::open(folder / "model");
  CHECK(file.elements<float>("x", 1, 2) == std::vector<float>{2, 3});
  CHECK(contains(message_of([&] { file.elements<std::uint16_t>("x", 0, 1); }),
                 "expected elements of 2 bytes, given F32"));
  SafetensorsStream stream(folder / "stream", "x", "U8");
  stream.write("abc");
  CHECK(contains(message_of([&] {
                   stream.commit({{"note", std::string(5000, 'x')}});
                 }),
                 "expected a header of at most 4088 bytes"));
}

}  // namespace kette
