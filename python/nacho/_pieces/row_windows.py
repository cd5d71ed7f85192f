"""Some rows of an operand: what pieces have of them, and operands that have no others.

Operands are in CSR or dense. A cut may divide a row, of which pieces then have parts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from nacho._kernels.named_rows import Rows as SomeRows
from nacho._kernels.named_rows import arrays_of, places_between, rows_between
from nacho._kernels.program import Layout
from nacho._pieces.inputs import Input
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


class Rows(NamedTuple):
    """What a piece has of some rows."""

    names: Names
    counts: Numbers
    """The number of entries of each row; empty for a dense operand."""
    crd: Array
    """The columns of the entries; empty for a dense operand."""
    values: Array
    own: tuple[int, int]
    """The positions of the first entry of the piece, and of the one after the last."""


def is_dense(layout: Layout) -> bool:
    """Return whether an operand has all elements, of which it has rows."""
    return len(layout.levels) > 0 and all(level.is_full for level in layout.levels)


def some_rows(pieces: Pieces, piece: int, windows: Windows, names: Names) -> Rows:
    """Return what a piece, and no other, has of some rows."""
    first, last = pieces.positions[piece : piece + 2, -1].tolist()
    nothing = np.zeros(0, np.int64)
    if is_dense(pieces.layout):
        places = _elements(names.rows, pieces.extents, (first, last))
        values = windows.arrays[0][places - windows.begins[0]]
        return Rows(names, nothing, nothing, values, (first, last))
    (base, first_crd, _), (pos, crd, values) = windows
    rows = names.rows
    ends = [np.minimum(rows + more - base, pos.size - 1) for more in (0, 1)]
    begin, end = (np.clip(pos[at].astype(np.int64), first, last) for at in ends)
    runs = (begin - first_crd, end - first_crd)
    _, counts, crd, values = rows_between(rows, runs, crd, values)
    return Rows(names, counts.astype(pos.dtype), crd, values, (first, last))


def with_rows(empty: Input, given: Sequence[Rows]) -> Input:
    """Return an operand that has some rows, as if there were no others."""
    if is_dense(empty.layout):
        size = int(np.prod(empty.extents, dtype=np.int64))
        made = np.zeros(size, empty.layout.values)
        for each in given:
            made[_elements(each.names.rows, empty.extents, each.own)] = each.values
        return empty._replace(windows=Windows((0,), (made,)))
    pos, crd, values = empty.windows.arrays
    nothing = np.zeros(0, np.int64)
    rows = [SomeRows(x.names.rows, x.counts, x.crd, x.values) for x in given]
    rows.append(SomeRows(nothing, nothing, crd, values))
    arrays = arrays_of(empty.extents[0], pos.dtype, rows)
    return empty._replace(windows=Windows((0, 0, 0), arrays))


def _elements(rows: Numbers, extents: Sequence[int], own: tuple[int, int]) -> Numbers:
    """Return the elements of dense rows that are among the own ones of a piece."""
    width = int(np.prod(extents[1:], dtype=np.int64))
    begin, end = (np.clip(width * (rows + more), *own) for more in (0, 1))
    return places_between(begin, end)
