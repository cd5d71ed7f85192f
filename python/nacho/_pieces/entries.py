"""Entries: coordinates and values, which workers sort, divide, and put together.

They come in any order, from files or from the blocks of an array.
"""

from __future__ import annotations

import mmap
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from nacho._elements import DType
from nacho._kernels.sorting import sorted_entries, sorted_runs
from nacho._pieces.tensor import Pieces
from nacho._pieces.windows import Windows
from nacho._storage.views import Array

Coordinates = tuple[int, ...]

_FEWEST_PAGES = 4
"""What fills fewer pages is on the heap."""


class Entries(NamedTuple):
    """Entries of a tensor: an array of coordinates for each level, and the values."""

    columns: tuple[Array, ...]
    values: Array

    @property
    def nbytes(self) -> int:
        return sum(array.nbytes for array in (*self.columns, self.values))


class Sampled(NamedTuple):
    """What the client knows of sorted entries."""

    size: int
    nbytes: int
    is_distinct: bool
    """Whether no two entries have the same coordinates."""
    first: Coordinates
    last: Coordinates
    samples: tuple[Coordinates, ...]
    """The coordinates of entries at equal distances."""


class Outline(NamedTuple):
    """How many fibers begin in sorted entries, which are distinct."""

    size: int
    first: Coordinates
    last: Coordinates
    fibers: tuple[int, ...]
    """How many different coordinates there are of each level and those above it."""
    tails: tuple[int, ...]
    """For each level, how many positions of its group the last of these have."""


def together(parts: Sequence[Entries], dtype: DType) -> Entries:
    """Return entries of one list after the other, as one with values of a type."""
    if len(parts) == 1:
        return parts[0]
    columns = zip(*(each.columns for each in parts), strict=True)
    values = [each.values.astype(dtype, copy=False) for each in parts]
    return Entries(tuple(map(np.concatenate, columns)), np.concatenate(values))


def in_order(entries: Entries, order: Sequence[int], dtype: DType) -> Entries:
    """Return entries by dimensions as sorted entries by levels; nothing is summed."""
    columns = tuple(entries.columns[dimension] for dimension in order)
    values = entries.values.astype(dtype, copy=False)
    if not values.size or begins_of(columns)[1]:
        return Entries(columns, values)
    where, _ = sorted_runs(columns)
    return Entries(tuple(column[where] for column in columns), values[where])


def begins_of(columns: Sequence[Array]) -> tuple[list[Array], bool]:
    """Return, for each level, where other coordinates of it and those above it begin.

    It also returns whether entries are in order.
    """
    found: list[Array] = []
    size = columns[0].size
    begins = np.zeros(size, bool)
    begins[:1] = True
    is_sorted = True
    for column in columns:
        falls = (column[1:] < column[:-1]) & ~begins[1:]
        is_sorted = is_sorted and not falls.any()
        begins = begins.copy()
        begins[1:] |= column[1:] != column[:-1]
        found.append(begins)
    return found, is_sorted


def sampled(entries: Entries, count: int) -> Sampled:
    """Return samples of sorted entries."""
    size = entries.values.size
    if not size:
        return Sampled(0, 0, True, (), (), ())
    places = np.unique(np.linspace(0, size, count, endpoint=False).astype(np.int64))
    begins, _ = begins_of(entries.columns)
    rows = np.stack([column[places] for column in entries.columns], axis=1)
    return Sampled(
        size,
        entries.nbytes,
        bool(begins[-1].all()),
        _row(entries, 0),
        _row(entries, -1),
        tuple(tuple(row) for row in rows.tolist()),
    )


def between(
    entries: Entries, lower: Coordinates | None, upper: Coordinates | None
) -> Entries:
    """Return the sorted entries from some coordinates up to others; None is an end."""
    begin = 0 if lower is None else _lower_bound(entries.columns, lower)
    end = entries.values.size if upper is None else _lower_bound(entries.columns, upper)
    columns = tuple(column[begin:end] for column in entries.columns)
    return _packed(Entries(columns, entries.values[begin:end]))


