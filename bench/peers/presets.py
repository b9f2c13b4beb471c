"""Kette's presets, as the peers' programs build them."""

import dataclasses


@dataclasses.dataclass
class Transformer:
    layers: int  # of the encoder, and of the decoder
    width: int
    hidden: int
    heads: int
    rows: int  # of the vocabulary
    dropout: float


@dataclasses.dataclass
class Gpt:
    layers: int
    heads: int
    width: int
    context: int
    rows: int
    windows: int  # of the context, in a training step
    dropout: float


TRANSFORMERS = {
    "tiny": Transformer(layers=4, width=128, hidden=256, heads=4, rows=10000, dropout=0.3),
    "base": Transformer(layers=6, width=512, hidden=2048, heads=8, rows=37000, dropout=0.1),
}
GPTS = {
    "char-cpu": Gpt(layers=4, heads=4, width=128, context=64, rows=66, windows=12, dropout=0.0),
    "char": Gpt(layers=6, heads=6, width=384, context=256, rows=66, windows=64, dropout=0.2),
    "gpt2": Gpt(layers=12, heads=12, width=768, context=1024, rows=50257, windows=12, dropout=0.1),
    "gpt2-medium": Gpt(
        layers=24, heads=16, width=1024, context=1024, rows=50257, windows=12, dropout=0.1
    ),
}
