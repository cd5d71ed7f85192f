"""What users hand in to make a tensor: checked, and as arrays that kernels can read."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from nacho._elements import (
    ELEMENTS,
    READ_AS,
    DType,
    element_name,
    read_name,
    stored_name,
    supported_elements,
)
from nacho._notation.tree import MAX_RANK
from nacho._storage.formats import Format
from nacho._storage.read_arrays import widened_bfloat16
from nacho._storage.views import (
    INT32,
    INT64,
    Array,
    Arrays,
    View,
    made_plain,
    subject,
)
from nacho.errors import (
    DTypeError,
    OperandError,
    ShapeError,
    UnsupportedError,
    displayed,
)


def checked_shape(shape: Sequence[int]) -> tuple[int, ...]:
    """Return a shape of Nacho's tensors as Python integers, or refuse it."""
    try:
        given = np.asarray(shape)
        extents = tuple(int(extent) for extent in given)
        integral = given.dtype.kind in "iu"
    except (TypeError, ValueError, OverflowError) as error:
        raise ShapeError(f"Tensor: {displayed(shape)} is not a shape") from error
    if not extents:
        raise ShapeError("Tensor: rank 0: a scalar needs no tensor")
    if len(extents) > MAX_RANK:
        message = f"rank {len(extents)} is not supported (supported: 1 to {MAX_RANK})"
        raise UnsupportedError(f"Tensor: {message}")
    if not integral or min(extents) < 0:
        raise ShapeError(f"Tensor: {displayed(shape)} is not a shape")
    return extents


def require_element(name: str | None, dtype: DType) -> None:
    """Refuse types that no expression reads."""
    if element_name(dtype) is None and read_name(dtype.newbyteorder("=")) is None:
        raise DTypeError(
            f"{subject(name)}: type {dtype} is not supported (supported: "
            f"{supported_elements()})"
        )


def require_stored(name: str | None, dtype: DType) -> None:
    """Refuse types that no kernel takes, also none of a module."""
    if stored_name(dtype.newbyteorder("=")) is None:
        require_element(name, dtype)


def checked_format(format: str | Format, rank: int) -> Format:
    return Format(format).for_rank(rank).require_compiled("Tensor")


def _array(label: str, given: ArrayLike) -> Array:
    try:
        return np.asarray(given)
    except (TypeError, ValueError) as error:
        raise OperandError(f"Tensor: {label} is not an array: {error}") from error


def values_array(values: ArrayLike) -> Array:
    array, _ = widened_bfloat16(_array("values", values))
    require_stored(None, array.dtype)
    return storable(None, array if array.dtype.isnative else made_plain(array))


def storable(name: str | None, values: Array) -> Array:
    """Return values of a type that kernels take, those of uint16 as int32."""
    if stored_name(values.dtype.newbyteorder("=")) is not None:
        return values
    return cast_to(name, values, ELEMENTS[READ_AS[values.dtype.newbyteorder("=")]])


def cast_to(name: str | None, values: Array, wanted: DType) -> Array:
    """Return values in a type that holds them, or refuse those that it does not hold.

    Only int64 may not hold all values, those of uint64.
    """
    if values.dtype == np.uint64 and wanted == INT64 and values.size:
        largest = values.max()
        if largest > np.iinfo(INT64).max:
            raise DTypeError(
                f"{subject(name)} is uint64, which is read as int64, but has the value "
                f"{largest}: convert it, as to float64"
            )
    return values.astype(wanted)


def _integers(label: str, given: ArrayLike) -> Array:
    """Return an index array as int32 or int64; other integer types become int64."""
    array = made_plain(_array(label, given))
    if array.dtype in (INT32, INT64):
        return array
    if array.size and array.dtype.kind not in "iu":
        raise DTypeError(f"Tensor: {label} has type {array.dtype}, expected integers")
    if array.dtype.itemsize == 8 and array.size and array.max() > np.iinfo(INT64).max:
        raise OperandError(f"Tensor: {label} has an entry beyond int64")
    return array.astype(INT64)


def checked_coordinates(
    coords: ArrayLike, nnz: int, extents: tuple[int, ...] | None
) -> Array:
    where = _integers("coords", coords)
    if where.size == 0 and nnz == 0:
        return np.empty((len(extents or where), 0), INT32)
    if where.ndim != 2 or where.shape[1] != nnz:
        raise ShapeError(
            f"Tensor: coords has shape {where.shape}, expected (rank, {nnz})"
        )
    if extents is not None and len(where) != len(extents):
        raise ShapeError(
            f"Tensor: coords has {len(where)} rows, but shape has {len(extents)} "
            "extents"
        )
    return where


def require_within_shape(where: Array, extents: tuple[int, ...]) -> None:
    for dimension, extent in enumerate(extents):
        wrong = np.flatnonzero((where[dimension] < 0) | (where[dimension] >= extent))
        if wrong.size:
            place = int(wrong[0])
            raise OperandError(
                f"Tensor: coords[{dimension}, {place}] = {where[dimension, place]} is "
                f"out of range [0, {extent})"
            )


def _in_columns(array: Array, columns: int) -> Array:
    """Return a flat array of several columns as an array of rank two."""
    is_flat = columns > 1 and array.ndim == 1 and array.size % columns == 0
    return array.reshape(-1, columns) if is_flat else array


def level_arrays(
    label: str,
    format: Format,
    levels: tuple[int, ...],
    given: Sequence[ArrayLike | None],
) -> Arrays:
    """Return the arrays of the levels that have one, in one common index type."""
    try:
        count = len(given)
    except TypeError as error:
        shown = type(given).__name__
        message = f"Tensor: {label} is {shown}, expected one item per level"
        raise OperandError(message) from error
    if count != len(format.levels):
        raise OperandError(
            f"Tensor: {label} has {count} levels, but {format} has {len(format.levels)}"
        )
    arrays: list[Array | None] = [None] * count
    for level, item in enumerate(given):
        name = f"{label}[{level}]"
        if level in levels:
            if item is None:
                raise OperandError(f"Tensor: {name} is missing")
            columns = len(format.sharing[level]) if label == "crd" else 1
            arrays[level] = _in_columns(_integers(name, item), columns)
        elif item is not None and np.size(item):
            kind = format.level_kinds[level].word
            raise OperandError(f"Tensor: {name} belongs to a {kind} level: not empty")
    wide = any(array is not None and array.dtype == INT64 for array in arrays)
    width = INT64 if wide else INT32
    return tuple(
        None if array is None else array.astype(width, copy=False) for array in arrays
    )


def require_no_surplus(view: View, used: View) -> None:
    for level in view.format.stored:
        given, kept = view.crd_at(level).size, used.crd_at(level).size
        if given != kept:
            found = f"Tensor: {view.crd_label(level)} has {given} entries, "
            if view.format.level_kinds[level].fixes_crd:
                raise OperandError(f"{found}expected {kept}")
            above = max(each for each in view.format.compressed if each <= level)
            raise OperandError(f"{found}but {view.pos_label(above)} ends at {kept}")
    if view.values.size != used.values.size:
        raise OperandError(
            f"Tensor: values has {view.values.size} entries, expected "
            f"{used.values.size}"
        )
