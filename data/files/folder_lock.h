// One writer per folder: an advisory lock that the system releases when its owner dies. The lock
// file says who holds it, and is removed by its owner.
#pragma once

#include <filesystem>

#include "data/files/file_descriptor.h"

namespace kette {

class FolderLock {
 public:
  /// Locks an existing folder. Throws, with host and process, while another holds the lock. On a
  /// file system without locks it does not lock.
  explicit FolderLock(const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  std::filesystem::path file_;
  FileDescriptor descriptor_;
};

}  // namespace kette
