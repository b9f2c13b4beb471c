#!/usr/bin/env bash
# Compiles each source alone, syntax only, so that each file includes what it uses and does not
# depend on other files of its unity build. Also runs clang-tidy, with the checks of .clang-tidy, on
# the product's sources (not on tests and CUDA kernels). The Python module's are among them once
# scripts/python.sh --venv has installed nanobind.
#   scripts/tidy.sh [alone|clang-tidy]      (default: both)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

passes=${1-both}
if [[ ! "$passes" =~ ^(both|clang-tidy|alone)$ ]]; then
  echo "tidy.sh: expected alone, clang-tidy or nothing, given $passes" >&2
  exit 2
fi
for tool in clang-tidy clang++; do
  if ! command -v "$tool" > /dev/null; then
    echo "tidy.sh: expected $tool, given a machine without it (scripts/setup.sh --ci installs it)" >&2
    exit 1
  fi
done
version=$(clang-tidy --version | sed -nE 's/.*version ([0-9]+).*/\1/p')
if [[ "$version" != 14 ]]; then
  echo "tidy: version 14 is the one that counts; $version may disagree with it" >&2
fi
jobs=$(nproc)
start=$SECONDS

log=$(mktemp)
trap 'rm -f "$log"' EXIT
# commands_of FOLDER: lines "command, tab, file" for the sources there, except generated ones.
commands_of() {
  sed -nE 's/^ *"command": "(.*)",$/\1/p; s/^ *"file": "(.*)",?$/\t\1/p' "$1/compile_commands.json" |
    paste -d '' - - | sed 's/\\\(["\\]\)/\1/g' | grep -vE '/(commit|assets/[a-z_]+|nanobind/src/[a-z_]+)\.cpp$'
}
python=(-DKETTE_PYTHON=OFF)
if [[ -x build/python-venv/bin/python ]]; then
  python=(-DKETTE_PYTHON=ON -DPython_EXECUTABLE="$PWD/build/python-venv/bin/python")
fi
configure() { # configure FOLDER OPTION...
  if ! cmake --preset tidy -B "$@" "${python[@]}" > "$log" 2>&1; then
    cat "$log" >&2
    exit 1
  fi
}

if [[ "$passes" != clang-tidy ]]; then
  # With tests, fuzzers, and the CUDA kernels for the emulator.
  configure build/tidy/alone -DKETTE_UNITY=OFF -DKETTE_TESTS=ON -DKETTE_FUZZ=ON -DKETTE_CUDA=emulator
  commands=$(commands_of build/tidy/alone | sort -u -t $'\t' -k 2,2 | cut -f 1)
  echo "tidy: each of $(wc -l <<< "$commands") sources alone"
  xargs -d '\n' -I '{}' -P "$jobs" bash -c '{} -fsyntax-only' <<< "$commands"
fi

# Files of a folder are checked together, so that shared headers are parsed once.
if [[ "$passes" != alone ]]; then
  echo "tidy: clang-tidy ($((SECONDS - start)) s so far)"
  configure build/tidy
  commands_of build/tidy | cut -f 2 |
    xargs -d '\n' -n 1 -P "$jobs" clang-tidy --quiet -p build/tidy 2> "$log" ||
    {
      grep -v ' warnings\? generated\.$' "$log" >&2
      exit 1
    }
fi
echo "tidy: everything is in order ($((SECONDS - start)) s)"
