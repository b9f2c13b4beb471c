#!/usr/bin/env bash
# Configures and builds a preset of CMakePresets.json into build/PRESET.
#   scripts/build.sh [release|debug|asan|tsan] [TARGET...]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

preset=${1:-release}
targets=("${@:2}")

# The largest files take more than a gigabyte to compile, so memory bounds the jobs as cores do.
cores=$(nproc)
by_memory=$(awk '/^MemAvailable:/ { print int($2 / 1500000) }' /proc/meminfo)
jobs=$((by_memory < cores ? by_memory : cores))
((jobs >= 1)) || jobs=1

configure_log=$(mktemp)
trap 'rm -f "$configure_log"' EXIT
if ! cmake --preset "$preset" > "$configure_log" 2>&1; then
  cat "$configure_log" >&2
  exit 1
fi
cmake --build --preset "$preset" -j "$jobs" ${targets[@]:+--target "${targets[@]}"}
