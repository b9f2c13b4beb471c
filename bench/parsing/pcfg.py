#!/usr/bin/env python3
"""A treebank grammar: a probabilistic context-free grammar read off trees, binarised and markovised, with parent
annotation (Johnson 1998; Klein and Manning 2003), and CKY for the likeliest tree.

    pcfg.py --train train.mrg --test test.mrg > trees         # parses the words of the test trees
    pcfg.py --train train.mrg --words sentences > trees        # or sentences, one a line

Rules have the probabilities of their counts. A word's tags are those it has in training, mixed with those of
rare words that look alike (capitals, digits, endings), which is all that is known of a new word."""

import argparse
import math
import re
import sys
from collections import Counter, defaultdict

import numpy as np
import trees
from numba import njit

NONE = -1e30


# ---- the grammar -------------------------------------------------------------------------------------------------


def annotated(tree, parent, o):
    """Labels with those of their parents; tags too, with --split-tags."""
    if trees.is_leaf(tree):
        return (f"{tree[0]}^{parent}" if o.split_tags else tree[0], tree[1])
    label = f"{tree[0]}^{parent}" if o.vertical > 1 else tree[0]
    return (label, *(annotated(child, tree[0], o) for child in tree[1:]))


def plain(label):
    return label.split("^")[0]


def rules_of(tree, o):
    """(left, right...) of one or two symbols on the right, from long rules by way of @label|last children."""
    if trees.is_leaf(tree):
        return
    label, children = tree[0], tree[1:]
    names = [child[0] for child in children]
    left = label
    while len(names) > 2:
        done = [plain(name) for name in [child[0] for child in children][: len(children) - len(names) + 1]]
        rest = f"@{label}|{'_'.join(done[-o.horizontal:] if o.horizontal else [])}"
        yield (left, names[0], rest)
        left, names = rest, names[1:]
    yield (left, *names)
    for child in children:
        yield from rules_of(child, o)


def looks(word, first):
    """What an unknown word looks like, from the most to the least telling."""
    lower = word.lower()
    shape = "0" if re.search(r"\d", word) else ""
    if word[:1].isupper():
        shape += "F" if first else "C"
        shape += "U" if word.isupper() and len(word) > 1 else ""
    shape += "-" if "-" in word else ""
    shape += "" if re.search(r"\w", word) else "P"
    return [f"{shape}|{lower[-length:]}" if length else shape for length in (4, 3, 2, 1, 0)]


class Lexicon:
    """log P(word | tag) but for a constant of the word: log P(tag | word) - log P(tag)."""

    def __init__(self, bank):
        self.of_tag, self.of_word, self.of_look = Counter(), defaultdict(Counter), defaultdict(Counter)
        for tree in bank:
            for at, (tag, word) in enumerate(trees.leaves(tree)):
                self.of_tag[tag] += 1
                self.of_word[word, at == 0 and word[:1].isupper()][tag] += 1
        merged = defaultdict(Counter)
        for (word, _), tags in self.of_word.items():
            merged[word].update(tags)
        self.of_word = merged
        for tree in bank:
            for at, (tag, word) in enumerate(trees.leaves(tree)):
                if sum(self.of_word[word].values()) <= 2:
                    for look in looks(word, at == 0):
                        self.of_look[look][tag] += 1
        self.rare = Counter()
        for word, tags in self.of_word.items():
            if sum(tags.values()) <= 2:
                self.rare.update(tags)

    def by_look(self, word, first):
        total = sum(self.rare.values())
        p = {tag: count / total for tag, count in self.rare.items()}
        for look in reversed(looks(word, first)):
            seen = self.of_look.get(look)
            if not seen:
                continue
            size, weight = sum(seen.values()), 1.0 + len(seen)
            p = {tag: (seen[tag] + weight * p[tag]) / (size + weight) for tag in p}
        return p

    def scores(self, word, first):
        seen = self.of_word.get(word, {})
        if not seen and first and word[:1].isupper():
            seen = self.of_word.get(word[0].lower() + word[1:], {})
        size = sum(seen.values())
        p = self.by_look(word, first)
        weight = 0.5 if size else 1.0
        total = sum(self.of_tag.values())
        scores = {}
        for tag in set(seen) | (set(p) if size < 20 else set()):
            probability = (seen.get(tag, 0) + weight * p.get(tag, 0)) / (size + weight)
            if probability > 1e-5:
                scores[tag] = math.log(probability) - math.log(self.of_tag[tag] / total)
        return scores


