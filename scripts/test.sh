#!/usr/bin/env bash
# Installs what is missing, builds, and runs all tests. Arguments go to the test program:
#   scripts/test.sh --test-case='*safetensors*'
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/setup.sh
scripts/build.sh release
start=$SECONDS
if ! build/release/kette-tests "$@"; then
  echo "test: FAILED (see above)" >&2
  exit 1
fi
echo "test: all passed in $((SECONDS - start)) s"
