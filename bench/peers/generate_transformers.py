#!/usr/bin/env python3
"""Greedy text of a random GPT-2 by Hugging Face's transformers, token by token, for tokens/s.

The time of a token is the time of many less that of one, so that the prompt does not count; the
cache of keys and values is on, as it is by default.
"""

import argparse
import json
import resource
import statistics
import time

import torch
from transformers import GPT2Config, GPT2LMHeadModel

# layers, heads, width, context, vocabulary
PRESETS = {
    "gpt2": (12, 12, 768, 1024, 50257),
    "gpt2-medium": (24, 16, 1024, 1024, 50257),
    "char": (6, 6, 384, 256, 66),
    "char-cpu": (4, 4, 128, 64, 66),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--preset", choices=PRESETS, default="gpt2")
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
    layers, heads, width, context, vocabulary = PRESETS[options.preset]
    config = GPT2Config(
        n_layer=layers, n_head=heads, n_embd=width, n_positions=context, vocab_size=vocabulary
    )
    config.eos_token_id = config.bos_token_id = None  # no text ends early
    model = GPT2LMHeadModel(config).eval().to(options.device)
    prompt = torch.randint(vocabulary, (options.num, options.prompt)).to(options.device)

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
    rates = []
    for _ in range(options.runs):
        first = seconds(1)
        rates.append(options.num * options.tokens / (seconds(options.tokens + 1) - first))
    result = {
        "preset": options.preset,
        "device": options.device,
        "threads": options.threads,
        "texts": options.num,
        "tokens_per_second": statistics.median(rates),
        "peak_rss_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }
    for key, value in result.items():
        print(f"{key:28} {value}")
    if options.json:
        print(json.dumps(result))


if __name__ == "__main__":
    main()
