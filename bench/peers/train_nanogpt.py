#!/usr/bin/env python3
"""Training steps of a language model with nanoGPT's own model code, for tokens/s.

`--nanogpt` names a checkout of karpathy/nanoGPT, whose model.py is imported as it is: attention by
scaled_dot_product_attention, fused AdamW where there is a GPU. The step is that of its train.py:
forward, backward, clipping by norm, AdamW with decay of matrices alone. Random tokens,
by Zipf's law as Kette draws them.
"""

import argparse
import contextlib
import math
import statistics
import sys
import time

import torch

from presets import GPTS
from report import peak_rss_mib, print_result


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nanogpt", required=True, help="a checkout of karpathy/nanoGPT")
    parser.add_argument("--preset", choices=GPTS, default="char-cpu")
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
    preset = GPTS[options.preset]
    windows = options.windows or preset.windows
    with contextlib.redirect_stdout(sys.stderr):
        model = GPT(
            GPTConfig(
                block_size=preset.context,
                vocab_size=preset.rows,
                n_layer=preset.layers,
                n_head=preset.heads,
                n_embd=preset.width,
                dropout=preset.dropout if options.dropout is None else options.dropout,
                bias=options.bias,
            )
        ).to(options.device)
        optimizer = model.configure_optimizers(0.1, 1e-3, (0.9, 0.99), options.device)
    parameters = sum(p.numel() for p in model.parameters())
    run = torch.compile(model) if options.compile else model
    shape = (options.warmup + options.steps, 2, windows, preset.context)
    ranks = torch.arange(1.0, preset.rows + 1)
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
        "target_tokens_per_second": windows * preset.context / a_step,
        "peak_rss_mib": peak_rss_mib(),
        "graphs_compiled_while_timed": graphs() - graphs_after_warmup,
    }
    if options.device == "cuda":
        result["peak_tensor_mib"] = torch.cuda.max_memory_allocated() / 2**20
    print_result(result, options.json)


if __name__ == "__main__":
    main()
