"""From the containers of a caller to the arguments of a kernel: look, check, convert.

Arrays are used in place where possible, and every copy or conversion is noted in words.
"""

from __future__ import annotations

from typing import Any

from nacho._notation.warnings import warn
from nacho._storage.containers import index_width, view_of
from nacho._storage.conversion import by_dimension
from nacho._storage.device_arrays import HOST
from nacho._storage.device_operands import load_on_device
from nacho._storage.formats import Format, TensorType
from nacho._storage.lengths import filled
from nacho._storage.memory import Notes, canonical, forget, remember
from nacho._storage.operand_types import (
    converted_type,
    element_type,
    read_type,
    require_elements,
    require_readable,
    require_type,
    signature,
    tensor_type,
    widened,
    with_widths,
)
from nacho._storage.scalars import load_scalar, scalar_dtype, scalar_kind
from nacho._storage.views import (
    TORCH,
    Array,
    View,
    is_plain,
    made_plain,
    require_positions,
)

__all__ = [
    "Notes",
    "arguments",
    "converted_type",
    "element_type",
    "forget",
    "index_width",
    "load",
    "load_scalar",
    "read_type",
    "remember",
    "require_type",
    "scalar_dtype",
    "scalar_kind",
    "signature",
    "tensor_type",
    "view_of",
]

# --- Loading --------------------------------------------------------------------------


def load(
    name: str,
    container: object,
    view: View,
    type: TensorType,
    validate: str,
    notes: Notes | None = None,
    *,
    is_typed: bool = False,
) -> View:
    """Check an operand, and return it as the kernel reads it.

    ``is_typed`` says that the format and the arrays are known to have this type.
    """
    wanted = type.format
    assert wanted is not None
    if view.device != HOST:
        require_elements(name, view, type)
        return load_on_device(name, container, view, type, validate)
    same = is_typed or view.format is wanted or view.format == wanted
    if view.note and notes is not None:
        notes.append(f"{name}: {view.note}")
    ready = view if is_typed else _in_types(name, view, type, same, notes)
    if wanted.is_dense:
        return _load_dense(name, ready, wanted, notes)
    ready = _made_plain(name, ready, notes)
    if view.format.is_dense:
        return _made_sparse(name, ready, type, notes)
    ready = filled(name, ready)
    if validate != "none" or not same or _known_unsorted(container, view):
        require_positions(name, ready)
        ready = canonical(name, container, view, ready, validate, notes)
    return ready if same else _converted(name, ready, type, notes)


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


def _in_types(
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


def _made_sparse(name: str, view: View, type: TensorType, notes: Notes | None) -> View:
    """Return the elements of a dense operand that are not 0, and warn of the cost."""
    warn(
        f"operand '{name}' is dense, but the kernel was compiled for {type.format}: "
        "its zeros are left out in every call; compile it with "
        f'formats={{"{name}": "dense"}}, or convert the operand once'
    )
    return _converted(name, view, type, notes)


def _known_unsorted(container: Any, view: View) -> bool:
    """Return whether a container says that entries are unsorted or repeated.

    A container in coo also says so while its library has not looked at its entries.
    """
    if view.library == TORCH:
        return view.layout == "coo" and not container.is_coalesced()
    known: dict[str, Any] = getattr(container, "__dict__", {})
    return (
        known.get("_has_sorted_indices") is False
        or known.get("_has_canonical_format") is False
        or known.get("has_canonical_format") is False
    )


def _converted(name: str, ready: View, type: TensorType, notes: Notes | None) -> View:
    # Imported here, because reformat is only needed for conversions.
    from nacho._storage.reformat import converted

    assert type.format is not None
    if notes is not None:
        notes.append(f"{name}: {ready.format} converted to {type.format}")
        notes += _zeros(name, ready.format, type.format)
    return with_widths(name, converted(ready, type.format, name), type, notes)


def _zeros(name: str, given: Format, wanted: Format) -> Notes:
    """Return a note if a conversion stores zeros, or leaves zeros out."""
    before, after = given.inner_dense, wanted.inner_dense
    if after - before:
        return [f"{name}: zeros fill up the dense levels of {wanted}"]
    if before - after:
        return [f"{name}: zeros of the dense levels of {given} are left out"]
    return []


# --- Dense operands -------------------------------------------------------------------


def _load_dense(name: str, view: View, wanted: Format, notes: Notes | None) -> View:
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


def _made_plain(name: str, view: View, notes: Notes | None) -> View:
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
