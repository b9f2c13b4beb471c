"""What `kette serve` promises, tried on a server of its own: equal answers, fair shares, limits, and how quick it is.

  python3 scripts/serve_check.py --model DIR --src FILE [--text-model DIR] [--short] [CHECK ...]

CHECK: start equal health alone rate streams prompts fair gone slow soak stop (default: all). DIR: a translation model of
English to German, and a language model. FILE: a sentence a line. --short: less of each, for every day. Only Python's own
library is needed; `rate` needs wrk. Each check prints what it found and whether that is what is promised.
"""
import argparse
import asyncio
import json
import os
import random
import re
import resource
import shutil
import signal
import statistics
import subprocess
import sys
import time

from wrk_load import wrk

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("checks", nargs="*")
parser.add_argument("--kette", default="build/release/kette")
parser.add_argument("--model", required=True)
parser.add_argument("--text-model")
parser.add_argument("--src", required=True)
parser.add_argument("--threads", type=int, default=os.cpu_count())
parser.add_argument("--short", action="store_true")
parser.add_argument("--seed", type=int, default=1)
args = parser.parse_args()
random.seed(args.seed)
LINES = [line.rstrip("\n") for line in open(args.src, encoding="utf-8") if line.strip()]
failures = 0


def scale(full, short):
    return short if args.short else full


def row(name, found, holds=None):
    global failures
    verdict = "" if holds is None else ("ok" if holds else "FAILED")
    failures += verdict == "FAILED"
    print(f"{name:<44} {found}  {verdict}", flush=True)


class Server:
    """`kette serve` with these options, ready."""

    def __init__(self, *options, text=True):
        models = ["--model", f"en-de={args.model}"]
        if text and args.text_model:
            models += ["--model", f"text={args.text_model}"]
        begin = time.monotonic()
        threads = [] if "--threads" in options else ["--threads", str(args.threads)]
        self.process = subprocess.Popen([args.kette, "serve", *models, "--port", "0", *threads, *options],
                                        stderr=subprocess.PIPE, text=True)
        line = self.process.stderr.readline()
        self.seconds_to_ready = time.monotonic() - begin
        found = re.search(r"http://[^:]+:(\d+)", line)
        if not found:
            sys.exit("expected a server that is ready, given: " + line + self.process.stderr.read())
        self.port = int(found.group(1))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait(60)
        self.process.stderr.close()

    def resident(self):
        return int(open(f"/proc/{self.process.pid}/statm").read().split()[1]) * os.sysconf("SC_PAGESIZE")


