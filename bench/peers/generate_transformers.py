#!/usr/bin/env python3
"""Greedy text of a random GPT-2 by Hugging Face's transformers, token by token, for tokens/s.

The time of a token is the time of many less that of one, so that the prompt does not count; the
cache of keys and values is on, as it is by default.
"""

import argparse
import statistics
import time

import torch
from transformers import GPT2Config, GPT2LMHeadModel

from presets import GPTS
from report import peak_rss_mib, print_result


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--preset", choices=GPTS, default="gpt2")
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--prompt", type=int, default=16)
    parser.add_argument("--tokens", type=int, default=64)
    parser.add_argument("--num", type=int, default=1)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--json", action="store_true", help="one JSON object on the last line")
    options = parser.parse_args()

    torch.set_num_threads(options.threads)
    torch.manual_seed(1)
    preset = GPTS[options.preset]
    config = GPT2Config(
        n_layer=preset.layers,
        n_head=preset.heads,
        n_embd=preset.width,
        n_positions=preset.context,
        vocab_size=preset.rows,
    )
    config.eos_token_id = config.bos_token_id = None  # no text ends early
    model = GPT2LMHeadModel(config).eval().to(options.device)
    prompt = torch.randint(preset.rows, (options.num, options.prompt)).to(options.device)

    def seconds(tokens):
        start = time.perf_counter()
        with torch.inference_mode():
            out = model.generate(
                prompt,
                attention_mask=torch.ones_like(prompt),
                do_sample=False,
                min_new_tokens=tokens,
                max_new_tokens=tokens,
                pad_token_id=0,
            )
        if options.device == "cuda":
            torch.cuda.synchronize()
        assert out.shape[1] == options.prompt + tokens
        return time.perf_counter() - start

    seconds(4)
    rates, wall_seconds, processor_seconds = [], 0, -time.process_time()
    for _ in range(options.runs):
        first, all_ = seconds(1), seconds(options.tokens + 1)
        rates.append(options.num * options.tokens / (all_ - first))
        wall_seconds += first + all_
    processor_seconds += time.process_time()
    result = {
        "preset": options.preset,
        "device": options.device,
        "threads": options.threads,
        "texts": options.num,
        "tokens_per_second": statistics.median(rates),
        "processor_share": processor_seconds / wall_seconds / options.threads,
        "peak_rss_mib": peak_rss_mib(),
    }
    print_result(result, options.json)


if __name__ == "__main__":
    main()
