#!/usr/bin/env python3
"""Runs every command that stands in a block of README.md, docs/*.md and examples/*/README.md, by an installed Kette.

  scripts/documented.py [--prefix DIR] [--model DIR] [--library FILE] [--root DIR] [--only TEXT] [--keep DIR]

Long ones run in a short form: with the same options, but few steps, little text and lab's --quick. What needs a network
has a stand-in on disk. What cannot run here is listed with its reason. Exit code 1 if a command fails.
--prefix: where Kette is installed (default: build/installed). --model: what stands for "my-model" and the quickstart's
model (default: the model to try).
--library: a shared object with ops of one's own. --root: run in this root (as root, by chroot) with no
network, which has Kette in it.
"""
import argparse
import functools
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parent.parent

# What is not run, and why: the first that is found in a command.
NOT_RUN = [
    (r"(^| )\.\.\.( |$)", "has a gap (...)"),
    (r"^(\./)?scripts/|^\.ci/run|^python3 scripts/", "works on the source tree; CI or a test runs it, or it takes hours"),
    (r"^cmake |^pip |^python3 -m venv |^apt |^tar |^podman |kette-\\*", "builds or installs; CI and scripts/package.sh do"),
    (r"^jupyter ", "waits for a browser; scripts/python.sh runs the notebooks"),
    (r"\./run\.sh", "scripts/examples.sh runs it"),
    (r"build/exercises|docs/exercises", "a test builds and runs the exercises"),
    (r"\bsrun\b|#SBATCH|--hostfile|-f hosts", "needs a cluster; scripts/slurm-here.sh makes a small one"),
    (r"--device cuda|kette-gpu/", "needs a GPU"),
    (r"kette-fuzz", "needs a build for fuzzing; CI makes one"),
    (r"MB of data downloads|fetch.sh (captions|tatoeba|wmt14|europarl|opus)", "needs a network; test_fetch has a stand-in"),
    (r"^git clone ", "needs a network"),
]

# The short forms: a pattern and what stands for it.
SHORT = [
    (r"(build/release/|\./)?kette(?= [a-z])", "kette"),
    (r"data/fetch\.sh multi30k\b", 'mkdir -p data/downloads && cp -r "$GIVEN/multi30k" data/downloads/'),
    (r"--minutes \S+", "--minutes 0.1"),
    (r"(kette train (?!.*--minutes)[^#|>]*?)(?= *(#|\||2>|>|$))", r"\1 --steps 4"),
    (r"--(validate|record)-every \d+", r"--\1-every 2"),
    (r"step-200\b", "step-2"),
    (r"step-300\b", "step-4"),
    (r"(kette lab (superposition|induction|sharpness|grokking|scaling|attention-cost)\b)", r"\1 --quick"),
    (r"--repeat \d+", "--repeat 2"),
    (r"127\.0\.0\.1:5000", "127.0.0.1:$PORT"),
    (r"(kette serve(?!.*--(port|check))[^#]*)", r"\1 --port $PORT "),
    (r"--port 8080", "--port $PORT"),
    (r"^(.*\| head\b.*)$", r"\1 || ended 141"),  # by SIGPIPE
    (r"^(kette (compare|lab) .*?)( \|\| ended 141)?$", r"\1 || ended 141 1"),  # models differ; something does not hold
]


def blocks(text):
    """The commands of each block: of ```sh all lines, of others those after a prompt."""
    for language, block in re.findall(r"^```(\w+)\n(.*?)^```", text, re.S | re.M):
        if language == "console":
            yield [line[2:] for line in block.splitlines() if line.startswith("$ ")]
        elif language in ("sh", "bash"):
            yield list(whole_commands(block))


def whole_commands(block):
    """Lines, joined until the shell can read them."""
    lines = []
    for line in block.splitlines():
        lines.append(line)
        text = "\n".join(lines)
        if text.endswith("\\") or subprocess.run(["bash", "-n"], input=text, text=True, capture_output=True).returncode:
            continue
        lines = []
        if re.sub(r"^#.*", "", text.strip()):
            yield text
    assert not lines, f"no whole command: {lines}"


