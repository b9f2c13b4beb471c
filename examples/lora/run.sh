#!/usr/bin/env bash
# Fine-tuning with low-rank adapters: a translator learns Swiss spelling, which has no letter sharp s.
#   ./run.sh [--short]      MODEL=DIR: the translator to start from (default: trained here)
set -euo pipefail
# shellcheck source=examples/example.sh
. "$(dirname "${BASH_SOURCE[0]}")/../example.sh"
takes 0 "$@"

translator
# The text to adapt to: pairs whose German has the letter, spelt as in Switzerland.
for part in train valid test; do
  paste "$corpus/$part.en" "$corpus/$part.de" | grep 'ß' | sed 's/ß/ss/g' > "$out/$part.tsv" || true
  cut -f 1 "$out/$part.tsv" > "$out/$part.en"
  cut -f 2 "$out/$part.tsv" > "$out/$part.swiss"
done

set_aside "$out/adapted" "$out/merged"
run "$kette" train --config "$here/adapter.toml" ${short:+--epochs 1 --no-validate-bleu} --from "$model" --src "$out/train.en" \
  --tgt "$out/train.swiss" --valid-src "$out/valid.en" --valid-tgt "$out/valid.swiss" --out "$out/adapted"
du -h "$model/model.safetensors" "$out/adapted/adapter.safetensors"

for which in "$model" "$out/adapted"; do
  run "$kette" evaluate --model "$which" --src "$out/test.en" --ref "$out/test.swiss" --output "$out/translated"
  echo "lines with a sharp s: $(grep -c 'ß' "$out/translated" || true)"
done

# Adapters and model as one plain model, which is as quick as the model alone.
run "$kette" merge --model "$out/adapted" --out "$out/merged"
run "$kette" translate --model "$out/merged" < <(head -3 "$out/test.en")
