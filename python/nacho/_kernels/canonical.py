"""Operands with sorted and distinct entries: themselves, or private copies."""

from __future__ import annotations

from typing import Any

import numpy as np

from nacho._kernels.sorting import sorted_runs
from nacho._storage.containers import view_of
from nacho._storage.conversion import coordinates, packed, summed
from nacho._storage.device_arrays import HOST
from nacho._storage.input_checks import require_element, storable
from nacho._storage.lengths import filled
from nacho._storage.memory import Notes, check_of, remember
from nacho._storage.tensor_data import TensorData
from nacho._storage.views import View, has_canonical_entries, require_positions
from nacho.errors import OperandError

_NAME = "asarray"
"""How messages call an array that becomes a tensor."""


class _Reordering:
    """How the entries of an unsorted SciPy container become sorted and distinct.

    Every call gathers the values anew, because they may have been edited. The index
    arrays may have been edited as well (``A.sort_indices()`` works in place), so they
    are compared with a snapshot; this is much cheaper than sorting.
    """

    def __init__(self, view: View, name: str | None) -> None:
        self.given = [array.copy() for array in view.index_arrays]
        columns = coordinates(view, name=name)
        self.order, first = sorted_runs(columns)
        self.duplicates = first.size - int(np.count_nonzero(first))
        self.starts = np.flatnonzero(first) if self.duplicates else None
        kept = self.order[first]
        types = view.pos_at(view.format.compressed[0]).dtype, columns[-1].dtype
        self.sorted = packed(
            view.format,
            view.shape,
            [column[kept] for column in columns],
            view.values[: kept.size],
            types,
        )

    def fits(self, view: View) -> bool:
        pairs = zip(self.given, view.index_arrays, strict=True)
        return all(np.array_equal(before, now) for before, now in pairs)

    def apply(self, view: View) -> View:
        values = view.values[self.order]
        if self.starts is not None:
            values = summed(values, self.starts)
        return view.with_arrays(self.sorted.pos, self.sorted.crd, values)


def canonical(
    name: str | None,
    container: object,
    view: View,
    ready: View,
    validate: str,
    notes: Notes | None,
    threads: int = 0,
) -> View:
    """Return ``ready`` with sorted and distinct entries: itself, or a private copy.

    ``view`` has the arrays of the container, ``ready`` has the arrays that a kernel can
    read. ``notes`` collects what was copied; with None, nobody wants to know.
    ``threads`` may check the entries; 0 are as many as calls use by default.
    """
    check = check_of(container, view)
    if check is not None and check.reordering is None and validate != "full":
        return ready
    known = None if check is None else check.reordering
    reordering = known if isinstance(known, _Reordering) else None
    if reordering is None or not reordering.fits(ready):
        if has_canonical_entries(name, ready, threads):
            remember(container, view)
            return ready
        reordering = _Reordering(ready, name)
        remember(container, view, reordering)
    if notes is not None:
        count = reordering.duplicates
        also = f", {count} duplicates summed" if count else ""
        notes.append(f"{name}: entries sorted into a private copy{also}")
    return reordering.apply(ready)


def checked(tensor: TensorData) -> View:
    """Return the view of a tensor after a check: its arrays may have been edited."""
    view = tensor._view
    if view.format.is_dense:
        return view
    ready = filled(None, view)
    require_positions(None, ready)
    return canonical(None, tensor, view, ready, "safe", None)


def canonical_view(array: Any) -> View:
    """Return the entries of an array of any library, sorted, as those of a tensor."""
    shape = getattr(array, "shape", None)
    if shape is None:
        array = np.asarray(array)
        shape = array.shape
    if not shape:
        raise OperandError(f"{_NAME}: a number needs no tensor")
    view = view_of(_NAME, array, len(shape))
    require_element(_NAME, view.values.dtype)
    if not (view.format.is_dense or view.device != HOST):
        ready = filled(_NAME, view)
        require_positions(_NAME, ready)
        view = canonical(_NAME, array, view, ready, "safe", None)
    # Results are of the library of the first operand: Nacho's, from now on.
    values = view.values
    if view.device == HOST:
        values = storable(_NAME, values)
    return View(view.format, view.shape, view.pos, view.crd, values)
