#!/usr/bin/env bash
# Installs the missing packages for building and testing Kette (Debian, Ubuntu). Does nothing if
# none is missing.
#   scripts/setup.sh          compiler, CMake, libraries
#   scripts/setup.sh --ci     also for .ci/run: clang with its OpenMP, clang-format, clang-tidy, shellcheck,
#                           Chromium for tests of pages, libc++; and the packages of the options below
#   scripts/setup.sh --python   also for the Python module: virtual environments and Python's headers
#   scripts/setup.sh --mpi    also for many processes: Open MPI and MPICH, before Kette is built
#   scripts/setup.sh --aarch64   also for scripts/aarch64.sh: a cross compiler and qemu-user
#   scripts/setup.sh --site   also for scripts/site.sh: mkdocs and its theme Material
#   scripts/setup.sh --package   also for scripts/package.sh: what makes packages, and with --check tries them
# Several options may stand together.
set -euo pipefail

for option in "$@"; do
  case "$option" in
    --ci | --python | --mpi | --aarch64 | --site | --package) ;;
    *)
      echo "setup.sh: expected no option, --ci, --python, --mpi, --aarch64, --site or --package, given $option" >&2
      exit 2
      ;;
  esac
done
options=" $* "
wants() { [[ $options == *" $1 "* ]]; }

have() { command -v "$1" > /dev/null; }
compiler_finds() {
  printf '#if !__has_include(<%s>)\n#error\n#endif\n' "$1" | g++ -x c++ -fsyntax-only - 2> /dev/null
}
linker_finds() { "$1" -shared -x c++ /dev/null -o /dev/null "$2" 2> /dev/null; }
finds_fuzzer() {
  echo 'extern "C" int LLVMFuzzerTestOneInput(const char*, unsigned long) { return 0; }' |
    clang++ -fsanitize=fuzzer -x c++ - -o /dev/null 2> /dev/null
}
compiles_with_libcxx() { echo '#include <vector>' | clang++ -stdlib=libc++ -shared -x c++ - -o /dev/null 2> /dev/null; }
python_has() { python3 -c "$1" 2> /dev/null; }
# Fedora and openSUSE have the header in a folder.
finds_openblas() { linker_finds g++ -lopenblas && { compiler_finds cblas.h || compiler_finds openblas/cblas.h; }; }

missing=()
need() { # need PACKAGE PROBE...: records the Debian package if the probe fails
  local package=$1
  shift
  "$@" || missing+=("$package")
}

need g++ have g++
need cmake have cmake
need make have make
need ninja-build have ninja
need libopenblas-dev finds_openblas
need libsentencepiece-dev compiler_finds sentencepiece_processor.h
need libutf8proc-dev compiler_finds utf8proc.h
need zlib1g-dev compiler_finds zlib.h
need liblzma-dev compiler_finds lzma.h
need libzstd-dev compiler_finds zstd.h
need doctest-dev compiler_finds doctest/doctest.h
need libcli11-dev compiler_finds CLI/CLI.hpp
need libtomlplusplus-dev compiler_finds toml++/toml.h
need libboost-dev compiler_finds boost/beast/http.hpp
need nlohmann-json3-dev compiler_finds nlohmann/json.hpp
need libjs-dygraphs test -f /usr/share/javascript/dygraphs/dygraph.min.js
if wants --ci; then
  need clang have clang++
  need libclang-rt-dev finds_fuzzer
  need libomp-dev linker_finds clang++ -fopenmp
  need clang-format have clang-format
  need clang-tidy have clang-tidy
  need libc++-dev compiles_with_libcxx
  need libc++abi-dev compiles_with_libcxx
  need shellcheck have shellcheck
  need chromium have chromium
fi
if wants --ci || wants --python; then
  need python3-venv python_has 'import ensurepip, venv'
  need python3-dev python_has 'import pathlib, sysconfig; (pathlib.Path(sysconfig.get_path("include")) / "Python.h").stat()'
fi
if wants --ci || wants --mpi; then
  need libopenmpi-dev have mpicxx.openmpi
  need openmpi-bin have mpirun.openmpi
  need libmpich-dev have mpicxx.mpich
  need mpich have mpirun.mpich
fi
if wants --ci || wants --aarch64; then
  need g++-aarch64-linux-gnu have aarch64-linux-gnu-g++
  need qemu-user have qemu-aarch64
fi
if wants --ci || wants --site; then
  need mkdocs have mkdocs
  need mkdocs-material test -d /usr/share/mkdocs/themes/material
fi
if wants --ci || wants --package; then
  need git have git
  need dpkg-dev have dpkg-shlibdeps
  need patchelf have patchelf
  need xz-utils have xz
  need lintian have lintian
  need debootstrap have debootstrap
  need iproute2 have ip
fi

# The system's package may be older than what CMakeLists.txt takes.
check_cmake() {
  local least given
  least=$(sed -n 's/^cmake_minimum_required(VERSION \(.*\))$/\1/p' "$(dirname "${BASH_SOURCE[0]}")/../CMakeLists.txt")
  given=$(cmake --version | sed -n '1s/^cmake version //p')
  if [[ $(printf '%s\n' "$least" "$given" | sort -V | head -n 1) != "$least" ]]; then
    echo "setup.sh: expected CMake $least or later, given $given" \
      "(Debian 12 and Ubuntu 23.04 have one; elsewhere: pip install cmake, in a virtual environment)" >&2
    exit 1
  fi
}

if ((${#missing[@]} == 0)); then
  check_cmake
  echo "setup: everything is there"
  exit 0
fi

echo "setup: missing: ${missing[*]}"
if ! have apt-get; then
  echo "setup.sh: expected a Debian-like system with apt-get, given another one" \
    "(install the equivalents of these packages, then run this again; or build by hand, as docs/install.md says)" >&2
  exit 1
fi
as_root=()
if ((EUID != 0)); then
  if ! have sudo; then
    echo "setup.sh: expected root or sudo to install packages, given neither" \
      "(ask for: apt-get install ${missing[*]})" >&2
    exit 1
  fi
  as_root=(sudo)
fi
apt() {
  local kept=() name
  for name in http_proxy https_proxy no_proxy; do  # which sudo drops
    if [[ -n ${!name:-} ]]; then kept+=("$name=${!name}"); fi
  done
  ${as_root[@]:+"${as_root[@]}"} env DEBIAN_FRONTEND=noninteractive ${kept[@]:+"${kept[@]}"} \
    apt-get -q -y -o DPkg::Lock::Timeout=120 "$@"
}
apt update || echo "setup: the package lists could not be renewed; trying with those at hand" >&2
if ! apt install --no-install-recommends "${missing[@]}"; then
  echo "setup.sh: expected apt-get to install ${missing[*]}, given a failure" \
    "(is there a network? see above)" >&2
  exit 1
fi
check_cmake
echo "setup: done"
