#!/usr/bin/env bash
# Downloads a parallel corpus, or a trained model: data/fetch.sh --help
set -euo pipefail
export LC_ALL=C # sorting, hashing and lower-casing by bytes: the same split on every machine

usage() {
  cat <<'END'
usage: data/fetch.sh multi30k|captions|tatoeba|europarl|wmt14|tinyshakespeare|opus-mt-en-de [DIR]

Downloads a data set into DIR (default: data/downloads/NAME), checks it, and lays it out as plain
UTF-8 files, one sentence a line, line n of each language translating line n of the others.

  multi30k  29,000 image captions, en de fr (15 MB): {train,val,test_2016_flickr,test_2017_flickr}.*
            in DIR (raw) and in DIR/lc-tok (lowercased and tokenised, the text of published scores).
            For research and education, not for commercial use; see github.com/multi30k/dataset
  captions  145,000 more captions of Multi30k's training images in each of en and de, which do not
            translate each other (20 MB), for scripts/diversify.sh: captions.{en,de}, lowercased and
            tokenised. On the same terms
  tatoeba   everyday sentences, en de (10 MB): {train,valid,test}.{en,de}. 2,000 pairs each for
            valid and test, of which no sentence occurs in train. CC BY 2.0, manythings.org/anki
            and tatoeba.org. The package grows over time, and the split with it.
  europarl  the first 20,000 sentences of the European Parliament, en de, in today's German spelling
            (190 MB to download): train.{en,de}. "Freely available" (statmt.org/europarl)
  wmt14     4.5 million sentences of Europarl, Common Crawl and News Commentary, en de (1.7 GB to
            download, about 5 GB on disk meanwhile): train.*, valid.* (newstest2013) and
            test.* (newstest2014)
  tinyshakespeare  40,000 lines of Shakespeare's plays for language models (1 MB): input.txt. Public domain,
            github.com/karpathy/char-rnn

  opus-mt-en-de   or opus-mt-de-en, any opus-mt-SOURCE-TARGET: a translation model of the University
            of Helsinki (300 MB, CC BY 4.0), which is then imported: "kette translate --model
            DIR/model". Each file is compared with the hash that the host gives for it. Of a model
            with several target languages, --to LANGUAGE asks for one; the import says which.

An interrupted download goes on where it stopped; what is there already is not fetched again.
Needs curl or wget, gzip, and unzip (tatoeba) or tar (europarl, wmt14).
KETTE=PROGRAM imports a model (default: build/release/kette, or kette on the PATH).

KETTE_FETCH_MIRROR=URL fetches URL/HOST/PATH in place of https://HOST/PATH (file:// works too).
END
}

die() {
  printf 'fetch.sh: %s\n' "$*" >&2
  exit 1
}

need() {
  command -v "$1" >/dev/null || die "expected the program $1, given none (install it: apt install $1)"
}

# download HOST/PATH FILE: FILE.part keeps what an interrupted run got.
download() {
  local url="${KETTE_FETCH_MIRROR:-https:/}/$1" file=$2 agent='Mozilla/5.0 (compatible; fetch.sh)'
  mkdir -p "$(dirname "$file")"
  echo "fetching $url"
  if command -v curl >/dev/null; then
    curl --fail --location --silent --show-error --retry 3 --user-agent "$agent" \
      --continue-at - --output "$file.part" "$url" && mv "$file.part" "$file" && return
  elif command -v wget >/dev/null; then
    wget --quiet --tries=3 --user-agent="$agent" --continue --output-document="$file.part" "$url" &&
      mv "$file.part" "$file" && return
  else
    die "expected curl or wget, given neither (install one: apt install curl)"
  fi
  die "could not fetch $url (check the network and run this again to go on;" \
    "if that does not help, remove $file.part)"
}

sha256() { sha256sum "$1" | cut -d ' ' -f 1; }

# hash_like HASH FILE: of the same kind as HASH: a sha256, or 40 digits, git's of the size and the bytes.
hash_like() {
  if [ "${#1}" -eq 64 ]; then
    sha256 "$2"
  else
    { printf 'blob %d\0' "$(wc -c <"$2")" && cat "$2"; } | sha1sum | cut -d ' ' -f 1
  fi
}

same_line_counts() {
  local first second
  first=$(wc -l <"$1") second=$(wc -l <"$2")
  [ "$first" -gt 0 ] || die "$1: expected sentences, given none"
  [ "$first" = "$second" ] || die "$1 and $2: expected equally many lines, given $first and $second"
  echo "$1 and $2: $first lines"
}

