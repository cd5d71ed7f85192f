"""Rows of tensors in pieces: whole rows, of which each machine has some.

A row that a cut divides is where the entries behind the cut are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from nacho._pieces.engine import Engine
from nacho._pieces.operands import slices
from nacho._pieces.tensor import Numbers, Pieces
from nacho._pieces.windows import Range, Windows, joined
from nacho._storage.views import Array


class RowBlock(NamedTuple):
    """What a piece has of rows of a matrix in CSR that follow each other."""

    counts: Numbers
    """The number of entries of each row."""
    crd: Array
    values: Array


def bounds_of(pieces: Pieces) -> list[int]:
    """Return the rows with which blocks of rows begin, and the end of the last."""
    rows = {0, *pieces.coordinates[1:-1, 0].tolist()} - {pieces.shape[0]}
    return [*sorted(rows | {0}), pieces.shape[0]]


def matrix_rows(engine: Engine, pieces: Pieces, begin: int, end: int) -> Any:
    """Return a handle of some rows of a matrix in CSR, a container of SciPy."""
    known = engine.put(pieces.known)
    lower, upper = pieces.positions[:-1, 0], pieces.positions[1:, 0]
    touches = np.flatnonzero((lower < end) & (upper >= begin)).tolist() or [0]
    parts = [
        engine.submit(
            "rows", some_rows, known, piece, pieces.handles[piece], begin, end
        )
        for piece in touches
    ]
    return engine.submit("matrix", joined_rows, known, parts)


def dense_rows(engine: Engine, pieces: Pieces, begin: int, end: int) -> Any:
    """Return a handle of some rows of a dense tensor in the order of dimensions."""
    each = int(np.prod(pieces.shape[1:], dtype=np.int64))
    ranges = [(begin * each, end * each)] if pieces.shape else [(0, 1)]
    shape = (end - begin, *pieces.shape[1:]) if pieces.shape else ()
    parts = slices(engine, "dense", pieces, ranges)
    return engine.submit("array", elements, shape, ranges, parts)


def some_rows(
    pieces: Pieces, piece: int, windows: Windows, begin: int, end: int
) -> RowBlock:
    """Return what a piece, and no other, has of the rows from one up to another."""
    lower, upper = (
        pieces.positions[piece].tolist(),
        pieces.positions[piece + 1].tolist(),
    )
    (base, first, _), (pos, crd, values) = windows
    rows = np.clip(np.arange(begin, end + 1), base, base + pos.size - 1)
    places = np.clip(pos[rows - base].astype(np.int64), lower[-1], upper[-1])
    low, high = int(places[0]), int(places[-1])
    begin_of_values = windows.begins[-1]
    return RowBlock(
        np.diff(places),
        crd[low - first : high - first],
        values[low - begin_of_values : high - begin_of_values],
    )


def joined_rows(pieces: Pieces, given: Sequence[RowBlock]) -> Any:
    """Return rows, of which several pieces have some, as a container of SciPy."""
    import scipy.sparse

    counts = sum(each.counts for each in given)
    crd = np.concatenate([each.crd for each in given])
    values = np.concatenate([each.values for each in given])
    pos = np.concatenate([[0], np.cumsum(counts)]).astype(crd.dtype)
    shape = (len(pos) - 1, pieces.shape[1])
    return scipy.sparse.csr_array((values, crd, pos), shape=shape)


def elements(
    shape: tuple[int, ...], ranges: Sequence[Range], given: Sequence[Windows]
) -> Array:
    """Return elements of a dense tensor, of which several pieces have some."""
    return joined(ranges, given).arrays[0].reshape(shape)
