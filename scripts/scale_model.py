#!/usr/bin/env python3
"""How long a step of data-parallel training takes with many processes, and what it waits for.

A step of K leaves (batches) is shared out over n processes on m nodes. Each of P parameters is sent once as a gradient
of 4 bytes, to the process that owns it, and once as a value of g bytes, from there:

  step    = compute + adding + update + exposed
  compute = most leaves of a process * seconds of one
  one level (where hosts differ), T(b) for b bytes a parameter, L = n / m processes a node, c chunks of about 4 MiB:
            T(b) = max((n - 1) a c + (L - 1) / n * P b / B,  (n - L) a' c + L (n - L) / n * P b / B')
  two levels (where all hosts have as many processes): first within a node, then between nodes:
            T(b) = (L - 1) a c + (L - 1) / L * P b / B + (m - 1) a' c + (m - 1) / m * P b / B'
  exposed = max(0, (1 - last) T(4) - hide * backward) + last * T(4) + T(g)

a, B: seconds that a message costs its process while others are on their way, and bytes/s each way of a process, within
a node; a', B': between nodes, B' of a whole node.
hide: share of the last leaf's backward during which gradients move; last: share of them that is final only at its end
(the embedding's, and a chunk's at least, which goes as a whole). A process whose leaves are several nodes of the step tree sends each: T(4) grows by that factor.
adding and update: bytes that sums and Adam read and write, by the memory's rate. Waited: (exposed + compute of the
slowest process - the mean compute) / step. The seconds of a leaf are those of one process with a step of one leaf,
without its update. All that is printed is calculated, not measured, but for what --measured reads.
"""

import argparse
import collections
import json
import math
import pathlib
import sys

CHUNK, BLOCK, WINDOW = 1 << 20, 4096, 8  # elements, elements, chunks: train/trainer.cpp, shards.h, communicator.h
Machine = collections.namedtuple("Machine", "latency bandwidth node_latency node_bandwidth memory hide per_node source")
SHARED = (5e-6, 1.4e9)
MACHINES = {
    "laptop": Machine(*SHARED, 0, math.inf, 10e9, 0.0, 1 << 20, "shared memory: 1.4 GB/s, memory 10 GB/s measured on 2 busy "
                      "cores; 5 us assumed; nothing hidden, for the cores move bytes themselves"),
    "1g": Machine(*SHARED, 20e-6, 0.94 * 125e6, 10e9, 0.9, 1, "1 Gbit/s Ethernet, TCP: 94 % of the line (headers), 20 us assumed"),
    "10g": Machine(*SHARED, 20e-6, 0.94 * 1.25e9, 10e9, 0.9, 1, "10 Gbit/s Ethernet, TCP: 94 % of the line, 20 us assumed"),
    "ib100": Machine(*SHARED, 2e-6, 11e9, 10e9, 0.9, 1, "100 Gbit/s InfiniBand: 11 GB/s and 2 us assumed"),
    "pcie": Machine(3e-6, 15e9, 5e-6, 11e9, 2e12, 0.9, 8, "GPUs over PCIe 4: 15 GB/s, 3 us assumed; 100 Gbit/s a node, 5 us assumed"),
    "nvlink": Machine(2e-6, 300e9, 5e-6, 320e9, 3e12, 0.9, 8,
                      "GPUs over NVLink: 300 GB/s, 2 us assumed; 8 ports of 400 Gbit/s a node at 80 %, 5 us assumed"),
    "nvlink-100g": Machine(2e-6, 300e9, 5e-6, 11e9, 3e12, 0.9, 8, "the same with one port of 100 Gbit/s a node"),
}
PRESETS = {"tiny": (2_605_056, 0.49), "base": (63_082_496, 0.30), "big": (214_245_376, 0.18)}  # P; share of the embedding


def nodes_of(begin, end, leaves):
    """The fewest nodes of the step tree that are leaves [begin, end), and the most sums that were kept on the way."""
    parts, most = [], 0
    for leaf in range(begin, end):
        most = max(most, len(parts))
        right = (leaf, leaf + 1)
        while parts:
            left, whole, size = parts[-1], parts[-1][1] - parts[-1][0], right[1] - right[0]
            if left[0] % (2 * whole) or not (size == whole or (right[1] == leaves and size < whole)):
                break
            right = (parts.pop()[0], right[1])
        parts.append(right)
    return len(parts), most


