#!/usr/bin/env bash
# From nothing to a translator: installs missing packages, builds, writes the bundled English-German
# corpus, trains for three minutes, measures BLEU on unseen sentences, translates a few of them.
#   scripts/quickstart.sh [--minutes M] [--cuda]      (or QUICKSTART_MINUTES=M)
# The build is for this machine only, with CUDA if there is a working GPU, or with --cuda.
# scripts/build.sh builds everything, into the same folder.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

minutes=${QUICKSTART_MINUTES:-3} options=()
while (($# > 0)); do
  case "$1" in
    --minutes)
      minutes=${2:-}
      shift 2 || shift
      ;;
    --minutes=*)
      minutes=${1#*=}
      shift
      ;;
    --cuda)
      options+=(-DKETTE_CUDA=on)
      shift
      ;;
    *)
      echo "quickstart.sh: expected --minutes M or --cuda, given $1" >&2
      exit 2
      ;;
  esac
done
if [[ ! "$minutes" =~ ^[0-9]+(\.[0-9]+)?$ || "$minutes" =~ ^[0.]+$ ]]; then
  echo "quickstart.sh: expected a positive number of minutes, given \"$minutes\"" >&2
  exit 2
fi

kette=build/release/kette
corpus=build/bundled
model=build/quickstart-model
vocabulary=2500
# For few minutes and little text: pre-norm, which learns faster than the paper's order, small
# batches, no dropout, and a learning rate that decays until the time is up. examples/own-text has a
# recipe for text of one's own, in a file with comments.
recipe=(--norm pre --batch-tokens 1024 --dropout 0 --lr 0.003 --warmup 150 --schedule cosine
  --validate-every 500)
say() { printf '\n== %s\n' "$*"; }

say "Install what is missing"
scripts/setup.sh

say "Build"
scripts/build.sh --native release ${options[@]:+"${options[@]}"} kette kette-corpus

say "Write the bundled corpus"
build/release/kette-corpus --out "$corpus" --force

if [[ -e "$model" ]]; then
  rm -rf "$model.earlier"
  mv "$model" "$model.earlier"
  echo "The earlier model is now $model.earlier"
fi
train=("$kette" train --src "$corpus/train.en" --tgt "$corpus/train.de"
  --valid-src "$corpus/valid.en" --valid-tgt "$corpus/valid.de"
  --out "$model" --preset tiny --vocab "$vocabulary"
  "${recipe[@]}")
say "Train for $minutes min"
"${train[@]}" --minutes "$minutes"

say "Measure on $(wc -l < "$corpus/test.en") sentences that training never saw"
"$kette" evaluate --model "$model" --src "$corpus/test.en" --ref "$corpus/test.de"

say "Translate some of them"
shown=$(mktemp -d)
trap 'rm -rf "$shown"' EXIT
for language in en de; do
  awk 'NR % 190 == 50' "$corpus/test.$language" > "$shown/$language"
done
"$kette" translate --model "$model" --input "$shown/en" --output "$shown/kette"
paste -d '\n' "$shown/en" "$shown/kette" "$shown/de" |
  awk 'BEGIN { split("English   Kette     reference ", label, / +/) }
       { printf "%-10s %s\n", label[(NR - 1) % 3 + 1], $0; if (NR % 3 == 0) print "" }'

cat << END
== Go on
This model has seen a toy grammar alone, of a few hundred words. Try more of its sentences:
  head -3 $corpus/test.en | $kette translate --model $model
The small model that comes with Kette knows everyday English:
  $kette translate "Good morning. I would like a cup of coffee."
Train on your own text, one sentence a line, in the time that you have:
  $kette train --src my.en --tgt my.de --valid-src valid.en --valid-tgt valid.de --out my-model --minutes 30
Or train this one for ten minutes more:
  ${train[*]} --resume --minutes $(awk "BEGIN { print $minutes + 10 }")
Texts to train on (Multi30k, Tatoeba, Europarl, WMT) and large models (OPUS-MT) come with data/fetch.sh; docs/ explains the rest.
END
