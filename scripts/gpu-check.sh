#!/usr/bin/env bash
# Everything that needs a GPU: the tests on the device, the kernels under compute-sanitizer,
# training runs that must reach the BLEU of the same run on a CPU, and the benchmarks, alone and
# compared with PyTorch. It has parts of at most eight minutes, with a limit on every step, and
# prints a table for each. It needs no network, and no compiler if the programs exist
# (scripts/gpu-pack.sh makes an archive of all).
#   scripts/gpu-check.sh [--part PART]... [--logs FOLDER] [--build FOLDER] [--data FOLDER]
#                        [--python PYTHON] [--nanogpt FOLDER]
#     PART       cpu (starts without a GPU), tests, sanitizers, train, bench, many (two processes on
#                two GPUs), attention, pytorch or nanogpt (default: all of them, in this order)
#     --logs     folder for PART.log and PART.table (default: build/gpu-check)
#     --build    folder with kette and kette-tests (default: build/release)
#     --data     Multi30k, lower-cased and tokenised: {train,val,test_2016_flickr}.{en,de}
#                (default: build/data/multi30k, if it is there)
#     --python   an interpreter with torch (default: python3, if it has torch)
#     --nanogpt  folder with nanoGPT's model.py (default: build/data/nanogpt, if it is there)
set -uo pipefail
started_in=$PWD
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit
. scripts/within.sh

