#!/usr/bin/env bash
# Sourced by scripts that need packages of Python.

# make_venv FOLDER REQUIREMENTS...: a virtual environment with what these files name, from PyPI; one that has it already
# is kept. Of the Python that $PYTHON names (default: python3). Where PyPI or venv is out of reach it ends the script with
# status 77; a package that PyPI has not is a failure.
make_venv() {
  local folder=$1 log=$1/log.txt
  shift
  mkdir -p "$folder"
  if [[ -x $folder/bin/python ]] && cmp -s <(cat "$@") "$folder/installed.txt"; then return; fi
  echo "venv: installing $(cat "$@" | grep -vc '^#') packages in $folder"
  if "${PYTHON:-python3}" -m venv "$folder" > "$log" 2>&1 &&
    "$folder/bin/python" -m pip install --disable-pip-version-check "${@/#/-r}" >> "$log" 2>&1; then
    cat "$@" > "$folder/installed.txt"
    return
  fi
  tail -3 "$log" | cut -c 1-300
  if [[ -x $folder/bin/pip ]] && ! grep -qE 'NewConnectionError|ConnectTimeout|from versions: none' "$log"; then
    echo "venv: FAILED: expected packages that PyPI has for this Python, given others (the log is $log)" >&2
    exit 1
  fi
  echo "SKIPPED: the packages cannot be installed here (is there a network? the log is $log); nothing was checked"
  exit 77
}
