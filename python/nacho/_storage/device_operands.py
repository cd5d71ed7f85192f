"""Operands whose arrays are in the memory of a device: checked, and used as they are.

Nothing is converted or sorted there: an operand that a kernel cannot use in place is
refused. The checks are those of operands of the host. They need copies for the host to
read, of all index arrays when an operand is first seen. In later calls, kernels check
``pos``, unless it is the host that knows how to. With ``validate="none"``, nothing is
read.
"""

from __future__ import annotations

import threading
from math import prod
from typing import Any, NoReturn

import numpy as np

from nacho._storage.device_arrays import HOST, DeviceArray, moved
from nacho._storage.formats import TensorType
from nacho._storage.lengths import filled
from nacho._storage.memory import check_of, is_known, remember
from nacho._storage.views import (
    Array,
    Arrays,
    View,
    has_canonical_entries,
    require_positions,
)
from nacho.errors import OperandError


def load_on_device(
    name: str,
    container: object,
    view: View,
    type: TensorType,
    validate: str,
    is_checked: bool = False,
) -> View:
    """Check an operand on a device, and return it as the kernel reads it.

    ``is_checked`` says that the kernel checks what it can check.
    """
    if view.format != type.format:
        _refuse(
            name,
            view,
            f"is {view.format}, but the kernel reads {type.format}",
            f'compile it with formats={{"{name}": "{view.format}"}}',
        )
    if view.format.is_dense:
        return filled(name, view)
    _require_widths(name, view, type)
    if validate == "none":
        _require_lengths(name, view)
        return view
    is_new = validate == "full" or not is_known(container, view)
    if is_checked and not is_new and is_checked_by_kernels(container, view):
        return view
    readable = view.with_arrays(_on_host(view.pos), view.crd, view.values)
    ready = filled(name, readable)
    require_positions(name, ready)
    if is_new:
        if not has_canonical_entries(name, moved(ready, HOST)):
            _refuse(
                name,
                view,
                "has entries that are not sorted, or not distinct",
                f"sort them first, or pass a copy of {name} on the host",
            )
        remember(container, view, is_filled=ready is readable)
    return ready.with_arrays(view.pos, ready.crd, ready.values)


_MOST_KEPT = 1 << 26
_kept = threading.local()
"""Memory of each thread for what it reads in every call; fresh memory takes longer."""


def _on_host(arrays: Arrays) -> Arrays:
    """Return copies that the host can read, and arrays of the host as they are.

    The copies are there until this is called again.
    """
    given: tuple[Any, ...] = arrays
    there = [array for array in given if isinstance(array, DeviceArray)]
    needed = sum(_aligned(array.nbytes) for array in there)
    room: Array = getattr(_kept, "room", np.empty(0, np.uint8))
    if room.size < needed:
        room = np.empty(needed, np.uint8)
        if needed <= _MOST_KEPT:
            _kept.room = room
    copies, begin = {}, 0
    for array in there:
        own = room[begin : begin + array.nbytes].view(array.dtype)
        copies[id(array)] = array.to_host(own.reshape(array.shape))
        begin += _aligned(array.nbytes)
    return tuple(copies.get(id(array), array) for array in given)


def _aligned(size: int) -> int:
    return -(-size // 64) * 64


def _require_widths(name: str, view: View, type: TensorType) -> None:
    """Refuse index arrays whose types differ from those that the kernel reads."""
    pairs = ((view.pos, type.pos_width), (view.crd, type.crd_width))
    for arrays, width in pairs:
        for array in arrays:
            if array is not None and array.dtype.itemsize * 8 != width:
                _refuse(
                    name,
                    view,
                    f"has index arrays of {array.dtype}, but the kernel reads "
                    f"int{width}",
                    "pass index arrays of one type",
                )


def is_checked_by_kernels(container: object, view: View) -> bool:
    """Return whether kernels check all that the host would of a container.

    Its index arrays must be known, and no longer than they have to be.
    """
    known = check_of(container, view)
    return (
        known is not None
        and known.is_filled
        and all(
            kind.is_full or kind.shares_positions or kind.word == "compressed"
            for kind in view.format.level_kinds
        )
        and _have_lengths(view)
    )


def _have_lengths(view: View) -> bool:
    """Return whether the last levels fit each other, so far as lengths tell."""
    last = view.format.stored[-1]
    if last + 1 < len(view.format.levels):
        return True
    kind, above = view.format.level_kinds[last], view.extents[:last]
    count = len(view.crd_at(last))
    return count == kind.crd_length(prod(above), len(view.values), view.extents[last])


def _require_lengths(name: str, view: View) -> None:
    """Refuse levels of different lengths, as far as that needs no element."""
    if not _have_lengths(view):
        last = view.format.stored[-1]
        count = len(view.crd_at(last))
        raise OperandError(
            f"operand '{name}': {view.crd_label(last)} has {count} "
            f"entries, but {view.values_label} has {len(view.values)}"
        )


def _refuse(name: str, view: View, what: str, fix: str) -> NoReturn:
    raise OperandError(
        f"operand '{name}' {what}, and operands on a device ('{view.device}') are used "
        f"as they are: {fix}"
    )
