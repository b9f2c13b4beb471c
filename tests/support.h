// What several tests share: where optional data lives and a scratch folder that cleans up after
// itself.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>

namespace kette::testing {

/// Built with the thread sanitizer, whose own memory lies in files: a limit on their size kills it.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define KETTE_THREAD_SANITIZER
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define KETTE_SANITIZER
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define KETTE_SANITIZER
#endif
#endif
/// Built with a sanitizer that takes most addresses for itself.
#ifdef KETTE_SANITIZER
inline constexpr bool kSanitizer = true;
#else
inline constexpr bool kSanitizer = false;
#endif
#ifdef KETTE_THREAD_SANITIZER
inline constexpr bool kThreadSanitizer = true;
#else
inline constexpr bool kThreadSanitizer = false;
#endif

/// The source tree, for fixtures: that of this build, or the one that the environment names where
/// the tests run elsewhere.
inline std::filesystem::path source_folder() {
  const char* named = std::getenv("KETTE_SOURCE_DIR");
  return named ? named : KETTE_SOURCE_DIR;
}

/// The folder of optional data sets (KETTE_SHARED_DATA, or ../shared/data beside the source tree);
/// nothing when it is absent, and the test then skips with a message.
inline std::optional<std::filesystem::path> shared_data() {
  const char* named = std::getenv("KETTE_SHARED_DATA");
  const std::filesystem::path folder =
      named ? std::filesystem::path(named) : source_folder() / ".." / "shared" / "data";
  if (!std::filesystem::is_directory(folder)) return std::nullopt;
  return folder;
}

/// A folder below the system's temporary one, removed with everything in it at the end of the
/// scope.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "kette-test-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

inline void write_file(const std::filesystem::path& path, const std::string& content) {
  std::ofstream(path, std::ios::binary) << content;
}

inline std::string read_file(const std::filesystem::path& path) {
  std::ostringstream content;
  content << std::ifstream(path, std::ios::binary).rdbuf();
  return content.str();
}

}  // namespace kette::testing
