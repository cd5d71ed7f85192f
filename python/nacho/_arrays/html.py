"""Tables for Jupyter, which shows what ``_repr_html_`` returns."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping

from nacho._storage.views import View

_UNITS = ("KB", "MB", "GB", "TB")
_STYLE = "text-align: left; vertical-align: top"


def table(rows: Mapping[str, str]) -> str:
    """Return a table with a title in each row."""
    lines = "".join(
        f'<tr><th style="{_STYLE}">{html.escape(title)}</th>'
        f'<td style="{_STYLE}">{html.escape(text)}</td></tr>'
        for title, text in rows.items()
    )
    return f"<table>{lines}</table>"


def described(view: View, nbytes: int) -> str:
    """Return a table that describes a tensor, without its elements."""
    elements = math.prod(view.shape)
    count = view.values.size
    share = f" ({count / elements:.2%} of all elements)" if elements else ""
    return table(
        {
            "nacho.Tensor": "x".join(map(str, view.shape)),
            "format": f"{view.format}: {view.format.level_map()}",
            "type": str(view.values.dtype),
            "entries": f"{count}{share}",
            "memory": f"{_size(nbytes)} on {view.device}",
        }
    )


def _size(count: int) -> str:
    """Return a number of bytes as text."""
    exponent = next((n for n in range(4) if count < 1000 ** (n + 1)), 4)
    if not exponent:
        return f"{count} bytes"
    return f"{count / 1000**exponent:.1f} {_UNITS[exponent - 1]}"
