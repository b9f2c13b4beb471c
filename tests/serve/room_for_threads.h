// Takes the room for more threads from this process, as a limit of the system may.
#pragma once

#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstddef>
#include <fstream>

#include "tests/support.h"

namespace kette::testing {

/// While it lives, so many more threads can begin: each takes a large stack, and there are addresses for no more.
class RoomForThreads {
 public:
  explicit RoomForThreads(std::size_t threads) {
    ::getrlimit(RLIMIT_AS, &limit_before_);
    ::pthread_getattr_default_np(&attributes_before_);
    if (kSanitizer) return;  // which needs addresses of its own
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    rlimit limit = limit_before_;
    limit.rlim_cur =
        pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) + threads * kStack + kStack / 2;
    ::setrlimit(RLIMIT_AS, &limit);
    pthread_attr_t attributes;
    ::pthread_attr_init(&attributes);
    ::pthread_attr_setstacksize(&attributes, kStack);
    ::pthread_setattr_default_np(&attributes);
    ::pthread_attr_destroy(&attributes);
  }
  ~RoomForThreads() {
    ::pthread_setattr_default_np(&attributes_before_);
    ::pthread_attr_destroy(&attributes_before_);
    ::setrlimit(RLIMIT_AS, &limit_before_);
  }
  RoomForThreads(const RoomForThreads&) = delete;
  RoomForThreads& operator=(const RoomForThreads&) = delete;

  /// qemu-user heeds no such limit.
  bool is_limited() const {
    constexpr std::size_t kFar = std::size_t{1} << 40;
    void* const far =
        ::mmap(nullptr, kFar, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (far == MAP_FAILED) return true;
    ::munmap(far, kFar);
    return false;
  }

 private:
  static constexpr std::size_t kStack = std::size_t{256} << 20;
  rlimit limit_before_{};
  pthread_attr_t attributes_before_{};
};

}  // namespace kette::testing
