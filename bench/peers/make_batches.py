#!/usr/bin/env python3
"""Length-bucketed token batches from two parallel text files, as JSON lines.

One batch a line: {"source": [[ids]...], "target": [[ids]...]}, without begin and end marks. A batch
of n sentence pairs whose longest side (end mark included) has m tokens obeys n * m <= --tokens, so
the padded batch fits the limit too. Buckets and their order depend on --seed only.
"""

import argparse
import json
import pathlib
import random

import sentencepiece


def tokenizer(model, source, target, rows):
    """Loads the joint BPE model, training it first on both files when it does not exist."""
    path = pathlib.Path(model)
    if not path.exists():
        sentencepiece.SentencePieceTrainer.train(
            input=[source, target],
            model_prefix=str(path.with_suffix("")),
            vocab_size=rows,
            model_type="bpe",
            character_coverage=1.0,
            minloglevel=2,
        )
    return sentencepiece.SentencePieceProcessor(model_file=str(path))


def lines(path):
    # Newlines only: str.splitlines would also split at U+2028 and lose the pairing.
    return pathlib.Path(path).read_text(encoding="utf-8").rstrip("\n").split("\n")


def bucketed(pairs, tokens, generator):
    """Sorts by length (ties in random order), cuts at the token limit, shuffles the batches."""
    generator.shuffle(pairs)
    pairs.sort(key=lambda pair: (len(pair[1]), len(pair[0])))
    batches, batch, longest = [], [], 0
    for pair in pairs:
        length = max(len(pair[0]), len(pair[1])) + 1
        if length > tokens:
            continue
        if batch and max(longest, length) * (len(batch) + 1) > tokens:
            batches.append(batch)
            batch, longest = [], 0
        batch.append(pair)
        longest = max(longest, length)
    batches.append(batch)
    generator.shuffle(batches)
    return batches


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("source")
    parser.add_argument("target")
    parser.add_argument("--model", required=True, help="SentencePiece model, trained if absent")
    parser.add_argument("--rows", type=int, default=10000, help="vocabulary rows when training it")
    parser.add_argument("--tokens", type=int, default=4096, help="limit of a padded batch")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--output", required=True)
    options = parser.parse_args()

    processor = tokenizer(options.model, options.source, options.target, options.rows)
    source = processor.encode(lines(options.source))
    target = processor.encode(lines(options.target))
    if len(source) != len(target):
        parser.error(f"the files differ in length: {len(source)} and {len(target)} lines")
    pairs = [pair for pair in zip(source, target) if pair[0] and pair[1]]
    batches = bucketed(pairs, options.tokens, random.Random(options.seed))
    with open(options.output, "w", encoding="utf-8") as output:
        for batch in batches:
            record = {"source": [pair[0] for pair in batch], "target": [pair[1] for pair in batch]}
            output.write(json.dumps(record, separators=(",", ":")) + "\n")
    tokens = sum(len(pair[1]) + 1 for pair in pairs)
    mean = tokens / len(batches)
    print(f"{len(pairs)} pairs, {len(batches)} batches, {mean:.0f} target tokens each")


if __name__ == "__main__":
    main()
