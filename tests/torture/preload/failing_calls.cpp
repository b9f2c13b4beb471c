// Preloaded into the program: lets the n-th call of one function of the C library fail, as a full disk or a lack of
// memory would, and says how often each was called.
//   KETTE_FAILING_CALL=write   the one that fails; none: all go well
//   KETTE_FAILING_NUMBER=12    its call that does, from 1 on
//   KETTE_CALL_COUNTS=FILE     "write 12", a line for each function, once the program has ended
// Calls count from main() on: what comes before is not the program's own.
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

extern "C" void* __libc_malloc(std::size_t bytes);  // dlsym() may itself call malloc()

namespace {

struct Call {
  const char* name;
  int error;  // that it gives when it fails
  std::atomic<long> count{0};
};

// A number of the table, by which a function names itself.
enum : int {
  kFsync,
  kRename,
  kOpenat,
  kMkdir,
  kUnlink,
  kFtruncate,
  kPwrite,
  kFlock,
  kFchmod,
  kWrite,
  kOpen,
  kFopen,
  kClose,
  kRead,
  kPread,
  kReaddir,
  kMalloc,
  kCalls
};

Call calls[kCalls] = {{"fsync", EIO},     {"rename", EIO},    {"openat", EMFILE},
                      {"mkdir", ENOSPC},  {"unlink", EACCES}, {"ftruncate", ENOSPC},
                      {"pwrite", ENOSPC}, {"flock", ENOLCK},  {"fchmod", EPERM},
                      {"write", ENOSPC},  {"open", EMFILE},   {"fopen", EMFILE},
                      {"close", EIO},     {"read", EIO},      {"pread", EIO},
                      {"readdir", EIO},   {"malloc", ENOMEM}};

std::atomic<bool> is_counting{false};
int failing = -1;
long failing_number = 0;

/// Whether this call is the one that fails; errno says why.
bool fails(int call) {
  if (!is_counting.load(std::memory_order_relaxed)) return false;
  const long number = ++calls[call].count;
  if (call != failing || number != failing_number) return false;
  errno = calls[call].error;
  return true;
}

template <class Function>
Function real(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

void read_settings() {
  if (const char* name = std::getenv("KETTE_FAILING_CALL")) {
    for (int i = 0; i < kCalls; ++i) {
      if (std::strcmp(calls[i].name, name) == 0) failing = i;
    }
  }
  if (const char* number = std::getenv("KETTE_FAILING_NUMBER")) failing_number = std::atol(number);
}

void write_counts() {
  is_counting = false;
  const char* file = std::getenv("KETTE_CALL_COUNTS");
  if (file == nullptr) return;
  const int descriptor =
      static_cast<int>(syscall(SYS_openat, AT_FDCWD, file, O_WRONLY | O_CREAT | O_TRUNC, 0644));
  for (const Call& call : calls) {
    char line[64];
    const int length = std::snprintf(line, sizeof line, "%s %ld\n", call.name, call.count.load());
    syscall(SYS_write, descriptor, line, length);
  }
  syscall(SYS_close, descriptor);
}

int (*real_main)(int, char**, char**) = nullptr;

int counted_main(int count, char** words, char** environment) {
  read_settings();
  std::atexit(write_counts);
  is_counting = true;
  return real_main(count, words, environment);
}

}  // namespace

// NAME(PARAMETERS) of TYPE, which gives FAILED when it fails.
#define KETTE_COUNTED(TYPE, NAME, PARAMETERS, ARGUMENTS, CALL, FAILED) \
  extern "C" TYPE NAME PARAMETERS {                                    \
    static const auto call = real<TYPE(*) PARAMETERS>(#NAME);          \
    return fails(CALL) ? FAILED : call ARGUMENTS;                      \
  }

KETTE_COUNTED(int, fsync, (int file), (file), kFsync, -1)
KETTE_COUNTED(int, rename, (const char* from, const char* to), (from, to), kRename, -1)
KETTE_COUNTED(int, mkdir, (const char* path, mode_t mode), (path, mode), kMkdir, -1)
KETTE_COUNTED(int, unlink, (const char* path), (path), kUnlink, -1)
KETTE_COUNTED(int, ftruncate, (int file, off_t size), (file, size), kFtruncate, -1)
KETTE_COUNTED(int, ftruncate64, (int file, off_t size), (file, size), kFtruncate, -1)
KETTE_COUNTED(ssize_t, pwrite, (int file, const void* bytes, std::size_t count, off_t at),
              (file, bytes, count, at), kPwrite, -1)
KETTE_COUNTED(ssize_t, pwrite64, (int file, const void* bytes, std::size_t count, off_t at),
              (file, bytes, count, at), kPwrite, -1)
KETTE_COUNTED(int, flock, (int file, int operation), (file, operation), kFlock, -1)
KETTE_COUNTED(int, fchmod, (int file, mode_t mode), (file, mode), kFchmod, -1)
KETTE_COUNTED(ssize_t, write, (int file, const void* bytes, std::size_t count),
              (file, bytes, count), kWrite, -1)
KETTE_COUNTED(FILE*, fopen, (const char* path, const char* mode), (path, mode), kFopen, nullptr)
KETTE_COUNTED(FILE*, fopen64, (const char* path, const char* mode), (path, mode), kFopen, nullptr)
KETTE_COUNTED(ssize_t, read, (int file, void* bytes, std::size_t count), (file, bytes, count),
              kRead, -1)
KETTE_COUNTED(ssize_t, pread, (int file, void* bytes, std::size_t count, off_t at),
              (file, bytes, count, at), kPread, -1)
KETTE_COUNTED(ssize_t, pread64, (int file, void* bytes, std::size_t count, off_t at),
              (file, bytes, count, at), kPread, -1)
KETTE_COUNTED(dirent*, readdir, (DIR * folder), (folder), kReaddir, nullptr)
KETTE_COUNTED(dirent64*, readdir64, (DIR * folder), (folder), kReaddir, nullptr)

// A mode follows where a file may be made.
#define KETTE_COUNTED_OPEN(NAME, PARAMETERS, ARGUMENTS, CALL)                            \
  extern "C" int NAME PARAMETERS {                                                       \
    static const auto call = real<int(*) PARAMETERS>(#NAME);                             \
    va_list more;                                                                        \
    va_start(more, flags);                                                               \
    const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(more, mode_t) : 0; \
    va_end(more);                                                                        \
    return fails(CALL) ? -1 : call ARGUMENTS;                                            \
  }

KETTE_COUNTED_OPEN(open, (const char* path, int flags, ...), (path, flags, mode), kOpen)
KETTE_COUNTED_OPEN(open64, (const char* path, int flags, ...), (path, flags, mode), kOpen)
KETTE_COUNTED_OPEN(openat, (int folder, const char* path, int flags, ...),
                   (folder, path, flags, mode), kOpenat)
KETTE_COUNTED_OPEN(openat64, (int folder, const char* path, int flags, ...),
                   (folder, path, flags, mode), kOpenat)

/// The file is closed all the same, as on Linux.
extern "C" int close(int file) {
  const int result = static_cast<int>(syscall(SYS_close, file));
  return fails(kClose) ? -1 : result;
}

extern "C" void* malloc(std::size_t bytes) {
  return fails(kMalloc) ? nullptr : __libc_malloc(bytes);
}

extern "C" int __libc_start_main(int (*main)(int, char**, char**), int count, char** words,
                                 void (*init)(), void (*fini)(), void (*rtld_fini)(),
                                 void* stack_end) {
  real_main = main;
  const auto start = real<decltype(&__libc_start_main)>("__libc_start_main");
  return start(counted_main, count, words, init, fini, rtld_fini, stack_end);
}
