"""Files of entries that are read in part.

Matrix Market files in coordinate format, and FROSTT's, unless they are packed, are read
from one end of a line to another, SciPy's archives and files of binsparse from entry to
entry. Of any other file, there is one part.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np

from nacho._elements import DType
from nacho._files import (
    archives,
    binsparse,
    frostt,
    in_part,
    kind_of,
    matrix_market,
    read,
)
from nacho._files.packing import is_packed
from nacho._storage.views import INT32, INT32_MAX, INT64, Array

_IN_ARRAYS = {".npz": archives, ".bsp.h5": binsparse}
"""Modules that read parts of matrices that lie in files as arrays."""


class Head(NamedTuple):
    """What is known of a file before its entries are read."""

    path: str
    begin: int
    """The byte, or the number of the entry, with which entries begin."""
    end: int
    is_divisible: bool
    shape: tuple[int, ...] | None = None
    lines: int | None = None
    """The number of lines with entries that there should be."""
    arrays: in_part.Head | None = None
    """What is said of arrays, which are read from entry to entry."""

    @property
    def width(self) -> int:
        """How many bytes there are from one number to the next."""
        return self.arrays.width if self.arrays else 1


class Found(NamedTuple):
    """The entries of a part of a file."""

    coords: Array
    """The coordinates, an array (rank, count) of the narrower type that holds them."""
    values: Array
    shape: tuple[int, ...] | None
    """The extents, if the file has them."""
    lines: int | None = None
    """The number of lines with entries, if the file says how many it has."""


def head_of(path: str) -> Head:
    """Return what the begin of a file says."""
    place = Path(path)
    kind = kind_of(place)
    size = place.stat().st_size
    if kind in _IN_ARRAYS:
        arrays = _IN_ARRAYS[kind].head_of(place)
        if arrays is not None:
            return Head(path, 0, arrays.size, True, arrays.shape, arrays=arrays)
    if is_packed(place) or kind not in (".tns", ".mtx"):
        return Head(path, 0, size, False)
    if kind == ".tns":
        return Head(path, 0, size, True, frostt.shape_in(place))
    found = matrix_market.head_of(place)
    if found is None:
        return Head(path, 0, size, False)
    return Head(path, found.begin, size, True, found.shape, found.lines)


def read_range(
    head: Head, begin: int, end: int, dtype: DType | None, shape: Sequence[int] | None
) -> Found:
    """Return the entries whose lines, or which themselves, begin in a range."""
    found = _found(head, begin, end, dtype, shape)
    return found._replace(coords=_narrow(found.coords))


def _found(
    head: Head, begin: int, end: int, dtype: DType | None, shape: Sequence[int] | None
) -> Found:
    place = Path(head.path)
    kind = kind_of(place)
    if not head.is_divisible:
        is_free = kind == ".tns"
        tensor = read(place, dtype=dtype, shape=shape if is_free else None)
        tensor = tensor.convert("coo") if tensor.format.is_dense else tensor
        extents = None if is_free and shape is None else tensor.shape
        return Found(tensor.coords, tensor.values, extents)
    if head.arrays is not None:
        reader = _IN_ARRAYS[kind]
        coords, values = reader.read_range(place, head.arrays, begin, end)
        values = values if dtype is None else values.astype(dtype, copy=False)
        return Found(coords, values, head.shape)
    if kind == ".tns":
        coords, values = frostt.read_range(place, begin, end, dtype)
        return Found(coords, values, head.shape)
    with place.open("rb") as file:
        first = _line_end(file, begin - 1) if begin > head.begin else head.begin
        last = max(_line_end(file, end - 1), first)
        file.seek(first)
        text = file.read(last - first)
    lines = sum(1 for line in io.BytesIO(text) if line.strip())
    matrix = matrix_market.read_lines(place, first, text, lines)
    values = matrix.data if dtype is None else matrix.data.astype(dtype)
    return Found(np.array(matrix.coords), values, head.shape, lines)


def _narrow(coords: Array) -> Array:
    if not coords.size or (coords.min() >= 0 and coords.max() <= INT32_MAX):
        return coords.astype(INT32, copy=False)
    return coords.astype(INT64, copy=False)


def _line_end(file: BinaryIO, at: int) -> int:
    """Return where the line ends in which a byte lies."""
    file.seek(max(at, 0))
    file.readline()
    return file.tell()
