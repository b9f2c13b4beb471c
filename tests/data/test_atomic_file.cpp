// Whole files and folders under kills, full disks and other people's files.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <functional>
#include <string>

#include "data/files/atomic_file.h"
#include "tensor/error.h"
#include "tests/data/tiny_text.h"
#include "tests/in_child.h"
#include "tests/support.h"

namespace kette {
namespace {

namespace fs = std::filesystem;
using testing::contains;
using testing::entries_in;
using testing::in_child;
using testing::message_of;
using testing::read_file;
using testing::ScratchFolder;
using testing::write_file;

constexpr int kSkipped = 77;

/// Gives this process mounts that no other sees; without root by being root of a namespace of its
/// own.
bool own_mounts() {
  const std::string user = std::to_string(::geteuid()), group = std::to_string(::getegid());
  if (::unshare(CLONE_NEWNS) == 0) return true;
  if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
  write_file("/proc/self/setgroups", "deny");
  write_file("/proc/self/uid_map", "0 " + user + " 1");
  write_file("/proc/self/gid_map", "0 " + group + " 1");
  return ::geteuid() == 0;
}

void write_pair(const fs::path& folder, const std::string& content) {
  write_file(folder / "first", content);
  write_file(folder / "second", content);
}

}  // namespace

TEST_CASE("atomic file: replaces, and leaves nothing beside the target") {
  const ScratchFolder scratch;
  write_file_atomically(scratch / "model", "old");
  write_file_atomically(scratch / "model", "new");
  CHECK(read_file(scratch / "model") == "new");
  CHECK(entries_in(scratch.path()) == 1);
}

TEST_CASE("atomic file: without a commit the earlier content stays") {
  const ScratchFolder scratch;
  write_file(scratch / "model", "old");
  {
    AtomicFile file(scratch / "model");
    file.write("half of the new");
    CHECK(entries_in(scratch.path()) == 2);
  }
  CHECK(read_file(scratch / "model") == "old");
  CHECK(entries_in(scratch.path()) == 1);
}

TEST_CASE("atomic file: what is replaced keeps its rights") {
  const ScratchFolder scratch;
  const auto rights = [](const fs::path& path) { return fs::status(path).permissions(); };
  for (const mode_t mode : {0600, 0640, 0666}) {
    write_file(scratch / "secret", "old");
    fs::permissions(scratch / "secret", static_cast<fs::perms>(mode));
    {
      AtomicFile file(scratch / "secret");
      for (const auto& entry : fs::directory_iterator(scratch.path())) {
        CHECK(rights(entry.path()) == static_cast<fs::perms>(mode));
      }
      file.commit();
    }
    CHECK(rights(scratch / "secret") == static_cast<fs::perms>(mode));
  }
  fs::create_directory(scratch / "folder");
  fs::permissions(scratch / "folder", fs::perms::owner_all);
  AtomicFolder(scratch / "folder").commit();
  CHECK(rights(scratch / "folder") == fs::perms::owner_all);
  write_file_atomically(scratch / "new", "text");
  const mode_t mask = ::umask(0);
  ::umask(mask);
  CHECK(rights(scratch / "new") == static_cast<fs::perms>(0666 & ~mask));
}

TEST_CASE("atomic file: a pipe with the name of a leftover is left alone and not waited for") {
  const ScratchFolder scratch;
  const fs::path pipe = scratch / ".model.kette-unfinished-1-0";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  const int code = in_child([&] {
    ::alarm(5);
    write_file_atomically(scratch / "model", "text");
    return 0;
  });
  CHECK(code == 0);
  CHECK(read_file(scratch / "model") == "text");
  CHECK(fs::is_fifo(pipe));
}

TEST_CASE("atomic file: a link goes on pointing to the file") {
  const ScratchFolder scratch;
  write_file(scratch / "step-200", "old");
  fs::create_symlink("step-200", scratch / "best");
  write_file_atomically(scratch / "best", "new");
  CHECK(fs::is_symlink(scratch / "best"));
  CHECK(read_file(scratch / "step-200") == "new");
}

TEST_CASE("atomic file: a directory, a device and a missing folder are errors") {
  const ScratchFolder scratch;
  const auto error = [](const fs::path& path) {
    return message_of([&] { write_file_atomically(path, "text"); });
  };
  CHECK(contains(error(scratch.path()), "expected a file to write, given a directory"));
  CHECK(contains(error("/dev/null"), "given a device or pipe"));
  int ends[2];  // as /dev/stdout is, before another program
  REQUIRE(::pipe(ends) == 0);
  CHECK(contains(error("/proc/self/fd/" + std::to_string(ends[1])), "given a device or pipe"));
  for (const int end : ends) ::close(end);
  CHECK(contains(error(scratch / "missing" / "model"), "No such file"));
  CHECK(contains(error(""), "expected the path of a file"));
  CHECK(entries_in(scratch.path()) == 0);
}

TEST_CASE("atomic file: an unwritable folder is an error") {
  const ScratchFolder scratch;
  const fs::path folder = scratch / "folder";
  fs::create_directory(folder);
  write_file(folder / "model", "old");
  ::chmod(scratch.path().c_str(), 0755);
  ::chmod(folder.c_str(), 0555);
  const int code = in_child([&] {
    if (::geteuid() == 0 && ::setuid(65534) != 0) return kSkipped;
    const std::string error = message_of([&] { write_file_atomically(folder / "model", "new"); });
    return contains(error, "Permission denied; choose a folder") ? 0 : 1;
  });
  ::chmod(folder.c_str(), 0755);
  if (code == kSkipped) MESSAGE("skipped: this process cannot give up its rights");
  CHECK((code == 0 || code == kSkipped));
  CHECK(read_file(folder / "model") == "old");
  CHECK(entries_in(folder) == 1);
}

TEST_CASE("atomic file: a file size limit is an error and the earlier file stays") {
  const ScratchFolder scratch;
  write_file(scratch / "model", "old");
  const int code = in_child([&] {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{4096, 4096};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const std::string text(100'000, 'x');
    const std::string error = message_of([&] { write_file_atomically(scratch / "model", text); });
    return contains(error, "File too large") && entries_in(scratch.path()) == 1 ? 0 : 1;
  });
  CHECK(code == 0);
  CHECK(read_file(scratch / "model") == "old");
}

TEST_CASE("atomic file: a full disk is an error and the earlier file stays") {
  const ScratchFolder scratch;
  const int code = in_child([&] {
    if (!own_mounts()) return kSkipped;
    if (::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount("tmpfs", scratch.path().c_str(), "tmpfs", 0, "size=64k") != 0) {
      return kSkipped;
    }
    write_file(scratch / "model", "old");
    const std::string text(1 << 20, 'x');
    const std::string error = message_of([&] { write_file_atomically(scratch / "model", text); });
    const bool told = contains(error, "No space left on device; free some space");
    return told && entries_in(scratch.path()) == 1 && read_file(scratch / "model") == "old" ? 0 : 1;
  });
  if (code == kSkipped) MESSAGE("skipped: this process may not mount a small disk");
  CHECK((code == 0 || code == kSkipped));
}

TEST_CASE("atomic folder: where there is no room for one is told beforehand") {
  const ScratchFolder folder;
  CHECK_NOTHROW(check_is_free(folder / "new"));
  CHECK_NOTHROW(check_is_free(folder / "new/"));
  CHECK_NOTHROW(check_is_free("new"));
  CHECK(
      contains(message_of([&] { check_is_free(folder / "none/new"); }), "create its folder first"));
  write_file(folder / "file", "");
  CHECK_THROWS_AS(check_is_free(folder / "file"), Error);
}

TEST_CASE("atomic folder: is replaced as a whole, with and without exchange") {
  for (const auto how : {AtomicFolder::Replace::exchange, AtomicFolder::Replace::two_renames}) {
    const ScratchFolder scratch;
    for (const char* content : {"old", "new"}) {
      AtomicFolder folder(scratch / "checkpoint/");
      write_pair(folder.path(), content);
      folder.commit(how);
      CHECK(read_file(scratch / "checkpoint" / "first") == content);
      CHECK(entries_in(scratch.path()) == 1);
    }
    {
      AtomicFolder folder(scratch / "checkpoint");
      write_pair(folder.path(), "abandoned");
    }
    CHECK(read_file(scratch / "checkpoint" / "second") == "new");
    CHECK(entries_in(scratch.path()) == 1);
  }
}

TEST_CASE("atomic folder: never throws away files that are not its own") {
  const ScratchFolder scratch;
  fs::create_directories(scratch / "home" / "letters");
  write_file(scratch / "home" / "letters" / "one", "dear");
  AtomicFolder folder(scratch / "home");
  write_pair(folder.path(), "new");
  CHECK(contains(message_of([&] { folder.commit(); }), "given one that also has letters"));
  CHECK(read_file(scratch / "home" / "letters" / "one") == "dear");
  write_file(scratch / "file", "text");
  CHECK(contains(message_of([&] { AtomicFolder(scratch / "file"); }), "given a file"));
}

TEST_CASE("atomic folder: leftovers go, a living writer's files stay, a lost folder comes back") {
  const ScratchFolder scratch;
  AtomicFolder living(scratch / "checkpoint");
  write_pair(living.path(), "living");
  fs::create_directory(scratch / ".checkpoint.kette-unfinished-1-0");
  fs::create_directory(scratch / ".checkpoint.kette-replaced-1-0");
  fs::create_directory(scratch / ".other.kette-unfinished-1-0");
  write_pair(scratch / ".checkpoint.kette-replaced-1-0", "earlier");
  remove_leftovers(scratch / "checkpoint");
  CHECK(read_file(scratch / "checkpoint" / "first") == "earlier");
  CHECK(fs::exists(living.path()));
  CHECK(fs::exists(scratch / ".other.kette-unfinished-1-0"));
  CHECK(entries_in(scratch.path()) == 3);
  living.commit();
  CHECK(read_file(scratch / "checkpoint" / "first") == "living");
}

TEST_CASE("atomic writes: a kill at any moment leaves the old or the new whole") {
  const ScratchFolder scratch;
  const std::string old_text(200'000, 'o'), new_text(200'000, 'n');
  const auto whole = [&](const fs::path& path) {
    const std::string text = read_file(path);
    return text == old_text || text == new_text;
  };
  for (int round = 0; round < 20; ++round) {
    write_file_atomically(scratch / "model", old_text);
    const pid_t child = ::fork();
    if (child == 0) {
      try {
        while (true) {
          for (const std::string* text : {&new_text, &old_text}) {
            write_file_atomically(scratch / "model", *text);
            AtomicFolder folder(scratch / "checkpoint");
            write_pair(folder.path(), *text);
            folder.commit();
          }
        }
      } catch (...) {
      }
      ::_exit(1);
    }
    ::usleep(static_cast<useconds_t>(2'000 + 1'700 * round));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    REQUIRE(WIFSIGNALED(status));
    REQUIRE(whole(scratch / "model"));
    if (fs::exists(scratch / "checkpoint")) {
      REQUIRE(whole(scratch / "checkpoint" / "first"));
      REQUIRE(read_file(scratch / "checkpoint" / "first") ==
              read_file(scratch / "checkpoint" / "second"));
    }
    remove_leftovers(scratch / "model");
    remove_leftovers(scratch / "checkpoint");
    REQUIRE(entries_in(scratch.path()) == 1 + fs::exists(scratch / "checkpoint"));
  }
}

}  // namespace kette
