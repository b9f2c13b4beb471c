"""Ops written in Python."""

import gc
import subprocess
import sys
import weakref

import numpy as np
import pytest

import kette as kt


class Cube(kt.Op):
    name, formula = "cube", "x^3"

    def forward(self, x):
        self.x = x
        return x * x * x

    def backward(self, dy):
        return 3 * self.x * self.x * dy


class CubeForward(Cube):
    def jvp(self, dx):
        return 3 * self.x * self.x * dx


class CubeComposed(Cube):
    def composed(self, x):
        return x * x * x


class SumAndProduct(kt.Op):
    def forward(self, a, b):
        self.a, self.b = a, b
        return a + b, a * b

    def backward(self, dsum, dproduct):
        return dsum + self.b * dproduct, dsum + self.a * dproduct


def gradient_of(f, *values):
    inputs = [kt.parameter(value) for value in values]
    with kt.Tape() as tape:
        y = f(*inputs)
    tape.backward(y, kt.tensor(np.ones(y.shape)))
    return [x.grad.numpy() for x in inputs]


def test_values_and_gradients():
    x = np.linspace(-1, 1, 6).reshape(2, 3)
    np.testing.assert_allclose(Cube()(x), x**3)
    np.testing.assert_allclose(Cube.apply(kt.tensor(x)), x**3)
    np.testing.assert_allclose(gradient_of(Cube(), x)[0], 3 * x**2)


@pytest.mark.parametrize("op", [Cube(), CubeForward(), CubeComposed()])
def test_the_gradient_check_takes_an_op(op):
    check = kt.gradcheck(op, [(3, 5)]).expect()
    assert ("cube: expected an op that has a tangent" in check.to_dict()["no_adjoint"]) == (type(op) is Cube)


def test_the_gradient_check_takes_a_class():
    kt.gradcheck(CubeForward, [(3, 5)]).expect()


def test_several_outputs_used_alone_and_together():
    kt.gradcheck(SumAndProduct(), [(3, 4), (3, 4)]).expect()
    a, b = np.ones((2, 2)), np.full((2, 2), 3.0)
    np.testing.assert_allclose(gradient_of(lambda a, b: SumAndProduct()(a, b)[1], a, b), [b, a])


def test_one_object_may_be_called_many_times():
    op = Cube()
    np.testing.assert_allclose(gradient_of(lambda x: op(op(x)), np.full(2, 1.1)), [9 * np.full(2, 1.1) ** 8])


def test_arguments_of_the_class_reach_every_call():
    class Scale(kt.Op):
        def __init__(self, factor):
            self.factor = factor

        def forward(self, x):
            return x * self.factor

        def backward(self, dy):
            return dy * self.factor

    np.testing.assert_allclose(gradient_of(Scale(4.0), np.ones(3)), [np.full(3, 4.0)])


def test_forward_may_use_numpy():
    class Sine(kt.Op):
        def forward(self, x):
            self.x = x.numpy()
            return np.sin(self.x)

        def backward(self, dy):
            return np.cos(self.x) * dy.numpy()

    kt.gradcheck(Sine(), [(3, 4)]).expect()


def test_second_derivatives_need_composed():
    kt.gradcheck(CubeComposed(), [(3, 4)], order=2).expect()
    with pytest.raises(kt.NoTangent, match="cube: expected an op with composed"):
        kt.gradcheck(CubeForward(), [(3, 4)], order=2)


def test_tangents():
    x, dx = np.linspace(1, 2, 4), np.linspace(0, 1, 4)
    for op in (CubeForward(), CubeComposed()):
        y, dy = kt.jvp(op, [x], [dx])
        np.testing.assert_allclose(y, x**3)
        np.testing.assert_allclose(dy, 3 * x**2 * dx)
    with pytest.raises(kt.NoTangent, match="cube"):
        kt.jvp(Cube(), [x], [dx])
    np.testing.assert_allclose(kt.jvp(lambda a, b: kt.exp(a) * b, [x, x], [dx, 0 * dx])[1], np.exp(x) * x * dx)


def test_a_wrong_gradient_fails_the_check_and_says_where():
    class Wrong(Cube):
        name = "wrong"

        def backward(self, dy):
            return 2 * self.x * self.x * dy

    check = kt.gradcheck(Wrong(), [(2, 3)])
    assert not check and "input 0 [" in check.where
    with pytest.raises(kt.Error, match="input 0"):
        check.expect()


def test_an_op_without_a_name_has_its_class_s():
    x = kt.parameter(np.ones((2, 2)))
    with kt.Tape() as tape:
        SumAndProduct()(x, x)
        Cube()(x)
    assert "SumAndProduct" in repr(tape) and "cube" in repr(tape)