def short(command):
    for pattern, stand_in in SHORT:
        command = re.sub(pattern, stand_in, command.replace("\\\n", " "))
    return command


GIVEN = r"""
mkdir -p "$GIVEN" && cd "$GIVEN"
kette-corpus --out bundled > /dev/null
for language in en de; do
  for part in train:400 valid:400 test:40; do head -n ${part#*:} bundled/${part%:*}.$language > ${part%:*}.$language; done
  mkdir -p multi30k/lc-tok inside
  for part in val test_2016_flickr; do cp valid.$language multi30k/lc-tok/$part.$language; done
  grep '[a-z]' input.txt > multi30k/lc-tok/train.$language
done
cp test.en other.txt && cp test.en sentences && mv bundled inside/ && cp test.?? inside/bundled/
for part in train dev test; do
  for i in 1 2 3 4 5 6 7 8; do echo "(S (NP (DT the) (NN dog)) (VP (VBZ sees) (NP (DT a) (NN man))) (. .))"; done > $part.mrg
done
printf '<!DOCTYPE html><html lang="en"><body><p>The dog <b>sees</b> the man.</p></body></html>\n' > page.html
small="--preset tiny --width 32 --hidden 64 --heads 2 --encoder-layers 2 --decoder-layers 2 --vocab 500 --quiet"
pairs="--src train.en --tgt train.de --valid-src valid.en --valid-tgt valid.de"
kette train $pairs --out other $small --norm post --steps 4
kette train --text input.txt --out my-gpt --steps 4 --quiet
kette train --text input.txt --objective masked --out my-bert --steps 4 --quiet
kette train --trees train.mrg --valid-trees dev.mrg --out parser --steps 4 --quiet
cp -r my-gpt gpt2-model
cp -n other/log.jsonl other/config.toml my-model/
"""


