"""What a command found."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

from ._kette import Error


class Report(Mapping[str, Any]):
    """The result of a command: values as a dict, a text, and for many commands a page.

    ``report["bleu"]`` and ``report.to_dict()`` are what --json prints, ``report.rows()`` a table for pandas,
    ``str(report)`` the text. A notebook shows the page.
    """

    def __init__(
        self, values: dict[str, Any], text: str, title: str, page: str | None, messages: list[str], failed: bool
    ) -> None:
        self._values, self._text, self._page = values, text, page
        self.title = title
        """Of the page; "" without one."""
        self.messages = messages
        """What the command said beside its result: warnings and notes, a line each."""
        self.failed = failed
        """Whether what was found is bad, where the command judges it: gradients that are wrong, models that differ."""

    def __getitem__(self, key: str) -> Any:
        if key not in self._values:
            raise KeyError(f"report: expected one of {', '.join(self._values) or 'no values'}, given {key}")
        return self._values[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __str__(self) -> str:
        if self._text:
            return self._text
        return "".join(f"{key:<34} {value}\n" for key, value in self._values.items() if not isinstance(value, list))

    def __repr__(self) -> str:
        return f"<kette.Report of {', '.join(self._values) or 'a text'}>"

    @property
    def lines(self) -> list[str]:
        """The lines of the text, as of a command that writes one for each of its input."""
        return self._text.removesuffix("\n").split("\n") if self._text else []  # splitlines() knows other ends

    def to_dict(self) -> dict[str, Any]:
        """All values, as --json prints them."""
        return dict(self._values)

    def rows(self, name: str | None = None) -> list[dict[str, Any]]:
        """A table as a list of dicts, for pandas.DataFrame. Without a name, the first one."""
        tables = {key: rows for key, value in self._values.items() if (rows := _rows(value))}
        if name is None and tables:
            return next(iter(tables.values()))
        if name not in tables:
            given = "none" if name is None else name
            raise KeyError(f"rows: expected a table of the report ({', '.join(tables) or 'it has none'}), given {given}")
        return tables[name]

    def page(self) -> str:
        """The page as HTML, whole in itself."""
        if self._page is None:
            raise Error("page: expected the report of a command that makes one, given one without")
        return self._page

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the page to a file."""
        page = self.page()
        with open(path, "w", encoding="utf-8") as file:
            file.write(page)

    def _repr_html_(self) -> str | None:
        import html  # takes time, and is seldom needed; so in _running

        if self._page is None:
            return None if not self._text else f"<pre>{html.escape(self._text)}</pre>"
        fit = "this.style.height=Math.min(this.contentDocument.documentElement.scrollHeight+20,900)+'px'"
        return (
            f'<iframe srcdoc="{html.escape(self._page, quote=True)}" onload="{fit}" '
            'style="width:100%;height:500px;border:0"></iframe>'
        )


def _rows(value: Any) -> list[dict[str, Any]]:
    """Of a list of objects, or of objects by name; none of anything else."""
    if isinstance(value, list) and all(isinstance(row, dict) for row in value):
        return list(value)
    if isinstance(value, dict) and all(isinstance(row, dict) for row in value.values()):
        return [{"name": name, **row} for name, row in value.items()]
    return []
