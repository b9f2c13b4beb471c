#!/usr/bin/env bash
# Everything that needs a GPU, in one command and within ten minutes: the tests on the device, the
# kernels under compute-sanitizer, a training run against its CPU twin, and the benchmarks. Prints
# one table at the end. Needs no network. Builds nothing when the programs are there already, so
# that they may come from another machine with the same CUDA toolkit:
#   scripts/gpu-check.sh [--build FOLDER] [--data FOLDER] [--pytorch PYTHON] [--nanogpt FOLDER]
#                        [--only PART]
#     FOLDER   build folder with kette and kette-tests (default: build/release)
#     --data   Multi30k, lower-cased and tokenised: {train,val,test_2016_flickr}.{en,de}
#     PYTHON   an interpreter with torch, for the comparison (default: none, and that part is left out)
#     --nanogpt  nanoGPT's model.py, for the comparison of GPT-2 with PyTorch
#     PART     tests, sanitizer, train or bench
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit

build=build/release data="" python="" nanogpt="" only=""
while (($#)); do
  case "$1" in
    --build) build=$2 ;;
    --data) data=$2 ;;
    --pytorch) python=$2 ;;
    --nanogpt) nanogpt=$2 ;;
    --only) only=$2 ;;
    *)
      echo "gpu-check.sh: expected --build, --data, --pytorch, --nanogpt or --only, given $1" >&2
      exit 2
      ;;
  esac
  shift 2 || {
    echo "gpu-check.sh: expected a value after the option" >&2
    exit 2
  }
done

export PATH=$PATH:/usr/local/cuda/bin
kette=$build/kette tests=$build/kette-tests
if [[ ! -x $kette || ! -x $tests ]]; then
  scripts/build.sh release || exit 1
fi
if ! "$kette" info | grep -q '^cuda:0'; then
  echo "gpu-check.sh: expected a CUDA device, given none:" >&2
  "$kette" info | grep '^CUDA' >&2
  exit 1
fi

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
table="" failed=0
note() { # note WHAT RESULT
  table+=$(printf '%-58s %s' "$1" "$2")$'\n'
  printf '%s: %s\n' "$1" "$2"
}
wanted() { [[ -z $only || $only == "$1" ]]; }
attempt() { # attempt WHAT COMMAND...: notes whether it passed, keeps what it printed
  local what=$1 start=$SECONDS
  shift
  if "$@" > "$out/log" 2>&1; then
    note "$what" "passed in $((SECONDS - start)) s"
  else
    note "$what" "FAILED"
    tail -n 40 "$out/log"
    failed=1
  fi
}
json() { # json KEY: of the last line of the log
  tail -n 1 "$out/log" | grep -o "\"$1\": *[^,}]*" | sed 's/.*: *//; s/"//g'
}

"$kette" info | grep '^cuda:0'

if wanted tests; then
  attempt "tests on the device" "$tests"
  attempt "gradient check of every op, f64" "$kette" gradcheck --device cuda
  note "  worst gap" "$(grep 'passed,' "$out/log" | sed 's/.*worst //')"
fi

if wanted sanitizer; then
  for tool in memcheck racecheck; do
    attempt "kernels under $tool" compute-sanitizer --tool "$tool" --error-exitcode 1 \
      "$tests" --test-case='CUDA: every op agrees*,CUDA: translations*'
  done
fi

if wanted train; then
  if [[ -n $data ]]; then
    attempt "Multi30k, tiny, bf16" "$kette" train --device cuda --precision bf16 \
      --src "$data/train.en" --tgt "$data/train.de" \
      --valid-src "$data/val.en" --valid-tgt "$data/val.de" --out "$out/m30k" \
      --preset tiny --norm pre --batch-tokens 4096 --epochs 36 --schedule cosine --lr 0.004 \
      --warmup 1000 --average 5 --keep 10 --bleu-tokenize none --json
    note "  target tokens/s, wall time" "$(json target_tokens_per_second), $(json seconds) s"
    attempt "  test_2016_flickr" "$kette" evaluate --device cuda --model "$out/m30k" \
      --src "$data/test_2016_flickr.en" --ref "$data/test_2016_flickr.de" --tokenize none
    note "  BLEU" "$(tail -n 1 "$out/log")"
  else
    note "Multi30k training" "left out: no --data"
  fi
fi

if wanted bench; then
  for preset in tiny base; do
    for precision in f32 bf16; do
      attempt "train $preset, $precision, 25,000 tokens a batch" "$kette" bench train \
        --device cuda --preset "$preset" --precision "$precision" --tokens 25000 --json
      note "  target tokens/s; share of the matrix rate; MiB" \
        "$(json target_tokens_per_second); $(json sgemm_share); $(json peak_tensor_mib)"
    done
    attempt "translate $preset, f32" "$kette" bench translate --device cuda --preset "$preset" \
      --batch-tokens 100000 --json
    note "  sentences/s" "$(json sentences_per_second)"
  done
  attempt "train gpt2, bf16, 65,536 tokens a step" "$kette" bench train \
    --device cuda --preset gpt2 --precision bf16 --tokens 65536 --json
  note "  tokens/s; share of the matrix rate; MiB" \
    "$(json target_tokens_per_second); $(json sgemm_share); $(json peak_tensor_mib)"
  for sentence in 16 64 1024; do
    attempt "ops, base, bf16, 16,384 tokens, sentences of $sentence" "$kette" bench ops \
      --device cuda --precision bf16 --preset base --tokens 16384 --sentence "$sentence"
    note "  self-attention: forward, backward, ms" \
      "$(awk '$1 == "self_attention" { print $2, $3 }' "$out/log")"
    [[ -n $python ]] || continue
    attempt "  the same by PyTorch" "$python" bench/peers/attention_pytorch.py --device cuda \
      --dtype bf16 --tokens 16384 --sentence "$sentence" --json
    note "  self-attention: forward, backward, ms" "$(json forward_ms) $(json backward_ms)"
  done
  if [[ -n $python ]]; then
    "$kette" bench train --preset base --tokens 25000 --steps 25 --warmup 0 --device cuda \
      --write-batches "$out/base.jsonl" > /dev/null
    attempt "beside PyTorch, base, bf16, compiled" "$python" bench/peers/compare.py train \
      --kette "$kette" --preset base --batches "$out/base.jsonl" --device cuda --precision bf16 \
      --rounds 3 --compile
    note "  " "$(tail -n 2 "$out/log" | head -n 1)"
    note "  " "$(tail -n 1 "$out/log")"
    if [[ -n $nanogpt ]]; then
      attempt "beside nanoGPT, gpt2, bf16, compiled" "$python" bench/peers/compare.py train \
        --kette "$kette" --preset gpt2 --nanogpt "$nanogpt" --device cuda --precision bf16 \
        --rounds 3 --compile
      note "  " "$(tail -n 2 "$out/log" | head -n 1)"
      note "  " "$(tail -n 1 "$out/log")"
    else
      note "nanoGPT" "left out: no --nanogpt"
    fi
  else
    note "PyTorch" "left out: no --pytorch"
  fi
fi

printf '\n%s' "$table"
exit "$failed"
