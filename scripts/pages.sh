#!/usr/bin/env bash
# Draws every page that Kette can draw, from small models that it trains for that, and checks them in a Chromium:
# rules of accessibility (axe-core) in light and dark and on a phone, paper, words (scripts/check_pages.py).
#   scripts/pages.sh [KETTE [PATTERN]]   (default: build/release/kette and all; PATTERN: of pages' names, with *)
# Pages and models are in build/pages; those that are there from before are drawn anew, models are kept.
# Status 77 without a Chromium (CHROMIUM names one), or where the packages cannot be installed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/venv.sh

kette=$(realpath "${1:-build/release/kette}") pattern=${2:-*}
chromium=${CHROMIUM:-$(command -v chromium || command -v chromium-browser || true)}
if [[ -z $chromium ]]; then
  echo "SKIPPED: expected a Chromium (CHROMIUM names one), given none; nothing was checked"
  exit 77
fi
make_venv build/pages-venv scripts/check_pages.txt
mkdir -p build/pages
cd build/pages
here=$PWD  # pages show no path from the root, though that is what they are given

# model NAME OPTION...: trains it, unless it is there.
model() {
  [[ -f $1/model.safetensors ]] || "$kette" train --threads 1 --out "$1" "${@:2}" > "$1.log" 2>&1
}
# page NAME COMMAND...: draws NAME.html. Some commands exit with 1 if they found something.
drawn=()
page() {
  local status=0
  # shellcheck disable=SC2053 # a pattern is wanted
  [[ $1 == $pattern ]] || return 0
  "$kette" "${@:2}" --threads 1 > "$1.txt" 2> "$1.log" < /dev/null || status=$?
  if ((status > 1)) || [[ ! -s $1.html ]]; then
    tail -5 "$1.log" >&2
    echo "pages.sh: expected a page of kette ${*:2}, given status $status" >&2
    exit 1
  fi
  drawn+=("$1.html")
}

# A language of 96 sentences, which a small model learns in moments.
if [[ ! -d texts ]]; then
  mkdir texts
  for subject in man:Mann dog:Hund cat:Kater king:König; do
    for verb in sees:sieht hears:hört knows:kennt hits:schlägt finds:findet loves:liebt; do
      for object in man:Mann dog:Hund cat:Kater king:König; do
        echo "The ${subject%:*} ${verb%:*} the ${object%:*}." >> texts/en
        echo "Der ${subject#*:} ${verb#*:} den ${object#*:}." >> texts/de
      done
    done
  done
  sed -n '1~8p' texts/en > texts/few.en
  sed -n '1~8p' texts/de > texts/few.de
  for noun in man dog cat king; do
    for pair in sees:hears knows:loves hits:finds; do
      printf 'The %s %s the dog.\tThe %s %s the dog.\n' "$noun" "${pair%:*}" "$noun" "${pair#*:}"
    done
    printf 'The dog sees the %s.\tThe cat sees the %s.\n' "$noun" "$noun"
  done > texts/pairs
  for ((i = 0; i < 60; ++i)); do
    echo "(S (NP (DT the) (NN dog)) (VP (VBZ sees) (NP (DT a) (NN cat))) (. .))"
  done > texts/gold
  sed 's/(NP (DT a) (NN cat))/(NP (DT a)) (NP (NN cat))/' texts/gold > texts/other
fi
few=(--src texts/few.en --tgt texts/few.de)
train=(--src texts/en --tgt texts/de --valid-src texts/few.en --valid-tgt texts/few.de --preset tiny --width 64
  --encoder-layers 3 --decoder-layers 3 --vocab 80 --norm pre --dropout 0 --batch-tokens 512 --lr 0.005 --warmup 20
  --steps 120 --validate-every 20)
model translator "${train[@]}" --page --record heads,norms,lens --record-every 5
model other "${train[@]}" --seed 3 --lr 0.003 --steps 40
model gpt --text texts/en --preset char-cpu --steps 20 --layers 2 --width 32 --heads 2 --context 64
model bert --text texts/en --objective masked --preset bert-tiny --tokenizer character --steps 10

# shellcheck disable=SC2053
if [[ train == $pattern ]]; then
  "$kette" train --threads 1 --out translator "${train[@]}" --page --record heads,norms,lens --record-every 5 --resume > train.log 2>&1
  cp translator/page.html train.html
  drawn=(train.html)
fi
page plot plot "$here/translator" "$here/other" --out plot.html
page plot-gpt plot "$here/gpt" --out plot-gpt.html
page check check --src texts/en --tgt texts/de --valid-src texts/few.en --valid-tgt texts/few.de --page check.html
page check-list check --list --page check-list.html
page evaluate evaluate --model "$here/translator" --src texts/few.en --ref texts/few.de --against "$here/other" --confidence --out evaluate.html
page evaluate-text evaluate --model "$here/gpt" --text texts/en --out evaluate-text.html
page bleu bleu --ref texts/few.de --input texts/few.de --sentence-level --out bleu.html
page parse-score parse-score --gold texts/gold --test texts/other --out parse-score.html
page info info --model "$here/translator" --points --out info.html
page explain explain --model "$here/translator" "The king sees the dog." --out explain.html
page explain-gpt explain --model "$here/gpt" --text "The man sees" --out explain-gpt.html
page heads heads --model "$here/translator" "${few[@]}" --samples 100 --out heads.html
page heads-gpt heads --model "$here/gpt" --text texts/en --windows 4 --samples 100 --out heads-gpt.html
page patch patch --model "$here/translator" --pairs texts/pairs --out patch.html
page trace trace --model "$here/translator" --out trace.html
page trace-bert trace --preset bert-tiny --out trace-bert.html
page tape tape --model "$here/translator" --out tape.html
page tape-gpt tape --model "$here/gpt" --out tape-gpt.html
page compare compare "$here/translator" "$here/other" "The man sees the dog." --out compare.html
page compare-same compare "$here/translator" "$here/translator" --out compare-same.html
page gradcheck gradcheck softmax layer_norm self_attention embedding --page gradcheck.html
page gradcheck-model gradcheck --model gpt --elements 2 --page gradcheck-model.html
page lab-list lab --list --out lab-list.html
for name in $("$kette" lab --list --json | tail -n 1 | grep -o '"name":"[a-z-]*"' | cut -d '"' -f 4); do
  case $name in
    lens) page "lab-$name" lab "$name" --quick --model "$here/translator" "${few[@]}" --out "lab-$name.html" ;;
    align | circuits) page "lab-$name" lab "$name" --quick --model "$here/translator" --out "lab-$name.html" ;;
    *) page "lab-$name" lab "$name" --quick --seeds 1 --out "lab-$name.html" ;;
  esac
done
cd ../..
build/pages-venv/bin/python scripts/check_pages.py --chromium "$chromium" --kette "$kette" \
  --models build/pages/translator build/pages/gpt --pages "${drawn[@]/#/build/pages/}"
