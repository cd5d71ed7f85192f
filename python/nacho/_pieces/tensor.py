"""Tensors in pieces: what is known, where the pieces are not, of all pieces.

A piece lies between two cuts of the tensor's entries. It has the windows of the arrays
from the first cut up to the second, and one element more, so that a fiber that the
second cut divides is known as well.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nacho._elements import STORED
from nacho._kernels.program import ArrayOfLevel, Layout, Level
from nacho._once import cached_property
from nacho._pieces.windows import Range
from nacho._storage.formats import Format
from nacho._storage.views import Array, View

Numbers = NDArray[np.int64]


class Bringing(NamedTuple):
    """The pieces that have elements of an array which none before them has.

    As pieces are in order, each brings the elements from the end of the one before.
    """

    pieces: list[int]
    ends: list[int]


@dataclass(frozen=True)
class Pieces:
    """A tensor in pieces."""

    format: Format
    shape: tuple[int, ...]
    layout: Layout
    counts: tuple[int, ...]
    """The number of positions of each level."""
    coordinates: Numbers
    """The cuts: a row for the begin of each piece, and one for the end of the last,
    with a coordinate for each level."""
    positions: Numbers
    """The positions of the cuts in each level. If a cut divides a fiber, the position
    of its coordinate belongs to the piece behind the cut."""
    handles: tuple[Any, ...]
    """The pieces, which are windows."""
    library: str
    """The library whose containers the whole tensor would be in."""
    name_in_library: str = ""
    """The name of the format in that library, if it has one of its own."""
    container: Format | None = None
    """The format of the whole tensor, if its levels store coordinates in another way
    than those of the pieces."""
    is_in_line: bool = False
    """Whether the pieces are where they were made: one after the other in the line of
    machines, each with an equal share of it."""

    @property
    def count(self) -> int:
        """The number of pieces."""
        return len(self.positions) - 1

    def place_of(self, piece: int) -> float | None:
        """Return the place of a piece in the line of machines, if it is known."""
        return piece / self.count if self.is_in_line else None

    @property
    def format_of_whole(self) -> Format:
        """The format of the whole tensor."""
        return self.container or self.format

    @property
    def known(self) -> Pieces:
        """The same without the pieces."""
        return replace(self, handles=())

    @property
    def extents(self) -> tuple[int, ...]:
        """The extent of each level."""
        return tuple(self.shape[dimension] for dimension in self.format.order)

    @property
    def dtype(self) -> np.dtype[Any]:
        return STORED[self.element]

    @property
    def element(self) -> str:
        """The element type of the values, as the notation names it."""
        return next(name for name, t in STORED.items() if t.name == self.layout.values)

    @property
    def nnz(self) -> int:
        """The number of stored entries."""
        return self.lengths[-1]

    @property
    def lengths(self) -> list[int]:
        """The number of elements of each array."""
        zeros = (0,) * len(self.counts)
        return [end for _, end in ranges_between(self, zeros, self.counts)]

    @property
    def nbytes(self) -> int:
        """The bytes of the arrays of the whole tensor."""
        sizes = zip(self.types, self.lengths, strict=True)
        return sum(np.dtype(type).itemsize * length for type, length in sizes)

    @property
    def types(self) -> list[str]:
        """The type of the elements of each array."""
        levels = [array.type for level in self.layout.levels for array in level.arrays]
        return [*levels, self.layout.values]

    def ranges_of(self, piece: int) -> list[Range]:
        """Return the elements that a piece has of each array."""
        lower, upper = self.positions[piece], self.positions[piece + 1]
        return ranges_between(self, lower, upper)

    def own_ranges_of(self, piece: int) -> list[Range]:
        """Return the elements of each array, such that no two pieces have the same."""
        lower, upper = (
            self.positions[piece].tolist(),
            self.positions[piece + 1].tolist(),
        )
        ranges: list[Range] = []
        for n, level in enumerate(self.layout.levels):
            shared = self.shared[n][-1]
            for array in level.arrays:
                if not array.holds_positions:
                    each = array.per_entry
                    ranges.append((each * lower[shared], each * upper[shared]))
                elif n == 0:
                    ranges.append((0, 2) if piece == 0 else (2, 2))
                else:
                    begin = lower[n - 1] + 1 if piece else 0
                    ranges.append((begin, upper[n - 1] + 1))
        return [*ranges, (lower[-1], upper[-1]) if lower else (0, 1)]

    def overlapping(self, ranges: Sequence[Range]) -> list[int]:
        """Return the pieces that are needed for some elements of each array.

        Nothing that a piece before it has is a reason to need a piece.
        """
        return _needed(self._bringing, ranges)

    def owners(self, ranges: Sequence[Range]) -> list[int]:
        """Return the pieces that own some elements of each array: one does each."""
        return _needed(self._owning, ranges)

    @cached_property
    def all_ranges(self) -> list[list[Range]]:
        """The elements that each piece has of each array."""
        return [self.ranges_of(piece) for piece in range(self.count)]

    @cached_property
    def _bringing(self) -> list[Bringing]:
        return _bringing_of(self.all_ranges)

    @cached_property
    def _owning(self) -> list[Bringing]:
        return _bringing_of([self.own_ranges_of(piece) for piece in range(self.count)])

    @cached_property
    def shared(self) -> list[range]:
        """The levels that share their positions with each level."""
        return [sharing(self.layout, n) for n in range(len(self.counts))]

    def skeleton(self) -> View:
        """Return a view like that of the whole tensor, whose arrays have no memory."""
        arrays = [
            np.broadcast_to(np.zeros((), type), (length,))
            for type, length in zip(self.types, self.lengths, strict=True)
        ]
        return view_of_arrays(self, arrays)


def view_of_arrays(pieces: Pieces, arrays: Sequence[Array]) -> View:
    """Return the arrays of a whole tensor as a view."""
    given = iter(arrays)
    pos: list[Array | None] = []
    crd: list[Array | None] = []
    for level in pieces.layout.levels:
        found: dict[bool, Array] = {
            a.holds_positions: next(given) for a in level.arrays
        }
        pos.append(found.get(True))
        crd.append(found.get(False))
    values = next(given)
    made = (tuple(pos), tuple(crd), values, pieces.library, pieces.name_in_library)
    return View(pieces.format, pieces.shape, *made)


def _bringing_of(ranges: Sequence[Sequence[Range]]) -> list[Bringing]:
    """Return what pieces bring of each array, which have these of its elements."""
    made: list[Bringing] = []
    for of_array in zip(*ranges, strict=True):
        brings = Bringing([], [])
        for piece, (_, end) in enumerate(of_array):
            if end > (brings.ends[-1] if brings.ends else 0):
                brings.pieces.append(piece)
                brings.ends.append(end)
        made.append(brings)
    return made


def _needed(all: Sequence[Bringing], ranges: Sequence[Range]) -> list[int]:
    """Return the pieces that bring some elements of each array."""
    needed: set[int] = set()
    for (pieces, ends), (first, last) in zip(all, ranges, strict=True):
        if first < last:
            # The first one that ends behind the last element has it.
            until = bisect_left(ends, last) + 1
            needed.update(pieces[bisect_right(ends, first) : until])
    return sorted(needed)


def ranges_between(
    pieces: Pieces, lower: Sequence[int], upper: Sequence[int]
) -> list[Range]:
    """Return the elements of each array that are read from one cut up to another.

    These include the coordinate in which the upper cut lies, where its fiber begins and
    ends, and what full levels below have of it: a cut may divide what is inside of it.
    A run of equal coordinates that the lower cut divides is read from there on.
    """
    if not pieces.counts:
        return [(0, 1)]
    ranges: list[Range] = []
    begin, stop = 0, 1
    for n, level in enumerate(pieces.layout.levels):
        parents = (begin, stop + 1)
        last = pieces.shared[n][-1]
        begin, end = int(lower[last]), min(int(upper[last]) + 1, pieces.counts[n])
        below = stop * pieces.extents[n] if level.is_full and n else 0
        stop = max(begin, end, below)
        for array in level.arrays:
            each = array.per_entry
            ranges.append(
                parents if array.holds_positions else (each * begin, each * stop)
            )
    return [*ranges, (begin, stop)]


def sharing(layout: Layout, number: int) -> range:
    """Return the levels that have the same positions as a level, and itself."""
    first, last = number, number
    while layout.levels[first].shares_positions:
        first -= 1
    while last + 1 < len(layout.levels) and layout.levels[last + 1].shares_positions:
        last += 1
    return range(first, last + 1)


def layout_of(view: View) -> Layout:
    """Return the layout of a container's arrays."""
    levels: list[Level] = []
    for kind, pos, crd in zip(view.format.level_kinds, view.pos, view.crd, strict=True):
        arrays: list[ArrayOfLevel] = []
        if pos is not None:
            arrays.append(ArrayOfLevel(str(pos.dtype), True, 0, 1))
        if crd is not None:
            arrays.append(ArrayOfLevel(str(crd.dtype), False, 1, 0))
        levels.append(Level(kind.is_full, tuple(arrays)))
    return Layout(tuple(levels), str(view.values.dtype))
