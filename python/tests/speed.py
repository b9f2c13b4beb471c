"""Speeds of the module beside those of the command line, on the same machine in turns: medians and their ratio.

    PYTHONPATH=build/dev/python python3 python/tests/speed.py --translator DIR --src FILE --text FILE [--kette FILE] [--rounds 5]

Times are those that the command tells (--json), without loading. It also checks that both give the same bits.
"""

import argparse
import json
import statistics
import subprocess
import tempfile
import threading
import time
from pathlib import Path

import numpy as np

import kette as kt


def command(program, *arguments, text=None):
    done = subprocess.run([str(program), *map(str, arguments)], input=text, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done


def compare(name, unit, rounds, ours, theirs):
    """ours(), theirs(): each returns a speed and what it made."""
    speeds = [], []
    for _ in range(rounds):
        results = []
        for which, run in enumerate((ours, theirs)):
            time.sleep(2)  # until the module no longer sees the other's work: threads wait otherwise beside other programs
            speed, made = run()
            speeds[which].append(speed)
            results.append(made)
        assert results[0] == results[1], f"{name}: expected the same bits"
    own, other = map(statistics.median, speeds)
    ratios = [a / b for a, b in zip(*speeds)]
    print(f"{name}: {own:.1f} {unit} here, {other:.1f} by the command, ratio of medians {own / other:.3f}, "
          f"median of ratios {statistics.median(ratios):.3f} ({min(ratios):.3f} to {max(ratios):.3f}), same bits", flush=True)


def translation(o):
    lines = o.src.read_text().splitlines()[: o.lines]
    model = kt.load(o.translator)

    def ours():
        begin = time.perf_counter()
        found = model.translate(lines, threads=o.threads)
        return len(lines) / (time.perf_counter() - begin), [one.text for one in found]

    def theirs():
        with tempfile.TemporaryDirectory() as folder:
            output = Path(folder) / "out"
            done = command(o.kette, "translate", "--model", o.translator, "--output", output, "--json", "--threads", o.threads,
                           text="\n".join(lines) + "\n")
            return len(lines) / json.loads(done.stdout.splitlines()[-1])["seconds"], output.read_text().split("\n")[:-1]

    compare(f"translate, {len(lines)} lines", "lines/s", o.rounds, ours, theirs)
    counting(o, model, lines)


def counting(o, model, lines):
    """How fast a counting thread is beside translate() on one thread, against it alone and beside the command, which shares
    processors with it but no lock."""
    counted, over = [0], threading.Event()

    def count():
        while not over.is_set():
            counted[0] += 1

    def rate(work):
        begin, before = time.perf_counter(), counted[0]
        work()
        return (counted[0] - before) / (time.perf_counter() - begin)

    text = "\n".join(lines) + "\n"
    other = lambda: command(o.kette, "translate", "--model", o.translator, "--threads", 1, text=text)
    thread = threading.Thread(target=count)
    thread.start()
    shares = []
    for _ in range(o.rounds):
        alone, beside = rate(lambda: time.sleep(1)), rate(lambda: model.translate(lines, threads=1))
        shares.append((beside / alone, beside / rate(other)))
    over.set()
    thread.join()
    for what, which in (("alone", 0), ("beside the command in another process", 1)):
        values = [share[which] for share in shares]
        print(f"a counting thread beside translate(): {statistics.median(values):.3f} of its speed {what} "
              f"({min(values):.3f} to {max(values):.3f})", flush=True)


def training(o, folder):
    text = o.text.read_text()
    rows, steps = 12, o.steps
    tokens = kt.CharacterTokenizer(text)
    ids = tokens.encode(text) + [tokens.special["end"]]
    (folder / "valid").write_text(text[:2000])

    def ours():
        model = kt.Gpt("char-cpu", tokenizer=tokens, seed=1)
        adam = kt.Adam(model.parameters, lr=1e-3, beta1=0.9, beta2=0.99, epsilon=1e-8, weight_decay=0.1)
        begin = time.perf_counter()
        for step in range(steps):
            batch = kt.windows(ids, rows=rows, length=model.positions, seed=1, step=step)
            with kt.Tape() as tape:
                loss = model.loss(batch, seed=1, step=step)
            tape.backward(loss)
            adam.step(clip=1.0)
        seconds = time.perf_counter() - begin
        return steps * rows * model.positions / seconds, {n: v.numpy().tobytes() for n, v in model.parameters.items()}

    def theirs():
        with tempfile.TemporaryDirectory() as out:
            done = command(o.kette, "train", "--text", o.text, "--valid-text", folder / "valid", "--out", Path(out) / "m", "--preset", "char-cpu",
                           "--batch-tokens", rows * 64, "--steps", steps, "--schedule", "constant", "--lr", 1e-3, "--warmup", 1,
                           "--weight-decay", 0.1, "--clip-norm", 1, "--validate-every", steps, "--beta1", 0.9, "--beta2", 0.99,
                           "--epsilon", 1e-8, "--seed", 1, "--json", "--threads", o.threads)
            speed = json.loads(done.stdout.splitlines()[-1])["target_tokens_per_second"]
            model = kt.load(Path(out) / "m")
            return speed, {n: v.numpy().tobytes() for n, v in model.parameters.items()}

    compare(f"training, {steps} steps of char-cpu", "tokens/s", o.rounds, ours, theirs)
    model = kt.Gpt("char-cpu", tokenizer=tokens, seed=1)
    model.save(folder / "gpt")


def generation(o, folder):
    model = kt.load(folder / "gpt")
    prompt = o.text.read_text()[:20]

    def ours():
        begin = time.perf_counter()
        text = "".join(model.generate(prompt, max_tokens=o.tokens, stop=False))
        return o.tokens / (time.perf_counter() - begin), text

    def theirs():
        done = command(o.kette, "generate", "--model", folder / "gpt", "--prompt", prompt, "--max-tokens", o.tokens, "--no-stop", "--no-echo",
                       "--json", "--threads", o.threads)
        result = json.loads(done.stdout.splitlines()[-1])
        return result["tokens_per_second"], result["texts"][0]

    compare(f"generate, {o.tokens} tokens of char-cpu", "tokens/s", o.rounds, ours, theirs)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--translator", type=Path)
    parser.add_argument("--src", type=Path)
    parser.add_argument("--text", type=Path)
    parser.add_argument("--kette", type=Path, default=Path(kt.__file__).parents[2] / "kette")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--lines", type=int, default=1000)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--tokens", type=int, default=2000)
    parser.add_argument("--threads", type=int, default=2)
    o = parser.parse_args()
    kt.set_threads(o.threads)
    if o.translator:
        translation(o)
    if o.text:
        with tempfile.TemporaryDirectory() as folder:
            training(o, Path(folder))
            generation(o, Path(folder))


if __name__ == "__main__":
    main()
