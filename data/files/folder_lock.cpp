#include "data/files/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "tensor/error.h"

namespace kette {
namespace {

constexpr const char* kLockFile = ".lock";

std::string this_process() {
  char host[256] = "";
  ::gethostname(host, sizeof host - 1);
  return "process " + std::to_string(::getpid()) + " on " + host;
}

std::string content_of(const FileDescriptor& descriptor) {
  char content[512];
  const ssize_t count = ::pread(descriptor.get(), content, sizeof content, 0);
  return count > 0 ? std::string(content, static_cast<std::size_t>(count)) : "another process";
}

}  // namespace

FolderLock::FolderLock(const std::filesystem::path& folder) : file_(folder / kLockFile) {
  do {
    descriptor_ = FileDescriptor(
        ::open(file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666));
    KETTE_CHECK(descriptor_.is_open(), folder.string(),
                ": expected a folder that can be written, given one that cannot (",
                std::strerror(errno), "; choose another one)");
    const bool is_taken =
        ::flock(descriptor_.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    KETTE_CHECK(!is_taken, folder.string(),
                ": expected a folder in which no other run is at work, given one that ",
                content_of(descriptor_),
                " writes (wait for it, stop it, or choose another folder)");
  } while (!descriptor_.is_at(file_));  // its owner has just removed it
  const std::string owner = this_process();
  // Only for people: a full disk must not stop the program.
  if (::ftruncate(descriptor_.get(), 0) != 0) return;
  if (::pwrite(descriptor_.get(), owner.data(), owner.size(), 0) < 0) return;
}

FolderLock::~FolderLock() { ::unlink(file_.c_str()); }

}  // namespace kette
