#!/usr/bin/env python3
"""Training speed of the Vaswani encoder-decoder in PyTorch on the CPU: the baseline to beat.

Reads batches made by make_batches.py (or by `kette bench train --write-batches`), takes --warmup
untimed and --steps timed steps, and counts real target tokens only (a sentence and its end mark).
What makes it quick, and which switches it has, is told in README.md.
"""

import argparse
import dataclasses
import json
import math
import os
import statistics
import sys
import time

import torch
import torch.nn.functional as F
from torch import nn

from presets import TRANSFORMERS
from report import peak_rss_mib, print_result

BEGIN, END, PAD = 1, 2, 0
LABEL_SMOOTHING = 0.1


class Dropout:
    """The dropout of one step: dropout(x) + residual.

    F.dropout draws one Bernoulli number per element from a serial generator. Given `words`, 16
    random bits per element drawn for the whole step at once, all of it is one pass instead.
    """

    def __init__(self, probability, words):
        self.probability, self.words, self.used = probability, words, 0

    def __call__(self, x, residual=None):
        if self.words is None:
            x = F.dropout(x, self.probability)
            return x if residual is None else residual + x
        words = self.words[self.used : self.used + x.numel()].view(x.shape)
        self.used += x.numel()
        mask = words.ge(round(self.probability * 65536) - 32768).to(x.dtype)
        scale = 1 / (1 - self.probability)
        if residual is None:
            return x * (mask * scale)
        return torch.addcmul(residual, x, mask, value=scale)


