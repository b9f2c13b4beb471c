#include "data/files/folder_entries.h"

#include <dirent.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <string_view>

#include "tensor/error.h"

namespace kette {

namespace fs = std::filesystem;

std::vector<fs::path> folder_entries(const fs::path& folder, std::error_code& error) {
  error.clear();
  const std::unique_ptr<DIR, int (*)(DIR*)> open(::opendir(folder.c_str()), &::closedir);
  std::vector<fs::path> paths;
  while (open) {
    errno = 0;
    const dirent* entry = ::readdir(open.get());
    if (entry == nullptr) break;
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") paths.push_back(folder / name);
  }
  if (errno != 0) {
    error.assign(errno, std::generic_category());
    return {};
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::vector<fs::path> folder_entries(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> paths = folder_entries(folder, error);
  KETTE_CHECK(!error, folder.string(), ": expected a folder that can be listed, given an error (",
              error.message(), ")");
  return paths;
}

std::vector<fs::path> everything_below(const fs::path& folder) {
  std::vector<fs::path> all;
  for (const fs::path& path : folder_entries(folder)) {
    all.push_back(path);
    if (!fs::is_directory(fs::symlink_status(path))) continue;
    for (fs::path& inner : everything_below(path)) all.push_back(std::move(inner));
  }
  return all;
}

std::string name_of_folder(const fs::path& folder) {
  const std::filesystem::path path = std::filesystem::absolute(folder).lexically_normal();
  return (path.has_filename() ? path : path.parent_path()).filename().string();
}

}  // namespace kette
