#!/usr/bin/env python3
"""Words, a sentence a line on stdin, to trees that ask for masked words, for a parser to begin with (as Devlin et al. 2019
begin with them, section 3.1).

    masked_words.py [--share X] [--frequent N] [--seed S] < words > trees

(MASKED (w:the the) (w:dog [MASK]) (w:barks barks)): of each word the tag says which it was. A share of them is hidden, in 8
of 10 cases behind [MASK], in 1 behind another word, in 1 not at all. Words that are not among the N most frequent have
the tag w:."""

import argparse
import random
import sys
from collections import Counter


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--share", type=float, default=0.15)
    parser.add_argument("--frequent", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=1)
    o = parser.parse_args()
    sentences = [line.split() for line in sys.stdin]
    frequent = [word for word, _ in Counter(word for s in sentences for word in s).most_common(o.frequent)]
    known = set(frequent)
    draws = random.Random(o.seed)

    def shown(word):
        if draws.random() >= o.share:
            return word
        case = draws.random()
        return "[MASK]" if case < 0.8 else draws.choice(frequent) if case < 0.9 else word

    for sentence in sentences:
        leaves = " ".join(f"(w:{word if word in known else ''} {shown(word)})" for word in sentence)
        print(f"(MASKED {leaves})")


if __name__ == "__main__":
    main()
