#!/usr/bin/env bash
# A model of one's own in C++, on the tape: compiles own_model.cpp and runs it.
#   ./run.sh [--short]      KETTE_PREFIX: where Kette is installed (default: the folder above kette's)
set -euo pipefail
# shellcheck source=examples/example.sh
. "$(dirname "${BASH_SOURCE[0]}")/../example.sh"
takes 0 "$@"

build "$out/build"
run "$out/build/own_model" "$((${short:-0} ? 200 : 1000))" "$out/adder.safetensors"
