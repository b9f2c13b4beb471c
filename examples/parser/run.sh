#!/usr/bin/env bash
# A constituency parser from a treebank in brackets (Penn Treebank's form).
#   ./run.sh [--short] [TRAIN VALID TEST]     (default: 3,000 trees of a grammar of ten rules, below)
set -euo pipefail
# shellcheck source=examples/example.sh
. "$(dirname "${BASH_SOURCE[0]}")/../example.sh"
takes "0 3" "$@"

# toy_trees COUNT SEED: sentences such as "the dog with a bird sees this cat .", with their trees.
toy_trees() {
  awk -v count="$1" -v seed="$2" '
    function pick(words,   list) { return list[1 + int(rand() * split(words, list, " "))] }
    function noun() { return "(NP (DT " pick("the a this") ") (NN " pick("cat dog bird fish child") "))" }
    function phrase() { return rand() < 0.6 ? noun() : "(NP " noun() " (PP (IN " pick("of with near") ") " phrase() "))" }
    BEGIN {
      srand(seed)
      while (count-- > 0)
        print "(S " phrase() " (VP (VBZ " pick("sees hears likes") ") " phrase() ") (. .))"
    }'
}

options=(${short:+--steps 20 --validate-every 20}) beam=()
if (($# == 3)); then
  train=$1 valid=$2 test=$3
else
  toy_trees "$((${short:-0} ? 300 : 3000))" 1 > "$out/train.mrg"
  toy_trees 30 2 > "$out/valid.mrg"
  toy_trees 100 3 > "$out/test.mrg"
  train=$out/train.mrg valid=$out/valid.mrg test=$out/test.mrg
  [[ -n $short ]] || options=(--steps 300 --validate-every 100)
  beam=(--beam 5) # the default is more than there are symbols here
fi

set_aside "$out/model"
run "$kette" train --config "$here/train.toml" "${options[@]}" --trees "$train" --valid-trees "$valid" --out "$out/model"
# The test's sentences are parsed and their trees compared with those of the file, as evalb does.
run "$kette" parse --model "$out/model" --gold "$test" --punctuation gold "${beam[@]}" --output "$out/parsed.mrg"
head -1 "$out/parsed.mrg"