# One line a file: sha256 of the unpacked file, its place in DIR, its place upstream.
multi30k_files() {
  cat <<'END'
460a15fbd157e34a7a9957ee388c1ca247fe47af3ef25fb50442af6c274e0fc6 train.en raw/train.en.gz
2c2b73fd2b548fbcde3a875e0a78d6ee94d498bfdee6bd3eae3945779e9ddf72 train.de raw/train.de.gz
5925a3c18f1587b6b54b87743106e6e8ab93618edb6f65d19eac0621f853a10d train.fr raw/train.fr.gz
1f2a23d992769b5b3d209b0a10dd0b77c08cceb1f20dfb97ed0aafa49d107227 val.en raw/val.en.gz
660e09eb7e1da2f856ea13ee5ad3cf6d36b3d5b0b733c857e94c5747a3dfc660 val.de raw/val.de.gz
5304e444d842e962b2dda4d816b70b22a1765b15401642b7ca37a67477e708dc val.fr raw/val.fr.gz
399a4382932c1aadd3ceb9bef1008d388a64c76d4ae4e9d4728c6f4301cac182 test_2016_flickr.en raw/test_2016_flickr.en.gz
4be6b5b3236b79c25475c6bb829800a7ce559e9ba7a1f6c2394fe4d40be46d16 test_2016_flickr.de raw/test_2016_flickr.de.gz
cb3160d69b002bb638e66cc7612fcd56cb0af82eadc9c142dedc438afb885ef6 test_2016_flickr.fr raw/test_2016_flickr.fr.gz
ce1450ddc5ab0834502579d77a170849952e15a2938b34cc503bdc25ebb4fb98 test_2017_flickr.en raw/test_2017_flickr.en.gz
c3078bc3b36808bf9d20eb2347ed6137016179ef59ec0d2b9b8ecc3fb2880081 test_2017_flickr.de raw/test_2017_flickr.de.gz
6f3764e31dac41e9455e612958bcfd4e877c5e15cd66df2c2b2be6d9bd83e5b6 test_2017_flickr.fr raw/test_2017_flickr.fr.gz
08925f8e0572bcd5a006702fc5fe20e2d77c6917d4eebd576fc20de6693c2119 lc-tok/train.en tok/train.lc.norm.tok.en
cb5a23529b65ec2061f1dc446192a9c37382b63cc75f81a0be59d34894b3a505 lc-tok/train.de tok/train.lc.norm.tok.de
8fa41bb718412bcb7c5dfa58603842810a01543eae86a51279f9886b901266e1 lc-tok/train.fr tok/train.lc.norm.tok.fr
46573ce391ae227f1c72f873392436a20ef18e0a6d518098cfbd70b77c8572ec lc-tok/val.en tok/val.lc.norm.tok.en
97232bd273eceb7207f689527386a97e4be2616b18ada47576bdaf96c8ae1f00 lc-tok/val.de tok/val.lc.norm.tok.de
b303e301aa21fe7822a846b2b3fb2d5a1121ec807cd5b1d006fb7b2b5507168a lc-tok/val.fr tok/val.lc.norm.tok.fr
5b7f32627cf99eced828311b955dae9800bb52bc8b91cf8b6526829e605b29d2 lc-tok/test_2016_flickr.en tok/test_2016_flickr.lc.norm.tok.en
c6a33d39d48f9f510de147651316cd9d918e09ad0219df734a2f16b6baccacc4 lc-tok/test_2016_flickr.de tok/test_2016_flickr.lc.norm.tok.de
1463bd5960f9bfe098ec3cd752d3df0c49c84dc646fb518964a29232658cd836 lc-tok/test_2016_flickr.fr tok/test_2016_flickr.lc.norm.tok.fr
c9d1dfd7a26add989382e534af235af9f0f658b2a30e7eb0efdaf142496ee54f lc-tok/test_2017_flickr.en tok/test_2017_flickr.lc.norm.tok.en
02067e4a9402786a4fcb8c1b6f4307e4a5073ced64800abead5273b54f5f31f6 lc-tok/test_2017_flickr.de tok/test_2017_flickr.lc.norm.tok.de
c0583117a47b31e8a6c6a97cfe8de153e462074668f4e994764fcc80b21d33b4 lc-tok/test_2017_flickr.fr tok/test_2017_flickr.lc.norm.tok.fr
END
}

fetch_multi30k() {
  multi30k_files | fetch_checked "$1" raw.githubusercontent.com/multi30k/dataset/master/data/task1
}

