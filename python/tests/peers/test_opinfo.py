"""PyTorch's own samples of its ops (OpInfo) through Kette's: values as torch's, gradients as torch's and accepted by
torch.autograd.gradcheck. Skipped without torch, or without expecttest, which its samples need.

An adapter may reshape, transpose and expand in torch; the function itself is Kette's. What Kette cannot express is a
Skip with its reason, which the last test prints.

Ops that torch lacks are checked on their own samples with plain references, in C++: affine, feed_forward, lora_linear,
residual_layer_norm, add_positions, rotary, smear, linear_attention, swiglu (torch's glu has another gate), dropout
(other random numbers).
"""

import collections
import math
import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # samples are small: threads would wait for each other

import numpy as np  # noqa: E402
import pytest  # noqa: E402

import kette as kt  # noqa: E402

torch = pytest.importorskip("torch", reason="PyTorch, whose samples these are, is not installed")
pytest.importorskip("expecttest", reason="expecttest, which PyTorch's samples need, is not installed")
torch.set_num_threads(1)
from torch.testing._internal.common_methods_invocations import op_db  # noqa: E402


class Skip(Exception):
    """What Kette cannot express, and why."""


def kette_of(tensor):
    return kt.from_dlpack(tensor.detach().contiguous())


class Through(torch.autograd.Function):
    """A function of Kette's tensors as one of torch's."""

    @staticmethod
    def forward(ctx, call, *inputs):
        ctx.call, ctx.inputs = call, inputs
        return torch.from_dlpack(call(*map(kette_of, inputs))).clone()

    @staticmethod
    def backward(ctx, dy):
        with kt.Tape() as tape:
            watched = [tape.watch(kette_of(x)) for x in ctx.inputs]
            y = ctx.call(*watched)
        tape.backward(y, kette_of(dy))
        gradients = [tape.gradient(x) for x in watched]
        return None, *(torch.zeros_like(x) if g is None else torch.from_dlpack(g).clone()
                       for x, g in zip(ctx.inputs, gradients))


def through(call, *inputs):
    return Through.apply(call, *inputs)


# Adapters: called as torch's op.


def unary(op):
    return lambda x, **options: through(op, x)


def binary(op):
    def adapter(a, b, *, alpha=1, **options):
        scaled = (lambda b: kt.affine(b, alpha)) if alpha != 1 else (lambda b: b)
        if not isinstance(b, torch.Tensor):
            return through(lambda a: op(a, scaled(b)), a)
        return through(lambda a, b: op(a, scaled(b)), a, b)

    return adapter


def rsub(a, b, *, alpha=1):
    if not isinstance(b, torch.Tensor):
        return through(lambda a: kt.subtract(b, kt.affine(a, alpha)), a)
    return binary(kt.subtract)(b, a, alpha=alpha)


def lerp(a, b, weight):
    if isinstance(weight, torch.Tensor):
        raise Skip("a weight for each element: Kette's is one number")
    return through(lambda a, b: kt.lerp(a, b, weight), a, b)


def gelu(x, approximate="none"):
    return through(kt.gelu if approximate == "tanh" else kt.gelu_erf, x)


def axes_of(x, dim):
    axes = range(x.ndim) if dim is None or dim == () else [dim] if isinstance(dim, int) else dim
    return sorted({axis % max(x.ndim, 1) for axis in axes})


def reduction(op):
    def adapter(x, dim=None, keepdim=False):
        axes = axes_of(x, dim) if x.ndim else []
        kept = [1 if axis in axes else extent for axis, extent in enumerate(x.shape)]
        y = through(lambda x: op(x, kept, math.prod(x.shape[axis] for axis in axes)), x)
        return y if keepdim else y.reshape([extent for axis, extent in enumerate(x.shape) if axis not in axes])

    return adapter


def amax(x, dim=None, keepdim=False):
    axes = axes_of(x, dim) if x.ndim else []
    others = [axis for axis in range(x.ndim) if axis not in axes]
    rows = x.permute(others + axes).reshape([x.shape[axis] for axis in others] + [-1])
    y = through(kt.max, rows).squeeze(-1)
    return y.reshape([1 if axis in axes else e for axis, e in enumerate(x.shape)]) if keepdim else y


