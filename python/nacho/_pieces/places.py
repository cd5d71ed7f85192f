"""Places: the positions at which coordinates are in a piece of a tensor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from nacho._kernels.program import Layout
from nacho._pieces.tensor import Pieces, sharing
from nacho._pieces.windows import Windows
from nacho._storage.views import Array


class Known(NamedTuple):
    """What a worker has to know of a tensor besides the windows of a piece."""

    layout: Layout
    extents: tuple[int, ...]
    lower: tuple[int, ...]
    """The positions of the cut at the begin of the piece, by level."""
    upper: tuple[int, ...]
    """Those of the cut at its end."""
    begin: tuple[int, ...] = ()
    """The coordinates of the cut at the begin, unless everything is there."""

    @classmethod
    def of(cls, pieces: Pieces, piece: int) -> Known:
        lower, upper = pieces.positions[piece], pieces.positions[piece + 1]
        ends = tuple(lower.tolist()), tuple(upper.tolist())
        begin = tuple(pieces.coordinates[piece].tolist())
        return cls(pieces.layout, pieces.extents, *ends, begin)


def find(known: Known, windows: Windows, coordinates: Sequence[int]) -> list[int]:
    """Return the position of the first entry that is not before some coordinates.

    There is a position for each level, and there may be fewer coordinates than levels.
    The place is known to be in the piece, or at its end.
    """
    return _Finder(known, windows).find(coordinates)


class _Finder:
    """Finds places in windows, level by level."""

    def __init__(self, known: Known, windows: Windows) -> None:
        self._known = known
        self._begins: list[tuple[int, Array] | None] = []
        self._pos: list[tuple[int, Array] | None] = []
        given = iter(zip(windows.begins, windows.arrays, strict=True))
        for level in known.layout.levels:
            found = {array.holds_positions: next(given) for array in level.arrays}
            self._pos.append(found.get(True))
            self._begins.append(found.get(False))

    def find(self, coordinates: Sequence[int]) -> list[int]:
        places: list[int] = []
        parent, is_there = 0, True
        fiber = (0, 1)
        for n, level in enumerate(self._known.layout.levels):
            is_asked = n < len(coordinates)
            if level.is_full:
                parent *= self._known.extents[n]
                if is_asked and is_there:
                    parent += coordinates[n]
            elif not (is_asked and is_there):
                is_there = False
                parent = self._child(n, parent)
            else:
                fiber = fiber if level.shares_positions else self._fiber(n, parent)
                parent, fiber = self._lower_bound(n, fiber, coordinates[n])
                if tuple(coordinates[: n + 1]) == self._known.begin[: n + 1]:
                    # The run of these coordinates may begin before the piece.
                    parent = min(parent, self._known.lower[n])
                    fiber = (parent, fiber[1])
                is_there = fiber[0] < fiber[1]
            places.append(parent)
        return places

    def _child(self, level: int, parent: int) -> int:
        """Return the position of the first child of a position, or behind it."""
        found = self._pos[level]
        if found is None:
            return parent
        begin, pos = found
        return int(pos[parent - begin])

    def _fiber(self, level: int, parent: int) -> tuple[int, int]:
        found = self._pos[level]
        assert found is not None, "a level that shares no positions has pos"
        begin, pos = found
        return int(pos[parent - begin]), int(pos[parent + 1 - begin])

    def _lower_bound(
        self, level: int, fiber: tuple[int, int], coordinate: int
    ) -> tuple[int, tuple[int, int]]:
        """Return the place of a coordinate in a fiber, and the positions that have it.

        No element outside of the piece is looked at.
        """
        found = self._begins[level]
        assert found is not None, "a level that is not full stores coordinates"
        begin, crd = found
        last = sharing(self._known.layout, level)[-1]
        first, stop = self._known.lower[last], self._known.upper[last] + 1
        low = max(fiber[0], first, begin)
        high = max(min(fiber[1], stop, begin + crd.size), low)
        window = crd[low - begin : high - begin]
        left = low + int(np.searchsorted(window, coordinate, "left"))
        right = low + int(np.searchsorted(window, coordinate, "right"))
        return left, (left, right)