captions_files() {
  cat <<'END'
4ad9fa3db9d3b34475179022ce29db057e6a790d5102a6d4dfbc5d2e8b5e0ad4 parts/train.1.en train.lc.norm.tok.1.en
702800c9ab3c9bbc261b8756f569123781eb8ebdca569894b2ed439bc4847b3a parts/train.2.en train.lc.norm.tok.2.en
5ad5423f866b515911a3c5830e4dde329a1e56dc6398f8cdab473cdd892ca0d4 parts/train.3.en train.lc.norm.tok.3.en
8b22cf016446518bbb29120cd15b0a64050be81e9fa897097544dc9ea961b874 parts/train.4.en train.lc.norm.tok.4.en
d10da9a89b78a2eca8911365b6637a949a9c4377ea7d4b6f9bf50830c0383a32 parts/train.5.en train.lc.norm.tok.5.en
72d855815551e9793ee557715472debb744065a7731a2da316e809d68c856685 parts/train.1.de train.lc.norm.tok.1.de
8dfc5b92294a804d766499940f50731134223f7feaf3c2189b539650391460fb parts/train.2.de train.lc.norm.tok.2.de
65c59b52ce0bf0d54e299f60be7f6ae5e5c070763a17027875e99a04e5af5095 parts/train.3.de train.lc.norm.tok.3.de
6e46023ccf8a203be288dfc5e1880d4c4de1f0f5418349df2e9f8603650d2953 parts/train.4.de train.lc.norm.tok.4.de
4f7dab9da6396c64268ae6559dfaa298553b19e390c86eb0fba306120e27a719 parts/train.5.de train.lc.norm.tok.5.de
END
}

