#!/usr/bin/env python3
"""Whether two builds of the program do the same, to the byte: what proves of a refactoring that it changed nothing.

  scripts/same_outputs.py OLD NEW [--only PATTERN] [--jobs N] [--allow FILE] [--work DIR]
  scripts/same_outputs.py --check OLD     only: has the list each command, and each option of translate?

OLD and NEW are two `kette`s, built alike: kernels for other CPUs round otherwise. OLD trains small models on the
bundled corpus (of the kette-corpus beside either, or in build/release), once. Then each command of
scripts/same_outputs.txt runs with either, in a folder of its own and on the same models. Compared are the exit code,
stdout, stderr without status lines, and every file that is made, byte for byte, but for what a clock, a commit or the
machine's load says (MASKED_KEYS, MASKED_TEXTS). Exit code 1 if a command differs, or does not end well with OLD.
--only: commands whose name, or text, this regular expression finds. --allow: a file of lines "NAME: reason" for
commands that may differ. --work: a new folder to work in, which is kept (default: one that is kept if any differs).
"""
import argparse
import concurrent.futures
import fnmatch
import gzip
import json
import lzma
import os
import pathlib
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import zipfile

SOURCE = pathlib.Path(__file__).resolve().parent.parent
# Masked values of JSON keys, in any JSON: in a file, on a page, in the metadata of tensors.
MASKED_KEYS = ("([a-z]+_)?seconds(_whole)?", "([a-z]+_)*per_second(_overall)?", "peak_rss_mib", "(sgemm_)?gflops",
               "sgemm_share", "waited", "slowest", "(forward|backward)_ms", "commit")
# Masked matches in COMMAND/FILE; their first group is kept.
MASKED_TEXTS = [
    ("*/stdout", r"(?m)(^kette [\d.]+ )\(\w+\)$"),  # the commit
    ("*/stderr", r"(?m)(^\d+ tokens, )[\d.]+ tokens/s$"),
    ("sweep/*", r"(, about )\d+:\d\d left"),
    ("heads/stdout", r"(% of the parameters, )[\d.]+ times as fast"),
    # A run's page: minutes and tokens/s in its table, the curve of tokens/s, minutes as a scale.
    ("train-*/page.html", r'(<tr><td class="text">a(?:</td><td class="number">\d+){3}</td><td class="number">)[\d.]+'),
    ("train-*/page.html", r'(<tr><td class="text">a</td>.* at \d+</td><td class="number">)\d+(?=</td></tr>)'),
    ("train-*/page.html", r"(<figcaption>Target tokens a second.*?)<svg.*?</svg>"),
    ("train-*/page.html", r"([Tt]arget tokens a second, of the last steps each)[^\"]*"),
    ("train-*/page.html", r'("title":"Target tokens a second".*?"y":)\[[\d.,]*\]'),
    ("train-*/page.html", r'("minutes of training"\],"values":\[\[null,\[\[[^]]*\],\[[^]]*\]\],\[\[[^]]*\],)\[[^]]*\]'),
    # A tape's milliseconds, and a trace except what its row's `bare` keeps (and its page's size).
    ("tape*/stdout", r"(forward |backward )[\d.]+ ms"),
    ("tape*/stdout", r"( [\d,]+) +\d+\.\d{3} +\d+\.\d{3}(?=  )"),
    ("tape*/*.html", r"( in )[\d.]+ ms, from the"),
    ("tape*/*.html", r'(style="--share:)[\d.]+%'),
    ("tape*/*.html", r"(<span>[^<]*</span>)<span>[\d.]+</span><span>[\d.]+</span>(?=<span>[\d.e+-]*</span>)"),
    ("t*/stderr", r"(?m)(\.html: )\d+ KB$"),
]
KEY = re.compile(r'(\\?"(?:%s)\\?": ?)(?:-?[\d.]+(?:e[-+]?\d+)?|\\?"[^"]*")' % "|".join(MASKED_KEYS))
STATUS_LINES = re.compile(  # progress of a command, after seconds
    r"(?m)^(\[[^]]*\] )?(.*  [\d:]+ left|.*  [\d.]+ (a second|MB/s)|(.*  )?\d+ %( of the text)?|"
    r"\d+ of \d+ (results|pairs)|looking at the text|iteration \d+ of \d+  .*)\n")
