# Toolchain file: builds for aarch64 on another machine with Debian's cross compiler. The compiler's packages have the C
# and C++ libraries; the others lie in a folder of their own, in which scripts/aarch64.sh unpacks them. Headers without
# a library are those of the machine that builds.
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
# Installing it would make a link to it (update-alternatives).
list(APPEND CMAKE_LIBRARY_PATH /usr/lib/aarch64-linux-gnu/openblas-pthread)
# What libraries need in turn: the linker is told where it is, and, by the older kind of tag, the loader.
string(APPEND CMAKE_EXE_LINKER_FLAGS_INIT
       " -Wl,--disable-new-dtags -Wl,-rpath-link,${libraries}/usr/lib/aarch64-linux-gnu")
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L /usr/aarch64-linux-gnu)
