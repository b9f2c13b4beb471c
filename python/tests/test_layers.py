"""Layers and their parameters."""

import numpy as np
import pytest

import kette as kt

RANDOM = np.random.default_rng(2)


def made(make, **options):
    parameters = kt.Parameters()
    layer = make(parameters.scope / "layer")
    parameters.materialize(seed=3, **options)
    return layer, parameters


def test_a_layer_is_a_value_with_a_call_operator():
    layer, parameters = made(lambda scope: kt.nn.Linear(scope, 4, 3), dtype="f64")
    x = RANDOM.normal(size=(5, 4))
    np.testing.assert_allclose(layer(x), x @ layer.weight.numpy().T + layer.bias.numpy(), rtol=1e-12)
    assert layer.path == "layer" and layer.weight.is_parameter and layer.weight.name == "layer/weight"
    assert list(parameters) == parameters.keys() == ["layer/weight", "layer/bias"] and len(parameters) == 2
    assert "layer/bias" in parameters and parameters["layer/bias"].shape == (3,)
    assert dict(parameters.items()).keys() == set(parameters)
    with pytest.raises(KeyError, match="layer/wieght.*layer/weight"):
        parameters["layer/wieght"]


def test_values_are_drawn_by_seed_and_path():
    one, _ = made(lambda scope: kt.nn.Linear(scope, 4, 3))
    parameters = kt.Parameters()
    kt.nn.Norm(parameters.scope / "norm", 7)
    two = kt.nn.Linear(parameters.scope / "layer", 4, 3)
    parameters.materialize(seed=3)
    assert np.array_equal(one.weight, two.weight)


CHECKED = {
    "linear": (lambda s: kt.nn.Linear(s, 6, 3, activation="gelu", bias=False), lambda f, x: f(x)),
    "norm": (lambda s: kt.nn.Norm(s, 6), lambda f, x: f(x)),
    "rms": (lambda s: kt.nn.Norm(s, 6, kind="rms"), lambda f, x: f(x)),
    "none": (lambda s: kt.nn.Norm(s, 6, kind="none"), lambda f, x: f(x)),
    "feed_forward": (lambda s: kt.nn.FeedForward(s, 6, 8, kind="gelu"), lambda f, x: f(x)),
    "swiglu": (lambda s: kt.nn.FeedForward(s, 6, 8, kind="swiglu"), lambda f, x: f(x)),
    "self_attention": (lambda s: kt.nn.SelfAttention(s, 6, heads=2, causal=True), lambda f, x: f(x, [1, 3])),
    "cross_attention": (lambda s: kt.nn.CrossAttention(s, 6, heads=3), lambda f, x: f(x, x * 2)),
    "block": (lambda s: kt.nn.Block(s, 6, 8, heads=2, feed_forward="silu"), lambda f, x: f(x, [2, 2])),
    "pre": (lambda s: kt.nn.Block(s, 6, 8, heads=2, norm_order="pre", norm_kind="rms", feed_forward="gelu"),
            lambda f, x: f(x)),
    "memory": (lambda s: kt.nn.Block(s, 6, 8, memory=True, feed_forward="swiglu"), lambda f, x: f(x, memory=x)),
    "dropout": (lambda s: kt.nn.Block(s, 6, 8, dropout=0.3, feed_forward="gelu"),
                lambda f, x: f(x, run=kt.nn.Run(5, 1))),
}


@pytest.mark.parametrize("name", CHECKED)
def test_gradients_of_inputs_and_parameters(name):
    make, call = CHECKED[name]
    layer, parameters = made(make, dtype="f64")
    for parameter in parameters.values():
        parameter.copy_from(parameter.numpy() + 0.1 * RANDOM.normal(size=parameter.shape))
    x = kt.tensor(RANDOM.normal(size=(4, 6)))
    kt.gradcheck(lambda x: call(layer, x), [x]).expect()
    if len(parameters) > 0:
        kt.gradcheck_parameters(lambda: kt.square(call(layer, x)).mean(), parameters).expect()


def test_an_embedding_is_scaled_rows():
    layer, _ = made(lambda s: kt.nn.Embedding(s, 5, 4))
    np.testing.assert_allclose(layer([3, 0]), 2 * layer.table.numpy()[[3, 0]])
    plain, _ = made(lambda s: kt.nn.Embedding(s, 5, 4, deviation=0.02))
    np.testing.assert_allclose(plain(np.array([4])), plain.table.numpy()[[4]])