# Commands of `kette --help` and options of `kette translate --help-all` that the list may lack, and
# why.
NOT_RUN = {"serve": "it does not end by itself; scripts/serve_check.py compares its answers"}

TEXTS = {  # with tabs and invisible characters
    "table.tsv": "1\tThe boy sees the dog.\tThe garden\n2\tHe comes.\t17\n",
    "odd.en": "The boy sees https://example.com/a?b=1 and {name}.\n\n...\nTHE BOY SEES THE DOG.\n"
              "the boy sees %1$s \N{GRINNING FACE} .\nThe Мир is a@b.de.\n"
              "The boy \u00ad sees\u200b the dog </s> ||| here.\n  He comes.  He does not know.  \n1,234.50 17\n",
    "odd.de": "Der Junge sieht https://example.com/a?b=1 und {name}.\n\n...\nTHE BOY SEES THE DOG.\nDer Hund .\n"
              "<b>Der</b> Mir.\nThe boy sees the dog and does not know the man.\nEr.\n1.234,50 17\n",
    "contrast": "If i\tIf t\tt\th\nThere i\tThere a\ts\tr\nHe do\tHe is\te\t \n",
    "returns": "\n\nq\n",
}
LETTER = {  # of Word
    "[Content_Types].xml": "<Types/>",
    "word/document.xml": '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>'
                         '<w:p><w:r><w:t xml:space="preserve">The boy </w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>comes.'
                         "</w:t></w:r></w:p></w:body></w:document>",
}


def toy_trees(lines, draw):
    """Of a grammar that is learnt in seconds."""
    def phrase(more):
        words = f"(NP (DT {draw(['the', 'a', 'this'])}) (NN {draw(['cat', 'dog', 'bird', 'fish', 'child'])}))"
        is_long = more and draw("aab") == "b"
        return f"(NP {words} (PP (IN {draw(['of', 'with'])}) {phrase(False)}))" if is_long else words

    verbs = ["sees", "hears", "sleeps"]
    return [f"(S {phrase(True)} (VP (VBZ {draw(verbs)}) {phrase(True)}) (. .))" for _ in range(lines)]


def read_list():
    """The parts of the list: shell that stands in front of all, {file: text}, and {name: command} twice."""
    text = (SOURCE / "scripts/same_outputs.txt").read_text("utf-8")
    shell, texts, models, commands = re.split(r"(?m)^== .*\n", text)[1:]

    def table(text):
        rows = {}
        for line in text.splitlines():
            if line.startswith(" "):
                rows[list(rows)[-1]] += " " + line.strip()
            elif line and line[0] != "#":
                name, command = line.split(None, 1)
                if name in rows:
                    sys.exit(f"same_outputs.txt: expected one command of a name, given {name} again")
                rows[name] = command
        return rows

    words = re.split(r"(?m)^=== (\S+)\n", texts.rstrip("\n") + "\n")[1:]
    return shell, dict(zip(words[::2], words[1::2])), table(models), table(commands)


SHELL, DOCUMENTS, MODELS, COMMANDS = read_list()


