#!/usr/bin/env bash
# Runs the tests under the address and undefined-behaviour sanitizers, without the longest ones; and
# those of the lower folders also under the thread sanitizer.
#   scripts/sanitize.sh [address|thread]      (default: both)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# The CUDA kernels run on their emulator, op by op. Skipped: whole runs on it, tests that repeat one
# pass thousands of times, such as gradient checks, packing an archive, the time of a program's
# start, and the time for hostile text, which the fuzzers cover.
address() {
  echo "== Address and undefined-behaviour sanitizers"
  scripts/build.sh asan kette-tests
  ASAN_OPTIONS=detect_stack_use_after_return=1 UBSAN_OPTIONS=print_stacktrace=1 \
    LSAN_OPTIONS=suppressions=$PWD/tests/leaks_of_others.txt:print_suppressions=0 \
    scripts/test-in-parts.sh build/asan/kette-tests \
    --test-case-exclude='CUDA: 50 steps*,CUDA: 30 steps*,CUDA: translations*,norms add to*,a chain of a million nodes*,CUDA: every op?s gradients*,every op: gradients agree*,whole model: the gradient*,gradcheck: --page shows*,bundled corpus: one English*,gpu-pack: the archive*,CUDA emulator: tokens are the same*,sampling: the distribution*,cli: help lists*,sentences: no text takes more*,html: hostile pages*'
}

# The program, models and experiments have no threads of their own beyond those of the folders
# below. Archer tells the sanitizer about the barriers of clang's OpenMP runtime, which itself is not
# checked; by its name alone the runtime may not find it, and then every loop is called a race.
# Waiting threads sleep, since there are more threads than cores.
thread() {
  echo "== Thread sanitizer"
  local archer
  archer=$(clang++ -print-file-name=libarcher.so)
  if [[ ! -f $archer ]]; then
    echo "sanitize.sh: expected libarcher.so beside clang's OpenMP runtime (scripts/setup.sh --ci installs it), given none" >&2
    exit 1
  fi
  scripts/build.sh tsan kette-tests
  OMP_TOOL_LIBRARIES=$archer TSAN_OPTIONS=halt_on_error=1:ignore_noninstrumented_modules=1 OMP_NUM_THREADS=4 \
    OMP_WAIT_POLICY=passive build/tsan/kette-tests \
    --test-case-exclude='a chain of a million nodes*,every op: gradients agree*,bundled corpus: one English*,sentences: no text takes more*,html: hostile pages*,page: in a browser*'
}

case "${1-both}" in
  both)
    address
    thread
    ;;
  address | thread) "$1" ;;
  *)
    echo "sanitize.sh: expected address, thread or nothing, given $1" >&2
    exit 2
    ;;
esac
