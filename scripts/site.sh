#!/usr/bin/env bash
# Builds the site of the documents, with the commands' options, the headers, and Python's reference, for any browser: it
# needs no network and asks no other host for anything (its search needs a server, such as python3 -m http.server). Every link
# is checked, and a broken one is a failure.
#   scripts/site.sh [--model DIR] [--kette FILE] [--python DIR] [OUT]      (default: build/site; --help tells more)
#     --model   a model of the quickstart, for live pages of explain, heads, trace and tape
# mkdocs and its theme Material come from scripts/setup.sh --site. Without them the status is 77.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if ! command -v mkdocs > /dev/null || [[ ! -d /usr/share/mkdocs/themes/material ]]; then
  echo "SKIPPED: mkdocs and mkdocs-material are not installed (scripts/setup.sh --site installs them); nothing was built"
  exit 77
fi
exec python3 scripts/site.py "$@"
