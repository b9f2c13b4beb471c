#!/usr/bin/env bash
# A small GPT that writes a text's characters: trained, judged, and made to write.
#   ./run.sh [--short] [TEXT]     (default: Tiny Shakespeare, fetched; --short: the bundled corpus)
set -euo pipefail
# shellcheck source=examples/example.sh
. "$(dirname "${BASH_SOURCE[0]}")/../example.sh"

if (($# == 1)); then
  text=$1
elif [[ -n $short ]]; then
  run "$kette_corpus" --out "$out/corpus" --train 2000 --valid 1 --test 1
  text=$out/corpus/train.en
else
  run "$here/../../data/fetch.sh" tinyshakespeare "$out/tinyshakespeare"
  text=$out/tinyshakespeare/input.txt
fi

rm -rf "$out/model"
run "$kette" train --config "$here/train.toml" ${short:+--steps 30 --validate-every 30} --text "$text" --out "$out/model"
# Of the last tenth of the text, which was kept for validation.
tail -c "$(($(wc -c < "$text") / 10))" "$text" > "$out/held-out.txt"
run "$kette" evaluate --model "$out/model" --text "$out/held-out.txt"
run "$kette" generate --model "$out/model" --prompt "The " --max-tokens 300 --temperature 0.8 --seed 1
