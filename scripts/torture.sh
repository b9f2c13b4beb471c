#!/usr/bin/env bash
# Random hostile use of the program: SIGKILL at any moment, files with flipped bits, failing calls
# to the C library, mutated inputs for everything that reads files. Prints one table; exit code 1 if
# anything failed.
#   scripts/torture.sh [--short] [--kills N] [--flips N] [--calls N] [--inputs N] [--seed S] [--jobs N]
# --short takes a minute or two; without it an hour on two cores. --inputs is the total of all
# fuzzers. Inputs that reach new code are kept in build/torture/corpus.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

kills=240 flips=680 calls=5000 inputs=1050000 seed=$(date +%s) jobs=$(nproc)
while (($# > 0)); do
  case "$1" in
    --short) kills=24 flips=34 calls=140 inputs=21000 ;;
    --kills | --flips | --calls | --inputs | --seed | --jobs)
      if [[ ! "${2:-}" =~ ^[0-9]+$ ]]; then
        echo "torture.sh: expected a whole number after $1, given \"${2:-}\"" >&2
        exit 2
      fi
      declare "${1#--}=$2"
      shift
      ;;
    *)
      echo "torture.sh: expected --short, --kills N, --flips N, --calls N, --inputs N, --seed S or --jobs N," \
        "given $1" >&2
      exit 2
      ;;
  esac
  shift
done

torture=build/torture
table=$torture/table
corpus=$torture/corpus
start=$SECONDS

# One row of the table, on stdout: what, tried, outcome.
fuzz() { # fuzz TARGET RUNS SEED
  local target=$1 log=$torture/fuzz-$1.log outcome="no finding" status=0 tried
  build/asan/kette-fuzz "$target" -runs="$2" -seed="$3" -timeout=10 -rss_limit_mb=512 \
    -print_final_stats=1 -artifact_prefix="$torture/evidence/$target-" "$corpus/$target" \
    > "$log" 2>&1 || status=$?
  tried=$(grep -aoE '^(#|stat::number_of_executed_units: *)[0-9]+' "$log" | tail -1 | grep -oE '[0-9]+$')
  if ((status != 0)); then
    outcome="FAILED: $(grep -am 1 -E 'kette-fuzz: expected|runtime error|ERROR: ' "$log" | cut -c 1-200)"
  fi
  printf 'fuzz %s\t%s\t%s\n' "$target" "${tried:-0}" "$outcome"
}
export -f fuzz
export torture corpus

scripts/build.sh release kette kette-torture
scripts/build.sh asan kette-fuzz
echo "torture: seed $seed"
mkdir -p "$torture"
build/asan/kette-fuzz --seeds "$corpus"
failed=0
# This empties $torture/evidence, which the fuzzers then write to.
build/release/kette-torture --kills "$kills" --flips "$flips" --calls "$calls" --seed "$seed" \
  --folder "$torture" | tee "$table" || failed=1

mapfile -t targets < <(build/asan/kette-fuzz --list)
runs=$((inputs / ${#targets[@]}))
if ((runs > 0)); then
  printf '%s\n' "${targets[@]}" |
    xargs -P "$jobs" -I TARGET bash -c "fuzz TARGET $runs $((seed % 2147483647 + 1))" |
    tee -a "$table"
fi
if grep -q FAILED "$table"; then failed=1; fi

printf '\n== Torture, seed %s, %s s\n' "$seed" "$((SECONDS - start))"
awk -F '\t' '
  { printf "%-52s %9d  %s\n", $1, $2, substr($3, 1, 200)
    sub(/[ :].*/, "", $1); sum[$1] += $2 }
  END { for (kind in sum) printf "%-52s %9d\n", "in all: " kind, sum[kind] }' "$table"
if ((failed)); then
  echo "torture: FAILED with --seed $seed; the evidence lies in $torture/evidence," \
    "logs of the fuzzers beside it" >&2
  exit 1
fi
echo "torture: nothing was lost, nothing wrong was kept"
