"""Ops written in Python."""

import copy
from collections.abc import Callable
from typing import Any

from ._kette import _apply_op

__all__ = ["Op"]


class Op:
    """A differentiable op in Python: a class with forward() and backward().

        class Cube(kt.Op):
            name, formula = "cube", "x^3"

            def forward(self, x):
                self.x = x
                return x * x * x

            def backward(self, dy):
                return 3 * self.x * self.x * dy

        y = Cube()(x)                       # or Cube.apply(x)
        kt.gradcheck(Cube(), [(3, 5)]).expect()

    forward() gets the inputs as constants, and returns a Tensor or a tuple of them. backward() gets
    the gradient of each output (zeros for one that nothing depends on), and returns that of each
    input, or None for none. Every call works on a copy of the object, so that what forward() saves
    in self is that call's own.

    For forward mode (kt.jvp, the adjoint test of kt.gradcheck) an op may also have
    jvp(self, *tangents), which returns the tangent of each output, or composed(self, *inputs), the
    same function made of other ops, which serves second derivatives as well.
    """

    name: str = ""
    """The op's name in listings, pages and errors; the class's own if empty."""
    formula: str = ""
    """Shown beside the name."""
    forward: Callable[..., Any]
    backward: Callable[..., Any]

    def __call__(self, *inputs: Any) -> Any:
        """Applies the op: a Tensor, or a tuple of them."""
        return _apply_op(copy.copy(self), *inputs)

    @classmethod
    def apply(cls, *inputs: Any) -> Any:
        """Applies a new object of the class."""
        return cls()(*inputs)
