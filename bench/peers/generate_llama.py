#!/usr/bin/env python3
"""Greedy text of a random GPT-2 by llama.cpp, token by token, for tokens/s.

Writes the model as a GGUF file of the type asked for, and lets llama.cpp's own decode() work on it:
the time of a token is the time of many less that of one, so that the prompt does not count.
"""

import argparse
import ctypes
import os
import statistics
import tempfile
import time

import llama_cpp
import numpy as np

from gguf_model import TYPES, write_model
from presets import GPTS
from report import peak_rss_mib, print_result


class Decoder:
    def __init__(self, path, threads, context):
        llama_cpp.llama_backend_init()
        self.silent = llama_cpp.llama_log_callback(lambda *_: None)
        llama_cpp.llama_log_set(self.silent, ctypes.c_void_p(0))
        self.model = llama_cpp.llama_model_load_from_file(
            path.encode(), llama_cpp.llama_model_default_params()
        )
        parameters = llama_cpp.llama_context_default_params()
        parameters.n_ctx = parameters.n_batch = context
        parameters.n_threads = parameters.n_threads_batch = threads
        self.context = llama_cpp.llama_init_from_model(self.model, parameters)
        vocabulary = llama_cpp.llama_model_get_vocab(self.model)
        self.vocabulary = llama_cpp.llama_vocab_n_tokens(vocabulary)

    def step(self, tokens):
        """The likeliest next token."""
        array = (llama_cpp.llama_token * len(tokens))(*tokens)
        batch = llama_cpp.llama_batch_get_one(array, len(tokens))
        if llama_cpp.llama_decode(self.context, batch) != 0:
            raise RuntimeError("llama_decode: expected success, given an error")
        logits = llama_cpp.llama_get_logits_ith(self.context, -1)
        return int(np.ctypeslib.as_array(logits, (self.vocabulary,)).argmax())

    def seconds(self, prompt, tokens):
        llama_cpp.llama_memory_clear(llama_cpp.llama_get_memory(self.context), True)
        start = time.perf_counter()
        token = self.step(prompt)
        for _ in range(tokens - 1):
            token = self.step([token])
        return time.perf_counter() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--preset", choices=GPTS, default="gpt2")
    parser.add_argument("--type", choices=TYPES, default="f32")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--prompt", type=int, default=16)
    parser.add_argument("--tokens", type=int, default=64)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true", help="one JSON object on the last line")
    options = parser.parse_args()

    preset = GPTS[options.preset]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.gguf")
        write_model(path, preset, options.type, options.seed)
        decoder = Decoder(path, options.threads, preset.context)
        generator = np.random.default_rng(options.seed)
        prompt = generator.integers(preset.rows, size=options.prompt).tolist()
        decoder.seconds(prompt, 4)
        rates, wall_seconds, processor_seconds = [], 0, -time.process_time()
        for _ in range(options.runs):
            first, all_ = decoder.seconds(prompt, 1), decoder.seconds(prompt, options.tokens + 1)
            rates.append(options.tokens / (all_ - first))
            wall_seconds += first + all_
        processor_seconds += time.process_time()
    result = {
        "preset": options.preset,
        "type": options.type,
        "threads": options.threads,
        "tokens_per_second": statistics.median(rates),
        "processor_share": processor_seconds / wall_seconds / options.threads,
        "peak_rss_mib": peak_rss_mib(),
        "llama_cpp": llama_cpp.__version__,
    }
    print_result(result, options.json)


if __name__ == "__main__":
    main()
