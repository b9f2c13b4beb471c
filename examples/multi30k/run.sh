#!/usr/bin/env bash
# Multi30k, English to German: 29,000 captions of pictures, as the published scores have them.
#   ./run.sh [--short] [DIR]      DIR: the corpus, where data/fetch.sh multi30k has put it (default: fetch it)
# --short takes captions' place with sentences of the bundled corpus, lower-cased.
set -euo pipefail
# shellcheck source=examples/example.sh
. "$(dirname "${BASH_SOURCE[0]}")/../example.sh"
takes "0 1" "$@"

if (($# == 1)); then
  data=$1/lc-tok
elif [[ -n $short ]]; then
  run "$kette_corpus" --out "$out/corpus" --train 1000 --valid 30 --test 30
  data=$out/lc-tok
  mkdir -p "$data"
  for side in en de; do
    for part in train:train valid:val test:test_2016_flickr; do
      LC_ALL=C.UTF-8 sed -E 's/.*/\L&/; s/([.,?!])/ \1/g' "$out/corpus/${part%:*}.$side" > "$data/${part#*:}.$side"
    done
  done
else
  run "$here/../../data/fetch.sh" multi30k "$out/multi30k"
  data=$out/multi30k/lc-tok
fi

set_aside "$out/model"
run "$kette" train --config "$here/train.toml" ${short:+--epochs 1 --no-validate-bleu --vocab 500 --width 64 --warmup 5} \
  --src "$data/train.en" --tgt "$data/train.de" --valid-src "$data/val.en" --valid-tgt "$data/val.de" --out "$out/model"
run "$kette" evaluate --model "$out/model" --tokenize none --src "$data/test_2016_flickr.en" \
  --ref "$data/test_2016_flickr.de" --output "$out/test_2016_flickr.de"
