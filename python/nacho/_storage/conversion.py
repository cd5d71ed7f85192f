"""From arrays by level to coordinates, and from coordinates to any format.

No function here writes into the arrays that it is given. Arrays that need no change
are shared with the result.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nacho._elements import DType
from nacho._storage.formats import Format
from nacho._storage.splitting import join_columns
from nacho._storage.usual_views import usual_view, with_levels_of
from nacho._storage.views import (
    INT32,
    INT32_MAX,
    INT64,
    Array,
    View,
    groups,
    sound_positions,
    subject,
)
from nacho.errors import OperandError, OutOfMemoryError, UnsupportedError


def coordinates(
    view: View, depth: int | None = None, name: str | None = None
) -> list[Array]:
    """Return, per level, the coordinate of every entry, in storage order.

    With ``depth``, return only the first ``depth`` levels: per level, the coordinate of
    every position of the last of these levels. ``name`` is that of the operand in
    messages: ``pos`` may have been edited since it was checked.
    """
    columns: list[Array] = []
    view = usual_view(view)
    width = index_type(view)
    count = 1
    for level, kind in enumerate(view.format.level_kinds[:depth]):
        if kind.is_full:
            extent = view.extents[level]
            columns = [np.repeat(column, extent) for column in columns]
            columns.append(_tiled(extent, count, width))
            count *= extent
            continue
        if kind.has_pos:
            lengths = np.diff(sound_positions(view, level, name))
            columns = [np.repeat(column, lengths) for column in columns]
        crd = view.crd_at(level)
        columns.append(crd)
        count = crd.size
    return columns


def _tiled(extent: int, count: int, width: DType) -> Array:
    """Return the coordinates of ``count`` dense fibers, one after the other."""
    once = np.arange(extent, dtype=width)
    return once if count == 1 else np.tile(once, count)


def index_type(view: View) -> DType:
    """Return the narrowest index type that holds the coordinates of all levels."""
    types = {crd.dtype for crd in view.crd if crd is not None}
    if INT64 in types or max(view.shape, default=0) > INT32_MAX:
        return INT64
    return INT32


def summed(values: Array, starts: Array) -> Array:
    """Return the sum of the values from each start to the next, in their own type."""
    if not starts.size:
        return values[:0]
    return np.add.reduceat(values, starts, dtype=values.dtype)


# --- Building -------------------------------------------------------------------------


def packed(
    format: Format,
    shape: tuple[int, ...],
    columns: Sequence[Array],
    values: Array,
    types: tuple[DType, DType] | None = None,
) -> View:
    """Return sorted and distinct entries in a format.

    ``columns`` are the coordinates by level. ``types`` are the index types of ``pos``
    and ``crd``; without them, the narrowest that fit are used. Elements of dense levels
    that have no entry get the value zero.
    """
    if format.not_packed:
        raise UnsupportedError(f"Tensor: {format}: {format.not_packed}")
    if not format.is_usual:
        usual = packed(format.usual, shape, columns, values, types)
        return with_levels_of(format, usual)
    extents = View(format, shape, (), (), values).extents
    if types is None:
        narrow = max(*extents, values.size) <= INT32_MAX
        types = (INT32, INT32) if narrow else (INT64, INT64)
    pos: list[Array | None] = [None] * len(extents)
    crd: list[Array | None] = [None] * len(extents)
    group = {levels[0]: levels for levels in groups(format)}
    parents, count = np.zeros(values.size, np.int64), 1
    for level, kind in enumerate(format.level_kinds):
        if kind.is_full:
            count *= extents[level]
            require_allocatable(count)
            parents = parents * extents[level] + columns[level]
        elif level in group:
            stored = [columns[each] for each in group[level]]
            first = _first_of_runs(parents, stored)
            pos[level] = _positions(parents[first], count, types[0])
            count = int(np.count_nonzero(first))
            for each, column in zip(group[level], stored, strict=True):
                kept = column if count == first.size else column[first]
                crd[each] = kept.astype(types[1], copy=False)
            parents = np.cumsum(first) - 1
    crd = interleaved(format, crd)
    if format.level_kinds[-1].is_full:
        values = _spread(parents, values, count)
    if format.is_dense:
        values = values.reshape(extents)
    return View(format, shape, tuple(pos), tuple(crd), values)


def interleaved(format: Format, crd: Sequence[Array | None]) -> list[Array | None]:
    """Put the coordinates of levels that share an array into it, one column per level.

    ``crd`` has one array per level; the other levels of a shared array get None.
    """
    shared: list[Array | None] = [None] * len(crd)
    for owner in format.owners:
        columns = [crd[level] for level in format.sharing[owner]]
        found = [column for column in columns if column is not None]
        shared[owner] = found[0] if len(found) == 1 else np.stack(found, axis=1)
    return shared


def _first_of_runs(parents: Array, columns: Sequence[Array]) -> Array:
    """Return, per sorted entry, whether it differs from the entry before it."""
    first = np.ones(parents.size, np.bool_)
    first[1:] = parents[1:] != parents[:-1]
    for column in columns:
        first[1:] |= column[1:] != column[:-1]
    return first


def _positions(parents: Array, count: int, dtype: DType) -> Array:
    """Return where the children of each of ``count`` parents begin."""
    pos = allocated((count + 1,), dtype)
    pos[1:] = np.bincount(parents, minlength=count)
    np.cumsum(pos, dtype=dtype, out=pos)
    return pos


def _spread(places: Array, values: Array, count: int) -> Array:
    if count == values.size:
        return values
    spread = allocated((count,), values.dtype)
    spread[places] = values
    return spread


def densified(view: View) -> Array:
    """Return a new NumPy array of all elements, with the dimensions in their order."""
    view = usual_view(view)
    format = view.format
    if format.is_dense:
        return by_dimension(view).copy()
    dense = allocated(view.shape, view.values.dtype)
    require_within(view)
    dense[tuple(coordinates_by_dimension(view))] = view.values
    return dense


def coordinates_by_dimension(view: View) -> list[Array]:
    """Return, per dimension, the coordinate of every entry, in storage order."""
    columns, format = coordinates(view), view.format
    if format.parts:
        return join_columns(columns, format.parts)
    level_of = {dimension: n for n, dimension in enumerate(format.order)}
    return [columns[level_of[dimension]] for dimension in range(len(columns))]


def by_dimension(view: View) -> Array:
    """Return the values of a dense view, with the dimensions in their order."""
    if view.format.is_row_major:
        return view.values
    return view.values.transpose(np.argsort(view.format.order))


def require_within(view: View, name: str | None = None) -> None:
    """Refuse coordinates outside of their extent: arrays may be edited in place."""
    for level in view.format.stored:
        crd, extent = view.crd_at(level), view.extents[level]
        if crd.size and not 0 <= crd.min() <= crd.max() < extent:
            outside = np.flatnonzero((crd < 0) | (crd >= extent))
            label = view.crd_label(level)
            # Another thread may have put an element right in the meantime.
            message = f"{label} was out of range [0, {extent}) while it was in use"
            if outside.size:
                place = int(outside[0])
                label = f"{label}[{place}]"
                message = f"{label} = {crd[place]} is out of range [0, {extent})"
            raise OperandError(f"{subject(name)}: {message}")


def allocated(shape: tuple[int, ...], dtype: DType) -> Array:
    """Return an array of zeros, or raise OutOfMemoryError."""
    try:
        made: Array = np.zeros(shape, dtype)
    except (MemoryError, ValueError, OverflowError) as error:
        # NumPy raises ValueError for a size beyond the address space.
        raise OutOfMemoryError(f"an array of shape {shape}: {error}") from error
    return made


def require_allocatable(count: int) -> None:
    """Refuse a number of positions that no memory can hold (more than 2^48)."""
    if count > 2**48:
        raise OutOfMemoryError(f"a dense level of {count} elements")