fetch_captions() {
  local dir=$1 language
  captions_files |
    fetch_checked "$dir" raw.githubusercontent.com/multi30k/dataset/master/data/task2/tok
  for language in en de; do
    cat "$dir"/parts/*."$language" >"$dir/captions.$language"
  done
}

fetch_tinyshakespeare() {
  echo 86c4e6aa9db7c042ec79f339dcb96d42b0075e16b8fc2e86bf0ca57e2dc565ed input.txt input.txt |
    fetch_checked "$1" raw.githubusercontent.com/karpathy/char-rnn/master/data/tinyshakespeare
}

# fetch_checked DIR HOST/PATH [KIND]: what the lines of the input say, "HASH PLACE-IN-DIR PLACE-UPSTREAM" each. KIND is
# what an error calls the hash (default: sha256).
fetch_checked() {
  local dir=$1 host=$2 kind=${3:-sha256} sum place upstream given
  need gzip
  while read -r sum place upstream; do
    if [ -f "$dir/$place" ] && [ "$(hash_like "$sum" "$dir/$place")" = "$sum" ]; then
      echo "$dir/$place is already there"
      continue
    fi
    local fetched="$dir/.download/${upstream//\//-}"
    download "$host/$upstream" "$fetched"
    if [ "${upstream%.gz}" != "$upstream" ]; then
      gzip --decompress --force "$fetched" || die "$fetched: expected a gzip file (run this again)"
      fetched=${fetched%.gz}
    fi
    given=$(hash_like "$sum" "$fetched")
    if [ "$given" != "$sum" ]; then
      rm -f "$fetched"
      die "$place: expected the $kind $sum, given $given" \
        "(run this again; if it stays so, the file has changed upstream)"
    fi
    mkdir -p "$(dirname "$dir/$place")"
    mv "$fetched" "$dir/$place"
  done
  rm -rf "$dir/.download"
}

# Splits English TAB German lines into files of the working directory. Valid and test are the pairs
# with the lowest hashes among those whose sentences, without ASCII case, punctuation and spaces,
# occur once in each language.
split_pairs() {
  awk -F '\t' -v held_out=2000 '
    function plain(text) { text = tolower(text); gsub(/[[:punct:][:space:]]/, "", text); return text }
    function hash(text,   i, value) {
      value = 7
      for (i = 1; i <= length(text); ++i)
        value = (value * 31 + code[substr(text, i, 1)]) % 2147483647
      for (i = 0; i < 3; ++i) value = (value * 48271) % 2147483647
      return value
    }
    BEGIN { for (i = 1; i < 256; ++i) code[sprintf("%c", i)] = i }
    NF >= 2 && !(($1 FS $2) in seen) {
      seen[$1 FS $2]
      english[++count] = $1; german[count] = $2
      ++times_english[plain($1)]; ++times_german[plain($2)]
    }
    END {
      sorted = "sort -n -k 1,1 -k 2,2 > held-out"
      for (i = 1; i <= count; ++i)
        if (times_english[plain(english[i])] == 1 && times_german[plain(german[i])] == 1)
          printf "%d %d\n", hash(english[i] german[i]), i | sorted
      close(sorted)
      while ((getline line < "held-out") > 0 && rank < 2 * held_out) {
        split(line, field, " ")
        part[field[2]] = ++rank <= held_out ? "test" : "valid"
      }
      for (i = 1; i <= count; ++i) {
        name = i in part ? part[i] : "train"
        print english[i] > (name ".en")
        print german[i] > (name ".de")
      }
    }'
}

fetch_tatoeba() {
  local dir=$1 part
  if [ -f "$dir/train.de" ]; then
    echo "$dir/train.de is already there (remove $dir to fetch it anew)"
    return
  fi
  need unzip
  local work="$dir/.download"
  [ -f "$work/deu-eng.zip" ] || download www.manythings.org/anki/deu-eng.zip "$work/deu-eng.zip"
  # The package is made anew every few weeks, so there is no checksum to compare with.
  echo "deu-eng.zip: no checksum is known; this one has the sha256 $(sha256 "$work/deu-eng.zip")"
  unzip -p "$work/deu-eng.zip" deu.txt >"$work/deu.txt" || {
    rm -f "$work/deu-eng.zip"
    die "deu-eng.zip: expected a zip file with deu.txt in it (run this again)"
  }
  (cd "$work" && tr -d '\r' <deu.txt | split_pairs)
  for part in test valid train; do # train last: it tells a later run that all is there
    mv "$work/$part.en" "$dir/$part.en"
    mv "$work/$part.de" "$dir/$part.de"
    same_line_counts "$dir/$part.en" "$dir/$part.de"
  done
  rm -rf "$work"
}

# The first 20,000 pairs that have both sides, in the spelling of after 1996 where the ending tells it.
fetch_europarl() {
  local dir=$1 work="$1/.download" language
  if [ -f "$dir/train.de" ]; then
    echo "$dir/train.de is already there (remove $dir to fetch it anew)"
    return
  fi
  need tar
  [ -f "$work/de-en.tgz" ] || download www.statmt.org/europarl/v7/de-en.tgz "$work/de-en.tgz"
  echo "de-en.tgz: no checksum is known; this one has the sha256 $(sha256 "$work/de-en.tgz")"
  tar --extract --gzip --file "$work/de-en.tgz" --directory "$work" || {
    rm -f "$work/de-en.tgz"
    die "de-en.tgz: expected a sound tar archive (run this again)"
  }
  for language in en de; do
    [ -f "$work/europarl-v7.de-en.$language" ] ||
      die "de-en.tgz: expected europarl-v7.de-en.$language in it, given none"
  done
  paste "$work"/europarl-v7.de-en.{en,de} |
    awk -F '\t' -v dir="$work" '$1 != "" && $2 != "" && n++ < 20000 { print $1 > (dir "/en"); print $2 > (dir "/de") }'
  # The end of a word is no \>, which after the bytes of ß never matches; \xC3 begins ä, ö, ü and ß.
  sed -i -E -e 's/\<([Dd])aß($|[^A-Za-z\xC3])/\1ass\2/g' \
    -e 's/\<([Mm])uß(t|te|ten|test)?($|[^A-Za-z\xC3])/\1uss\2\3/g' "$work/de"
  same_line_counts "$work/en" "$work/de"
  mv "$work/en" "$dir/train.en"
  mv "$work/de" "$dir/train.de" # last: it tells a later run that all is there
  rm -rf "$work"
}

# hub_files: what is in a model's folder, from the host's list in JSON, as fetch_checked takes it.
hub_files() {
  tr -d '\n' <"$1" | sed -e 's/{"type"/\n{"type"/g' |
    sed -n -E -e 's/^.*"lfs": *\{[^}]*"oid": *"(sha256:)?([0-9a-f]{64})".*"path": *"([^"/]+)".*$/\2 \3 \3/p; t' \
      -e 's/^.*"oid": *"([0-9a-f]{40})".*"path": *"([^"/]+)".*$/\1 \2 \2/p'
}

fetch_opus_mt() {
  local dir=$1 work="$1/.download" repository="Helsinki-NLP/$2" file
  rm -f "$work/list.json"
  download "huggingface.co/api/models/$repository/tree/main" "$work/list.json"
  hub_files "$work/list.json" >"$work/list"
  for file in config.json vocab.json source.spm target.spm model.safetensors; do
    grep -q " $file " "$work/list" && continue
    [ "$file" = model.safetensors ] &&
      die "$repository: expected model.safetensors, given only other formats" \
        "(in Python: transformers.MarianMTModel.from_pretrained(\"$repository\").save_pretrained(\"$dir\");" \
        "then kette import --from $dir --out $dir/model)"
    die "$repository: expected $file, given none (is that the model's name?)"
  done
  grep -E ' (config.json|generation_config.json|tokenizer_config.json|vocab.json|[^ ]*.spm|model.safetensors) ' \
    "$work/list" | fetch_checked "$dir" "huggingface.co/$repository/resolve/main" hash

  local kette=${KETTE:-$(dirname "$0")/../build/release/kette}
  command -v "$kette" >/dev/null || kette=kette
  if command -v "$kette" >/dev/null; then
    if [ ! -e "$dir/model" ]; then
      "$kette" import --from "$dir" --out "$dir/model" ||
        die "$dir: expected a model that can be imported (see above)"
    fi
    local languages to=""
    languages=$(grep -oE '">>[^"<]+<<"' "$dir/vocab.json" | tr -d '"<>' || true)
    # One alone need not be asked for.
    if [ "$(wc -w <<<"$languages")" -gt 1 ]; then to=" --to ${languages%%$'\n'*}"; fi
    echo "Try it: $kette translate --model $dir/model$to \"Good morning.\""
  else
    echo "Next: kette import --from $dir --out $dir/model"
  fi
}

# The text of the <seg> elements, one a line.
plain_from_sgm() {
  sed -n -e 's/^[[:space:]]*<seg id="[0-9]*">[[:space:]]*//' -e 's/[[:space:]]*<\/seg>.*$//p' |
    sed -e 's/&lt;/</g' -e 's/&gt;/>/g' -e 's/&quot;/"/g' -e "s/&apos;/'/g" -e 's/&amp;/\&/g'
}