def prepared(names, commands):
    """Copies what a block takes as given: what is named before the block itself makes it."""
    text = "\n".join(commands)
    lines = []
    for name in names:
        found = re.search(r"(--(out|save) |> )?(?<![\w/.-])" + re.escape(name) + r"(?![\w.-])", text)
        if found and not found.group(1):
            lines.append(f'cp -r "$GIVEN/{name}" .')
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("prefix", "model", "library", "root", "only", "keep"):
        parser.add_argument("--" + name)
    o = parser.parse_args()
    prefix = o.prefix or ("/usr" if o.root else SOURCE / "build/installed")
    inside = "/tmp/documented" if o.root else None
    work = pathlib.Path(f"{o.root}{inside}" if o.root else o.keep or tempfile.mkdtemp(prefix="kette-documented-"))
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    head = (f'set -eo pipefail\nexport PATH={prefix}/bin:$PATH PORT={port} COLUMNS=100 GIVEN="{inside or work}/given"\n'
            "export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1\n"
            "unset KETTE_MODELS; server=\n"
            'ended() { local code=$?; [[ " $* " == *" $code "* ]]; }\n'
            'stop_server() { [ -z "$server" ] || { kill "$server"; wait "$server"; server=; }; }\ntrap stop_server EXIT\n')
    shell = ["bash"]
    if o.root:  # without any network but its own
        shell = ["unshare", "--net", "--mount", "--pid", "--fork", "bash", "-c",
                 'ip link set lo up; mount -t proc proc "$0/proc"; exec chroot "$0" bash "$@"', o.root]

    def bash(name, text, timeout=600):
        script = work / f"{name}.sh"
        script.write_text(head + text)
        return subprocess.run(shell + [str(script) if not o.root else f"{inside}/{script.name}"], text=True, timeout=timeout,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    @functools.cache
    def is_there(program):
        return bash("which", f"command -v {program}\n").returncode == 0

    given = work / "given"
    given.mkdir()
    texts = sorted(SOURCE.glob("*.md")) + sorted((SOURCE / "docs").rglob("*.md")) + sorted(SOURCE.glob("[a-t]*/*.h"))
    (given / "input.txt").write_text("".join(file.read_text() for file in texts))  # words enough for 10,000 pieces
    shutil.copytree(o.model or SOURCE / "data/en-de", given / "my-model")
    made = bash("given", GIVEN)
    if made.returncode != 0:
        sys.exit(f"documented.py: expected a Kette in {prefix} (--prefix, --root), given one that fails:\n{made.stdout}")
    shutil.copytree(SOURCE / "tests/fixtures/hugging_face/marian", given / "opus-mt-en-de")
    shutil.copytree(given / "my-model", given / "inside/quickstart-model")
    if o.library:
        shutil.copy(o.library, given / "libmyops.so")
    names = ["my-model", "my-gpt", "my-bert", "parser", "other", "gpt2-model", "opus-mt-en-de", "input.txt", "other.txt",
             "page.html", "sentences", "libmyops.so"]
    names += [f"{part}.{end}" for part in ("train", "valid", "test", "dev") for end in ("en", "de", "mrg")]

    files = [SOURCE / "README.md", *sorted((SOURCE / "docs").glob("*.md")), *sorted(SOURCE.glob("examples/*/README.md"))]
    ran, failed, not_run = 0, 0, []
    for file in files:
        if o.only and o.only not in str(file):
            continue
        shown = file.relative_to(SOURCE)
        of_inside = shown.name in ("inside.md", "paths.md")  # walks, whose commands build on each other
        folder = work / ("in-" + str(shown).replace("/", "-"))
        for number, commands in enumerate(blocks(file.read_text())):
            kept = []
            for command in commands:
                library = "libmyops.so" in command or "libmy_ops.so" in command
                why = [reason for pattern, reason in NOT_RUN if re.search(pattern, command)]
                if library and not o.library:
                    why = ["needs --library, an op of one's own"]
                first = re.sub(r"^(\w+=\S+ +)*", "", short(command)).split()[0].strip("(")
                if not why and re.fullmatch(r"[a-z0-9]+", first) and first not in ("set", "mkdir", "for", "if", "case", "exit") \
                        and not is_there(first):
                    if first == "kette":
                        sys.exit("documented.py: expected kette on the PATH of " + str(prefix) + "/bin, given none")
                    why = [f"{first} is not installed here"]
                if why:
                    not_run.append((shown, command, why[0]))
                else:
                    kept.append(re.sub(r"\S*libmy_?ops\.so", "libmyops.so", command))
            if not kept:
                continue
            here = folder if of_inside else folder / str(number)
            here.mkdir(parents=True, exist_ok=True)
            text = f'cd "{str(here)[len(o.root):] if o.root else here}"\n' + "\n".join(prepared(names, kept)) + "\n"
            if of_inside:
                text += '[ -d build ] || { cp -r "$GIVEN/inside" build; mkdir -p build/inside; }\n'
            for index, command in enumerate(kept):
                text += f"echo '@@ {index}'\n"
                if "kette serve" in command and "--check" not in command:
                    text += (f"stop_server\n{short(command).split('#')[0]} & server=$!\n"
                             "for i in $(seq 100); do\n"
                             "  kette serve --check http://127.0.0.1:$PORT/ready 2> /dev/null && break\n  sleep 0.2\ndone\n"
                             "kette serve --check http://127.0.0.1:$PORT/ready\n")
                else:
                    text += short(command) + "\n"
            done = bash(f"{folder.name}-{number}", text)
            if done.returncode == 0:
                ran += len(kept)
                continue
            at = int((re.findall(r"^@@ (\d+)$", done.stdout, re.M) or ["0"])[-1])
            ran += at
            failed += 1
            print(f"FAILED {shown}: {kept[at]}\n  as: {short(kept[at])}\n  " +
                  "\n  ".join(done.stdout.split(f"@@ {at}\n")[-1].splitlines()[-8:]))
    for shown, command, reason in not_run:
        print(f"not run {shown}: {command.splitlines()[0]}  ({reason})")
    print(f"documented.py: {ran} commands ran, {failed} failed, {len(not_run)} were not run")
    if not o.keep:
        shutil.rmtree(work)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