class Grammar:
    def __init__(self, bank, o):
        self.o = o
        counts, lefts, roots = Counter(), Counter(), Counter()
        split = [annotated(tree, "TOP", o) for tree in bank]
        for tree in split:
            roots[tree[0]] += 1
            for rule in rules_of(tree, o):
                counts[rule] += 1
                lefts[rule[0]] += 1
        self.lexicon = Lexicon(split)
        names = {name for rule in counts for name in rule} | set(self.lexicon.of_tag) | set(roots)
        self.names = sorted(names)
        self.ids = {name: at for at, name in enumerate(self.names)}
        binary, unary = [], []
        for rule, count in sorted(counts.items()):
            logp = math.log(count / lefts[rule[0]])
            (binary if len(rule) == 3 else unary).append((*(self.ids[name] for name in rule), logp))
        binary.sort(key=lambda rule: rule[1])
        self.starts = np.searchsorted([rule[1] for rule in binary], np.arange(len(self.names) + 1))
        self.binary = np.array([(a, c) for a, _, c, _ in binary], np.int32)
        self.binary_p = np.array([p for *_, p in binary], np.float32)
        unary = [rule for rule in unary if rule[0] != rule[1]]
        self.unary = np.array([(a, b) for a, b, _ in unary], np.int32).reshape(-1, 2)
        self.unary_p = np.array([p for *_, p in unary], np.float32)
        self.root = np.full(len(self.names), NONE, np.float32)
        for name, count in roots.items():
            self.root[self.ids[name]] = math.log(count / len(bank))
        # How frequent a symbol is, for what is dropped of a cell.
        total = sum(lefts.values()) + sum(self.lexicon.of_tag.values())
        self.prior = np.full(len(self.names), math.log(1 / total), np.float32)
        for name, at in self.ids.items():
            count = lefts.get(name, 0) + self.lexicon.of_tag.get(name, 0)
            self.prior[at] = math.log(max(count, 1) / total)

    def parse(self, words):
        """A tree; right-branching where the grammar has none."""
        size = len(words)
        leaves = np.full((size, len(self.names)), NONE, np.float32)
        for at, word in enumerate(words):
            for tag, score in self.lexicon.scores(word, at == 0).items():
                leaves[at, self.ids[tag]] = score
        for beam in (self.o.beam, 3 * self.o.beam):
            best, split, left, right = cky(
                leaves, self.starts, self.binary, self.binary_p, self.unary, self.unary_p, self.prior, beam)
            top = best[0, size] + self.root
            if top.max() > NONE / 2:
                return self.tree(int(top.argmax()), 0, size, words, (split, left, right))[0]
        tags = [plain(self.names[int(leaves[at].argmax())]) for at in range(size)]
        tree = (tags[-1], words[-1])
        for at in range(size - 2, -1, -1):
            tree = ("NP" if at else "S", (tags[at], words[at]), tree)
        return tree if not trees.is_leaf(tree) else ("S", tree)

    def tree(self, symbol, begin, end, words, back):
        """The nodes that a symbol stands for: one, or several for an intermediate symbol."""
        split, left, right = (table[begin, end, symbol] for table in back)
        name = plain(self.names[symbol])
        if split < 0 and left < 0:
            return [(name, words[begin])]
        if split < 0:
            children = self.tree(int(left), begin, end, words, back)
        else:
            children = self.tree(int(left), begin, split, words, back) + self.tree(
                int(right), split, end, words, back)
        return children if name.startswith("@") else [(name, *children)]


@njit(cache=True)
def close_unary(cell, split, left, unary, unary_p):
    """Chains of unary rules; each makes a symbol likelier or is of no use, so it ends."""
    changed = True
    while changed:
        changed = False
        for rule in range(len(unary)):
            below = cell[unary[rule, 1]]
            if below <= NONE / 2:
                continue
            score, above = below + unary_p[rule], unary[rule, 0]
            if score > cell[above]:
                cell[above], split[above], left[above] = score, -1, unary[rule, 1]
                changed = True


@njit(cache=True)
def cky(leaves, starts, binary, binary_p, unary, unary_p, prior, beam):
    size, symbols = leaves.shape
    best = np.full((size + 1, size + 1, symbols), np.float32(NONE))
    split = np.full((size + 1, size + 1, symbols), np.int16(-1))
    left = np.full((size + 1, size + 1, symbols), np.int32(-1))
    right = np.full((size + 1, size + 1, symbols), np.int32(-1))
    active = np.zeros((size + 1, size + 1, symbols), np.int32)
    many = np.zeros((size + 1, size + 1), np.int32)
    for span in range(1, size + 1):
        for begin in range(size - span + 1):
            end = begin + span
            cell = best[begin, end]
            if span == 1:
                cell[:] = leaves[begin]
            for middle in range(begin + 1, end):
                right_cell = best[middle, end]
                for at in range(many[begin, middle]):
                    b = active[begin, middle, at]
                    of_b = best[begin, middle, b]
                    for rule in range(starts[b], starts[b + 1]):
                        c = binary[rule, 1]
                        if right_cell[c] <= NONE / 2:
                            continue
                        score, a = of_b + right_cell[c] + binary_p[rule], binary[rule, 0]
                        if score > cell[a]:
                            cell[a], split[begin, end, a] = score, middle
                            left[begin, end, a], right[begin, end, a] = b, c
            close_unary(cell, split[begin, end], left[begin, end], unary, unary_p)
            limit = np.max(cell + prior) - beam
            for symbol in range(symbols):
                if cell[symbol] + prior[symbol] < limit or cell[symbol] <= NONE / 2:
                    cell[symbol] = NONE
                else:
                    active[begin, end, many[begin, end]] = symbol
                    many[begin, end] += 1
    return best, split, left, right


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--train", required=True, help="trees")
    parser.add_argument("--test", help="trees, of which the words are parsed")
    parser.add_argument("--words", help="sentences, one a line")
    parser.add_argument("--vertical", type=int, default=2, help="2: labels with their parent's; 1: without")
    parser.add_argument("--horizontal", type=int, default=2, help="children that a long rule remembers")
    parser.add_argument("--split-tags", action=argparse.BooleanOptionalAction, default=True,
                        help="tags, too, with their parent's label")
    parser.add_argument("--beam", type=float, default=12, help="nats below a cell's best that are kept")
    parser.add_argument("--longest", type=int, default=1000, help="leave longer sentences out")
    o = parser.parse_args()
    grammar = Grammar(trees.read(o.train), o)
    print(f"{len(grammar.names)} symbols, {len(grammar.binary)} binary and {len(grammar.unary)} unary rules",
          file=sys.stderr)
    if o.test:
        sentences = [[word for _, word in trees.leaves(tree)] for tree in trees.read(o.test)]
    else:
        with open(o.words, encoding="utf-8") as file:
            sentences = [line.split() for line in file]
    for words in sentences:
        if 0 < len(words) <= o.longest:
            print(trees.text(grammar.parse(words)), flush=True)


if __name__ == "__main__":
    main()
