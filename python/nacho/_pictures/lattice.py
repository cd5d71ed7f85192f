"""Merge lattices: which operands have an entry at a coordinate that a loop visits.

A point of a lattice is a set of operands. The lowest points are the smallest sets that
make a loop visit a coordinate; every other point is a union of these. For
``A + B * C``, they are {A} and {B, C}, and {A, B, C} is above both.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from nacho._pictures.svg import drawing, element, label

if TYPE_CHECKING:
    from nacho import _nacho

MOST_POINTS = 64
"""A lattice with more points is not drawn."""

Point = frozenset[str]

_PITCH, _ROW, _BOX = 110.0, 56.0, 24.0


@dataclass(frozen=True, eq=False)
class Lattice:
    """The lattice of a loop, by its lowest points."""

    title: str
    lowest: tuple[Point, ...] | None
    """None if they are too many to be told."""
    operands: tuple[str, ...]
    """All operands of the loop, in the order of the IR."""
    full: Point
    """Those that have every coordinate."""

    @classmethod
    def of(cls, title: str, loop: _nacho.LoopDescription) -> Lattice:
        """Return the lattice of a loop."""
        lowest = None if loop.lowest is None else (*map(Point, loop.lowest),)
        return cls(title, lowest, tuple(loop.operands), Point(loop.full))

    def points(self) -> list[Point] | None:
        """Return all points, largest first; None if they are too many to be drawn."""
        found: set[Point] = set()
        if self.lowest is None:
            return None
        for point in self.lowest:
            found |= {point | other for other in found} | {point}
            if len(found) > MOST_POINTS:
                return None
        return sorted(found, key=lambda point: (-len(point), self.named(point)))

    def named(self, point: Point) -> str:
        return ", ".join(name for name in self.operands if name in point)

    def edges(self) -> list[tuple[Point, Point]]:
        """Return the pairs of a point and one right below it."""
        points = self.points() or []
        return [
            (upper, lower)
            for upper in points
            for lower in points
            if lower < upper and not any(lower < mid < upper for mid in points)
        ]

    @property
    def caption(self) -> str:
        if self.lowest == (frozenset(),):
            return "Every coordinate is visited."
        texts: list[str] = []
        if self.lowest is not None:
            lowest = " or ".join(f"{{{self.named(point)}}}" for point in self.lowest)
            texts.append(f"A coordinate is visited where {lowest} has entries.")
        if self.full:
            texts.append(f"Dense, with every coordinate: {self.named(self.full)}.")
        if self.points() is None:
            texts.append(f"The lattice has more than {MOST_POINTS} points.")
        return " ".join(texts)

    def svg(self) -> str:
        """Draw each point above those that are below it; the lowest are in a row."""
        points = self.points()
        if points is None:
            return ""
        heights: dict[Point, int] = {}
        for point in reversed(points):
            below = [heights[other] for other in heights if other < point]
            heights[point] = max(below, default=-1) + 1
        rows = [
            [point for point in points if heights[point] == height]
            for height in sorted(set(heights.values()), reverse=True)
        ]
        names = max((len(self.named(point)) for point in points), default=0)
        pitch = max(_PITCH, 8.0 * names + 24)
        width = pitch * max(map(len, rows))
        places = {
            point: (width * (place + 0.5) / len(row), _BOX + level * _ROW)
            for level, row in enumerate(rows)
            for place, point in enumerate(row)
        }
        lines = [_edge(places[one], places[other]) for one, other in self.edges()]
        boxes = [
            self._box(point, places[point], pitch, is_lowest=not heights[point])
            for point in points
        ]
        height = _ROW * len(rows) - _ROW + 2 * _BOX
        return drawing("lattice", width, height, *lines, *boxes, name=self.title)

    def _box(
        self, point: Point, place: tuple[float, float], pitch: float, is_lowest: bool
    ) -> str:
        x, y = place
        width = pitch - 16
        box = element(
            "rect",
            x=x - width / 2,
            y=y - _BOX / 2,
            width=width,
            height=_BOX,
            rx=5,
            fill="#d9e8d3" if is_lowest else "#e4e9f2",
            stroke="#666666",
        )
        text = label(self.named(point), x, y + 4, "middle")
        return element("g", box, text, class_="point", data_point=self.named(point))


def _edge(upper: tuple[float, float], lower: tuple[float, float]) -> str:
    return element(
        "line",
        class_="edge",
        x1=upper[0],
        y1=upper[1] + _BOX / 2,
        x2=lower[0],
        y2=lower[1] - _BOX / 2,
        stroke="#888888",
    )
