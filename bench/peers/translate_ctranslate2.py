#!/usr/bin/env python3
"""Beam-search speed of CTranslate2 on the CPU: the baseline to beat.

Builds a Transformer with random weights (post-norm, one embedding shared by source, target and
projection, sinusoidal positions), translates sentences of random tokens with forced output lengths
and prints the rate of the quickest of several thread and batch settings. Forced lengths make the
work independent of the weights: each hypothesis takes exactly that many decoding steps.
"""

import argparse
import dataclasses
import json
import os
import statistics
import sys
import tempfile
import time

import ctranslate2
import numpy as np
from ctranslate2.specs import TransformerSpec

from presets import TRANSFORMERS
from report import peak_rss_mib, print_result

SPECIAL = ["<unk>", "<s>", "</s>"]
BATCHES = [16, 32, 64, 128, 256]


def fill_linear(linear, generator, outputs, inputs):
    linear.weight = generator.normal(0, inputs**-0.5, (outputs, inputs)).astype(np.float32)
    linear.bias = np.zeros(outputs, np.float32)


def fill_norm(norm, width):
    norm.gamma = np.ones(width, np.float32)
    norm.beta = np.zeros(width, np.float32)


def fill_attention(attention, generator, width, cross):
    # CTranslate2 fuses query, key and value (self) or key and value (cross) into one product.
    for linear, parts in zip(attention.linear, (1, 2, 1) if cross else (3, 1)):
        fill_linear(linear, generator, parts * width, width)
    fill_norm(attention.layer_norm, width)


def save_model(directory, preset, seed):
    generator = np.random.default_rng(seed)
    width, hidden, rows = preset.width, preset.hidden, preset.rows
    spec = TransformerSpec.from_config(preset.layers, preset.heads, pre_norm=False)
    embedding = generator.normal(0, width**-0.5, (rows, width)).astype(np.float32)
    spec.encoder.embeddings[0].weight = embedding
    spec.decoder.embeddings.weight = embedding
    spec.decoder.projection.weight = embedding
    for layer in [*spec.encoder.layer, *spec.decoder.layer]:
        fill_attention(layer.self_attention, generator, width, cross=False)
        if hasattr(layer, "attention"):
            fill_attention(layer.attention, generator, width, cross=True)
        fill_linear(layer.ffn.linear_0, generator, hidden, width)
        fill_linear(layer.ffn.linear_1, generator, width, hidden)
        fill_norm(layer.ffn.layer_norm, width)
    tokens = SPECIAL + [f"t{row}" for row in range(len(SPECIAL), rows)]
    spec.register_source_vocabulary(tokens)
    spec.register_target_vocabulary(tokens)
    spec.validate()
    spec.optimize()
    spec.save(directory)


def random_sentences(count, length, rows, seed):
    generator = np.random.default_rng(seed)
    ids = generator.integers(len(SPECIAL), rows, (count, length))
    return {length: [[f"t{row}" for row in sentence] for sentence in ids]}


def sentences_of_file(path, rows):
    """Groups by forced length, since one call has one length. Within a group sorted by source."""
    groups = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            record = json.loads(line)
            tokens = [f"t{max(row % rows, len(SPECIAL))}" for row in record["source"]]
            groups.setdefault(record["length"], []).append(tokens)
    return {length: sorted(groups[length], key=len) for length in sorted(groups)}


def translate(translator, groups, beam, size):
    """All groups are queued before the first is awaited, so that no worker idles between them."""
    pending = []
    for length, sentences in groups.items():
        results = translator.translate_batch(
            sentences,
            beam_size=beam,
            max_batch_size=size,
            min_decoding_length=length,
            max_decoding_length=length,
            max_input_length=0,
            asynchronous=True,
        )
        pending.extend((length, result) for result in results)
    for length, result in pending:
        given = len(result.result().hypotheses[0])
        if given != length:
            raise RuntimeError(f"output length: expected {length} tokens, given {given}")


def restart_with_instructions(name):
    """CTranslate2 takes AVX2 even where the CPU has AVX-512, unless told; it reads this at load."""
    if os.environ.get("CT2_FORCE_CPU_ISA") != name:
        os.execve(sys.executable, [sys.executable, *sys.argv],
                  {**os.environ, "CT2_FORCE_CPU_ISA": name})


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--preset", choices=TRANSFORMERS, default="tiny")
    parser.add_argument("--rows", type=int, help="vocabulary rows, instead of the preset's")
    parser.add_argument("--type", choices=["float32", "int8"], default="float32")
    parser.add_argument("--beam", type=int, default=5)
    parser.add_argument("--sentences", type=int, default=500, help="random sentences")
    parser.add_argument("--length", type=int, default=14, help="their source and output tokens")
    parser.add_argument("--sources", help='JSON lines {"source": [ids], "length": n} instead')
    parser.add_argument("--isa", choices=["default", "AVX2", "AVX512"], default="default")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=3, help="timed runs of the best setting")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true", help="one JSON object on the last line")
    options = parser.parse_args()
    if options.isa != "default":
        restart_with_instructions(options.isa)

    preset = TRANSFORMERS[options.preset]
    if options.rows:
        preset = dataclasses.replace(preset, rows=options.rows)
    if options.sources:
        groups = sentences_of_file(options.sources, preset.rows)
    else:
        groups = random_sentences(options.sentences, options.length, preset.rows, options.seed)
    sentences = sum(len(group) for group in groups.values())
    tokens = sum(length * len(group) for length, group in groups.items())

    settings = [(1, options.threads)]
    if options.threads > 1:
        settings.append((options.threads, 1))
    best = None
    with tempfile.TemporaryDirectory() as model:
        save_model(model, preset, options.seed)
        for inter_threads, intra_threads in settings:
            translator = ctranslate2.Translator(
                model,
                device="cpu",
                compute_type=options.type,
                inter_threads=inter_threads,
                intra_threads=intra_threads,
            )
            warm = {length: group[:inter_threads] for length, group in groups.items()}
            translate(translator, warm, options.beam, 1)
            for size in BATCHES:
                if size > BATCHES[0] and size * inter_threads >= 2 * sentences:
                    continue
                start = time.perf_counter()
                translate(translator, groups, options.beam, size)
                rate = sentences / (time.perf_counter() - start)
                print(f"inter {inter_threads} intra {intra_threads} batch {size:4}: "
                      f"{rate:8.1f} sentences/s", flush=True)
                if best is None or rate > best[0]:
                    best = (rate, inter_threads, intra_threads, size)
            del translator
        _, inter_threads, intra_threads, size = best
        translator = ctranslate2.Translator(
            model,
            device="cpu",
            compute_type=options.type,
            inter_threads=inter_threads,
            intra_threads=intra_threads,
        )
        translate(translator, groups, options.beam, size)
        seconds, processor_seconds = [], -time.process_time()
        for _ in range(options.repeats):
            start = time.perf_counter()
            translate(translator, groups, options.beam, size)
            seconds.append(time.perf_counter() - start)
        processor_seconds += time.process_time()

    result = {
        "preset": options.preset,
        "type": options.type,
        "isa": options.isa,
        "beam": options.beam,
        "sentences": sentences,
        "rows": preset.rows,
        "sentences_per_second": sentences / statistics.median(seconds),
        "target_tokens_per_second": tokens / statistics.median(seconds),
        "sentences_per_second_best": sentences / min(seconds),
        "inter_threads": inter_threads,
        "intra_threads": intra_threads,
        "max_batch_size": size,
        "peak_rss_mib": peak_rss_mib(),
        "ctranslate2": ctranslate2.__version__,
        "processor_share": processor_seconds / sum(seconds) / options.threads,
        "load_average": os.getloadavg()[0],
    }
    print_result(result, options.json)


if __name__ == "__main__":
    main()
