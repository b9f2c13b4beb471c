"""Small models for tests, made in seconds, and the command line beside the module."""

import functools
import os
import subprocess
from pathlib import Path

import pytest

import kette as kt

SOURCES = ["the cat sleeps .", "the dog sleeps .", "a cat sees the dog .", "a dog sees the cat .", "the old dog eats .", "the old cat eats ."]
TARGETS = ["die Katze schläft .", "der Hund schläft .", "eine Katze sieht den Hund .", "ein Hund sieht die Katze .",
           "der alte Hund frisst .", "die alte Katze frisst ."]
TEXT = "the quick brown fox jumps over the lazy dog.\nand the dog sleeps on.\n" * 30


@functools.cache
def tokenizer():
    return kt.train_tokenizer(SOURCES + TARGETS, vocabulary=60)


@functools.cache
def translator():
    """A translation model that has learnt its six pairs."""
    model = kt.Transformer("tiny", tokenizer=tokenizer(), width=32, hidden=64, heads=4, encoder_layers=2, decoder_layers=2, dropout=0, seed=3)
    adam = kt.Adam(model.parameters, lr=5e-3)
    batch = kt.pairs(SOURCES, TARGETS, tokenizer())
    for step in range(80):
        with kt.Tape() as tape:
            loss = model.loss(batch, seed=1, step=step)
        tape.backward(loss)
        adam.step(clip=1)
    assert loss.item() < 0.2
    return model


def gpt(**fields):
    tokens = kt.CharacterTokenizer(TEXT)
    return kt.Gpt("char-cpu", tokenizer=tokens, **{"layers": 2, "width": 32, "hidden": 64, "heads": 4, "context": 32, **fields})


@functools.cache
def language_model():
    model = gpt(seed=2)
    adam = kt.Adam(model.parameters, lr=5e-3)
    ids = model.tokenizer.encode(TEXT)
    for step in range(60):
        with kt.Tape() as tape:
            loss = model.loss(kt.windows(ids, rows=8, length=32, step=step))
        tape.backward(loss)
        adam.step(clip=1)
    return model


def kette(*arguments, text=None):
    """The output of the program beside the module, or of $KETTE."""
    program = Path(os.environ.get("KETTE", Path(kt.__file__).parents[2] / "kette"))
    if not program.exists():
        pytest.skip(f"no program {program} beside the module (KETTE=... names it)")
    done = subprocess.run([str(program), *map(str, arguments)], input=text, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout
