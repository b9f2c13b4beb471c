"""Clients of others against `kette serve`: see scripts/serve-clients.sh, which calls this.

  serve_clients.py KETTE TRANSLATION_MODEL TEXT_MODEL EXAMPLES WORK_FOLDER
"""
import collections
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import time

import deepl
import openai
import requests
from libretranslatepy import LibreTranslateAPI
from prometheus_client.parser import text_string_to_metric_families

KETTE, MODEL, TEXT_MODEL, EXAMPLES, WORK = sys.argv[1:6]
SENTENCES = ["The old man sees a house.", "A girl buys two books.", "Where is the train?"]
SMALL = ["--max-tokens", "8", "--max-n", "2", "--max-beam", "3", "--max-texts", "3", "--max-characters", "300"]
KEY = "a key of the check"
failed = 0


class Server:
    """`kette serve` on a free port, until the end of a with statement."""

    def __init__(self, *options):
        self.process = subprocess.Popen(
            [KETTE, "serve", "--model", f"en-de={MODEL}", f"gpt={TEXT_MODEL}", "--port", "0", *options],
            stderr=subprocess.PIPE, text=True)
        line = self.process.stderr.readline()
        found = re.search(r"http://\S+", line)
        if not found:
            sys.exit("serve_clients.py: expected a server that is ready, given " + line + self.process.stderr.read())
        self.url = found.group()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.status = self.process.wait(30)

    def openai(self, key="none"):
        return openai.OpenAI(base_url=self.url + "/v1", api_key=key, max_retries=0)

    def deepl(self, key="none"):
        return deepl.Translator(key, server_url=self.url)


def check(client, what, holds, told=""):
    global failed
    failed += not holds
    print(f"{'ok' if holds else 'FAILED':7} {client:18} {what}{'' if holds else f', given {told!r}'}", flush=True)


def equal(client, what, given, expected):
    check(client, what, given == expected, f"{given!r} where {expected!r} was expected")


def raises(client, what, kind, action):
    """Whether the client says it by an exception of its own, of exactly this class."""
    try:
        told = action()
    except Exception as error:
        told = error
    check(client, f"{what}: {kind.__name__}", type(told) is kind, told)


def run(*command, given=""):
    return subprocess.run([KETTE, *command], input=given, capture_output=True, text=True, check=True).stdout


def translated():
    return run("translate", "--model", MODEL, given="\n".join(SENTENCES) + "\n").splitlines()


def check_libretranslate(server):
    name, api = "libretranslatepy", LibreTranslateAPI(server.url + "/")
    expected = translated()
    equal(name, "languages", [(one["code"], one["targets"]) for one in api.languages()], [("en", ["de"])])
    equal(name, "detection", api.detect(SENTENCES[0])[0]["language"], "en")
    equal(name, "texts as of kette translate", [api.translate(one, "en", "de") for one in SENTENCES], expected)
    equal(name, "the language by the text", api.translate(SENTENCES[0], "auto", "de"), expected[0])
    many = 4000
    equal(name, f"a form of {many * len(SENTENCES[0]) // 1024} KiB",
          api.translate("\n".join([SENTENCES[0]] * many), "en", "de"), "\n".join([expected[0]] * many))


def check_deepl(server):
    name, api = "deepl", server.deepl()
    expected = translated()
    one = api.translate_text(SENTENCES[0], target_lang="DE")
    equal(name, "a text, its language and what is billed", (one.text, one.detected_source_lang, one.billed_characters),
          (expected[0], "EN", len(SENTENCES[0])))
    several = api.translate_text(SENTENCES, source_lang="EN", target_lang="DE", split_sentences="0",
                                 preserve_formatting=True)
    equal(name, "several as of kette translate", [each.text for each in several], expected)
    page = api.translate_text(f"<p>{SENTENCES[0]}</p>", target_lang="DE", tag_handling="html").text
    equal(name, "HTML", page, f"<p>{expected[0]}</p>")
    raises(name, "a language that no model has", deepl.DeepLException,
           lambda: api.translate_text("a", target_lang="FR"))
    raises(name, "a field that is not served", deepl.DeepLException,
           lambda: api.translate_text("a", target_lang="DE", formality="more"))


