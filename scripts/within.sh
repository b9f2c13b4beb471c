#!/usr/bin/env bash
# Sourced by scripts that give a command so much time.

# within SECONDS COMMAND...: its status, or 124 or 137 where it took longer. It ends with the script that calls it, which
# timeout alone would not: that has a process group of its own, which a terminal's signals do not reach.
within() {
  local status=0
  timeout --kill-after=10 "$1" "${@:2}" &
  # shellcheck disable=SC2064  # that process
  trap "kill $!; exit 130" INT TERM
  wait "$!" || status=$?
  trap - INT TERM
  return "$status"
}
