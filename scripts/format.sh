#!/usr/bin/env bash
# Checks that every C++ file is formatted as .clang-format says; --fix formats them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

case "${1:-}" in
  "") action=(--dry-run -Werror) ;;
  --fix) action=(-i) ;;
  *)
    echo "format.sh: expected no option or --fix, given $1" >&2
    exit 2
    ;;
esac
if ! command -v clang-format > /dev/null; then
  echo "format.sh: expected clang-format, given a machine without it" \
    "(scripts/setup.sh --ci installs it)" >&2
  exit 1
fi
version=$(clang-format --version | sed -E 's/.*version ([0-9]+).*/\1/')
if [[ "$version" != 14 ]]; then
  echo "format: version 14 is the one that counts; $version may disagree with it" >&2
fi

mapfile -t files < <(find . -path ./build -prune -o -path ./.git -prune -o \
  \( -name '*.h' -o -name '*.cpp' -o -name '*.cu' -o -name '*.cuh' \) -print | sort)
if ! clang-format "${action[@]}" "${files[@]}"; then
  echo "format: some files are not formatted (scripts/format.sh --fix does it)" >&2
  exit 1
fi
echo "format: ${#files[@]} files are in order"
