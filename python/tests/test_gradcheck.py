"""Gradient checks and forward mode of Python functions."""

import numpy as np
import pytest

import kette as kt


def test_a_right_function_passes_both_tests():
    check = kt.gradcheck(lambda a, b: kt.softmax(a @ b), [(3, 5), (5, 4)])
    assert check and check.ok and check.tells and check.gap <= 1e-6 and check.fault == ""
    assert check.expect().where.startswith("input ")
    found = check.to_dict()
    assert found["ok"] and found["differences"]["checked"] == 35 and found["adjoint"]["checked"] == 35
    assert str(check).startswith("differences: ok, 35 elements") and "adjoint: ok" in repr(check)


def test_inputs_are_shapes_ranges_or_values():
    assert kt.gradcheck(kt.log, [((2, 3), 0.5, 2.0)])
    assert kt.gradcheck(kt.log, [np.linspace(1, 2, 5)])
    assert kt.gradcheck(kt.log, [kt.tensor([1.0, 2.0])])
    assert kt.gradcheck(kt.log, [[1.0, 2.0]])
    assert kt.gradcheck(lambda t, ids: kt.embedding(t, ids), [(3, 4), [0, 2, 2]])
    values = np.linspace(1, 2, 5)
    kt.gradcheck(kt.square, [kt.from_dlpack(values)])
    np.testing.assert_array_equal(values, np.linspace(1, 2, 5))


def test_wrong_inputs_are_said():
    for wrong in ((3, 5), [("a",)], [((2, 3), 1.0)], ["text"], [None]):
        with pytest.raises(TypeError):
            kt.gradcheck(kt.exp, wrong)
    with pytest.raises(kt.Error, match="low below high"):
        kt.gradcheck(kt.exp, [((2, 3), 2.0, 1.0)])


def test_options():
    assert kt.gradcheck(kt.tanh, [(40, 40)], elements=5).to_dict()["differences"]["checked"] == 5
    assert kt.gradcheck(kt.tanh, [(40, 40)], fast=True)
    assert kt.gradcheck(kt.tanh, [(3, 4)], dtype="f32")
    assert not kt.gradcheck(lambda x: kt.exp(x) * 1.0, [(3, 4)], tolerance=1e-16, tries_again=False, step=1e-2)
    with pytest.raises(KeyError, match="tolerence.*tolerance"):
        kt.gradcheck(kt.exp, [(2,)], tolerence=1)
    with pytest.raises(TypeError, match="seed"):
        kt.gradcheck(kt.exp, [(2,)], seed="one")
    with pytest.raises(kt.Error, match="order"):
        kt.gradcheck(kt.exp, [(2,)], order=3)


def test_second_derivatives():
    assert kt.gradcheck(lambda a, b: kt.softmax(a @ b), [(3, 5), (5, 4)], order=2)
    assert kt.gradcheck(lambda x: kt.gelu(x), [(3, 5)], order=2)


def test_what_is_random_in_each_call_is_a_fault():
    random = np.random.default_rng(1)
    check = kt.gradcheck(lambda x: x * random.normal(), [(2, 3)])
    assert not check and "two calls differ" in check.fault
    with pytest.raises(kt.Error, match="two calls differ"):
        check.expect()


def test_what_leaves_the_tape_fails():
    check = kt.gradcheck(lambda x: kt.tensor(np.sin(x.numpy())), [(2, 3)])
    assert not check


def test_an_exception_of_the_function_passes():
    class Own(Exception):
        pass

    calls = [0]

    def late(x):
        calls[0] += 1
        if calls[0] == 4:
            raise Own("late")
        return kt.exp(x)

    with pytest.raises(Own):
        kt.gradcheck(late, [(2, 3)])
    with pytest.raises(TypeError, match="None"):
        kt.gradcheck(lambda x: None, [(2,)])
    with pytest.raises(kt.Error, match="at least one output"):
        kt.gradcheck(lambda x: (), [(2,)])
    with pytest.raises(kt.Error, match="softmax|expected"):
        kt.gradcheck(lambda x: kt.matmul(x, x), [(2, 3)])


def network():
    random = np.random.default_rng(3)
    w = kt.parameter(random.normal(size=(4, 3)), "w")
    v = kt.parameter(random.normal(size=(2, 4)), "v")
    x = random.normal(size=(5, 3))
    return lambda: kt.square(kt.linear(kt.tanh(kt.linear(x, w)), v)).mean(), w, v


@pytest.mark.parametrize("order", [1, 2])
def test_parameters(order):
    loss, w, v = network()
    checks = kt.gradcheck_parameters(loss, [w, v], order=order).expect()
    assert checks and len(checks) == 2 and [name for name, _ in checks.checks] == ["w", "v"]
    assert set(checks.to_dict()) == {"w", "v"} and "w: differences: ok" in str(checks)
    assert kt.gradcheck_parameters(loss, {"w": w, "v": v}, order=order)
    with pytest.raises(kt.Error, match="expected parameters"):
        kt.gradcheck_parameters(loss, [kt.tensor([1.0])])
    with pytest.raises(kt.Error, match="expected a parameter of f64"):
        kt.gradcheck_parameters(loss, [kt.parameter([1.0])])
    with pytest.raises(kt.Error, match="one scalar"):
        kt.gradcheck_parameters(lambda: w, [w])


