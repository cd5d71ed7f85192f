"""Synthetic patterns: the coordinates of generated matrices and tensors.

The coordinates are sorted and distinct. They depend only on the arguments and on the
state of the generator of random numbers.
"""

import math

import numpy as np

Coordinates = tuple[np.ndarray, ...]

_DRAWS = 6


def uniform(rng: np.random.Generator, rows: int, columns: int, nnz: int) -> Coordinates:
    """Entries anywhere; there are fewer than ``nnz``, because some coincide."""
    keys = distinct(rng.integers(rows * columns, size=nnz))
    return keys // columns, keys % columns


def with_lengths(
    rng: np.random.Generator, lengths: np.ndarray, columns: int
) -> Coordinates:
    """Rows of these lengths with uniform columns; short rows may lose duplicates."""
    full = np.flatnonzero(lengths > columns // 8)
    short = lengths.copy()
    short[full] = 0
    rows = np.repeat(np.arange(lengths.size, dtype=np.int64), short)
    keys = [distinct(rows * columns + rng.integers(columns, size=rows.size))]
    for row in full:
        chosen = rng.permutation(columns)[: lengths[row]]
        keys.append(int(row) * columns + chosen)
    merged = np.sort(np.concatenate(keys))
    return merged // columns, merged % columns


def power_law(
    rng: np.random.Generator, n: int, columns: int, nnz: int, exponent: float
) -> Coordinates:
    """Rows whose lengths follow a power law: P(length) ~ length^-exponent.

    The row of rank r has a length proportional to r^(-1 / (exponent - 1)), but at most
    ``columns``; the entries above that go to the other rows. Rows are shuffled.
    """
    weights = np.arange(1, n + 1) ** (-1 / (exponent - 1))
    low, high = 0.0, float(nnz) * n
    for _ in range(100):
        scale = (low + high) / 2
        if np.minimum(weights * scale, columns).sum() < nnz:
            low = scale
        else:
            high = scale
    exact = np.minimum(weights * high, columns)
    # Rounding the cumulated lengths, and not the lengths, keeps the sum.
    lengths = np.diff(np.rint(np.cumsum(exact)), prepend=0).astype(np.int64)
    return with_lengths(rng, rng.permutation(np.minimum(lengths, columns)), columns)


def banded(n: int, width: int, moved: int = 0) -> Coordinates:
    """``width`` entries next to each other in a row, around the diagonal."""
    offsets = np.arange(width) - width // 2 + moved
    return _diagonals(n, offsets)


def stencil(extents: tuple[int, ...]) -> Coordinates:
    """Points of a grid, each with its neighbours along every axis."""
    strides = np.cumprod((1, *extents[:0:-1]))[::-1]
    points = np.indices(extents).reshape(len(extents), -1)
    number = np.arange(points.shape[1])
    rows, columns = [number], [number]
    for axis, stride in enumerate(strides):
        for step in (-1, 1):
            beside = points[axis] + step
            inside = (beside >= 0) & (beside < extents[axis])
            rows.append(number[inside])
            columns.append(number[inside] + step * stride)
    return ordered(np.concatenate(rows), np.concatenate(columns))


def heavy_row(
    rng: np.random.Generator, rows: int, columns: int, nnz: int, share: float
) -> Coordinates:
    """A share of all entries in one row, in the middle; the rest is uniform."""
    heavy = int(nnz * share)
    in_row = np.sort(rng.permutation(columns)[:heavy]) + (rows // 2) * columns
    others = rng.integers(rows * columns, size=nnz - heavy)
    others = others[others // columns != rows // 2]
    keys = distinct(np.concatenate([in_row, others]))
    return keys // columns, keys % columns


def heavy_column(rng: np.random.Generator, rows: int, columns: int) -> Coordinates:
    """One column with an entry in every row, and as many entries anywhere."""
    row, column = uniform(rng, rows, columns, rows)
    keys = row * columns + column
    in_column = np.arange(rows) * columns + columns // 2
    merged = distinct(np.concatenate([keys, in_column]))
    return merged // columns, merged % columns


def rmat(rng: np.random.Generator, scale: int, edges: int) -> Coordinates:
    """A graph of 2^scale vertices: R-MAT with 0.57, 0.19, 0.19, 0.05, shuffled."""
    rows = np.zeros(edges, np.int64)
    columns = np.zeros(edges, np.int64)
    for _ in range(scale):
        chance = rng.random(edges, np.float32)
        lower = chance >= 0.76
        right = ((chance >= 0.57) & ~lower) | (chance >= 0.95)
        rows = 2 * rows + lower
        columns = 2 * columns + right
    shuffled = rng.permutation(1 << scale)
    return ordered(shuffled[rows], shuffled[columns])


def zipf(
    rng: np.random.Generator, shape: tuple[int, ...], nnz: int, exponent: float
) -> Coordinates:
    """A tensor whose coordinates, shuffled, follow Zipf's law in every dimension.

    Entries that coincide are drawn again, a few times.
    """
    shuffled = [rng.permutation(extent) for extent in shape]
    found: Coordinates = tuple(np.empty(0, np.int64) for _ in shape)
    for _ in range(_DRAWS):
        lacking = nnz - found[0].size
        if lacking <= 0:
            break
        ranks = [_ranks(rng, extent, lacking, exponent) for extent in shape]
        drawn = [order[rank] for order, rank in zip(shuffled, ranks, strict=True)]
        both = zip(found, drawn, strict=True)
        found = ordered(*(np.concatenate(columns) for columns in both))
    return found


def _ranks(
    rng: np.random.Generator, extent: int, size: int, exponent: float
) -> np.ndarray:
    """Draw by inverting the continuous law, which needs no sums over 10^7 ranks."""
    power = 1 - exponent
    chance = rng.random(size)
    value = (1 + chance * ((extent + 1.0) ** power - 1)) ** (1 / power)
    return np.minimum(value.astype(np.int64) - 1, extent - 1)


def ordered(*columns: np.ndarray) -> Coordinates:
    """Return coordinates sorted and without duplicates."""
    extents = [int(column.max()) + 1 if column.size else 1 for column in columns]
    keys = distinct(linear(columns, extents))
    found = []
    for extent in extents[:0:-1]:
        keys, column = np.divmod(keys, extent)
        found.append(column)
    return (keys, *found[::-1])


def distinct(keys: np.ndarray) -> np.ndarray:
    """Return numbers sorted, without duplicates; np.unique takes 20 times as long."""
    keys = np.sort(keys)
    first = np.ones(keys.size, bool)
    np.not_equal(keys[1:], keys[:-1], out=first[1:])
    return keys if first.all() else keys[first]


def linear(columns: Coordinates, shape: list[int] | tuple[int, ...]) -> np.ndarray:
    """Return one integer for each tuple of coordinates: its row-major place."""
    if math.prod(shape) >= 1 << 63:
        raise OverflowError(f"shape {shape} has too many elements for one number")
    keys = columns[0].astype(np.int64)
    for column, extent in zip(columns[1:], shape[1:], strict=True):
        keys *= extent
        keys += column
    return keys


def _diagonals(n: int, offsets: np.ndarray) -> Coordinates:
    rows = np.repeat(np.arange(n), offsets.size)
    columns = rows + np.tile(offsets, n)
    inside = (columns >= 0) & (columns < n)
    return rows[inside], columns[inside]
