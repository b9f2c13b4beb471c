#!/usr/bin/env python3
"""Which of Kette's planted gradients does torch.autograd.gradcheck find?

The wrong gradients of tests/autograd/planted_gradients.cpp, written for PyTorch: same labels, shapes, ranges and
faults, in f64. Each is an autograd.Function whose forward is right, and whose backward hands back the gradient of
another function, or the right gradient spoiled. gradcheck sees it with its defaults, with fast_mode=True, and
each of these at its strictest: with the smallest tolerances, in powers of ten, at which all these functions still pass
while nothing is planted. An exception counts as found.

A fault counts as found if it is with the inputs of every seed ("varied": with some; "both": the right function is
rejected, too, so that nothing is told). A few of
tests/autograd/test_gradient_check.cpp come after them and are counted apart; they set no tolerance.

  bench/gradcheck_torch.py [--seeds 5] [--seed 1] [--more 4] [--json]
"""

import argparse
import dataclasses
import json
import math
import time
from typing import Callable

import torch
import torch.nn.functional as F

STEPS = [1e-6, 1e-5, 1e-4]  # the first is gradcheck's own
STATES = ("found", "varied", "passed", "both")
TOLERANCES = [float(f"1e-{n}") for n in range(14, 2, -1)]


class Planted(torch.autograd.Function):
    """A function whose gradient is that of `backward_of`, spoiled."""

    @staticmethod
    def forward(ctx, function, backward_of, spoil, *inputs):
        ctx.backward_of, ctx.spoil = backward_of, spoil
        ctx.save_for_backward(*inputs)
        return function(*inputs)

    @staticmethod
    def backward(ctx, dy):
        inputs = ctx.saved_tensors
        with torch.enable_grad():
            watched = [x.detach().clone().requires_grad_() for x in inputs]
            y = ctx.backward_of(*watched)
        gradients = torch.autograd.grad(y, watched, dy.clone(), allow_unused=True)
        gradients = [torch.zeros_like(x) if g is None else g.clone().contiguous()
                     for g, x in zip(gradients, watched)]
        if ctx.spoil:
            ctx.spoil([g.view(-1) for g in gradients], [x.detach().reshape(-1) for x in inputs])
        return None, None, None, *gradients


# Ways to spoil the gradient of an input: g and x are flat, one for each input.


def times(factor, i=0):
    def spoil(g, _):
        g[i].mul_(factor)
    return spoil


