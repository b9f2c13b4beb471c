#!/usr/bin/env bash
# Mutation testing: plants the faults of tests/faults.txt, one at a time, in a copy of this tree and
# counts how many the tests catch. Not part of CI, since all of them take hours.
#   scripts/mutate.sh [--only PATTERN] [--resume] [--jobs N] [--limit SECONDS]
#   scripts/mutate.sh --list | --check | --record
# --only takes the faults whose titles match a regular expression. --resume skips those that are in
# build/faults/results.txt. --limit is for one run of the tests (default: four times that of the
# copy without a fault); a hang counts as caught. --check checks that each fault still fits the
# source. --record writes to tests/faults.txt which test caught each fault; the next run tries that
# one first, which is much faster. Exit code 1 if a fault survived or did not compile.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/within.sh
export LC_ALL=C

action=run only='' resume=0 jobs=$(nproc) limit=0
while (($# > 0)); do
  case "$1" in
    --list | --check | --record) action=${1#--} ;;
    --resume) resume=1 ;;
    --only)
      only=${2:?mutate.sh: expected a pattern after --only, given nothing}
      shift
      ;;
    --jobs | --limit)
      if [[ ! "${2:-}" =~ ^[1-9][0-9]*$ ]]; then
        echo "mutate.sh: expected a whole number above 0 after $1, given \"${2:-}\"" >&2
        exit 2
      fi
      declare "${1#--}=$2"
      shift
      ;;
    *)
      echo "mutate.sh: expected --only PATTERN, --resume, --jobs N, --limit SECONDS, --list," \
        "--check or --record, given $1" >&2
      exit 2
      ;;
  esac
  shift
done

