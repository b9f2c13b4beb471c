#!/usr/bin/env bash
# Runs the examples (examples/README.md) from an installed Kette, and prints a table of what passed and how long it took.
#   scripts/examples.sh [--short] [PREFIX] [EXAMPLE...]    PREFIX: where Kette is installed (default: build/installed,
#                                                          where build/release is installed first)
#   --short: each at its smallest size, some seconds; KETTE_BUILD names another build folder
# PYTHON names a Python with the module kette, for the example that uses it. Logs and results: build/examples.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

export SHORT=
if [[ ${1:-} == --short ]]; then
  SHORT=1
  shift
fi
if [[ ${1:-} == */* ]]; then
  prefix=$(cd "$1" && pwd)
  shift
else
  prefix=$PWD/build/installed
  cmake --install "${KETTE_BUILD:-build/release}" --prefix "$prefix" > /dev/null
fi
names=("$@")
if ((${#names[@]} == 0)); then
  for example in examples/*/run.sh; do names+=("$(basename "$(dirname "$example")")"); done
fi

export KETTE=$prefix/bin/kette KETTE_PREFIX=$prefix
mkdir -p build/examples
failed=0 table=
for name in "${names[@]}"; do
  start=$SECONDS verdict=passed
  rm -rf "build/examples/$name"/*.earlier-* # of the last run, by set_aside of examples/example.sh
  if ! OUT=$PWD/build/examples/$name "examples/$name/run.sh" > "build/examples/$name.log" 2>&1; then
    verdict=FAILED failed=1
    tail -n 20 "build/examples/$name.log"
  elif grep '^skipped: ' "build/examples/$name.log"; then
    verdict='passed in part'
  fi
  table+=$(printf '%-12s %-15s %5d s' "$name" "$verdict" $((SECONDS - start)))$'\n'
done
printf '%s' "$table"
exit "$failed"
