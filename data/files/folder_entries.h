// What lies in a folder. The iterators of the standard library end the program where there is no memory for a name.
#pragma once

#include <filesystem>
#include <system_error>
#include <vector>

namespace kette {

/// The paths of all that is directly in it, by name. What went wrong is in `error`, and then there are none.
std::vector<std::filesystem::path> folder_entries(const std::filesystem::path& folder,
                                                  std::error_code& error);
/// Throws where the folder cannot be listed.
std::vector<std::filesystem::path> folder_entries(const std::filesystem::path& folder);
/// Of it and of the folders in it, links not followed; a folder comes before what is in it.
std::vector<std::filesystem::path> everything_below(const std::filesystem::path& folder);

}  // namespace kette
