#!/usr/bin/env bash
# Configures and builds a preset of CMakePresets.json into build/PRESET, with ninja if it is
# installed.
#   scripts/build.sh [--native] [release|debug|asan|tsan|dev|aarch64] [-DOPTION=VALUE...] [TARGET...]
# --native: for this machine only, which takes half the time; a folder that is already configured
# keeps its configuration.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

native=0
if [[ "${1:-}" == --native ]]; then
  native=1
  shift
fi
preset=${1:-release}
shift || true
options=() targets=()
for word in "$@"; do
  if [[ "$word" == -D* ]]; then options+=("$word"); else targets+=("$word"); fi
done

# The largest files need more than a gigabyte to compile, so memory limits the jobs, too.
cores=$(nproc)
by_memory=$(awk '/^MemAvailable:/ { print int($2 / 1500000) }' /proc/meminfo)
jobs=$((by_memory < cores ? by_memory : cores))
((jobs >= 1)) || jobs=1

if [[ ! -f build/$preset/CMakeCache.txt ]]; then
  if ((native)); then options+=(-DKETTE_NATIVE=ON); fi
  if command -v ninja > /dev/null; then export CMAKE_GENERATOR=${CMAKE_GENERATOR:-Ninja}; fi
elif ((!native)); then
  options=(-DKETTE_NATIVE=OFF -DKETTE_CUDA_ARCHITECTURES="${CUDAARCHS:-}" ${options[@]:+"${options[@]}"})
fi
configure_log=$(mktemp)
trap 'rm -f "$configure_log"' EXIT
if ! cmake --preset "$preset" ${options[@]:+"${options[@]}"} > "$configure_log" 2>&1; then
  cat "$configure_log" >&2
  exit 1
fi
grep '^-- Kette:' "$configure_log"
cmake --build --preset "$preset" -j "${CMAKE_BUILD_PARALLEL_LEVEL:-$jobs}" ${targets[@]:+--target "${targets[@]}"}
