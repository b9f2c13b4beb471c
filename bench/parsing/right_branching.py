#!/usr/bin/env python3
"""The baseline that knows nothing: every sentence branches to the right, under the label that is most frequent.

    right_branching.py TRAIN TEST > trees

It is given the tags of TEST, so that nothing but brackets is wrong; the last word, a full stop, hangs at the top."""

import sys
from collections import Counter

import trees


def branching(leaves, labels):
    """(S a (X b (X c ... d)) .), labels by how many words they hold."""
    inner, last = leaves[:-1], leaves[-1:]
    if not inner:
        return ("S", *leaves)
    tree = inner[-1]
    for at in range(len(inner) - 2, 0, -1):
        tree = (labels, inner[at], tree)
    return ("S", inner[0], *([tree] if len(inner) > 1 else []), *last)


def main():
    train, test = trees.read(sys.argv[1]), trees.read(sys.argv[2])
    counts = Counter()

    def count(node):
        if not trees.is_leaf(node):
            counts[node[0]] += len(node) > 2
            for child in node[1:]:
                count(child)

    for tree in train:
        count(tree)
    best = max(
        (label for label in counts if label != "S"),
        key=lambda label: counts[label],
    )
    for tree in test:
        print(trees.text(branching(trees.leaves(tree), best)))


if __name__ == "__main__":
    main()
