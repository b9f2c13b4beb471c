// Lists and names folders. (The standard library's iterators end the program if memory for a name runs out.)
#pragma once

#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

namespace kette {

/// The paths of its direct entries, sorted by name. On failure sets `error` and returns none.
std::vector<std::filesystem::path> folder_entries(const std::filesystem::path& folder,
                                                  std::error_code& error);
/// The same, but throws if the folder cannot be listed.
std::vector<std::filesystem::path> folder_entries(const std::filesystem::path& folder);
/// Its entries and those of its subfolders, links not followed; a folder before its entries.
std::vector<std::filesystem::path> everything_below(const std::filesystem::path& folder);

/// The last part of the path, which may end with a slash.
std::string name_of_folder(const std::filesystem::path& folder);

}  // namespace kette
