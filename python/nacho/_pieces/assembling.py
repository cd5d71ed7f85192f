"""Pieces that are assembled from sorted entries, in a format.

The client counts how many positions lie before each piece; each worker makes the
elements that no other piece has, and then takes from its neighbours what else belongs
to its windows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from nacho._elements import DType
from nacho._kernels.program import ArrayOfLevel, Layout, Level
from nacho._pieces import entries, tasks
from nacho._pieces.cutting import has_windows
from nacho._pieces.engine import Engine, drained
from nacho._pieces.entries import Entries, Outline
from nacho._pieces.results import with_sums
from nacho._pieces.sorting import sort
from nacho._pieces.tensor import Numbers, Pieces, sharing
from nacho._pieces.windows import Windows, joined
from nacho._storage.formats import Format
from nacho._storage.views import Array
from nacho.errors import UnsupportedError

_NARROW = 2**31 - 1


def require_assembled(format: Format) -> None:
    """Refuse formats whose pieces are not made of entries."""
    if not has_windows(format) or format.level_kinds[-1].is_full:
        raise UnsupportedError(
            f"entries are not put into pieces in format '{format}': its levels have to "
            "be dense, compressed or singleton, and the last not dense"
        )


def assemble(
    engine: Engine,
    handles: list[Any],
    shape: tuple[int, ...],
    format: Format,
    dtype: DType,
    library: str,
    layout: Layout | None = None,
    *,
    has_sums: bool = False,
) -> Pieces:
    """Return the pieces of entries that are in order from handle to handle.

    The list of these is empty then, so that nothing keeps the entries. Without a
    layout, coordinates and positions are as narrow as they can be. If the result has
    sums, each value is that of all values of entries up to its own.
    """
    extents = [shape[dimension] for dimension in format.order]
    ends = tuple(_ends(format))
    outlines: list[Outline] = engine.fetch(
        [engine.submit("outline", entries.outlined, each, ends) for each in handles]
    )
    count = len(handles)
    size = sum(outline.size for outline in outlines)
    narrow = max(*extents, size) <= _NARROW
    if layout is None:
        layout = _layout(format, "int32" if narrow else "int64", dtype)
    coordinates, positions = _Counted(format, extents, ends).cuts(outlines)
    pieces = Pieces(
        format,
        shape,
        layout,
        tuple(positions[-1].tolist()),
        coordinates,
        positions,
        (None,) * count,
        library,
        format.name if library.startswith("scipy") else "",
    )
    known = engine.put(pieces.known)
    own = [
        engine.submit(f"assemble-{number}", own_windows, known, number, each)
        for number, each in enumerate(drained(handles))
    ]
    if has_sums:
        own = with_sums(own, engine)
    return with_neighbours(engine, pieces, own)


def converted(
    engine: Engine,
    pieces: Pieces,
    format: Format,
    layout: Layout | None = None,
    *,
    has_sums: bool = False,
) -> Pieces:
    """Return the same tensor in another format, with as many pieces."""
    require_assembled(format)
    known = engine.put(pieces.known)
    given = [
        engine.submit(f"entries-{number}", entries.of_windows, known, number, each)
        for number, each in enumerate(pieces.handles)
    ]
    made = sort(engine, drained(given), format.order, pieces.dtype, pieces.count)
    library = pieces.library
    known = (pieces.shape, format, pieces.dtype, library, layout)
    return assemble(engine, made, *known, has_sums=has_sums)


def with_neighbours(engine: Engine, pieces: Pieces, own: Sequence[Any]) -> Pieces:
    """Return pieces whose windows are joined of what no two of them have."""
    made: list[Any] = []
    for piece in range(pieces.count):
        wanted = pieces.all_ranges[piece]
        sources = {piece, *pieces.owners(wanted)}
        parts = [
            own[each]
            if each == piece
            else engine.submit(f"neighbour-{each}", tasks.taken, own[each], wanted)
            for each in sorted(sources)
        ]
        made.append(engine.submit(f"piece-{piece}", joined, wanted, parts))
    return replace(pieces, handles=tuple(made))


def own_windows(pieces: Pieces, piece: int, given: Entries) -> Windows:
    """Return the elements of a piece that no other piece has."""
    lower, upper = pieces.positions[piece], pieces.positions[piece + 1]
    ranges = pieces.own_ranges_of(piece)
    begins, _ = entries.begins_of(given.columns)
    arrays: list[Array] = []
    parents = np.zeros(given.values.size, np.int64)
    first = begins[0]
    for n, level in enumerate(pieces.layout.levels):
        if level.is_full:
            parents *= pieces.extents[n]
            parents += given.columns[n]
            continue
        if not level.shares_positions:
            group = sharing(pieces.layout, n)[-1]
            first = begins[group]
            of_children = parents[first]
            np.cumsum(first, out=parents)
            parents += lower[group] - 1
        for array in level.arrays:
            begin, end = ranges[len(arrays)]
            if not array.holds_positions:
                found = given.columns[n][first][: end - begin]
            elif n == 0:
                found = np.array([0, pieces.counts[group]])[begin:end]
                found = found if piece == 0 else found[:0]
            else:
                places = np.searchsorted(of_children, np.arange(begin, end), "left")
                found = lower[group] + places
            arrays.append(found.astype(array.type, copy=False))
    assert upper[-1] - lower[-1] == given.values.size, "a value for each position"
    return Windows(tuple(b for b, _ in ranges), (*arrays, given.values))


class _Counted:
    """Counts the positions before pieces, piece by piece."""

    def __init__(
        self, format: Format, extents: Sequence[int], ends: Sequence[int]
    ) -> None:
        self._format = format
        self._extents = extents
        self._ends = ends
        self._totals = [0] * len(ends)
        self._runs = [0] * len(ends)
        """Where the last run of equal coordinates of each level begins."""
        self._last: tuple[int, ...] = ()

    def cuts(self, outlines: Sequence[Outline]) -> tuple[Numbers, Numbers]:
        """Return the coordinates and the positions of all cuts."""
        count, rank = len(outlines), len(self._ends)
        coordinates = np.zeros((count + 1, rank), np.int64)
        positions = np.zeros((count + 1, rank), np.int64)
        behind: list[int] = []
        for number, outline in enumerate(outlines):
            behind.append(number)
            if outline.size:
                # Empty pieces lie where the next entry is.
                coordinates[behind] = outline.first
                positions[behind] = self._placed(outline)
                behind = []
        behind.append(count)
        coordinates[behind] = 0
        coordinates[behind, 0] = self._extents[0]
        positions[behind] = self._counts()
        coordinates[0], positions[0] = 0, 0
        return coordinates, positions

    def _placed(self, outline: Outline) -> list[int]:
        """Return the positions of the first entry of a piece, and go behind it."""
        last, first = self._last, outline.first
        levels = range(len(first))
        goes_on = [last[: n + 1] == first[: n + 1] for n in levels]
        bases = [self._totals[n] - goes_on[n] for n in levels]
        places: list[int] = []
        for n, kind in enumerate(self._format.level_kinds):
            end = self._ends[n]
            if kind.is_full:
                parent = places[-1] if places else 0
                places.append(parent * self._extents[n] + first[n])
            elif end != n and goes_on[n]:
                places.append(self._runs[n])
            else:
                places.append(bases[end])
        self._totals = [bases[n] + outline.fibers[n] for n in levels]
        for n in levels:
            if not goes_on[n] or outline.fibers[n] > 1:
                self._runs[n] = self._totals[self._ends[n]] - outline.tails[n]
        self._last = outline.last
        return places

    def _counts(self) -> list[int]:
        """Return the number of positions of each level."""
        counts: list[int] = []
        for n, kind in enumerate(self._format.level_kinds):
            parents = counts[-1] if counts else 1
            full = parents * self._extents[n]
            counts.append(full if kind.is_full else self._totals[self._ends[n]])
        return counts


def _ends(format: Format) -> list[int]:
    """Return, for each level, the last of those that share its positions."""
    kinds = format.level_kinds
    ends = list(range(len(kinds)))
    for n in reversed(range(len(kinds) - 1)):
        if kinds[n + 1].shares_positions:
            ends[n] = ends[n + 1]
    return ends


def _layout(format: Format, index: str, dtype: DType) -> Layout:
    pos, crd = ArrayOfLevel(index, True, 0, 1), ArrayOfLevel(index, False, 1, 0)
    levels: list[Level] = []
    for kind in format.level_kinds:
        arrays = ((pos,) if kind.has_pos else ()) + (() if kind.is_full else (crd,))
        levels.append(Level(kind.is_full, arrays))
    return Layout(tuple(levels), dtype.name)
