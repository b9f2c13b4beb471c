#!/usr/bin/env bash
# Data diversification (Nguyen et al. 2020, "Data Diversification: A Simple Strategy For Neural
# Machine Translation"): K models of each direction translate the training text, and one model is
# trained on the text and all of these translations. They also translate monolingual text:
# --mono-src (self-training) and --mono-tgt (back-translation; Sennrich et al. 2016, "Improving
# Neural Machine Translation Models with Monolingual Data"). With --rounds, that better model also
# translates the source texts, for another model. Finished parts are not repeated, so the same
# command continues where it was stopped.
#   scripts/diversify.sh --src F --tgt F --valid-src F --valid-tgt F --out DIR [--models K] [--mono-src F] [--mono-tgt F] \
#       [--rounds R] [-- OPTIONS of kette train [-- OPTIONS that the models of all texts have in their place]]
# --models K: models of each direction (default: 1). --rounds R: models of all texts, one after the
# other (default: 1), in DIR/model, DIR/model-2 and so on. These texts are at least 2 K + 1 times as
# long, so give that many times fewer --epochs, and less --dropout, after the second --. KETTE: the
# program (default: build/release/kette).
set -euo pipefail

kette=${KETTE:-$(dirname "${BASH_SOURCE[0]}")/../build/release/kette}
src='' tgt='' valid_src='' valid_tgt='' mono_src='' mono_tgt='' out='' models=1 rounds=1 options=() last=()
while (($# > 0)); do
  case "$1" in
    --src) src=${2:-} ;;
    --tgt) tgt=${2:-} ;;
    --valid-src) valid_src=${2:-} ;;
    --valid-tgt) valid_tgt=${2:-} ;;
    --mono-src) mono_src=${2:-} ;;
    --mono-tgt) mono_tgt=${2:-} ;;
    --out) out=${2:-} ;;
    --models) models=${2:-} ;;
    --rounds) rounds=${2:-} ;;
    --)
      shift
      while (($# > 0)) && [[ "$1" != -- ]]; do
        options+=("$1")
        shift
      done
      last=("${@:2}")
      break
      ;;
    *)
      echo "diversify.sh: expected --src, --tgt, --valid-src, --valid-tgt, --mono-src, --mono-tgt, --out, --models, --rounds or --, given $1" >&2
      exit 2
      ;;
  esac
  shift 2 || shift
done
for name in src tgt valid_src valid_tgt out; do
  if [[ -z "${!name}" ]]; then
    echo "diversify.sh: expected --${name/_/-}, given none" >&2
    exit 2
  fi
done
for name in models rounds; do
  if [[ ! "${!name}" =~ ^[1-9][0-9]*$ ]]; then
    echo "diversify.sh: expected a number of $name of at least 1, given \"${!name}\"" >&2
    exit 2
  fi
done
mkdir -p "$out"

# Translates with the device and threads of the training.
where=()
for ((i = 0; i < ${#options[@]}; ++i)); do
  case "${options[i]}" in
    --device | --threads) where+=("${options[i]}" "${options[i + 1]:-}") ;;
    --device=* | --threads=*) where+=("${options[i]}") ;;
  esac
done

# learn NAME SEED OPTIONS...: trains a model. A finished one is unchanged, or refuses other options.
learn() {
  local name=$1 seed=$2
  shift 2
  echo "== $name" >&2
  "$kette" train "$@" --out "$out/$name" --seed "$seed" --resume ${options[@]:+"${options[@]}"}
}
# translate NAME TEXT RESULT: writes the model's translation of a text, whole or not at all.
# RESULT.of records the text and the model.
translate() {
  local of
  of=$(cksum "$2" "$out/$1/model.safetensors")
  if [[ -e "$3" && -e "$3.of" && $(< "$3.of") == "$of" ]]; then return; fi
  echo "== $1 translates $2" >&2
  "$kette" translate --model "$out/$1" --input "$2" --output "$3.part" --truncate \
    ${where[@]:+"${where[@]}"}
  rm -f "$3.of"
  mv "$3.part" "$3"
  printf '%s\n' "$of" > "$3.of"
}

# teach MODEL FROM TO TEXT MONO: adds MODEL's translations of these texts (MONO may be empty) to the
# training text. FROM and TO are the names of sources and targets, swapped for a model that
# translates back.
teach() {
  local -n from=$2 to=$3
  local model=$1 text result=$out/$1.txt
  for text in "$4" ${5:+"$5"}; do
    translate "$model" "$text" "$result"
    from+=("$text") to+=("$result")
    result=$out/$model-mono.txt
  done
}

sources=("$src") targets=("$tgt")
for ((i = 1; i <= models; ++i)); do
  learn "forward-$i" "$i" --src "$src" --tgt "$tgt" --valid-src "$valid_src" --valid-tgt "$valid_tgt"
  learn "backward-$i" "$i" --src "$tgt" --tgt "$src" --valid-src "$valid_tgt" --valid-tgt "$valid_src"
  teach "forward-$i" sources targets "$src" "$mono_src"
  teach "backward-$i" targets sources "$tgt" "$mono_tgt"
done
options+=(${last[@]:+"${last[@]}"})
for ((round = 1; round <= rounds; ++round)); do
  name=model
  if ((round > 1)); then name=model-$round; fi
  learn "$name" 1 --src "${sources[@]}" --tgt "${targets[@]}" --valid-src "$valid_src" --valid-tgt "$valid_tgt"
  if ((round < rounds)); then teach "$name" sources targets "$src" "$mono_src"; fi
done
