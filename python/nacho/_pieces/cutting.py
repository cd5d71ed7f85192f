"""Cuts a container into pieces with equally many entries."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nacho._kernels.program import Layout
from nacho._pieces.tensor import (
    Numbers,
    Pieces,
    layout_of,
    sharing,
    view_of_arrays,
)
from nacho._pieces.windows import Windows
from nacho._storage.conversion import interleaved
from nacho._storage.formats import Format
from nacho._storage.usual_views import usual_view
from nacho._storage.views import Array, View
from nacho.errors import UnsupportedError


def has_windows(format: Format | None) -> bool:
    """Return whether all levels are of kinds whose windows are known."""
    kinds = () if format is None else format.level_kinds
    usual = {"dense", "compressed", "singleton"}
    return not (format is not None and format.parts) and all(
        kind.word in usual and not kind.joins_crd for kind in kinds
    )


def cut_view(view: View) -> View:
    """Return a view with levels that are cut: each has coordinates of its own.

    They are stored in the usual way, and no levels have theirs in one array's columns.
    """
    view = usual_view(view)
    kinds = view.format.level_kinds
    if not any(kind.joins_crd for kind in kinds):
        return view
    names = ("singleton(soa)", "singleton(nonunique, soa)")
    texts = [
        names[not kind.is_unique] if kind.joins_crd else text
        for kind, text in zip(kinds, view.format.kinds, strict=True)
    ]
    format = Format.of_levels(tuple(zip(view.format.order, texts, strict=True)))
    crd = tuple(
        None if kind.is_full else np.ascontiguousarray(view.crd_at(level))
        for level, kind in enumerate(kinds)
    )
    return View(format, view.shape, view.pos, crd, view.values, view.library)


def cut(view: View, count: int) -> tuple[Pieces, list[Windows]]:
    """Return what is known of the pieces, which are not in it yet, and the pieces.

    They have the levels of ``cut_view``.
    """
    format = view.format
    view = cut_view(view)
    if not has_windows(view.format):
        raise UnsupportedError(
            f"a tensor in format '{format}' is not cut into pieces: convert it to "
            "one of dense, compressed and singleton levels"
        )
    layout = layout_of(view)
    counts = counts_of(view)
    if not counts:
        count = 1
    coordinates, positions = _cuts(view, layout, counts, count)
    pieces = Pieces(
        view.format,
        view.shape,
        layout,
        counts,
        coordinates,
        positions,
        (None,) * count,
        view.library,
        view.layout,
        None if format == view.format else format,
    )
    return pieces, [windows_of_view(view, pieces, piece) for piece in range(count)]


def arrays_of_whole(pieces: Pieces, arrays: Sequence[Array]) -> Sequence[Array]:
    """Return the arrays of a whole tensor with the columns that its format joins."""
    if pieces.container is None:
        return arrays
    view = view_of_arrays(pieces, arrays)
    levels = zip(view.pos, interleaved(pieces.container, view.crd), strict=True)
    stored = [array for pair in levels for array in pair if array is not None]
    return [*stored, view.values]


def counts_of(view: View) -> tuple[int, ...]:
    """Return the number of positions of each level."""
    counts: list[int] = []
    parents = 1
    levels = zip(view.format.level_kinds, view.pos, view.crd, view.extents, strict=True)
    for kind, pos, crd, extent in levels:
        parents = kind.count(pos, crd, parents, extent)
        counts.append(parents)
    return tuple(counts)


def windows_of_view(view: View, pieces: Pieces, piece: int) -> Windows:
    """Return a piece of a container: windows of its arrays, which are not copied."""
    ranges = pieces.ranges_of(piece)
    flat = [
        array.reshape(-1)
        for pair in zip(view.pos, view.crd, strict=True)
        for array in pair
        if array is not None
    ]
    flat.append(view.values.reshape(-1))
    begins = tuple(begin for begin, _ in ranges)
    arrays = zip(flat, ranges, strict=True)
    return Windows(begins, tuple(array[begin:end] for array, (begin, end) in arrays))


def _cuts(
    view: View, layout: Layout, counts: tuple[int, ...], count: int
) -> tuple[Numbers, Numbers]:
    """Return the coordinates and the positions of the cuts."""
    if not counts:
        return np.zeros((2, 0), np.int64), np.zeros((2, 0), np.int64)
    stored = [n for n, level in enumerate(layout.levels) if not level.is_full]
    deepest = stored[-1] if stored else 0
    total = counts[deepest]
    coordinates = np.zeros((count + 1, len(counts)), np.int64)
    positions = np.zeros((count + 1, len(counts)), np.int64)
    for number in range(1, count):
        entry = number * total // count
        if entry == total:
            coordinates[number, 0], positions[number] = view.extents[0], counts
            continue
        if entry:
            _place(view, layout, deepest, entry, coordinates[number], positions[number])
    coordinates[count, 0], positions[count] = view.extents[0], counts
    return coordinates, positions


def _place(
    view: View,
    layout: Layout,
    deepest: int,
    entry: int,
    coordinates: Numbers,
    positions: Numbers,
) -> None:
    """Store the coordinates and the positions of an entry of a level."""
    place = entry
    for n in range(deepest, -1, -1):
        positions[n] = place
        level = layout.levels[n]
        if level.is_full:
            coordinates[n] = place % view.extents[n]
            place //= view.extents[n]
            continue
        coordinates[n] = view.crd_at(n)[place]
        if not level.shares_positions:
            pos = view.pos_at(n)
            place = int(np.searchsorted(pos, place, "right")) - 1
            _place_runs(view, layout, n, int(pos[place]), positions)
    for n in range(deepest + 1, len(positions)):
        positions[n] = positions[n - 1] * view.extents[n]


def _place_runs(
    view: View, layout: Layout, level: int, begin: int, positions: Numbers
) -> None:
    """Move positions to the begin of the runs of equal coordinates in which they lie.

    Levels that share positions begin with ``level``, whose fiber begins at ``begin``.
    """
    for n in sharing(layout, level)[:-1]:
        entry = int(positions[n])
        crd = view.crd_at(n)[begin : entry + 1]
        begin += int(np.searchsorted(crd, crd[-1], "left"))
        positions[n] = begin
