#!/usr/bin/env bash
# One archive for a machine with a GPU but without a network: the programs for one architecture,
# their libraries, the source tree as git knows it, and folders of data.
#   scripts/gpu-pack.sh [--arch N] [--data FOLDER]... [--build FOLDER] [--out FILE]
#     --arch   the GPU's compute capability without its point (default: 90, an H100 or H200)
#     --data   becomes build/data/NAME; gpu-check.sh looks for multi30k, and for nanogpt, a clone of karpathy/nanoGPT
#     --build  a folder with built programs (default: builds them in build/gpu)
#     --out    default: build/kette-gpu.tar.xz
# Then, over there:  tar -xf kette-gpu.tar.xz && kette-gpu/scripts/gpu-check.sh --part tests
set -euo pipefail
started_in=$PWD
cd "$(dirname "${BASH_SOURCE[0]}")/.."

architecture=90 build="" out=build/kette-gpu.tar.xz data=()
while (($#)); do
  path=${2:-}
  [[ $path == /* ]] || path=$started_in/$path
  case "$1" in
    --arch) architecture=${2:-} ;;
    --data)
      if [[ ! -d $path ]]; then
        echo "gpu-pack.sh: --data: expected a folder, given ${2:-}, which is none" >&2
        exit 2
      fi
      data+=("$path")
      ;;
    --build) build=$path ;;
    --out) out=$path ;;
    *)
      echo "gpu-pack.sh: expected --arch, --data, --build or --out, given $1" >&2
      exit 2
      ;;
  esac
  if [[ -z ${2:-} ]]; then
    echo "gpu-pack.sh: expected a value after $1, given none" >&2
    exit 2
  fi
  shift 2
done

if ! git ls-files --error-unmatch CMakeLists.txt > /dev/null 2>&1; then
  echo "gpu-pack.sh: expected a clone, of which it packs what git knows, given a tree without git" >&2
  exit 1
fi

if [[ -z $build ]]; then
  build=build/gpu
  cmake -S . -B "$build" -DCMAKE_BUILD_TYPE=Release -DKETTE_CUDA=on \
    -DKETTE_CUDA_ARCHITECTURES="$architecture-real" -DKETTE_CPU_VARIANTS=OFF > /dev/null
  cmake --build "$build" -j "$(nproc)" --target kette kette-tests
fi

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
root=$scratch/kette-gpu programs=$scratch/kette-gpu/build/release
mkdir -p "$programs/programs" "$programs/lib" "$root/build/data"
# A file that was deleted and is not committed yet is a warning.
git ls-files -z | tar --null --ignore-failed-read -T - -c | tar -x -C "$root"
for folder in "${data[@]}"; do cp -rL "$folder" "$root/build/data/$(basename "$folder")"; done

# All libraries but glibc, which belongs to the system and its driver.
needed=$(ldd "$build/kette" "$build/kette-tests")
if [[ $needed == *"not found"* ]]; then
  echo "gpu-pack.sh: expected libraries that are there, given: ${needed//$'\n'/ }" >&2
  exit 1
fi
mapfile -t libraries < <(sed -nE 's/^.* => (\/.*) \(0x[0-9a-f]+\)$/\1/p' <<< "$needed" | sort -u |
  grep -vE '/(libc|libm|libdl|librt|libpthread)\.so')
for name in kette kette-tests; do
  strip -o "$programs/programs/$name" "$build/$name"
  # Only Kette's programs need these libraries; Python has its own.
  cat > "$programs/$name" << 'END'
#!/bin/bash
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export LD_LIBRARY_PATH=$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
exec "$here/programs/$(basename "${BASH_SOURCE[0]}")" "$@"
END
  chmod +x "$programs/$name"
done
for library in "${libraries[@]}"; do
  strip --strip-unneeded -o "$programs/lib/$(basename "$library")" "$library"
done

tar -C "$scratch" -cJf "$out" kette-gpu
size=$(($(stat -c %s "$out") / 1000000))
if ((size >= 50)); then
  echo "gpu-pack.sh: expected an archive below 50 MB, given one of $size MB" \
    "(less --data, or one architecture)" >&2
  exit 1
fi
echo "gpu-pack: $out, $size MB"