class Connection:
    """HTTP/1.1, one request after the other."""

    def __init__(self, server):
        self.port, self.reader, self.writer = server.port, None, None

    async def send(self, method, path, body=None):
        if self.writer is None:
            self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
        data = b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        self.writer.write(f"{method} {path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                          f"Content-Length: {len(data)}\r\n\r\n".encode() + data)
        await self.writer.drain()

    async def head(self):
        head = (await self.reader.readuntil(b"\r\n\r\n")).decode().lower()
        return int(head.split()[1]), head

    async def parts(self):
        """Of a chunked answer, as they come."""
        while size := int(await self.reader.readline(), 16):
            yield (await self.reader.readexactly(size + 2))[:-2]
        await self.reader.readline()

    async def ask(self, method, path, body=None):
        await self.send(method, path, body)
        status, head = await self.head()
        if "transfer-encoding: chunked" in head:
            data = b"".join([part async for part in self.parts()])
        else:
            data = await self.reader.readexactly(int(re.search(r"content-length: (\d+)", head).group(1)))
        if "connection: close" in head:
            self.close()
        return status, data

    async def json(self, method, path, body=None):
        status, data = await self.ask(method, path, body)
        return status, json.loads(data)

    def close(self):
        if self.writer is not None:
            self.writer.transport.abort()
        self.reader = self.writer = None


def command(*words, stdin=None):
    done = subprocess.run([args.kette, *words], input=stdin, capture_output=True, encoding="utf-8", errors="replace")
    if done.returncode:
        sys.exit(f"kette {' '.join(words)}: {done.stderr}")
    return done.stdout


def translated(lines, *options):
    threads = [] if "--threads" in options else ["--threads", str(args.threads)]
    return command("translate", "--model", args.model, *threads, *options,
                   stdin="".join(line + "\n" for line in lines)).splitlines()


def median_seconds(function, times):
    seconds = []
    for _ in range(times):
        begin = time.monotonic()
        function()
        seconds.append(time.monotonic() - begin)
    return statistics.median(seconds)


def request_of(lines, beam=None):
    body = {"q": lines, "source": "en", "target": "de"}
    return body if beam is None else {**body, "beam": beam}


async def metrics(server):
    _, text = await Connection(server).ask("GET", "/metrics")
    found = {}
    for line in text.decode().splitlines():
        if not line.startswith("#"):
            name, value = line.rsplit(" ", 1)
            found[name] = float(value)
    return found


def total(found, name):
    return sum(value for key, value in found.items() if key.split("{")[0] == name)


def start():
    with Server(text=False) as server:
        row("start to ready, translation", f"{server.seconds_to_ready:.2f} s", server.seconds_to_ready < 1)
        check = subprocess.run([args.kette, "serve", "--check", f"http://127.0.0.1:{server.port}"])
        row("--check of a ready server", f"exit code {check.returncode}", check.returncode == 0)
        second = subprocess.run([args.kette, "serve", "--model", f"en-de={args.model}", "--port", str(server.port)],
                                capture_output=True, text=True)
        row("a port in use", second.stderr.strip()[:70], second.returncode == 1)
    if args.text_model:
        both = []
        for _ in range(3):
            with Server() as server:
                served = server.seconds_to_ready
            both.append((served, median_seconds(lambda: command(
                "generate", "--model", args.text_model, "--max-tokens", "1", "--prompt", "a"), 1)))
        ratio = statistics.median(a for a, _ in both) / statistics.median(b for _, b in both)
        row("start to ready, both; beside kette generate", f"{ratio:.2f} of its time", ratio < 1.2)


async def equal():
    count = scale(1000, 120)
    lines = [random.choice(LINES) for _ in range(count)]
    beams = [1, 2, 4, 7]
    expected = {beam: translated(lines, "--beam", str(beam)) for beam in beams}
    seeds, prompt = list(range(1, 9)), "The man "
    texts = {}
    if args.text_model:
        for seed in seeds:
            found = command("generate", "--model", args.text_model, "--prompt", prompt, "--seed", str(seed),
                            "--max-tokens", "20", "--num", "2", "--json")
            texts[seed] = json.loads(found.splitlines()[-1])["texts"]
    jobs = []
    for i in range(count):
        if texts and i % 4 == 0:
            jobs.append(("text", random.choice(seeds), 0))
        else:
            jobs.append(("lines", i, random.choice([1, 1, 1, 3])))
    random.shuffle(jobs)
    differ, cancelled, answered, bad = [], 0, 0, 0
    with Server() as server:

        async def client():
            nonlocal cancelled, answered, bad
            connection = Connection(server)
            while jobs:
                kind, i, size = jobs.pop()
                if kind == "text":
                    body = {"model": "text", "prompt": prompt, "seed": i, "max_tokens": 20, "n": 2}
                    path, wanted = "/v1/completions", texts[i]
                else:
                    beam = random.choice(beams)
                    body, path = request_of(lines[i:i + size], beam), "/translate"
                    wanted = expected[beam][i:i + size]
                if random.random() < 0.2:
                    await connection.send("POST", path, body)
                    await asyncio.sleep(random.random() * 0.2)
                    connection.close()
                    cancelled += 1
                    continue
                status, answer = await connection.json("POST", path, body)
                answered += 1
                if status != 200:
                    bad += 1
                    continue
                given = [one["text"] for one in answer["choices"]] if kind == "text" else answer["translatedText"]
                if given != wanted:
                    differ.append((body, given, wanted))

        await asyncio.gather(*[client() for _ in range(64)])
    for one in differ[:2]:
        print(*one, sep="\n  ")
    row("answers equal to the command's, 64 connections", f"{answered - len(differ) - bad} of {answered}, "
        f"{cancelled} cancelled", answered > 0 and not differ and not bad)


async def health():
    with Server() as server:
        over = False

        async def client():
            connection = Connection(server)
            while not over:
                await connection.ask("POST", "/translate", request_of([random.choice(LINES)]))

        clients = [asyncio.create_task(client()) for _ in range(64)]
        times, connection = [], Connection(server)
        await asyncio.sleep(1)
        for _ in range(scale(500, 100)):
            begin = time.monotonic()
            await connection.ask("GET", "/health")
            times.append(1000 * (time.monotonic() - begin))
            await asyncio.sleep(0.01)
        over = True
        await asyncio.gather(*clients)
    times.sort()
    p99 = times[int(0.99 * len(times))]
    row("/health beside 64 requests", f"median {statistics.median(times):.1f} ms, p99 {p99:.1f} ms", p99 < 20)


def alone():
    if not shutil.which("wrk"):
        return row("one client, sentence by sentence", "not tried: it needs wrk")
    lines = LINES[:200]
    with Server("--threads", "1", text=False) as server:
        ratios = []
        for _ in range(scale(5, 2)):
            served, _, _ = wrk(server.port, [request_of(line) for line in lines], 1, scale(5, 2))
            # A batch holds one text at least, and here no more; several threads would translate several at a time.
            done = json.loads(translated(lines, "--batch-tokens", "1", "--threads", "1", "--json")[-1])
            ratios.append(served * done["seconds"] / len(lines))
    ratio = statistics.median(ratios)
    row("one client, sentence by sentence, 1 thread", f"{ratio:.2f} of kette translate --batch-tokens 1", ratio >= 0.9)


def rate():
    if not shutil.which("wrk"):
        return row("64 clients, a sentence each", "not tried: it needs wrk")
    lines = LINES[:1000]
    with Server(text=False) as server:
        ratios, shares = [], []
        for _ in range(scale(5, 2)):
            served, tail, share = wrk(server.port, [request_of(line) for line in lines], 64, scale(15, 5))
            done = json.loads(translated(lines, "--json")[-1])
            ratios.append(served * done["seconds"] / len(lines))
            shares.append(share)
    ratio = statistics.median(ratios)
    row("64 clients, a sentence each", f"{ratio:.2f} of kette translate's rate ({served:.0f} /s, p99 {tail:.0f} ms; wrk takes "
        f"{100 * statistics.median(shares):.0f} % of a core)", ratio >= 0.85)


async def streams():
    tokens = scale(120, 30)
    with Server() as server:

        async def stream(i):
            await asyncio.sleep(0.1 * i)
            connection = Connection(server)
            await connection.send("POST", "/v1/completions", {
                "model": "text", "prompt": "The man", "max_tokens": tokens, "seed": i, "stream": True,
                "stream_options": {"include_usage": True}})
            await connection.head()
            text = b"".join([part async for part in connection.parts()]).decode()
            usage = [json.loads(line[6:]) for line in text.splitlines() if line.startswith("data: {")][-1]
            return usage["usage"]["completion_tokens"]

        ratios = []
        for _ in range(scale(5, 2)):
            begin = time.monotonic()
            written = sum(await asyncio.gather(*[stream(i) for i in range(8)]))
            served = written / (time.monotonic() - begin - 0.7)  # in which the last was not there yet
            done = json.loads(command("generate", "--model", args.text_model, "--prompt", "The man", "--num", "8",
                                      "--max-tokens", str(tokens), "--threads", str(args.threads), "--json").splitlines()[-1])
            ratios.append(served / done["tokens_per_second"])
    ratio = statistics.median(ratios)
    row("8 streams, 100 ms apart", f"{ratio:.2f} of kette generate --num 8", ratio >= 0.85)


async def prompts():
    prompt = " ".join(random.choices("the a man woman dog sees reads sleeps in on house and".split(), k=300))
    seconds = {}
    for keep in (0, 4):
        with Server("--keep-prompts", str(keep)) as server:
            connection, answers, times = Connection(server), [], []
            for end in (" The", " One", " Two", " Old"):
                begin = time.monotonic()
                status, answer = await connection.json("POST", "/v1/completions", {
                    "model": "text", "prompt": prompt + end, "max_tokens": 4, "seed": 3})
                times.append(time.monotonic() - begin)
                answers.append(answer["choices"][0]["text"])
            seconds[keep] = (answers, statistics.median(times[1:]))
    row("prompts that begin alike: same texts", f"{seconds[4][1] / seconds[0][1]:.2f} of the time",
        seconds[4][0] == seconds[0][0])


async def fair():
    with Server() as server:
        big, small = Connection(server), Connection(server)
        lines = (LINES * (2000 // len(LINES) + 1))[:2000]
        short = min(LINES, key=len)

        async def timed():
            begin = time.monotonic()
            await small.ask("POST", "/translate", request_of([short]))
            return time.monotonic() - begin

        await timed()
        by_itself = statistics.median([await timed() for _ in range(20)])
        task = asyncio.create_task(big.ask("POST", "/translate", request_of(lines)))
        await asyncio.sleep(0.5)
        beside = [await timed() for _ in range(10) if not task.done()]
        is_beside = not task.done()
        status, _ = await task
    worst = max(beside)
    row("a short request beside 2,000 sentences", f"{1000 * by_itself:.0f} ms alone, {1000 * statistics.median(beside):.0f} "
        f"(at most {1000 * worst:.0f}) ms beside", status == 200 and is_beside and
        (statistics.median(beside) < max(3 * by_itself, 0.3)))


async def gone():
    with Server("--max-tokens", "4000") as server:
        connections = [Connection(server) for _ in range(50)]
        for i, connection in enumerate(connections):
            if args.text_model:
                await connection.send("POST", "/v1/completions", {"model": "text", "prompt": "The man",
                                                                   "max_tokens": 2000, "seed": i, "stream": True})
            else:
                await connection.send("POST", "/translate", request_of(random.sample(LINES, 40)))
        await asyncio.sleep(1)
        before = await metrics(server)
        for connection in connections:
            connection.close()
        begin = time.monotonic()
        while (await metrics(server))["kette_live_rows"] > 0 and time.monotonic() - begin < 10:
            await asyncio.sleep(0.01)
        seconds = time.monotonic() - begin
    row("50 clients vanish", f"{before['kette_live_rows']:.0f} rows, 0 after {1000 * seconds:.0f} ms",
        before["kette_live_rows"] > 0 and seconds < 0.25)


async def slow():
    many = scale(10_000, 300)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, many + 200), hard))
    with Server() as server:
        lazy = []

        async def slowly(text):
            try:
                reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
                lazy.append(writer)
                writer.write(text)
                await reader.read()
            except OSError:
                pass

        tasks = [asyncio.create_task(slowly(random.choice([
            b"GET /hea", b"POST /translate HTTP/1.1\r\nHost: x\r\nContent-Length: 50000\r\n\r\n{", b""])))
            for _ in range(min(many, 900))]
        await asyncio.sleep(1)
        times, connection = [], Connection(server)
        for _ in range(20):
            begin = time.monotonic()
            status, _ = await connection.ask("POST", "/translate", request_of([min(LINES, key=len)]))
            times.append(time.monotonic() - begin)
        row("beside 900 slow heads and bodies" if many > 900 else f"beside {many} slow heads and bodies",
            f"median {1000 * statistics.median(times):.0f} ms", status == 200 and statistics.median(times) < 0.5)
        for writer in lazy:
            writer.transport.abort()
        await asyncio.gather(*tasks)
        refused = 0

        async def knock():
            nonlocal refused
            other = Connection(server)
            try:
                status, _ = await other.ask("GET", "/health")
                refused += status == 503
            except (OSError, asyncio.IncompleteReadError):
                refused += 1
            lazy.append(other)

        await asyncio.sleep(1)
        for _ in range(0, many, 500):
            await asyncio.gather(*[knock() for _ in range(min(500, many))])
        alive = server.process.poll() is None
        for other in lazy:
            getattr(other, "close")()
        await asyncio.sleep(1)
        status, _ = await Connection(server).ask("GET", "/health")
        row(f"{many} connections", f"{refused} refused, the others served", alive and status == 200)


