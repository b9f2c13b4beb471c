#!/usr/bin/env bash
# Runs the commands of docs/inside.md on the quickstart's model and puts their output into the file.
# Takes the three pictures of docs/pictures/ again if there is a Chromium.
#   scripts/inside.sh [PATTERN]        only commands that contain PATTERN, and no pictures
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

pattern=${1:-}
document=docs/inside.md
PATH=$PWD/build/release:$PATH
for needed in build/release/kette build/quickstart-model/model.safetensors build/bundled/test.de; do
  if [[ ! -e "$needed" ]]; then
    echo "inside.sh: expected $needed, given none (scripts/quickstart.sh makes it)" >&2
    exit 1
  fi
done
mkdir -p build/inside

written=$(mktemp) messages=$(mktemp)
trap 'rm -f "$written" "$messages"' EXIT
state=text # or "console": a command is next; "kept" and "dropped": its earlier output
while IFS= read -r line; do
  if [[ "$line" == '```console' ]]; then
    state=console
  elif [[ "$line" == '```' ]]; then
    state=text
  elif [[ $state == console && "$line" == '$ '* ]]; then
    printf '%s\n' "$line" >> "$written"
    state=kept
    [[ "$line" == *"$pattern"* ]] || continue
    state=dropped
    printf '%s\n' "$line" >&2
    while read -r _ path; do rm -rf "$path"; done < <(grep -oE -- '--(out|save) build/inside/\S+' <<< "$line")
    status=0
    bash -c "${line#'$ '}" < /dev/null 2> "$messages" >> "$written" || status=$?
    # Some exit with 1 if they found something.
    if ((status > 1)) || grep -q '^kette: ' "$messages"; then
      cat "$messages" >&2
      echo "inside.sh: expected a command that ends well, given status $status" >&2
      exit 1
    fi
    continue
  fi
  if [[ $state != dropped ]]; then printf '%s\n' "$line" >> "$written"; fi
done < "$document"
cp "$written" "$document"

if [[ -n "$pattern" ]] || ! command -v chromium > /dev/null; then exit 0; fi
mkdir -p docs/pictures
for picture in explain:1500 heads:1010 trace:1500; do
  page=${picture%:*}
  chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir=build/inside/browser \
    --window-size="1200,${picture#*:}" --screenshot="docs/pictures/$page.png" \
    "file://$PWD/build/inside/$page.html" 2> /dev/null
done