def write_given(given, corpus):
    subprocess.run([corpus, "--train", "3000", "--valid", "60", "--test", "100", "--out", given / "text"], check=True,
                   stdout=subprocess.DEVNULL)
    (given / "fixtures").symlink_to(SOURCE / "tests/fixtures")
    lines = {side: (given / "text" / f"test.{side}").read_text("utf-8").splitlines() for side in ("en", "de")}
    few = {side: of[::9] for side, of in lines.items()}
    draw = random.Random(1).choice
    texts = {**DOCUMENTS, **TEXTS, "few.en": few["en"], "few.de": few["de"],
             "train.mrg": toy_trees(200, draw), "valid.mrg": toy_trees(12, draw),
             "hyp.de": [" ".join(word for i, word in enumerate(line.split()) if i % 5 != 3) for line in few["de"]],
             "prefix.de": [" ".join(line.split()[:i % 3]) for i, line in enumerate(few["de"])],
             "long.en": [lines["en"][0], " ".join(lines["en"]), lines["en"][1]],
             "pairs.tsv": [f"{a}\t{b}" for a, b in zip(lines["en"], lines["de"])]}
    texts["odd.mrg"] = [line.replace("(PP", "(X").replace("VBZ sees", "VBD sees") for line in texts["valid.mrg"]]
    for name, text in texts.items():
        (given / name).write_text(text if isinstance(text, str) else "".join(line + "\n" for line in text), "utf-8")
    (given / "few.en.gz").write_bytes(gzip.compress((given / "few.en").read_bytes(), mtime=0))
    (given / "few.en.xz").write_bytes(lzma.compress((given / "few.en").read_bytes()))
    (given / "bad.en").write_bytes(b"The boy comes.\nThe \xff boy\n" + b"The dog " * 100 + b"\nHe comes.\n")
    with zipfile.ZipFile(given / "letter.docx", "w") as packed:
        for name, text in LETTER.items():
            packed.writestr(zipfile.ZipInfo(name), '<?xml version="1.0"?>' + text)


def run(binary, command, folder, given):
    """The exit code; what is printed lies in the folder's files stdout and stderr."""
    folder.mkdir(parents=True)
    (folder / "in").symlink_to(given)
    environment = {**os.environ, "KETTE": str(binary), "KETTE_CORPUS": str(binary.parent / "kette-corpus"),
                   "LC_ALL": "C.UTF-8", "OMP_NUM_THREADS": "1", "OMP_WAIT_POLICY": "passive"}
    with open(folder / "stdout", "wb") as out, open(folder / "stderr", "wb") as err:
        try:
            return subprocess.run(["bash", "-c", SHELL + command], cwd=folder, env=environment, timeout=600,
                                  stdin=subprocess.DEVNULL, stdout=out, stderr=err).returncode
        except subprocess.TimeoutExpired:
            return "none within 600 s"


def masked(data, place):
    text = KEY.sub(r"\1<masked>", data.decode("utf-8", "surrogateescape"))
    for where, pattern in MASKED_TEXTS:
        if fnmatch.fnmatchcase(place, where):
            text = re.sub(pattern, r"\1<masked>", text)
    if place.endswith("/stderr"):
        text = STATUS_LINES.sub("", text)
    return text.encode("utf-8", "surrogateescape")


def parts(data, place):
    """[(label, bytes)]: what is to be the same of a file."""
    if not place.endswith(".safetensors"):
        return [("", masked(data, place))]
    start = 8 + struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:start])
    metadata = header.pop("__metadata__", {})
    checksum = metadata.pop("kette.crc32", "")
    metadata = json.dumps(metadata, indent=0).encode()
    compared = masked(metadata, place)
    if compared != metadata:
        checksum = "<masked>"  # it covers the whole file
    tensors = [(f" {name}", data[slice(*(start + at for at in of["data_offsets"]))]) for name, of in header.items()]
    return [(" metadata", compared), (" header", json.dumps(header).encode()), *tensors, (" crc32", checksum.encode())]


