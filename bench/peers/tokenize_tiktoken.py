#!/usr/bin/env python3
"""`kette bench tokenize` and tiktoken in turn, one thread each: GPT-2's ids of the same texts.

tiktoken's Encoding is built from the same two files. Of its two calls, encode_ordinary (a list) and
encode_to_numpy (an array), the quicker one counts; its text is already a str. Both must give the
same number of tokens.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import time

import tiktoken
from tiktoken.load import data_gym_to_mergeable_bpe_ranks
from tiktoken_ext.openai_public import r50k_pat_str

HERE = pathlib.Path(__file__).parent
END_OF_TEXT = "<|endoftext|>"


def either(folder, name, other_name):
    return folder / name if (folder / name).exists() else folder / other_name


def encoding(folder):
    vocabulary = either(folder, "vocab.json", "encoder.json")
    ranks = data_gym_to_mergeable_bpe_ranks(
        str(either(folder, "merges.txt", "vocab.bpe")), str(vocabulary))
    end = json.loads(vocabulary.read_text(encoding="utf-8"))[END_OF_TEXT]
    return tiktoken.Encoding("gpt2", pat_str=r50k_pat_str, mergeable_ranks=ranks,
                             special_tokens={END_OF_TEXT: end})


def typical_seconds(encode, text, passes):
    times = []
    for _ in range(passes + 1):
        start = time.perf_counter()
        count = len(encode(text))
        times.append(time.perf_counter() - start)
    return statistics.median(times[1:]), count


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tokenizer", type=pathlib.Path, required=True, help="folder of the files")
    parser.add_argument("--text", type=pathlib.Path, required=True, nargs="+")
    parser.add_argument("--kette", default=HERE.parents[1] / "build/release/kette")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--passes", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    peer = encoding(options.tokenizer)
    for file in options.text:
        text = file.read_bytes().decode("utf-8")
        megabytes = file.stat().st_size / 1e6
        command = [str(options.kette), "bench", "tokenize", "--tokenizer", str(options.tokenizer),
                   "--text", str(file), "--threads", "1", "--steps", str(options.passes), "--json"]
        ours, theirs = [], []
        for _ in range(options.rounds):
            result = subprocess.run(command, capture_output=True, text=True)
            if result.returncode != 0:
                sys.exit(result.stderr)
            row = json.loads(result.stdout.splitlines()[-1])
            ours.append(row["megabytes_per_second"])
            calls = [peer.encode_ordinary, lambda t: peer.encode_to_numpy(t, disallowed_special=())]
            seconds, count = min(typical_seconds(call, text, options.passes) for call in calls)
            theirs.append(megabytes / seconds)
            if count != row["tokens"]:
                sys.exit(f"{file}: expected {count} tokens as tiktoken has, given {row['tokens']}")
        ratios = sorted(our / their for our, their in zip(ours, theirs))
        report = {"text": file.name, "megabytes": megabytes, "tokens": row["tokens"],
                  "megabytes_per_second": statistics.median(ours),
                  "tokens_per_second": statistics.median(ours) * row["tokens"] / megabytes,
                  "tiktoken_megabytes_per_second": statistics.median(theirs),
                  "ratio": statistics.median(ours) / statistics.median(theirs),
                  "ratio_of_pairs": [ratios[0], ratios[-1]], "tiktoken": tiktoken.__version__}
        if options.json:
            print(json.dumps(report))
        else:
            print("{text}: Kette {megabytes_per_second:.1f}, tiktoken "
                  "{tiktoken_megabytes_per_second:.1f} MB/s, ratio {ratio:.2f} (pairs {low:.2f} to "
                  "{high:.2f}; more is better)".format(low=ratios[0], high=ratios[-1], **report))


if __name__ == "__main__":
    main()
