#!/usr/bin/env bash
# Data diversification (Nguyen et al. 2020, "Data Diversification: A Simple Strategy For Neural Machine Translation"):
# K models of each direction translate the training text, and one model is trained on the text and all of these
# translations. They also translate text that there is in one language alone: --mono-src (self-training) and --mono-tgt
# (back-translation; Sennrich et al. 2016, "Improving Neural Machine Translation Models with Monolingual Data"). With
# --rounds, that model, which is better than the first ones, translates the source texts, too, for another one.
# What is done already is not done again, so the same command goes on where it was stopped.
#   scripts/diversify.sh --src F --tgt F --valid-src F --valid-tgt F --out DIR [--models K] [--mono-src F] [--mono-tgt F] \
#       [--rounds R] [-- OPTIONS of kette train [-- OPTIONS that the models of all texts have in their place]]
# --models K: models of each direction (default: 1). --rounds R: models of all texts, one after the other (default: 1), which
# are left in DIR/model, DIR/model-2 and so on. These texts are at least 2 K + 1 times as long, so give as many times fewer
# --epochs, and less --dropout, behind the second --. KETTE names another program than build/release/kette.
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

# Where it trains, it translates, too.
where=()
for ((i = 0; i < ${#options[@]}; ++i)); do
  case "${options[i]}" in
    --device | --threads) where+=("${options[i]}" "${options[i + 1]:-}") ;;
    --device=* | --threads=*) where+=("${options[i]}") ;;
  esac
done

# learn NAME SEED OPTIONS...: a model. One that is finished is left as it is, or refuses other options.
learn() {
  local name=$1 seed=$2
  shift 2
  echo "== $name" >&2
  "$kette" train "$@" --out "$out/$name" --seed "$seed" --resume ${options[@]:+"${options[@]}"}
}
# translate NAME TEXT RESULT: the model's translation of a text, as a whole or not at all. RESULT.of says of which text by
# which model.
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

# teach MODEL FROM TO TEXT MONO: what it makes of these texts, of which MONO may be none, is learnt from, too. FROM and TO are
# the names of sources and targets, the other way round for a model that translates back.
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
