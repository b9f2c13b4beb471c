#!/usr/bin/env bash
# Builds Kette in all supported ways, each from a fresh clone of the last commit: configures, builds
# all, runs the result, installs it, and builds and runs a project that uses the installed library.
# Prints the time of each.
#   scripts/builds.sh              all of them: takes hours, for releases
#   scripts/builds.sh NAME...      some
#   scripts/builds.sh --turn       one, chosen by the commit's hash, so that CI gets through all of them
#   scripts/builds.sh --list       their names
#   scripts/builds.sh --ccache ... with ccache: checks that all build, without times
# Clones and logs are in build/builds. Otherwise only the way named ccache uses ccache. CUDA kernels
# are compiled for one kind of GPU, except by plain, which compiles them for all. Processor seconds
# are the sum over all compilers, which other work on the machine hardly changes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

names=(plain clang libcxx files-alone no-tests no-variants native cuda-on cuda-off cuda-emulator ccache "a space"
  release debug dev asan tsan aarch64 gpu-pack wheel)
jobs=${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}

plain() {
  cmake -S . -B build -DCMAKE_BUILD_TYPE=Release "$@"
  cmake --build build -j "$jobs"
}
# build NAME: builds in the clone and sets `built` to the build folder.
build() {
  built=build
  case "$1" in
    plain)
      unset CUDAARCHS
      plain
      ;;
    clang) plain -DCMAKE_CXX_COMPILER=clang++ ;;  # with its own OpenMP runtime
    libcxx)
      # The system's SentencePiece takes strings of libstdc++ alone. So all is compiled, but the program not linked, and
      # the tests of the floors below it with what they never call left open.
      cmake -S . -B build -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_CXX_FLAGS=-stdlib=libc++ \
        -DKETTE_CUDA=off -DKETTE_MPI=OFF -DKETTE_TESTS_OF='tensor;autograd;nn' \
        -DCMAKE_EXE_LINKER_FLAGS=-Wl,--unresolved-symbols=ignore-in-object-files
      cmake --build build -j "$jobs" --target kette-tests
      ;;
    files-alone) plain -DKETTE_UNITY=OFF -DKETTE_CUDA=off ;;
    no-tests) plain -DKETTE_TESTS=OFF ;;
    no-variants) plain -DKETTE_CPU_VARIANTS=OFF -DKETTE_CUDA=off ;;
    native) plain -DKETTE_NATIVE=ON ;;
    cuda-on) plain -DKETTE_CUDA=on ;;
    cuda-off | ccache | "a space") plain -DKETTE_CUDA=off ;;
    cuda-emulator) plain -DKETTE_CUDA=emulator ;;
    gpu-pack)
      scripts/gpu-pack.sh
      built=build/gpu
      ;;
    wheel) scripts/wheel.sh ;;  # and tries it
    aarch64)
      scripts/aarch64.sh --test-case='int8*'
      built=build/aarch64
      cmake --build "$built" -j "$jobs"
      ;;
    *)
      scripts/build.sh "$1"
      built=build/$1
      ;;
  esac
}
# missing NAME: prints the program that this way needs and this machine lacks, if any.
missing() {
  local program
  case "$1" in
    clang | libcxx | asan | tsan) program=clang++ ;;
    cuda-on | gpu-pack) program=nvcc ;;
    ccache) program=ccache ;;
    *) return 0 ;;
  esac
  command -v "$program" > /dev/null || echo "$program"
}

