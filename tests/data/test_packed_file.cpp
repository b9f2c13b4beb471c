// Files that are packed read like plain ones, and what is wrong with them is told.
#include <doctest/doctest.h>
#include <sys/stat.h>

#include <random>
#include <thread>

#include "data/documents/formats.h"
#include "data/files/packed_file.h"
#include "tensor/error.h"
#include "tests/data/packings.h"
#include "tests/data/tiny_text.h"
#include "tests/support.h"

namespace kette {
namespace {

using testing::contains;
using testing::kPackings;
using testing::message_of;
using testing::Packing;
using testing::ScratchFolder;

/// Lines that are packed to about a fifth of their size.
std::string some_lines(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += std::to_string(i * 7919 % 1000) + " is a number\n";
  return text;
}

std::string read_in_pieces(const std::filesystem::path& path, std::size_t piece = 1000) {
  PackedFile file(path);
  std::string content, part(piece, '\0');
  while (const std::size_t count = file.read(part.data(), piece)) content.append(part, 0, count);
  CHECK(file.read(part.data(), piece) == 0);
  return content;
}

/// Of a file with these bytes.
std::string content_of(const std::string& bytes, std::size_t piece = 1000) {
  const ScratchFolder folder;
  testing::write_file(folder / "file", bytes);
  return read_in_pieces(folder / "file", piece);
}
std::string error_of(const std::string& bytes) {
  return message_of([&] { content_of(bytes); });
}

TEST_CASE("packed file: each packing gives what was packed, in pieces of any size") {
  const std::string lines = some_lines(100'000);
  CHECK(content_of(lines) == lines);
  for (const Packing& packing : kPackings) {
    CAPTURE(packing.format);
    const std::string packed = packing.pack(lines);
    CHECK(packed.size() < lines.size() / 3);
    for (const std::size_t piece : {std::size_t{17}, std::size_t{4096}, std::size_t{1} << 22}) {
      CHECK(content_of(packed, piece) == lines);
    }
    CHECK(content_of(packing.pack("")).empty());
    const std::string longer_than_any_buffer(1'500'000, 'a');
    CHECK(content_of(packing.pack(longer_than_any_buffer + "\nb")) ==
          longer_than_any_buffer + "\nb");
  }
}

TEST_CASE("packed file: short files, and others that only begin like packed ones, are plain") {
  for (const std::string& plain : {std::string(), std::string("\0", 1), std::string("\x1f"),
                                   std::string("\xfd"
                                               "7zXZ"),
                                   std::string("\x28\xb5\x2f"), std::string("P*M"),
                                   std::string("BZh9"), std::string("ab"), std::string("abc")}) {
    CAPTURE(plain);
    CHECK(content_of(plain) == plain);
  }
  const std::string one = testing::zstd("one\n");
  std::string other = one;
  other[3] ^= 1;
  CHECK(content_of(other) == other);
}

TEST_CASE("packed file: parts one behind the other are one text, with zeros behind them") {
  const std::string lines = some_lines(30'000), zeros(1000, '\0');
  for (const Packing& packing : kPackings) {
    CAPTURE(packing.format);
    const std::string one = packing.pack("one\n"), two = packing.pack("two\n"),
                      none = packing.pack("");
    CHECK(content_of(one + two) == "one\ntwo\n");
    CHECK(content_of(one + none + two + none) == "one\ntwo\n");
    CHECK(content_of(one + two + zeros) == "one\ntwo\n");
    CHECK(content_of(none + none + std::string(3, '\0')).empty());
    CHECK(content_of(packing.pack(lines) + one + packing.pack(lines), 100'000) ==
          lines + "one\n" + lines);
    std::string many;
    for (int i = 0; i < 20'000; ++i) many += none;  // more than a buffer of parts
    CHECK(content_of(one + many + two) == "one\ntwo\n");
  }
}

TEST_CASE("packed file: xz's streams may have zeros between them, in fours") {
  const std::string one = testing::xz("one\n"), two = testing::xz("two\n");
  CHECK(content_of(one + std::string(4, '\0') + two) == "one\ntwo\n");
  CHECK(content_of(one + std::string(400'000, '\0') + two) == "one\ntwo\n");
  CHECK(contains(error_of(one + std::string(3, '\0') + two), "file:2: expected the end"));
  const std::string frame = testing::zstd("one\n");
  CHECK(contains(error_of(frame + std::string(4, '\0') + frame), "file:2: expected the end"));
}

TEST_CASE("packed file: frames of zstd that are to be skipped are, as pzstd writes them") {
  const std::string one = testing::zstd("one\n"), two = testing::zstd("two\n");
  const std::string pzstd("\x50\x2a\x4d\x18\x04\0\0\0\x12\0\0\0", 12),
      last("\x5f\x2a\x4d\x18\0\0\0\0", 8);
  CHECK(content_of(pzstd + one + pzstd + two + last) == "one\ntwo\n");
  CHECK(content_of(last).empty());
  CHECK(contains(error_of(pzstd.substr(0, 10)), "file:1: expected a whole zstd file"));
}

TEST_CASE("packed file: what else stands behind a part is an error") {
  for (const Packing& packing : kPackings) {
    CAPTURE(packing.format);
    const std::string one = packing.pack("one\n"), two = packing.pack("two\n");
    std::string damaged = two;
    damaged[0] ^= 1;
    for (const std::string& rest :
         {std::string("two\n"), std::string("t"), two.substr(0, 1), std::string("\0\0t", 3),
          std::string("\0", 1) + two, damaged, testing::gzip("x").substr(0, 2) + "BZ"}) {
      if (rest.starts_with("\x1f\x8b") && packing.pack == testing::gzip) continue;
      CAPTURE(rest);
      CHECK(contains(error_of(one + rest), "file:2: expected the end of the file, or another " +
                                               packing.format +
                                               " file behind the first, given something else"));
    }
    CHECK(contains(error_of(one + two.substr(0, two.size() - 1)),
                   "expected a whole " + packing.format + " file"));
  }
}

TEST_CASE("packed file: cut short after any byte is an error that names the line") {
  const std::string lines = some_lines(100);
  for (const Packing& packing : kPackings) {
    CAPTURE(packing.format);
    const std::string whole = packing.pack(lines);
    const std::size_t magic = packing.pack == testing::gzip ? 2
                              : packing.pack == testing::xz ? Decoder::kMagicBytes
                                                            : 4;
    for (std::size_t size = magic; size < whole.size(); ++size) {
      const std::string error = error_of(whole.substr(0, size));
      INFO(size, " of ", whole.size(), " bytes: ", error);
      CHECK(contains(error, "/file:"));
      CHECK(contains(error, ": expected a whole " + packing.format +
                                " file, given one that ends in this line (it is truncated"));
    }
    CHECK(contains(error_of(whole.substr(0, whole.size() - 1)), "file:101:"));
  }
}

TEST_CASE("packed file: with any bit flipped it is an error, or the same text") {
  const std::string lines = some_lines(20);
  for (const Packing& packing : kPackings) {
    CAPTURE(packing.format);
    const std::string whole = packing.pack(lines);
    int damaged = 0;
    for (std::size_t bit = 8 * Decoder::kMagicBytes; bit < 8 * whole.size(); ++bit) {
      std::string other = whole;
      other[bit / 8] = static_cast<char>(other[bit / 8] ^ (1 << (bit % 8)));
      std::string content;
      const std::string error = message_of([&] { content = content_of(other); });
      if (contains(error, "file: expected a sound " + packing.format + " file")) {
        ++damaged;
      }
      CAPTURE(bit);
      CHECK((!error.empty() || content == lines));
    }
    CHECK(damaged > static_cast<int>(whole.size()));
  }
  std::string other = testing::gzip(lines);
  other[other.size() - 6] ^= 1;  // in the checksum
  CHECK(contains(error_of(other),
                 "file: expected a sound gzip file, given a damaged one (incorrect data check; "
                 "copy or download it again)"));
}

TEST_CASE("packed file: what takes too much memory is refused") {
  const std::string lines = some_lines(10);
  CHECK(content_of(testing::zstd(lines, 27)) == lines);
  CHECK(contains(error_of(testing::zstd(lines, 28)),
                 "file: expected the zstd file to take at most 128 MiB of memory to read, given "
                 "one that takes more (unpack it, or pack it with a smaller window)"));
  // The header of an xz file's first block says how large a dictionary is, here 1.5 GiB; a checksum ends it.
  std::string packed = testing::xz(lines);
  const std::size_t header = 12, end = header + 4 * static_cast<std::size_t>(packed[header]);
  packed[packed.find("\x21\x01", header) + 2] = 37;
  const std::uint32_t sum =
      lzma_crc32(reinterpret_cast<const unsigned char*>(&packed[header]), end - header, 0);
  for (int i = 0; i < 4; ++i) packed[end + i] = static_cast<char>(sum >> (8 * i));
  CHECK(contains(error_of(packed),
                 "file: expected the xz file to take at most 1 GiB of memory to read, given one "
                 "that takes 1536 MiB"));
}

TEST_CASE("packed file: of a pipe, and how much of a file was taken") {
  std::mt19937 random(1);
  std::string lines;
  for (int i = 0; i < 100'000; ++i) lines += std::to_string(random()) + "\n";
  for (const Packing& packing : kPackings) {
    CAPTURE(packing.format);
    const ScratchFolder folder;
    const std::string packed = packing.pack(lines);
    REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
    std::thread writer([&] { testing::write_file(folder / "pipe", packed); });
    CHECK(read_in_pieces(folder / "pipe") == lines);
    writer.join();

    testing::write_file(folder / "file", packed);
    PackedFile file(folder / "file");
    CHECK(file.bytes_taken() == 0);
    std::string part(lines.size(), '\0');
    CHECK(file.read(part.data(), lines.size() / 2) == lines.size() / 2);
    const double half = static_cast<double>(file.bytes_taken());
    CHECK(half > 0.4 * static_cast<double>(packed.size()));
    CHECK(half < 0.7 * static_cast<double>(packed.size()));
    CHECK(file.read(part.data(), lines.size()) == lines.size() - lines.size() / 2);
    CHECK(file.read(part.data(), 1) == 0);
    CHECK(file.bytes_taken() == static_cast<std::int64_t>(packed.size()));
  }
}

TEST_CASE("packed file: what no decoder reads is told, and is no text") {
  const auto told = [](const std::string& format, const std::string& tool) {
    return "file: expected plain text, gzip, xz or zstd, given a " + format +
           " file (unpack it first: " + tool + ")";
  };
  using namespace std::string_literals;
  const std::string zip = "PK\3\4\x14\0\0\0"s;
  CHECK(contains(error_of(zip), told("zip", "unzip")));
  CHECK(contains(error_of("BZh91AY&SY\x8a"), told("bzip2", "bunzip2")));
  CHECK(contains(error_of("7z\xbc\xaf\x27\x1c\0\4"s), told("7z", "7z x")));
  for (const char* plain : {"PK", "PK is short", "BZh9 is a word", "7zip"}) {
    CHECK(content_of(plain) == plain);
  }
  const ScratchFolder folder;  // a document of Word
  testing::write_file(folder / "file", zip);
  PackedFile file(folder / "file", true);
  std::string part(zip.size(), '\0');
  CHECK(file.read(part.data(), part.size()) == zip.size());
  CHECK(part == zip);
}

TEST_CASE("packed file: names without the ending that says how it is packed") {
  for (const char* name : {"a/train.en", "a/train.en.gz", "a/train.en.xz", "a/train.en.zst"}) {
    CHECK(without_packed_ending(name) == "a/train.en");
  }
  CHECK(without_packed_ending("train.en.bz2") == "train.en.bz2");
  CHECK(without_packed_ending("train") == "train");
  CHECK(format_of("page.html.xz") == DocumentFormat::html);
  CHECK(is_unread_document("page.JSON.xz"));
  CHECK_FALSE(is_unread_document("corpus.json.en"));
  CHECK(format_of("page.html.xz.xz") == DocumentFormat::text);
}

}  // namespace
}  // namespace kette
