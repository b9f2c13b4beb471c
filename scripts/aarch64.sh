#!/usr/bin/env bash
# Builds Kette for aarch64 on another machine and tests it there without that processor, by qemu-user: kernels, ops,
# layers, decoders, and the program from training to text. Installs what is missing (Debian). Arguments go to the
# test program, in place of what is chosen here:
#   scripts/aarch64.sh --test-case='*int8*'
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/setup.sh --aarch64

# The libraries, unpacked into a folder: as packages of this machine they would have to be of the very versions that
# it has for its own processor.
libraries=$PWD/build/aarch64-sysroot
if [[ ! -f $libraries/complete ]]; then
  rm -rf "$libraries"
  mkdir -p "$libraries"/apt/{state/lists/partial,cache/archives/partial}
  apt=(-q -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o APT::Sandbox::User="$(id -un)"
    -o Dir::State="$libraries/apt/state" -o Dir::State::status=/dev/null -o Dir::Cache="$libraries/apt/cache")
  # The libraries with what they need, by the names that this release of the system has for them.
  wanted=(libopenblas-pthread-dev libsentencepiece-dev libutf8proc-dev zlib1g-dev)
  if ! (cd "$libraries/apt" && apt-get "${apt[@]}" update &&
    apt-get "${apt[@]}" --no-install-recommends -s install "${wanted[@]}" |
    awk '/^Inst (libopenblas|libgfortran|libsentencepiece|libutf8proc|zlib1g)/ { print $2 }' > names &&
    [[ -s names ]] && xargs apt-get "${apt[@]}" download < names); then
    echo "aarch64.sh: expected apt-get to find packages for arm64, given a failure" \
      "(is there a network, and are they where apt's sources say? see above)" >&2
    exit 1
  fi
  for package in "$libraries"/apt/*.deb; do dpkg -x "$package" "$libraries"; done
  rm -rf "$libraries/apt"
  touch "$libraries/complete"
fi

scripts/build.sh aarch64 kette kette-tests

start=$SECONDS
emulated() { # emulated PROCESSOR OPTION...: the tests on a processor that qemu knows
  # Threads that wait sleep: an emulated one that spins takes as long as one that works.
  if ! QEMU_CPU=$1 OMP_WAIT_POLICY=passive \
    qemu-aarch64 -L /usr/aarch64-linux-gnu build/aarch64/kette-tests "${@:2}"; then
    echo "aarch64: FAILED (see above)" >&2
    exit 1
  fi
}
if (($# > 0)); then
  emulated max "$@"
else
  # Without what takes longest.
  emulated max --source-file-exclude='*tests/cli/*' \
    --test-case-exclude='a chain of a million nodes*,linear cross entropy of two views*,models by chance*,ensemble*'
  echo "aarch64: the program trains, translates by every path of int8, and writes text"
  emulated max --test-case='quantize: a directory*,text model: generated text*'
  echo "aarch64: without the instruction for dot products"
  QEMU_CPU=cortex-a72 build/aarch64/kette-emulated info | grep -E '^int8 kernels +neon '
  emulated cortex-a72 --test-case='int8*,the kernels in use*'
fi
echo "aarch64: passed in $((SECONDS - start)) s, on qemu-user"
