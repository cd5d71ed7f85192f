"""Random operands: every format, type, pattern and container."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from hypothesis import strategies as st

import nacho
import oracle
from checks import (
    buffers,
    check,
    check_answer,
    check_structure,
    same,
    same_numbers,
)

__all__ = [
    "COLUMNS",
    "DTYPES",
    "INDICES",
    "PARTS",
    "PATTERNS",
    "ROWS",
    "buffers",
    "check",
    "check_answer",
    "check_structure",
    "checked",
    "same",
    "same_numbers",
    "sample",
    "sampled",
    "stored",
    "tensor",
]

Levels = tuple[tuple[int, str], ...]

BITMAP = "structured[0, 32]"

ROWS, COLUMNS = ("csr", "dcsr"), ("csc", "dcsc")
DTYPES: dict[str, Any] = {
    "f32": np.float32,
    "f64": np.float64,
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
    "u8": np.uint8,
    "bool": np.bool_,
    "c64": np.complex64,
    "c128": np.complex128,
}
PARTS = (1, 2, 7, 64, 1000)
"""From one to more than there is to do."""
INDICES = {"i32": np.int32, "i64": np.int64}
PATTERNS = (
    "sparse",
    "dense",
    "empty",
    "one",
    "row",
    "column",
    "diagonal",
    "power",
    "middle",
)
SPECIAL = (0.0, -0.0, np.inf, -np.inf, np.nan)

# --- Patterns and values --------------------------------------------------------------


def stored(rng: Any, shape: tuple[int, ...], kind: str) -> Any:
    """Return a random pattern of any rank from 1, as a boolean array."""
    made = np.zeros(shape, bool)
    if not made.size or kind == "empty":
        return made
    if kind == "sparse":
        return rng.random(shape) < 0.3
    if kind == "dense":
        return rng.random(shape) < 0.9
    if kind == "one":
        made[tuple(rng.integers(extent) for extent in shape)] = True
    elif kind == "row":
        made[rng.integers(shape[0])] = True
    elif kind == "column":
        made[..., rng.integers(shape[-1])] = True
    elif kind == "diagonal":
        steps = np.arange(max(shape))
        made[tuple(steps * extent // steps.size for extent in shape)] = True
    elif kind == "power":
        share = 1.0 / (1 + rng.permutation(shape[0]))
        return rng.random(shape) < share.reshape(-1, *(1,) * (len(shape) - 1))
    else:
        # Empty slices before and behind.
        made[shape[0] // 3 : shape[0] - shape[0] // 3] = True
        made &= rng.random(shape) < 0.5
    return made


def numbers(rng: Any, count: int, dtype: Any, special: bool = True) -> Any:
    """Return values; some are stored zeros, infinite, not numbers, or extreme."""
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return rng.random(count) < 0.7
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        values = rng.integers(0 if dtype.kind == "u" else -8, 9, count).astype(dtype)
        where = rng.random(count) < 0.1
        values[where] = rng.choice((limits.min, limits.max), int(where.sum()))
        return values
    values = rng.integers(-8, 9, count) / 4
    if rng.random() < 0.3:
        values += rng.normal(size=count)
    if special and count and dtype.kind == "f":
        where = rng.random(count) < 0.2
        values[where] = rng.choice(SPECIAL, int(where.sum()))
    if dtype.kind == "c":
        values = values + 1j * rng.integers(-8, 9, count) / 4
    return values.astype(dtype)


# --- Formats --------------------------------------------------------------------------


def coo(rank: int, interleaved: bool = False) -> list[str]:
    """Return the kinds of the levels of a COO group."""
    if rank == 1:
        return ["compressed"]
    inner, last = "singleton(nonunique, soa)", "singleton(soa)"
    if interleaved:
        inner, last = "singleton(nonunique)", "singleton"
    return ["compressed(nonunique)", *[inner] * (rank - 2), last]


def levels_of(format: str, rank: int) -> Levels:
    """Return the levels that a name stands for."""
    order = range(rank)[::-1] if format in COLUMNS else range(rank)
    kinds = {
        "csr": ["dense", "compressed"],
        "csc": ["dense", "compressed"],
        "dense": ["dense"] * rank,
        "coo": coo(rank),
        "coo-interleaved": coo(rank, interleaved=True),
    }
    return tuple(zip(order, kinds.get(format, ["compressed"] * rank), strict=True))


def level_map(levels: Levels) -> str:
    """Return a format by its levels, as MLIR writes it."""
    dimensions = ", ".join(f"d{n}" for n in range(len(levels)))
    return f"({dimensions}) -> ({', '.join(f'd{d} : {kind}' for d, kind in levels)})"


@st.composite
def any_kinds(draw: Any, rank: int) -> list[str]:
    """Kinds of levels in any sequence, at least one of them not dense."""
    kinds: list[str] = []
    interleaved = draw(st.booleans())
    while len(kinds) < rank:
        left = rank - len(kinds)
        kind = draw(st.sampled_from(("compressed", "dense", "coo")))
        group = (
            coo(draw(st.integers(1, left)), interleaved) if kind == "coo" else [kind]
        )
        kinds += group
    if set(kinds) == {"dense"}:
        kinds[-1] = "compressed"
    return kinds


@st.composite
def kinds_of_levels(draw: Any, rank: int) -> list[str]:
    """Kinds of the levels of a sparse tensor: the usual ones, and any others."""
    usual = [
        ["dense"] * (rank - 1) + [BITMAP],
        ["compressed"] * rank,
        coo(rank),
        ["dense"] * (rank - 1) + ["compressed"],
        coo(rank, interleaved=True),
    ]
    if rank > 1 and draw(st.integers(0, 9)) < 6:
        return list(draw(st.sampled_from(usual)))
    return list(draw(any_kinds(rank)))


# --- Tensors --------------------------------------------------------------------------


def packed(
    levels: Levels, values: Any, pattern: Any, pos: Any = np.int32, crd: Any = np.int32
) -> tuple[list[Any], list[Any], Any]:
    """Return the ``pos`` and ``crd`` by level, and the values, of a dense array.

    What dense levels store beyond the pattern has the values of the array, too.
    """
    order = [dimension for dimension, _ in levels]
    extents = [values.shape[dimension] for dimension in order]
    coords = np.argwhere(pattern.transpose(order)).reshape(-1, len(order)).T
    all_pos: list[Any] = [None] * len(levels)
    all_crd: list[Any] = [None] * len(levels)
    parents, level = np.zeros(1, np.int64), 0
    while level < len(levels):
        if levels[level][1] == "dense":
            steps = np.arange(extents[level])
            parents = (parents[:, None] * extents[level] + steps).ravel()
            level += 1
            continue
        end = level + 1
        while end < len(levels) and levels[end][1].startswith("singleton"):
            end += 1
        children = np.unique(_prefixes(coords, extents, end))
        begins = np.searchsorted(
            children // max(int(np.prod(extents[level:end])), 1), parents
        )
        all_pos[level] = np.append(begins, children.size).astype(pos)
        rest = children
        for inner in reversed(range(level, end)):
            all_crd[inner] = (rest % max(extents[inner], 1)).astype(crd)
            rest = rest // max(extents[inner], 1)
        if levels[level][1] == BITMAP:
            bits = _words(all_pos[level], all_crd[level], extents[level])
            all_pos[level], all_crd[level] = bits[0].astype(pos), bits[1].astype(crd)
        if end > level + 1 and "soa" not in levels[level + 1][1]:
            all_crd[level] = np.array(all_crd[level:end]).T.copy()
            all_crd[level + 1 : end] = [None] * (end - level - 1)
        parents, level = children, end
    return all_pos, all_crd, values.transpose(order).ravel()[parents]


def _words(pos: Any, crd: Any, extent: int) -> tuple[Any, Any]:
    """Return the entries before each word of 32 bits, and the words, of a bitmap."""
    fibers, words = pos.size - 1, (extent + 31) // 32
    bits = np.zeros((fibers, 32 * words), np.int64)
    bits[np.repeat(np.arange(fibers), np.diff(pos)), crd] = 1
    bits = bits.reshape(-1, 32)
    return np.append(0, bits.sum(axis=1).cumsum()), bits @ (1 << np.arange(32))


def _prefixes(coords: Any, extents: Sequence[int], depth: int) -> Any:
    """Return the rank of each entry's first coordinates among all."""
    ranks = np.zeros(coords.shape[1], np.int64)
    for crd, extent in zip(coords[:depth], extents[:depth], strict=True):
        ranks = ranks * extent + crd
    return ranks


