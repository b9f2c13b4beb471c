#include "tests/support.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>

namespace fs = std::filesystem;

namespace kette::testing {

fs::path source_folder() {
  const char* named = std::getenv("KETTE_SOURCE_DIR");
  return named ? named : KETTE_SOURCE_DIR;
}

std::optional<fs::path> shared_data() {
  const char* named = std::getenv("KETTE_SHARED_DATA");
  const fs::path folder = named ? fs::path(named) : source_folder() / ".." / "shared" / "data";
  if (!fs::is_directory(folder)) return std::nullopt;
  return folder;
}

ScratchFolder::ScratchFolder() {
  std::string pattern = (fs::temp_directory_path() / "kette-test-XXXXXX").string();
  path_ = ::mkdtemp(pattern.data());
}
ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

void write_file(const fs::path& path, const std::string& content) {
  std::ofstream(path, std::ios::binary) << content;
}
std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
std::map<std::string, std::string> files_in(const fs::path& folder) {
  std::map<std::string, std::string> all;
  for (const auto& entry : fs::directory_iterator(folder)) {
    all[entry.path().filename().string()] = read_file(entry.path());
  }
  return all;
}
std::ptrdiff_t entries_in(const fs::path& folder) {
  return std::distance(fs::directory_iterator(folder), fs::directory_iterator());
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}
std::size_t count_of(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string_view::npos; ++at) ++count;
  return count;
}
std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

}  // namespace kette::testing
