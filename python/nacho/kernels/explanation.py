"""``nacho.explain``, and what it returns: a text that knows its sections."""

from __future__ import annotations

import html
import os
from collections.abc import Iterable, Sequence
from pathlib import Path

_WIDTH = 12
_STYLE = (
    "th {text-align: left; vertical-align: top; padding-right: 1.5em} "
    "td {white-space: pre-wrap; font-family: monospace}"
)


class Explanation(str):
    """What was done, as text; ``sections`` has the lines of each part by its title."""

    sections: dict[str, tuple[str, ...]]

    @classmethod
    def of(cls, sections: Sequence[tuple[str, Iterable[str]]]) -> Explanation:
        """Return the text of sections."""
        known = {title: tuple(lines) for title, lines in sections}
        between = "\n" + " " * _WIDTH
        texts = [
            f"{title:<{_WIDTH}}{between.join(lines)}" for title, lines in known.items()
        ]
        made = cls("\n".join(texts) + "\n")
        made.sections = known
        return made

    def _repr_html_(self) -> str:
        rows = "\n".join(
            f"<tr><th>{html.escape(title)}</th>"
            f"<td>{html.escape(chr(10).join(lines))}</td></tr>"
            for title, lines in self.sections.items()
        )
        return f"<table>\n{rows}\n</table>"

    def to_html(self, path: str | os.PathLike[str]) -> None:
        """Write a page with the sections."""
        title = html.escape(self.sections["expression"][0])
        Path(path).write_text(
            f'<!DOCTYPE html>\n<meta charset="utf-8">\n<title>{title}</title>\n'
            f"<style>{_STYLE}</style>\n{self._repr_html_()}\n",
            encoding="utf-8",
        )