def tensor(
    pattern: Any,
    values: Any,
    format: str | Levels = "csr",
    pos: Any = np.int32,
    crd: Any = np.int32,
) -> Any:
    """Return a ``nacho.Tensor`` whose ``pos`` and ``crd`` may differ in type.

    ``values`` are by row and column, whatever the format: one per entry of the pattern,
    or one everywhere.
    """
    values = np.asarray(values)
    if values.shape != pattern.shape:
        full = np.zeros(pattern.shape, values.dtype)
        full[np.nonzero(pattern)] = values
        values = full
    levels = levels_of(format, pattern.ndim) if isinstance(format, str) else format
    arrays = packed(levels, values, pattern, pos, crd)
    name = format if isinstance(format, str) else level_map(levels)
    return nacho.Tensor.from_parts(name, pattern.shape, *arrays)


def sample(
    rng: Any,
    shape: tuple[int, ...],
    kind: str = "sparse",
    format: str | Levels = "csr",
    dtype: str = "f64",
    index: tuple[str, str] = ("i32", "i32"),
    special: bool = True,
) -> Any:
    """Return a random operand; arrays for what is dense in the usual order."""
    levels = levels_of(format, len(shape)) if isinstance(format, str) else format
    values = numbers(rng, int(np.prod(shape)), DTYPES[dtype], special).reshape(shape)
    if {level for _, level in levels} <= {"dense"}:
        order = [dimension for dimension, _ in levels]
        if order == sorted(order):
            return values
        if order == sorted(order)[::-1]:
            return np.asfortranarray(values)
        return tensor(np.ones(shape, bool), values, levels)
    widths = (INDICES[width] for width in index)
    return tensor(stored(rng, shape, kind), values, format, *widths)


