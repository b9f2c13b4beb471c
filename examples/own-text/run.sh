#!/usr/bin/env bash
# A translator from two files: line n of the second translates line n of the first.
#   ./run.sh [--short] [SOURCE TARGET]     (default: the bundled English-German corpus)
set -euo pipefail
# shellcheck source=examples/example.sh
. "$(dirname "${BASH_SOURCE[0]}")/../example.sh"
takes "0 2" "$@"

if (($# == 2)); then
  source=$1 target=$2
else
  corpus=$out/corpus${short:+-short}
  run "$kette_corpus" --out "$corpus" ${short:+--train 1000 --valid 1 --test 1}
  source=$corpus/train.en target=$corpus/train.de
fi

# Every 50th pair is kept for validation, and the one after it for the test.
rm -f "$out"/{train,valid,test}.{source,target}
for side in source target; do
  file=$source
  [[ $side == source ]] || file=$target
  awk -v out="$out" -v side="$side" \
    '{ part = NR % 50 == 0 ? "valid" : NR % 50 == 1 ? "test" : "train"; print > (out "/" part "." side) }' "$file"
done
[[ -f $out/valid.source ]] || refuse "expected at least 50 lines, given $(wc -l < "$source") in $source"
pairs=(--src "$out/train.source" --tgt "$out/train.target" --valid-src "$out/valid.source" --valid-tgt "$out/valid.target")

# What is odd about the text, before a model learns from it.
run "$kette" check "${pairs[@]}" --test-src "$out/test.source" --test-tgt "$out/test.target" --page "$out/check.html"

set_aside "$out/model"
run "$kette" train --config "$here/train.toml" ${short:+--epochs 1 --no-validate-bleu} "${pairs[@]}" --out "$out/model"
run "$kette" evaluate --model "$out/model" --src "$out/test.source" --ref "$out/test.target"
run "$kette" translate --model "$out/model" < <(head -3 "$out/test.source")
