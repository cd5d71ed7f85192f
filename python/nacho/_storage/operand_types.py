"""The types with which a kernel reads operands: which they have, and which it takes.

A kernel that is compiled for certain types takes operands of narrower ones, as far as
NumPy casts them safely: such arrays are widened in a copy. It takes sparse operands of
any format, and makes dense ones sparse. A sparse operand is never made dense.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import NoReturn

import numpy as np

from nacho._elements import READ_AS, STORED, DType, stored_name
from nacho._storage.containers import index_width
from nacho._storage.device_arrays import HOST
from nacho._storage.formats import Format, TensorType
from nacho._storage.input_checks import cast_to, require_element
from nacho._storage.memory import Notes
from nacho._storage.views import (
    INT32,
    INT32_MAX,
    INT64,
    SCIPY_ARRAY,
    SCIPY_MATRIX,
    Arrays,
    View,
)
from nacho.errors import DTypeError, OperandError

_COMPILED = "the kernel was compiled"
"""How messages say that a kernel, and not a plan, fixes the types of an operand."""

_INDICES: dict[int, DType] = {32: INT32, 64: INT64}


def element_type(dtype: DType) -> str:
    """Return the name of the type of a view's elements, or of what they are read as."""
    native = dtype.newbyteorder("=")
    element = stored_name(native) or READ_AS.get(native)
    assert element is not None
    return element


@cache
def computed_type(dtype: DType) -> str:
    """Return the name of the type that an expression computes with for a view's."""
    return READ_AS.get(dtype.newbyteorder("=")) or element_type(dtype)


def tensor_type(name: str, view: View) -> TensorType:
    """Return the type with which a kernel reads an operand in place, or refuse it."""
    element = element_type(view.values.dtype)
    format = view.format
    if format.is_dense:
        return TensorType(format, element)
    crd = max(
        index_width(name, view.crd_label(level), view.crd_at(level).dtype)
        for level in format.owners
    )
    widths = (
        index_width(name, view.pos_label(level), view.pos_at(level).dtype)
        for level in format.compressed
    )
    return TensorType(format, element, max(widths, default=crd), crd)


def read_type(
    name: str, view: View, wanted: Format, element: str | None = None
) -> TensorType:
    """Return the type with which a kernel reads an operand in a format, or refuse it.

    The types are those of the operand's arrays, so that most can be used in place.
    ``element`` is the type that a kernel wants its elements to have.
    """
    if element is None or view.values.dtype.newbyteorder("=") != STORED[element]:
        require_element(name, view.values.dtype)
    require_readable(name, view, wanted)
    computed = computed_type(view.values.dtype)
    if view.format == wanted:
        return replace(tensor_type(name, view), dtype=computed)
    if wanted.is_dense:
        return TensorType(wanted, computed)
    return replace(converted_type(name, view, wanted), dtype=computed)


def converted_type(name: str, view: View, wanted: Format) -> TensorType:
    """Return the type of a view that is converted to another format.

    Its index types stay the same unless entries or coordinates need a wider one.
    """
    given = tensor_type(name, view)
    pos = 64 if view.values.size > INT32_MAX else given.pos_width
    crd = 64 if max(view.shape) > INT32_MAX else given.crd_width
    return TensorType(wanted, given.dtype, pos, crd)


def is_read_as(dtype: DType, element: str) -> bool:
    """Return whether expressions read elements of a type as this one."""
    return READ_AS.get(dtype.newbyteorder("=")) == element


def signature(view: View) -> tuple[object, ...]:
    """Return all that ``tensor_type`` depends on, to be used in the key of a cache."""
    types = [array.dtype for array in (*view.pos, *view.crd) if array is not None]
    return (view.format.name, view.values.dtype, *types)


# --- What is refused ------------------------------------------------------------------


def require_type(
    name: str, view: View, type: TensorType, reader: str = _COMPILED
) -> None:
    """Refuse an operand whose arrays have other types than ``reader`` was made for.

    A kernel widens arrays, unless they are on a device; a plan does not.
    """
    require_elements(name, view, type, reader)
    wanted = type.format
    assert wanted is not None
    if not wanted.is_dense:
        _require_widths(name, view, type, reader)


def require_elements(
    name: str, view: View, type: TensorType, reader: str = _COMPILED
) -> None:
    """Refuse elements that ``reader`` takes neither as they are nor widened."""
    values, wanted = view.values.dtype, STORED[type.dtype]
    if values == wanted or values.newbyteorder("=") == wanted:
        return
    require_element(name, values)
    is_safe = np.can_cast(values, wanted, "safe") or is_read_as(values, type.dtype)
    if _widens(view, reader) and is_safe:
        return
    raise DTypeError(f"operand '{name}' is {values}, but {reader} for {wanted}")


