"""The formats of other libraries, and views of containers that have such a layout."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from nacho._storage.formats import Format
from nacho._storage.views import INT32, INT32_MAX, INT64, Array, Arrays, View

CSR, CSC = Format("csr").for_rank(2), Format("csc").for_rank(2)
SPARSE_VECTOR, _COO = Format("sparse-vector").for_rank(1), Format("coo")


def coo_view(
    shape: tuple[int, ...], crd: tuple[Array, ...], values: Array, library: str
) -> View:
    """Return the view of a coo, of which no library has ``pos``: that is made here."""
    wide = values.size > INT32_MAX or any(each.dtype == INT64 for each in crd)
    pos = np.array([0, values.size], INT64 if wide else INT32)
    format = _COO.for_rank(len(shape))
    none = (None,) * (len(shape) - 1)
    return View(format, shape, (pos, *none), crd, values, library, "coo")


def dense_view(array: Array, library: str, note: str = "") -> View:
    """Return the view of a dense array.

    An array in Fortran order gets a format with reversed levels, and is not copied.
    """
    flags = array.flags
    fortran = flags.f_contiguous and not flags.c_contiguous
    format, none = _dense_format(array.ndim, fortran)
    values = array.T if fortran else array
    return View(format, array.shape, none, none, values, library, note=note)


def dense_device_view(array: Any, fortran: bool, library: str, note: str = "") -> View:
    """Return the view of a dense array on a device.

    With ``fortran``, the dimensions of the array are those of the operand, reversed.
    """
    format, none = _dense_format(array.ndim, fortran)
    shape = array.shape[::-1] if fortran else array.shape
    return View(format, shape, none, none, array, library, note=note)


@lru_cache(maxsize=256)
def _dense_format(rank: int, fortran: bool) -> tuple[Format, Arrays]:
    """Return the format of dense arrays, and its index arrays: None for each level."""
    dimensions = range(rank - 1, -1, -1) if fortran else range(rank)
    levels = tuple((dimension, "dense") for dimension in dimensions)
    return Format.of_levels(levels).for_rank(rank), (None,) * rank


def coo_tensor_view(
    format: Format, shape: tuple[int, ...], crd: tuple[Array, ...], values: Array
) -> View:
    """Return the view of a tensor in coo; ``crd`` has an array per level."""
    wide = values.size > INT32_MAX or crd[0].dtype == INT64
    pos = np.array([0, values.size], INT64 if wide else INT32)
    return View(format, shape, (pos, *[None] * (len(crd) - 1)), crd, values)
