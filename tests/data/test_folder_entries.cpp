// What lies in a folder.
#include <doctest/doctest.h>

#include "data/files/folder_entries.h"
#include "tests/data/tiny_text.h"
#include "tests/support.h"

using namespace kette;
using namespace kette::testing;
namespace fs = std::filesystem;

TEST_CASE("folder entries: all names in order, and what is wrong with a folder") {
  const ScratchFolder folder;
  for (const char* name : {"b", ".hidden", "a b", "c\xff"}) write_file(folder / name, "");
  fs::create_directories(folder / "within" / "deeper");
  write_file(folder / "within" / "deeper" / "file", "");
  fs::create_directory_symlink(folder.path(), folder / "round");
  const std::vector<fs::path> names = {folder / ".hidden", folder / "a b",   folder / "b",
                                       folder / "c\xff",   folder / "round", folder / "within"};
  CHECK(folder_entries(folder.path()) == names);
  std::vector<fs::path> all = names;
  all.push_back(folder / "within" / "deeper");
  all.push_back(folder / "within" / "deeper" / "file");
  CHECK(everything_below(folder.path()) == all);

  std::error_code error;
  CHECK(folder_entries(folder / "none", error).empty());
  CHECK(error == std::errc::no_such_file_or_directory);
  CHECK(folder_entries(folder / "b", error).empty());
  CHECK(error == std::errc::not_a_directory);
  CHECK(folder_entries(folder / "within" / "deeper", error).size() == 1);
  CHECK_FALSE(error);
  CHECK(contains(message_of([&] { folder_entries(folder / "none"); }),
                 "a folder that can be listed"));
}
