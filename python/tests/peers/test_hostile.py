"""Every op on arrays of every dtype and layout, with options from the far ends: a right result or a Python exception.

The process must not end by a signal. The short form runs some hundreds of examples; KETTE_HOSTILE=20000 that many.
KETTE_HOSTILE_LOG names a file that has the last call.
"""

import gc
import os
import pathlib
import threading

os.environ.setdefault("OMP_NUM_THREADS", "1")  # small inputs: threads would wait for each other
import numpy as np  # noqa: E402
import pytest  # noqa: E402

import kette as kt  # noqa: E402

pytest.importorskip("hypothesis", reason="hypothesis, which makes the examples, is not installed")
from hypothesis import HealthCheck, given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

EXAMPLES = int(os.environ.get("KETTE_HOSTILE", "400"))
LOG = os.environ.get("KETTE_HOSTILE_LOG")
ALLOWED = (ValueError, TypeError, KeyError, IndexError, MemoryError, OverflowError)

REAL = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"]
OTHER = ["f16", "c8", "c16", "O", "U3", "S3", "M8[s]", "m8[s]", "V4", ">f4", ">f8", ">i4", "f4,i4"]
LAYOUTS = ["C", "F", "strided", "reversed", "broadcast", "misaligned", "readonly", "scalar", "list", "tensor", "shared", "parameter", "bf16"]


def laid_out(array, layout):
    """The same values in another layout, or as another object."""
    if layout == "F":
        return np.asfortranarray(array)
    if layout == "strided":
        wide = np.zeros([2 * n for n in array.shape], array.dtype)
        view = wide[(*(slice(None, None, 2) for _ in array.shape), ...)]
        view[...] = array
        return view
    if layout == "reversed":
        every = (*(slice(None, None, -1) for _ in array.shape), ...)
        return np.array(array[every], order="C")[every]
    if layout == "broadcast" and array.ndim and array.shape[0]:
        return np.broadcast_to(array[:1], array.shape)
    if layout == "misaligned" and array.dtype != object:
        memory = bytearray(array.nbytes + 1)
        view = np.frombuffer(memory, np.uint8)[1:].view(array.dtype).reshape(array.shape)
        view[...] = array
        return view
    if layout == "readonly":
        copy = array.copy()
        copy.flags.writeable = False
        return copy
    if layout == "scalar" and array.size:
        return array.reshape(-1)[0]
    if layout == "list":
        return array.tolist()
    if layout in ("tensor", "shared") and array.dtype.str[1:] in ("i1", "i4", "f4", "f8") and array.dtype.isnative and (
            array.ndim <= 6):
        return kt.from_dlpack(array.copy()) if layout == "shared" else kt.tensor(array)
    if layout in ("parameter", "bf16") and array.dtype in (np.float32, np.float64) and array.ndim <= 6:
        return kt.parameter(array) if layout == "parameter" else kt.tensor(array, "bf16")
    return array


fitting_shapes = [(), (0,), (1,), (3,), (4, 6), (4, 6), (4, 6), (6, 4), (0, 6), (4, 0), (2, 4, 6), (12,)]
shapes = st.one_of(st.sampled_from(fitting_shapes), st.lists(st.integers(0, 4), max_size=8).map(tuple))


@st.composite
def arrays(draw):
    """An array-like, and the values it has (None: not numbers, or unknown)."""
    shape, layout = draw(shapes), draw(st.sampled_from(LAYOUTS))
    dtype = np.dtype(draw(st.sampled_from(REAL * 2 + ["f4", "f8"] * 12 + OTHER)))
    random = np.random.default_rng(draw(st.integers(0, 1 << 16)))
    plain = random.normal(size=shape) * draw(st.sampled_from([1, 1, 1, 0, 100, 1e30]))
    plain = np.asarray(draw(st.sampled_from([np.asarray, np.abs, np.ceil]))(plain))
    with np.errstate(all="ignore"):
        try:
            array = np.asarray(plain).astype(dtype)
        except (TypeError, ValueError):
            array = np.zeros(shape, dtype)
    return laid_out(array, layout)


