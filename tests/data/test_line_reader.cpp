#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "data/files/file_descriptor.h"
#include "data/files/line_reader.h"
#include "data/files/text_file.h"
#include "tests/data/packings.h"
#include "tests/data/tiny_text.h"
#include "tests/support.h"

namespace kette {
namespace {

using testing::contains;
using testing::message_of;
using Strings = std::vector<std::string>;

struct Pipe {
  FileDescriptor out, in;
  Pipe() {
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    out = FileDescriptor(ends[0]);
    in = FileDescriptor(ends[1]);
  }
  void write(const std::string& text) const {
    REQUIRE(::write(in.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  }
};

Strings all_lines(LineReader& reader, std::size_t most) {
  Strings all;
  for (Strings part = reader.next(most); !part.empty(); part = reader.next(most)) {
    CHECK(part.size() <= most);
    CHECK(reader.first_line() == static_cast<std::int64_t>(all.size()) + 1);
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

/// What reading a file with this content says, by parts and as a whole.
std::string error_of(const std::string& content, const LineLimits& limits = {}) {
  const testing::ScratchFolder folder;
  testing::write_file(folder / "x", content);
  const std::string by_parts = message_of([&] {
    LineReader reader(folder / "x", limits);
    all_lines(reader, 2);
  });
  CHECK(by_parts == message_of([&] { read_lines(folder / "x", limits); }));
  return by_parts.substr(std::min(by_parts.size(), folder.path().string().size()));
}

long peak_rss_kib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

TEST_CASE("parts of any size give the lines that reading a file whole gives") {
  const testing::ScratchFolder folder;
  std::string text = "\xEF\xBB\xBFlesen\r\n\n \r inside\n";
  for (int i = 0; i < 60'000; ++i) text += "line " + std::to_string(i) + (i % 3 ? "\n" : "\r\n");
  text += "without an end";
  testing::write_file(folder / "plain", text);
  for (const testing::Packing& packing : testing::kPackings) {
    testing::write_file(folder / packing.format, packing.pack(text));
  }
  const TextLines whole = read_lines(folder / "plain");
  const Strings expected(whole.views().begin(), whole.views().end());
  for (const char* name : {"plain", "gzip", "xz", "zstd"}) {
    for (const std::size_t most : {std::size_t{7}, std::size_t{4096}, std::size_t{100'000}}) {
      LineReader reader(folder / name);
      CHECK(all_lines(reader, most) == expected);
    }
  }
}

TEST_CASE("a part has about as many bytes as are asked for, and one line at least") {
  const testing::ScratchFolder folder;
  const std::string thousand(1000, 'a');
  testing::write_file(folder / "x", thousand + "\n" + thousand + "\n" + thousand + "\n");
  LineReader reader(folder / "x");
  CHECK(reader.next(10, 1500).size() == 2);
  CHECK(reader.next(10, 1) == Strings{thousand});
  CHECK(reader.next(10, 1).empty());
}

TEST_CASE("lines of a pipe are handed out as they come") {
  const Pipe pipe;
  LineReader reader(pipe.out.get(), "stdin");
  pipe.write("one\ntwo\nth");
  CHECK(reader.next(10) == Strings{"one", "two"});
  pipe.write("ree\nfour\nfive\n");
  CHECK(reader.next(2) == Strings{"three", "four"});
  CHECK(reader.next(2) == Strings{"five"});
  CHECK(reader.first_line() == 5);
}

TEST_CASE("how much of a file the lines so far are") {
  const testing::ScratchFolder folder;
  std::string text;
  for (int line = 0; line < 100000; ++line) text += "line " + std::to_string(line % 7) + "\n";
  testing::write_file(folder / "plain", text);
  LineReader plain(folder / "plain");
  CHECK(plain.share() == 0);
  for (const double share : {0.25, 0.5, 0.75, 1.0}) {
    plain.next(25000);
    CHECK(plain.share() == doctest::Approx(share).epsilon(1e-9));
  }

  for (const testing::Packing& packing : testing::kPackings) {
    CAPTURE(packing.format);
    testing::write_file(folder / "packed", packing.pack(text));
    LineReader packed(folder / "packed");
    double before = 0;
    for (int part = 0; part < 4; ++part) {
      packed.next(25000);
      CHECK(packed.share() >= before);  // the libraries take blocks
      CHECK(packed.share() > 0);
      before = packed.share();
    }
    CHECK(before == doctest::Approx(1).epsilon(1e-9));
  }

  const Pipe pipe;
  pipe.write("a\nb\n");
  LineReader piped(pipe.out.get(), "pipe");
  CHECK(piped.next(1).size() == 1);
  CHECK(piped.share() == 0);
}

TEST_CASE("passing a limit is an error with the line and the limit") {
  const LineLimits line{.line_bytes = 4}, lines{.lines = 2}, bytes{.bytes = 6};
  CHECK(error_of("1234\n1234\r\n\n", {.line_bytes = 5}) == "");
  CHECK(contains(error_of("1\n12345\n", line), "/x:2: expected at most 4 bytes in a line"));
  CHECK(error_of("1\n2", lines) == "");
  CHECK(error_of("1\n2\n", lines) == "");
  CHECK(contains(error_of("1\n2\n\n", lines), "/x:3: expected at most 2 lines, given more"));
  CHECK(error_of("12\n34\n", bytes) == "");
  CHECK(contains(error_of("12\n34\n5", bytes), "/x:3: expected at most 6 bytes of text"));
}

TEST_CASE("a line without an end is refused when it passes the limit, not at its end") {
  const long before = peak_rss_kib();
  const FileDescriptor zeros(::open("/dev/zero", O_RDONLY | O_CLOEXEC));
  LineReader reader(zeros.get(), "stdin", {.line_bytes = std::int64_t{1} << 20});
  CHECK(contains(message_of([&] { reader.next(1); }), "stdin:1: expected at most 1048576 bytes"));
  CHECK(contains(message_of([&] { read_lines("/dev/zero", {.bytes = 1 << 20}); }),
                 "/dev/zero:1: expected at most 1048576 bytes of text"));
  CHECK(peak_rss_kib() - before < 16 * 1024);
}

TEST_CASE("what is not UTF-8 is told by line and byte, and UTF-16 by its name") {
  CHECK(contains(error_of("gut\nsch\xF6n\n"), "/x:2:4: expected UTF-8, given the byte 0xF6"));
  CHECK(contains(error_of("caf\xC3"), "/x:1:4: expected UTF-8, given the byte 0xC3"));
  using namespace std::string_literals;
  CHECK(contains(error_of("\xFF\xFEh\0i\0"s), "/x:1:1: expected UTF-8, given UTF-16"));
  CHECK(contains(error_of("\xFE\xFF\0h\0i"s), "iconv -f UTF-16 -t UTF-8"));
  CHECK(contains(error_of("h\0e\0l\0l\0o\0\n\0t\0o\0"s),
                 "/x:1:1: expected UTF-8, given UTF-16 (convert the text first, for example with "
                 "iconv -f UTF-16LE -t UTF-8)"));
  CHECK(contains(error_of("\0h\0e\0\xFC\0\n"s), "iconv -f UTF-16BE -t UTF-8"));
  CHECK(error_of("a\0b\n"s) == "");
  CHECK(contains(error_of(""), "/x: expected at least one line, given an empty file"));
  CHECK(error_of("", {.may_be_empty = true}) == "");
}

}  // namespace
}  // namespace kette
