#!/usr/bin/env bash
# How often a tag round a word is round the word that it became: trains a model on the bundled corpus, whose grammar knows,
# and counts over its test set. With a model: of that one.
#   bench/marks.sh BUILD [MODEL]            e.g. build/release
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=${1:?expected a build folder} model=${2:-}
if [[ -z "$model" ]]; then
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  "$build/kette-corpus" --out "$work/text"
  "$build/kette" train --src "$work/text/train.en" --tgt "$work/text/train.de" \
    --valid-src "$work/text/valid.en" --valid-tgt "$work/text/valid.de" --out "$work/model" --preset tiny \
    --vocab 2500 --norm pre --batch-tokens 1024 --dropout 0 --lr 0.003 --warmup 150 --schedule cosine \
    --validate-every 500 --minutes "${MARKS_MINUTES:-3}"
  model=$work/model
fi
KETTE_BUNDLED_MODEL=$(realpath "$model") "$build/kette-tests" --test-case='word alignment: tags*' --success
