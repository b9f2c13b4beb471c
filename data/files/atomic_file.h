// Atomic replacement of files and folders: a kill or a power cut at any moment leaves the old one
// or the new one. The new content is written under a temporary name beside the target and synced to
// disk, then renamed to the target by rename(2), and the parent folder is synced. Temporaries are
// called .NAME.kette-unfinished-* and locked by their writer. An unlocked one was left by a killed
// writer; the next writer of NAME removes it.
#pragma once

#include <filesystem>
#include <string_view>

#include "data/files/file_descriptor.h"

namespace kette {

/// A file being written. Without commit() the old file stays and the new content is discarded.
class AtomicFile {
 public:
  explicit AtomicFile(const std::filesystem::path& path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::string_view bytes);
  /// Overwrites the first bytes, for a header that is known only at the end.
  void overwrite_start(std::string_view bytes);
  void commit();

 private:
  std::filesystem::path target_, temporary_;
  FileDescriptor descriptor_;
};

/// Writes a whole file by an AtomicFile.
void write_file_atomically(const std::filesystem::path& path, std::string_view content);

/// Several files that belong together, such as a checkpoint: write them into path(), then commit().
/// Readers of the target see only old files or only new ones.
class AtomicFolder {
 public:
  /// How to replace an existing folder. Two renames are for file systems that cannot exchange: the
  /// target is missing for a moment, and if the writer is killed then, the next writer (or
  /// remove_leftovers) restores the old folder.
  enum class Replace { exchange, two_renames };

  explicit AtomicFolder(const std::filesystem::path& path);
  ~AtomicFolder();
  AtomicFolder(const AtomicFolder&) = delete;
  AtomicFolder& operator=(const AtomicFolder&) = delete;

  /// The temporary folder to write into.
  const std::filesystem::path& path() const { return temporary_; }
  /// Refuses to replace a folder that has entries which the new one does not.
  void commit(Replace how = Replace::exchange);

 private:
  std::filesystem::path target_, temporary_;
  FileDescriptor descriptor_;
};

/// Makes the folder and its parents, unless they exist.
void make_folder(const std::filesystem::path& folder);
/// For a folder that is written once: throws unless the path does not exist or is an empty folder,
/// and its parent exists.
void check_is_free(const std::filesystem::path& folder);

/// Removes temporaries that killed writers of `path` left. Every writer does this first.
void remove_leftovers(const std::filesystem::path& path);

}  // namespace kette