def check_openai(server):
    name, api = "openai", server.openai()
    equal(name, "models", [one.id for one in api.models.list()], ["gpt"])
    equal(name, "a model", api.models.retrieve("gpt").id, "gpt")
    wanted = dict(model="gpt", prompt="The ", max_tokens=24, seed=1)
    out = run("generate", "--model", TEXT_MODEL, "--prompt", "The ", "--max-tokens", "24", "--seed", "1", "--num", "3",
              "--json", "--no-echo")
    expected = json.loads(out.strip().splitlines()[-1])["texts"]
    told = api.completions.create(**wanted, n=3)
    equal(name, "texts as of kette generate", [one.text for one in told.choices], expected)
    usage = told.usage
    equal(name, "usage", usage.total_tokens, usage.prompt_tokens + usage.completion_tokens)
    streamed, last = [""] * 3, None
    for event in api.completions.create(**wanted, n=3, stream=True, stream_options={"include_usage": True}):
        last = event.usage or last
        for choice in event.choices:
            streamed[choice.index] += choice.text
    equal(name, "streamed", (streamed, last), (expected, usage))
    text = expected[0]
    stop = next(one for one in text[1:] if one.isascii())  # not one that stands for a broken character
    equal(name, "a stop", [(one.text, one.finish_reason) for one in api.completions.create(**wanted, stop=stop).choices],
          [(text.split(stop)[0], "stop")])
    equal(name, "echo", api.completions.create(**wanted, echo=True).choices[0].text, "The " + text)
    both = api.completions.create(**{**wanted, "prompt": ["x", "The "]}).choices
    equal(name, "several prompts", (len(both), both[1].text), (2, text))
    equal(name, "ids as a prompt", len(api.completions.create(**{**wanted, "prompt": [1, 2, 3]}).choices), 1)
    for what, kind, wrong in [("too many tokens", openai.BadRequestError, dict(max_tokens=10**6)),
                              ("a field that is not served", openai.BadRequestError, dict(suffix="x")),
                              ("a model that is not there", openai.NotFoundError, dict(model="none"))]:
        raises(name, what, kind, lambda: api.completions.create(**{**wanted, **wrong}))
    raises(name, "chats", openai.NotFoundError, lambda: api.chat.completions.create(model="gpt", messages=[]))


def check_keys(server):
    api = server.openai(KEY)
    equal("openai", "with its key", [one.id for one in api.models.list()], ["gpt"])
    raises("openai", "with another key", openai.AuthenticationError, lambda: server.openai("no").models.list())
    equal("deepl", "with its key", bool(server.deepl(KEY).translate_text("a", target_lang="DE").text), True)
    raises("deepl", "with another key", deepl.AuthorizationException,
           lambda: server.deepl("no").translate_text("a", target_lang="DE"))
    raises("deepl", "too long a body", deepl.DeepLException,
           lambda: server.deepl(KEY).translate_text("a" * 301, target_lang="DE"))
    api = LibreTranslateAPI(server.url + "/", KEY)
    equal("libretranslatepy", "with its key", bool(api.translate("a girl", "en", "de")), True)


def counters(url):
    """Of requests by interface and status, and of tokens."""
    found = collections.Counter()
    for family in text_string_to_metric_families(requests.get(url + "/metrics").text):
        for sample in family.samples:
            if sample.name == "kette_requests_total":
                found[sample.labels["api"], sample.labels["code"]] += int(sample.value)
            elif sample.name == "kette_request_seconds_count":
                found["seconds", sample.labels["api"]] += int(sample.value)
            elif sample.name == "kette_target_tokens_total":
                found["tokens"] += int(sample.value)
            elif sample.name == "process_resident_memory_bytes":
                check("prometheus-client", "a process has memory", sample.value > 1e6, sample.value)
    return found


