"""Every op of the table: bound, documented as the table says, and right from Python."""

import ast
import importlib.util
import pathlib
import threading

import numpy as np
import pytest

import kette as kt

TABLE = {line["name"]: line for line in kt.op_table()}
# Made of ops of the table, or of none.
HELPERS = {"columns", "mean", "sum_to", "rotary_table", "op_table"}
RANDOM = np.random.default_rng(5)


def parameters(definition):
    """Names and defaults of "f(a, b=1, *c)"."""
    arguments = ast.parse(f"def {definition}: ...").body[0].args
    defaults = [None] * (len(arguments.args) - len(arguments.defaults)) + [ast.unparse(d) for d in arguments.defaults]
    values = [float(d) if d is not None and d[0].isdigit() else d for d in defaults]
    names = [(argument.arg, value) for argument, value in zip(arguments.args, values)]
    return names + ([("*" + arguments.vararg.arg, None)] if arguments.vararg else [])


def test_every_function_is_of_the_table_and_every_op_a_function():
    assert set(kt.ops.__all__) == set(TABLE) | HELPERS
    for name in kt.ops.__all__:
        assert getattr(kt, name) is getattr(kt.ops, name)


@pytest.mark.parametrize("name", TABLE)
def test_an_op_is_documented_as_the_table_says(name):
    line, function = TABLE[name], getattr(kt.ops, name)
    for part in ("about", "formula", "source"):
        assert line[part] and line[part] in function.__doc__
    own = function.__doc__.splitlines()[0].split(" -> ")[0]
    assert parameters(own) == parameters(line["signature"])
    file, number = line["source"].split(":")
    root = pathlib.Path(__file__).parents[2]
    assert "OpName name" in (root / file).read_text().splitlines()[int(number) - 1]


def test_the_stub_has_every_op():
    if importlib.util.find_spec("nanobind") is None:
        pytest.skip("nanobind, which makes stubs, is not installed")
    from nanobind.stubgen import StubGen

    stubs = StubGen(kt._kette)
    stubs.put(kt._kette)
    text = stubs.get()
    for name in kt.ops.__all__:
        assert f"def {name}(" in text
    ast.parse(text)


def weighted(values):
    """A loss with another weight for each element."""
    return values * np.linspace(0.5, 1.5, num=int(np.prod(values.shape))).reshape(values.shape)


# The inputs of a gradient check of each op.
X, W = (4, 6), (3, 6)
POSITIVE = ((3, 4), 0.5, 2.0)
CHECKED = {
    "affine": (lambda x: kt.affine(x, 2.0, 1.0), [X]),
    "log": (kt.log, [POSITIVE]),
    "sqrt": (kt.sqrt, [POSITIVE]),
    "relu": (kt.relu, [POSITIVE]),
    "divide": (kt.divide, [X, ((4, 1), 0.5, 2.0)]),
    "maximum": (kt.maximum, [X, ((6,), 2.0, 3.0)]),
    "lerp": (lambda a, b: kt.lerp(a, b, 0.3), [X, (6,)]),
    "sum": (lambda x: kt.square(kt.sum(x, axis=1)), [X]),
    "max": (kt.max, [X]),
    "reshape": (lambda x: kt.square(kt.reshape(x, (3, 8))), [X]),
    "slice": (lambda x: kt.square(kt.slice(x, 1, 3)), [X]),
    "concatenate": (lambda a, b, c: kt.square(kt.concatenate(a, b, c)), [(2, 3), (1, 3), (4, 3)]),
    "transpose": (lambda x: kt.square(kt.transpose(x)), [X]),
    "matmul": (lambda a, b: kt.matmul(a, b, transpose_b=True), [X, W]),
    "linear": (lambda x, w, b: kt.linear(x, w, b, "gelu"), [X, W, (3,)]),
    "feed_forward": (lambda x, a, b, c, d: kt.feed_forward(x, a, b, c, d, "silu"), [X, (5, 6), (5,), (3, 5), (3,)]),
    "lora_linear": (lambda x, w, a, b: kt.lora_linear(x, w, None, a, b, [(1, 3)], 2.0), [X, W, (2, 6), (2, 2)]),
    "layer_norm": (kt.layer_norm, [X, (6,), (6,)]),
    "residual_layer_norm": (
        lambda x, r, g: kt.residual_layer_norm(x, r, g, dropout=0.3, seed=7), [X, X, (6,)]),
    "rms_norm": (kt.rms_norm, [X, (6,)]),
    "embedding": (lambda t: kt.square(kt.embedding(t, [2, 0, 2], scale=2.0)), [X]),
    "add_positions": (lambda x, t: kt.square(kt.add_positions(x, t, lengths=[3, 1])), [X, (3, 6)]),
    "rotary": (lambda x: kt.square(kt.rotary(x, kt.rotary_table(4, 2, dtype="f64"), turned=4)), [X]),
    "smear": (lambda x, g: kt.square(kt.smear(x, g, lengths=[1, 3])), [X, (2,)]),
    "dropout": (lambda x: kt.square(kt.dropout(x, 0.4, seed=3)), [X]),
    "self_attention": (
        lambda x: kt.self_attention(x, [3, 1], heads=2, causal=True, window=2, alibi=True), [X]),
    "cross_attention": (
        lambda q, kv: kt.cross_attention(q, kv, [1, 3], [2, 3], heads=2, dropout=0.2, seed=1), [(4, 6), (5, 12)]),
    "linear_attention": (lambda x: kt.linear_attention(x, lengths=[4], causal=True), [X]),
    "linear_cross_entropy": (
        lambda x, w, b: kt.linear_cross_entropy(x, w, b, [0, 2, 1, 1], smoothing=0.1), [X, W, (3,)]),
}


