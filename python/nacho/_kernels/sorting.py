"""Entries sorted by their coordinates: by NumPy, or many of them by a kernel."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nacho._kernels.copies import copied
from nacho._notation.tree import MAX_RANK
from nacho._storage.conversion import summed
from nacho._storage.formats import Format
from nacho._storage.layouts import coo_tensor_view
from nacho._storage.views import INT32, INT32_MAX, INT64, Array

_SORTED_IN_NUMPY = 1 << 20
"""Below this number of entries, NumPy sorts faster than a kernel is compiled."""


def sorted_runs(columns: Sequence[Array]) -> tuple[Array, Array]:
    """Return the order that sorts entries, and a mask of the sorted entries.

    The mask is False for an entry that has the coordinates of the entry before it. The
    order is stable: duplicates are always added up in the order they are given in.
    """
    if columns[0].size < _SORTED_IN_NUMPY or len(columns) >= MAX_RANK:
        order = np.lexsort(columns[::-1])
    else:
        order = _sorted_by_kernel(columns)
    first = np.zeros(order.size, np.bool_)
    first[:1] = True
    for column in columns:
        placed = column[order]
        first[1:] |= placed[1:] != placed[:-1]
    return order, first


def _sorted_by_kernel(columns: Sequence[Array]) -> Array:
    """Return the order that sorts entries by their coordinates; it is stable.

    Every entry gets its number as one more coordinate, in dimension 0. The entries are
    sorted already if the numbers are the outermost level. A conversion that makes the
    numbers the innermost level sorts by the other coordinates, and moves the numbers
    along: they are the order.
    """
    count, rank = columns[0].size, len(columns)
    extents = [int(column.max()) + 1 for column in columns]
    wide = max(*extents, count) > INT32_MAX
    width = INT64 if wide else INT32
    numbers = np.arange(count, dtype=width)
    crd = (numbers, *(column.astype(width, copy=False) for column in columns))
    format = Format("coo").for_rank(rank + 1)
    view = coo_tensor_view(format, (count, *extents), crd, np.zeros(count, np.int8))
    order = copied(view, format.in_order((*range(1, rank + 1), 0))).crd_at(rank)
    return order.astype(np.intp, copy=False)


def sorted_entries(
    columns: Sequence[Array], values: Array
) -> tuple[list[Array], Array]:
    """Sort entries by their coordinates, and sum duplicates."""
    order, first = sorted_runs(columns)
    values = values[order]
    if first.all():
        return [column[order] for column in columns], values
    kept = order[first]
    return [column[kept] for column in columns], summed(values, np.flatnonzero(first))