cached() { sed -nE "s/^$1:[A-Z]+=//p" "$built/CMakeCache.txt"; }
# Runs what was built, what is installed, and a project that uses it.
check() {
  [[ $1 != wheel ]] || return 0
  if [[ $1 == libcxx ]]; then
    OMP_WAIT_POLICY=passive "$built/kette-tests" --source-file-exclude='*test_op_library*'  # which runs the program
    return
  fi
  local kette=() consumer=() libraries=$PWD/build/aarch64-sysroot/usr/lib/aarch64-linux-gnu
  if [[ $1 == aarch64 ]]; then
    # Installed programs look for their libraries in the system's folders.
    kette=(qemu-aarch64 -E "LD_LIBRARY_PATH=$libraries:$libraries/openblas-pthread")
  fi
  "${kette[@]}" "$built/kette" gradcheck softmax matmul
  if [[ $1 == gpu-pack ]]; then
    "$built/kette-tests" --test-case='gpu-pack: the archive*'
    return
  fi
  if [[ -x $built/kette-fuzz ]]; then "$built/kette-fuzz" --list; fi
  if [[ -x $built/kette-tests && $1 != aarch64 ]]; then "$built/kette-tests" --source-file='*tests/tensor/*'; fi
  cmake --install "$built" --prefix "$PWD/installed"
  "${kette[@]}" installed/bin/kette gradcheck softmax
  consumer=(-DCMAKE_CXX_COMPILER="$(cached CMAKE_CXX_COMPILER)" -DCMAKE_PREFIX_PATH="$PWD/installed")
  if [[ -n $(cached KETTE_SANITIZE) ]]; then
    consumer+=(-DCMAKE_CXX_FLAGS="-fsanitize=$(cached KETTE_SANITIZE)")
  fi
  if [[ -n $(cached CMAKE_TOOLCHAIN_FILE) ]]; then
    consumer+=(-DCMAKE_TOOLCHAIN_FILE="$(cached CMAKE_TOOLCHAIN_FILE)")
  fi
  cmake -S examples/own-op -B consumer "${consumer[@]}"
  cmake --build consumer
  for program in own_op own_tensors several_outputs f32_op second_order; do "${kette[@]}" "consumer/$program"; done
  "${kette[@]}" installed/bin/kette gradcheck --library consumer/libmy_ops.so
}

if [[ ${1:-} == --ccache ]]; then
  shift
  # All clones have the same objects for ccache.
  export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
else
  export CCACHE_DISABLE=1
fi
chosen=("$@")
case "${1:-}" in
  "") chosen=("${names[@]}") ;;
  --list)
    printf '%s\n' "${names[@]}"
    exit
    ;;
  --turn) chosen=("${names[$((16#$(git rev-parse --short=7 HEAD | cut -c 1-7) % ${#names[@]}))]}") ;;
esac
for name in "${chosen[@]}"; do
  if [[ $'\n'$(printf '%s\n' "${names[@]}")$'\n' != *$'\n'"$name"$'\n'* ]]; then
    echo "builds.sh: expected --turn, --list or names among ${names[*]}, given $name" >&2
    exit 2
  fi
done

export CUDAARCHS=${CUDAARCHS:-90-real} QEMU_LD_PREFIX=/usr/aarch64-linux-gnu
export TSAN_OPTIONS=ignore_noninstrumented_modules=1 ASAN_OPTIONS=detect_leaks=0
root=$PWD folder=$PWD/build/builds failed=0
mkdir -p "$folder"
echo "builds: of commit $(git rev-parse --short HEAD); $jobs at a time"
for name in "${chosen[@]}"; do
  clone=$folder/$name log=$folder/$name.log start=$SECONDS
  lacks=$(missing "$name")
  if [[ -n $lacks ]]; then
    printf '%-14s left out: this machine has no %s\n' "$name" "$lacks"
    continue
  fi
  rm -rf "$clone"
  git clone -q "$root" "$clone"
  set +e  # the subshell below ends at the first failure; this shell does not
  (
    set -e
    cd "$clone"
    if [[ $name == ccache ]]; then
      unset CCACHE_DISABLE
      export CCACHE_DIR=$PWD/build/ccache
    fi
    build "$name"
    times > spent  # of this shell, and of its children
    echo "built in $((SECONDS - start)) s," \
      "$(awk -F '[ms ]+' 'NR == 2 { printf "%d", 60 * $1 + $2 + 60 * $3 + $4 }' spent) s of processors"
    check "$name"
  ) > "$log" 2>&1
  status=$?
  set -e
  case $status in
    0)
      printf '%-14s %s\n' "$name" "$(grep '^built in ' "$log" | tail -n 1), and runs"
      rm -rf "$clone"
      ;;
    77) printf '%-14s left out: it cannot be built here (%s)\n' "$name" "$log" ;;
    *)
      printf '%-14s FAILED after %s s:\n' "$name" "$((SECONDS - start))"
      tail -n 40 "$log"
      failed=1
      ;;
  esac
done
exit "$failed"
