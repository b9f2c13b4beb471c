"""What test_hostile_api.py gives: mostly what is expected, and values from the far ends."""

import functools

import numpy as np
from hypothesis import strategies as st

import kette as kt
import small

class Oops(Exception):
    """Of a function that a caller gives."""


ALLOWED = (ValueError, TypeError, KeyError, IndexError, AttributeError, MemoryError, OverflowError, OSError, StopIteration, Oops)
NAN, INF = float("nan"), float("inf")
JUNK = [None, 3, -1, 0.5, NAN, INF, -INF, "", "x", "\0", "\ud800", b"x", [], [[]], {}, set(), object(), np.zeros(0), np.zeros((2, 0)),
        np.float32(1), True, lambda *_: 0, int, 2**31, 2**63, -(2**63), 2**64, 10**30, [None], range(3), "ключ" * 50]


def among(*values):
    return st.sampled_from(values)


def mostly(strategy):
    """Now and then a value of another type."""
    return st.integers(0, 19).flatmap(lambda i: st.sampled_from(JUNK) if i == 0 else strategy)


texts = st.one_of(st.sampled_from(small.SOURCES + small.TARGETS), st.text(max_size=12), st.text(st.characters(), max_size=4),
                  among("", " ", "\0", "the", "the " * 300, "\u2581", "\u200b", "\n\n", "<s> </s>", "[MASK]", "the q[MASK]ick", "a. B c. D"))
lines = st.one_of(st.lists(texts, max_size=4), texts)
pairs_of_lines = st.integers(0, 3).flatmap(lambda n: st.tuples(*[st.lists(st.text(st.sampled_from("ab .,é"), max_size=9), min_size=n, max_size=n)] * 2))
wholes = st.one_of(st.integers(0, 6), st.integers(-2, 40), among(2**31 - 1, 2**31, 2**40, 2**62, 2**63 - 1, -(2**62), -(2**63)))
counts = st.one_of(st.integers(1, 4), wholes)
reals = st.one_of(st.floats(), st.floats(0, 1), among(0.0, 1.0, 5e-324, 1e308, -1.0))
id_lists = st.one_of(st.lists(st.integers(0, 25), min_size=1, max_size=8), st.lists(st.integers(-2, 70), max_size=5),
                     among([2**31 - 1], [-(2**31)], [2**40], range(10), b"\1\2", [1.5], list(range(40)) * 3))
ids = st.one_of(id_lists, id_lists.map(np.asarray), id_lists.map(lambda x: kt.tensor(x) if max(map(abs, x), default=0) < 2**31 else x))
prompts = st.one_of(texts, ids)
flags = st.booleans()
seeds = st.one_of(st.none(), st.integers(0, 3), wholes, among(2**64 - 1))
numbers = st.one_of(st.floats(-2, 2), reals)
shapes = st.one_of(st.lists(st.integers(0, 4), max_size=3), st.lists(st.integers(0, 4), max_size=8), st.lists(wholes, max_size=3))
arrays = st.one_of(numbers, st.lists(numbers, max_size=3), st.builds(
    lambda shape, dtype: np.ones(shape, dtype), st.lists(st.integers(0, 4), max_size=4), among("f4", "f8", "i4", "i1", "i8", "?", "f2", "c8", "O")))


@functools.cache
def models():
    marked = kt.CharacterTokenizer(small.TEXT, mask=True)
    sizes = {"width": 32, "hidden": 64, "heads": 4}
    return {
        "gpt": small.gpt(), "bare": kt.Gpt("char-cpu", layers=1, **sizes, context=16), "wide": small.gpt(dtype="f64", positions="rotary"),
        "translator": kt.Transformer("tiny", tokenizer=small.tokenizer(), **sizes, encoder_layers=2, decoder_layers=2),
        "bert": kt.Bert("bert-tiny", tokenizer=marked, layers=1, **sizes, context=40),
    }


model = among("gpt", "bare", "wide", "translator", "translator", "bert").map(lambda name: models()[name])


writers = among("gpt", "gpt", "wide", "bare").map(lambda name: models()[name])


def tokenizer(name):
    if name == "none":
        return None
    return kt.load_tokenizer("byte") if name == "byte" else models()[name].tokenizer


tokenizers = among("gpt", "translator", "bert", "byte").map(tokenizer)


def batch(kind, rows, length):
    bert = models()["bert"].tokenizer
    if kind == "pairs":
        return kt.pairs(small.SOURCES[:rows], small.TARGETS[:rows], small.tokenizer())
    if kind == "foreign":
        return kt.windows([10**6, -5] * 40, rows=rows, length=length)
    windows = kt.windows(bert.encode(small.TEXT), rows=rows, length=length)
    return kt.masked(windows, bert) if kind == "masked" else windows


batches = st.builds(batch, among("pairs", "windows", "masked", "foreign"), among(0, 1, 3).map(lambda n: n or 1), among(1, 8, 30, 60))


def raises(*_):
    raise Oops("of the caller")


def writes(name, value):
    value.numpy()[...] = NAN
    return value


FUNCTIONS = [raises, writes, lambda name, value: value, lambda name, value: None, lambda name, value: NAN * value, lambda name, value: value.to("f64"),
             lambda name, value: value.reshape((value.size,)), lambda name, value: value[:1], lambda name, value: value.numpy().astype("i4"),
             lambda name: 0, lambda name, value: models()["gpt"].run("the").logits, lambda name, value: kt.tensor([1]), lambda name, value: "x"]
POINTS = ["*", "logits", "layers/0/*", "encoder/*", "decoder/*/cross_attention/probabilities", "*/feed_forward*", "nothing", "", "[", "*embed*", "loss"]
values = st.one_of(st.sampled_from(FUNCTIONS), arrays, arrays.filter(lambda x: not isinstance(x, np.ndarray)).map(np.asarray), st.sampled_from(JUNK))
replaces = st.one_of(st.none(), st.dictionaries(st.sampled_from(POINTS), values, max_size=2))
captures = st.one_of(st.none(), st.sampled_from(POINTS), st.lists(st.sampled_from(POINTS), max_size=2))
taps = {"capture": mostly(captures), "replace": mostly(replaces)}
weights = st.one_of(st.none(), among("f32", "bf16", "int8", "f64", "i32"))
penalties = among("len:1", "gnmt:0.6", "len:nan", "len:1e308", "gnmt:-5", "", "none", "len:")
