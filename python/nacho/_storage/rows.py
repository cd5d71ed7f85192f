"""Rows of a tensor, which share its arrays: ``T[2:10]`` and ``T[3]``.

Rows are at successive positions of the level that stores them. So are their children in
each level below, and their values. For rows 1 and 2 of a csr matrix:

    pos     0 2 5 6 9             0 3 4        2 5 6 less 2, a copy
    crd     a b c d e f g h i     c d e f      shared, as the values
"""

from __future__ import annotations

import operator
from contextlib import suppress
from typing import Any, SupportsIndex, cast

import numpy as np

from nacho._notation.symbols import Index
from nacho._storage.conversion import packed
from nacho._storage.formats import Format
from nacho._storage.usual_views import usual_view
from nacho._storage.views import Array, View
from nacho.errors import (
    ArgumentError,
    FormatError,
    RowError,
    UnsupportedError,
    displayed,
)

_HEAD, _LAST_HEAD = "compressed(nonunique)", "compressed"
"""The first level of a list of entries with several coordinates, and with one."""


def row_key(key: object) -> int | slice | tuple[Any, ...] | None:
    """Return the rows that ``T[key]`` takes; None if the key has names of indices.

    Slices of everything may follow: ``T[2:10, :]``. Else it is a tuple of what is taken
    of each axis.
    """
    keys = key if isinstance(key, tuple) else (key,)
    if any(isinstance(each, Index | str) for each in keys):
        return None
    first, *rest = taken = [_part(each, keys) for each in keys] or [Ellipsis]
    if all(each is Ellipsis or _is_everything(each) for each in rest):
        rows: int | slice = slice(None) if first is Ellipsis else first
        return rows
    return (*taken,)


def _part(key: object, keys: tuple[object, ...]) -> Any:
    """Return a slice, a number or an ellipsis, or refuse another key."""
    if key is Ellipsis or isinstance(key, slice):
        return key
    if not isinstance(key, bool | np.bool_):
        with suppress(TypeError):
            return operator.index(cast(SupportsIndex, key))
    shown = ", ".join(map(displayed, keys))
    raise ArgumentError(
        f"T[{shown}]: what may be taken are rows, as T[3] or T[2:10], and slices of "
        "other axes, as T[:, 2:5]; elements of expressions have index variables: "
        "T[i, j] or T['i,j']"
    )


def _is_everything(key: object) -> bool:
    return isinstance(key, slice) and key == slice(None)


def rows(view: View, key: slice) -> View:
    """Return a view of successive rows."""
    return _between(view, *bounds_of(key, view.shape[0]))


def bounds_of(key: slice, extent: int) -> tuple[int, int]:
    """Return where a slice begins and ends, or refuse one with steps."""
    try:
        begin, end, step = key.indices(extent)
    except TypeError as error:
        message = f"{displayed(key)}: the bounds of rows are integers"
        raise ArgumentError(message) from error
    if step != 1:
        raise UnsupportedError(f"{displayed(key)}: rows in steps are not supported")
    return begin, max(begin, end)


def row(view: View, number: int) -> Any:
    """Return a view of one row, without the axis of rows; an element of a vector."""
    extent = view.shape[0]
    place = number + extent if number < 0 else number
    if not 0 <= place < extent:
        raise RowError(f"there is no row {number}: the tensor has {extent}")
    found = _between(view, place, place + 1)
    if len(view.shape) == 1:
        values = found.values
        return values[0] if values.size else values.dtype.type(0)
    if view.format.is_dense:
        return _dense_row(found)
    return _without_rows(found)


def _between(view: View, begin: int, end: int) -> View:
    """Return a view of the rows from ``begin`` to ``end``."""
    view = usual_view(view)
    format, shape = view.format, (end - begin, *view.shape[1:])
    if format.is_dense:
        level = format.order.index(0)
        values = view.values[(slice(None),) * level + (slice(begin, end),)]
        return View(format, shape, view.pos, view.crd, values)
    _require_rows(view)
    pos: list[Array | None] = [None] * len(shape)
    crd: list[Array | None] = [None] * len(shape)
    first, last = _outermost(view, begin, end)
    for level, kind in enumerate(format.level_kinds):
        if level == 0:
            if kind.has_pos:
                pos[0] = np.array([0, last - first], view.pos_at(0).dtype)
        elif kind.is_full:
            first, last = first * view.extents[level], last * view.extents[level]
        elif kind.has_pos:
            bounds = view.pos_at(level)[first : last + 1]
            pos[level] = bounds - bounds[0] if bounds[0] else bounds
            first, last = int(bounds[0]), int(bounds[-1])
        if level in format.owners:
            crd[level] = view.array_at(level)[first:last]
    if 0 in format.owners and begin:
        crd[0] = _shifted(crd[0], begin)
    return View(format, shape, (*pos,), (*crd,), view.values[first:last])


def _require_rows(view: View) -> None:
    """Refuse a format in which rows are not together."""
    if view.format.order[0] != 0:
        raise FormatError(
            f"Tensor: the rows of {view.format} are not stored together; convert it, "
            'as with .convert("csr"), or take columns as rows of .T'
        )


def _outermost(view: View, begin: int, end: int) -> tuple[int, int]:
    """Return the positions of rows in the level that stores them."""
    if view.format.level_kinds[0].is_full:
        return begin, end
    stored = view.crd_at(0)
    first, last = np.searchsorted(stored, [begin, end])
    return int(first), int(last)


def _shifted(crd: Any, begin: int) -> Array:
    """Return coordinates from 0 on, which may be the first column of a shared array."""
    moved: Array = crd.copy()
    moved[(..., 0) if moved.ndim > 1 else ...] -= begin
    return moved


def _dense_row(view: View) -> View:
    """Return a view of a single row of a dense tensor without the axis of rows."""
    level, shape = view.format.order.index(0), view.shape[1:]
    order = [at - 1 for at in view.format.order if at]
    format = Format.of_levels(tuple((at, "dense") for at in order))
    none = (None,) * len(shape)
    values = view.values.squeeze(level)
    return View(format.for_rank(len(shape)), shape, none, none, values)


def _without_rows(view: View) -> View:
    """Return a view of a single row without the level and the axis of rows."""
    format, shape = view.format, view.shape[1:]
    kinds = list(format.kinds[1:])
    pos, crd = view.pos[1:], list(view.crd[1:])
    below = format.level_kinds[1]
    if below.shares_positions:
        # A list of entries has one coordinate less.
        shared = len(format.sharing[0]) > 1
        kinds[0] = _LAST_HEAD if below.is_unique else _HEAD
        pos = (view.pos[0], *pos[1:])
        if shared:
            columns = view.array_at(0)[:, 1:]
            crd[0] = np.ascontiguousarray(
                columns[:, 0] if columns.shape[1] == 1 else columns
            )
    levels = zip(format.order[1:], kinds, strict=True)
    made = Format.of_levels(tuple((at - 1, kind) for at, kind in levels))
    made = made.for_rank(len(shape))
    may_be_missing = not (format.level_kinds[0].is_full or below.shares_positions)
    if may_be_missing and not view.crd_at(0).size:
        return packed(made, shape, [view.crd_at(0)] * len(shape), view.values[:0])
    values = view.values
    if made.is_dense:
        values = values.reshape([shape[at] for at in made.order])
    return View(made, shape, pos, (*crd,), values)