def one_element(factor, i=0):
    def spoil(g, _):
        g[i][g[i].numel() // 2] *= factor
    return spoil


def smallest_element(factor, i=0):
    def spoil(g, _):
        if g[i].any():
            g[i][torch.where(g[i] != 0, g[i].abs(), math.inf).argmin()] *= factor
    return spoil


def where_negative(factor, i=0):
    def spoil(g, x):
        g[i][x[i] < 0] *= factor
    return spoil


def last_rows(factor, width, i=0):
    def spoil(g, _):
        g[i][g[i].numel() // width * 2 // 3 * width:] *= factor
    return spoil


def shifted(elements, i=0):
    def spoil(g, _):
        g[i].copy_(g[i].roll(elements))
    return spoil


def transposed(width, i=0):
    def spoil(g, _):
        g[i].copy_(g[i].view(-1, width).t().reshape(-1).clone())
    return spoil


def over(count, i):
    return times(1 / count, i)


@dataclasses.dataclass
class Input:
    shape: tuple
    low: float = -1
    high: float = 1


@dataclasses.dataclass
class Fault:
    what: str
    inputs: list
    function: Callable | None = None
    backward_of: Callable | None = None
    spoil: Callable | None = None

    right_of: Callable | None = None  # of those that are no `Planted`: the same without the fault
    wrong_of: Callable | None = None

    def draw(self, seed):
        generator = torch.Generator().manual_seed(seed)
        return [(torch.rand(i.shape, generator=generator, dtype=torch.float64) * (i.high - i.low)
                 + i.low).requires_grad_() for i in self.inputs]

    def wrong(self, *inputs):
        if self.wrong_of:
            return self.wrong_of(*inputs)
        return Planted.apply(self.function, self.backward_of or self.function, self.spoil, *inputs)

    def right(self, *inputs):
        if self.right_of:
            return self.right_of(*inputs)
        return Planted.apply(self.function, self.function, None, *inputs)


# Kette's ops as its headers define them (autograd/ops/*.h).


def gelu(x):
    return F.gelu(x, approximate="tanh")


def constant(x):
    return x.detach()


def dropout_mask(rate, shape, stream):
    dropped = round(rate * 65536)
    kept = torch.rand(shape, generator=torch.Generator().manual_seed(stream), dtype=torch.float64) >= rate
    return kept * (65536 / (65536 - dropped))


def sees(lengths, key_lengths, is_causal=False, window=0):
    """Which keys a query sees: packed sequences, one after the other."""
    blocks = []
    for queries, keys in zip(lengths, key_lengths):
        own = torch.arange(queries)[:, None] + keys - queries
        key = torch.arange(keys)[None]
        seen = torch.ones(queries, keys, dtype=torch.bool)
        if is_causal:
            seen &= key <= own
        if window:
            seen &= key > own - window
        blocks.append(seen)
    return torch.block_diag(*blocks).bool()


def in_heads(x, heads):
    return x.view(x.shape[0], heads, -1).transpose(0, 1)


def attention(q, k, v, seen, heads, mask=None):
    q, k, v = in_heads(q, heads), in_heads(k, heads), in_heads(v, heads)
    scores = q @ k.transpose(1, 2) / math.sqrt(q.shape[2])
    weights = scores.masked_fill(~seen, -math.inf).softmax(2)
    if mask is not None:
        weights = weights * mask
    return (weights @ v).transpose(0, 1).flatten(1)


def self_attention(seen, mask=None, heads=2):
    return lambda x: attention(*x.chunk(3, 1), seen, heads, mask)


def linear_attention(seen, heads=2):
    def function(x):
        q, k, v = (in_heads(part, heads) for part in x.chunk(3, 1))
        weights = (F.elu(q) + 1) @ (F.elu(k) + 1).transpose(1, 2) * seen
        return (weights @ v / (weights.sum(2, keepdim=True) + 1e-6)).transpose(0, 1).flatten(1)
    return function


def rotary(positions, turned=8, width=4, base=10000):
    angles = positions[:, None] / base ** (2 * torch.arange(width // 2, dtype=torch.float64) / width)
    cos, sin = angles.cos()[:, None], angles.sin()[:, None]

    def function(x):
        heads = x[:, :turned].reshape(len(x), -1, width)
        a, b = heads.chunk(2, 2)
        rotated = torch.cat([a * cos - b * sin, a * sin + b * cos], 2)
        return torch.cat([rotated.flatten(1), x[:, turned:]], 1)
    return function


def smear(positions):
    before = torch.arange(len(positions)) - (positions > 0).long()

    def function(x, gates):
        q, k, v = x.chunk(3, 1)
        gate = gates.repeat_interleave(k.shape[1] // len(gates))
        return torch.cat([q, torch.where((positions > 0)[:, None], gate * k + (1 - gate) * k[before], k), v], 1)
    return function


def feed_forward(activation):
    return lambda x, w1, b1, w2, b2: F.linear(activation(F.linear(x, w1, b1)), w2, b2)


def lora_linear(scale):
    return lambda x, w, bias, a, b: F.linear(x, w, bias) + scale * (x @ a.t() @ b.t())


def linear_cross_entropy(smoothing, scale):
    targets = torch.tensor([1, 0, 5, 2, 3])
    return lambda x, w, b: scale * F.cross_entropy(F.linear(x, w, b), targets, reduction="sum",
                                                   label_smoothing=smoothing)


def layer_norm(x, gain, bias):
    return F.layer_norm(x, x.shape[-1:], gain, bias, 1e-5)


def norm_with(hold_mean, hold_deviation):
    def function(x, gain, bias):
        centered = x - hold_mean(x.mean(1, keepdim=True))
        return centered / hold_deviation((centered.square().mean(1, keepdim=True) + 1e-5).sqrt()) * gain + bias
    return function


def rms_norm_with(hold):
    return lambda x, gain: x / hold((x.square().mean(1, keepdim=True) + 1e-5).sqrt()) * gain


def same(x):
    return x


def planted_gradients():
    """As in tests/autograd/planted_gradients.cpp, in its order."""
    faults = []

    def spoiled(what, inputs, function, spoil):
        faults.append(Fault(what, inputs, function, spoil=spoil))

    def mistaken(what, inputs, function, backward_of):
        faults.append(Fault(what, inputs, function, backward_of=backward_of))

    # Elementwise.
    rows = [Input((4, 6), -2, 2)]
    spoiled("exp: sign", rows, torch.exp, times(-1))
    spoiled("exp: zero where x < 0, in +-16", [Input((3, 20), -16, 16)], torch.exp, where_negative(0))
    spoiled("exp: smallest element by 0.1 %, in +-8", [Input((3, 20), -8, 8)], torch.exp,
            smallest_element(1.001))
    spoiled("log: factor 1.01", [Input((4, 6), 0.1, 3)], torch.log, times(1.01))
    spoiled("log: one element by 0.1 %", [Input((4, 6), 0.1, 3)], torch.log, one_element(1.001))
    mistaken("sqrt: 1 / sqrt(x) for 1 / (2 sqrt(x))", [Input((4, 6), 0.5, 2)], torch.sqrt,
             lambda x: 2 * x.sqrt())
    mistaken("tanh: 1 - y for 1 - y^2", rows, torch.tanh, lambda x: (1 - constant(x.tanh())) * x)
    mistaken("sigmoid: y for y (1 - y)", rows, torch.sigmoid, lambda x: constant(x.sigmoid()) * x)
    spoiled("square: half of the rows", rows, torch.square, last_rows(0.5, 6))
    mistaken("relu: slope 1 everywhere", rows, torch.relu, lambda x: x * 1)
    mistaken("gelu: of the exact one", rows, gelu, F.gelu)
    spoiled("gelu_erf: smallest element by 0.1 %", rows, F.gelu, smallest_element(0.999))
    mistaken("silu: the gate taken for a constant", rows, F.silu, lambda x: x * constant(x.sigmoid()))
    spoiled("affine: shifted by one", rows, lambda x: (0.5 * x + 2) * x, shifted(1))

    # Two operands, broadcasting, reductions.
    two = [Input((4, 6), 0.5, 2), Input((4, 6), 0.5, 2)]
    broadcast = [Input((4, 6), 0.5, 2), Input((6,), 0.5, 2)]
    spoiled("subtract: sign of the second", two, torch.sub, times(-1, 1))
    mistaken("multiply: the second taken for a constant", two, torch.mul, lambda a, b: a * constant(b))
    spoiled("multiply: mean for sum over a broadcast", broadcast, torch.mul, over(4, 1))
    mistaken("multiply: first row alone of a broadcast", broadcast, torch.mul,
             lambda a, b: torch.cat([a[:1] * b, a[1:] * constant(b)]))
    mistaken("divide: 1 / b for -a / b^2", two, torch.div, lambda a, b: a / constant(b) + b / constant(b))
    spoiled("divide: one element of the divisor by 0.1 %", two, torch.div, one_element(1.001, 1))
    mistaken("maximum: to both", two, torch.maximum, torch.add)
    mistaken("lerp: weights exchanged", two, lambda a, b: torch.lerp(a, b, 0.3),
             lambda a, b: torch.lerp(a, b, 0.7))
    spoiled("sum: mean", rows, torch.sum, over(24, 0))
    mistaken("sum over rows: over columns", [Input((6, 6))], lambda x: x.sum(0), lambda x: x.sum(1))
    mistaken("max: to all", rows, lambda x: x.max(1, keepdim=True).values, lambda x: x.sum(1, keepdim=True))
    spoiled("concatenate: second forgotten", [Input((2, 3)), Input((4, 3))], lambda a, b: torch.cat([a, b]),
            times(0, 1))
    spoiled("slice: off by one row", [Input((5, 3))], lambda x: x[1:4].clone(), shifted(3))
    spoiled("transpose: not transposed back", [Input((4, 6))], lambda x: x.t().contiguous(), transposed(6))
    spoiled("reshape: element order", [Input((4, 6))], lambda x: x.reshape(6, 4).clone(), shifted(2))

    # Products.
    spoiled("matmul: transposed", [Input((4, 4)), Input((4, 4))], torch.matmul, transposed(4, 1))
    spoiled("matmul: last rows forgotten", [Input((9, 5)), Input((5, 7))], torch.matmul, last_rows(0, 5))
    layer = [Input((5, 8)), Input((6, 8)), Input((6,))]
    spoiled("linear: bias forgotten", layer, F.linear, times(0, 2))
    spoiled("linear: mean for sum in the bias", layer, F.linear, over(5, 2))
    mistaken("linear with gelu: its derivative left out", layer, lambda x, w, b: gelu(F.linear(x, w, b)),
             F.linear)
    block = [Input((5, 4)), Input((8, 4)), Input((8,)), Input((4, 8)), Input((4,))]
    mistaken("feed_forward: of another activation", block, feed_forward(gelu), feed_forward(F.silu))
    spoiled("feed_forward: one weight by 0.1 %", block, feed_forward(gelu), one_element(1.001, 3))
    adapted = [Input((5, 8)), Input((6, 8)), Input((6,)), Input((2, 8)), Input((6, 2))]
    mistaken("lora_linear: scale forgotten", adapted, lora_linear(0.5), lora_linear(1))
    spoiled("lora_linear: sign of the down map", adapted, lora_linear(0.5), times(-1, 3))

    # Rows.
    normed = [Input((5, 8)), Input((8,), 0.5, 1.5), Input((8,))]
    mistaken("softmax: the sum left out", rows, lambda x: x.softmax(1),
             lambda x: x.exp() / constant(x.exp().sum(1, keepdim=True)))
    spoiled("softmax: smallest element by 0.1 %, in +-6", [Input((3, 12), -6, 6)], lambda x: x.softmax(1),
            smallest_element(1.001))
    mistaken("log_softmax: the sum left out", rows, lambda x: x.log_softmax(1), lambda x: x * 1)
    mistaken("layer_norm: the mean taken for a constant", normed, layer_norm, norm_with(constant, same))
    mistaken("layer_norm: the variance taken for a constant", normed, layer_norm, norm_with(same, constant))
    spoiled("layer_norm: gain of the last row alone", normed, layer_norm, times(0.2, 1))
    mistaken("rms_norm: the scale taken for a constant", normed[:2], rms_norm_with(same),
             rms_norm_with(constant))
    mistaken("swiglu: halves exchanged", [Input((4, 12))], lambda x: F.silu(x[:, :6]) * x[:, 6:],
             lambda x: F.silu(x[:, 6:]) * x[:, :6])

    # Tables and positions.
    ids, others = torch.tensor([3, 0, 3, 1, 5]), torch.tensor([3, 0, 4, 1, 5])
    places, later = torch.tensor([0, 1, 2, 0, 1]), torch.tensor([1, 2, 3, 1, 2])
    table = [Input((6, 4))]
    mistaken("embedding: a row that occurs twice counted once", table, lambda t: t[ids],
             lambda t: torch.cat([t[ids[:2]], constant(t[ids[2:3]]), t[ids[3:]]]))
    mistaken("embedding: another row", table, lambda t: t[ids], lambda t: t[others])
    mistaken("embedding: scale forgotten", table, lambda t: 2 * t[ids], lambda t: t[ids])
    mistaken("add_positions: off by one", [Input((5, 4)), Input((4, 4))], lambda x, t: x + t[places],
             lambda x, t: x + t[later])
    mistaken("rotary: positions off by one", [Input((5, 12))], rotary(places), rotary(later))
    mistaken("smear: a text's first row has one before it", [Input((5, 12)), Input((2,), 0.1, 0.9)],
             smear(places), smear(torch.arange(5)))

    # Attention.
    texts, keys = [5, 3], [4, 6]
    seen, causal = sees(texts, texts), sees(texts, texts, is_causal=True)
    narrow, across = sees(texts, texts, is_causal=True, window=2), sees(texts, keys)
    heads, memory = [Input((8, 24))], [Input((8, 8)), Input((10, 16))]
    dropped, redrawn = (dropout_mask(0.3, (2, 8, 8), stream) for stream in (2, 3))

    def cross(q, kv):
        return attention(q, *kv.chunk(2, 1), across, 2)

    mistaken("self_attention: no causal mask", heads, self_attention(causal), self_attention(seen))
    mistaken("self_attention: a window too wide", heads, self_attention(narrow), self_attention(causal))
    mistaken("self_attention: dropout redrawn", heads, self_attention(seen, dropped),
             self_attention(seen, redrawn))
    mistaken("self_attention: texts see each other", heads, self_attention(seen), self_attention(sees([8], [8])))
    spoiled("self_attention: smallest element by 0.1 %", heads, self_attention(causal), smallest_element(1.001))
    spoiled("cross_attention: keys and values forgotten", memory, cross, times(0, 1))
    spoiled("cross_attention: last keys", memory, cross, last_rows(0.99, 16, 1))
    mistaken("linear_attention: not causal", heads, linear_attention(causal), linear_attention(seen))
    drawn, again = (dropout_mask(0.4, (6, 20), stream) for stream in (7, 8))
    mistaken("dropout: redrawn", [Input((6, 20))], lambda x: x * drawn, lambda x: x * again)
    mistaken("dropout: not scaled", [Input((6, 20))], lambda x: x * drawn, lambda x: x * drawn * 0.6)

    # The loss.
    words = [Input((5, 8)), Input((6, 8)), Input((6,))]
    mistaken("linear_cross_entropy: smoothing forgotten", words, linear_cross_entropy(0.1, 0.2),
             linear_cross_entropy(0, 0.2))
    mistaken("linear_cross_entropy: sum for mean", words, linear_cross_entropy(0.1, 0.2),
             linear_cross_entropy(0.1, 1))
    spoiled("linear_cross_entropy: smallest weight by 0.1 %", words, linear_cross_entropy(0.1, 0.2),
            smallest_element(1.001, 1))
    return faults


# Of tests/autograd/test_gradient_check.cpp.


def gain_and_bias(sign):
    class GainAndBias(torch.autograd.Function):
        @staticmethod
        def forward(ctx, p):
            gain, bias = p.chunk(2)
            return 3e8 * gain + bias

        @staticmethod
        def backward(ctx, dy):
            return torch.cat([3e8 * dy, sign * dy])

    return GainAndBias.apply


def three_times(writes_over_dy):
    class Scratch(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return 3 * x

        @staticmethod
        def backward(ctx, dy):
            dx = 3 * dy
            if writes_over_dy:
                dy.zero_()
            return dx

    return Scratch.apply


def twice(in_place):
    class InPlace(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.mul_(2).clone() if in_place else 2 * x

        @staticmethod
        def backward(ctx, dy):
            return 2 * dy

    return InPlace.apply


def sum_and_difference(forgets):
    class SumAndDifference(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a, b):
            return a + b, a - b

        @staticmethod
        def backward(ctx, dsum, ddifference):
            if forgets:
                return dsum.clone(), dsum.clone()
            return dsum + ddifference, dsum - ddifference

    return SumAndDifference.apply


def other_faults():
    faults = []

    def fault(what, inputs, make, use=lambda f: f):
        faults.append(Fault(what, inputs, right_of=use(make(False)), wrong_of=use(make(True))))

    four = [Input((4,))]
    fault("3e8 gain + bias: sign of the bias", [Input((6,))], lambda wrong: gain_and_bias(-1 if wrong else 1))
    fault("3 x: writes over its incoming gradient", four, three_times)
    fault("the same, in 3 x + x^2", four, three_times, lambda f: lambda x: f(x) + x.square())
    fault("the same, in x^2 + 3 x", four, three_times, lambda f: lambda x: x.square() + f(x))
    fault("2 x: doubles its input", four, twice)
    fault("the same, in exp(2 (1 x))", four, twice, lambda f: lambda x: f(x * 1).exp())
    kept = dropout_mask(0.5, (50,), 1)
    fault("dropout: drawn anew at each call", [Input((50,))],
          lambda wrong: (lambda x: F.dropout(x, 0.5)) if wrong else (lambda x: x * kept))
    fault("sum and difference: second output's gradient ignored", [Input((2, 3)), Input((2, 3))],
          sum_and_difference)
    return faults


# The check, and how much is asked of it.


def passes(function, inputs, unexpected=None, **setting):
    try:
        return torch.autograd.gradcheck(function, inputs, raise_exception=False, **setting)
    except Exception as error:  # what gradcheck itself does not take for a finding
        if unexpected is not None:
            unexpected.append(f"{type(error).__name__}: {str(error).splitlines()[0]}")
        return False


def strictest(faults, seeds, fast_mode):
    """The smallest rtol with atol = rtol at any of the steps; then atol and rtol each alone, where one goes further."""
    cases = [(fault, seed) for fault in faults for seed in seeds]

    def all_pass(**setting):
        for at, (fault, seed) in enumerate(cases):
            if not passes(fault.right, fault.draw(seed), fast_mode=fast_mode, **setting):
                cases.insert(0, cases.pop(at))  # the next setting will fail there, too
                return False
        return True

    best = None
    for step in STEPS:
        for tolerance in TOLERANCES:
            if best and tolerance >= best["rtol"]:
                break
            if all_pass(eps=step, atol=tolerance, rtol=tolerance):
                best = {"eps": step, "atol": tolerance, "rtol": tolerance}
    for which in ("atol", "rtol"):
        for tolerance in TOLERANCES:
            if tolerance >= best[which]:
                break
            if all_pass(**{**best, which: tolerance}):
                best[which] = tolerance
    return best


def verdict(fault, seeds, setting):
    """One of STATES, and what was thrown besides."""
    thrown = []
    found = [not passes(fault.wrong, fault.draw(seed), thrown, **setting) for seed in seeds]
    if not all(passes(fault.right, fault.draw(seed), **setting) for seed in seeds):
        return "both", thrown
    return "found" if all(found) else "varied" if any(found) else "passed", thrown


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=5, help="so many draws of the inputs")
    parser.add_argument("--seed", type=int, default=1, help="the first of them")
    parser.add_argument("--more", type=int, default=4,
                        help="so many further draws, for a look whether right functions still pass there")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--json", action="store_true", help="one JSON object on the last line")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(options.seed)
    begin = time.perf_counter()
    seeds = range(options.seed, options.seed + options.seeds)
    more = range(seeds.stop, seeds.stop + options.more)
    faults, others = planted_gradients(), other_faults()

    settings = {
        "default": {},
        "fast": {"fast_mode": True},
        "strict": strictest(faults, seeds, False),
        "fast strict": {**strictest(faults, seeds, True), "fast_mode": True},
    }
    result = {"torch": torch.__version__, "seeds": list(seeds), "settings": settings, "planted": len(faults)}
    width = max(len(fault.what) for fault in faults + others)
    for group, name in ((faults, "found"), (others, "others")):
        print(f"{name:{width}} " + " ".join(f"{mode:11}" for mode in settings))
        table, thrown = {}, {}
        for fault in group:
            for mode, setting in settings.items():
                table.setdefault(fault.what, {})[mode], errors = verdict(fault, seeds, setting)
                if errors:
                    thrown.setdefault(fault.what, sorted(set(errors)))
            print(f"{fault.what:{width}} " + " ".join(f"{table[fault.what][m]:11}" for m in settings))
        totals = {mode: {state: sum(row[mode] == state for row in table.values())
                         for state in STATES} for mode in settings}
        print(f"{'of ' + str(len(group)):{width}} "
              + " ".join(f"{totals[mode]['found']:<11}" for mode in settings) + "\n")
        for what, errors in thrown.items():
            print(f"{what}: {'; '.join(errors)}")
        result[name] = {"totals": totals, "thrown": thrown,
                        "not_found": {mode: {what: row[mode] for what, row in table.items()
                                             if row[mode] != "found"} for mode in settings}}

    result["right_rejected_with_further_seeds"] = {}
    for mode, setting in settings.items():
        failed = [fault.what for fault in faults for seed in more
                  if not passes(fault.right, fault.draw(seed), **setting)]
        result["right_rejected_with_further_seeds"][mode] = len(failed)
        asked = ", ".join(f"{key} {value:g}" for key, value in setting.items() if key != "fast_mode")
        print(f"{mode} ({asked or 'as it comes'}): {len(failed)} of {len(faults) * len(more)} right functions rejected "
              "with further seeds" + "".join(f"; {name}" for name in sorted(set(failed))))
    result["seconds"] = round(time.perf_counter() - begin, 1)
    print(f"{result['seconds']} s")
    if options.json:
        print(json.dumps(result))


if __name__ == "__main__":
    main()