def check_metrics(server):
    before, counted = counters(server.url), collections.Counter()
    asked = [("watch", "GET", "/health", None), ("libretranslate", "GET", "/languages", None),
             ("libretranslate", "POST", "/detect", {"q": "a"}), ("libretranslate", "POST", "/detect", {"p": "a"}),
             ("libretranslate", "GET", "/translate", None), ("deepl", "POST", "/v2/translate", {"text": "a"}),
             ("openai", "GET", "/v1/models/none", None), ("openai", "POST", "/v1/completions", {"n": 0}),
             ("openai", "POST", "/v1/completions", {"model": "gpt", "prompt": "a", "max_tokens": 5}),
             ("none", "GET", "/none", None)]
    for number in range(5 * len(asked)):
        api, method, path, body = asked[number % len(asked)]
        told = requests.request(method, server.url + path, json=body)
        counted[api, str(told.status_code)] += 1
        counted["seconds", api] += 1
        if path == "/v1/completions" and told.status_code == 200:
            counted["tokens"] += told.json()["usage"]["completion_tokens"]
    deadline = time.time() + 5  # an answer is counted once it is sent
    while True:
        after = counters(server.url)
        counted["watch", "200"] += 1  # that one itself counts, for the next
        counted["seconds", "watch"] += 1
        difference = {key: after[key] - before[key] for key in after if after[key] != before[key]}
        if difference == dict(counted) or time.time() > deadline:
            break
        time.sleep(0.1)
    equal("prometheus-client", f"counters of {5 * len(asked)} requests", difference, dict(counted))


def check_busy():
    if "--max-wait" not in run("serve", "--help-all"):
        return print("left    openai, deepl     a server with too much to do: this one takes all")
    deepl.http_client.max_network_retries, deepl.http_client.min_connection_timeout = 0, 60.0
    with Server("--threads", "1", "--max-wait", "0.01") as server:
        api = server.openai()
        ask = {("openai", openai.RateLimitError):
               lambda: api.completions.create(model="gpt", prompt="a", max_tokens=200, n=8),
               ("deepl", deepl.TooManyRequestsException):
               lambda: server.deepl().translate_text(SENTENCES * 5, target_lang="DE")}
        for (client, kind), action in ask.items():
            def told(_):
                try:
                    return action() and None
                except Exception as error:
                    return type(error)
            with concurrent.futures.ThreadPoolExecutor(32) as threads:
                kinds = collections.Counter(threads.map(told, range(64)))
            some = 0 < kinds[kind] < 64 and kinds[kind] + kinds[None] == 64
            check(client, f"too much to do: {kind.__name__} for some, an answer for others", some, kinds)


def check_described(server, what, *options):
    program = os.path.join(os.path.dirname(sys.executable), "schemathesis")
    with open(os.path.join(WORK, "openapi.json"), "w") as file:  # from an address its own path would be left out
        file.write(requests.get(server.url + "/openapi.json").text)
    done = subprocess.run([os.path.abspath(program), "run", "openapi.json", "--url", server.url, "--max-examples",
                           EXAMPLES, "--seed", "1", *options], cwd=WORK, capture_output=True, text=True)
    cases = re.search(r"(\d+) generated", done.stdout)
    operations = re.search(r"Tested: (\d+)", done.stdout)
    number = int(cases.group(1)) if cases else 0
    check("schemathesis", f"{what}: {operations.group(1) if operations else 0} operations, {number} cases",
          done.returncode == 0 and number > 100, done.stdout[-6000:] + done.stderr[-2000:])


def main():
    with Server() as server:
        check_libretranslate(server)
        check_deepl(server)
        check_openai(server)
        check_metrics(server)
    equal("kette serve", "exit code once it is told to end", server.status, 0)
    check_busy()
    with Server(*SMALL) as server:
        check_described(server, "without keys")
    keys = os.path.join(WORK, "keys")
    with open(keys, "w") as file:
        file.write("another key\n" + KEY + "\n")
    with Server(*SMALL, "--api-keys", keys) as server:
        check_keys(server)
        check_described(server, "with keys", "-H", f"Authorization: Bearer {KEY}")
    print(f"serve_clients.py: {failed or 'no'} check{'' if failed == 1 else 's'} failed")
    sys.exit(1 if failed else 0)


main()
