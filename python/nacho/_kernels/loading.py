"""From the containers of a caller to the operands of a kernel: look, check, convert."""

from __future__ import annotations

from typing import Any

from nacho._kernels.canonical import canonical
from nacho._kernels.format_conversion import converted
from nacho._notation.warnings import warn
from nacho._storage.device_arrays import HOST
from nacho._storage.device_operands import load_on_device
from nacho._storage.formats import Format, TensorType
from nacho._storage.lengths import filled
from nacho._storage.memory import Notes
from nacho._storage.operand_types import require_elements, with_widths
from nacho._storage.operands import dense_operand, in_types, plain_operand
from nacho._storage.views import TORCH, View, require_positions


def load(
    name: str,
    container: object,
    view: View,
    type: TensorType,
    validate: str,
    notes: Notes | None = None,
    *,
    threads: int = 0,
    is_typed: bool = False,
    is_checked: bool = False,
) -> View:
    """Check an operand, and return it as the kernel reads it.

    ``threads`` may check it; 0 are as many as calls use by default. ``is_typed`` says
    that the format and the arrays are known to have this type, ``is_checked`` that the
    kernel checks positions on a device.
    """
    wanted = type.format
    assert wanted is not None
    if view.device != HOST:
        require_elements(name, view, type)
        return load_on_device(name, container, view, type, validate, is_checked)
    same = is_typed or view.format is wanted or view.format == wanted
    if view.note and notes is not None:
        notes.append(f"{name}: {view.note}")
    ready = view if is_typed else in_types(name, view, type, same, notes)
    if wanted.is_dense:
        return dense_operand(name, ready, wanted, notes)
    ready = plain_operand(name, ready, notes)
    if view.format.is_dense:
        return _made_sparse(name, ready, type, notes)
    ready = filled(name, ready)
    if validate != "none" or not same or _known_unsorted(container, view):
        require_positions(name, ready)
        ready = canonical(name, container, view, ready, validate, notes, threads)
    return ready if same else _converted(name, ready, type, notes)


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
