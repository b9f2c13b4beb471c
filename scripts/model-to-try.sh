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

mkdir -p "$out"
pairs() { paste "$1.en" "$1.de"; }  # English TAB German
parted() { cut -f 1 "$out/$1.tsv" > "$out/$1.en" && cut -f 2 "$out/$1.tsv" > "$out/$1.de"; }

cp data/en-de/phrases.tsv "$out/phrases.tsv"  # greetings and the like, which Tatoeba has few of
parted phrases
# People type in small letters and without a full stop, Tatoeba does not: each fourth of its pairs is also learnt like that.
{ pairs "$tatoeba/train" | awk 'NR % 4 == 0' && cat "$out/phrases.tsv"; } | awk -F '\t' '
  $1 ~ /[.!?]$/ && $2 ~ /[.!?]$/ { sub(/[.!?]$/, "", $1); sub(/[.!?]$/, "", $2); print tolower($1) "\t" $2 }' > "$out/hurried.tsv"
parted hurried
# Its people are called Tom and Mary and live in Boston: others learn to be copied from some of these pairs.
pairs "$tatoeba/train" | awk -F '\t' '
  function renamed(text, from, to) {
    text = " " text " "
    gsub("[^A-Za-z]" from "[^a-z]", "&\001", text)
    while (match(text, from "[^a-z]\001")) {
      text = substr(text, 1, RSTART - 1) to substr(text, RSTART + length(from), 1) substr(text, RSTART + RLENGTH)
    }
    return substr(text, 2, length(text) - 2)
  }
  BEGIN {
    people = split("Anna Peter Lisa Paul Julia Felix Sarah Jonas Emma Lukas Laura Simon Lena David Nina Robert Clara Daniel " \
      "Maria Michael Sophie Thomas Eva Martin Hannah Leon Alice Ben Charlotte George Linda Max Susan Frank Helen Jack Kate " \
      "Oliver Grace Henry Emily Karl Marie Otto Petra Stefan Monika Andreas Claudia Ahmed Fatima Yuki Chen Olga Ivan Priya " \
      "Carlos Elena Pierre", person, " ")
    cities = split("Berlin Hamburg London Paris Madrid Chicago Leipzig Dresden Bremen Stuttgart Amsterdam Toronto Tokyo " \
      "Oslo Dublin Heidelberg", city, " ")
  }
  / (Tom|Mary|Boston)[^a-z]|^(Tom|Mary)[^a-z]/ && NR % 2 == 0 {
    if ($0 ~ /Toms|Marys|Bostons|Marias/) next  # whose forms differ
    first = person[NR / 2 % people + 1]; second = person[int(NR / 7) % people + 1]; where = city[int(NR / 3) % cities + 1]
    if (first == second) next
    en = renamed(renamed(renamed($1, "Tom", first), "Mary", second), "Boston", where)
    de = renamed(renamed(renamed(renamed($2, "Tom", first), "Mary", second), "Maria", second), "Boston", where)
    if (en != $1 && (index(en, first) > 0) == (index(de, first) > 0) && (index(en, second) > 0) == (index(de, second) > 0) \
        && (index(en, where) > 0) == (index(de, where) > 0)) print en "\t" de
  }' > "$out/named.tsv"
parted named

"$kette" train --src "$tatoeba/train.en" "$europarl/train.en" "$out"/{hurried,named,phrases}.en \
  --tgt "$tatoeba/train.de" "$europarl/train.de" "$out"/{hurried,named,phrases}.de --weights 68 17 7 7 1 \
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
