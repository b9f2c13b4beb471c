#!/usr/bin/env python3
"""Beam-search speed of Marian on the CPU, through its Python wheel (pymarian).

Lets Marian itself make a Transformer with random weights (post-norm, one embedding shared by source,
target and projection, sinusoidal positions), bars its end mark, so that every hypothesis takes as
many steps as is asked whatever the weights are, and translates sentences of random tokens. Prints the
rate of the quickest of several batch sizes and, in 8 bits, kinds of products.
"""

import argparse
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
import pymarian

from presets import TRANSFORMERS
from report import peak_rss_mib, print_result

SPECIAL = ["</s>", "<unk>"]
BATCHES = [16, 32, 64, 128]
# Marian's kinds of products in 8 bits (FBGEMM's and intgemm's), where the CPU has AVX-512 and where not.
INT8_PRODUCTS = {
    True: ["packed8avx512", "intgemm8avx512", "intgemm8avx512vnni"],
    False: ["packed8avx2", "intgemm8avx2"],
}


def marian_command(*arguments):
    """In a program of its own, for training ends the one that it runs in."""
    subprocess.run([sys.executable, "-m", "pymarian", *arguments], check=True, capture_output=True)


def int8_products():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        flags = next(line for line in file if line.startswith("flags")).split()
    kinds = INT8_PRODUCTS["avx512bw" in flags]
    return [kind for kind in kinds if "avx512_vnni" in flags or not kind.endswith("vnni")]


def random_lines(count, length, rows, seed):
    generator = random.Random(seed)
    tokens = [f"t{row}" for row in range(len(SPECIAL), rows)]
    return [" ".join(generator.choices(tokens, k=length)) for _ in range(count)]


def save_model(folder, preset, seed):
    """The vocabulary's file and the model's, after one step of training with no rate to speak of."""
    vocabulary, model = f"{folder}/vocabulary.yml", f"{folder}/model.npz"
    tokens = SPECIAL + [f"t{row}" for row in range(len(SPECIAL), preset.rows)]
    with open(vocabulary, "w", encoding="utf-8") as file:
        file.writelines(f'"{token}": {row}\n' for row, token in enumerate(tokens))
    for side in "source", "target":
        with open(f"{folder}/{side}", "w", encoding="utf-8") as file:
            file.writelines(line + "\n" for line in random_lines(8, 8, preset.rows, seed))
    options = {
        "type": "transformer", "dim-emb": preset.width, "transformer-dim-ffn": preset.hidden,
        "transformer-heads": preset.heads, "transformer-ffn-activation": "relu",
        "enc-depth": preset.layers, "dec-depth": preset.layers,
        "transformer-postprocess": "dan", "transformer-postprocess-emb": "d", "seed": seed,
        "learn-rate": 1e-9, "mini-batch": 4, "after-batches": 1, "cpu-threads": 1, "workspace": 512,
    }  # fmt: skip
    marian_command(
        "train", "--model", model, "--train-sets", f"{folder}/source", f"{folder}/target", "--vocabs", vocabulary,
        vocabulary, "--dim-vocabs", str(preset.rows), str(preset.rows), "--tied-embeddings-all",
        *(word for name, value in options.items() for word in (f"--{name}", str(value))),
    )  # fmt: skip
    weights = dict(np.load(model))
    weights["decoder_ff_logit_out_b"][0, SPECIAL.index("</s>")] = -1e4
    np.savez(model, **weights)
    return vocabulary, model


def translator(model, vocabulary, length, beam, batch, threads):
    # Marian stops at so many times the source's tokens, with the end mark, that whole steps reach.
    factor = (length - 0.5) / (length + 1)
    return pymarian.Translator(
        f"--models {model} --vocabs {vocabulary} {vocabulary} --cpu-threads {threads} --beam-size {beam} "
        f"--normalize 1 --mini-batch {batch} --maxi-batch 1000 --max-length-factor {factor} "
        "--workspace 256 --quiet --quiet-translation"
    )


def translate(marian, lines, length):
    for line in marian.translate(lines):
        if len(line.split()) != length:
            raise RuntimeError(f"output length: expected {length} tokens, given {len(line.split())}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--preset", choices=TRANSFORMERS, default="tiny")
    parser.add_argument("--type", choices=["float32", "int8"], default="float32")
    parser.add_argument("--beam", type=int, default=5)
    parser.add_argument("--sentences", type=int, default=500, help="random sentences")
    parser.add_argument("--length", type=int, default=14, help="their source and output tokens")
    parser.add_argument("--threads", type=int, default=2, help="workers, each of one thread")
    parser.add_argument("--repeats", type=int, default=3, help="timed runs of the best setting")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true", help="one JSON object on the last line")
    options = parser.parse_args()

    preset = TRANSFORMERS[options.preset]
    lines = random_lines(options.sentences, options.length, preset.rows, options.seed)
    with tempfile.TemporaryDirectory() as folder:
        vocabulary, model = save_model(folder, preset, options.seed)
        models = {"float32": model}
        if options.type == "int8":
            models = {kind: f"{folder}/{kind}.bin" for kind in int8_products()}
            for kind, file in models.items():
                marian_command("convert", "-f", model, "-t", file, "--gemm-type", kind)
        best = None
        for kind, file in models.items():
            for batch in BATCHES:
                marian = translator(file, vocabulary, options.length, options.beam, batch, options.threads)
                translate(marian, lines[: options.threads], options.length)
                start = time.perf_counter()
                translate(marian, lines, options.length)
                rate = options.sentences / (time.perf_counter() - start)
                print(f"{kind:18} batch {batch:4}: {rate:8.1f} sentences/s", flush=True)
                if best is None or rate > best[0]:
                    best = (rate, kind, batch)
        _, kind, batch = best
        marian = translator(models[kind], vocabulary, options.length, options.beam, batch, options.threads)
        translate(marian, lines, options.length)
        seconds, processor_seconds = [], -time.process_time()
        for _ in range(options.repeats):
            start = time.perf_counter()
            translate(marian, lines, options.length)
            seconds.append(time.perf_counter() - start)
        processor_seconds += time.process_time()

    result = {
        "preset": options.preset,
        "type": options.type,
        "products": kind,
        "beam": options.beam,
        "sentences": options.sentences,
        "rows": preset.rows,
        "sentences_per_second": options.sentences / statistics.median(seconds),
        "sentences_per_second_best": options.sentences / min(seconds),
        "mini_batch": batch,
        "peak_rss_mib": peak_rss_mib(),
        "pymarian": pymarian.__version__,
        "processor_share": processor_seconds / sum(seconds) / options.threads,
        "load_average": os.getloadavg()[0],
    }
    print_result(result, options.json)


if __name__ == "__main__":
    main()