def _packed(entries: Entries) -> Entries:
    """Return a copy in one buffer, which is alone in its pages if it is large.

    What is sent elsewhere does not keep the list that it is cut from. And as soon as it
    is dropped, its pages are free: a heap would keep them for the sake of what lies
    between.
    """
    buffer = _pages(entries.nbytes)
    begin = 0

    def placed(array: Array) -> Array:
        nonlocal begin
        place = buffer[begin : begin + array.nbytes].view(array.dtype)
        begin += array.nbytes
        place[:] = array
        return place

    # First the values: what is wider than coordinates is aligned.
    values = placed(entries.values)
    return Entries(tuple(map(placed, entries.columns)), values)


def _pages(size: int) -> Array:
    """Return so many bytes, in pages of their own if they fill some."""
    if size < _FEWEST_PAGES * mmap.PAGESIZE:
        return np.empty(size, np.uint8)
    how = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
    return np.frombuffer(mmap.mmap(-1, size, how), np.uint8)


def merged(given: Sequence[Entries]) -> Entries:
    """Return entries of several lists, sorted; duplicates are summed in their order."""
    lists = [entries.columns for entries in given]
    columns = [np.concatenate(each) for each in zip(*lists, strict=True)]
    values = np.concatenate([entries.values for entries in given])
    begins, is_sorted = begins_of(columns)
    if is_sorted and begins[-1].all():
        return Entries(tuple(columns), values)
    columns, values = sorted_entries(columns, values)
    return Entries(tuple(columns), values)


def size_of(entries: Entries) -> int:
    """Return the number of entries."""
    return entries.values.size


def outlined(entries: Entries, ends: Sequence[int]) -> Outline:
    """Return the outline of entries; ``ends`` are the last levels of groups."""
    if not entries.values.size:
        nothing = (0,) * len(ends)
        return Outline(0, (), (), nothing, nothing)
    begins, _ = begins_of(entries.columns)
    last = [int(np.flatnonzero(each)[-1]) for each in begins]
    return Outline(
        entries.values.size,
        _row(entries, 0),
        _row(entries, -1),
        tuple(int(each.sum()) for each in begins),
        tuple(int(begins[end][at:].sum()) for at, end in zip(last, ends, strict=True)),
    )


def _row(entries: Entries, at: int) -> Coordinates:
    return tuple(int(column[at]) for column in entries.columns)


def _lower_bound(columns: Sequence[Array], row: Coordinates) -> int:
    """Return the place of the first entry whose coordinates are not below a row."""
    low, high = 0, columns[0].size
    for column, wanted in zip(columns, row, strict=True):
        fiber = column[low:high]
        if wanted > np.iinfo(column.dtype).max:
            return high
        # Of the same type: the fiber is not converted.
        of_type = column.dtype.type(wanted)
        left = int(np.searchsorted(fiber, of_type, "left"))
        right = int(np.searchsorted(fiber, of_type, "right"))
        low, high = low + left, low + right
        if low == high:
            break
    return low


def of_windows(pieces: Pieces, piece: int, windows: Windows) -> Entries:
    """Return the entries, by dimensions, that a piece has and its neighbours do not."""
    given = list(zip(windows.begins, windows.arrays, strict=True))
    *_, (begin, end) = pieces.own_ranges_of(piece)
    first, values = given.pop()
    values = values[begin - first : end - first]
    columns: dict[int, Array] = {}
    places = np.arange(begin, end)
    for n in reversed(range(len(pieces.layout.levels))):
        level = pieces.layout.levels[n]
        dimension = pieces.format.order[n]
        if level.is_full:
            places, columns[dimension] = np.divmod(places, pieces.extents[n])
        for array in reversed(level.arrays):
            first, stored = given.pop()
            if array.holds_positions:
                places = first + np.searchsorted(stored, places, "right") - 1
            else:
                columns[dimension] = stored[places - first].astype(np.int64)
    return Entries(tuple(columns[n] for n in range(len(columns))), values)
