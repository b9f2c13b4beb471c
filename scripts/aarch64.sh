#!/usr/bin/env bash
# Cross-compiles Kette for aarch64 and tests it with qemu-user: kernels, ops, layers, decoders, and
# the program from training to text. Installs missing packages (Debian). Arguments are passed to the
# test program and replace its default tests:
#   scripts/aarch64.sh --test-case='*int8*'
# Status 77: the packages are not available here, so nothing was tested.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/setup.sh --aarch64

# The libraries, unpacked into a folder: installed as packages, they would need exactly the versions
# installed for this machine's own processor.
libraries=$PWD/build/aarch64-sysroot
if [[ ! -f $libraries/complete ]]; then
  rm -rf "$libraries"
  mkdir -p "$libraries"/apt/{state/lists/partial,cache/archives/partial}
  apt=(-q -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o APT::Sandbox::User="$(id -un)"
    -o Dir::State="$libraries/apt/state" -o Dir::State::status=/dev/null -o Dir::Cache="$libraries/apt/cache")
  # The libraries with their dependencies, by their names in this release of the system.
  wanted=(libopenblas-pthread-dev libsentencepiece-dev libutf8proc-dev zlib1g-dev liblzma-dev libzstd-dev)
  if ! (cd "$libraries/apt" && apt-get "${apt[@]}" update &&
    apt-get "${apt[@]}" --no-install-recommends -s install "${wanted[@]}" |
    awk '/^Inst (libopenblas|libgfortran|libsentencepiece|libutf8proc|zlib1g|liblzma|libzstd)/ { print $2 }' > names &&
    [[ -s names ]] && xargs apt-get "${apt[@]}" download < names); then
    echo "aarch64.sh: expected apt-get to find packages for arm64, given a failure" \
      "(is there a network, and are they where apt's sources say? see above)" >&2
    exit 77
  fi
  for package in "$libraries"/apt/*.deb; do dpkg -x "$package" "$libraries"; done
  rm -rf "$libraries/apt"
  touch "$libraries/complete"
fi

scripts/build.sh aarch64 kette kette-tests

start=$SECONDS
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# Waiting threads sleep: an emulated thread that spins costs as much as one that works.
export OMP_WAIT_POLICY=passive QEMU_LD_PREFIX=/usr/aarch64-linux-gnu
failed() {
  echo "aarch64: FAILED${1:+: $1} (see above)" >&2
  exit 1
}
tests() { qemu-aarch64 build/aarch64/kette-tests "$@" || failed; }
kette() { qemu-aarch64 build/aarch64/kette "$@" < /dev/null || failed "kette $1"; }
if (($# > 0)); then
  tests "$@"
  exit
fi

# Without the longest tests.
tests --test-case-exclude='a chain of a million nodes*,linear cross entropy of two views*,models by chance*,ensemble*'

echo "aarch64: a model, from training to text, on one thread and on two, and in int8 by every path"
for _ in {1..60}; do printf 'the cat sees bread .\na dog hears it .\n'; done > "$folder/text"
for threads in 1 2; do
  kette train --text "$folder/text" --out "$folder/$threads" --layers 1 --width 16 --hidden 32 --heads 2 \
    --context 16 --steps 40 --lr 0.01 --warmup 5 --threads "$threads" --quiet
done
cmp "$folder"/{1,2}/model.safetensors || failed "two threads train another model than one"
kette generate --model "$folder/1" --prompt "the " --temperature 0 --max-tokens 40
for path in portable neon neon-dotprod; do
  KETTE_INT8=$path kette generate --model "$folder/1" --prompt "the " --max-tokens 100 --weights int8 > "$folder/$path"
  cmp "$folder"/{portable,"$path"} || failed "int8 by $path writes another text than the portable path"
done

echo "aarch64: a processor without the instruction for dot products"
export QEMU_CPU=cortex-a72
kette info | grep -E '^int8 kernels +neon '
tests --test-case='int8*'
echo "aarch64: passed in $((SECONDS - start)) s, on qemu-user"
