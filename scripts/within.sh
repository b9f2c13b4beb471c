#!/usr/bin/env bash
# Sourced by scripts that limit the time of a command.

# within SECONDS COMMAND...: returns its status, or 124 or 137 if it took longer. The command ends
# with the calling script. With timeout alone it would not, since timeout has its own process group,
# which a terminal's signals do not reach.
within() {
  local status=0
  timeout --kill-after=10 "$1" "${@:2}" &
  # shellcheck disable=SC2064  # that process
  trap "kill $!; exit 130" INT TERM
  wait "$!" || status=$?
  trap - INT TERM
  return "$status"
}