def reshaped(torch_op):
    """Any view of the same elements in their order."""

    def adapter(x, *args, **options):
        shape = tuple(torch_op(x.detach(), *args, **options).shape)
        return through(lambda x: kt.reshape(x, shape), x)

    return adapter


def transpose(x, dim0, dim1):
    if x.ndim < 2:
        raise Skip("fewer than two axes: Kette's transpose is that of matrices")
    dim0, dim1 = dim0 % x.ndim, dim1 % x.ndim
    if dim0 == dim1:
        raise Skip("an axis with itself")
    return through(kt.transpose, x.movedim((dim0, dim1), (-2, -1))).movedim((-2, -1), (dim0, dim1))


def matrix_transpose(x):
    if x.ndim < 2:
        raise Skip("fewer than two axes: Kette's transpose is that of matrices")
    return through(kt.transpose, x)


def cat(tensors, dim=0):
    if len({tuple(t.shape[:dim] + t.shape[dim:][1:]) for t in tensors}) > 1 or len({t.ndim for t in tensors}) > 1:
        raise Skip("an empty vector beside matrices, which torch has kept from older days")
    return through(lambda *all: kt.concatenate(*all), *(t.movedim(dim, 0) for t in tensors)).movedim(0, dim)


def narrow(x, dim, start, length):
    start = int(start) % x.shape[dim]
    return through(lambda x: kt.slice(x, start, start + length), x.movedim(dim, 0)).movedim(0, dim)


def matmul(a, b):
    if a.ndim == 1 and b.ndim == 1:
        return through(kt.matmul, a[None], b[:, None])[0, 0]
    if a.ndim == 1:
        return matmul(a[None], b)[..., 0, :]
    if b.ndim == 1:
        return matmul(a, b[:, None])[..., 0]
    batch = torch.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    return through(kt.matmul, a.expand(batch + a.shape[-2:]), b.expand(batch + b.shape[-2:]))


def addmm(x, a, b, *, alpha=1, beta=1):
    if beta == 0:  # x is not read, whatever is in it
        return through(lambda a, b: kt.affine(kt.matmul(a, b), alpha), a, b)
    product = lambda x, a, b: kt.affine(x, beta) + kt.affine(kt.matmul(a, b), alpha)  # noqa: E731
    return through(product, x, a, b)


def addmv(x, a, b, *, alpha=1, beta=1):
    return addmm(x[..., None] if x.ndim else x, a, b[:, None], alpha=alpha, beta=beta)[..., 0]


def linear(x, weight, bias=None):
    if weight.ndim == 1:
        return linear(x, weight[None], bias)[..., 0]
    return through(kt.linear, x, weight) if bias is None else through(kt.linear, x, weight, bias)


def rowwise(op):
    def adapter(x, dim, dtype=None):
        if dtype is not None:
            raise Skip("another dtype for the result: convert the input")
        if x.ndim == 0:
            return through(op, x.reshape(1)).reshape(())
        if x.shape[dim] == 0:
            raise Skip("rows without an element: an Error in Kette")
        return through(op, x.movedim(dim, -1)).movedim(-1, dim)

    return adapter


def norm(op):
    def adapter(x, shape, weight=None, bias=None, eps=None):
        eps = eps if eps is not None else 1e-5 if op is kt.layer_norm else torch.finfo(x.dtype).eps
        width = math.prod(shape)
        weight = torch.ones(width, dtype=x.dtype) if weight is None else weight.reshape(-1)
        biases = [] if bias is None else [bias.reshape(-1)]
        call = lambda x, *parameters: op(x, *parameters, epsilon=eps)  # noqa: E731
        return through(call, x.reshape(x.shape[: x.ndim - len(shape)] + (width,)), weight, *biases).reshape(x.shape)

    return adapter


def embedding(weight, ids, **options):
    if options:
        raise Skip(f"{', '.join(options)}: not in Kette")
    rows = through(lambda table: kt.embedding(table, ids.reshape(-1).numpy()), weight)
    return rows.reshape(ids.shape + weight.shape[1:])


