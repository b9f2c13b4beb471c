#!/usr/bin/env bash
# Makes what is published: packages for Debian and an archive that runs from any folder, in build/package.
#   scripts/package.sh [--check] [--reproduce] [--ccache] [-DOPTION=VALUE...]
#     --check       then tries them in bare systems without a network: as a package, from a folder, and as a container
#                   would run it, read-only and without rights. Prints a number for each
#     --reproduce   instead: makes them twice, in two folders, from the last commit; all files must have the same bytes
#     --ccache      with ccache, to try this script: no proof, for both builds may then have the same objects
#     -DKETTE_CUDA=on makes an archive with CUDA kernels; -DKETTE_CUDA_ARCHITECTURES chooses them
# Status 77: a bare system cannot be made here (it takes root, debootstrap, and a network the first time).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

check=0 reproduce=0 with_ccache=() options=()
for word in "$@"; do
  case "$word" in
    --check) check=1 ;;
    --reproduce) reproduce=1 ;;
    --ccache) with_ccache=(--ccache) ;;
    -D*) options+=("$word") ;;
    *)
      echo "package.sh: expected --check, --reproduce, --ccache or -DOPTION=VALUE, given $word" >&2
      exit 2
      ;;
  esac
done
if [[ -n ${with_ccache[*]} ]]; then export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1; else export CCACHE_DISABLE=1; fi
fail() {
  echo "package: FAILED: $*" >&2
  exit 1
}
say() { printf 'package: %-12s %s\n' "$1" "$2"; }

