#!/usr/bin/env python3
"""`kette serve` beside other servers, in turns on one machine: medians, their ratio, and the 99th percentile.

  serve.py translate MODEL --src FILE [--weights int8]   beside serve_ctranslate2.py, 64 clients of a sentence each (wrk)
  serve.py generate MODEL --llama-server PROGRAM         beside llama.cpp's server: 8 texts at a time, GPT-2's size, 8 bits

MODEL: a folder of Kette's; for generate of GPT-2's size, whose weights may be random, as llama.cpp's are.
"""
import argparse
import asyncio
import json
import os
import random
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, "..", "..", "scripts"))
from wrk_load import wrk  # noqa: E402
PORTS = {"kette": 5071, "peer": 5072}


def start(words, port, path):
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for _ in range(600):
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=5)
            return process
        except urllib.error.HTTPError as error:
            if error.code != 503:
                return process
        except OSError:
            pass
        if process.poll() is not None:
            break
        time.sleep(0.2)
    sys.exit("expected a server that starts, given one that does not: " + " ".join(words))


def alternate(args, kette, peer, measure):
    """Both servers stay; what does not work sleeps."""
    found = {name: [] for name in PORTS}
    running = {"kette": start(kette, PORTS["kette"], "/health"), "peer": start(peer, PORTS["peer"], "/health")}
    try:
        for i in range(args.pairs + 1):
            for name, process in running.items():
                other = next(one for key, one in running.items() if key != name)
                other.send_signal(signal.SIGSTOP)
                rate = measure(name, PORTS[name], 3 if i == 0 else args.seconds)
                other.send_signal(signal.SIGCONT)
                if i > 0:  # the first of each warms it up
                    found[name].append(rate)
                    print(name, rate, flush=True)
    finally:
        for process in running.values():
            process.send_signal(signal.SIGCONT)
            process.terminate()
            process.wait()
    rates = {name: statistics.median(rate for rate, _ in rates) for name, rates in found.items()}
    tails = {name: statistics.median(tail for _, tail in rates) for name, rates in found.items()}
    ratios = [a / b for (a, _), (b, _) in zip(found["kette"], found["peer"])]
    print(f"kette {rates['kette']:.1f}/s, p99 {tails['kette']:.0f} ms; peer {rates['peer']:.1f}/s, p99 {tails['peer']:.0f} ms; "
          f"ratio {statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})")


def translate(args):
    lines = [line.strip() for line in open(args.src, encoding="utf-8") if line.strip()][:1000]
    bodies = {"kette": [{"q": line, "source": "en", "target": "de"} for line in lines],
              "peer": [{"q": line} for line in lines]}

    def measure(name, port, seconds):
        return wrk(port, bodies[name], args.clients, seconds)[:2]

    alternate(args, [args.kette, "serve", "--model", f"en-de={args.model}", "--port", str(PORTS["kette"]),
                     "--weights", args.weights, "--threads", str(args.threads)],
              [sys.executable, os.path.join(HERE, "serve_ctranslate2.py"), args.model, "--port", str(PORTS["peer"]),
               "--threads", str(args.threads), "--type", "int8" if args.weights == "int8" else "float32"], measure)


def generate(args):
    import gguf_model
    import presets
    directory = tempfile.TemporaryDirectory()
    file = os.path.join(directory.name, "gpt2.gguf")
    gguf_model.write_model(file, presets.GPTS["gpt2"], "q8_0", 1)
    random.seed(1)

    async def ask(port, body):
        begin = time.monotonic()
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        data = json.dumps(body).encode()
        writer.write(f"POST /v1/completions HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n"
                     f"Content-Length: {len(data)}\r\n\r\n".encode() + data)
        answer = await reader.read()
        writer.close()
        usage = re.search(rb'"completion_tokens":\s*(\d+)', answer)
        if usage is None:
            sys.exit(f"expected tokens, given {answer[:500]}")
        return int(usage.group(1)), 1000 * (time.monotonic() - begin)

    def measure(name, port, seconds):
        async def client(until):
            done = []
            while time.monotonic() < until:
                body = {"prompt": [random.randrange(1000, 40000) for _ in range(32)], "max_tokens": 64, "temperature": 1}
                done.append(await ask(port, body if name == "kette" else {**body, "ignore_eos": True, "cache_prompt": False}))
            return done

        async def all_clients():
            until = time.monotonic() + seconds
            return [one for done in await asyncio.gather(*[client(until) for _ in range(8)]) for one in done]

        begin = time.monotonic()
        done = asyncio.run(all_clients())
        tails = sorted(tail for _, tail in done)
        return sum(tokens for tokens, _ in done) / (time.monotonic() - begin), tails[int(0.99 * len(tails))]

    alternate(args, [args.kette, "serve", "--model", f"gpt2={args.model}", "--port", str(PORTS["kette"]), "--weights",
                     args.weights, "--threads", str(args.threads)],
              [args.llama_server, "-m", file, "--parallel", "8", "-c", "8192", "-t", str(args.threads), "--port",
               str(PORTS["peer"])], measure)


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("what", choices=["translate", "generate"])
parser.add_argument("model")
parser.add_argument("--kette", default="build/release/kette")
parser.add_argument("--src")
parser.add_argument("--weights", default="int8")
parser.add_argument("--llama-server", default="llama-server")
parser.add_argument("--threads", type=int, default=os.cpu_count())
parser.add_argument("--clients", type=int, default=64)
parser.add_argument("--pairs", type=int, default=5)
parser.add_argument("--seconds", type=int, default=15)
args = parser.parse_args()
{"translate": translate, "generate": generate}[args.what](args)
