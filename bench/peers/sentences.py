#!/usr/bin/env python3
"""Sentence splitters side by side: `kette split`, Moses' rules (sentence-splitter) and pySBD.

Golden rules: texts of pySBD's own tests with the sentences expected of each, read from a clone or an
unpacked source of it; nothing of them lies here. Of the German ones those of one line count.

Joined lines: 2 to 6 lines of a corpus, one after the other, joined by a space, with a fixed seed. Where
two lines met is what is to be found; F1 is of precision and recall of these places, and extra cuts are
those within a line, many of which are right where a line holds two sentences. "clean": only lines that
end in an end mark and that neither Moses' rules nor pySBD cut when they stand alone.
"""

import argparse
import ast
import json
import lzma
import pathlib
import random
import subprocess
import sys

import pysbd
import sentence_splitter

HERE = pathlib.Path(__file__).parent
CLOSERS = "\"'”“’»«)]"
END_MARKS = ".!?…"


def kette(options, language):
    def split(texts):
        command = [str(options.kette), "split", "--language", language]
        result = subprocess.run(command, input="\n".join(texts) + "\n", capture_output=True,
                                text=True, check=False)
        if result.returncode != 0:
            sys.exit(result.stderr)
        # The sentences of a line, then an empty line before those of the next one.
        groups, group = [], []
        for line in result.stdout.split("\n")[:-1]:
            if line:
                group.append(line)
            else:
                groups.append(group)
                group = []
        groups.append(group)
        if len(groups) != len(texts):
            sys.exit(f"kette split: expected {len(texts)} groups of sentences, given {len(groups)}")
        return groups
    return split


def moses(language):
    splitter = sentence_splitter.SentenceSplitter(language=language)
    return lambda texts: [splitter.split(text) for text in texts]


def pragmatic(language):
    segmenter = pysbd.Segmenter(language=language, clean=False)
    return lambda texts: [[s.strip() for s in segmenter.segment(text)] for text in texts]


def golden_rules(folder, language):
    """The lists named ..._TEST_CASES of a test file, without running it."""
    name = {"en": "english", "de": "deutsch", "fr": "french"}[language]
    tree = ast.parse((folder / f"tests/lang/test_{name}.py").read_text(encoding="utf-8"))
    cases = []
    for node in tree.body:
        if not isinstance(node, ast.Assign) or not node.targets[0].id.endswith("TEST_CASES"):
            continue
        for entry in node.value.elts:
            values = entry.args if isinstance(entry, ast.Call) else entry.elts  # pytest.param
            text, sentences = (ast.literal_eval(value) for value in values[:2])
            if "\n" not in text:
                cases.append((text, sentences))
    return cases


def read_lines(files):
    lines = []
    for file in files:
        opened = lzma.open(file, "rt", encoding="utf-8") if file.suffix == ".xz" else \
            open(file, encoding="utf-8")
        with opened as text:
            lines += [" ".join(line.split()) for line in text]
    return [line for line in lines if line]


def joined(lines, seed):
    numbers = random.Random(seed)
    groups, at = [], 0
    while at < len(lines):
        count = numbers.randint(2, 6)
        groups.append(lines[at:at + count])
        at += count
    return groups


def cuts(sentences):
    """Places between sentences, in characters that are not white space."""
    places, at = set(), 0
    for sentence in sentences:
        at += len("".join(sentence.split()))
        places.add(at)
    places.discard(at)
    return places


def score(split, groups, show=0):
    found = right = wanted = 0
    for group, sentences in zip(groups, split([" ".join(group) for group in groups])):
        gold, given = cuts(group), cuts(sentences)
        wanted += len(gold)
        found += len(given)
        right += len(gold & given)
        if show > 0 and gold != given:
            show -= 1
            print(json.dumps({"lines": group, "sentences": sentences}, ensure_ascii=False),
                  file=sys.stderr)
    recall, precision = right / max(wanted, 1), right / max(found, 1)
    f1 = 2 * recall * precision / max(recall + precision, 1e-9)
    return {"f1": f1, "recall": recall, "extra": found - right, "missing": wanted - right,
            "boundaries": wanted}


def clean(lines, language):
    kept = [line for line in lines if line.rstrip(CLOSERS)[-1:] in tuple(END_MARKS)]
    both = zip(kept, moses(language)(kept), pragmatic(language)(kept))
    return [line for line, one, other in both if len(one) == 1 and len(other) == 1]


def corpora(data, language, most):
    def files(folder, pattern):
        return sorted((data / folder).glob(pattern))

    def some(lines, seed=0):
        # Neighbours stay neighbours.
        start = random.Random(seed).randrange(max(len(lines) - most, 0) + 1)
        return lines[start:start + most]

    if language == "fr":
        yield "Multi30k", read_lines(files("multi30k", "[tv]*.fr"))[:most]
        return
    tatoeba = "tatoeba-en-de"
    yield "Tatoeba valid, test", read_lines(files(tatoeba, f"[vt][ae][ls]*.{language}"))
    yield "Tatoeba train", some(read_lines([data / tatoeba / f"train.{language}.xz"]))
    yield "TED", some(read_lines(files("iwslt-ted-en-de", f"*.{language}")))
    yield "newstest", some(read_lines(files("wmt-newstest", f"*.{language}")))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=pathlib.Path, required=True, help="folder of the corpora")
    parser.add_argument("--golden", type=pathlib.Path, help="a clone of nipunsadvilkar/pySBD")
    parser.add_argument("--kette", default=HERE.parents[1] / "build/release/kette")
    parser.add_argument("--languages", nargs="+", default=["en", "de", "fr"])
    parser.add_argument("--lines", type=int, default=6000, help="of each corpus, at most")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only-kette", action="store_true", help="golden rules and all lines")
    parser.add_argument("--show", type=int, default=0, help="so many of Kette's differences (stderr)")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    for language in options.languages:
        systems = {"Kette": kette(options, language)}
        if not options.only_kette:
            systems |= {"Moses": moses(language), "pySBD": pragmatic(language)}
        if options.golden:
            cases = golden_rules(options.golden, language)
            for name, split in systems.items():
                answers = split([text for text, _ in cases])
                right = sum(answer == want for answer, (_, want) in zip(answers, cases))
                if name == "Kette" and options.show:
                    for answer, (text, want) in zip(answers, cases):
                        if answer != want:
                            print("golden:", text, answer, sep="\n  ", file=sys.stderr)
                row = {"language": language, "rules": len(cases), "system": name, "right": right}
                print(json.dumps(row) if options.json else
                      f"{language} golden rules: {name} {right} of {len(cases)}", flush=True)
        for corpus, lines in corpora(options.data, language, options.lines):
            kinds = {"all": lines}
            if not options.only_kette:
                kinds["clean"] = clean(lines, language)
            for kind, chosen in kinds.items():
                groups = joined(chosen, options.seed)
                for name, split in systems.items():
                    row = score(split, groups, options.show if name == "Kette" else 0)
                    row = {"language": language, "corpus": corpus, "kind": kind,
                           "lines": len(chosen), "system": name, **row}
                    print(json.dumps(row) if options.json else
                          "{language} {corpus} ({kind}, {lines} lines): {system} F1 {f1:.4f}, "
                          "recall {recall:.4f}, {extra} extra, {missing} missing".format(**row),
                          flush=True)


if __name__ == "__main__":
    main()
