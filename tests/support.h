// What several tests share: folders and files, texts, and what a call throws.
#pragma once

#include <cstddef>
#include <exception>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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
std::filesystem::path source_folder();

/// The folder of optional data sets (KETTE_SHARED_DATA, or ../shared/data beside the source tree);
/// nothing when it is absent, and the test then skips with a message.
std::optional<std::filesystem::path> shared_data();

/// A folder below the system's temporary one, removed with everything in it at the end of the
/// scope.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

void write_file(const std::filesystem::path& path, const std::string& content);
std::string read_file(const std::filesystem::path& path);
/// The bytes of each, by name.
std::map<std::string, std::string> files_in(const std::filesystem::path& folder);
/// Their count.
std::ptrdiff_t entries_in(const std::filesystem::path& folder);

bool contains(std::string_view text, std::string_view part);
/// How often it stands there, overlapping places included.
std::size_t count_of(std::string_view text, std::string_view part);
std::vector<std::string> lines_of(const std::string& text);

/// What a call throws, as text; empty when it throws nothing.
template <class Action>
std::string message_of(Action&& action) {
  try {
    action();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

}  // namespace kette::testing