# --- Other libraries ------------------------------------------------------------------

MATRICES = (
    "csr_array",
    "csr_matrix",
    "csc_array",
    "csc_matrix",
    "coo_array",
    "coo_matrix",
    "bsr_array",
    "bsr_matrix",
)
DISORDERS = ("", "unsorted", "duplicates")
ARRAYS = ("C", "F", "strided", "reversed")


def sampled(
    seed: int,
    shapes: Mapping[str, tuple[int, ...]],
    formats: Mapping[str, str],
    dtype: str = "f64",
    kind: str = "sparse",
    special: bool = False,
) -> dict[str, Any]:
    """Return operands; without special values sums have an error that is known."""
    rng = np.random.default_rng(seed)
    return {
        name: sample(rng, shape, kind, formats[name], dtype, special=special)
        for name, shape in shapes.items()
    }


def checked(
    kernel: Any, operands: Mapping[str, Any], parts: Sequence[int] = PARTS
) -> None:
    """Compare with the oracle; what the threads are does not change a bit."""
    answer = oracle.solve(kernel.expression, operands)
    for count in parts:
        result, *others = (
            kernel(**operands, parts=count, threads=threads) for threads in (1, 2, 3)
        )
        assert result.dtype == answer.value.dtype
        check_answer(result, answer)
        assert all(same(result, other) for other in others)


def scipy_sample(
    rng: Any,
    shape: tuple[int, ...],
    kind: str,
    container: str,
    dtype: str = "f64",
    disorder: str = "",
) -> Any:
    """Return a random container of SciPy, canonical or in disorder."""
    where = np.array(np.nonzero(stored(rng, shape, kind)))
    where = where.reshape(len(shape), -1)
    if disorder == "duplicates":
        where = where[:, rng.integers(0, max(where.shape[1], 1), 2 * where.shape[1])]
    # Sums of duplicates are exact, in whatever order.
    values = numbers(rng, where.shape[1], DTYPES[dtype], special=False)
    if np.dtype(DTYPES[dtype]).kind in "fc":
        values = np.round(values * 4) / 4
    values = values.astype(DTYPES[dtype])
    if disorder:
        shuffled = rng.permutation(where.shape[1])
        where, values = where[:, shuffled], values[shuffled]
    made = sp.coo_array((values, tuple(where.astype(np.int32))), shape)
    if container.startswith("coo"):
        return getattr(sp, container)(made)
    if container.startswith("bsr"):
        blocks = tuple(2 if extent % 2 == 0 and extent else 1 for extent in shape)
        full = np.zeros(shape, values.dtype)
        np.add.at(full, tuple(where), values)
        return getattr(sp, container)(full, blocksize=blocks)
    return _fibres(where, values, shape, container)


def _fibres(where: Any, values: Any, shape: tuple[int, ...], container: str) -> Any:
    """Return a csr or csc container with the entries of a fibre in the given order."""
    if len(shape) == 1:
        arrays = (values, where[0], [0, values.size])
        return getattr(sp, container)(arrays, shape=shape)
    outer, inner = where[:: 1 if container.startswith("csr") else -1]
    extent = shape[0 if container.startswith("csr") else 1]
    order = np.argsort(outer, kind="stable")
    ends = np.searchsorted(outer[order], np.arange(extent + 1))
    arrays = (values[order], inner[order].astype(np.int32), ends.astype(np.int32))
    return getattr(sp, container)(arrays, shape=shape)


def numpy_sample(
    rng: Any, shape: tuple[int, ...], layout: str, dtype: str, special: bool = True
) -> Any:
    """Return a random array of any layout."""
    kind = DTYPES[dtype]
    if layout in ("C", "F"):
        values = numbers(rng, int(np.prod(shape)), kind, special).reshape(shape)
        return np.array(values, order=layout)
    wide = tuple(2 * extent for extent in shape)
    values = numbers(rng, int(np.prod(wide)), kind, special).reshape(wide)
    step = -2 if layout == "reversed" else 2
    return values[(slice(None, None, step),) * len(shape)]


extents = st.sampled_from((2, 3, 1, 4, 5, 0, *range(6, 13)))
shapes = st.tuples(extents, extents)
kinds = st.lists(st.sampled_from(PATTERNS), min_size=1, max_size=4)
seeds = st.integers(0, 2**32 - 1)
