// Files and folders that are replaced whole: a kill or a power cut at any moment leaves the old one
// or the new one. The new content goes to a temporary name beside the target, is synced to disk,
// takes the target's name in one rename(2), and the folder that holds the name is synced.
// Temporaries are called .NAME.kette-unfinished-* and are locked by their writer; an unlocked one
// was left by a killed writer, and the next writer of NAME removes it.
#pragma once

#include <filesystem>
#include <string_view>

#include "data/files/file_descriptor.h"

namespace kette {

/// A file under construction. Without commit() the earlier file stays and the new content vanishes.
class AtomicFile {
 public:
  explicit AtomicFile(const std::filesystem::path& path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::string_view bytes);
  /// Replaces the first bytes of what was written, for a header that is known only at the end.
  void overwrite_start(std::string_view bytes);
  void commit();

 private:
  std::filesystem::path target_, temporary_;
  FileDescriptor descriptor_;
};

/// The whole of AtomicFile for content at hand.
void write_file_atomically(const std::filesystem::path& path, std::string_view content);

/// Several files that belong together, such as a checkpoint: write them into path(), then commit().
/// Readers of the target see all old files or all new ones.
class AtomicFolder {
 public:
  /// How the new folder takes the place of an existing one. Two renames are for file systems that
  /// cannot exchange: for a moment the target is missing, and after a kill right then the next
  /// writer (or remove_leftovers) puts the earlier folder back.
  enum class Replace { exchange, two_renames };

  explicit AtomicFolder(const std::filesystem::path& path);
  ~AtomicFolder();
  AtomicFolder(const AtomicFolder&) = delete;
  AtomicFolder& operator=(const AtomicFolder&) = delete;

  /// The temporary folder to write into.
  const std::filesystem::path& path() const { return temporary_; }
  /// Refuses to replace a folder that holds anything the new one has no successor for.
  void commit(Replace how = Replace::exchange);

 private:
  std::filesystem::path target_, temporary_;
  FileDescriptor descriptor_;
};

/// Unless it is there, with the folders above it.
void make_folder(const std::filesystem::path& folder);
/// For what is written once: throws unless there is nothing at this path yet, or an empty folder, and the folder above it is there.
void check_is_free(const std::filesystem::path& folder);

/// Removes what killed writers of path left beside it. Every writer starts with this.
void remove_leftovers(const std::filesystem::path& path);

}  // namespace kette
