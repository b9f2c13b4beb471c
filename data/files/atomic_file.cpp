#include "data/files/atomic_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "data/files/folder_entries.h"
#include "tensor/error.h"

namespace kette {
namespace {

namespace fs = std::filesystem;

constexpr const char* kUnfinished = ".kette-unfinished-";
constexpr const char* kReplaced = ".kette-replaced-";
constexpr const char* kNoRegularFile =
    ": expected a regular file to replace, given a device or pipe";

/// Replaces the temporary name in a path by the final one: ".q.kette-unfinished-12-0/config.json"
/// gives "q/config.json".
fs::path as_asked_for(const fs::path& path) {
  fs::path asked;
  for (const fs::path& part : path) {
    const std::string name = part.string();
    const std::size_t end = name.find(kUnfinished);
    asked /= end == std::string::npos || end == 0 ? part : fs::path(name.substr(1, end - 1));
  }
  return asked;
}

[[noreturn]] void fail_on_system(const fs::path& path, const char* expected, int code) {
  const char* advice = "";
  if (code == ENOSPC || code == EDQUOT) advice = "; free some space, nothing saved before is lost";
  if (code == EACCES || code == EPERM || code == EROFS)
    advice = "; choose a folder you may write to";
  if (code == ENOENT || code == ENOTDIR) advice = "; create its folder first";
  fail(as_asked_for(path).string(), ": expected ", expected, ", given a failure (",
       std::strerror(code), advice, ")");
}

/// The path with links resolved, so that a link to the target stays valid.
fs::path resolved(const fs::path& path) {
  std::error_code error;
  fs::path whole = fs::weakly_canonical(fs::absolute(path, error), error);
  if (error) {
    std::error_code ignored;
    // /dev/stdout leads to no path where it is a pipe.
    KETTE_CHECK(!fs::is_other(fs::status(path, ignored)), path.string(), kNoRegularFile);
    fail_on_system(path, "a path that can be resolved", error.value());
  }
  if (!whole.has_filename()) whole = whole.parent_path();
  KETTE_CHECK(!path.empty() && whole.has_filename(),
              "atomic write: expected the path of a file or folder, given \"", path.string(), "\"");
  return whole;
}

fs::path beside(const fs::path& target, const std::string& ending) {
  fs::path name = ".";
  name += target.filename();
  name += ending;
  return target.parent_path() / name;
}

std::string unique_number() {
  static std::atomic<int> count = 0;
  return std::to_string(::getpid()) + "-" + std::to_string(count++);
}

/// The permissions of the target, which its replacement gets; nothing if it does not exist.
std::optional<mode_t> rights_of(const fs::path& target) {
  struct stat named {};
  if (::stat(target.c_str(), &named) != 0) return std::nullopt;
  return named.st_mode & 0777;
}

/// Creates and locks a temporary beside the target. create(path) returns a descriptor or -1 and
/// errno.
template <class Create>
FileDescriptor create_temporary(const fs::path& target, fs::path& temporary, Create&& create) {
  while (true) {
    temporary = beside(target, kUnfinished + unique_number());
    FileDescriptor descriptor(create(temporary.c_str()));
    if (!descriptor.is_open()) {
      if (errno == EEXIST) continue;
      const int code = errno;
      temporary.clear();
      fail_on_system(target, "a path that can be written", code);
    }
    ::flock(descriptor.get(), LOCK_EX);
    // Another process may have removed it as a leftover just before the lock.
    if (descriptor.is_at(temporary)) return descriptor;
  }
}

void sync(const FileDescriptor& descriptor, const fs::path& path) {
  // EINVAL: a file system without sync.
  if (::fsync(descriptor.get()) != 0 && errno != EINVAL) {
    fail_on_system(path, "a path that can be synced to disk", errno);
  }
}

void sync(const fs::path& path) {
  const FileDescriptor descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!descriptor.is_open()) fail_on_system(path, "a path that can be synced to disk", errno);
  sync(descriptor, path);
}

void sync_tree(const fs::path& folder) {
  for (const fs::path& path : everything_below(folder)) sync(path);
  sync(folder);
}

void rename_or_fail(const fs::path& from, const fs::path& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) {
    fail_on_system(to, "a path that can be replaced", errno);
  }
}

bool exchange(const fs::path& a, const fs::path& b) {
#ifdef RENAME_EXCHANGE
  return ::renameat2(AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), RENAME_EXCHANGE) == 0;
#else
  return false;
#endif
}

void check_successors(const fs::path& old_folder, const fs::path& new_folder) {
  for (const fs::path& old_path : everything_below(old_folder)) {
    if (old_path.filename().string().find(kUnfinished) != std::string::npos) continue;
    const fs::path name = old_path.lexically_relative(old_folder);
    std::error_code error;
    KETTE_CHECK(fs::is_directory(old_path, error) == fs::is_directory(new_folder / name, error) &&
                    fs::exists(new_folder / name, error),
                old_folder.string(),
                ": expected a folder whose every file is replaced, given one that also has ",
                name.string(), " (move that away, or choose another folder)");
  }
}

