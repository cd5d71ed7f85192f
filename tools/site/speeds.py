"""Pictures of how fast kernels are beside the best other library, by skew.

usage: tools/dev python tools/site/speeds.py

Prints what the page of performance has of them; pictures.py draws them. The numbers are
those of the tables in tools/nacho-bench/results/README.md.
"""

import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from nacho._pictures.svg import drawing, element, label, title

RESULTS = Path(__file__).resolve().parents[1] / "nacho-bench/results/README.md"

BY_SKEW = {
    "uniform": "all rows alike",
    "power-3.0": "a little skew",
    "power-2.4": "some skew",
    "power-2.0": "much skew",
    "power-1.6": "extreme skew",
    "heavy-row-50": "half of it in one row",
    "heavy-row-90": "nine tenths in one row",
    "heavy-column": "half of it in one column",
}
"""The synthetic matrices that are drawn, and how their entries are spread."""

_PEERS = {
    "eigen": "Eigen",
    "graphblas": "GraphBLAS",
    "mkl": "MKL",
    "mlir": "MLIR",
    "reference": "loops in C",
    "scipy": "SciPy",
    "torch": "PyTorch",
}
"""The names of the other libraries."""

_FASTER, _SLOWER = "#4878a8", "#b35806"
_WIDTH, _ROW, _TOP = 700.0, 20.0, 22.0
_MIDDLE, _RIGHT = 270.0, 490.0
_MOST = 25.0
"""The ratio at the end of the longest bar that fits."""


class Speed(NamedTuple):
    """How fast a kernel is on a matrix."""

    workload: str
    ratio: float
    """The time of the best other library over Nacho's."""
    peer: str

    @property
    def text(self) -> str:
        """The ratio in words."""
        if round(self.ratio, 2) == 1:
            return f"as fast as {self.peer}"
        if self.ratio > 1:
            return f"{self.ratio:.2g} times as fast as {self.peer}"
        return f"{1 / self.ratio:.2g} times as slow as {self.peer}"


def speeds() -> dict[str, tuple[str, list[Speed]]]:
    """Return the expression and the speeds of each kernel, by its name."""
    text = RESULTS.read_text()
    found: dict[str, tuple[str, list[Speed]]] = {}
    for section in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        head = re.match(r"(\S+): `(.+?)`, 2 threads, steady\n", section)
        if head is None:
            continue
        rows = {speed.workload: speed for speed in _rows(section)}
        shown = [rows[name] for name in BY_SKEW if name in rows]
        if len(shown) > 2:
            found[head[1]] = (head[2], shown)
    return found


def _rows(section: str) -> Iterator[Speed]:
    lines = [line for line in section.splitlines() if line.startswith("|")]
    names = [name.strip() for name in lines[0].strip("|").split("|")]
    for line in lines[2:]:
        cells = dict(
            zip(names, (c.strip() for c in line.strip("|").split("|")), strict=True)
        )
        if cells["ratio"]:
            peer = _PEERS[cells["best peer"].split()[0]]
            yield Speed(cells["workload"], float(cells["ratio"]), peer)


class SpeedPicture(NamedTuple):
    """A bar for each matrix: to the right where Nacho is faster, else to the left."""

    title: str
    rows: list[Speed]

    def svg(self) -> str:
        height = _TOP + _ROW * len(self.rows) + 4
        ends = {"x1": _MIDDLE, "x2": _MIDDLE, "y1": _TOP - 4, "y2": height}
        content = [
            label("the other is faster", _MIDDLE - 8, 12, "end"),
            label("Nacho is faster", _MIDDLE + 8, 12),
            element("line", **ends, stroke="currentColor"),
        ]
        for place, speed in enumerate(self.rows):
            content += self._bar(speed, _TOP + place * _ROW)
        return drawing("speeds", _WIDTH, height, *content, name=self.title)

    def _bar(self, speed: Speed, top: float) -> Iterator[str]:
        """Draw a bar whose length is the logarithm of the ratio."""
        share = min(abs(math.log(speed.ratio)) / math.log(_MOST), 1.0)
        length = share * (_RIGHT - _MIDDLE)
        is_faster = speed.ratio >= 1
        yield element(
            "rect",
            title(f"{speed.workload}: {speed.text}"),
            class_="bar",
            data_ratio=f"{speed.ratio:g}",
            x=_MIDDLE if is_faster else _MIDDLE - length,
            y=top + 3,
            width=max(length, 1.0),
            height=_ROW - 6,
            fill=_FASTER if is_faster else _SLOWER,
        )
        yield label(BY_SKEW[speed.workload], 0, top + _ROW - 6)
        end = _MIDDLE + (length if is_faster else 0) + 6
        yield label(speed.text, end, top + _ROW - 6)


def pictures() -> Iterator[tuple[str, SpeedPicture]]:
    """Yield a picture for each kernel, by the name of its file."""
    for kernel, (expression, rows) in speeds().items():
        name = f"{kernel}: {expression}, beside the best other library"
        yield f"speed-{kernel.replace('+', '-and-')}.svg", SpeedPicture(name, rows)


def section() -> str:
    """Return what the page of performance says of each kernel."""
    lines = []
    for (name, picture), (kernel, (expression, _)) in zip(
        pictures(), speeds().items(), strict=True
    ):
        lines += [
            f"### {kernel}: `{expression}`",
            f"![{picture.title}, by skew](pictures/{name})",
        ]
    return "\n\n".join(lines) + "\n"


if __name__ == "__main__":
    print(section(), end="")
