"""Parts of a tensor along any axis, which are copies: ``T[:, 2:5]`` and ``T[:, 0]``.

Entries inside are kept in their order. So they stay sorted, also without an axis of
which there is one coordinate only.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nacho._storage.conversion import coordinates_by_dimension, packed
from nacho._storage.formats import LISTS, Format
from nacho._storage.rows import bounds_of
from nacho._storage.usual_views import usual_view
from nacho._storage.views import View
from nacho.errors import RowError, ShapeError

_OF_ANY_RANK = (*LISTS, "csf")

Bounds = tuple[int, int, bool]
"""Where an axis begins and ends, and whether it is kept."""


def box(view: View, keys: Sequence[Any]) -> Any:
    """Return a view of what is inside of slices; numbers leave their axes out.

    If no axis is left, it is an element. An ellipsis stands for all other axes.
    """
    view = usual_view(view)
    bounds = _bounds(view, keys)
    if view.format.is_dense:
        return _dense_box(view, bounds)
    columns = coordinates_by_dimension(view)
    inside = np.ones(view.values.size, np.bool_)
    for column, (begin, end, _) in zip(columns, bounds, strict=True):
        inside &= (column >= begin) & (column < end)
    values = view.values.reshape(-1)[inside]
    kept = _kept(bounds)
    if not kept:
        return values[0] if values.size else values.dtype.type(0)
    inner = [columns[axis][inside] - bounds[axis][0] for axis in kept]
    is_whole = len(kept) == len(columns)
    format = view.format if is_whole else _without(view, _order(view, kept))
    shape = tuple([bounds[axis][1] - bounds[axis][0] for axis in kept])
    return packed(format, shape, [inner[at] for at in format.order], values)


def _dense_box(view: View, bounds: Sequence[Bounds]) -> Any:
    """Return what is inside of a dense tensor, which shares its memory."""
    kept = _kept(bounds)
    places = [
        slice(*bounds[axis][:2]) if axis in kept else bounds[axis][0]
        for axis in view.format.order
    ]
    values = view.values[tuple(places)]
    if not kept:
        return values
    shape = tuple([bounds[axis][1] - bounds[axis][0] for axis in kept])
    none = (None,) * len(shape)
    return View(_ordered("dense", _order(view, kept)), shape, none, none, values)


def _kept(bounds: Sequence[Bounds]) -> list[int]:
    """Return the axes that are not left out."""
    return [axis for axis, (_, _, is_kept) in enumerate(bounds) if is_kept]


def _order(view: View, kept: Sequence[int]) -> list[int]:
    """Return in which order the axes that are kept are stored."""
    return [kept.index(axis) for axis in view.format.order if axis in kept]


def _bounds(view: View, keys: Sequence[Any]) -> list[Bounds]:
    """Return the bounds of all axes."""
    rank, dots = len(view.shape), [n for n, key in enumerate(keys) if key is Ellipsis]
    if len(keys) - len(dots) > rank or len(dots) > 1:
        raise ShapeError(
            f"the tensor has {rank} dimensions, and not the {len(keys)} of T[…]"
        )
    at = dots[0] if dots else len(keys)
    missing = (slice(None),) * (rank - len(keys) + len(dots))
    found: list[Bounds] = []
    for axis, key in enumerate((*keys[:at], *missing, *keys[at + 1 :])):
        extent = view.shape[axis]
        if isinstance(key, slice):
            found.append((*bounds_of(key, extent), True))
            continue
        place = key + extent if key < 0 else key
        if not 0 <= place < extent:
            raise RowError(f"there is no {key} along axis {axis}: it has {extent}")
        found.append((place, place + 1, False))
    return found


def _without(view: View, order: Sequence[int]) -> Format:
    """Return a format for the entries of a tensor without some of its axes."""
    if len(order) == 1:
        return Format("sparse-vector")
    name = view.format.name
    return _ordered(name if name in _OF_ANY_RANK else "coo", order)


def _ordered(name: str, order: Sequence[int]) -> Format:
    return Format(name).for_rank(len(order)).in_order(order)