def difference(a, b):
    """None, or where two files' parts part, in words."""
    for (label, one), (_, other) in zip(a, b):
        if one != other:
            at = next((i for i, (x, y) in enumerate(zip(one, other)) if x != y), min(len(one), len(other)))
            if b"\0" in one[:4096]:
                return f"{label} byte {at}: {one[at:at + 8].hex(' ')} | {other[at:at + 8].hex(' ')}"
            begin = max(0, one.rfind(b"\n", 0, at) + 1, at - 50)
            shown = (repr(data[begin:at + 50].decode("utf-8", "replace")) for data in (one, other))
            return f"{label} line {one.count(10, 0, at) + 1}: " + " | ".join(shown)
    return None


def files(folder):
    return {os.path.relpath(os.path.join(at, name), folder) for at, _, names in os.walk(folder) for name in names}


def differences(name, folders, binaries):
    """What is different in two folders, a line each."""
    old, new = map(files, folders)
    for file in sorted(old ^ new):
        yield f"{file}: only with {'OLD' if file in old else 'NEW'}"
    for file in sorted(old & new, key=lambda file: (file.endswith(".safetensors"), file)):
        a, b = ((folder / file).read_bytes() for folder in folders)
        b = b.replace(os.fsencode(folders[1]), os.fsencode(folders[0]))  # of equal length
        if file in ("stdout", "stderr"):
            a, b = (data.replace(os.fsencode(binary), b"kette") for data, binary in zip((a, b), binaries))
        if a != b and (found := difference(parts(a, f"{name}/{file}"), parts(b, f"{name}/{file}"))):
            yield file + found


def compare(name, command, work, binaries):
    """Seconds, and what is wrong, a line each."""
    start = time.monotonic()
    folders = [work / side / name for side in ("old", "new")]
    codes = [run(binary, command, folder, work / "given") for binary, folder in zip(binaries, folders)]
    found = list(differences(name, folders, binaries))
    if codes[0] != 0:
        last = (folders[0] / "stderr").read_text("utf-8", "replace").strip().splitlines()[-1:]
        found.insert(0, f"expected exit code 0 of OLD, given {codes[0]}: {''.join(last)}")
    elif codes[0] != codes[1]:
        found.insert(0, f"exit code {codes[0]} | {codes[1]}")
    if not found:
        for folder in folders:
            shutil.rmtree(folder)
    return time.monotonic() - start, found


def check(binary):
    """What the list lacks, a line each."""
    def words(pattern, *arguments):
        text = subprocess.run([binary, *arguments, "--help-all"], stdout=subprocess.PIPE, text=True, check=True).stdout
        return re.findall(pattern, text, re.M)

    used = SHELL + "\n".join(COMMANDS.values())
    translating = "\n".join(command for command in COMMANDS.values() if re.search(r"\b(translate|few) ", command))
    if len(COMMANDS) < 60:
        yield f"expected at least 60 commands, given {len(COMMANDS)}"
    for command in words(r"^  ([a-z][-a-z]*)  "):
        if not re.search(rf"\b(kette|fails|two) {command}\b", used) and command not in NOT_RUN:
            yield f"expected a command with kette {command}, or a reason in NOT_RUN, given none"
    for option in words(r"(?:^  |^  -h,|,)(--[-a-z]+)", "translate"):
        if not re.search(rf"{option}(?![-a-z])", translating) and option not in NOT_RUN:
            yield f"expected a command with kette translate {option}, or a reason in NOT_RUN, given none"


def state_of(folder):
    return {name: (os.stat(folder / name).st_size, os.stat(folder / name).st_mtime_ns) for name in files(folder)}


def models_in(text):
    return set(re.findall(r"\bin/(%s)\b" % "|".join(MODELS), text))