def test_hessian_times_vector():
    loss, w, v = network()
    directions = [np.linspace(-1, 1, 12).reshape(4, 3), np.linspace(0, 1, 8).reshape(2, 4)]
    products = kt.hvp(loss, [w, v], directions)

    def gradients():
        for p in (w, v):
            p.zero_grad()
        with kt.Tape() as tape:
            y = loss()
        tape.backward(y)
        return [p.grad.numpy().copy() for p in (w, v)]

    at, found = [p.numpy().copy() for p in (w, v)], []
    for sign in (1, -1):
        for p, value, along in zip((w, v), at, directions):
            p.copy_from(value + sign * 1e-5 * along)
        found.append(gradients())
    for product, up, down in zip(products, *found):
        np.testing.assert_allclose(product, (up - down) / 2e-5, rtol=1e-6, atol=1e-9)
    with pytest.raises(kt.Error, match="a direction for each"):
        kt.hvp(loss, [w, v], directions[:1])


def test_jvp():
    x, dx = np.linspace(1, 2, 4), np.linspace(0, 1, 4)
    outputs, tangents = kt.jvp(lambda a: (kt.exp(a), a), [x], [dx])
    np.testing.assert_allclose(outputs[0], np.exp(x))
    np.testing.assert_allclose(tangents[0], np.exp(x) * dx)
    np.testing.assert_allclose(tangents[1], dx)
    y, dy = kt.jvp(lambda a: kt.tensor([1.0]), [x], [dx])
    assert dy.item() == 0
    with pytest.raises(kt.Error, match="a tangent for each"):
        kt.jvp(kt.exp, [x], [])
    with pytest.raises(kt.Error, match="tangent of shape"):
        kt.jvp(kt.exp, [x], [dx[:2]])


def test_jvp_of_a_parameter_within_a_tape():
    w = kt.parameter([2.0], "w", dtype="f64")
    with kt.Tape() as tape:
        y, dy = kt.jvp(lambda x: x * x * x, [w], [[1.0]])
        loss = (dy + w).sum()
    tape.backward(loss)
    assert y.tolist() == [8] and dy.tolist() == [12] and w.grad.tolist() == [13]


class Far(kt.Op):
    """x squared plus a constant, and a wrong gradient."""

    def __init__(self, offset, factor):
        self.offset, self.factor = offset, factor

    def forward(self, x):
        self.x = x
        return x * x + self.offset

    def backward(self, dy):
        return dy * self.x * self.factor


@pytest.mark.parametrize("offset, factor, dtype", [(1e12, 4.0, "f64"), (1000.0, 1.0, "f32"), (200.0, 2.4, "f32")])
def test_what_noise_hides_is_not_ok(offset, factor, dtype):
    for inputs in ([(3,)], [(0, 3)], []):
        function = Far(offset, factor) if inputs else lambda: kt.tensor([1.0])
        check = kt.gradcheck(function, inputs, dtype=dtype)
        assert not check and not check.ok and not check.tells and not check.to_dict()["tells"]
        with pytest.raises(kt.Error, match="nothing can be said"):
            check.expect()
    w = kt.parameter([0.5, 1.0, 2.0], "w", dtype=dtype)
    checks = kt.gradcheck_parameters(lambda: Far(offset, factor)(w).sum(), [w], dtype=dtype)
    assert not checks and not checks.ok
    with pytest.raises(kt.Error, match="noise hides the gradient of w"):
        checks.expect()
    with pytest.raises(kt.Error, match="expected parameters, given none"):
        kt.gradcheck_parameters(lambda: (w * w).sum(), [], dtype=dtype).expect()
    assert kt.gradcheck(Far(0.0, 2.0), [(3,)], dtype=dtype)


def test_gradients_that_arrived_before_stay():
    def fresh():
        a, b = (kt.parameter([1.0, 2.0], name, dtype="f64") for name in "ab")
        a.grad.copy_from(np.array([7.0, 7.0]))
        b.grad.copy_from(np.array([5.0, 5.0]))
        return a, b

    def check(a, b, use):
        calls = [0]

        def loss():
            calls[0] += 1
            if calls[0] == 2 and use == "throws":
                raise RuntimeError("second call")
            return (a * a * a * b).sum()

        if use == "hvp":
            kt.hvp(loss, [a], [[1.0, 0.0]])
        elif use == "throws":
            for order in (1, 2):
                with pytest.raises(RuntimeError, match="second call"):
                    kt.gradcheck_parameters(loss, [a], order=order)
                calls[0] = 0
        else:
            kt.gradcheck_parameters(loss, [a], order=use).expect()

    for use in (1, 2, "hvp", "throws"):
        a, b = fresh()
        held = a.grad
        check(a, b, use)
        assert a.grad.tolist() == [7, 7] and b.grad.tolist() == [5, 5] and held.tolist() == [7, 7]