def index_select(x, dim, index):
    if x.ndim < 2:
        raise Skip("fewer than two axes: Kette's table has rows")
    rows = x.movedim(dim, 0)
    y = through(lambda table: kt.embedding(table, index.reshape(-1).numpy()), rows.reshape(rows.shape[0], -1))
    return y.reshape((-1,) + rows.shape[1:]).movedim(0, dim)


def cross_entropy(x, target, weight=None, reduction="mean", ignore_index=None, label_smoothing=0.0):
    if target.is_floating_point():
        raise Skip("a distribution as target: Kette's is a token")
    if weight is not None or ignore_index is not None:
        raise Skip("weights of classes, or a class to ignore: not in Kette")
    if reduction == "none":
        raise Skip("a loss for each row: Kette's is their sum")
    rows = x.movedim(1, -1).reshape(-1, x.shape[1])
    scale = 1 / rows.shape[0] if reduction == "mean" else 1.0
    identity = torch.eye(x.shape[1], dtype=x.dtype)
    return through(lambda x: kt.linear_cross_entropy(x, kette_of(identity), None, target.reshape(-1).numpy(),
                                                     smoothing=label_smoothing, scale=scale), rows)


def attention(q, k, v, attn_mask=None, dropout_p=0.0, is_causal=False, enable_gqa=False):
    if attn_mask is not None:
        raise Skip("an added mask: Kette's attention has patterns")
    if dropout_p > 0:
        raise Skip("dropout: other random numbers")
    if is_causal and q.shape[-2] != k.shape[-2]:
        raise Skip("causal with more keys than queries: torch's first query sees the first key alone, Kette's last all")
    batch = torch.broadcast_shapes(q.shape[:-2], k.shape[:-2])
    q, k, v = (x.expand(batch + x.shape[-2:]) for x in (q, k, v))
    heads = batch[-1] if len(batch) > 1 else 1
    texts = math.prod(batch) // heads
    packed = [x.reshape(texts, heads, *x.shape[-2:]).transpose(1, 2).reshape(texts * x.shape[-2], -1)
              for x in (q, k, v)]
    y = through(lambda q, kv: kt.cross_attention(q, kv, [q.shape[0] // texts] * texts, [kv.shape[0] // texts] * texts,
                                                 heads=heads, causal=is_causal),
                packed[0], torch.cat(packed[1:], -1))
    return y.reshape(texts, q.shape[-2], heads, -1).transpose(1, 2).reshape(q.shape)


ADAPTERS = {
    "add": binary(kt.add), "sub": binary(kt.subtract), "mul": binary(kt.multiply),
    "div.no_rounding_mode": binary(kt.divide),
    "true_divide": binary(kt.divide), "rsub": rsub, "maximum": binary(kt.maximum),
    "max.binary": binary(kt.maximum), "fmax": binary(kt.maximum), "lerp": lerp,
    "exp": unary(kt.exp), "log": unary(kt.log), "sqrt": unary(kt.sqrt), "square": unary(kt.square),
    "tanh": unary(kt.tanh),
    "sigmoid": unary(kt.sigmoid), "nn.functional.relu": unary(kt.relu), "nn.functional.silu": unary(kt.silu),
    "special.ndtr": unary(kt.normal_cdf), "nn.functional.gelu": gelu, "neg": unary(lambda x: kt.affine(x, -1)),
    "reciprocal": unary(lambda x: kt.divide(1, x)), "rsqrt": unary(lambda x: kt.divide(1, kt.sqrt(x))),
    "sum": reduction(lambda x, shape, count: kt.sum_to(x, shape)),
    "mean": reduction(lambda x, shape, count: kt.affine(kt.sum_to(x, shape), 1 / count)),
    "amax": amax, "max.reduction_no_dim": amax, "max.reduction_with_dim": amax,
    "reshape": reshaped(torch.reshape), "view": reshaped(torch.reshape), "flatten": reshaped(torch.flatten),
    "unsqueeze": reshaped(torch.unsqueeze), "squeeze": reshaped(torch.squeeze), "ravel": reshaped(torch.ravel),
    "transpose": transpose, "t": matrix_transpose, "mT": matrix_transpose, "cat": cat, "narrow": narrow,
    "matmul": matmul, "mm": matmul, "bmm": matmul, "mv": matmul, "dot": matmul, "addmm": addmm, "addmv": addmv,
    "baddbmm": addmm, "nn.functional.linear": linear,
    "softmax": rowwise(kt.softmax), "log_softmax": rowwise(kt.log_softmax), "softmax.with_dtype": rowwise(kt.softmax),
    "log_softmax.with_dtype": rowwise(kt.log_softmax),
    "nn.functional.layer_norm": norm(kt.layer_norm), "nn.functional.rms_norm": norm(kt.rms_norm),
    "nn.functional.embedding": embedding, "index_select": index_select, "nn.functional.cross_entropy": cross_entropy,
    "nn.functional.scaled_dot_product_attention": attention,
}
# Where torch's value is not exact: its ndtr cancels in the tail (5.6e-17 at -8.3, where 4.6e-17 is right).
REFERENCES = {"special.ndtr": lambda x: torch.erfc(x * -math.sqrt(0.5)) / 2}
ENTRIES = {op.full_name: op for op in op_db if op.full_name in ADAPTERS}
REFUSED = collections.Counter()  # (op, reason)
CHECKED = collections.Counter()


def samples_of(name, dtype):
    torch.manual_seed(0)
    np.random.seed(0)
    return list(ENTRIES[name].sample_inputs("cpu", dtype, requires_grad=True))


def flat(sample):
    """All arguments in a list, and what puts them together again."""
    arguments = [sample.input, list(sample.args), sample.kwargs]
    values, tree = torch.utils._pytree.tree_flatten(arguments)
    return values, lambda values: torch.utils._pytree.tree_unflatten(values, tree)


def call(op, arguments):
    first, args, kwargs = arguments
    y = op(first, *args, **kwargs)
    return y if isinstance(y, torch.Tensor) else y[0]


@pytest.mark.parametrize("name", ADAPTERS)
def test_values_and_gradients_are_those_of_torch(name):
    if name not in ENTRIES:
        pytest.skip(f"{name}: this torch has no samples of it")
    for dtype, tolerance in ((torch.float64, 1e-12), (torch.float32, 1e-5)):
        for number, sample in enumerate(samples_of(name, dtype)):
            values, together = flat(sample)
            where = f"{name}, sample {number}, {dtype}"
            try:
                got = call(ADAPTERS[name], together(values))
            except Skip as skip:
                REFUSED[name, str(skip)] += dtype == torch.float64
                continue
            expected = call(REFERENCES.get(name, ENTRIES[name]), together(values))
            assert got.shape == expected.shape and got.dtype == dtype, where
            size = expected.detach().abs().nan_to_num(0).max().item() if expected.numel() else 1
            torch.testing.assert_close(got, expected, rtol=tolerance, atol=tolerance * size, equal_nan=True, msg=where)
            if dtype != torch.float64:
                continue
            CHECKED[name] += 1
            places = [i for i, x in enumerate(values) if isinstance(x, torch.Tensor) and x.requires_grad]
            inputs = [values[i].detach().clone().requires_grad_() for i in places]

            def at(op):
                moved = list(values)
                return lambda *xs: call(op, together([xs[places.index(i)] if i in places else x
                                                      for i, x in enumerate(moved)]))

            assert torch.autograd.gradcheck(at(ADAPTERS[name]), inputs), where
            if expected.isfinite().all():
                dy = torch.randn(expected.shape, dtype=dtype)
                own, theirs = (torch.autograd.grad(at(op)(*inputs), inputs, dy, materialize_grads=True)
                               for op in (ADAPTERS[name], ENTRIES[name]))
                for a, b in zip(own, theirs):
                    torch.testing.assert_close(a, b, rtol=1e-10, atol=1e-11, msg=where)


def test_how_many(capsys):
    if len(CHECKED) + len({name for name, _ in REFUSED}) < len(ENTRIES) // 2:
        pytest.skip("only a part of the samples was run")
    with capsys.disabled():
        print(f"\n{sum(CHECKED.values())} samples of {len(CHECKED)} entries checked; skipped:")
        for (name, reason), count in sorted(REFUSED.items()):
            print(f"  {count:3} {name}: {reason}")
    assert sum(CHECKED.values()) >= 200