@pytest.mark.parametrize("name", TABLE)
def test_gradients(name):
    is_binary = TABLE[name]["signature"].endswith("(a, b)")
    function, inputs = CHECKED.get(name, (getattr(kt, name), [X, (6,)] if is_binary else [X]))
    kt.gradcheck(function, inputs).expect()


@pytest.mark.parametrize("name", [name for name in CHECKED if len(CHECKED[name][1]) > 1])
@pytest.mark.parametrize("first, others", [("f8", "f4"), ("f4", "f8")])
def test_operands_of_two_dtypes_are_an_error(name, first, others):
    function, inputs = CHECKED[name]
    shapes = [shape[0] if isinstance(shape[0], tuple) else shape for shape in inputs]
    arrays = [np.ones(shape, others if i else first) for i, shape in enumerate(shapes)]
    with pytest.raises(kt.Error):
        function(*arrays)


def test_values_are_those_of_numpy():
    x, y = RANDOM.normal(size=(4, 6)), RANDOM.normal(size=(6,))
    close = {"rtol": 1e-12, "atol": 1e-12}
    e = np.exp(x - x.max(axis=1, keepdims=True))
    np.testing.assert_allclose(kt.softmax(x), e / e.sum(axis=1, keepdims=True), **close)
    np.testing.assert_allclose(kt.maximum(x, y), np.maximum(x, y), **close)
    np.testing.assert_allclose(kt.sum(x), x.sum(), **close)
    np.testing.assert_allclose(kt.sum(x, axis=0, keepdims=True), x.sum(0, keepdims=True), **close)
    np.testing.assert_allclose(kt.mean(x, axis=-1), x.mean(-1), **close)
    np.testing.assert_allclose(kt.sum_to(x, (6,)), x.sum(0), **close)
    np.testing.assert_allclose(kt.columns(x, 2, 5), x[:, 2:5], **close)
    np.testing.assert_allclose(kt.concatenate([x, x[:1], x[2:]]), np.concatenate([x, x[:1], x[2:]]), **close)
    np.testing.assert_allclose(kt.linear(x, np.eye(6), y), x + y, **close)
    centred = x - x.mean(1, keepdims=True)
    norm = centred / np.sqrt((centred**2).mean(1, keepdims=True) + 1e-5)
    np.testing.assert_allclose(kt.layer_norm(x, y), norm * y, **close)
    both = kt.residual_layer_norm(x, x, y, dropout=0)
    np.testing.assert_allclose(both[0], 2 * x, **close)


