"""Operands for an expression that nobody has given any: small, random and skewed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from nacho._arrays.tensor import Tensor
from nacho._kernels.pins import default_format
from nacho._notation.ranges import Range
from nacho._notation.tree import Assignment
from nacho._storage.formats import Format
from nacho.errors import FormatError, displayed

_EXTENT, _SMALL_EXTENT = 64, 16
"""The extents of all indices; the smaller one if an operand has three indices."""
_ENTRIES = 6
"""So many entries are drawn for each row."""


def sampled(assignment: Assignment, formats: Mapping[str, str]) -> dict[str, Any]:
    """Return operands in some formats; the same ones each time."""
    for name in formats:
        if name not in (*assignment.tensors, assignment.result.name):
            raise FormatError(f"{displayed(name)} is no tensor of the expression")
    highest = max(assignment.ranks.values(), default=0)
    extent = _EXTENT if highest <= 2 else _SMALL_EXTENT
    rng = np.random.default_rng(0)
    extents = _extents(assignment, extent)
    operands: dict[str, Any] = dict.fromkeys(assignment.operands, 2.0)
    for name in assignment.tensors:
        shape = _shape(assignment, name, extents, extent)
        operands[name] = _tensor(rng, shape, formats.get(name))
    return operands


def _extents(assignment: Assignment, extent: int) -> dict[str, int]:
    """Return extents of indices, for operands whose dimensions have an extent.

    That of a range is smaller.
    """
    found: dict[str, int] = {}
    for access in assignment.accesses:
        shape = (extent,) * len(access.indices)
        for index, size in zip(access.indices, access.extents(shape), strict=True):
            found[index] = min(size, found.get(index, extent))
    return found


def _shape(
    assignment: Assignment, name: str, extents: Mapping[str, int], extent: int
) -> tuple[int, ...]:
    """Return the shape of an operand; dimensions that have ranges are whole."""
    access = assignment.access_of(name)
    ranges = access.ranges or (Range(),) * len(access.indices)
    pairs = zip(access.indices, ranges, strict=True)
    return tuple(extents[index] if each.is_whole else extent for index, each in pairs)


def _tensor(
    rng: np.random.Generator, shape: tuple[int, ...], format: str | None
) -> Tensor:
    rank, extent = len(shape), max(shape)
    wanted = Format(format or default_format(rank))
    if wanted.is_dense:
        return Tensor.from_dense(rng.random(shape), wanted)
    count = extent * _ENTRIES if rank > 1 else extent // 2
    # Squares of numbers up to 1 are rather small: the first rows are the heaviest.
    places = rng.random((rank, count)) ** 2 * np.array(shape)[:, np.newaxis]
    coords = places.astype(np.int32)
    return Tensor.from_coo(coords, rng.random(count), shape=shape, format=wanted)
