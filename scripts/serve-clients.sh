#!/usr/bin/env bash
# Lets unchanged clients of others ask a server of Kette: libretranslatepy, deepl, openai, prometheus-client, and
# schemathesis, which asks all that GET /openapi.json describes, rightly and wrongly. Prints a line for each check; exit
# code 1 if one failed. Needs a release build, and the network for the packages (PyPI), which lie in build/clients.
#   scripts/serve-clients.sh [--model DIR] [--text-model DIR] [--kette PROGRAM] [--examples N]
#     --model       translates from English to German (default: the quickstart's)
#     --text-model  writes text (default: one that is trained for a moment)
#     --examples    of schemathesis for each operation (default: 30)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

kette=build/release/kette model=build/quickstart-model text_model="" examples=30
while (($# > 0)); do
  case "$1" in
    --kette) kette=${2:-} ;;
    --model) model=${2:-} ;;
    --text-model) text_model=${2:-} ;;
    --examples) examples=${2:-} ;;
    *)
      echo "serve-clients.sh: expected --model, --text-model, --kette or --examples, given $1" >&2
      exit 2
      ;;
  esac
  shift 2 || shift
done
if [[ ! -x "$kette" ]]; then
  echo "serve-clients.sh: expected the program (scripts/build.sh release), given none at $kette" >&2
  exit 2
fi
if [[ ! -f "$model/config.json" ]]; then
  echo "serve-clients.sh: expected a translation model (scripts/quickstart.sh, or --model DIR), given none at $model" >&2
  exit 2
fi

venv=build/clients
packages=(libretranslatepy==2.1.4 deepl==1.32.0 openai==3.57.0 prometheus-client==0.26.0 schemathesis==4.32.5)
log=$(mktemp)
work=$(mktemp -d)
trap 'rm -rf "$log" "$work"' EXIT
if ! { [[ -x $venv/bin/python ]] || python3 -m venv "$venv"; } > "$log" 2>&1 ||
  ! "$venv/bin/python" -m pip install --quiet --disable-pip-version-check "${packages[@]}" >> "$log" 2>&1; then
  tail -3 "$log"
  echo "serve-clients.sh: the clients cannot be installed here (${packages[*]}); nothing was checked"
  exit 0
fi

if [[ -z "$text_model" ]]; then
  text_model=$work/gpt
  "$kette" train --text docs/guide.md --out "$text_model" --preset char-cpu --steps 30 --quiet > "$log" 2>&1 || {
    cat "$log"
    exit 1
  }
fi
"$venv/bin/python" scripts/serve_clients.py "$kette" "$model" "$text_model" "$examples" "$work"