def test_attention_is_the_formula_within_each_sequence():
    x = RANDOM.normal(size=(5, 12))
    out = kt.self_attention(x, lengths=[2, 3], heads=2, causal=True).numpy()
    for begin, end in ((0, 2), (2, 5)):
        for head in range(2):
            q, k, v = (x[begin:end, 4 * part + 2 * head :][:, :2] for part in range(3))
            scores = np.where(np.tri(end - begin) > 0, q @ k.T / np.sqrt(2), -np.inf)
            p = np.exp(scores)
            p /= p.sum(1, keepdims=True)
            np.testing.assert_allclose(out[begin:end, 2 * head : 2 * head + 2], p @ v, rtol=1e-12)


def test_plain_numbers_and_lists_take_the_dtype_of_the_tensor_beside_them():
    x = np.ones((2, 3))
    assert kt.add(x, 1).dtype == "f64" and kt.add(1, x).dtype == "f64"
    assert kt.multiply(x, [1, 2, 3]).dtype == "f64" and kt.multiply([1.5, 2, 3], x).dtype == "f64"
    assert kt.layer_norm(x, [1, 1, 1]).dtype == "f64"
    assert kt.softmax([1, 2, 3]).dtype == "f32" and kt.exp(1).dtype == "f32"
    assert kt.add(1, 2).item() == 3


def test_same_seed_same_dropout():
    x = np.ones((8, 64), np.float32)
    assert np.array_equal(kt.dropout(x, 0.5, seed=1), kt.dropout(x, 0.5, seed=1))
    assert not np.array_equal(kt.dropout(x, 0.5, seed=1), kt.dropout(x, 0.5, seed=2))
    assert np.array_equal(kt.dropout(x, 0), x)


@pytest.mark.parametrize("call, text", [
    (lambda x: kt.matmul(x, x), "matmul: expected"),
    (lambda x: kt.linear(x, np.ones((2, 3)), activation="gelou"), "activation: expected one of .*gelu"),
    (lambda x: kt.embedding(x, [2.0]), "embedding: expected whole numbers"),
    (lambda x: kt.embedding(x, [2]), "embedding: expected ids in 0 .. 1, given 2"),
    (lambda x: kt.embedding(x, [[1]]), "embedding: expected one id or position per row"),
    (lambda x: kt.self_attention(x, lengths=[1, 2]), "expected segments that cover"),
    (lambda x: kt.self_attention(x, lengths=[-1, 3]), "lengths: expected"),
    (lambda x: kt.self_attention(x, heads=0), "expected at least one head"),
    (lambda x: kt.self_attention(x, group=0), "groups"),
    (lambda x: kt.dropout(x, 1.0), "dropout: expected a rate"),
    (lambda x: kt.add_positions(x, x, [0, 1], lengths=[2]), "given both"),
    (lambda x: kt.smear(np.ones((2, 3)), [0.5], [1, 2]), "smear: expected .*position"),
    (lambda x: kt.concatenate(), "at least one tensor"),
    (lambda x: kt.add(x, np.ones((2, 3), np.float32)), "one dtype"),
])
def test_a_wrong_argument_is_an_error_that_says_what_is_right(call, text):
    with pytest.raises(kt.Error, match=text):
        call(np.ones((2, 3)))


def test_wrong_types_are_type_errors():
    for wrong in ("text", None, object(), {"a": 1}, ["a"], np.array([None])):
        with pytest.raises(TypeError):
            kt.softmax(wrong)
    with pytest.raises(TypeError):
        kt.layer_norm(np.ones((2, 3)), np.ones(3), eps=1)


def test_ops_release_the_lock():
    x = kt.tensor(RANDOM.normal(size=(600, 600)))
    done, counted = threading.Event(), [0]

    def count():
        while not done.is_set():
            counted[0] += 1

    thread = threading.Thread(target=count)
    thread.start()
    before = counted[0]
    for _ in range(5):
        kt.matmul(x, x)
    during = counted[0] - before
    done.set()
    thread.join()
    assert during > 100
