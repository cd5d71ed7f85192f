"""What a container stores, read from its arrays by the definition of its format.

It knows the buffers of SciPy and the levels of ``nacho.Tensor``, and has neither of
them convert anything: what they are tested against has to be independent of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def entries(operand: Any) -> tuple[Array, Array]:
    """Return a container as a dense array and a pattern; duplicates add up.

    Arrays and scalars have an entry everywhere.
    """
    if not hasattr(operand, "format"):
        value = np.asarray(operand)
        return value, np.ones(value.shape, np.bool_)
    coords, values = _stored(operand)
    value = np.zeros(operand.shape, operand.dtype)
    pattern = np.zeros(operand.shape, np.bool_)
    pattern[coords] = True
    if pattern.sum() < values.size:
        np.add.at(value, coords, values)
    else:
        # Not added to 0: that of -0 would be another number.
        value[coords] = values
    return value, pattern


def dense(operand: Any) -> Array:
    """Return the values of a container as a dense array."""
    return entries(operand)[0]


def pattern(operand: Any) -> Array:
    """Return where a container stores entries."""
    return entries(operand)[1]


def is_dense(operand: Any) -> bool:
    """Return whether a container stores every entry, by its format."""
    if not hasattr(operand, "format"):
        return True
    levels = getattr(operand.format, "levels", None)
    return levels is not None and all(kind == "dense" for _, kind in levels)


def closed(pattern: Array, levels: Any) -> Array:
    """Return where a format has entries if it stores those of a pattern.

    A dense level that no other follows stores all of its coordinates.
    """
    trailing = []
    for dimension, kind in reversed(levels):
        if kind != "dense":
            break
        trailing.append(dimension)
    if len(trailing) == len(levels):
        return np.ones(pattern.shape, np.bool_)
    blocks = pattern.any(axis=tuple(trailing), keepdims=True)
    return np.broadcast_to(blocks, pattern.shape)


def _stored(operand: Any) -> tuple[tuple[Array, ...], Array]:
    """Return the coordinates by dimension, and the values, in storage order."""
    if hasattr(operand, "crd"):
        return _tensor(operand)
    if operand.format == "coo":
        return tuple(np.asarray(c, np.int64) for c in operand.coords), operand.data
    if operand.format == "bsr":
        return _blocks(operand)
    inner = operand.indices.astype(np.int64)
    if len(operand.shape) == 1:
        return (inner,), operand.data
    outer = np.repeat(np.arange(operand.indptr.size - 1), np.diff(operand.indptr))
    assert operand.format in ("csr", "csc")
    return (outer, inner)[:: 1 if operand.format == "csr" else -1], operand.data


def _blocks(operand: Any) -> tuple[tuple[Array, ...], Array]:
    count, height, width = operand.data.shape
    outer = np.repeat(np.arange(operand.indptr.size - 1), np.diff(operand.indptr))
    rows = outer[:, None, None] * height + np.arange(height)[:, None]
    columns = operand.indices[:, None, None] * width + np.arange(width)
    shape = (count, height, width)
    where = (np.broadcast_to(place, shape).ravel() for place in (rows, columns))
    return tuple(where), operand.data.ravel()


def crd_of(operand: Any, level: int) -> Array:
    """Return the coordinates of a level: its array, or its column of one before."""
    owner = level
    while operand.crd[owner] is None:
        owner -= 1
    crd = operand.crd[owner]
    return crd[:, level - owner] if crd.ndim == 2 else crd


def _bits(operand: Any) -> tuple[tuple[Array, ...], Array]:
    """Read dense levels with a bitmap level of 32 bits per word below them."""
    order = [dimension for dimension, _ in operand.format.levels]
    extents = [operand.shape[dimension] for dimension in order]
    words = (extents[-1] + 31) // 32
    bits = (operand.crd[-1].astype(np.int64)[:, None] >> np.arange(32)) & 1
    assert operand.pos[-1].tolist() == [0, *bits.sum(axis=1).cumsum()]
    inside = np.nonzero(bits.reshape(*extents[:-1], 32 * words))
    assert not inside[-1].size or inside[-1].max() < extents[-1]
    return tuple(inside[order.index(n)] for n in range(len(order))), operand.values


def _tensor(operand: Any) -> tuple[tuple[Array, ...], Array]:
    levels = operand.format.levels
    if levels and levels[-1][1].startswith("structured[0,"):
        return _bits(operand)
    if operand.format.rank is None:
        raise AssertionError(f"a tensor's format has a rank: {operand.format}")
    coords = np.zeros((operand.ndim, 1), np.int64)
    positions = np.zeros(1, np.int64)
    for level, (dimension, kind) in enumerate(levels):
        pos = operand.pos[level]
        if kind == "dense":
            extent = operand.shape[dimension]
            coords = np.repeat(coords, extent, axis=1)
            coords[dimension] = np.tile(np.arange(extent), positions.size)
            positions = np.repeat(positions * extent, extent) + coords[dimension]
            continue
        if kind.startswith("compressed"):
            begins, ends = (np.asarray(pos, np.int64)[positions + n] for n in (0, 1))
            coords = np.repeat(coords, ends - begins, axis=1)
            spans = [np.arange(*span) for span in zip(begins, ends, strict=True)]
            positions = np.concatenate([np.zeros(0, np.int64), *spans])
        coords[dimension] = np.asarray(crd_of(operand, level), np.int64)[positions]
    return tuple(coords), np.ravel(operand.values)[positions]
