#!/usr/bin/env bash
# Runs a test program in parts, one per core, for builds with slow tests. Ends at the first part
# that fails, and shows its output.
#   scripts/test-in-parts.sh PROGRAM [OPTION of doctest]...
set -euo pipefail

if (($# == 0)); then
  echo "test-in-parts.sh: expected a test program, given nothing" >&2
  exit 2
fi
cores=$(env -u OMP_NUM_THREADS nproc)  # nproc would obey it
size=16  # small enough that the cores end together
export log_folder count size
count=$("$@" --count | sed -nE 's/.*current filters: ([0-9]+)$/\1/p')
if ((${count:-0} == 0)); then
  echo "test-in-parts.sh: expected tests, given none (is the filter an old one?)" >&2
  exit 1
fi
log_folder=$(mktemp -d)
trap 'rm -rf "$log_folder"' EXIT

part() { # part FIRST PROGRAM OPTION...
  local first=$1 last=$(($1 + size - 1)) start=$SECONDS
  local log=$log_folder/$first
  ((last <= count)) || last=$count
  if ! "${@:2}" --first="$first" --last="$last" --abort-after=1 > "$log" 2>&1; then
    cat "$log" >&2
    echo "tests: FAILED among $first to $last of $count (see above)" >&2
    return 255  # which ends xargs
  fi
  echo "tests: $first to $last of $count passed in $((SECONDS - start)) s"
}
export -f part
# Waiting threads sleep, since there are more threads than cores.
export OMP_NUM_THREADS=${OMP_NUM_THREADS:-1} OMP_WAIT_POLICY=passive
seq 1 "$size" "$count" | xargs -P "$cores" -I '{}' bash -c 'part "$@"' part '{}' "$@" || exit 1