# What of each archive is needed.
wmt14_archives() {
  cat <<'END'
wmt13/training-parallel-europarl-v7.tgz *europarl-v7.de-en.*
wmt13/training-parallel-commoncrawl.tgz *commoncrawl.de-en.*
wmt14/training-parallel-nc-v9.tgz *news-commentary-v9.de-en.*
wmt14/dev.tgz *newstest2013.*
wmt14/test-full.tgz *newstest2014-deen-*
END
}

fetch_wmt14() {
  local dir=$1 archive members
  if [ -f "$dir/train.de" ]; then
    echo "$dir/train.de is already there (remove $dir to fetch it anew)"
    return
  fi
  need tar
  local work="$dir/.download"
  while read -r archive members; do
    local file="$work/${archive#*/}"
    [ -f "$file" ] || download "www.statmt.org/$archive" "$file"
    echo "${archive#*/}: no checksum is known; this one has the sha256 $(sha256 "$file")"
    tar --extract --gzip --file "$file" --directory "$work" --wildcards "$members" || {
      rm -f "$file"
      die "$file: expected a sound tar archive with $members in it (run this again)"
    }
  done < <(wmt14_archives)
  join_wmt14 "$dir" "$work"
  rm -rf "$work"
}

join_wmt14() {
  local dir=$1 work=$2 language role
  for language in en de; do
    role=src
    [ "$language" = en ] || role=ref
    find "$work" -name "newstest2014-deen-$role.$language.sgm" -exec cat {} + |
      plain_from_sgm >"$dir/test.$language"
    find "$work" -name "newstest2013.$language" -exec cat {} + >"$dir/valid.$language"
    find "$work" -name "*.de-en.$language" -print0 | sort -z | xargs -0 cat >"$work/train.$language"
  done
  same_line_counts "$dir/valid.en" "$dir/valid.de"
  same_line_counts "$dir/test.en" "$dir/test.de"
  same_line_counts "$work/train.en" "$work/train.de"
  mv "$work/train.en" "$dir/train.en"
  mv "$work/train.de" "$dir/train.de" # last: it tells a later run that all is there
}

case "${1:-}" in
  -h | --help)
    usage
    exit
    ;;
  multi30k | captions | tatoeba | europarl | wmt14 | tinyshakespeare) fetch=fetch_$1 ;;
  opus-mt-?*-?*) fetch=fetch_opus_mt ;;
  '')
    usage >&2
    exit 2
    ;;
  *) die "expected multi30k, captions, tatoeba, europarl, wmt14, tinyshakespeare or opus-mt-en-de, given '$1' (see --help)" ;;
esac
[ $# -le 2 ] || die "expected a name and a directory, given $# arguments (see --help)"

name=$1
dir=${2:-$(cd "$(dirname "$0")" && pwd)/downloads/$name}
mkdir -p "$dir" || die "$dir: expected a directory that can be made"
[ -w "$dir" ] || die "$dir: expected a directory that can be written to"
need sha256sum
"$fetch" "$dir" "$name"
echo "$name is in $dir"
