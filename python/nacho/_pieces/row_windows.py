"""Some rows of an operand: what pieces have of them, and operands that have no others.

Operands are in CSR or dense. A cut may divide a row, of which pieces then have parts.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from nacho._kernels.named_rows import places_between
from nacho._pieces.inputs import Input, Runs
from nacho._pieces.tensor import Numbers, Pieces
from nacho._pieces.windows import Windows
from nacho._storage.views import Array

_OFFSET = np.dtype(np.uint32)


class Names(NamedTuple):
    """Some rows, in ascending order, in few bytes."""

    begin: int
    """No row is before this one."""
    size: int
    packed: Array
    """A bit for each row from there on, or the numbers of the rows from there on."""

    @classmethod
    def of(cls, rows: Numbers, begin: int, end: int) -> Names:
        """Pack rows that lie between two."""
        if rows.size * _OFFSET.itemsize < (end - begin) // 8 <= np.iinfo(_OFFSET).max:
            return cls(begin, rows.size, (rows - begin).astype(_OFFSET))
        are_named = np.zeros(end - begin, bool)
        are_named[rows - begin] = True
        return cls(begin, rows.size, np.packbits(are_named))

    @property
    def rows(self) -> Numbers:
        """The numbers of the rows."""
        if self.packed.dtype == _OFFSET:
            return self.begin + self.packed.astype(np.int64)
        return self.begin + np.flatnonzero(np.unpackbits(self.packed))


class Stretches(NamedTuple):
    """Some entries, in stretches that follow each other, with others between them."""

    begins: Numbers
    ends: Numbers

    @classmethod
    def around(cls, begins: Array, ends: Array) -> Stretches:
        """Return what lies in some stretches, which may overlap."""
        order = np.argsort(begins, kind="stable")
        begins = begins[order].astype(np.int64)
        ends = np.maximum.accumulate(ends[order].astype(np.int64))
        starts = np.ones(begins.size, bool)
        starts[1:] = begins[1:] > ends[:-1]
        return cls(begins[starts], ends[np.roll(starts, -1)])

    @property
    def size(self) -> int:
        """The number of the entries."""
        return int((self.ends - self.begins).sum())

    def between(self, begin: int, end: int) -> Stretches:
        """Return what lies between two positions."""
        first = int(np.searchsorted(self.ends, begin, "right"))
        last = max(int(np.searchsorted(self.begins, end, "left")), first)
        given = (self.begins[first:last], self.ends[first:last])
        return Stretches(*(np.clip(each, begin, end) for each in given))

    def by_piece(self, cuts: Numbers) -> dict[int, Stretches]:
        """Return what there is between each two of some positions, if anything is."""
        pieces = enumerate(pairwise(cuts.tolist()))
        found = {piece: self.between(*ends) for piece, ends in pieces}
        return {piece: each for piece, each in found.items() if each.size}


class RowsOfPiece(NamedTuple):
    """What a piece has of some rows, or of stretches of entries."""

    names: Names | Stretches
    runs: Stretches
    """The entries of each row, or each stretch; empty for a dense operand."""
    crd: Array
    """The columns of the entries; empty for a dense operand."""
    values: Array
    own: tuple[int, int]
    """The positions of the first entry of the piece, and of the one after the last."""


def some_rows(
    pieces: Pieces,
    piece: int,
    windows: Windows,
    names: Names | Stretches,
    has_values: bool,
) -> RowsOfPiece:
    """Return what a piece, and no other, has of some rows, or of stretches."""
    first, last = pieces.positions[piece : piece + 2, -1].tolist()
    nothing = np.zeros(0, np.int64)
    if pieces.layout.is_dense:
        assert isinstance(names, Names), "nobody lists entries of dense rows"
        places = _elements(names.rows, pieces.extents, (first, last))
        values = windows.arrays[0][places - windows.begins[0]]
        runs = Stretches(nothing, nothing)
        return RowsOfPiece(names, runs, nothing, values, (first, last))
    (base, first_crd, _), (pos, crd, values) = windows
    if isinstance(names, Names):
        rows = names.rows
        ends = [np.minimum(rows + more - base, pos.size - 1) for more in (0, 1)]
        found = [np.clip(pos[at].astype(np.int64), first, last) for at in ends]
        runs = Stretches(*(each.astype(pos.dtype) for each in found))
    else:
        runs = names
    places = places_between(*(each.astype(np.int64) - first_crd for each in runs))
    values = values[places] if has_values else values[:0]
    return RowsOfPiece(names, runs, crd[places], values, (first, last))


def with_rows(empty: Input, given: Sequence[RowsOfPiece]) -> Input:
    """Return an operand that has some rows, or entries, as if there were no others."""
    if empty.layout.is_dense:
        size = int(np.prod(empty.extents, dtype=np.int64))
        made = np.zeros(size, empty.layout.values)
        for each in given:
            assert isinstance(each.names, Names), "nobody lists entries of dense rows"
            made[_elements(each.names.rows, empty.extents, each.own)] = each.values
        return empty._replace(windows=Windows((0,), (made,)))
    pos, crd, values = empty.windows.arrays
    sizes = np.zeros(empty.extents[0] + 1, np.int64)
    for each in given:
        if isinstance(each.names, Names):
            sizes[each.names.rows + 1] += each.runs.ends - each.runs.begins
    crd = np.concatenate([crd, *(each.crd for each in given)])
    values = np.concatenate([values, *(each.values for each in given)])
    arrays = (np.cumsum(sizes).astype(pos.dtype), crd, values)
    return empty._replace(
        windows=Windows((0, 0, 0), arrays),
        lengths=(0, 0, crd.size),
        runs=_runs_of([each.runs for each in given]),
    )


def _runs_of(given: Sequence[Stretches]) -> Runs:
    """Return where entries are that lie side by side in a window."""
    nothing = np.zeros(0, np.int64)
    begins = np.concatenate([nothing, *(each.begins for each in given)])
    ends = np.concatenate([nothing, *(each.ends for each in given)])
    filled = begins < ends
    begins, ends = begins[filled], ends[filled]
    return Runs(begins, np.append(0, np.cumsum(ends - begins)))


def _elements(rows: Numbers, extents: Sequence[int], own: tuple[int, int]) -> Numbers:
    """Return the elements of dense rows that are among the own ones of a piece."""
    width = int(np.prod(extents[1:], dtype=np.int64))
    begin, end = (np.clip(width * (rows + more), *own) for more in (0, 1))
    return places_between(begin, end)