numbers = st.one_of(st.sampled_from([0, 1, -1, 2, 3, 0.5, 1e-5, 1e300, -1e300, float("nan"), float("inf"), True, None]),
                    st.integers(-2, 6))
wholes = st.one_of(st.integers(-2, 8), st.sampled_from([2**40, -(2**40), 2**62, 2**63 - 1, 2**64, None]))
lengths = st.one_of(st.none(), st.lists(st.integers(0, 4), max_size=4), st.lists(wholes, max_size=3),
                    st.sampled_from([[4], [1, 3], [2, 2], [0, 4, 0]]))
lists_of_ids = st.one_of(st.lists(st.integers(0, 3), min_size=4, max_size=4), st.lists(st.integers(-2, 5), max_size=5))
ids = st.one_of(lists_of_ids, lists_of_ids.map(lambda x: kt.tensor(np.array(x, np.int32))), lists_of_ids.map(
    lambda x: kt.from_dlpack(np.array(x, np.int32))), lists_of_ids.map(np.array), arrays(), st.just([2**31]))
flags = st.sampled_from([True, False, None, 2])
options = {
    "lengths": lengths, "query_lengths": lengths, "key_lengths": lengths, "positions": st.one_of(st.none(), ids),
    "ids": ids, "targets": ids, "shape": st.one_of(st.lists(wholes, max_size=7), shapes), "axis": wholes,
    "begin": wholes, "end": wholes, "heads": wholes, "group": wholes, "window": wholes, "turned": wholes,
    "seed": wholes, "blocks": st.one_of(st.none(), st.lists(st.tuples(wholes, wholes), max_size=3)),
    "views": st.one_of(st.none(), st.tuples(numbers, numbers, numbers)),
    "activation": st.sampled_from(["none", "relu", "gelu", "gelu_erf", "silu", "", "GELU", None]),
    "causal": flags, "alibi": flags, "keepdims": flags, "with_holes": flags, "transpose_a": flags, "transpose_b": flags,
    "table": st.one_of(arrays(), st.sampled_from([2, 4]).map(lambda width: kt.rotary_table(5, width))),
    **dict.fromkeys(["factor", "offset", "weight_of_lerp", "epsilon", "scale", "rate", "dropout", "smoothing"],
                    numbers),
}
TABLE = {line["name"]: line["signature"] for line in kt.op_table()}


@st.composite
def calls(draw):
    name = draw(st.sampled_from(sorted(TABLE)))
    inside = TABLE[name].split("(", 1)[1].rstrip(")")
    if name == "concatenate":
        return name, draw(st.lists(arrays(), max_size=3)), {}
    given, named = [], {}
    for parameter in inside.split(", "):
        key, _, default = parameter.partition("=")
        strategy = options["weight_of_lerp" if (name, key) == ("lerp", "weight") else key] if (
            key in options or (name, key) == ("lerp", "weight")) else arrays()
        if not default:
            given.append(draw(strategy))
        elif draw(st.booleans()):
            named[key] = draw(strategy)
    # Often shapes fit, and mostly dtypes as well: else few examples reach a kernel.
    if draw(st.integers(0, 2)) > 0:
        dtypes = draw(st.sampled_from([[np.float32], [np.float64], [np.float32], [np.float64], [np.float32, np.float64], REAL]))
        rows = draw(st.sampled_from([4] * 5 + [0, 1]))
        random = np.random.default_rng(1)
        fitting = {"weight": (3, 6), "bias": (3,), "gain": (6,), "inner_weight": (5, 6), "inner_bias": (5,),
                   "outer_weight": (3, 5), "outer_bias": (3,), "a": (2, 6), "b": (3, 2), "key_value": (4, 12),
                   "query": (4, 6), "gates": (2,)}
        for i, parameter in enumerate(inside.split(", ")):
            key = parameter.partition("=")[0]
            if i < len(given) and key not in options and (name, key) != ("lerp", "weight"):
                size = fitting.get(key, (rows, 6)) if name not in ("add", "subtract", "multiply", "divide") else (rows, 6)
                values = random.normal(size=size).astype(draw(st.sampled_from(dtypes)))
                given[i] = laid_out(values, draw(st.sampled_from(LAYOUTS[:7] + LAYOUTS[9:])))
    return name, given, named


