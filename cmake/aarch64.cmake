# Toolchain file: builds for aarch64 on another machine with Debian's cross compiler. The compiler's package has the C
# and C++ libraries; the other libraries lie in a folder of their own, as scripts/aarch64.sh unpacks them, so that
# the packages of the machine that builds stay as they are. Headers without a library are that machine's.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)

get_filename_component(libraries ${CMAKE_CURRENT_LIST_DIR}/../build/aarch64-sysroot ABSOLUTE)
set(CMAKE_FIND_ROOT_PATH ${libraries})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE BOTH)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE BOTH)
# Once installed it is there by a link (update-alternatives).
list(APPEND CMAKE_LIBRARY_PATH /usr/lib/aarch64-linux-gnu/openblas-pthread)
# Libraries that these need are linked with them, and lie where the toolchain does not look.
string(APPEND CMAKE_EXE_LINKER_FLAGS_INIT " -Wl,-rpath-link,${libraries}/usr/lib/aarch64-linux-gnu")
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L /usr/aarch64-linux-gnu)
