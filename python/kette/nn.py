"""The layers of the Transformer: values with a call operator, whose parameters are in a kette.Parameters.

    parameters = kt.Parameters()
    layer = kt.nn.Linear(parameters.scope / "layer", 8, 3)
    parameters.materialize(seed=1)
    y = layer(x)
"""

from ._kette._nn import (
    Block,
    CrossAttention,
    Embedding,
    FeedForward,
    Linear,
    Norm,
    Run,
    Scope,
    SelfAttention,
)

__all__ = [
    "Block",
    "CrossAttention",
    "Embedding",
    "FeedForward",
    "Linear",
    "Norm",
    "Run",
    "Scope",
    "SelfAttention",
]