def plain(value):
    """The values in fresh, dense memory, in a dtype of Kette's."""
    if isinstance(value, kt.Tensor):
        return value.clone()
    if isinstance(value, float):  # np.float64 is one, and takes the dtype of the tensor beside it
        return value
    if isinstance(value, (np.ndarray, np.generic)) and np.asarray(value).dtype.kind in "biuf":
        array = np.array(value, order="C")
        native = array.dtype.newbyteorder("=")
        whole = array.dtype.kind in "biu"
        size = array.dtype.itemsize
        return kt.tensor(array.astype(np.int8 if native == np.int8 else np.int32 if whole else
                                      native if size in (4, 8) else np.float32))
    return value


def is_differentiable(value):
    if isinstance(value, kt.Tensor):
        return value.dtype in ("f32", "f64", "bf16")
    return isinstance(value, np.ndarray) and value.dtype.kind == "f"


def listed(result):
    all_of = result if isinstance(result, tuple) else [result]
    return [np.asarray(x.to("f32") if isinstance(x, kt.Tensor) and x.dtype == "bf16" else x) for x in all_of]


NUMPY = {"add": np.add, "subtract": np.subtract, "multiply": np.multiply, "divide": np.divide, "exp": np.exp,
         "log": np.log, "sqrt": np.sqrt, "square": np.square, "tanh": np.tanh, "maximum": np.maximum, "matmul": np.matmul}
OUTCOMES = {"result": 0, "exception": 0}


@settings(max_examples=EXAMPLES, deadline=None, database=None, derandomize=EXAMPLES <= 400,
          suppress_health_check=list(HealthCheck))
@given(calls(), st.booleans())
def test_a_right_result_or_an_exception(call, with_tape):
    name, given, named = call
    op = getattr(kt, name)
    if LOG:
        pathlib.Path(LOG).write_text(f"{call}, {with_tape}")
    try:
        result = op(*given, **named)
    except ALLOWED:
        OUTCOMES["exception"] += 1
        return
    OUTCOMES["result"] += 1
    clean = op(*map(plain, given), **{key: plain(value) for key, value in named.items()})
    for got, expected in zip(listed(result), listed(clean)):
        np.testing.assert_array_equal(got, expected)
    if name in NUMPY and not named and all(isinstance(x, np.ndarray) for x in given):
        with np.errstate(all="ignore"):
            expected = NUMPY[name](*[x.astype(np.float64) for x in given])
        got = listed(result)[0]
        tolerance = 1e-12 if got.dtype == np.float64 else 3e-5
        finite = np.isfinite(expected) & (np.abs(expected) < 1e37) & (np.abs(expected) > 1e-30)
        size = np.abs(np.where(finite, expected, 0)).max(initial=1)
        np.testing.assert_allclose(got[finite], expected[finite], rtol=tolerance, atol=tolerance * size)
    if not with_tape:
        return
    try:
        with kt.Tape() as tape:
            watched = [tape.watch(x) if is_differentiable(x) else x for x in given]
            y = op(*watched, **named)
        y = y[0] if isinstance(y, tuple) else y
        for x in [*given, *named.values()]:  # backward() must not go by ids that have changed since
            if isinstance(x, kt.Tensor) and x.dtype == "i32":
                x.numpy()[...] = 10**9
        tape.backward(y, kt.full(y.shape, 1.0, y.dtype))
        for x in watched:
            if isinstance(x, kt.Tensor):
                gradient = tape.gradient(x)
                assert gradient is None or gradient.shape == x.shape
    except ALLOWED:
        pass


