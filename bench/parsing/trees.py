"""Trees in brackets, cleaned as Kette cleans them (data/trees/tree.h), for the baselines beside it.

A tree is a tuple (label, child, child, ...); a leaf is (tag, word)."""

import re


def read(path):
    """The trees of a file, cleaned."""
    with open(path, encoding="utf-8") as file:
        parts = re.findall(r"\(|\)|[^\s()]+", file.read())
    trees, stack = [], []
    for at, part in enumerate(parts):
        if part == "(":
            stack.append([parts[at + 1] if parts[at + 1] not in "()" else ""])
        elif part == ")":
            done = tuple(stack.pop())
            (stack[-1] if stack else trees).append(done)
        elif parts[at - 1] != "(":
            stack[-1].append(part)
    return [cleaned(tree) for tree in trees]


def is_leaf(tree):
    return len(tree) == 2 and isinstance(tree[1], str)


def cleaned(tree):
    """Without function tags, empty elements and outer bracket."""

    def clean(node):
        label = node[0] if node[0].startswith("-") else re.split(r"[-=|]", node[0])[0]
        if is_leaf(node):
            return None if node[0] == "-NONE-" else (label, node[1])
        children = [child for child in map(clean, node[1:]) if child]
        return (label, *children) if children else None

    tree = clean(tree)
    while tree[0] in ("", "TOP", "ROOT", "S1") and len(tree) == 2:
        tree = tree[1]
    return tree if tree[0] else ("TOP", *tree[1:])


def text(tree):
    if is_leaf(tree):
        return f"({tree[0]} {tree[1]})"
    return "(" + " ".join([tree[0], *map(text, tree[1:])]) + ")"


def leaves(tree):
    """(tag, word) from left to right."""
    return [tree] if is_leaf(tree) else [leaf for child in tree[1:] for leaf in leaves(child)]
