#!/usr/bin/env python3
"""PyTorch's scaled_dot_product_attention at the sizes of `kette bench ops`: causal self-attention
of sentences of one length, forward and backward, medians in milliseconds."""

import argparse
import statistics
import time

import torch
from torch.nn.functional import scaled_dot_product_attention

from report import print_result


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--dtype", choices=["f32", "bf16"], default="f32")
    parser.add_argument("--tokens", type=int, default=4096)
    parser.add_argument("--sentence", type=int, default=16)
    parser.add_argument("--heads", type=int, default=8)
    parser.add_argument("--head-width", type=int, default=64)
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--warmup", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--json", action="store_true", help="one JSON object on the last line")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(1)
    shape = (options.tokens // options.sentence, options.heads, options.sentence, options.head_width)
    dtype = {"f32": torch.float32, "bf16": torch.bfloat16}[options.dtype]
    query, key, value = (
        torch.randn(shape, dtype=dtype, device=options.device, requires_grad=True) for _ in range(3)
    )
    upstream = torch.randn(shape, dtype=dtype, device=options.device)

    def now():
        if options.device == "cuda":
            torch.cuda.synchronize()
        return time.perf_counter()

    forward, backward = [], []
    for step in range(options.warmup + options.steps):
        start = now()
        output = scaled_dot_product_attention(query, key, value, is_causal=True)
        middle = now()
        output.backward(upstream)
        end = now()
        query.grad = key.grad = value.grad = None
        if step >= options.warmup:
            forward.append(1e3 * (middle - start))
            backward.append(1e3 * (end - middle))
    result = {
        **vars(options),
        "forward_ms": statistics.median(forward),
        "backward_ms": statistics.median(backward),
        "torch": torch.__version__,
    }
    print_result(result, options.json)


if __name__ == "__main__":
    main()