# faults list PATTERN: a line "title, tab, file, tab, test that caught it last" for each match
# faults check: an error for each that does not fit the source
# faults plant TITLE FOLDER: in the sources of FOLDER
# faults record RESULTS: writes to the list what caught each
faults() {
  perl - "$@" << 'PERL'
use strict;
use warnings;

my ($action, @given) = @ARGV;

sub content {
  my ($path) = @_;
  open my $file, '<:raw', $path or die "$path: expected a file that can be read, given none ($!)\n";
  local $/;
  return scalar <$file>;
}

my @faults;
for my $entry (split /\n\n/, content('tests/faults.txt')) {
  my @lines = split /\n/, $entry;
  next unless grep { !/^#/ } @lines;  # the comment on top
  my ($title, $file) = ($lines[0] =~ s/^# //r, $lines[1]);
  my $part = sub {
    my ($sign) = @_;
    return join "\n", map { /^\Q$sign\E ?(.*)/ ? $1 : () } @lines[2 .. $#lines];
  };
  push @faults, {title => $title, file => $file, old => $part->('-'), new => $part->('+'),
                 caught_by => $part->('=')};
}

if ($action eq 'list') {
  print "$_->{title}\t$_->{file}\t$_->{caught_by}\n" for grep { $_->{title} =~ /(?:$given[0])/i } @faults;
} elsif ($action eq 'check') {
  my ($bad, %seen) = (0);
  for my $fault (@faults) {
    my $times = () = content($fault->{file}) =~ /\Q$fault->{old}\E/g;
    $seen{$fault->{title}}++ and $times = "the title twice and the text $times";
    next if $times eq '1';
    print STDERR "tests/faults.txt: expected the text of \"$fault->{title}\" once in $fault->{file}, ",
      "given $times times (put it as the source has it now)\n";
    $bad = 1;
  }
  print scalar(@faults), " faults fit the source\n" unless $bad;
  exit $bad;
} elsif ($action eq 'record') {
  my %case;
  for (split /\n/, content($given[0])) {
    my ($outcome, $title, undef, $name) = split /\t/;
    $case{$title} = $name if $outcome eq 'caught' && $name !~ /^an end with status/;
  }
  my $list = content('tests/faults.txt');
  for my $title (keys %case) {
    $list =~ s/(^# \Q$title\E\n[^\n]+\n(?:[-+][^\n]*\n)+)(?:= [^\n]*\n)?/$1= $case{$title}\n/m;
  }
  open my $file, '>:raw', 'tests/faults.txt' or die "tests/faults.txt: expected to write it ($!)\n";
  print {$file} $list;
  close $file or die "tests/faults.txt: expected room for it, given none ($!)\n";
} elsif ($action eq 'plant') {
  my ($title, $folder) = @given;
  my ($fault) = grep { $_->{title} eq $title } @faults;
  my $path = "$folder/$fault->{file}";
  my $text = content($path);
  my $at = index $text, $fault->{old};
  die "$path: expected the text of \"$title\", given none\n" if $at < 0;
  substr($text, $at, length $fault->{old}) = $fault->{new};
  open my $file, '>:raw', $path or die "$path: expected a file that can be written, given none ($!)\n";
  print {$file} $text;
  close $file or die "$path: expected room for it, given none ($!)\n";
}
PERL
}

work=$PWD/build/faults
copy=$work/source build=$work/source/build/dev results=$work/results.txt log=$work/log
case "$action" in
  run) ;;
  record)
    faults record "$results"
    exit
    ;;
  *)
    faults "$action" "$only"
    exit
    ;;
esac

mkdir -p "$copy" "$work/tmp"
touch "$results"
exec 9> "$work/lock"
if ! flock --nonblock 9; then
  echo "mutate.sh: expected to be alone in $work, given another run there (wait for it)" >&2
  exit 1
fi

# Copies the tree, with uncommitted changes. Equal files are not touched, so they are not rebuilt.
update_copy() {
  local file
  git ls-files --cached --others --exclude-standard | sort -u > "$work/files"
  while read -r file; do
    if [[ ! -f "$file" ]]; then
      rm -f "$copy/$file"
    elif ! cmp -s "$file" "$copy/$file"; then
      mkdir -p "$copy/$(dirname "$file")"
      cp "$file" "$copy/$file"
    fi
  done < "$work/files"
  (cd "$copy" && find . -path ./build -prune -o -type f -printf '%P\n' | sort | comm -13 "$work/files" - | xargs -r -d '\n' rm)
}

# Configures the copy for faults in FILE. A fault in a header rebuilds a large part of everything,
# which takes a third of the time with unity builds.
configured=''
configure_copy() { # configure_copy FILE
  local together=OFF
  if [[ "$1" == *.h ]]; then together=ON; fi
  if [[ $together == "$configured" ]]; then return; fi
  if ! CMAKE_BUILD_PARALLEL_LEVEL=$jobs "$copy/scripts/build.sh" dev -DKETTE_UNITY=$together \
    kette kette-tests > "$log" 2>&1; then
    tail -n 40 "$log" >&2
    echo "mutate.sh: expected sources that build, given others (see above)" >&2
    exit 1
  fi
  configured=$together
}

build_copy() { cmake --build "$build" -j "$jobs" --target kette kette-tests > "$log" 2>&1; }

# Skips tests that only compare the list or the guide with the source, or repeat other tests. If
# memory runs out, the tests are the first to be killed.
run_tests() { # run_tests FILTER...
  (
    cd "$copy"
    { echo 1000 > /proc/self/oom_score_adj; } 2> /dev/null || true
    TMPDIR=$work/tmp within "$limit" "$build/kette-tests" --abort-after=1 \
      --test-case-exclude="faults:*,the guide's own ops*,gpu-pack: the archive*" "$@"
  ) > "$log" 2>&1 9>&-
}

# The failed test case in the log.
failed_case() {
  perl -ne 'if (/^TEST CASE:\s+(.*)/) { $case = $1 } elsif (/ERROR: /) { print $case; exit }' "$log"
}

# "caught", "hung", "survived" or "did not compile", and the test case.
# First runs the test that caught it last, or those named after the file; then those of its folder;
# then all others.
outcome_of() { # outcome_of FILE CAUGHT_BY
  local folder=tests/${1%%/*} first status filter
  first=--source-file="*/test_$(basename "${1%.*}").cpp"
  # Commas separate patterns; ? matches any character.
  if [[ -n "$2" ]]; then first=--test-case="${2//[,\\]/?}"; fi
  if ! build_copy; then
    printf 'did not compile\t'
    return
  fi
  for filter in "$first" --source-file="*/$folder/*" --source-file-exclude="*/$folder/*"; do
    status=0
    run_tests "$filter" || status=$?
    rm -rf "${work:?}/tmp"/*
    case $status in
      0) ;;
      124 | 137)
        printf 'hung\t%s' "$filter"
        return
        ;;
      *)
        local name
        name=$(failed_case)
        printf 'caught\t%s' "${name:-an end with status $status}"
        return
        ;;
    esac
  done
  printf 'survived\t'
}

say_outcome() { # say_outcome TITLE OUTCOME CASE
  case "$2" in
    caught) echo "caught by \"$3\": $1" ;;
    survived) echo "SURVIVED: $1" ;;
    *) echo "$2: $1" ;;
  esac
}

faults check > /dev/null
mapfile -t chosen < <(faults list "$only" | awk -F '\t' '{ print ($2 ~ /\.h$/) "\t" $0 }' |
  sort -s -n -k 1,1 | cut -f 2-)  # those in headers last
if ((${#chosen[@]} == 0)); then
  echo "mutate.sh: expected a pattern that a title matches, given \"$only\" (--list shows all)" >&2
  exit 1
fi
printf '%s\n' "${chosen[@]}" | cut -f 1 > "$work/chosen"
if ((!resume)); then
  awk -F '\t' 'NR == FNR { again[$0]; next } !($2 in again)' "$work/chosen" "$results" > "$results.new"
  mv "$results.new" "$results"
fi

mapfile -t untried < <(printf '%s\n' "${chosen[@]}" |
  awk -F '\t' 'FILENAME != "-" { tried[$2]; next } !($1 in tried)' "$results" -)
if ((${#untried[@]} > 0)); then
  update_copy
  configure_copy "$(cut -f 2 <<< "${untried[0]}")"
  echo "mutate: the tests without a fault"
  given_limit=$limit limit=7200 start=$SECONDS
  if ! run_tests; then
    tail -n 40 "$log" >&2
    echo "mutate.sh: expected sources that pass their tests, given others (see above)" >&2
    exit 1
  fi
  limit=$((given_limit > 0 ? given_limit : 60 + 4 * (SECONDS - start)))
  echo "mutate: passed in $((SECONDS - start)) s; ${#untried[@]} faults, $limit s for a run of the tests"
fi

# An interrupted fault is not recorded.
stopped=0
trap 'stopped=1' INT TERM
start=$SECONDS tried=0 left=${#untried[@]}
for line in "${untried[@]}"; do
  IFS=$'\t' read -r title file caught_by <<< "$line"
  left=$((left - 1))
  configure_copy "$file"
  cp "$copy/$file" "$work/original"
  faults plant "$title" "$copy"
  outcome=$(outcome_of "$file" "${caught_by:-}")
  if ((stopped)); then exit 130; fi
  cp "$work/original" "$copy/$file"  # newer than the fault's build
  printf '%s\t%s\t%s\t%s\n' "${outcome%$'\t'*}" "$title" "$file" "${outcome#*$'\t'}" >> "$results"
  tried=$((tried + 1)) each=$(((SECONDS - start) / tried))
  echo "$(say_outcome "$title" "${outcome%$'\t'*}" "${outcome#*$'\t'}") ($each s each," \
    "$((each * left / 60)) min for the $left left)"
done

printf '\n== Faults\n%-12s %8s %8s %9s %16s\n' folder caught hung survived "did not compile"
awk -F '\t' '
  NR == FNR { chosen[$0]; next }
  !($2 in chosen) { next }
  { folder = $3; sub(/\/.*/, "", folder)
    if (!(folder in folders)) order[++count] = folder
    folders[folder]; n[folder, $1]++; sum[$1]++; ++all }
  $1 != "caught" && $1 != "hung" { others = others "\n" ($1 == "survived" ? "SURVIVED" : $1) ": " $2 }
  function row(name, a, b, c, d) { printf "%-12s %8d %8d %9d %16d\n", name, a, b, c, d }
  END {
    for (i = 1; i <= count; ++i) { f = order[i]
      row(f, n[f, "caught"], n[f, "hung"], n[f, "survived"], n[f, "did not compile"]) }
    row("in all", sum["caught"], sum["hung"], sum["survived"], sum["did not compile"])
    printf "caught: %.1f %%%s\n", 100 * (sum["caught"] + sum["hung"]) / all, others
    exit others != ""
  }' "$work/chosen" "$results"