def _widens(view: View, reader: str) -> bool:
    return reader == _COMPILED and view.device == HOST


def require_readable(name: str, view: View, wanted: Format) -> None:
    """Refuse to make a sparse operand dense."""
    if view.format.is_dense or not wanted.is_dense:
        return
    is_scipy = view.library in (SCIPY_ARRAY, SCIPY_MATRIX)
    fix = "toarray()" if is_scipy else "to_dense()"
    raise OperandError(
        f"operand '{name}' is {view.format}, but the kernel was compiled for a "
        f"dense array: pass {name}.{fix}, or compile it with "
        f'formats={{"{name}": "{view.format}"}}'
    )


def _require_widths(name: str, view: View, type: TensorType, reader: str) -> None:
    """Refuse index arrays that ``reader`` takes neither as they are nor widened."""
    wanted = type.format
    assert wanted is not None
    same = view.format == wanted
    given = tensor_type(name, view) if same else converted_type(name, view, wanted)
    widens = _widens(view, reader)
    pos, crd = given.pos_width, given.crd_width
    if view.layout == "coo":
        if type.pos_width == 32 and view.values.size > INT32_MAX:
            _refuse_width(name, "the number of entries", 64, 32, given, reader)
    elif pos > type.pos_width or (pos < type.pos_width and not widens):
        compressed = view.format.compressed
        label = view.pos_label(compressed[0]) if compressed else "the array"
        _refuse_width(name, label, pos, type.pos_width, given, reader)
    if crd > type.crd_width or (crd < type.crd_width and not widens):
        wide, owners = _INDICES[crd], view.format.owners
        at = next((n for n in owners if view.crd_at(n).dtype == wide), None)
        label = "the array" if at is None else view.array_label(at)
        _refuse_width(name, label, crd, type.crd_width, given, reader)


def _refuse_width(
    name: str, label: str, width: int, wanted: int, given: TensorType, reader: str
) -> NoReturn:
    message = f"operand '{name}': {label} is int{width}, but {reader} for int{wanted}"
    if reader == _COMPILED:
        pair = (f"i{given.pos_width}", f"i{given.crd_width}")
        fix = f'"{pair[0]}"' if pair[0] == pair[1] else f'("{pair[0]}", "{pair[1]}")'
        message += f'; compile it with index={{"{name}": {fix}}}'
    raise DTypeError(message)


# --- What is widened ------------------------------------------------------------------


def widened(name: str, view: View, type: TensorType, notes: Notes | None) -> View:
    """Return a view whose values have the type that a kernel reads."""
    given, wanted = view.values.dtype, STORED[type.dtype]
    if given == wanted or given.newbyteorder("=") == wanted:
        return view
    if notes is not None:
        notes.append(f"{name}: {view.values_label} widened from {given} to {wanted}")
    values = cast_to(name, view.values, wanted)
    made = view.with_arrays(view.pos, view.crd, values)
    made.note = view.note
    return made


def with_widths(name: str, view: View, type: TensorType, notes: Notes | None) -> View:
    """Return a view whose index arrays have the types that a kernel reads.

    If the levels of an operand have different widths, the kernel reads the widest.
    """
    pos_type, crd_type = _INDICES[type.pos_width], _INDICES[type.crd_width]
    if _have_types(view, pos_type, crd_type):
        return view
    _require_widths(name, view, type, _COMPILED)
    if notes is not None:
        notes += _widened_arrays(name, view, pos_type, crd_type)
    return view.with_arrays(
        _cast(view.pos, pos_type), _cast(view.crd, crd_type), view.values
    )


def _widened_arrays(name: str, view: View, pos: DType, crd: DType) -> Notes:
    """Return notes; ``pos`` of another library's coo was made for the view."""
    levels = () if view.layout == "coo" else view.format.compressed
    found = [
        f"{name}: {view.pos_label(level)} copied to {pos}"
        for level in levels
        if view.pos_at(level).dtype != pos
    ]
    return found + [
        f"{name}: {view.array_label(level)} copied to {crd}"
        for level in view.format.owners
        if view.crd_at(level).dtype != crd
    ]


def _have_types(view: View, pos: DType, crd: DType) -> bool:
    pairs = ((view.pos, pos), (view.crd, crd))
    for arrays, dtype in pairs:
        for array in arrays:
            if array is not None and array.dtype != dtype:
                return False
    return True


def _cast(arrays: Arrays, dtype: DType) -> Arrays:
    return tuple(
        None if array is None else array.astype(dtype, copy=False) for array in arrays
    )
