#!/usr/bin/env bash
# Data diversification (Nguyen et al. 2020, "Data Diversification: A Simple Strategy For Neural Machine Translation"):
# K models of each direction translate the training text, and one model is trained on the text and all of these
# translations. They also translate text that there is in one language alone: --mono-src (self-training) and --mono-tgt
# (back-translation; Sennrich et al. 2016, "Improving Neural Machine Translation Models with Monolingual Data").
# What is done already is not done again, so the same command goes on where it was stopped.
#   scripts/diversify.sh --src F --tgt F --valid-src F --valid-tgt F --out DIR [--models K] [--mono-src F] [--mono-tgt F] \
#       [-- OPTIONS of kette train [-- OPTIONS that the last model has in their place]]
# --models K: models of each direction (default: 1). The last model's text is at least 2 K + 1 times as long, so give it as many
# times fewer --epochs, behind the second --. It is left in DIR/model. KETTE names another program than build/release/kette.
set -euo pipefail

kette=${KETTE:-$(dirname "${BASH_SOURCE[0]}")/../build/release/kette}
src='' tgt='' valid_src='' valid_tgt='' mono_src='' mono_tgt='' out='' models=1 options=() last=()
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
      echo "diversify.sh: expected --src, --tgt, --valid-src, --valid-tgt, --mono-src, --mono-tgt, --out, --models or --, given $1" >&2
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
if [[ ! "$models" =~ ^[1-9][0-9]*$ ]]; then
  echo "diversify.sh: expected a number of models of at least 1, given \"$models\"" >&2
  exit 2
fi
mkdir -p "$out"

# learn NAME SEED OPTIONS...: a model, if it is not finished.
finished() { [[ -e "$out/$1/finished" ]]; }
learn() {
  local name=$1 seed=$2
  shift 2
  finished "$name" && return
  echo "== $name" >&2
  "$kette" train "$@" --out "$out/$name" --seed "$seed" --resume ${options[@]:+"${options[@]}"}
  touch "$out/$name/finished"
}
# translate NAME TEXT RESULT: the model's translation of a text, as a whole or not at all.
translate() {
  [[ -e "$3" ]] && return
  echo "== $1 translates $2" >&2
  "$kette" translate --model "$out/$1" --input "$2" --output "$3.part" --truncate
  mv "$3.part" "$3"
}

sources=("$src") targets=("$tgt")
for ((i = 1; i <= models; ++i)); do
  learn "forward-$i" "$i" --src "$src" --tgt "$tgt" --valid-src "$valid_src" --valid-tgt "$valid_tgt"
  learn "backward-$i" "$i" --src "$tgt" --tgt "$src" --valid-src "$valid_tgt" --valid-tgt "$valid_src"
  translate "forward-$i" "$src" "$out/forward-$i.txt"
  translate "backward-$i" "$tgt" "$out/backward-$i.txt"
  sources+=("$src" "$out/backward-$i.txt") targets+=("$out/forward-$i.txt" "$tgt")
  if [[ -n "$mono_src" ]]; then
    translate "forward-$i" "$mono_src" "$out/forward-$i-mono.txt"
    sources+=("$mono_src") targets+=("$out/forward-$i-mono.txt")
  fi
  if [[ -n "$mono_tgt" ]]; then
    translate "backward-$i" "$mono_tgt" "$out/backward-$i-mono.txt"
    sources+=("$out/backward-$i-mono.txt") targets+=("$mono_tgt")
  fi
done
options+=(${last[@]:+"${last[@]}"})
learn model 1 --src "${sources[@]}" --tgt "${targets[@]}" --valid-src "$valid_src" --valid-tgt "$valid_tgt"
