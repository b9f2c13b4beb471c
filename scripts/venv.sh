#!/usr/bin/env bash
# Sourced by scripts that need packages of Python.

# make_venv FOLDER REQUIREMENTS...: a virtual environment with what these files name, from PyPI; one that has it already
# is kept. Of the Python that $PYTHON names (default: python3). Ends the script with status 77 where there is no network.
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
  tail -3 "$log"
  echo "SKIPPED: the packages cannot be installed here (is there a network? the log is $log); nothing was checked"
  exit 77
}
