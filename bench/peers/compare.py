#!/usr/bin/env python3
"""Kette and a peer side by side: the two run in turn, so that a drift of the machine meets both.

Prints each program's median and the ratio of the medians, for training (target tokens/s and peak
memory, against train_pytorch.py, or train_nanogpt.py for the presets of GPT), translation
(sentences/s, against translate_ctranslate2.py, or with --peer marian translate_marian.py) or
generation (tokens/s, against generate_transformers.py, or with --peer llama generate_llama.py).
--weights is Kette's; what the peer's are its --type says. Arguments it does not know go to the peer's
script.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys

from presets import GPTS

HERE = pathlib.Path(__file__).parent
STEPS = {
    "tiny": ["--steps", "12", "--warmup", "4"],
    "base": ["--steps", "6", "--warmup", "2"],
    "char-cpu": ["--steps", "200", "--warmup", "20"],
    "char": ["--steps", "4", "--warmup", "1"],
    "gpt2": ["--steps", "3", "--warmup", "1"],
}
# The first is the default.
PEERS = {"translate": ["ctranslate2", "marian"], "generate": ["transformers", "llama"]}
GPU_STEPS = ["--steps", "20", "--warmup", "8"]
GPU_WINDOWS = {"gpt2": 64}  # a step, instead of the preset's


def run(command):
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{result.stderr}exit status {result.returncode}")
    values = json.loads(result.stdout.strip().splitlines()[-1])
    late = values.get("graphs_compiled_while_timed", 0)
    if late:
        sys.exit(
            f"{' '.join(command)}\ncompare.py: expected no graph compiled while the clock runs, "
            f"given {late} (more --warmup)"
        )
    return values


def table(rows, key, unit, better, busy=False):
    def value(row):
        return row[key] / row["processor_share"] if busy else row[key]

    ours, peers = ([value(row) for row in side] for side in zip(*rows))
    ratio = statistics.median(ours) / statistics.median(peers)
    spread = sorted(our / peer for our, peer in zip(ours, peers))
    print(
        f"{key}: Kette {statistics.median(ours):.1f}, peer {statistics.median(peers):.1f} {unit}, "
        f"ratio {ratio:.2f} (pairs {spread[0]:.2f} to {spread[-1]:.2f}; {better} is better)"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["train", "translate", "generate"])
    parser.add_argument("--kette", default=HERE.parents[1] / "build/release/kette")
    parser.add_argument("--preset", default="tiny", choices=sorted(STEPS))
    parser.add_argument("--batches", help="JSON lines from make_batches.py, for training")
    parser.add_argument("--threads", default="2")
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"], help="of both")
    parser.add_argument(
        "--precision", default="f32", choices=["f32", "tf32", "bf16"], help="of both"
    )
    parser.add_argument("--weights", choices=["f32", "bf16", "int8"], help="of Kette, to decode with")
    parser.add_argument(
        "--peer",
        choices=sorted(sum(PEERS.values(), [])),
        help="of decoding (default: ctranslate2 to translate, transformers to generate)",
    )
    parser.add_argument(
        "--dropout", help="instead of the preset's: of both for presets of GPT; for others as train_pytorch.py says"
    )
    parser.add_argument(
        "--ids", default="zipf", choices=["zipf", "uniform"], help="of both, for presets of GPT"
    )
    parser.add_argument(
        "--busy",
        action="store_true",
        help="rates of decoding by the share of the processors that each program got, where others "
        "work beside them; with --threads 1, for threads that wait for each other take time, too",
    )
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--dry-run", action="store_true", help="print the two commands and stop")
    options, peer_switches = parser.parse_known_args()
    common = ["--preset", options.preset, "--threads", options.threads, "--json"]
    our_batch, peer_batch = [], []
    on_gpu = options.device == "cuda"
    steps = GPU_STEPS if on_gpu else STEPS[options.preset]
    if options.precision != "f32" and options.what != "train":
        parser.error(f"--precision: expected it to train, given it to {options.what} (see --weights)")
    if options.what in PEERS:
        peer = options.peer or PEERS[options.what][0]
        if peer not in PEERS[options.what]:
            parser.error(f"--peer: expected one of {PEERS[options.what]} to {options.what}, given {peer}")
        script = f"{options.what}_{peer}.py"
    elif options.preset in GPTS:
        common += [*steps, "--ids", options.ids]
        gpt = GPTS[options.preset]  # whose tokens both programs make up by themselves
        windows = GPU_WINDOWS.get(options.preset, gpt.windows) if on_gpu else gpt.windows
        our_batch, peer_batch = ["--tokens", str(windows * gpt.context)], ["--windows", str(windows)]
        if options.dropout is not None:
            our_batch += ["--dropout", options.dropout, "--attention-dropout", options.dropout]
            peer_batch += ["--dropout", options.dropout]
        script = "train_nanogpt.py"
    else:
        if not options.batches:
            parser.error("train: --batches is missing")
        common += ["--batches", options.batches, *steps]
        if options.dropout is not None:
            peer_batch += ["--dropout", options.dropout]
        script = "train_pytorch.py"
    ours = [str(options.kette), "bench", options.what, *common, *our_batch]
    peer = [sys.executable, str(HERE / script), *common, *peer_batch, *peer_switches]
    if on_gpu:
        ours += ["--device", options.device]
        peer += ["--device", options.device]
    if options.precision != "f32":
        ours += ["--precision", options.precision]
        peer += ["--dtype", options.precision]
    if options.weights:
        ours += ["--weights", options.weights]
    if options.dry_run:
        print(" ".join(ours), " ".join(peer), sep="\n")
        return

    rows = []
    for round_ in range(options.rounds):
        rows.append((run(ours), run(peer)))
        print(f"round {round_ + 1}:", *map(json.dumps, rows[-1]), sep="\n  ", file=sys.stderr)
    if options.what == "train":
        table(rows, "target_tokens_per_second", "tokens/s", "more")
    elif options.what == "translate":
        table(rows, "sentences_per_second", "sentences/s", "more", options.busy)
    else:
        table(rows, "tokens_per_second", "tokens/s", "more", options.busy)
    if on_gpu and options.what == "train":
        table(rows, "peak_tensor_mib", "MiB", "less")
    elif not on_gpu:
        table(rows, "peak_rss_mib", "MiB", "less")


if __name__ == "__main__":
    main()
