#!/usr/bin/env bash
# Runs the tests under the address and undefined-behaviour sanitizers, without the longest ones, and those of the lower folders
# under the thread sanitizer, too.
#   scripts/sanitize.sh [address|thread]      (default: both)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# The CUDA kernels run on their emulator, op by op. Left out are whole runs of it, what repeats one pass thousands of
# times, as a gradient check does, an archive that is packed, how soon a program starts, and how long hostile text takes, which the fuzzers try.
address() {
  echo "== Address and undefined-behaviour sanitizers"
  scripts/build.sh asan kette-tests
  ASAN_OPTIONS=detect_stack_use_after_return=1 UBSAN_OPTIONS=print_stacktrace=1 \
    LSAN_OPTIONS=suppressions=$PWD/tests/leaks_of_others.txt:print_suppressions=0 \
    scripts/test-in-parts.sh build/asan/kette-tests \
    --test-case-exclude='CUDA: 50 steps*,CUDA: 30 steps*,CUDA: translations*,norms add to*,a chain of a million nodes*,CUDA: every op?s gradients*,every op: gradients agree*,whole model: the gradient*,gradcheck: --page shows*,bundled corpus: one English*,gpu-pack: the archive*,CUDA emulator: tokens are the same*,sampling: the distribution*,cli: help lists*,sentences: no text takes more*,html: hostile pages*'
}

# The program's threads, those of models and of experiments are those of the folders below them.
# Clang's OpenMP runtime loads Archer, which tells the sanitizer about its barriers; what happens
# inside of the runtime is not looked at. Threads that wait sleep, for there are more than cores.
thread() {
  echo "== Thread sanitizer"
  scripts/build.sh tsan kette-tests
  TSAN_OPTIONS=halt_on_error=1:ignore_noninstrumented_modules=1 OMP_NUM_THREADS=4 \
    OMP_WAIT_POLICY=passive build/tsan/kette-tests \
    --test-case-exclude='a chain of a million nodes*,every op: gradients agree*,bundled corpus: one English*,sentences: no text takes more*,html: hostile pages*'
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