all_parts=(cpu tests sanitizers train bench many attention pytorch nanogpt)
build="" data="" python="" nanogpt="" logs=build/gpu-check parts=()
while (($#)); do
  path=${2:-}
  [[ $path == /* ]] || path=$started_in/$path
  case "$1" in
    --part) parts+=("${2:-}") ;;
    --logs) logs=$path ;;
    --build) build=$path ;;
    --data) data=$path ;;
    --python) python=${2:-} ;;
    --nanogpt) nanogpt=$path ;;
    *)
      echo "gpu-check.sh: expected --part, --logs, --build, --data, --python or --nanogpt, given $1" >&2
      exit 2
      ;;
  esac
  if [[ -z ${2:-} ]]; then
    echo "gpu-check.sh: expected a value after $1, given none" >&2
    exit 2
  fi
  shift 2
done
((${#parts[@]})) || parts=("${all_parts[@]}")
for part in "${parts[@]}"; do
  if [[ " ${all_parts[*]} " != *" $part "* ]]; then
    echo "gpu-check.sh: expected a part among ${all_parts[*]}, given $part" >&2
    exit 2
  fi
done
[[ -n $data || ! -d build/data/multi30k ]] || data=build/data/multi30k
[[ -n $nanogpt || ! -d build/data/nanogpt ]] || nanogpt=build/data/nanogpt
if [[ -z $python ]] && python3 -c 'import torch' 2> /dev/null; then python=python3; fi

# Finds cuBLASLt and NCCL: known to the loader, beside the compiler, or only in Python's packages.
cuda_libraries() {
  local folder
  for folder in /usr/local/cuda/lib64 /usr/local/nvidia/lib64 \
    $("${python:-python3}" -c 'import nvidia; print(*(p + "/*/lib" for p in nvidia.__path__))' 2> /dev/null); do
    if compgen -G "$folder/libcublasLt.so*" > /dev/null || compgen -G "$folder/libnccl.so*" > /dev/null; then
      printf ':%s' "$folder"
    fi
  done
}
export PATH=$PATH:/usr/local/cuda/bin
LD_LIBRARY_PATH=${LD_LIBRARY_PATH:-}$(cuda_libraries)
export LD_LIBRARY_PATH=${LD_LIBRARY_PATH#:}
kette=${build:-build/release}/kette tests=${build:-build/release}/kette-tests
if [[ ! -x $kette || ! -x $tests ]]; then
  if [[ -n $build ]]; then
    echo "gpu-check.sh: --build: expected a folder with kette and kette-tests, given $build" >&2
    exit 2
  fi
  scripts/build.sh release || exit 1
fi
# Paths compiled into the tests are valid only on the machine that built them.
KETTE_SOURCE_DIR=$PWD KETTE_BINARY=$(realpath "$kette")
export KETTE_SOURCE_DIR KETTE_BINARY
if [[ ${parts[*]} != cpu ]] && ! "$kette" info | grep '^cuda:0'; then
  echo "gpu-check.sh: expected a CUDA device, given none:" >&2
  "$kette" info | grep '^CUDA' >&2
  exit 1
fi

mkdir -p "$logs" || exit
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
step=$scratch/step failed=0 part="" deadline=0
note() { # note WHAT RESULT
  printf '%-58s %s\n' "$1" "$2" | tee -a "$logs/$part.table"
}
attempt() { # attempt SECONDS WHAT COMMAND...: records whether it passed in time; keeps its output
  local limit=$1 what=$2 start=$SECONDS status=0
  shift 2
  ((limit <= deadline - SECONDS)) || limit=$((deadline - SECONDS))
  if ((limit < 1)); then
    note "$what" "FAILED: the eight minutes of this part were over"
    failed=1
    return 1
  fi
  within "$limit" "$@" > "$step" 2>&1 || status=$?
  { printf '\n==== %s\n' "$*" && cat "$step"; } >> "$logs/$part.log"
  if ((status == 0)); then
    note "$what" "passed in $((SECONDS - start)) s"
  elif grep -q 'Device not supported' "$step"; then
    note "$what" "left out: the tool does not know this kind of machine"
  else
    ((status != 124 && status != 137)) || what+=", after $limit s"
    note "$what" "FAILED"
    tail -n 40 "$step"
    failed=1
  fi
  return "$status"
}
json() { # json KEY: of the last line of the step's output
  tail -n 1 "$step" | grep -o "\"$1\": *[^,}]*" | sed 's/.*: *//; s/"//g'
}
ratios() { # of compare.py: speed and memory
  note "  " "$(tail -n 2 "$step" | head -n 1)"
  note "  " "$(tail -n 1 "$step")"
}

part_cpu() {
  attempt 60 "the program starts" "$kette" info
  attempt 60 "gradient check of matmul on the CPU" "$kette" gradcheck matmul
  attempt 300 "tests of tensors, fixtures and the program on the CPU" "$tests" \
    --source-file='*test_tensor*,*test_safetensors*,*test_hugging_face*,*test_exchange*' \
    --test-case-exclude='CUDA: *'
}

part_tests() {
  attempt 200 "tests on the device: kernels, ops, decoding" "$tests" \
    --source-file='*tests/tensor/*,*test_all_ops*,*test_adjoints*,*test_tape*,*test_nan*,*test_decode_kernels*,*test_sampling*'
  attempt 200 "tests on the device: decoding, training, looking inside" "$tests" \
    --source-file='*tests/decode/*,*tests/train/*,*tests/nn/*,*tests/inspect/*,*test_bench*' \
    --test-case-exclude='CUDA: *'
  attempt 200 "tests on the device: training, translating" "$tests" --test-case='CUDA: *'
  attempt 80 "gradient check of every op, f64" "$kette" gradcheck --device cuda &&
    note "  worst gap" "$(grep 'passed,' "$step" | sed 's/.*worst //')"
}

sanitize() { # sanitize SECONDS TOOL WHAT TEST-OPTION...: Kette's kernels only: cuBLAS's give false alarms
  attempt "$1" "$3 under $2" compute-sanitizer --tool "$2" --error-exitcode 1 \
    --target-processes all --kernel-name kernel_substring=kette "$tests" "${@:4}"
}
part_sanitizers() {
  sanitize 120 memcheck "every op, translations" --test-case='CUDA: every op agrees*,CUDA: translations*'
  # Not all ops: the tool itself fails in a kernel of cuBLASLt (CUDA 13.0, bf16 with GELU).
  sanitize 60 racecheck "translations" --test-case='CUDA: translations*'
  sanitize 240 racecheck "attention and sums" \
    --source-file='*test_attention.cpp*,*test_sums*,*test_wide_rows*,*test_linear_cross_entropy*'
}

part_train() {
  local seed
  if [[ -z $data ]]; then
    note "Multi30k training" "left out: no --data"
    return
  fi
  for seed in 1 2 3; do
    attempt 150 "Multi30k, tiny, bf16, seed $seed" "$kette" train --device cuda --precision bf16 \
      --src "$data/train.en" --tgt "$data/train.de" \
      --valid-src "$data/val.en" --valid-tgt "$data/val.de" --out "$scratch/m30k-$seed" \
      --preset tiny --norm pre --batch-tokens 4096 --epochs 36 --schedule cosine --lr 0.004 \
      --warmup 1000 --average 5 --keep 10 --bleu-tokenize none --seed "$seed" --json || continue
    note "  target tokens/s, wall time" "$(json target_tokens_per_second), $(json seconds) s"
    attempt 60 "  test_2016_flickr" "$kette" evaluate --device cuda --model "$scratch/m30k-$seed" \
      --src "$data/test_2016_flickr.en" --ref "$data/test_2016_flickr.de" --tokenize none &&
      note "  BLEU" "$(tail -n 1 "$step")"
  done
}

bench_train() { # bench_train WHAT OPTION...
  attempt 60 "train $1" "$kette" bench train --device cuda "${@:2}" --json &&
    note "  tokens/s; TFLOP/s; share of the matrix rate; MiB" \
      "$(json target_tokens_per_second); $(awk "BEGIN { print $(json gflops) / 1000 }"); $(json sgemm_share); $(json peak_tensor_mib)"
}
part_bench() {
  local preset precision
  for precision in f32 tf32 bf16; do
    for preset in tiny base; do
      bench_train "$preset, $precision, 25,000 tokens a batch" \
        --preset "$preset" --precision "$precision" --tokens 25000
    done
  done
  bench_train "base, bf16, 25,000 tokens a batch, all words alike" \
    --preset base --precision bf16 --tokens 25000 --ids uniform
  bench_train "gpt2, bf16, 65,536 tokens a step, no dropout" --preset gpt2 --precision bf16 \
    --tokens 65536 --dropout 0 --attention-dropout 0
  bench_train "gpt2, bf16, 65,536 tokens a step, the preset's dropout" --preset gpt2 \
    --precision bf16 --tokens 65536
  for preset in tiny base; do
    for precision in f32 bf16; do
      attempt 60 "translate $preset, weights in $precision" "$kette" bench translate --device cuda \
        --preset "$preset" --weights "$precision" --batch-tokens 100000 --json &&
        note "  sentences/s" "$(json sentences_per_second)"
    done
  done
  for precision in f32 bf16; do
    attempt 60 "generate, gpt2, one text, weights in $precision" "$kette" bench generate \
      --device cuda --weights "$precision" --tokens 256 --json &&
      note "  tokens/s; copying, GB/s; share of it" \
        "$(json tokens_per_second); $(json copy_gb_per_second); $(json copy_share)"
  done
}

# Artificial pairs of lines (the target has the words in reverse), for machines without data.
made_pairs() { # made_pairs FOLDER
  awk -v folder="$1" 'BEGIN {
    srand(1)
    for (line = 0; line < 20000; ++line) {
      source = target = ""
      for (left = 5 + int(25 * rand()); left > 0; --left) {
        word = int(3000 * rand() * rand())
        source = source "s" word " "
        target = "t" word " " target
      }
      print source "." > (folder "/train.en")
      print target "." > (folder "/train.de")
    }
  }'
  tail -n 100 "$1/train.en" > "$1/val.en"
  tail -n 100 "$1/train.de" > "$1/val.de"
}
part_many() {
  local mpirun processes launcher texts=$data
  if (($("$kette" info | grep -c '^cuda:') < 2)); then
    note "two processes on two GPUs" "left out: this machine has one GPU"
    return
  elif ! mpirun=$(command -v mpirun.openmpi || command -v mpirun); then
    note "two processes on two GPUs" "left out: no mpirun"
    return
  fi
  if [[ -z $texts ]]; then
    texts=$scratch/pairs
    mkdir -p "$texts"
    made_pairs "$texts"
  fi
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  for processes in 1 2; do
    launcher=()
    ((processes == 1)) || launcher=("$mpirun" -n "$processes")
    attempt 200 "base, bf16, two batches a step, GPUs: $processes" \
      ${launcher[@]:+"${launcher[@]}"} "$kette" train --device cuda --precision bf16 --accumulate 2 \
      --src "$texts/train.en" --tgt "$texts/train.de" --valid-src "$texts/val.en" \
      --valid-tgt "$texts/val.de" --out "$scratch/many-$processes" --preset base \
      --batch-tokens 16384 --steps 200 --no-validate-bleu --quiet --json &&
      note "  target tokens/s, wall time" "$(json target_tokens_per_second), $(json seconds) s"
  done
  attempt 20 "both have the same bits" \
    cmp "$scratch/many-1/model.safetensors" "$scratch/many-2/model.safetensors"
}

part_attention() {
  local sentence
  for sentence in 16 64 1024; do
    attempt 60 "ops, base, bf16, 16,384 tokens, sentences of $sentence" "$kette" bench ops \
      --device cuda --precision bf16 --preset base --tokens 16384 --sentence "$sentence" &&
      note "  self-attention: forward, backward, ms" \
        "$(awk '$1 == "self_attention" { print $2, $3 }' "$step")"
    [[ -n $python ]] || continue
    attempt 60 "  the same by PyTorch" "$python" bench/peers/attention_pytorch.py --device cuda \
      --dtype bf16 --tokens 16384 --sentence "$sentence" --json &&
      note "  self-attention: forward, backward, ms" "$(json forward_ms) $(json backward_ms)"
  done
}

beside() { # beside WHAT OPTION...: compare.py, of two rounds
  attempt 230 "beside $1" "$python" bench/peers/compare.py train --kette "$kette" --device cuda \
    --rounds 2 --compile "${@:2}" && ratios
}
part_pytorch() {
  if [[ -z $python ]]; then
    note "PyTorch" "left out: no --python"
    return
  fi
  attempt 60 "batches of base" "$kette" bench train --preset base --tokens 25000 --steps 28 \
    --warmup 0 --device cuda --write-batches "$scratch/base.jsonl"
  beside "PyTorch, base, bf16, compiled" --preset base --precision bf16 \
    --batches "$scratch/base.jsonl"
  beside "PyTorch, base, tf32, compiled" --preset base --precision tf32 \
    --batches "$scratch/base.jsonl"
}
part_nanogpt() {
  if [[ -z $python || -z $nanogpt ]]; then
    note "nanoGPT" "left out: no --python or no --nanogpt"
    return
  fi
  beside "nanoGPT, gpt2, bf16, compiled, no dropout" --preset gpt2 --precision bf16 \
    --nanogpt "$nanogpt" --dropout 0
  beside "nanoGPT, gpt2, bf16, compiled, the preset's dropout" --preset gpt2 --precision bf16 \
    --nanogpt "$nanogpt"
}

run() {
  case "$1" in
    cpu) part_cpu ;;
    tests) part_tests ;;
    sanitizers) part_sanitizers ;;
    train) part_train ;;
    bench) part_bench ;;
    many) part_many ;;
    attention) part_attention ;;
    pytorch) part_pytorch ;;
    nanogpt) part_nanogpt ;;
  esac
}
for part in "${parts[@]}"; do
  printf '\n== %s\n' "$part"
  rm -f "$logs/$part.log" "$logs/$part.table"
  deadline=$((SECONDS + 480))
  run "$part"
done
printf '\n== The logs lie in %s; in all:\n' "$logs"
for part in "${parts[@]}"; do cat "$logs/$part.table"; done
exit "$failed"
