// A file or a folder is on the disk before it has its name: a rename that reaches the disk first
// leaves, after a loss of power, the new name and not the content. The calls of fsync() in this
// program come here, and say what the file was called.
#include <doctest/doctest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "data/files/atomic_file.h"
#include "tests/support.h"

namespace {

namespace fs = std::filesystem;
using kette::AtomicFolder;
using kette::testing::ScratchFolder;
using kette::testing::write_file;

std::vector<fs::path>* synced = nullptr;

}  // namespace

/// Takes the place of the C library's, for the linker finds it first.
extern "C" int fsync(int descriptor) {
  if (synced != nullptr) {
    synced->push_back(fs::read_symlink("/proc/self/fd/" + std::to_string(descriptor)));
  }
  return static_cast<int>(::syscall(SYS_fsync, descriptor));
}

namespace {

/// The paths of what is synced by an action, as they are then, below a folder.
template <class Action>
std::vector<std::string> synced_by(const fs::path& folder, Action&& action) {
  std::vector<fs::path> paths;
  synced = &paths;
  action();
  synced = nullptr;
  std::vector<std::string> names;
  for (const fs::path& path : paths) {
    names.push_back(path.lexically_relative(fs::canonical(folder)).string());
  }
  return names;
}

}  // namespace

TEST_CASE("atomic file: its content is on the disk before the name, and then the name") {
  const ScratchFolder scratch;
  for (const char* content : {"new", "replaced"}) {
    const auto names = synced_by(scratch.path(),
                                 [&] { kette::write_file_atomically(scratch / "model", content); });
    REQUIRE(names.size() == 2);
    CHECK(names[0].starts_with(".model.kette-unfinished-"));
    CHECK(names[1] == ".");
  }
}

TEST_CASE("atomic folder: all of it is on the disk before the name, and then the name") {
  const ScratchFolder scratch;
  for (const auto how : {AtomicFolder::Replace::exchange, AtomicFolder::Replace::two_renames}) {
    AtomicFolder folder(scratch / "model");
    fs::create_directory(folder.path() / "part");
    write_file(folder.path() / "part" / "file", "content");
    const std::string unfinished = folder.path().filename();
    auto names = synced_by(scratch.path(), [&] { folder.commit(how); });
    REQUIRE(names.size() == 4);
    CHECK(names.back() == ".");
    std::sort(names.begin(), names.end() - 1);
    CHECK(names[0] == unfinished);
    CHECK(names[1] == unfinished + "/part");
    CHECK(names[2] == unfinished + "/part/file");
  }
}