async def soak():
    count = scale(20_000, 600)
    sent, codes = 0, {}
    with Server() as server:
        sizes = []

        async def client():
            nonlocal sent
            connection = Connection(server)
            while sent < count:
                sent += 1
                if sent in (count // 2, count):
                    sizes.append(server.resident())
                body = request_of([random.choice(LINES) for _ in range(random.choice([1, 1, 1, 2, 5]))])
                if random.random() < 0.05:
                    body = random.choice([b"{", b"\xff\xfe", {"q": 5}, {**body, "beam": 10**6}, {**body, "beem": 1}])
                status, _ = await connection.ask("POST", "/translate", body)
                codes[status] = codes.get(status, 0) + 1

        await asyncio.gather(*[client() for _ in range(32)])
        found = await metrics(server)
    ratio = sizes[1] / sizes[0]
    row(f"memory over {count} requests", f"{ratio:.3f} times that after half", args.short or ratio <= 1.03)
    counted = {int(re.search(r'code="(\d+)"', key).group(1)): value for key, value in found.items()
               if key.startswith("kette_requests_total") and "watch" not in key}
    row("counters", f"{counted}", counted == codes and set(codes) == {200, 400})


async def stop():
    for what in (signal.SIGHUP, signal.SIGTERM):
        with Server() as server:
            over, torn, done, late = False, 0, 0, 0

            async def client():
                nonlocal torn, done, late
                connection = Connection(server)
                while not over:
                    try:
                        status, _ = await connection.ask("POST", "/translate", request_of([random.choice(LINES)]))
                        done += status == 200
                        late += status == 503  # who comes while it ends is told so
                        torn += status not in (200, 503)
                    except ConnectionRefusedError:
                        return
                    except asyncio.IncompleteReadError as error:
                        # Between two requests a server may close: nothing was promised yet.
                        torn += len(error.partial) > 0
                        late += len(error.partial) == 0
                        connection.close()
                    except OSError:
                        late += 1
                        connection.close()

            clients = [asyncio.create_task(client()) for _ in range(16)]
            for _ in range(scale(5, 2)):
                await asyncio.sleep(1)
                server.process.send_signal(what)
                if what == signal.SIGTERM:
                    break
            await asyncio.sleep(scale(5, 2))
            over = True
            await asyncio.gather(*clients)
            code = await asyncio.to_thread(server.process.wait, 30) if what == signal.SIGTERM else 0
        row(f"{what.name} under load", f"{done} answered, {torn} torn, {late} not taken any more, exit code {code}",
            done > 0 and torn == 0 and code == 0 and (late == 0 or what == signal.SIGTERM))


CHECKS = {function.__name__: function for function in
          (start, equal, health, alone, rate, streams, prompts, fair, gone, slow, soak, stop)}
for name in args.checks or CHECKS:
    if name in ("streams", "prompts") and not args.text_model:
        row(name, "not tried: it needs --text-model")
        continue
    result = CHECKS[name]()
    if asyncio.iscoroutine(result):
        asyncio.run(result)
sys.exit(1 if failures else 0)
