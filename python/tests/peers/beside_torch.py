"""Kette and PyTorch in one process, imported in either order: equal results, and neither slower than alone.

    PYTHONPATH=build/release/python python python/tests/peers/beside_torch.py [--rounds N] [--threads N]

Both bring OpenMP; a process must have one of it. PyTorch's wheel has a libgomp.so.1 of its own, Kette's has none: the
loader keeps the first of that name for both. Each order runs in processes of its own, several times in turn, and prints
the medians of what one product of matrices (f32) and one step of a small net take. Exit code 1 if a result differs, or
a time is more than 10 % above that alone. Where other programs keep the cores busy, times of several threads are the
scheduler's, so one thread is taken, and the time it spends on a processor.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time

TOLERATED = 1.10
ORDERS = {"kette alone": "kette", "torch alone": "torch", "kette first": "kette torch", "torch first": "torch kette"}


def timed(action, seconds):
    """The median time of an action that is repeated for a while, in microseconds."""
    clock = time.process_time if os.environ["OMP_NUM_THREADS"] == "1" else time.perf_counter
    action()
    times, end = [], clock() + seconds
    while clock() < end:
        start = clock()
        action()
        times.append(clock() - start)
    return statistics.median(times) * 1e6


def matrix(rows, columns, seed):
    """Values between -1 and 1, equal in all processes."""
    return [[((i * 7919 + j * 104729 + seed * 31) % 2003) / 1001.5 - 1 for j in range(columns)] for i in range(rows)]


def kette_work(kt, x, w, v):
    x, w, v = kt.tensor(x), kt.parameter(w, "w"), kt.parameter(v, "v")

    def step():
        w.zero_grad()
        with kt.Tape() as tape:
            hidden = x @ w
            loss = ((hidden * hidden @ v) ** 2).mean()
        tape.backward(loss)
        return loss.item()

    return {"product": lambda: x @ w, "step": step}, lambda: [step(), sum(map(sum, w.grad.tolist()))]


def torch_work(torch, x, w, v):
    x, w, v = torch.tensor(x), torch.tensor(w, requires_grad=True), torch.tensor(v, requires_grad=True)

    def step():
        w.grad = None
        hidden = x @ w
        loss = ((hidden * hidden @ v) ** 2).mean()
        loss.backward()
        return loss.item()

    def product():
        with torch.no_grad():
            return x @ w

    return {"product": product, "step": step}, lambda: [step(), w.grad.sum().item()]


def work(order):
    """In a process of its own: imports in this order, and then takes turns. Prints JSON."""
    modules = {name: __import__(name) for name in order.split()}
    data = matrix(256, 512, 1), matrix(512, 512, 2), matrix(512, 8, 3)
    found = {"libgomp": sorted({line.split()[-1] for line in open("/proc/self/maps") if "libgomp" in line})}
    jobs = {name: (kette_work if name == "kette" else torch_work)(module, *data) for name, module in modules.items()}
    for _ in range(2):  # one after the other, so that each finds the threads that the other has left
        for name, (actions, results) in jobs.items():
            found[name] = {"results": results(), **{key: timed(action, 0.7) for key, action in actions.items()}}
    print(json.dumps(found))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    busy = os.getloadavg()[0] > os.cpu_count()
    parser.add_argument("--threads", type=int, default=1 if busy else os.cpu_count(), help="default: %(default)s")
    parser.add_argument("--order", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.order:
        work(options.order)
        return 0
    print(f"threads: {options.threads}{' (the machine is busy)' if busy else ''}")
    environment = {**os.environ, "OMP_NUM_THREADS": str(options.threads)}
    runs = {label: [] for label in ORDERS}
    for _ in range(options.rounds):
        for label, order in ORDERS.items():
            command = [sys.executable, __file__, "--order", order]
            done = subprocess.run(command, stdout=subprocess.PIPE, check=True, env=environment)
            runs[label].append(json.loads(done.stdout))
    failed = False
    for label, found in runs.items():
        libraries = found[0]["libgomp"]
        print(f"{label}: {', '.join(libraries)}")
        failed |= len(libraries) != 1
        for name in ORDERS[label].split():
            alone = runs[f"{name} alone"]
            failed |= any(run[name]["results"] != alone[0][name]["results"] for run in found)
            line = f"  {name}: loss {found[0][name]['results'][0]:.7g}"
            for key in ("product", "step"):
                took, by_itself = (statistics.median(run[name][key] for run in of) for of in (found, alone))
                failed |= took > TOLERATED * by_itself
                line += f", {key} {took:.0f} us ({took / by_itself:.2f} of that alone)"
            print(line)
    print("beside torch: FAILED: see above" if failed else "beside torch: equal results, and none is slower")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
