#!/usr/bin/env bash
# Installs missing packages, builds, and runs all tests; those of the CUDA kernels run on an
# emulator if there is no GPU. Arguments are passed to the test program:
#   scripts/test.sh --test-case='*safetensors*'
# CUDA kernels are compiled for one kind of GPU, in a third of the time for all; CUDAARCHS (CMake's)
# chooses others.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/setup.sh
if [[ -z ${CUDAARCHS:-} ]]; then
  here=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2> /dev/null | head -n 1 | tr -d . || true)
  export CUDAARCHS=${here:-90}-real
  echo "test: where there is nvcc, kernels for $CUDAARCHS alone; another CUDAARCHS in the environment chooses others," \
    "and scripts/build.sh release builds all"
fi
scripts/build.sh release kette-tests kette-corpus
start=$SECONDS
run() { # run FOLDER OPTION...: with the kernels of that folder, if it is not empty
  local path=$1${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
  if ! env ${path:+LD_LIBRARY_PATH="$path"} build/release/kette-tests "${@:2}"; then
    echo "test: FAILED (see above)" >&2
    exit 1
  fi
}
run "" "$@"
# Also with the kernels of the next lower level, which machines with AVX2 use.
avx2=build/release/lib/glibc-hwcaps/x86-64-v3
if [[ -d $avx2 && $# -eq 0 ]] && grep -q avx512f /proc/cpuinfo; then
  echo "test: the kernels once more with AVX2 instead of AVX-512"
  run "$avx2" --source-file='*tests/tensor/*,*test_all_ops*,*test_decode_kernels*,*test_top_k*,*test_int8*,*test_generator*'
fi
emulated=build/release/lib/emulated
if [[ -d $emulated ]] && ! grep -q '^cuda:' <(build/release/kette info); then
  echo "test: once more on the CUDA emulator"
  if (($# > 0)); then
    run "$emulated" "$@"
  else
    run "$emulated" --source-file='*tests/tensor/*,*tests/nn/*,*test_all_ops*,*test_adjoints*,*test_tape*,*test_decode_kernels*,*test_sampling*,*test_top_k*,*test_consistency*,*test_nccl*'
    run "$emulated" --test-case='CUDA*'
  fi
fi
echo "test: all passed in $((SECONDS - start)) s"