def make_given(work, binaries, needed, jobs):
    given = work / "given"
    given.mkdir(parents=True)
    folders = [*(binary.parent for binary in binaries), SOURCE / "build/release"]
    corpora = [folder / "kette-corpus" for folder in folders]
    corpus = next(filter(os.path.exists, corpora), None)
    if corpus is None:
        sys.exit(f"same_outputs.py: expected {corpora[0]}, given none (scripts/build.sh release kette-corpus makes it)")
    write_given(given, corpus)

    def make(name):
        folder = work / "making" / name
        code = run(binaries[0], MODELS[name], folder, given)
        if code != 0:
            why = (folder / "stderr").read_text("utf-8", "replace")
            raise SystemExit(f"same_outputs.py: {name}: expected exit code 0, given {code}: {why}")
        (folder / name).rename(given / name)

    first = set().union(*(models_in(MODELS[name]) for name in needed))  # which other models build on
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for names in (first, needed - first):
            list(pool.map(make, sorted(names, key=list(MODELS).index)))
    return state_of(given)


def read_allowed(file):
    allowed = {}
    for line in file.read_text("utf-8").splitlines():
        name, _, reason = line.partition(":")
        if line.strip() and line[0] != "#":
            if name not in COMMANDS or not reason.strip():
                sys.exit(f"same_outputs.py: {file}: expected NAME: reason, with a name of the list, given {line}")
            allowed[name] = reason.strip()
    return allowed


def compare_all(o, binaries, work):
    """Whether all is the same."""
    start = time.monotonic()
    allowed = read_allowed(o.allow) if o.allow else {}
    names = [name for name, command in COMMANDS.items() if o.only.search(name) or o.only.search(command)]
    commands = "\n".join(map(COMMANDS.get, names))
    needed = models_in(commands + (SHELL if re.search(r"\b(translate|few) ", commands) else ""))
    given = make_given(work, binaries, needed, o.jobs)
    print(f"models and texts are there after {time.monotonic() - start:.0f} s", flush=True)
    lacks = {}
    if "two " in commands and run(binaries[0], "two info --processes", work / "launch", work / "given") != 0:
        lacks["two "] = "no mpirun.openmpi that starts OLD"
    if not all((binary.parent / "kette-corpus").exists() for binary in binaries):
        lacks["$KETTE_CORPUS"] = "no kette-corpus beside each binary"
    counts = dict.fromkeys(("same", "differs", "allowed", "skipped"), 0)

    def outcome(name):
        for needed, why in lacks.items():
            if re.search(rf"(^|\W){re.escape(needed)}", COMMANDS[name]):
                return "skipped", 0, [why]
        seconds, found = compare(name, COMMANDS[name], work, binaries)
        if name in allowed:
            return "allowed", seconds, [allowed[name], *found]
        return "differs" if found else "same", seconds, found

    with concurrent.futures.ThreadPoolExecutor(o.jobs) as pool:
        for name, (what, seconds, found) in zip(names, pool.map(outcome, names)):
            counts[what] += 1
            more = [f"and {len(found) - 3} more"] if len(found) > 3 else []
            print(f"{what:8} {name:20} {seconds:5.1f} s", *found[:3], *more, sep="\n             ", flush=True)
    if given != state_of(work / "given"):
        counts["differs"] += 1
        print("differs  what is given: a command has written into it")
    counted = ", ".join(f"{count} {what}" for what, count in counts.items())
    print(f"{len(names)} commands in {time.monotonic() - start:.0f} s: {counted}")
    return counts["differs"] == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binaries", nargs="+", type=pathlib.Path, metavar="BINARY")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--only", type=re.compile, default=re.compile(""))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--allow", type=pathlib.Path)
    parser.add_argument("--work", type=pathlib.Path)
    o = parser.parse_args()
    if o.check:
        lacking = list(check(o.binaries[0].absolute()))
        sys.exit("\n".join(lacking) if lacking else 0)
    if len(o.binaries) != 2:
        parser.error(f"expected OLD and NEW, given {len(o.binaries)}")
    work = o.work.absolute() if o.work else pathlib.Path(tempfile.mkdtemp(prefix="same-outputs-"))
    same = compare_all(o, [binary.absolute() for binary in o.binaries], work)
    if same and not o.work:
        shutil.rmtree(work)
    else:
        print(f"all of it is in {work}")
    sys.exit(not same)


if __name__ == "__main__":
    main()
