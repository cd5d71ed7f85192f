"""The pattern of an operand, with the parts of a partition drawn over it.

A matrix of any size becomes a grid of at most 128 x 128 cells, which are darker where
there are more entries. The cuts are drawn to scale: a part begins in the middle of a
row where the compiler cuts there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nacho._once import cached_property
from nacho._pictures.svg import (
    CELL_COLOR,
    CUT_COLOR,
    SKIPPED_COLOR,
    drawing,
    element,
    part_color,
    points,
    title,
)

MOST_CELLS = 128
"""The most cells of a grid on either side."""
MOST_REGIONS = 64
"""More parts are drawn as one region for several neighbours."""

_SIDE, _LEAST_SIDE = 320.0, 40.0
"""How long the longer side is in pixels, and how short the other one may be."""
_SHADES = (0.3, 0.5, 0.75, 1.0)
_GAP = 0.15
"""How much of a cell stays free around a single entry, so that its part is seen."""
_LEAST_FOR_GAPS = 5.0
"""Cells that are smaller, in pixels, are filled as a whole."""
_CHUNK = 1 << 20

Counts = NDArray[np.int64]
Place = tuple[float, float]


@dataclass(frozen=True, eq=False)
class Cuts:
    """Where parts begin and end, in the coordinates of two loops."""

    places: NDArray[np.int64]
    """(parts + 1, 2): the coordinates of the outer loop and of the inner one."""
    is_by_column: bool = False
    """Whether the outer loop goes over columns."""

    @property
    def parts(self) -> int:
        return len(self.places) - 1

    @property
    def parts_per_region(self) -> int:
        return -(-self.parts // MOST_REGIONS)

    def place(self, cut: int) -> tuple[int, int]:
        outer, inner = self.places[cut].tolist()
        return outer, inner

    def starts(self) -> list[int]:
        """Return the parts that regions begin with, and the number of parts."""
        return [*range(0, self.parts, self.parts_per_region or 1), self.parts]


@dataclass(frozen=True, eq=False)
class Grid:
    """How many entries are in each cell."""

    shape: tuple[int, int]
    """The extents of the matrix."""
    steps: tuple[int, int]
    """How many rows, and how many columns, a cell covers."""
    visited: Counts
    """Per cell, the entries that the loops visit."""
    skipped: Counts | None = None
    """Per cell, those that no loop visits, if there are any."""

    @classmethod
    def of(
        cls,
        shape: tuple[int, int],
        rows: NDArray[Any],
        columns: NDArray[Any],
        is_visited: NDArray[np.bool_] | None = None,
    ) -> Grid:
        """Count entries; ``is_visited`` says for each whether a loop visits it."""
        steps = (_step(shape[0]), _step(shape[1]))
        cells = (-(-shape[0] // steps[0]), -(-shape[1] // steps[1]))
        counts = np.zeros((2, cells[0] * cells[1]), np.int64)
        for begin in range(0, len(rows), _CHUNK):
            some = slice(begin, begin + _CHUNK)
            places = (rows[some] // steps[0]).astype(np.int64) * cells[1]
            places += columns[some] // steps[1]
            visits = True if is_visited is None else is_visited[some]
            skips = np.broadcast_to(np.logical_not(visits), places.shape)
            for kind, chosen in enumerate((places[~skips], places[skips])):
                counts[kind] += np.bincount(chosen, minlength=counts.shape[1])
        visited, skipped = counts.reshape(2, *cells)
        return cls(shape, steps, visited, skipped if skipped.any() else None)

    @property
    def is_exact(self) -> bool:
        """Whether each coordinate has a cell of its own."""
        return self.steps == (1, 1)

    def shades(self) -> list[tuple[str, float, NDArray[np.bool_]]]:
        """Return layers of cells: a colour, an opacity, and which cells have it."""
        layers: list[tuple[str, float, NDArray[np.bool_]]] = []
        if self.skipped is not None:
            layers.append((SKIPPED_COLOR, 0.6, self.skipped > 0))
        largest = int(self.visited.max(initial=0))
        if self.is_exact or largest <= 1:
            return [*layers, (CELL_COLOR, 1.0, self.visited > 0)]
        steps = len(_SHADES)
        density = np.log1p(self.visited) / np.log1p(largest)
        shade = np.ceil(density * steps).astype(np.int64)
        layers += [
            (CELL_COLOR, opacity, shade == step + 1)
            for step, opacity in enumerate(_SHADES)
        ]
        return [layer for layer in layers if layer[2].any()]


def _step(extent: int) -> int:
    """Return how many coordinates a cell covers."""
    return max(1, -(-extent // MOST_CELLS))


@dataclass(frozen=True, eq=False)
class Pattern:
    """A grid, and for each number of parts where these are cut."""

    title: str
    caption: str
    grid: Grid
    cuts: Mapping[int, Cuts] = field(default_factory=dict)
    """By the number of parts that was asked for. All but the first are hidden."""

    @cached_property
    def size(self) -> tuple[float, float]:
        """The height and the width in pixels."""
        longest = max(*self.grid.shape, 1)
        height, width = (
            max(_SIDE * extent / longest, _LEAST_SIDE) for extent in self.grid.shape
        )
        return height, width

    def svg(self) -> str:
        height, width = self.size
        frame = element(
            "rect",
            class_="frame",
            width=width,
            height=height,
            fill="white",
            stroke="#888888",
        )
        below = [self._layer(n, _polygons(self.regions(n))) for n in self.cuts]
        above = [self._layer(n, _polylines(self.lines(n))) for n in self.cuts]
        content = [frame, *below, self._entries(), *above]
        return drawing("pattern", width, height, *content, name=self.title)

    def _layer(self, parts: int, content: list[str]) -> str:
        """Return what is shown for a number of parts."""
        hidden = {} if parts == next(iter(self.cuts)) else {"style": "display:none"}
        return element("g", *content, class_="parts", data_parts=parts, **hidden)

    def _entries(self) -> str:
        """Return the cells, in units of cells."""
        down, across = self._cell_size
        has_gaps = self.grid.is_exact and min(down, across) >= _LEAST_FOR_GAPS
        outline = _squares if has_gaps else _runs
        paths = [
            element("path", d=outline(cells), fill=color, fill_opacity=opacity)
            for color, opacity, cells in self.grid.shades()
        ]
        scale = f"scale({across:.6g} {down:.6g})"
        return element("g", *paths, class_="entries", transform=scale)

    @property
    def _cell_size(self) -> tuple[float, float]:
        """The height and the width of a cell in pixels."""
        down, across = (
            side * step / max(extent, 1)
            for side, step, extent in zip(
                self.size, self.grid.steps, self.grid.shape, strict=True
            )
        )
        return down, across

    def regions(self, parts: int) -> list[tuple[int, int, str, list[Place]]]:
        """Return for each region its first and last part, a colour, and its corners.

        Regions without coordinates are left out.
        """
        cuts = self.cuts[parts]
        found: list[tuple[int, int, str, list[Place]]] = []
        for place, (first, end) in enumerate(pairwise(cuts.starts())):
            between = (cuts.place(first), cuts.place(end))
            corners = _corners(*between, self._inner_extent(cuts))
            if corners:
                scaled = self._scaled(cuts, corners)
                found.append((first, end - 1, part_color(place), scaled))
        return found

    def lines(self, parts: int) -> list[tuple[int, list[Place]]]:
        """Return for each cut between two regions its number and its line."""
        cuts = self.cuts[parts]
        inner = self._inner_extent(cuts)
        return [
            (cut, self._scaled(cuts, _line(cuts.place(cut), inner)))
            for cut in cuts.starts()[1:-1]
        ]

    def _inner_extent(self, cuts: Cuts) -> int:
        return self.grid.shape[0 if cuts.is_by_column else 1]

    def _scaled(self, cuts: Cuts, places: list[Place]) -> list[Place]:
        """Return pixels for (inner, outer) coordinates."""
        down, across = (
            size / step
            for size, step in zip(self._cell_size, self.grid.steps, strict=True)
        )
        if cuts.is_by_column:
            return [(outer * across, inner * down) for inner, outer in places]
        return [(inner * across, outer * down) for inner, outer in places]

    def plot(self, axes: Any) -> None:
        """Draw the same on axes of matplotlib, with the first of the cuts."""
        for parts in list(self.cuts)[:1]:
            for _, _, color, corners in self.regions(parts):
                axes.fill(*zip(*corners, strict=True), color=color, linewidth=0)
            for _, line in self.lines(parts):
                axes.plot(*zip(*line, strict=True), color=CUT_COLOR, linewidth=1)
        down, across = self._cell_size
        for color, opacity, cells in self.grid.shades():
            rows, columns = cells.shape
            shown = np.zeros((rows, columns, 4))
            shown[cells] = (*_rgb(color), opacity)
            frame = (0, across * columns, down * rows, 0)
            axes.imshow(shown, extent=frame, interpolation="nearest", zorder=2)
        height, width = self.size
        axes.set(title=self.title, xlim=(0, width), ylim=(height, 0))
        axes.set(xticks=[], yticks=[])


def _polygons(regions: list[tuple[int, int, str, list[Place]]]) -> list[str]:
    return [
        element(
            "polygon",
            title(f"part {first}" if first == last else f"parts {first} to {last}"),
            class_="part",
            data_part=first,
            points=points(corners),
            fill=color,
        )
        for first, last, color, corners in regions
    ]


def _polylines(lines: list[tuple[int, list[Place]]]) -> list[str]:
    return [
        element(
            "polyline",
            class_="cut",
            data_cut=cut,
            points=points(line),
            fill="none",
            stroke=CUT_COLOR,
            stroke_width=1.2,
        )
        for cut, line in lines
    ]


def _rgb(color: str) -> tuple[float, ...]:
    return tuple(int(color[n : n + 2], 16) / 255 for n in (1, 3, 5))


def _line(cut: tuple[int, int], inner: int) -> list[Place]:
    """Return the line at a cut, as (inner, outer) coordinates.

    It is a step unless the cut is between two rows.
    """
    row, column = cut
    if column == 0:
        return [(0, row), (inner, row)]
    return [(0, row + 1), (column, row + 1), (column, row), (inner, row)]


def _corners(begin: tuple[int, int], end: tuple[int, int], inner: int) -> list[Place]:
    """Return the corners of what lies between two cuts, as (inner, outer) coordinates.

    begin -> +------      the rest of the row of ``begin``,
    +--------+     |      whole rows,
    |       +------+
    +-------+ <- end      and the row of ``end`` up to it
    """
    (row, column), (last, stop) = begin, end
    if begin >= end:
        return []
    if row == last:
        return [(column, row), (stop, row), (stop, row + 1), (column, row + 1)]
    corners: list[Place] = [(column, row), (inner, row), (inner, last)]
    corners += [(stop, last), (stop, last + 1), (0, last + 1)] if stop else [(0, last)]
    corners += [(0, row + 1), (column, row + 1)] if column else []
    return corners


def _squares(cells: NDArray[np.bool_]) -> str:
    """Return a path around the middle of each cell."""
    side = 1 - 2 * _GAP
    return "".join(
        f"M{column + _GAP:g} {row + _GAP:g}h{side:g}v{side:g}h{-side:g}z"
        for row, column in zip(
            *(each.tolist() for each in cells.nonzero()), strict=True
        )
    )


def _runs(cells: NDArray[np.bool_]) -> str:
    """Return a path around all cells; neighbours in a row share a rectangle."""
    padded = np.zeros((cells.shape[0], cells.shape[1] + 2), np.int8)
    padded[:, 1:-1] = cells
    steps = np.diff(padded, axis=1)
    rows, begins = np.nonzero(steps == 1)
    _, ends = np.nonzero(steps == -1)
    return "".join(
        f"M{begin} {row}h{end - begin}v1H{begin}z"
        for row, begin, end in zip(
            rows.tolist(), begins.tolist(), ends.tolist(), strict=True
        )
    )
