#!/usr/bin/env python3
"""English text, a sentence a line on stdin, to words as the Penn Treebank writes them, for silver trees.

    penn_words.py [--longest N] < text > words

Lines that end in no full stop, question or exclamation mark are mostly headlines and are left out, and so are
repeated ones, those of a single word and those of more than N words."""

import argparse
import re
import sys

RULES = [
    (r"[“”„]", '"'),
    (r"[‘’`´]", "'"),
    (r"[–—]", " -- "),
    (r"…", "..."),
    (r'(^|[\s(\[{<])"', r"\1 `` "),
    (r'"', " '' "),
    (r"(^|\s)'(?=\w)(?!(?:s|re|ve|ll|d|m|t)\b)", r"\1 ` "),
    (r"\.\.\.", " ... "),
    (r"([;:@#$%&?!])", r" \1 "),
    (r"(?<!\d),|,(?!\d)", " , "),
    (r"([^.\s])\.(\s*[])}>\"']*\s*)$", r"\1 .\2"),
    (r"\(", " -LRB- "),
    (r"\)", " -RRB- "),
    (r"\[", " -LSB- "),
    (r"\]", " -RSB- "),
    (r"--", " -- "),
    (r"(?i:(\w)('s|'re|'ve|'ll|'d|'m))\b", r"\1 \2"),
    (r"(?i:(\w)(n't))\b", r"\1 \2"),
    (r"(?<=[^\s'])'(?=\s|$)", " '"),
    (r"(?i:\b(can)(not))\b", r"\1 \2"),
]


def words_of(line):
    for pattern, replacement in RULES:
        line = re.sub(pattern, replacement, line)
    return re.sub(r"(\d) : (\d)", r"\1:\2", " ".join(line.split())).split()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--longest", type=int, default=40)
    o = parser.parse_args()
    seen = set()
    for line in sys.stdin:
        words = words_of(line)
        sentence = " ".join(words)
        ends = words and (words[-1] in ".?!" or words[-1] == "''")
        if ends and 1 < len(words) <= o.longest and sentence not in seen:
            seen.add(sentence)
            print(sentence)


if __name__ == "__main__":
    main()