def chunks_of(parameters, processes):
    piece = -(-max(1, CHUNK // processes) // BLOCK) * BLOCK
    return -(-parameters // (piece * processes))


def transfer(machine, parameters, bytes_each, processes, nodes, levels, factor=1.0):
    """Seconds until each process has sent, and got, bytes_each of every parameter: reduce-scatter or all-gather."""
    n, m, local = processes, nodes, processes / nodes
    c, total = chunks_of(parameters, n), parameters * bytes_each * factor
    if levels == 2:
        return ((local - 1) * machine.latency * c + (local - 1) / local * total / machine.bandwidth
                + (m - 1) * machine.node_latency * c + (m - 1) / m * total / machine.node_bandwidth)
    inner = (local - 1) * machine.latency * c + (local - 1) / n * total / machine.bandwidth
    outer = (n - local) * machine.node_latency * c + local * (n - local) / n * total / machine.node_bandwidth
    return max(inner, outer)


def update_seconds(machine, parameters, processes=1):
    return 28 * parameters / processes / machine.memory  # Adam reads four numbers and writes three


def predict(machine, o, processes, nodes, leaves):
    """All about a step. o: parameters, gathered, tokens, leaf_seconds, hide, last, levels, copy."""
    n, k, p = processes, leaves, o.parameters
    shares = [(k * r // n, k * (r + 1) // n) for r in range(n)]
    trees = [nodes_of(b, e, k) for b, e in shares]
    parts, sizes = [t[0] for t in trees], [e - b for b, e in shares]
    factor = max(max(mine, (sum(parts) - mine) / max(1, n - 1)) for mine in parts)
    compute = max(sizes) * o.leaf_seconds
    adding = (12 * p * max(size - part for size, part in zip(sizes, parts)) + (4 * p * (sum(parts) + 1) / n if n > 1 else 0)) / machine.memory
    update = update_seconds(machine, p, n)
    reduce = transfer(machine, p, 4, n, nodes, o.levels, factor)
    gather = transfer(machine, p, o.gathered, n, nodes, o.levels)
    hidden = (machine.hide if o.hide is None else o.hide) * 2 / 3 * o.leaf_seconds  # backward: two thirds
    last = min(1, max(o.last, CHUNK / p))
    exposed = max(0, (1 - last) * reduce - hidden) + last * reduce + gather
    step = compute + adding + update + exposed
    idle = compute * (1 - k / n / max(sizes))
    landing = WINDOW * 4 * min(CHUNK, p) * (sum(parts) - min(parts)) / n
    memory = p * (8 + 8 / n + o.copy + 4 * max(t[1] for t in trees)) + landing
    return {"step": step, "tokens_s": k * o.tokens / step, "waited": (exposed + idle) / step, "exposed": exposed,
            "sent": (n - 1) / n * p * (4 * max(parts) + o.gathered), "memory": memory, "exchange": reduce + gather}


def read_lines(file):
    text = pathlib.Path(file).read_text(encoding="utf-8")  # a JSON list, or its objects line by line among other lines
    values = json.loads(text) if text.lstrip().startswith("[") else [json.loads(l) for l in text.splitlines() if l.startswith("{")]
    return values or sys.exit(f"scale_model.py: {file}: expected measurements, given none")


def fit(rows):
    """a and B of seconds = 2 (n - 1) a c + 2 (n - 1) / n bytes / B, adding counted: least squares of relative errors; the worst one."""
    xs = []
    for r in rows:
        n, seconds = r["processes"], r["seconds"]
        xs.append((2 * (n - 1) * chunks_of(r["bytes"] // 4, n) / seconds, 2 * (n - 1) / n * r["bytes"] / seconds))
    uu, uv, vv = (sum(x[i] * x[j] for x in xs) for i, j in ((0, 0), (0, 1), (1, 1)))
    u, v = sum(x[0] for x in xs), sum(x[1] for x in xs)
    determinant = uu * vv - uv * uv
    a, slope = ((u * vv - v * uv) / determinant, (v * uu - u * uv) / determinant) if determinant > 1e-9 * uu * vv else (-1, 0)
    if a < 0 or slope <= 0:  # one size only, or latency too small to see
        a, slope = 0.0, v / vv
    return a, 1 / slope, max(abs(a * x[0] + slope * x[1] - 1) for x in xs)


def compare(machine, o, rows):
    """Predicted beside measured; whether all are near. A row with one process gives the seconds of a leaf."""
    alone, good = [], True
    for r in rows:
        if r["processes"] == 1:
            merge = 12 * r["parameters"] * (r["leaves"] - 1) / machine.memory
            leaf = (r["seconds_per_step"] - merge - update_seconds(machine, r["parameters"])) / r["leaves"]
            alone.append((r["parameters"], r.get("threads"), r["tokens"], leaf / r["tokens"]))
    print("| processes | leaves | tokens a leaf | measured s | predicted s | off | waited % | predicted % | |\n" + "| ---: " * 8 + "| --- |")
    for r in rows:
        if r["processes"] == 1:
            continue
        per_token = [x[3] for x in alone if x[:2] == (r["parameters"], r.get("threads")) and abs(x[2] / r["tokens"] - 1) < 0.02]
        leaf = r.get("leaf_seconds", sum(per_token) / len(per_token) * r["tokens"] if per_token else o.leaf_seconds)
        if not leaf:
            sys.exit("scale_model.py: --measured: expected a row of one process with these parameters, tokens and threads, "
                     f"leaf_seconds or --leaf-seconds, given none for {json.dumps(r)}")
        mine = argparse.Namespace(**{**vars(o), "parameters": r["parameters"], "tokens": r["tokens"], "leaf_seconds": leaf})
        f = predict(machine, mine, r["processes"], r.get("nodes", -(-r["processes"] // (o.per_node or machine.per_node))), r["leaves"])
        off, waited = f["step"] / r["seconds_per_step"] - 1, f["waited"] - r["waited"]
        good &= (near := abs(off) <= 0.15 and abs(waited) <= 0.05)
        print(f"| {r['processes']} | {r['leaves']} | {r['tokens']} | {r['seconds_per_step']:.4g} | {f['step']:.4g} | {100 * off:+.1f} % "
              f"| {100 * r['waited']:.1f} | {100 * f['waited']:.1f} | {'' if near else 'off'} |")
    return good


def table(o):
    print(f"{o.parameters:,} parameters, {o.tokens} target tokens a leaf, {o.gathered:g} bytes a gathered value, "
          f"{100 * o.last:.0f} % of gradients final at the end, {o.levels} level(s). Assumed:\n")
    for name in o.machine:
        print(f"- {name}: {MACHINES[name].source}")
    head = ["machine", "processes", "nodes", "leaves", "step ms", "tokens/s", "of ideal", "waited %", "sent MB", "memory GB"]
    head += ["hours", "cost"] if o.total_tokens else []
    print("\n| " + " | ".join(head) + " |\n| --- " + "| ---: " * (len(head) - 1) + "|")
    for name in o.machine:
        machine = o.change(MACHINES[name])
        update = update_seconds(machine, o.parameters)
        o.leaf_seconds = o.tokens / o.rate - update if o.rate else o.leaf_seconds
        if o.leaf_seconds <= 0:
            sys.exit(f"scale_model.py: --rate: expected a step longer than its update, {update:.3g} s, given {o.tokens / o.rate:.3g} s")
        for n in o.processes:
            k, m = o.leaves or n * o.leaves_each, -(-n // (o.per_node or machine.per_node))
            if k < n:
                sys.exit(f"scale_model.py: --leaves: expected at least one for each of {n} processes, given {k}")
            f = predict(machine, o, n, m, k)
            ideal, hours = n * o.tokens / (o.leaf_seconds + update), o.total_tokens / f["tokens_s"] / 3600
            row = [name, n, m, k, f"{1e3 * f['step']:.1f}", f"{f['tokens_s']:,.0f}", f"{f['tokens_s'] / ideal:.2f}",
                   f"{100 * f['waited']:.1f}", f"{f['sent'] / 1e6:.0f}", f"{f['memory'] / 1e9:.2f}"]
            row += [f"{hours:.2f}", f"{hours * n * o.price:.0f}"] if o.total_tokens else []
            print("| " + " | ".join(map(str, row)) + " |")


def test():
    quick = Machine(0, 1e10, 0, 5e9, math.inf, 0, 1, "")
    o = argparse.Namespace(parameters=10_000_000, gathered=4, tokens=100, leaf_seconds=0.1, hide=None, last=0.5, levels=1, copy=0)
    near = lambda x, y: abs(x - y) <= 1e-9 * max(1, abs(y)) or sys.exit(f"scale_model.py: expected {y}, given {x}")
    near(predict(quick, o, 1, 1, 1)["step"], 0.1)
    f = predict(quick, o, 2, 1, 2)  # half of 40 MB there, half of 40 MB back
    near(f["step"], 0.1 + 0.002 + 0.002), near(f["waited"], 0.004 / 0.104), near(f["sent"], 4e7), near(f["tokens_s"], 200 / 0.104)
    near(predict(quick._replace(hide=0.003), o, 2, 1, 2)["step"], 0.1 + 0.0008 + 0.001 + 0.002)  # hides 0.2 of the first 1 ms
    o.parameters = CHUNK  # a chunk, which is sent at the end and never hidden
    near(predict(quick._replace(hide=1), o, 2, 1, 2)["step"], 0.1 + 4 * CHUNK / 1e10)
    o.parameters = 10_000_000
    near(transfer(quick, 10_000_000, 4, 4, 2, 1), 4e7 / 5e9)  # 2 processes of a node send a quarter each to 2 others
    near(transfer(quick, 10_000_000, 4, 4, 2, 2), 2e7 / 1e10 + 2e7 / 5e9)
    near(predict(quick._replace(memory=1e10), o, 2, 1, 4)["step"], 0.2 + 0.004 + 0.012 + 0.006 + 0.014)  # a merge, pieces, Adam
    near(predict(quick._replace(bandwidth=1e18), o, 3, 1, 8)["waited"], 1 - 8 / 9)
    near(predict(quick, o, 8, 1, 8)["memory"], 9e7 + 8 * 4 * CHUNK * 7 / 8)
    assert [nodes_of(*x)[0] for x in ((2, 5, 7), (4, 7, 7), (1, 3, 4))] == [2, 1, 2] and nodes_of(0, 8, 8) == (1, 3), "step tree"
    assert chunks_of(1 << 20, 2) == 1 and chunks_of((1 << 20) + 1, 2) == 2 and chunks_of(1 << 23, 512) == 4, "chunks"
    rows = [{"bytes": b << 20, "processes": n, "seconds": 2 * (n - 1) * (2e-5 * chunks_of(b << 18, n) + (b << 20) / n / 3e9)}
            for b in (1, 16, 256) for n in (2, 4)]
    near(fit(rows)[0], 2e-5), near(fit(rows)[1], 3e9), near(fit(rows[:1])[1], (1 << 20) / rows[0]["seconds"])
    print("scale_model.py: all right")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--preset", choices=PRESETS, default="base", help="gives --parameters and --last (default: base)")
    add("--parameters", type=int, metavar="P")
    add("--gathered", type=float, default=4, metavar="g", help="bytes a gathered value (default: 4)")
    add("--copy", type=float, default=0, help="bytes a value of a copy in bf16: 2 with --precision bf16 (default: 0)")
    add("--machine", nargs="+", choices=MACHINES, default=list(MACHINES), help="default: all")
    add("--processes", type=int, nargs="+", default=[1, 2, 4, 8], metavar="n")
    add("--per-node", type=int, metavar="L", help="processes a node (default: 8 GPUs, or 1; of laptop all)")
    add("--tokens", type=int, default=2048, help="target tokens a leaf (default: 2048)")
    add("--leaves", type=int, metavar="K", help="leaves a step, --accumulate (default: --leaves-each a process)")
    add("--leaves-each", type=int, default=1)
    add("--rate", type=float, help="target tokens/s of one process with a step of one leaf")
    add("--leaf-seconds", type=float, help="or the seconds of a leaf, without the update")
    add("--hide", type=float, help="share of backward in which gradients move (default: the machine's)")
    add("--last", type=float, help="share of gradients that are final only at the end (default: the embedding's)")
    add("--levels", type=int, choices=(1, 2), default=2)
    for name in Machine._fields[:5]:
        add("--" + name.replace("_", "-"), type=float, help="in the place of the machine's, in s or bytes/s")
    add("--total-tokens", type=float, default=0, help="target tokens of a whole training: adds hours and cost")
    add("--price", type=float, default=0, help="of an hour of a process, in any currency")
    add("--fit", metavar="FILE", help='fits a and B to [{"bytes": b, "processes": n, "seconds": s}, ...] or a line each: b bytes of f32 '
        "exchanged and gathered within a node")
    add("--measured", metavar="FILE", help="steps that were measured, a line of JSON each: processes, leaves, tokens, parameters, "
        "seconds_per_step, waited (0 to 1), perhaps nodes, threads; exit code 1 where one is off by 15 %% or 5 points")
    add("--test", action="store_true", help="checks itself")
    o = parser.parse_args()
    if o.test:
        return test()
    o.parameters, o.last = o.parameters or PRESETS[o.preset][0], PRESETS[o.preset][1] if o.last is None else o.last
    if o.fit:
        a, b, worst = fit(read_lines(o.fit))
        print(f"fitted: latency {1e6 * a:.1f} us, bandwidth {b / 1e9:.3f} GB/s; the worst measurement is off by {100 * worst:.0f} %")
        o.latency, o.bandwidth = o.latency or a, o.bandwidth or b
    o.change = lambda m: m._replace(**{f: getattr(o, f) for f in Machine._fields[:5] if getattr(o, f) is not None})
    if o.measured:
        if len(o.machine) != 1:
            parser.error("--measured: expected one --machine, given several")
        return 0 if compare(o.change(MACHINES[o.machine[0]]), o, read_lines(o.measured)) else 1
    if not (o.rate or o.leaf_seconds):
        return 0 if o.fit else parser.error("expected --rate or --leaf-seconds, given neither")
    return table(o)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (OSError, ValueError, KeyError) as error:
        sys.exit(f"scale_model.py: expected a file of measurements, given {error!r}")
