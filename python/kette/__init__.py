"""Kette: automatic differentiation from scratch, and the Transformer built on it.

    import kette as kt

    x = kt.tensor([[1.0, 2.0], [3.0, 4.0]])
    w = kt.parameter([[0.5, -0.5]], "w")
    with kt.Tape() as tape:
        loss = kt.square(kt.linear(x, w)).mean()
    tape.backward(loss)
    w.grad
"""

from ._commands import *  # noqa: F403
from ._drawings import chart, heat_map  # noqa: F401
from ._kette import *  # noqa: F403
from ._kette import __version__  # noqa: F401
from ._reports import Report  # noqa: F401
from . import nn, ops  # noqa: F401
from .own_ops import Op  # noqa: F401
