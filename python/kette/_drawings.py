"""Charts and heat maps of numbers, shown in a notebook and saved as pages."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, cast

from . import _kette
from ._reports import Report

Numbers = Sequence[float]


def _numbers(values: Any) -> list[float]:
    if hasattr(values, "tolist"):
        values = values.tolist()
    return [float(value) for value in values]


def chart(
    curves: Numbers | Mapping[str, Numbers],
    x: Numbers | None = None,
    *,
    title: str = "",
    x_title: str = "",
    y_title: str = "",
    log_x: bool = False,
    log_y: bool = False,
) -> Report:
    """Draws lists of numbers over x, or over 1, 2, 3, ...: one, or several by name."""
    named = curves if isinstance(curves, Mapping) else {y_title or "value": curves}
    values = {name: _numbers(each) for name, each in named.items()}
    drawn = [(name, (_numbers(x) if x is not None else [float(i + 1) for i in range(len(y))], y)) for name, y in values.items()]
    page = _kette._chart_page(drawn, title, x_title, y_title, log_x, log_y)
    return Report(values, "", title, page, [], False)


def heat_map(
    values: Any,
    rows: Sequence[str] | None = None,
    columns: Sequence[str] | None = None,
    *,
    title: str = "",
    most: float | None = None,
) -> Report:
    """Draws a matrix of numbers from 0 to `most` (the largest size of any), or several of one size by name: the
    stronger the blue, the more. Numbers below 0 are orange, as strong at -`most`.

    rows, columns: names of each row and column, such as pieces of text."""
    named: Mapping[str, Any] = values if isinstance(values, Mapping) else {title or "map": values}
    lists = {name: each.tolist() if hasattr(each, "tolist") else each for name, each in named.items()}
    sizes = {(len(each), *{len(row) for row in each}) for each in lists.values()}
    if len(sizes) != 1 or len(size := sizes.pop()) != 2:
        raise _kette.Error("heat_map: expected matrices of one size, given others")
    flat = [(name, [float(value) for row in each for value in row]) for name, each in lists.items()]
    largest = max((abs(value) for _, each in flat for value in each if math.isfinite(value)), default=0.0)
    height, width = cast(tuple[int, int], size)
    names = [list(rows or map(str, range(height))), list(columns or map(str, range(width)))]
    if [len(each) for each in names] != [height, width]:
        raise _kette.Error(f"heat_map: expected {height} names of rows and {width} of columns, given {len(names[0])} and {len(names[1])}")
    page = _kette._map_page(flat, names[0], names[1], title, most if most is not None else largest if largest > 0 else 1.0)
    return Report(dict(lists), "", title, page, [], False)
