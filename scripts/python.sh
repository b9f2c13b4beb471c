#!/usr/bin/env bash
# Builds the Python module and checks it: its tests, types and stubs, notebooks.
#   scripts/python.sh           in build/release, with packages of PyPI in build/python-venv
#   scripts/python.sh --peers   then also beside PyTorch, and with inputs that hypothesis invents
#   scripts/python.sh --asan    the tests alone, under the address and undefined-behaviour sanitizers (build/asan)
#   scripts/python.sh --venv    only makes build/python-venv, which scripts/tidy.sh uses as well
# Status 77 if the packages cannot be installed here. PYTHON names another Python than python3.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/venv.sh

mode=${1-short}
if [[ ! $mode =~ ^(short|--peers|--asan|--venv)$ ]]; then
  echo "python.sh: expected --peers, --asan, --venv or nothing, given $mode" >&2
  exit 2
fi
make_venv build/python-venv python/requirements-test.txt
python=$PWD/build/python-venv/bin/python
[[ $mode != --venv ]] || exit 0
start=$SECONDS
section() { echo "== $* ($((SECONDS - start)) s so far)"; }

if [[ $mode == --asan ]]; then
  section "Build with sanitizers"
  scripts/build.sh asan -DKETTE_PYTHON=ON -DPython_EXECUTABLE="$python" kette-python
  section "Tests under the sanitizers"
  # Python itself is not instrumented: the runtime comes first, and Python's own allocator, which hides what is freed,
  # is left out. Python keeps memory to its end, and the runtime what was freed.
  runtime=$(clang++ -print-file-name="libclang_rt.asan-$(uname -m).so")
  LD_PRELOAD=$runtime PYTHONMALLOC=malloc PYTHONPATH=build/asan/python \
    ASAN_OPTIONS=detect_leaks=0:detect_stack_use_after_return=1 UBSAN_OPTIONS=print_stacktrace=1 \
    "$python" -m pytest -q -p no:cacheprovider -k 'not do_not_grow' --ignore=python/tests/peers python/tests
  exit 0
fi

# In a folder that is configured only the module is added.
section "Build"
scripts/build.sh --native release -DKETTE_PYTHON=ON -DPython_EXECUTABLE="$python" kette-python
export PYTHONPATH=$PWD/build/release/python
section "Tests"
"$python" -m pytest -q --ignore=python/tests/peers python/tests
section "Types"
"$python" -m mypy --cache-dir build/mypy python/examples
"$python" -m mypy.stubtest kette --allowlist python/stubtest_allowlist.txt
notebooks=(docs/notebooks/*.ipynb)
if [[ -f ${notebooks[0]} ]]; then
  if [[ ! -f build/quickstart-model/config.json ]]; then
    section "Quickstart, whose model a notebook looks into"
    scripts/quickstart.sh --minutes 1
  fi
  section "Notebooks"
  "$python" -m jupyter nbconvert --to notebook --execute --output-dir build/notebooks "${notebooks[@]}"
fi
if [[ $mode == --peers ]]; then
  section "Beside PyTorch"
  make_venv build/python-peers python/requirements-{test,peers}.txt
  build/python-peers/bin/python -m pytest -q python/tests/peers || (($? == 5))  # there are none
  build/python-peers/bin/python python/tests/peers/beside_torch.py
fi
section "Done: the Python module passes"
