#!/usr/bin/env bash
# Checks that many processes do the same as one, to the bit, and lose nothing if one of them ends;
# too slow for the tests. Needs scripts/setup.sh --mpi and a release build. Prints a line for each
# check; exit code 1 if one failed.
#   scripts/many-processes.sh [same] [kills]      (default: both)
#     same    results equal to the bit
#     kills   20 kills of a process at random moments
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
for part in "$@"; do
  if [[ $part != same && $part != kills ]]; then
    echo "many-processes.sh: expected same or kills, given $part" >&2
    exit 2
  fi
done
wants() { [[ " ${*:2} " == *" $1 "* || $# == 1 ]]; } # wants PART GIVEN...
kills=20
kette=$PWD/build/release/kette
same_run=$PWD/scripts/same_run.py
work=$(mktemp -d)
trap 'pkill -KILL -f "^$kette train .*$work" || true; rm -rf "$work"' EXIT
build/release/kette-corpus --train 6000 --valid 100 --out "$work/text" > /dev/null
cd "$work"

failed=0
say() { # say WHAT COMMAND...: prints whether the command succeeds
  if "${@:2}"; then
    echo "ok      $1"
  else
    echo "FAILED  $1"
    failed=1
  fi
}
openmpi="mpirun.openmpi --oversubscribe --allow-run-as-root"
launcher=$openmpi
train() { # train OUT N OPTION...: by N processes; 0: without a launcher
  local launch=()
  if (($2 > 0)); then read -ra launch <<< "$launcher -n $2"; fi
  "${launch[@]}" "$kette" train --threads 1 --quiet --out "$work/$1" "${@:3}" > "$1.log" 2>&1
}
same() { # same NAME "N..." OPTION...: N processes give the same as one
  local name=$1 n
  say "$name: one process" train "$name-0" 0 "${@:3}"
  for n in $2; do
    train "$name-$n" "$n" "${@:3}" || true
    say "$name: $n processes as one" python3 "$same_run" "$name-0" "$name-$n"
  done
}

small=(--preset tiny --width 64 --encoder-layers 2 --decoder-layers 2 --heads 2 --hidden 128 --vocab 1000
  --batch-tokens 512 --dropout 0.1 --seed 3)
pairs=(--src text/train.en --tgt text/train.de --valid-src text/valid.en --valid-tgt text/valid.de)
of_text=(--text text/train.en --width 64 --layers 2 --heads 2 --hidden 128 --context 64 --batch-tokens 512)
base=("${pairs[@]}" "${small[@]}" --steps 12 --validate-every 6 --clip-norm 1 --ema 0.99)
steps=("${pairs[@]}" "${small[@]}" --accumulate 24 --warmup 100 --validate-every 1000)

all_same() {
  same k24 "1 2 3 4 5 8" "${base[@]}" --accumulate 24
  launcher=mpirun.mpich
  same mpich "2 3" "${base[@]}" --accumulate 24
  launcher=$openmpi
  same k25 "3 4" "${base[@]}" --accumulate 25
  same bf16 "2 3" "${base[@]}" --accumulate 8 --precision bf16
  same simcut "2 3" "${base[@]}" --accumulate 8 --consistency simcut
  same bpe-dropout "2 3" "${base[@]}" --accumulate 8 --bpe-dropout 0.1
  same average "2 3" "${base[@]}" --accumulate 8 --average 2
  same adapters "2 3" "${pairs[@]}" --from k24-0 --lora-rank 4 --steps 6 --batch-tokens 512 --accumulate 8
  same text "2 3" "${of_text[@]}" --preset char --steps 6 --validate-every 3 --accumulate 6
  same masked "2 3" "${of_text[@]}" --objective masked --preset bert-tiny --tokenizer sentencepiece --vocab 500 --steps 6 \
    --accumulate 6
  for chunk in 16384 262144 4194304; do
    KETTE_EXCHANGE_CHUNK=$chunk train "chunk-$chunk" 3 "${base[@]}" --accumulate 24 || true
    say "chunks of $chunk elements" python3 "$same_run" k24-0 "chunk-$chunk"
  done

  train whole 0 "${steps[@]}" --steps 8
  for stage in "4 2" "1 4" "3 6" "8 8"; do
    read -r n until <<< "$stage"
    train parts "$n" "${steps[@]}" --steps "$until" --resume || true
  done
  say "4, 1, 3 and 8 processes, one after the other, as one" python3 "$same_run" --state whole parts
}

# Repeatedly kills one of two to four processes at a random moment; the others go on.
all_kills() {
  local killed=0 ended=0 launched victim i until
  for ((i = 0; i < kills; ++i)); do
    train killed $((2 + i % 3)) "${steps[@]}" --steps 100000 --save-every-seconds 1 --resume &
    launched=$!
    sleep "$((RANDOM % 4)).$((RANDOM % 10))"
    until victim=$(pgrep -f "^$kette train .*$work/killed" | shuf -n 1) && [[ -n $victim ]]; do sleep 0.1; done
    if kill -KILL "$victim"; then ((++killed)); fi
    sleep 5
    if ! pgrep -f "^$kette train .*$work/killed" > /dev/null; then ((++ended)); fi
    wait "$launched" || true
  done
  say "$killed of $kills kills, $ended of which ended all within 5 s" test "$killed $ended" = "$kills $kills"
  until=$(($(wc -l < killed/log.jsonl) + 10))
  train killed 3 "${steps[@]}" --steps "$until" --resume
  train undisturbed 0 "${steps[@]}" --steps "$until"
  say "and then on to the end, as if undisturbed" python3 "$same_run" --state undisturbed killed
  say "with nothing left over" test -z "$(find killed -name '*unfinished*')"
}

if wants same "$@"; then all_same; fi
if wants kills "$@"; then all_kills; fi
exit $failed
