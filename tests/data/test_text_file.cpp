#include <doctest/doctest.h>
#include <unistd.h>

#include <string>

#include "data/files/text_file.h"
#include "tensor/error.h"
#include "tests/data/packings.h"
#include "tests/data/tiny_text.h"
#include "tests/support.h"

namespace kette {
namespace {

using testing::contains;
using testing::message_of;

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

TEST_CASE("plain and packed files give the same lines, whatever their names") {
  const testing::ScratchFolder folder;
  std::string content;
  for (int i = 0; i < 200'000; ++i) content += "line " + std::to_string(i) + "\n";
  testing::write_file(folder / "text.gz", content);
  const TextLines plain = read_lines(folder / "text.gz");
  CHECK(plain.size() == 200'000);
  CHECK(plain[199'999] == "line 199999");
  for (const testing::Packing& packing : testing::kPackings) {
    CAPTURE(packing.format);
    const std::string packed = packing.pack(content);
    testing::write_file(folder / "text.de", packed);
    const TextLines unpacked = read_lines(folder / "text.de");
    CHECK(unpacked.views() == plain.views());
    CHECK(contains(error_of(folder / "cut", packed.substr(0, 100)), ": expected a whole"));
    CHECK(contains(error_of(folder / "none", packing.pack("")), "given an empty file"));
    CHECK(contains(error_of(folder / "latin1", packing.pack("gut\nsch\xF6n\n")),
                   "latin1:2:4: expected UTF-8"));
  }
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

}  // namespace
}  // namespace kette
