#!/usr/bin/env bash
# Makes the small English-German model that comes with Kette (data/en-de), or a larger one for a release: trains on Tatoeba
# and Europarl, keeps the weights in int8, and measures on what it never saw. About an hour of one core.
#   data/fetch.sh tatoeba && data/fetch.sh europarl
#   scripts/model-to-try.sh [--large] [--tatoeba DIR] [--europarl DIR] [--out DIR] [--test NAME=FILE]...
# FILE.en and FILE.de are further test sets. --large: five times the parameters and three times the steps.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

tatoeba=data/downloads/tatoeba europarl=data/downloads/europarl out=build/en-de tests=()
# 4.3 million parameters: in int8 with the tokenizer below 5 MB, so that they can be in the repository.
size=(--width 192 --hidden 768 --heads 6 --encoder-layers 4 --decoder-layers 2 --vocab 7000 --steps 17000)
while (($# > 0)); do
  case "$1" in
    --large) size=(--width 384 --hidden 1536 --heads 6 --encoder-layers 6 --decoder-layers 3 --vocab 12000 --steps 50000) && shift ;;
    --tatoeba) tatoeba=$2 && shift 2 ;;
    --europarl) europarl=$2 && shift 2 ;;
    --out) out=$2 && shift 2 ;;
    --test) tests+=("$2") && shift 2 ;;
    *)
      echo "model-to-try.sh: expected --large, --tatoeba, --europarl, --out or --test, given $1" >&2
      exit 2
      ;;
  esac
done
kette=${KETTE:-build/release/kette}
for file in "$tatoeba"/{train,valid,test}.{en,de} "$europarl"/train.{en,de} "$kette"; do
  [[ -f "$file" ]] && continue
  echo "model-to-try.sh: expected $file, given none (data/fetch.sh fetches the texts, scripts/build.sh builds)" >&2
  exit 1
done

# People type in small letters and without a full stop, Tatoeba does not: each fourth of its pairs is also learnt like that.
mkdir -p "$out"
paste "$tatoeba"/train.{en,de} | awk -F '\t' -v en="$out/hurried.en" -v de="$out/hurried.de" '
  NR % 4 == 0 && $1 ~ /[.!?]$/ && $2 ~ /[.!?]$/ {
    sub(/[.!?]$/, "", $1); sub(/[.!?]$/, "", $2)
    print tolower($1) > en
    print $2 > de
  }'

# The weights: how often a pair of each text is drawn.
"$kette" train --src "$tatoeba/train.en" "$europarl/train.en" "$out/hurried.en" \
  --tgt "$tatoeba/train.de" "$europarl/train.de" "$out/hurried.de" --weights 76 18 6 \
  --valid-src "$tatoeba/valid.en" --valid-tgt "$tatoeba/valid.de" --out "$out/training" \
  --preset tiny --norm pre "${size[@]}" --dropout 0.1 --batch-tokens 2048 --warmup 800 --schedule cosine --lr 0.003 \
  --precision bf16 --threads 1 --validate-every 1700 --average 5 --keep 5
rm -rf "$out/model"
"$kette" quantize --model "$out/training" --out "$out/model"
du -sb "$out/model"
for test in "tatoeba=$tatoeba/test" ${tests[@]:+"${tests[@]}"}; do
  echo "${test%%=*}:"
  "$kette" evaluate --model "$out/model" --src "${test#*=}.en" --ref "${test#*=}.de"
done
