"""Matrices that lie in a file as arrays, of which some entries are read.

The rest of an array stays in the file, so that it may be larger than the memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, Protocol

import numpy as np

from nacho._elements import DType
from nacho._storage.views import INT64, Array

CHUNK = 1 << 20
"""So many bytes of an array are read at a time where most of it is not kept."""
_RANK = 2


class Head(NamedTuple):
    """What a file says of a matrix that is read in part."""

    format: str
    shape: tuple[int, ...]
    size: int
    """The number of entries."""
    width: int
    """How many bytes an entry has in the file, unpacked."""


class Stored(Protocol):
    """An array in a file."""

    size: int
    dtype: DType

    def elements(self, begin: int, end: int) -> Array:
        """Return the elements from one up to another."""

    def chunks(self) -> Iterator[Array]:
        """Return all elements, some at a time."""


class Matrix(NamedTuple):
    """The arrays of a matrix."""

    format: str
    """Of coo, csr and csc, and dcsr and dcsc if ``outer`` has coordinates, too."""
    values: Stored
    inner: Stored
    """The coordinate of each entry in its fiber; if the format is coo, the column."""
    pos: Stored | None = None
    """Where each fiber begins, and where the last one ends."""
    outer: Stored | None = None
    """The coordinate of each fiber; if the format is coo, the row of each entry."""

    def head(self, shape: Any) -> Head | None:
        """Return what is said of the matrix; None if its arrays do not fit together."""
        is_shape = (
            isinstance(shape, list)
            and len(shape) == _RANK
            and all(isinstance(x, int) and x >= 0 for x in shape)
        )
        if not is_shape:
            return None
        size = self.values.size
        of_entries = [self.inner]
        if self.pos is not None:
            rows = shape[1 if self.format.endswith("csc") else 0]
            fibers = rows if self.outer is None else self.outer.size
            if self.pos.size != fibers + 1:
                return None
        elif self.outer is not None:
            of_entries.append(self.outer)
        if any(each.size != size for each in of_entries):
            return None
        width = sum(each.dtype.itemsize for each in (self.values, *of_entries))
        return Head(self.format, tuple(shape), size, width)

    def entries(self, begin: int, end: int) -> tuple[Array, Array]:
        """Return the coordinates and values of the entries from one up to another."""
        values, inner = (each.elements(begin, end) for each in self[1:3])
        if self.pos is not None:
            outer = _fibers(self.pos, begin, end, self.values.size)
            if self.outer is not None and outer.size:
                first, last = int(outer[0]), int(outer[-1])
                outer = self.outer.elements(first, last + 1)[outer - first]
        elif self.outer is not None:
            outer = self.outer.elements(begin, end)
        both = (inner, outer) if self.format.endswith("csc") else (outer, inner)
        # An unsigned one that is too large becomes negative, and is refused.
        return np.array([each.astype(INT64) for each in both]), values


def _fibers(pos: Stored, begin: int, end: int, size: int) -> Array:
    """Return the numbers of the fibers in which some entries lie."""
    first, last = 0, 0
    starts = np.zeros(end - begin, np.int64)
    for number, chunk in enumerate(pos.chunks()):
        if number == 0 and chunk[0] != 0:
            raise ValueError("the first fiber begins behind an entry")
        if chunk[0] < last or (chunk[1:] < chunk[:-1]).any():
            raise ValueError("a fiber ends before it begins")
        last = chunk[-1]
        low, high = np.searchsorted(chunk, [begin, end - 1], "right")
        # Each of the entries has so many more fibers before it than those before it.
        first += int(low)
        starts += np.bincount(chunk[low:high] - begin, minlength=end - begin)
    if last != size:
        raise ValueError("the last fiber does not end with the last entry")
    return first - 1 + np.cumsum(starts)
