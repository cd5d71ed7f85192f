"""Containers without memory that kernels read: data frames, and what has __array__.

They become arrays of NumPy or of SciPy in each call, since they may have been edited.
No library is imported: whoever passes a container has done that.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nacho._elements import BFLOAT16
from nacho._storage.layouts import coo_view
from nacho._storage.views import NUMPY, SCIPY_ARRAY, Array, View
from nacho.errors import UnsupportedError, UnsupportedOperandError

BFLOAT16_NOTE = f"values widened from {BFLOAT16} to float32"

_NOT_READ = frozenset({"dask", "nacho", "scipy", "sparse"})
"""The packages whose containers become arrays only if their user says so: to compute a
lazy array may take long, and a sparse one would be made dense."""


def is_read_as_array(container: Any) -> bool:
    """Return whether NumPy makes an array of a container."""
    package = type(container).__module__.partition(".")[0]
    if isinstance(container, np.generic):
        return False
    return package not in _NOT_READ and hasattr(container, "__array__")


def read_array(name: str, container: Any) -> tuple[Array, str]:
    """Return the array that NumPy makes of a container, and a note of that."""
    try:
        array = np.asarray(container)
    except Exception as error:
        shown = type(container).__qualname__
        raise UnsupportedOperandError(
            f"operand '{name}': NumPy makes no array of this {shown}: {error}"
        ) from error
    array, _ = widened_bfloat16(array)
    return array, f"{type(container).__qualname__} read as an array of {NUMPY}"


def widened_bfloat16(array: Any) -> tuple[Any, str]:
    """Return an array, of float32 if it was ml_dtypes' bfloat16, and a note of that."""
    if array.dtype.kind != "V" or array.dtype.name != BFLOAT16:
        return array, ""
    return array.astype(np.float32), BFLOAT16_NOTE


def is_sparse_frame(container: Any) -> bool:
    """Return whether a container is a frame of pandas with sparse columns only."""
    kind = type(container)
    if kind.__name__ != "DataFrame" or kind.__module__.partition(".")[0] != "pandas":
        return False
    dtypes = list(container.dtypes)
    return bool(dtypes) and all(hasattr(dtype, "fill_value") for dtype in dtypes)


def frame_view(name: str, frame: Any) -> View:
    """Return the view of a frame with sparse columns, whose entries become a coo."""
    for column, dtype in zip(frame.columns, frame.dtypes, strict=True):
        if not dtype.fill_value == 0:
            raise UnsupportedError(
                f"operand '{name}': column {column!r} has fill_value "
                f"{dtype.fill_value}, but an entry that is not stored has to be 0"
            )
    made = frame.sparse.to_coo()
    view = coo_view(frame.shape, (made.row, made.col), made.data, SCIPY_ARRAY)
    view.note = "sparse columns converted to coo"
    return view