/// For file systems that cannot exchange. Returns the new path of the old folder.
fs::path replace_by_two_renames(const fs::path& target, const fs::path& temporary) {
  // Locked, so that no other process mistakes the moment without a target for a killed writer and
  // restores the old folder.
  const FileDescriptor lock(::open(target.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  ::flock(lock.get(), LOCK_EX);
  const fs::path old_folder = beside(target, kReplaced + unique_number());
  rename_or_fail(target, old_folder);
  if (::rename(temporary.c_str(), target.c_str()) != 0) {
    const int code = errno;
    rename_or_fail(old_folder, target);
    fail_on_system(target, "a path that can be replaced", code);
  }
  return old_folder;
}

/// Writers leave only regular files and folders. A pipe with such a name belongs to another
/// program; opening it must not block.
FileDescriptor open_leftover(const fs::path& path) {
  FileDescriptor descriptor(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat open {};
  const bool is_ours = descriptor.is_open() && ::fstat(descriptor.get(), &open) == 0 &&
                       (S_ISREG(open.st_mode) || S_ISDIR(open.st_mode));
  return is_ours ? std::move(descriptor) : FileDescriptor();
}

}  // namespace

AtomicFile::AtomicFile(const fs::path& path) : target_(resolved(path)) {
  std::error_code ignored;
  const fs::file_status status = fs::status(target_, ignored);
  KETTE_CHECK(!fs::is_directory(status), path.string(),
              ": expected a file to write, given a directory");
  KETTE_CHECK(!fs::exists(status) || fs::is_regular_file(status), path.string(), kNoRegularFile);
  remove_leftovers(target_);
  const std::optional<mode_t> rights = rights_of(target_);
  descriptor_ = create_temporary(target_, temporary_, [&](const char* name) {
    return ::open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, rights.value_or(0666));
  });
  // The umask may have removed some. Fails harmlessly on a file system without permissions.
  if (rights) ::fchmod(descriptor_.get(), *rights);
}

AtomicFile::~AtomicFile() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void AtomicFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_on_system(target_, "a path with room to write", errno);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void AtomicFile::overwrite_start(std::string_view bytes) {
  if (::lseek(descriptor_.get(), 0, SEEK_SET) != 0) {
    fail_on_system(target_, "a file that can be written from its start", errno);
  }
  write(bytes);
}

void AtomicFile::commit() {
  sync(descriptor_, target_);
  rename_or_fail(temporary_, target_);
  temporary_.clear();
  descriptor_.reset();
  sync(target_.parent_path());
}

void write_file_atomically(const fs::path& path, std::string_view content) {
  AtomicFile file(path);
  file.write(content);
  file.commit();
}

AtomicFolder::AtomicFolder(const fs::path& path) : target_(resolved(path)) {
  remove_leftovers(target_);
  std::error_code ignored;
  const fs::file_status status = fs::status(target_, ignored);
  KETTE_CHECK(!fs::exists(status) || fs::is_directory(status), path.string(),
              ": expected a folder to write, given a file");
  const mode_t rights = rights_of(target_) ? 0700 : 0777;
  descriptor_ = create_temporary(target_, temporary_, [&](const char* name) {
    return ::mkdir(name, rights) == 0 ? ::open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
  });
}

AtomicFolder::~AtomicFolder() {
  std::error_code ignored;
  if (!temporary_.empty()) fs::remove_all(temporary_, ignored);
}

void AtomicFolder::commit(Replace how) {
  if (const std::optional<mode_t> rights = rights_of(target_)) {
    ::fchmod(descriptor_.get(), *rights);
  }
  sync_tree(temporary_);
  fs::path old_folder;
  std::error_code ignored;
  if (!fs::exists(target_, ignored)) {
    rename_or_fail(temporary_, target_);
  } else {
    check_successors(target_, temporary_);
    const bool exchanged = how == Replace::exchange && exchange(temporary_, target_);
    old_folder = exchanged ? temporary_ : replace_by_two_renames(target_, temporary_);
  }
  temporary_.clear();
  descriptor_.reset();
  sync(target_.parent_path());
  if (!old_folder.empty()) fs::remove_all(old_folder, ignored);
}

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  KETTE_CHECK(!error, folder.string(), ": expected a folder that can be written, given ",
              error.message());
}

void check_is_free(const fs::path& folder) {
  std::error_code error;
  const fs::file_status status = fs::status(folder, error);
  KETTE_CHECK(
      !fs::exists(status) || (fs::is_directory(status) && fs::is_empty(folder, error)),
      folder.string(),
      ": expected a folder that is not there yet, given one that is (name another, or remove it)");
  const fs::path above = resolved(folder).parent_path();
  KETTE_CHECK(fs::is_directory(above, error), folder.string(),
              ": expected a place in a folder, given ", above.string(),
              ", which is none (create its folder first)");
}

void remove_leftovers(const fs::path& path) {
  const fs::path target = resolved(path);
  const std::string unfinished = beside(target, kUnfinished).filename();
  const std::string replaced = beside(target, kReplaced).filename();
  std::error_code error;  // ignored: the writer will report a missing or unreadable folder
  for (const fs::path& leftover : folder_entries(target.parent_path(), error)) {
    const std::string name = leftover.filename();
    if (!name.starts_with(unfinished) && !name.starts_with(replaced)) continue;
    const FileDescriptor descriptor = open_leftover(leftover);
    if (!descriptor.is_open() || ::flock(descriptor.get(), LOCK_EX | LOCK_NB) != 0) continue;
    const bool restore = name.starts_with(replaced) && !fs::exists(target);
    if (restore && ::rename(leftover.c_str(), target.c_str()) == 0) continue;
    fs::remove_all(leftover, error);
  }
}

}  // namespace kette
