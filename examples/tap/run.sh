#!/usr/bin/env bash
# Looks at values of a pass and replaces them, in C++ and, where the module kette is installed, in Python.
#   ./run.sh [--short]      MODEL=DIR: the translator (default: trained here); KETTE_PREFIX: where Kette is installed;
#                           PYTHON: the Python that has the module (default: python3)
set -euo pipefail
# shellcheck source=examples/example.sh
. "$(dirname "${BASH_SOURCE[0]}")/../example.sh"
takes 0 "$@"

translator
build "$out/build"
source="The old man sees a house." target="Der alte Mann sieht ein Haus."
run "$kette" info --model "$model" --points > "$out/points.txt" # all there is to look at
run "$out/build/tap" "$model" "$source" "$target"
if "${PYTHON:-python3}" -c 'import kette' 2> /dev/null; then
  run "${PYTHON:-python3}" "$here/tap.py" "$model" "$source" "$target"
else
  echo "skipped: ${PYTHON:-python3} has no module kette (docs/python.md)"
fi