def test_a_class_of_layers_learns():
    class Net:
        def __init__(self, scope):
            self.a = kt.nn.Linear(scope / "a", 2, 16, activation="gelu")
            self.b = kt.nn.Linear(scope / "b", 16, 1)
            self.scale = scope.parameter("scale", (1,), constant=1.0)

        def __call__(self, x):
            return self.b(self.a(x)) * self.scale

    parameters = kt.Parameters()
    net = Net(parameters.scope)
    parameters.materialize(seed=1)
    x = RANDOM.normal(size=(64, 2)).astype(np.float32)
    y = (x[:, :1] * x[:, 1:]).astype(np.float32)
    losses = []
    for _ in range(200):
        parameters.zero_grad()
        with kt.Tape() as tape:
            loss = kt.square(net(x) - y).mean()
        tape.backward(loss)
        for p in parameters.values():
            p.copy_from(p.numpy() - 0.1 * p.grad.numpy())
        losses.append(loss.item())
    assert losses[-1] < 0.3 * losses[0]


def test_layers_keep_their_parameters_alive():
    layer, parameters = made(lambda s: kt.nn.Linear(s, 4, 3))
    del parameters
    assert layer(np.ones((2, 4), np.float32)).shape == (2, 3)
    scope = kt.Parameters().scope / "a" / 3
    assert scope.path == "a/3" and kt.nn.Linear(scope, 2, 2).path == "a/3"


def test_what_is_wrong_is_said():
    scope = kt.Parameters().scope
    layers = [
        (kt.nn.Linear(scope / "a", 2, 3), (np.ones((1, 2)),)),
        (kt.nn.Norm(scope / "b", 1), (np.ones((1, 1)),)),
        (kt.nn.FeedForward(scope / "c", 2, 3), (np.ones((1, 2)),)),
        (kt.nn.SelfAttention(scope / "d", 2), (np.ones((1, 2)),)),
        (kt.nn.CrossAttention(scope / "e", 2), (np.ones((1, 2)), np.ones((1, 2)))),
        (kt.nn.Block(scope / "f", 2, 3), (np.ones((1, 2)),)),
        (kt.nn.Embedding(scope / "g", 2, 3), ([1],)),
    ]
    for layer, arguments in layers:
        with pytest.raises(kt.Error, match="materialize"):
            layer(*arguments)
    for wrong in (lambda: kt.nn.Linear(scope / "h", 0, 3), lambda: kt.nn.SelfAttention(scope / "h", 4, heads=3),
                  lambda: kt.nn.Norm(scope / "h", 4, kind="batch"), lambda: kt.nn.Linear(scope / "a", 5, 3),
                  lambda: kt.nn.Linear(scope / "h", 1 << 40, 1 << 40), lambda: kt.nn.Block(scope / "h", 4, 4, heads=0)):
        with pytest.raises((kt.Error, MemoryError)):
            wrong()
    for dtype in ("bf16", "i32", "int8"):
        with pytest.raises(kt.Error, match=f"expected f32 or f64 for parameters, given {dtype}"):
            made(lambda s: kt.nn.Linear(s, 2, 3), dtype=dtype)
    layer, _ = made(lambda s: kt.nn.Block(s, 4, 4, memory=True))
    with pytest.raises(kt.Error, match="expected a memory"):
        layer(np.ones((2, 4), np.float32))


def test_parameters_that_cannot_be():
    parameters = kt.Parameters()
    kt.nn.Linear(parameters.scope / "a", 2, 3)
    for number in range(4):  # 2^64 elements together
        with pytest.raises(kt.Error, match="expected at most"):
            parameters.scope.parameter(str(number), (1 << 62,))
    for make in (lambda scope: kt.nn.Block(scope, 1, 2**63 - 1), lambda scope: kt.nn.SelfAttention(scope, 2**62), lambda scope: kt.nn.FeedForward(scope, 4, 2**62, kind="swiglu")):
        with pytest.raises(kt.Error, match="expected"):
            make(parameters.scope / "b")
    parameters.materialize()
    assert len(parameters) == 2 and parameters["a/weight"].shape == (3, 2)
    for _ in range(2):
        with pytest.raises(kt.Error, match="before materialize"):
            parameters.scope.parameter("late", ())
    assert "late" not in parameters
