"""Operands in place: with plain arrays of the types that a kernel reads.

Arrays are used as they are where possible, and every copy is noted in words.
"""

from __future__ import annotations

from nacho._storage.conversion import by_dimension
from nacho._storage.device_arrays import HOST
from nacho._storage.formats import Format, TensorType
from nacho._storage.lengths import filled
from nacho._storage.memory import Notes
from nacho._storage.operand_types import (
    require_elements,
    require_readable,
    tensor_type,
    widened,
    with_widths,
)
from nacho._storage.views import Array, View, is_plain, made_plain


def in_place(name: str, view: View, type: TensorType, notes: Notes | None) -> View:
    """Return an operand in the format that a kernel reads, as it reads it."""
    ready = in_types(name, view, type, True, notes)
    if view.format.is_dense:
        return dense_operand(name, ready, view.format, notes)
    return filled(name, plain_operand(name, ready, notes))


def arguments(view: View) -> list[object]:
    """Return a loaded operand as a kernel takes it: arrays by level, then extents."""
    args: list[object] = []
    for pos, crd in zip(view.pos, view.crd, strict=True):
        if pos is not None:
            args.append(pos)
        if crd is not None:
            args.append(crd)
    args.append(view.values)
    if view.device != HOST:
        args = [getattr(array, "native", array) for array in args]
    args += view.extents
    return args


def in_types(
    name: str, view: View, type: TensorType, same: bool, notes: Notes | None
) -> View:
    """Return a view with arrays of the types that a kernel reads, or refuse it.

    ``same`` says that it has the format that the kernel reads, too.
    """
    assert type.format is not None
    require_elements(name, view, type)
    if not same:
        require_readable(name, view, type.format)
    made = widened(name, view, type, notes)
    if made.format.is_dense:
        return made
    return with_widths(name, made, type if same else tensor_type(name, made), notes)


# --- Dense operands -------------------------------------------------------------------


def dense_operand(name: str, view: View, wanted: Format, notes: Notes | None) -> View:
    """Return a dense operand in the order of levels that a kernel reads."""
    values, reason = view.values, ""
    if view.format.order != wanted.order:
        values = by_dimension(view).transpose(wanted.order)
        reason = "lies in another order than the kernel reads"
    elif is_plain(values):
        return view
    if not is_plain(values):
        if notes is not None:
            notes.append(_copied(name, view.values_label, values, reason))
        values = made_plain(values)
    return View(wanted, view.shape, view.pos, view.crd, values, view.library)


# --- Copies ---------------------------------------------------------------------------


def _all_plain(view: View) -> bool:
    for array in view.pos:
        if array is not None and not is_plain(array):
            return False
    for array in view.crd:
        if array is not None and not is_plain(array):
            return False
    return is_plain(view.values)


def plain_operand(name: str, view: View, notes: Notes | None) -> View:
    """Return a sparse operand with plain arrays."""
    if _all_plain(view):
        return view

    def plain(array: Array, label: str) -> Array:
        if is_plain(array):
            return array
        if notes is not None:
            notes.append(_copied(name, label, array, ""))
        return made_plain(array)

    pos, crd = list(view.pos), list(view.crd)
    for level in view.format.compressed:
        pos[level] = plain(view.pos_at(level), view.pos_label(level))
    for level in view.format.owners:
        crd[level] = plain(view.array_at(level), view.array_label(level))
    values = plain(view.values, view.values_label)
    return view.with_arrays(tuple(pos), tuple(crd), values)


def _copied(name: str, label: str, array: Array, reason: str) -> str:
    """Return the note that an array was copied, and why."""
    if not array.dtype.isnative:
        reason = "has the byte order of another machine"
    return f"{name}: {label} {reason or 'is not contiguous and aligned'}: copied"
