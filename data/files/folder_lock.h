// One writer per folder: an advisory lock that the system gives back when its owner dies, however
// that happens. The file that carries it says who holds it, and is gone with the owner.
#pragma once

#include <filesystem>

#include "data/files/file_descriptor.h"

namespace kette {

class FolderLock {
 public:
  /// Of a folder that is there. Throws, naming host and process, while another one holds it. On a
  /// file system without locks there is none.
  explicit FolderLock(const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  std::filesystem::path file_;
  FileDescriptor descriptor_;
};

}  // namespace kette
