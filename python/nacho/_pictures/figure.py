"""Pictures as HTML, and as a figure of matplotlib."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol

from nacho._pictures.svg import element
from nacho.errors import UnsupportedError

_LINES = "white-space: pre-wrap; text-align: left"
"""Keeps lines apart, also in Jupyter, which has styles of its own."""


class Picture(Protocol):
    """What can be drawn."""

    @property
    def title(self) -> str: ...

    @property
    def caption(self) -> str: ...

    def svg(self) -> str: ...

    def plot(self, axes: Any) -> None: ...


def table(
    rows: Mapping[str, Iterable[str]], shown: Callable[[str], str] = html.escape
) -> str:
    """Return a table with a row of lines for each title; ``shown`` makes them HTML."""
    texts = [
        element("th", shown(title))
        + element("td", shown("\n".join(lines)), style=_LINES)
        for title, lines in rows.items()
    ]
    return element("table", "\n", *(element("tr", text) + "\n" for text in texts))


def as_html(pictures: Sequence[Picture]) -> str:
    """Return the pictures with their titles and captions, one after the other."""
    return "\n".join(framed(each.title, each.svg(), each.caption) for each in pictures)


def framed(title: str, svg: str, caption: str) -> str:
    """Return a picture with its title above it and its caption below."""
    texts = element("b", html.escape(title)), html.escape(caption)
    return element(
        "figure",
        element("div", texts[0]),
        svg,
        element("figcaption", texts[1]),
    )


def plotted(pictures: Sequence[Picture]) -> Any:
    """Return a figure of matplotlib with all pictures below each other."""
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise UnsupportedError(
            "plot() needs the package matplotlib: pip install matplotlib. to_html() "
            "draws the same without it"
        ) from error
    figure, rows = pyplot.subplots(
        len(pictures),
        squeeze=False,
        figsize=(8, 3.2 * len(pictures)),
        layout="constrained",
    )
    for picture, (axes,) in zip(pictures, rows, strict=True):
        picture.plot(axes)
    return figure
