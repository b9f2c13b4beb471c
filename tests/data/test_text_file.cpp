#include <doctest/doctest.h>
#include <unistd.h>
#include <zlib.h>

#include <string>

#include "data/files/text_file.h"
#include "tensor/error.h"
#include "tests/data/tiny_text.h"
#include "tests/support.h"

namespace kette {
namespace {

using testing::contains;
using testing::message_of;

std::string gzip(const std::string& content, const std::filesystem::path& path) {
  gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, content.data(), static_cast<unsigned>(content.size()));
  gzclose(file);
  return testing::read_file(path);
}

/// The error of reading a file with this content.
std::string error_of(const std::filesystem::path& path, const std::string& content) {
  testing::write_file(path, content);
  return message_of([&] { read_lines(path); });
}

TEST_CASE("lines end at LF and CRLF and nowhere else") {
  const TextLines lines("one\r\ntwo\xC2\x85still two\xE2\x80\xA8 and \r inside\n\nlast", "name");
  REQUIRE(lines.size() == 4);
  CHECK(lines[0] == "one");
  CHECK(lines[1] == "two\xC2\x85still two\xE2\x80\xA8 and \r inside");
  CHECK(lines[2] == "");
  CHECK(lines[3] == "last");
}

TEST_CASE("a last line end adds no line; a byte order mark is no text") {
  CHECK(TextLines("a\nb\n", "name").size() == 2);
  CHECK(TextLines("\n", "name").size() == 1);
  CHECK(TextLines("", "name").empty());
  CHECK(TextLines("\xEF\xBB\xBFlesen\n", "name")[0] == "lesen");
}

TEST_CASE("lines outlive the object they were copied from") {
  TextLines copy;
  {
    const TextLines lines("short\n", "name");
    copy = lines;
  }
  CHECK(copy[0] == "short");
}

TEST_CASE("plain and gzip files give the same lines, whatever their names") {
  const testing::ScratchFolder folder;
  std::string content;
  for (int i = 0; i < 200'000; ++i) content += "line " + std::to_string(i) + "\n";
  gzip(content, folder / "text.de");
  testing::write_file(folder / "text.gz", content);
  const TextLines from_gzip = read_lines(folder / "text.de");
  const TextLines plain = read_lines(folder / "text.gz");
  CHECK(from_gzip.views() == plain.views());
  CHECK(from_gzip.size() == 200'000);
  CHECK(from_gzip[199'999] == "line 199999");
}

TEST_CASE("files that cannot be read are named") {
  const testing::ScratchFolder folder;
  const auto path = folder / "train.de";
  CHECK(message_of([&] { read_lines(path); }) ==
        path.string() + ": expected a text file, given a path where there is none");
  CHECK(contains(message_of([&] { read_lines(folder.path()); }), "given a directory"));
  CHECK(contains(error_of(path, ""), "train.de: expected at least one line, given an empty file"));
  if (::geteuid() != 0) {
    std::filesystem::permissions(path, std::filesystem::perms::none);
    CHECK(contains(message_of([&] { read_lines(path); }), "train.de: expected a readable file"));
  }
}

TEST_CASE("invalid UTF-8 is found by file, line and byte") {
  const testing::ScratchFolder folder;
  const auto path = folder / "train.de";
  CHECK(contains(error_of(path, "gut\nsch\xF6n\n"),
                 "train.de:2:4: expected UTF-8, given the byte 0xF6"));
  CHECK(contains(error_of(path, "caf\xC3"), ":1:4:"));               // cut short
  CHECK(contains(error_of(path, "\xC0\xAF"), ":1:1:"));              // overlong
  CHECK(contains(error_of(path, "12345678\xE0\x80\xAF"), ":1:9:"));  // overlong
  CHECK(contains(error_of(path, "\n\n\xED\xA0\x80"), ":3:1:"));      // a surrogate
  CHECK(contains(error_of(path, "\xF4\x90\x80\x80"), ":1:1:"));      // above U+10FFFF
  CHECK(contains(error_of(path, "\xFF\xFEh\0"), ":1:1:"));           // UTF-16
  CHECK(error_of(path, "\xE0\xA0\x80 \xED\x9F\xBF \xF0\x90\x80\x80 \xF4\x8F\xBF\xBF") == "");
}

TEST_CASE("a gzip file cut short anywhere is an error that names the line") {
  const testing::ScratchFolder folder;
  std::string content;
  for (int i = 0; i < 500; ++i) content += std::to_string(i * 7919 % 1000) + " is a number\n";
  const std::string whole = gzip(content, folder / "whole.gz");
  const auto path = folder / "cut.gz";
  for (std::size_t size = 2; size < whole.size(); size += 13) {
    const std::string error = error_of(path, whole.substr(0, size));
    INFO(size, " of ", whole.size(), " bytes: ", error);
    CHECK(contains(error, "cut.gz:"));
    CHECK(contains(error, "expected a whole gzip file"));
  }
  CHECK(contains(error_of(path, whole.substr(0, whole.size() - 8)), "cut.gz:501:"));
  std::string damaged = whole;
  damaged[whole.size() - 6] ^= 1;  // in the checksum
  CHECK(contains(error_of(path, damaged), "cut.gz: expected a sound gzip file"));
}

TEST_CASE("a line of a million characters is one line") {
  const testing::ScratchFolder folder;
  const std::string million = [] {
    std::string text;
    for (int i = 0; i < 1'000'000; ++i) text += "ü";
    return text;
  }();
  testing::write_file(folder / "long", "short\n" + million + "\nshort\n");
  const TextLines lines = read_lines(folder / "long");
  REQUIRE(lines.size() == 3);
  CHECK(lines[1] == million);
}

TEST_CASE("gzip files one behind the other are one text; what else stands behind one is an error") {
  const testing::ScratchFolder folder;
  const std::string one = gzip("one\n", folder / "one.gz"), two = gzip("two\n", folder / "two.gz");
  const auto lines_of = [&](const std::string& content) {
    testing::write_file(folder / "joined.gz", content);
    const TextLines lines = read_lines(folder / "joined.gz");
    return std::vector<std::string>(lines.views().begin(), lines.views().end());
  };
  const std::vector<std::string> both = {"one", "two"};
  CHECK(lines_of(one + two) == both);
  CHECK(lines_of(one + two + std::string(1000, '\0')) == both);
  CHECK(lines_of(one + gzip("", folder / "nothing.gz") + two) == both);
  for (const std::string& rest : {std::string("two\n"), std::string("t"), std::string("\x1f"),
                                  std::string("\0\0t", 3), std::string("\0", 1) + two}) {
    CAPTURE(rest);
    CHECK(
        contains(error_of(folder / "more.gz", one + rest),
                 "more.gz:2: expected the end of the file, or another gzip file behind the first"));
  }
  std::string damaged = two;
  damaged[0] ^= 1;
  CHECK(contains(error_of(folder / "more.gz", one + damaged), "more.gz:2: expected the end"));
  CHECK(contains(error_of(folder / "more.gz", one + two.substr(0, 12)),
                 "expected a whole gzip file"));
}

}  // namespace
}  // namespace kette