class Tapes:
    """Tapes, and values that may be on them, of which each step takes some."""

    def __init__(self):
        self.tapes, self.values = [], [kt.parameter(np.ones((2, 2))), kt.parameter(np.ones(2)), kt.tensor(np.ones((2, 2)))]

    def step(self, what, i, j):
        tape = self.tapes[i % len(self.tapes)] if self.tapes else kt.Tape()
        x, y = self.values[i % len(self.values)], self.values[j % len(self.values)]
        if what == "new":
            self.tapes.append(kt.Tape())
        elif what == "enter":
            tape.__enter__()
        elif what == "exit":
            tape.__exit__(None, None, None)
        elif what == "op":
            self.values.append([kt.add, kt.multiply, kt.matmul, lambda a, b: kt.exp(a), lambda a, b: a.sum(), lambda a, b: a[:1]][(i + j) % 6](x, y))
        elif what == "watch":
            self.values.append(tape.watch(x))
        elif what == "backward":
            tape.backward(x)
        elif what == "backward with":
            tape.backward(x, y)
        elif what == "gradient":
            self.values.append(tape.gradient(x) or kt.tensor(1.0))
        elif what == "freeze":
            x.frozen = not x.frozen
        elif what == "write":
            x.copy_from(y)
        elif what == "clear":
            x.zero_grad()
        elif what == "drop" and self.tapes:
            del self.tapes[i % len(self.tapes)]
        elif what == "forget":
            del self.values[3 + i % 5 :]
        elif what == "thread":
            thread = threading.Thread(target=self.try_step, args=(["exit", "enter", "op", "backward", "watch"][j % 5], i, j))
            thread.start()
            thread.join()
        elif what == "collect":
            gc.collect()
        else:
            repr(tape), len(tape), tape._repr_html_()

    def try_step(self, *step):
        try:
            self.step(*step)
        except ALLOWED:
            pass


STEPS = ["new", "enter", "exit", "op", "watch", "backward", "backward with", "gradient", "freeze", "write", "clear", "drop", "forget", "thread", "collect", "show"]


@settings(max_examples=EXAMPLES // 4, deadline=None, database=None, derandomize=EXAMPLES <= 400)
@given(st.lists(st.tuples(st.sampled_from(STEPS[:6] * 2 + STEPS), st.integers(0, 30), st.integers(0, 30)), min_size=3, max_size=30))
def test_tapes_in_any_order(steps):
    if LOG:
        pathlib.Path(LOG).write_text(f"{steps}")
    tapes = Tapes()
    for step in [("new", 0, 0), ("enter", 0, 0), *steps]:
        tapes.try_step(*step)
    for number in range(len(tapes.tapes)):
        tapes.try_step("exit", number, 0)


@settings(max_examples=EXAMPLES // 4, deadline=None, database=None, derandomize=EXAMPLES <= 400)
@given(st.sampled_from(["rotary_table", "sum_to", "columns", "mean"]),
       st.lists(st.one_of(wholes, arrays()), max_size=5))
def test_helpers(name, given):
    try:
        getattr(kt, name)(*given)
    except ALLOWED:
        pass


def test_a_tensor_of_torch_that_changes_its_memory():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    for change in (lambda x: x.set_(torch.zeros(4)), lambda x: setattr(x, "data", torch.zeros(4))):
        lent = torch.ones(4 * 10**6)
        tensor = kt.from_dlpack(lent)
        lent[0] = 2
        change(lent)
        assert tensor[:2].tolist() == [2, 1] and tensor.sum().item() == 4 * 10**6 + 1


def test_outcomes(capsys):
    with capsys.disabled():
        print(f"\nhostile calls: {OUTCOMES['result']} results, {OUTCOMES['exception']} exceptions")
    assert OUTCOMES["result"] >= EXAMPLES // 10
