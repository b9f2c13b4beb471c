// A file is known again by its content, and a folder has one writer.
#include <doctest/doctest.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <fstream>

#include "data/files/file_fingerprint.h"
#include "data/files/folder_lock.h"
#include "data/files/text_size.h"
#include "tensor/error.h"
#include "tests/data/tiny_text.h"
#include "tests/support.h"

namespace kette {
namespace {

namespace fs = std::filesystem;
using testing::contains;
using testing::message_of;
using testing::ScratchFolder;
using testing::write_file;

TEST_CASE("file fingerprint: the content alone counts, every byte of a small file") {
  const ScratchFolder folder;
  const std::string text = "one line\nanother\n";
  write_file(folder / "a", text);
  write_file(folder / "b", text);
  const std::string good = file_fingerprint(folder / "a");
  CHECK(good.starts_with("17 bytes, crc32 "));
  CHECK(file_fingerprint(folder / "b") == good);
  for (std::size_t at = 0; at < text.size(); ++at) {
    std::string other = text;
    other[at] = '!';
    write_file(folder / "b", other);
    CHECK(file_fingerprint(folder / "b") != good);
  }
  write_file(folder / "empty", "");
  CHECK(file_fingerprint(folder / "empty") == "0 bytes, crc32 00000000");
  CHECK(file_fingerprint({folder / "a"}) == good);
  const std::string both = file_fingerprint({folder / "a", folder / "empty"});
  CHECK(both.starts_with("2 files, 17 bytes, crc32 "));
  CHECK(both != file_fingerprint({folder / "empty", folder / "a"}));
}

TEST_CASE("file fingerprint: of a large file start, end and blocks between them") {
  const ScratchFolder folder;
  const fs::path file = folder / "large";
  const std::uintmax_t size = (std::uintmax_t{5} << 30) + 123;  // of zeros that no disk holds
  write_file(file, "");
  fs::resize_file(file, size);
  const std::string zeros = file_fingerprint(file);
  for (const std::uintmax_t at : {std::uintmax_t{0}, size - 1, size - 65536}) {
    CAPTURE(at);
    std::fstream(file, std::ios::in | std::ios::out)
        .seekp(static_cast<std::streamoff>(at))
        .put('x');
    CHECK(file_fingerprint(file) != zeros);
    std::fstream(file, std::ios::in | std::ios::out)
        .seekp(static_cast<std::streamoff>(at))
        .put('\0');
    CHECK(file_fingerprint(file) == zeros);
  }
  fs::resize_file(file, size + 1);
  CHECK(file_fingerprint(file) != zeros);
}

TEST_CASE("file fingerprint: every byte of a text of many megabytes counts") {
  const ScratchFolder folder;
  const fs::path file = folder / "text";
  write_file(file, "");
  fs::resize_file(file, std::uintmax_t{80} << 20);
  const std::string zeros = file_fingerprint(file);
  std::fstream(file, std::ios::in | std::ios::out).seekp((80 << 20) / 256 * 7 + 99'999).put('x');
  CHECK(file_fingerprint(file) != zeros);
}

TEST_CASE("file fingerprint: what cannot be read twice is refused") {
  const ScratchFolder folder;
  CHECK(contains(message_of([&] { file_fingerprint(folder / "none"); }),
                 "none: expected a text file"));
  CHECK(contains(message_of([&] { file_fingerprint(folder.path()); }), "given a directory"));
  const std::string pipe = (folder / "pipe").string();
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  CHECK(
      contains(message_of([&] { file_fingerprint(fs::path(pipe)); }), "given a pipe or a device"));
}

TEST_CASE("text size: lines with and without an end, packed or not") {
  const ScratchFolder folder;
  const std::pair<const char*, std::int64_t> texts[] = {
      {"", 0}, {"a", 1}, {"a\n", 1}, {"a\nb", 2}, {"\n\n", 2}};
  for (const auto& [text, lines] : texts) {
    write_file(folder / "text", text);
    CHECK(text_size(folder / "text").lines == lines);
    CHECK(text_size(folder / "text").bytes == static_cast<std::int64_t>(std::string(text).size()));
  }
}

TEST_CASE("folder lock: one owner at a time, and a dead one's is taken over") {
  const ScratchFolder folder;
  {
    const FolderLock lock(folder.path());
    CHECK(contains(message_of([&] { FolderLock second(folder.path()); }),
                   "process " + std::to_string(::getpid())));
    CHECK(fs::exists(folder / ".lock"));
  }
  CHECK_FALSE(fs::exists(folder / ".lock"));
  const pid_t child = ::fork();
  if (child == 0) {
    new FolderLock(folder.path());
    ::_exit(0);  // without giving it back
  }
  ::waitpid(child, nullptr, 0);
  CHECK(testing::read_file(folder / ".lock").starts_with("process " + std::to_string(child)));
  const FolderLock lock(folder.path());
  CHECK(testing::read_file(folder / ".lock").starts_with("process " + std::to_string(::getpid())));
}

}  // namespace
}  // namespace kette
