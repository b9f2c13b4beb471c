#!/usr/bin/env python3
"""Training steps of a language model with nanoGPT's own model code, for tokens/s.

`--nanogpt` names a checkout of karpathy/nanoGPT, whose model.py is imported as it is: attention by
scaled_dot_product_attention, fused AdamW where there is a GPU. The step is that of its train.py:
forward, backward, clipping by norm, AdamW with decay of matrices alone. Random tokens,
by Zipf's law as Kette draws them.
"""

import argparse
import contextlib
import json
import math
import resource
import statistics
import sys
import time

import torch

# layers, heads, width, context, vocabulary, windows a step, dropout
PRESETS = {
    "char-cpu": (4, 4, 128, 64, 66, 12, 0.0),
    "char": (6, 6, 384, 256, 66, 64, 0.2),
    "gpt2": (12, 12, 768, 1024, 50257, 12, 0.1),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nanogpt", required=True, help="a checkout of karpathy/nanoGPT")
    parser.add_argument("--preset", choices=PRESETS, default="char-cpu")
    parser.add_argument("--windows", type=int, help="windows a step, instead of the preset's")
    parser.add_argument("--dropout", type=float, help="instead of the preset's")
    parser.add_argument("--bias", action=argparse.BooleanOptionalAction, default=False)
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--dtype", choices=["f32", "tf32", "bf16"], default="f32")
    parser.add_argument("--ids", choices=["zipf", "uniform"], default="zipf")
    parser.add_argument("--compile", action=argparse.BooleanOptionalAction, default=False)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--warmup", type=int, default=10)
    parser.add_argument("--json", action="store_true", help="one JSON object on the last line")
    options = parser.parse_args()

    sys.path.insert(0, options.nanogpt)
    from model import GPT, GPTConfig

    torch.set_num_threads(options.threads)
    torch.manual_seed(1)
    if options.dtype == "tf32":
        torch.set_float32_matmul_precision("high")
    layers, heads, width, context, vocabulary, windows, dropout = PRESETS[options.preset]
    windows = options.windows or windows
    dropout = dropout if options.dropout is None else options.dropout
    with contextlib.redirect_stdout(sys.stderr):
        model = GPT(
            GPTConfig(
                block_size=context,
                vocab_size=vocabulary,
                n_layer=layers,
                n_head=heads,
                n_embd=width,
                dropout=dropout,
                bias=options.bias,
            )
        ).to(options.device)
        optimizer = model.configure_optimizers(0.1, 1e-3, (0.9, 0.99), options.device)
    parameters = sum(p.numel() for p in model.parameters())
    run = torch.compile(model) if options.compile else model
    shape = (options.warmup + options.steps, 2, windows, context)
    ranks = torch.arange(1.0, vocabulary + 1)
    weights = 1 / ranks if options.ids == "zipf" else torch.ones_like(ranks)
    drawn = torch.multinomial(weights, math.prod(shape), replacement=True)
    batches = drawn.view(shape).to(options.device)

    def graphs():
        return torch._dynamo.utils.counters["stats"]["unique_graphs"]

    seconds, graphs_after_warmup = [], 0
    for index, batch in enumerate(batches):
        if index == options.warmup:
            graphs_after_warmup = graphs()
        start = time.perf_counter()
        with torch.autocast(options.device, torch.bfloat16, enabled=options.dtype == "bf16"):
            _, loss = run(batch[0], batch[1])
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        loss.item()  # as train.py does when it logs, and Kette at every step
        seconds.append(time.perf_counter() - start)
    a_step = statistics.median(seconds[options.warmup :])
    result = {
        "preset": options.preset,
        "device": options.device,
        "dtype": options.dtype,
        "compile": options.compile,
        "threads": options.threads,
        "parameters": parameters,
        "windows": windows,
        "milliseconds_a_step": 1e3 * a_step,
        "target_tokens_per_second": windows * context / a_step,
        "peak_rss_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "graphs_compiled_while_timed": graphs() - graphs_after_warmup,
    }
    if options.device == "cuda":
        result["peak_tensor_mib"] = torch.cuda.max_memory_allocated() / 2**20
    for key, value in result.items():
        print(f"{key:28} {value}")
    if options.json:
        print(json.dumps(result))


if __name__ == "__main__":
    main()
