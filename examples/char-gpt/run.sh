#!/usr/bin/env bash
# A small GPT that writes a text's characters: trained, judged, and made to write.
#   ./run.sh [--short] [TEXT]     (default: Tiny Shakespeare, fetched; --short: the bundled corpus)
set -euo pipefail
# shellcheck source=examples/example.sh
. "$(dirname "${BASH_SOURCE[0]}")/../example.sh"
takes "0 1" "$@"

# plain FILE: its text, unpacked where it is packed: kette looks at the first bytes, too.
plain() {
  case $(head -c 4 "$1" | od -An -tx1 | tr -d ' ') in
    1f8b*) gzip -dc < "$1" ;;
    fd377a58) xz -dc < "$1" ;;
    28b52ffd) zstd -dc < "$1" ;;
    *) cat "$1" ;;
  esac
}

if (($# == 1)); then
  text=$1
elif [[ -n $short ]]; then
  run "$kette_corpus" --out "$out/corpus" --train 2000 --valid 1 --test 1
  text=$out/corpus/train.en
else
  run "$here/../../data/fetch.sh" tinyshakespeare "$out/tinyshakespeare"
  text=$out/tinyshakespeare/input.txt
fi

set_aside "$out/model"
run "$kette" train --config "$here/train.toml" ${short:+--steps 30 --validate-every 30} --text "$text" --out "$out/model"
# Of the last tenth of the text, which was kept for validation: by characters, here of four bytes each.
plain "$text" | iconv -f UTF-8 -t UTF-32LE > "$out/characters"
characters=$(($(wc -c < "$out/characters") / 4))
kept=$(((9 * characters + 5) / 10)) # the others, rounded as training does
tail -c "+$((4 * kept + 1))" "$out/characters" | iconv -f UTF-32LE -t UTF-8 > "$out/held-out.txt"
rm "$out/characters"
run "$kette" evaluate --model "$out/model" --text "$out/held-out.txt"
run "$kette" generate --model "$out/model" --prompt "The " --max-tokens 300 --temperature 0.8 --seed 1
