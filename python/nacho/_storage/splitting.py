"""Formats, views and coordinates by level, of tensors in blocks, and by dimension.

A tensor in blocks has several levels for one dimension. By level, it has a dimension
for each of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from nacho._notation.tree import LevelPart, LevelParts
from nacho._storage.formats import Format
from nacho._storage.level_maps import level_map
from nacho._storage.views import Array, View
from nacho.errors import ShapeError


@lru_cache(maxsize=256)
def in_blocks(kinds: tuple[str, ...], parts: LevelParts) -> Format:
    """Return the format of levels of some kinds that store some parts of dimensions."""
    levels = tuple(
        (part.dimension, kind) for part, kind in zip(parts, kinds, strict=True)
    )
    rank = 1 + max(part.dimension for part in parts)
    return Format(level_map(rank, levels, parts)).for_rank(rank)


@lru_cache(maxsize=256)
def by_level(format: Format) -> Format:
    """Return the format of a tensor with a dimension for each level of another one."""
    levels = tuple(enumerate(format.kinds))
    return Format.of_levels(levels).for_rank(len(levels))


@lru_cache(maxsize=256)
def bsr_format(rows: int, columns: int) -> Format:
    """Return the format of SciPy's bsr with blocks of some rows and columns."""
    kinds = ("dense", "compressed", "dense", "dense")
    numbers = (LevelPart(0, rows), LevelPart(1, columns))
    places = (LevelPart(0, rows, is_inside=True), LevelPart(1, columns, is_inside=True))
    return in_blocks(kinds, (*numbers, *places))


def is_bsr_format(format: Format) -> bool:
    """Return whether SciPy's bsr stores tensors of a format."""
    sizes = [part.size for part in format.parts[:2]]
    return len(format.parts) == 4 and format == bsr_format(*sizes)


def bsr_array(view: View, kind: Any = None) -> Any:
    """Return SciPy's bsr with the arrays of a view; ``kind`` is its class."""
    import scipy.sparse

    data = view.values.reshape(-1, *view.extents[2:])
    arrays = (data, view.crd_at(1), view.pos_at(1))
    made = (kind or scipy.sparse.bsr_array)(arrays, shape=view.shape)
    made.has_sorted_indices = True
    made.has_canonical_format = True
    return made


def transposed(format: Format) -> Format:
    """Return the format of the same arrays with the dimensions in reverse order."""
    last = len(set(format.order)) - 1
    if format.parts:
        turned = (replace(p, dimension=last - p.dimension) for p in format.parts)
        return in_blocks(format.kinds, (*turned,))
    levels = tuple((last - at, kind) for at, kind in format.levels)
    return Format.of_levels(levels)


def by_levels(view: View) -> View:
    """Return the view of a tensor in blocks with a dimension for each of its levels."""
    arrays = (view.pos, view.crd, view.values)
    format = by_level(view.format)
    return View(format, view.extents, *arrays, view.library, view.layout, view.note)


def join_columns(columns: Sequence[Array], parts: LevelParts) -> list[Array]:
    """Return coordinates by dimension, given those by level."""
    made: dict[int, Array] = {}
    for column, part in zip(columns, parts, strict=True):
        if part.is_inside:
            column = made[part.dimension] * part.size + column
        made[part.dimension] = column
    return [made[dimension] for dimension in range(len(made))]


def split_columns(columns: Sequence[Array], parts: LevelParts) -> list[Array]:
    """Return coordinates by level, given those by dimension."""
    return [
        columns[part.dimension] % part.size
        if part.is_inside
        else columns[part.dimension] // part.size
        for part in parts
    ]


def require_multiples(shape: Sequence[int], parts: LevelParts, subject: str) -> None:
    """Refuse extents that are no multiples of their blocks; messages name whose."""
    for part in parts:
        extent = shape[part.dimension]
        if extent % part.size:
            raise ShapeError(
                f"{subject}: its extent {extent} in dimension {part.dimension} is not "
                f"a multiple of the blocks, of {part.size}"
            )