class Attention(nn.Module):
    """Multi-head attention with one product for query, key and value (self) or key and value."""

    def __init__(self, preset, cross):
        super().__init__()
        self.heads, self.cross = preset.heads, cross
        if cross:
            self.query = nn.Linear(preset.width, preset.width)
            self.key_value = nn.Linear(preset.width, 2 * preset.width)
        else:
            self.query_key_value = nn.Linear(preset.width, 3 * preset.width)
        self.output = nn.Linear(preset.width, preset.width)

    def split(self, x, parts):
        sentences, length, width = x.shape
        x = x.view(sentences, length, parts, self.heads, width // (parts * self.heads))
        return x.permute(2, 0, 3, 1, 4).unbind(0)

    def forward(self, x, memory=None, mask=None, causal=False):
        if self.cross:
            (query,) = self.split(self.query(x), 1)
            key, value = self.split(self.key_value(memory), 2)
        else:
            query, key, value = self.split(self.query_key_value(x), 3)
        if mask is not None:
            mask = mask.expand(-1, 1, query.shape[2], -1)
        context = F.scaled_dot_product_attention(query, key, value, mask, is_causal=causal)
        return self.output(context.transpose(1, 2).reshape(x.shape))


class FeedForward(nn.Module):
    def __init__(self, preset):
        super().__init__()
        self.inner = nn.Linear(preset.width, preset.hidden)
        self.outer = nn.Linear(preset.hidden, preset.width)

    def forward(self, x):
        return self.outer(F.relu(self.inner(x), inplace=True))


class Layer(nn.Module):
    """Post-norm: every sublayer is norm(x + dropout(sublayer(x)))."""

    def __init__(self, preset, decoder):
        super().__init__()
        self.self_attention = Attention(preset, cross=False)
        self.cross_attention = Attention(preset, cross=True) if decoder else None
        self.feed_forward = FeedForward(preset)
        self.norms = nn.ModuleList(nn.LayerNorm(preset.width) for _ in range(3 if decoder else 2))

    def forward(self, x, dropout, memory=None, mask=None):
        decoder = self.cross_attention is not None
        attended = self.self_attention(x, mask=None if decoder else mask, causal=decoder)
        x = self.norms[0](dropout(attended, x))
        if decoder:
            x = self.norms[1](dropout(self.cross_attention(x, memory, mask), x))
        return self.norms[-1](dropout(self.feed_forward(x), x))


def sinusoids(length, width):
    position = torch.arange(length, dtype=torch.float32)[:, None]
    frequency = torch.exp(torch.arange(0, width, 2) * (-math.log(10000.0) / width))
    table = torch.empty(length, width)
    table[:, 0::2] = torch.sin(position * frequency)
    table[:, 1::2] = torch.cos(position * frequency)
    return table


class Transformer(nn.Module):
    def __init__(self, preset, longest):
        super().__init__()
        self.preset, self.width = preset, preset.width
        self.embedding = nn.Parameter(torch.randn(preset.rows, preset.width) * preset.width**-0.5)
        self.encoder = nn.ModuleList(Layer(preset, decoder=False) for _ in range(preset.layers))
        self.decoder = nn.ModuleList(Layer(preset, decoder=True) for _ in range(preset.layers))
        self.register_buffer("positions", sinusoids(longest, preset.width))
        for name, parameter in self.named_parameters():
            if parameter.dim() == 2 and name != "embedding":
                nn.init.xavier_uniform_(parameter)
            elif name.endswith("bias"):
                nn.init.zeros_(parameter)

    def random_words(self, source, target):
        """16 random bits for each element that one forward pass drops out."""
        count = source.numel() * (1 + 2 * self.preset.layers)
        count += target.numel() * (1 + 3 * self.preset.layers)
        words = torch.empty((count * self.width + 3) // 4, dtype=torch.int64)
        return words.random_(-(2**63), None).view(torch.int16)

    def forward(self, source, target, mask, rows, labels, words):
        """Mean label-smoothed loss over the real target positions `rows` of the flat batch."""
        # One lookup for both sides: each lookup costs a dense [rows, width] gradient.
        ids = torch.cat([source.flatten(), target.flatten()])
        embedded = F.embedding(ids, self.embedding) * math.sqrt(self.width)
        memory, x = embedded.split([source.numel(), target.numel()])
        memory = memory.view(*source.shape, self.width) + self.positions[: source.shape[1]]
        x = x.view(*target.shape, self.width) + self.positions[: target.shape[1]]
        dropout = Dropout(self.preset.dropout, words)
        memory, x = dropout(memory), dropout(x)
        for layer in self.encoder:
            memory = layer(memory, dropout, mask=mask)
        for layer in self.decoder:
            x = layer(x, dropout, memory, mask)
        x = x.flatten(0, 1).index_select(0, rows)
        logits = F.linear(x, self.embedding)
        return F.cross_entropy(logits, labels, label_smoothing=LABEL_SMOOTHING)


def padded(sentences):
    longest = max(len(ids) for ids in sentences)
    return torch.tensor([ids + [PAD] * (longest - len(ids)) for ids in sentences])


@dataclasses.dataclass
class Batch:
    inputs: tuple
    source_tokens: int
    target_tokens: int
    positions: int


def make_batch(record, always_mask, device):
    source = padded([ids + [END] for ids in record["source"]])
    target = padded([[BEGIN] + ids for ids in record["target"]])
    labels = padded([ids + [END] for ids in record["target"]])
    source_lengths = torch.tensor([len(ids) + 1 for ids in record["source"]])
    target_lengths = torch.tensor([len(ids) + 1 for ids in record["target"]])
    real = torch.arange(source.shape[1]) < source_lengths[:, None]
    mask = None if real.all() and not always_mask else real[:, None, None, :]
    rows = (torch.arange(target.shape[1]) < target_lengths[:, None]).flatten().nonzero().flatten()
    inputs = (source, target, mask, rows, labels.flatten()[rows])
    return Batch(
        inputs=tuple(None if tensor is None else tensor.to(device) for tensor in inputs),
        source_tokens=int(source_lengths.sum()),
        target_tokens=int(target_lengths.sum()),
        positions=source.numel() + target.numel(),
    )


def read_batches(path, count, always_mask, device):
    batches = []
    with open(path, encoding="utf-8") as file:
        for line in file:
            batches.append(make_batch(json.loads(line), always_mask, device))
            if len(batches) == count:
                break
    return batches


PROFILE_GROUPS = {
    "matrix products": ("addmm", "aten::mm", "bmm", "mkldnn_linear"),
    "attention": ("scaled_dot_product", "flash_attention"),
    "softmax and cross-entropy": ("softmax", "nll_loss", "cross_entropy"),
    "adam": ("adam",),
    "layer norm": ("layer_norm",),
    "dropout": ("dropout", "bernoulli", "random_", "addcmul", "aten::ge"),
    "embedding": ("embedding", "index_select", "index_add"),
    "copies and fills": ("copy_", "cat", "zero_", "fill_", "clone", "_to_copy"),
    "elementwise and sums": ("add", "mul", "sum", "div", "threshold", "relu", "neg"),
}


def print_profile(profiler):
    """Shares of self CPU time, by kind of operation."""
    shares = dict.fromkeys([*PROFILE_GROUPS, "other"], 0)
    for event in profiler.key_averages():
        if event.key.startswith("ProfilerStep"):
            continue
        group = next(
            (g for g, keys in PROFILE_GROUPS.items() if any(key in event.key for key in keys)),
            "other",
        )
        shares[group] += event.self_cpu_time_total
    total = sum(shares.values())
    for group, value in sorted(shares.items(), key=lambda item: -item[1]):
        print(f"{100 * value / total:5.1f} %  {group}")
    print(profiler.key_averages().table(sort_by="self_cpu_time_total", row_limit=25))


def restart_with_kept_memory():
    """glibc returns blocks above 32 MiB to the kernel at once, so that each step faults them in
    again; with these tunables freed blocks stay in the process. They are read at start only."""
    tunables = "glibc.malloc.mmap_threshold=4294967296:glibc.malloc.trim_threshold=68719476736"
    if os.environ.get("GLIBC_TUNABLES") != tunables:
        os.execve(sys.executable, [sys.executable, *sys.argv],
                  {**os.environ, "GLIBC_TUNABLES": tunables})


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--batches", required=True, help="JSON lines from make_batches.py")
    parser.add_argument("--preset", choices=TRANSFORMERS, default="tiny")
    parser.add_argument("--rows", type=int, help="vocabulary rows, instead of the preset's")
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--dtype", choices=["f32", "tf32", "bf16"], default="f32")
    parser.add_argument("--compile", action=argparse.BooleanOptionalAction, default=False)
    parser.add_argument("--dropout", choices=["native", "words"], default="native")
    parser.add_argument("--allocator", choices=["default", "keep"], default="default")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--warmup", type=int, default=5)
    parser.add_argument("--lr", type=float, default=3e-4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--profile", action="store_true", help="profile 3 steps more")
    parser.add_argument("--json", action="store_true", help="one JSON object on the last line")
    options = parser.parse_args()
    if options.allocator == "keep":
        restart_with_kept_memory()

    torch.set_num_threads(options.threads)
    torch.manual_seed(options.seed)
    if options.dtype == "tf32":
        torch.set_float32_matmul_precision("high")
    preset = TRANSFORMERS[options.preset]
    if options.rows:
        preset = dataclasses.replace(preset, rows=options.rows)
    # A mask that is there in some batches only would make torch.compile build two graphs.
    batches = read_batches(
        options.batches, options.warmup + options.steps, options.compile, options.device
    )
    longest = max(max(batch.inputs[0].shape[1], batch.inputs[1].shape[1]) for batch in batches)
    model = Transformer(preset, longest).to(options.device)
    optimizer = torch.optim.Adam(
        model.parameters(), lr=options.lr, betas=(0.9, 0.98), eps=1e-9, fused=True
    )
    loss_of = torch.compile(model, dynamic=True) if options.compile else model

    def step(batch):
        words = model.random_words(*batch.inputs[:2]) if options.dropout == "words" else None
        with torch.autocast(options.device, torch.bfloat16, enabled=options.dtype == "bf16"):
            loss = loss_of(*batch.inputs, words)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        return loss.detach()

    def graphs():
        return torch._dynamo.utils.counters["stats"]["unique_graphs"]

    losses, seconds, timed = [], [], []
    for index in range(options.warmup + options.steps):
        if index == options.warmup:
            graphs_after_warmup = graphs()
            processor_seconds = -time.process_time()
        batch = batches[index % len(batches)]
        start = time.perf_counter()
        losses.append(step(batch))
        if options.device == "cuda":
            torch.cuda.synchronize()
        if index >= options.warmup:
            seconds.append(time.perf_counter() - start)
            timed.append(batch)

    processor_seconds += time.process_time()

    if options.profile:
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profiler:
            for batch in batches[:3]:
                step(batch)
        print_profile(profiler)

    target_tokens = sum(batch.target_tokens for batch in timed)
    source_tokens = sum(batch.source_tokens for batch in timed)
    result = {
        "preset": options.preset,
        "device": options.device,
        "dtype": options.dtype,
        "compile": options.compile,
        "dropout": options.dropout,
        "allocator": options.allocator,
        "threads": options.threads,
        "steps": options.steps,
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
        "target_tokens_per_second": statistics.median(
            batch.target_tokens / time_taken for batch, time_taken in zip(timed, seconds)
        ),
        "target_tokens_per_second_overall": target_tokens / sum(seconds),
        "target_tokens_per_second_best": max(
            batch.target_tokens / time_taken for batch, time_taken in zip(timed, seconds)
        ),
        "source_tokens_per_second": source_tokens / sum(seconds),
        "padding_share": 1
        - (target_tokens + source_tokens) / sum(batch.positions for batch in timed),
        "peak_tensor_mib": torch.cuda.max_memory_allocated() / 2**20
        if options.device == "cuda"
        else None,
        "peak_rss_mib": peak_rss_mib(),
        "loss_first": losses[0].item(),
        "loss_last": losses[-1].item(),
        "graphs_compiled": graphs(),
        "graphs_compiled_while_timed": graphs() - graphs_after_warmup,
        "torch": torch.__version__,
        "processor_share": processor_seconds / sum(seconds) / options.threads,
        "load_average": os.getloadavg()[0],
    }
    print_result(result, options.json)


if __name__ == "__main__":
    main()
