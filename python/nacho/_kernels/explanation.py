"""What ``nacho.explain`` returns: a text that knows its sections and has pictures."""

from __future__ import annotations

import html
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Self

from nacho._pictures.figure import Picture, as_html, plotted
from nacho._pictures.glossary import linked_table

_WIDTH = 12
_STYLE = (
    "body {font-family: sans-serif} figure {margin: 1.5em 0} "
    "figcaption {max-width: 40em; color: #555} "
    "th {text-align: left; vertical-align: top; padding-right: 1.5em} "
    "td {font-family: monospace} a {color: inherit}"
)


class Explanation(str):
    """What was done, as text that has sections and pictures."""

    sections: dict[str, tuple[str, ...]]
    """The lines of each section by its title; the first one is a verdict."""
    pictures: tuple[Picture, ...]
    """The cost and the time of parts, and the operands with the cuts of parts."""

    @classmethod
    def of(
        cls,
        sections: Sequence[tuple[str, Iterable[str]]],
        pictures: Sequence[Picture] = (),
    ) -> Self:
        """Return the text of ``sections``, with ``pictures``."""
        known = {title: tuple(lines) for title, lines in sections}
        between = "\n" + " " * _WIDTH
        texts = [
            f"{title:<{_WIDTH}}{between.join(lines)}" for title, lines in known.items()
        ]
        made = cls("\n".join(texts) + "\n")
        made.sections = known
        made.pictures = tuple(pictures)
        return made

    def _repr_html_(self) -> str:
        return f"{linked_table(self.sections)}\n{as_html(self.pictures)}"

    def to_html(self, path: str | os.PathLike[str]) -> None:
        """Write a page with the sections and the pictures to ``path``."""
        title = html.escape(self.sections["expression"][0])
        Path(path).write_text(
            '<!DOCTYPE html>\n<html lang="en">\n<meta charset="utf-8">\n'
            f"<title>{title}</title>\n<style>{_STYLE}</style>\n"
            f"{self._repr_html_()}\n</html>\n",
            encoding="utf-8",
        )

    def plot(self) -> Any:
        """Draw the pictures with matplotlib, and return the figure."""
        return plotted(self.pictures)


_BALANCED = 1.1
"""Parts that differ by less take about the same time."""


def verdict(
    parts: int, balance: float, bandwidth: float | None, is_copied: bool
) -> str:
    """Return in one line how well a call was done.

    ``bandwidth`` is the part that was used of the memory's, if that is known.
    """
    kind = "balanced" if balance < _BALANCED else "unbalanced"
    found = [f"{kind}: the heaviest of {parts} parts has {balance:.3f} of its share"]
    if parts == 1:
        found = ["in one part"]
    if bandwidth is not None:
        found.append(f"{bandwidth:.0%} of memory bandwidth")
    found.append("operands were copied" if is_copied else "nothing was copied")
    return "; ".join(found)
