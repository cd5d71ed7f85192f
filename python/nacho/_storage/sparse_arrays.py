"""Arrays of PyData's library ``sparse``: views of them, and results of that library.

The library itself is never imported: whoever passes its arrays has done that.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from nacho._storage.layouts import CSC, CSR, SPARSE_VECTOR, coo_view
from nacho._storage.memory import lasting, remember
from nacho._storage.views import SPARSE, Array, View
from nacho.errors import UnsupportedError

SPARSE_CLASSES = frozenset({"COO", "GCXS"})


def sparse_view(name: str, array: Any, kind: str) -> View:
    """Return the view of a COO or a GCXS, or refuse one that is not 0 elsewhere."""
    if not array.fill_value == 0:
        raise UnsupportedError(
            f"operand '{name}': fill_value is {array.fill_value}, but an entry that is "
            "not stored has to be 0"
        )
    if kind == "COO":
        return coo_view(
            array.shape, (*lasting(array, list(array.coords)),), array.data, SPARSE
        )
    index, data, shape = (array.indptr, array.indices), array.data, array.shape
    if len(shape) == 1:
        return _compressed_view(SPARSE_VECTOR, shape, *index, data, "csr")
    if len(shape) > 2:
        made = array.tocoo()
        coords = np.ascontiguousarray(made.coords)
        view = coo_view(shape, tuple(coords), made.data, SPARSE)
        view.note = f"GCXS of rank {len(shape)} converted to COO"
        return view
    in_rows = tuple(array.compressed_axes) == (0,)
    format, layout = (CSR, "csr") if in_rows else (CSC, "csc")
    return _compressed_view(format, shape, *index, data, layout)


def _compressed_view(
    format: Any, shape: tuple[int, ...], pos: Array, crd: Array, data: Array, name: str
) -> View:
    none = (None,) * (len(shape) - 1)
    return View(format, shape, (*none, pos), (*none, crd), data, SPARSE, name)


def sparse_result(view: View, canonical: bool) -> Any:
    """Return an array that shares those of a view, but for the coordinates of a COO.

    These are one array for all dimensions. ``canonical`` says that the entries are
    known to be sorted and distinct.
    """
    sparse = sys.modules["sparse"]
    if view.layout == "coo":
        coords = np.stack(view.crd)  # type: ignore[arg-type]
        made = sparse.COO(
            coords,
            view.values,
            shape=view.shape,
            has_duplicates=not canonical,
            sorted=canonical,
        )
    else:
        parts = (view.values, view.crd_at(1), view.pos_at(1))
        axes = (0,) if view.layout == "csr" else (1,)
        made = sparse.GCXS(parts, shape=view.shape, compressed_axes=axes)
    if canonical:
        remember(made, sparse_view("the result", made, type(made).__name__))
    return made
