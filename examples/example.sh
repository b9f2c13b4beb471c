#!/usr/bin/env bash
# Sourced by the run.sh of every example. KETTE names the program (default: the kette on PATH), OUT the folder for
# results (default: out/ in the example's folder). It sets
#   kette, kette_corpus   the programs; kette-corpus is installed beside kette
#   here, out             the example's folder and that of results, both absolute
#   short                 1 if the first word is --short, or SHORT=1: the same at the smallest size; else empty
# and defines takes, which refuses a wrong number of words, run, which prints a command and runs it, set_aside, which keeps
# an earlier result, translator, which makes a model for what needs one, and build.
here=$(cd "$(dirname "${BASH_SOURCE[1]}")" && pwd)
short=${SHORT:-}
if [[ ${1:-} == --short ]]; then
  short=1
  shift
fi

refuse() {
  echo "run.sh: $*" >&2
  exit 2
}

# takes COUNTS WORD...: refuses words that are not as many as one of COUNTS, or that look like options. --short is none
# of them; it comes first.
takes() {
  local counts=$1 word
  shift
  for word in "$@"; do
    [[ $word != -* ]] || refuse "expected --short as the first word and no other option, given $word"
  done
  [[ " $counts " == *" $# "* ]] || refuse "expected ${counts// / or } words, given $#:"$'\n'"$(sed -n 's/^#   //p' "$here/run.sh")"
}

if ! kette=$(command -v "${KETTE:-kette}"); then
  refuse "expected kette on PATH, or KETTE=/path/to/kette, given neither (cmake --install build/release --prefix ...)"
fi
# shellcheck disable=SC2034  # used by some of the examples
kette_corpus=$(dirname "$kette")/kette-corpus
out=${OUT:-$here/out}
mkdir -p "$out"
out=$(cd "$out" && pwd)

run() {
  printf '$ %s\n' "$*"
  "$@"
}

# set_aside FOLDER...: moves each that is there to the first free FOLDER.earlier-N, for it may be a model that took hours.
set_aside() {
  local folder number
  for folder in "$@"; do
    [[ -e $folder ]] || continue
    number=1
    while [[ -e $folder.earlier-$number ]]; do number=$((number + 1)); done
    mv "$folder" "$folder.earlier-$number"
    echo "The earlier $folder is now $folder.earlier-$number"
  done
}

# translator: sets model to MODEL, if that is given, else to a model of own-text's recipe on the bundled corpus, which
# is trained unless it was before, to the end; and corpus to the folder of the corpus.
translator() {
  corpus=$out/corpus${short:+-short} model=${MODEL:-$out/translator${short:+-short}}
  if [[ -n ${MODEL:-} && ! -f $model/config.json ]]; then
    refuse "MODEL: expected the folder of a model, given $model, which has no config.json"
  fi
  run "$kette_corpus" --out "$corpus" ${short:+--train 1000 --valid 30 --test 30}
  [[ -z ${MODEL:-} && ! -f $model/finished ]] || return 0
  set_aside "$model"
  run "$kette" train --config "$here/../own-text/train.toml" ${short:+--epochs 1 --no-validate-bleu} --src "$corpus/train.en" \
    --tgt "$corpus/train.de" --valid-src "$corpus/valid.en" --valid-tgt "$corpus/valid.de" --out "$model"
  touch "$model/finished"
}

# build FOLDER: compiles the example's CMake project into FOLDER, with the Kette that KETTE_PREFIX names, or to which
# kette belongs.
build() {
  run cmake -S "$here" -B "$1" -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="${KETTE_PREFIX:-$(dirname "$(dirname "$kette")")}" > "$out/cmake.log" ||
    { cat "$out/cmake.log" && return 1; }
  run cmake --build "$1"
}
