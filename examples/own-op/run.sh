#!/usr/bin/env bash
# Ops of one's own: programs that check them, and a shared object whose ops kette gradcheck checks.
#   ./run.sh [--short]      KETTE_PREFIX: where Kette is installed (default: the folder above kette's)
set -euo pipefail
# shellcheck source=examples/example.sh
. "$(dirname "${BASH_SOURCE[0]}")/../example.sh"
takes 0 "$@"

build "$out/build"
for program in own_op own_tensors several_outputs f32_op second_order; do
  run "$out/build/$program"
done
run "$kette" gradcheck --library "$out/build/libmy_ops.so"
run "$kette" gradcheck --library "$out/build/libmy_ops.so" --order 2 my_cube