def fails(backward, error, text, op=Cube):
    class Failing(op):
        name = "failing"

    Failing.backward = backward
    inputs = [kt.parameter(np.ones((2, 3)))] * (2 if op is SumAndProduct else 1)
    with kt.Tape() as tape:
        y = Failing()(*inputs)
    y = y[0] if isinstance(y, tuple) else y
    with pytest.raises(error, match=text) as caught:
        tape.backward(y, kt.tensor(np.ones(y.shape)))
    return caught.value


def test_what_is_wrong_in_backward_is_said():
    fails(lambda self, dy: kt.zeros((3, 3), "f64"), kt.Error, "failing backward to its input 0: expected .*shape")
    fails(lambda self, dy: dy.to("f32"), kt.Error, "failing backward to its input 0: expected")
    fails(lambda self, dy: (dy, dy), kt.Error, "failing backward: expected 1 gradients, .*given 2")
    fails(lambda self, a, b: a, kt.Error, "failing backward.*: expected 2 gradients, .*given 1", SumAndProduct)
    fails(lambda self, dy: "text", TypeError, "expected an array")
    fails(lambda self: None, TypeError, "argument")
    fails(None, TypeError, r"failing: expected a class with a method backward\(\)")


def test_an_exception_passes_as_itself_and_says_where_it_was():
    class Own(Exception):
        pass

    thrown = Own("mine")

    def throwing(self, *inputs):
        raise thrown

    assert fails(throwing, Own, "mine") is thrown
    if sys.version_info >= (3, 11):
        assert "in backward() of the op failing" in thrown.__notes__

    class Failing(kt.Op):
        forward = throwing

    with pytest.raises(Own) as caught:
        Failing()(np.ones(2))
    assert caught.value is thrown
    with pytest.raises(Own):
        kt.gradcheck(Failing(), [(2,)])
    assert kt.add(1, 1).item() == 2  # nothing is left paused


def test_none_is_a_gradient_of_zero_and_a_missing_input():
    class First(kt.Op):
        def forward(self, a, b, c):
            assert c is None
            return a * 2

        def backward(self, dy):
            return 2 * dy, None, None

    a, b = kt.parameter(np.ones(3)), kt.parameter(np.ones(3))
    with kt.Tape() as tape:
        y = First()(a, b, None).sum()
    tape.backward(y)
    assert a.grad.numpy().tolist() == [2, 2, 2] and b.grad.numpy().tolist() == [0, 0, 0]


def test_what_is_wrong_in_forward_is_said():
    class Nothing(kt.Op):
        def forward(self, x):
            self.x = x

    with pytest.raises(TypeError, match="Nothing: expected a tensor from forward"):
        Nothing()(np.ones(2))
    with pytest.raises(TypeError, match=r"Op: expected a class with a method forward\(\)"):
        kt.Op()(np.ones(2))
    with pytest.raises(TypeError):
        Cube()("text")
    with pytest.raises(TypeError):
        Cube()(np.ones(2), np.ones(2))


def test_nothing_lives_on():
    alive = []

    class Watched(Cube):
        def forward(self, x):
            alive.append(weakref.ref(self))
            return super().forward(x)

    x = kt.parameter(np.ones(4))
    for goes_back in (True, False):
        with kt.Tape() as tape:
            y = Watched()(x).sum()
        if goes_back:
            tape.backward(y)
        del tape, y
    gc.collect()
    assert alive and all(it() is None for it in alive)


def test_an_op_may_refer_to_its_tape():
    class Holding(Cube):
        def forward(self, x):
            self.tape = tape
            alive.append(weakref.ref(self))
            return super().forward(x)

    alive, x = [], kt.parameter(np.ones(4))
    with kt.Tape() as tape:
        y = Holding()(x)
    gc.collect()
    assert alive[0]() is not None
    del tape, y, Holding
    gc.collect()
    assert alive[0]() is None


def test_no_instance_is_left_when_the_interpreter_ends():
    program = """
import numpy as np, kette as kt
class Cube(kt.Op):
    def forward(self, x):
        self.x = x
        return x * x * x
    def backward(self, dy):
        if fails: raise ValueError("mine")
        return 3 * self.x * self.x * dy
fails = False
kt.gradcheck(Cube(), [(3, 4)]).expect()
x = kt.parameter(np.ones(3))
with kt.Tape() as tape:
    y = Cube()(x).sum()
fails = True
try:
    tape.backward(y)
except ValueError:
    pass
with kt.Tape() as held:
    held_y = Cube()(x)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and done.stderr == "", done.stderr
