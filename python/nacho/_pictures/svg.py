"""SVG as text: elements, and what all pictures look like.

Pictures are parts of HTML pages, where ``svg`` needs no namespace. A page refers to
nothing outside of itself.
"""

from __future__ import annotations

import html
from collections.abc import Iterable

Attribute = str | float
Points = Iterable[tuple[float, float]]

PART_COLORS = (
    "#8dd3c7",
    "#fdb462",
    "#bebada",
    "#b3de69",
    "#fccde5",
    "#80b1d3",
    "#ffed6f",
    "#d9d9d9",
)
"""Neighbouring parts have different colours; the colours repeat."""

BAR_COLOR, BOUND_COLOR, MEAN_COLOR = "#4878a8", "#f6d58f", "#b35806"
CELL_COLOR, SKIPPED_COLOR, CUT_COLOR = "#1b2a41", "#9a9a9a", "#c1121f"


def part_color(part: int) -> str:
    return PART_COLORS[part % len(PART_COLORS)]


def number(value: float) -> str:
    """Return a coordinate as SVG has it, to a hundredth of a pixel."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def element(name: str, *content: str, **attributes: Attribute) -> str:
    """Return an element; ``data_part=1`` is the attribute ``data-part="1"``.

    ``class_`` is ``class``. The content has been escaped by the caller.
    """
    texts = [
        f' {key.rstrip("_").replace("_", "-")}="{_shown(value)}"'
        for key, value in attributes.items()
    ]
    return f"<{name}{''.join(texts)}>{''.join(content)}</{name}>"


def _shown(value: Attribute) -> str:
    if isinstance(value, str):
        return html.escape(value)
    return str(value) if isinstance(value, int) else number(value)


def label(text: str, x: float, y: float, anchor: str = "start") -> str:
    """Return text whose baseline is at y."""
    shown = html.escape(text)
    return element("text", shown, x=x, y=y, text_anchor=anchor, fill="currentColor")


def title(text: str) -> str:
    """Return what a reader sees who points at the element that this is in."""
    return element("title", html.escape(text))


def points(places: Points) -> str:
    return " ".join(f"{number(x)},{number(y)}" for x, y in places)


def drawing(kind: str, width: float, height: float, *content: str, name: str) -> str:
    """Return a picture of a size in pixels; ``name`` is for who cannot see it."""
    return element(
        "svg",
        *content,
        class_=kind,
        viewBox=f"0 0 {number(width)} {number(height)}",
        width=width,
        height=height,
        font_family="sans-serif",
        font_size=11,
        role="img",
        aria_label=name,
    )