if ((reproduce)); then
  commit=$(git rev-parse HEAD)  # for there may be another one when the second build begins
  for name in here another-folder; do
    clone=build/reproduce/$name
    rm -rf "$clone"
    git clone -q . "$clone"
    git -C "$clone" checkout -q "$commit"
    "$clone/scripts/package.sh" ${with_ccache[@]:+"${with_ccache[@]}"} ${options[@]:+"${options[@]}"}
    (cd "$clone/build/package" && find ./*.deb ./*.tar.xz ./kette ./kette-corpus lib -type f -print0 | sort -z |
      xargs -0 sha256sum) > "build/reproduce/$name.sums"
  done
  diff build/reproduce/{here,another-folder}.sums || fail "two builds of one commit differ (see above)"
  say reproduced "$(wc -l < build/reproduce/here.sums) files have the same SHA-256 in two folders"
  exit
fi

out=build/package
rm -rf "$out"/_CPack_Packages "$out"/*.deb "$out"/*.tar.xz
scripts/build.sh package ${options[@]:+"${options[@]}"}
if ! (cd "$out" && cpack) > "$out/cpack.log" 2>&1; then
  tail -n 30 "$out/cpack.log" >&2
  fail "cpack (see above)"
fi
rm -rf "$out/_CPack_Packages"
(cd "$out" && sha256sum ./*.deb ./*.tar.xz > SHA256SUMS)
archive=$(echo "$out"/kette-*.tar.xz)
for file in "$out"/*.deb "$archive"; do say made "$file, $(stat -c %s "$file" | numfmt --to=si)B"; done
((check)) || exit 0

# --- What can be seen without running them.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch"/{archive,deb}
tar -C "$scratch/archive" -xJf "$archive" --strip-components=1
for file in "$out"/*.deb; do dpkg -x "$file" "$scratch/deb"; done
if grep -rlaF "$PWD" "$scratch"; then fail "expected no path of this machine in a file, given those above"; fi
version=$(sed -nE 's/^project\(Kette VERSION ([0-9.]+).*/\1/p' CMakeLists.txt)
[[ $(dpkg-deb -f "$out"/kette_*.deb Version) == "$version"-* && $archive == *"/kette-$version-"* ]] ||
  fail "expected version $version in the names"
glibc=$(find "$scratch" -type f \( -name '*.so*' -o -path '*/bin/*' \) -exec objdump -T {} + |
  grep -oE 'GLIBC_[0-9.]+' | sort -uV | tail -n 1)
[[ $(printf '%s\nGLIBC_2.36\n' "$glibc" | sort -V | tail -n 1) == GLIBC_2.36 ]] || fail "expected glibc 2.36, given $glibc"
say glibc "no symbol later than $glibc"
lintian --fail-on error "$out"/*.deb > "$scratch/lintian" || { cat "$scratch/lintian"; fail "lintian (see above)"; }
warnings=$(grep -c '^W: ' "$scratch/lintian" || true)
cat "$scratch/lintian"
((warnings <= 5)) || fail "expected at most 5 warnings of lintian, given $warnings"
say lintian "0 errors, $warnings warnings"
cmake -S examples/own-op -B "$scratch/consumer" -DCMAKE_PREFIX_PATH="$scratch/deb/usr" > /dev/null
cmake --build "$scratch/consumer" --target own_op my_ops > /dev/null
"$scratch/consumer/own_op" > /dev/null
"$scratch/deb/usr/bin/kette" gradcheck --library "$scratch/consumer/libmy_ops.so" > /dev/null
say consumer "a project finds and uses the library of libkette-dev"

# --- Bare systems: one with nothing, one with what the package needs. Made once, and when it needs something else.
roots=build/package-roots needs=$(dpkg-deb -f "$out"/kette_*.deb Depends)
if [[ $EUID != 0 ]] || ! command -v debootstrap > /dev/null; then
  echo "package: SKIPPED: a bare system takes root and debootstrap (scripts/setup.sh --package)"
  exit 77
fi
if ! unshare --net --mount --pid --fork ip link set lo up; then
  echo "package: SKIPPED: this machine gives no network and mounts of one's own (unshare)"
  exit 77
fi
if [[ ! -f $roots/complete || $(< "$roots/complete") != "$needs" ]]; then
  rm -rf "$roots"
  mkdir -p "$roots"
  debootstrap --variant=minbase bookworm "$roots/bare" > "$roots/log" 2>&1 || {
    tail -n 3 "$roots/log"
    echo "package: SKIPPED: debootstrap cannot make a bare system here (is there a network?)"
    exit 77
  }
  cp -a "$roots/bare" "$roots/needs"
  cp /etc/resolv.conf "$roots/needs/etc/resolv.conf"
  cp "$out"/kette_*.deb "$roots/needs/tmp/kette.deb"
  chroot "$roots/needs" sh -c 'apt-get update && apt-get install -y --no-install-recommends /tmp/kette.deb &&
    dpkg --purge kette && apt-get clean && rm /tmp/kette.deb' > "$roots/log" 2>&1 || {
    tail -n 3 "$roots/log"
    echo "package: SKIPPED: what the package needs cannot be installed here (is there a network?)"
    exit 77
  }
  echo "$needs" > "$roots/complete"
fi
# without_network ROOT r|rw USER COMMAND...: in the system, without any network but its own; read-only but for /tmp.
without_network() {
  # shellcheck disable=SC2016  # the shell inside expands them
  unshare --net --mount --pid --fork bash -c 'set -e
    ip link set lo up
    mount --bind "$1" "$1"
    mount -t proc proc "$1/proc"
    mount -t tmpfs tmpfs "$1/tmp"
    mount --bind "$4" "$1/mnt"
    if [[ $2 == r ]]; then mount -o remount,ro,bind "$1"; fi
    exec chroot --userspec="$3" "$1" env -i PATH=/usr/bin:/bin:/usr/sbin:/sbin HOME=/tmp "${@:5}"' \
    - "$roots/$1" "$2" "$3" "$scratch" "${@:4}"
}
chmod 755 "$scratch"
# What is tried there, with the program as $1.
cat > "$scratch/try.sh" << 'END'
set -eu
! touch /here 2> /dev/null || { echo "expected a read-only system, given one to write to"; exit 1; }
if ldd "$1" | grep "not found"; then exit 1; fi
"$1" --version
"$1" info | grep -E '^(kernels|bf16)'
"$1" gradcheck softmax matmul > /dev/null
[ "$("$1" translate "Good morning." 2> /dev/null)" = "Guten Morgen." ] || { echo "expected the model to try"; exit 1; }
for i in $(seq 60); do echo "the cat sees bread ."; echo "a dog hears it ."; done > /tmp/en
for i in $(seq 60); do echo "die Katze sieht Brot ."; echo "ein Hund hört es ."; done > /tmp/de
"$1" train --src /tmp/en --tgt /tmp/de --valid-src /tmp/en --valid-tgt /tmp/de --out /tmp/model \
  --preset tiny --vocab 60 --encoder-layers 1 --decoder-layers 1 --width 16 --hidden 32 --heads 2 \
  --steps 60 --lr 0.01 --warmup 5 --quiet
echo "the cat sees bread ." | "$1" translate --model /tmp/model > /tmp/text
"$1" serve --model en-de=/tmp/model > /tmp/log 2>&1 &
server=$!
tries=0
until "$1" serve --check http://127.0.0.1:5000 > /dev/null 2>&1; do
  tries=$((tries + 1))
  [ $tries -lt 100 ] || { cat /tmp/log; exit 1; }
  sleep 0.1
done
ask() {
  exec 3<> /dev/tcp/127.0.0.1/5000
  printf '%s HTTP/1.0\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s' "$1" "${#2}" "$2" >&3
  cat <&3
}
ask "GET /health" "" | head -n 1 | grep " 200 "
ask "POST /translate" '{"q":"the cat sees bread .","source":"en","target":"de"}' | grep -F "$(cat /tmp/text)"
kill -TERM $server
wait $server
echo "SIGTERM: exit 0"
END
try() { # try ROOT PROGRAM
  without_network "$1" r 65534:65534 bash /mnt/try.sh "$2" > "$scratch/log" 2>&1 || {
    cat "$scratch/log"
    fail "$2 in a bare system (see above)"
  }
}

mv "$scratch/archive" "$scratch/any folder"
# shellcheck disable=SC2016
foreign=$(without_network bare r 65534:65534 bash -c 'ldd "$0" | grep "=>" | grep -v "=> /mnt" | cut -d " " -f 1' \
  "/mnt/any folder/bin/kette" | tr -d '\t' | sort | tr '\n' ' ')
[[ $foreign == "libc.so.6 libm.so.6 " ]] || fail "expected the archive to have all but libc and libm, given $foreign"
try bare "/mnt/any folder/bin/kette"
say archive "runs in a bare system, from any folder: $(tr '\n' ' ' < "$scratch/log")"

list() { find "$roots/needs" -xdev \( -path '*/var/lib/dpkg' -o -path '*/var/log' -o -path '*/var/cache' \) -prune -o -print | sort; }
without_network needs rw 0:0 dpkg --purge kette > /dev/null 2>&1 || true  # of a check that was ended
rm -rf "$roots/needs/tmp/documented"
list > "$scratch/before"
cp "$out"/kette_*.deb "$scratch/kette.deb"
without_network needs rw 0:0 dpkg -i /mnt/kette.deb > "$scratch/log" 2>&1 || { cat "$scratch/log"; fail "dpkg -i (see above)"; }
try needs /usr/bin/kette
say deb "installed without a network, $(du -sh --apparent-size "$roots/needs" | cut -f 1)B of system: $(tr '\n' ' ' < "$scratch/log")"
scripts/documented.py --root "$roots/needs" > "$scratch/log" 2>&1 || { cat "$scratch/log"; fail "documented commands (see above)"; }
say documents "in the system with the package: $(tail -n 1 "$scratch/log")"
# The others need a compiler or curl; scripts/examples.sh runs them.
cp -r examples "$scratch/examples"
examples=(char-gpt lora multi30k own-text parser)
for example in "${examples[@]}"; do
  without_network needs r 65534:65534 env OUT=/tmp/out "/mnt/examples/$example/run.sh" --short > "$scratch/log" 2>&1 ||
    { cat "$scratch/log"; fail "example $example (see above)"; }
done
say examples "${#examples[@]} in their short form: ${examples[*]}"
without_network needs rw 0:0 dpkg --purge kette > "$scratch/log" 2>&1 || { cat "$scratch/log"; fail "purge (see above)"; }
list > "$scratch/after"
diff "$scratch"/{before,after} || fail "expected purge to leave nothing, given files (see above)"
say purge "leaves nothing"
