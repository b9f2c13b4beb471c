// What g++ calls before each load and store of a kernel, see kette_emulated_options in
// CMakeLists.txt. Elsewhere nobody calls them, or they are a sanitizer's own.
#if !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)

#include "fibers.h"

#define REPORTED(name)                                                                       \
  extern "C" void __asan_load##name##_noabort(const void* at) { emulator::note_access(at); } \
  extern "C" void __asan_store##name##_noabort(const void* at) { emulator::note_access(at); }
REPORTED(1)
REPORTED(2)
REPORTED(4)
REPORTED(8)
REPORTED(16)
#undef REPORTED
extern "C" void __asan_loadN_noabort(const void* at, std::size_t) { emulator::note_access(at); }
extern "C" void __asan_storeN_noabort(const void* at, std::size_t) { emulator::note_access(at); }
extern "C" void __asan_handle_no_return() {}
extern "C" void __asan_before_dynamic_init(const char*) {}
extern "C" void __asan_after_dynamic_init() {}

#endif
