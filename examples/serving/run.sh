#!/usr/bin/env bash
# A translator behind HTTP: start, ask as its clients do, stop.
#   ./run.sh [--short]      MODEL=DIR: the translator to serve (default: trained here)
set -euo pipefail
# shellcheck source=examples/example.sh
. "$(dirname "${BASH_SOURCE[0]}")/../example.sh"
takes 0 "$@"

translator
# Port 0: any that is free; the first line says which. With --config serve.toml the port is that of the file.
"$kette" serve --config "$here/serve.toml" --port 0 --model "en-de=$model" > "$out/serve.log" 2>&1 &
server=$!
trap 'kill "$server" 2> /dev/null || true' EXIT
for _ in {1..100}; do
  url=$(grep -oE 'http://[0-9.]+:[0-9]+' "$out/serve.log" | head -1) && break
  sleep 0.1
done
run "$kette" serve --check "$url"

run curl --silent --show-error --fail "$url/translate" -d q="The old man sees a house." -d source=en -d target=de
echo
run curl --silent --show-error --fail "$url/v2/translate" -H 'Content-Type: application/json' \
  -d '{"text": ["A woman reads a book.", "The child sleeps."], "target_lang": "DE"}'
echo
# A page keeps its form.
run curl --silent --show-error --fail "$url/translate" -H 'Content-Type: application/json' \
  -d '{"q": "<p>The <b>old</b> man sees a house.</p>", "source": "en", "target": "de", "format": "html"}'
echo
run curl --silent --show-error --fail "$url/metrics" | grep -E '^kette_(requests|texts)' || true

# SIGTERM: what is at work is finished, nothing new is taken, the exit code is 0.
kill -TERM "$server"
wait "$server"
trap - EXIT
echo "the server ended with exit code 0"
