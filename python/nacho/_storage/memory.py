"""What is known about containers, for as long as they live.

A container is checked in full once. The note about it has weak references to the
container *and* to its arrays, so that replaced arrays are checked again.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import Any, Generic, TypeVar

import numpy as np

from nacho._storage.conversion import coordinates, packed, sorted_runs, summed
from nacho._storage.device_arrays import HOST, DeviceArray
from nacho._storage.views import View, has_canonical_entries

Notes = list[str]
"""One sentence for each array that was copied or converted, for ``Kernel.explain``."""

_Known = TypeVar("_Known")


class Memory(Generic[_Known]):
    """One fact per container, which is dropped when the container dies.

    The key is the address of the container, because SciPy's containers are not
    hashable. No other object can get the address before the fact is dropped.
    """

    def __init__(self) -> None:
        self._known: dict[int, tuple[weakref.ref[object], _Known]] = {}

    def get(self, container: object) -> _Known | None:
        found = self._known.get(id(container))
        if found is None or found[0]() is not container:
            return None
        return found[1]

    def put(self, container: object, known: _Known) -> None:
        key = id(container)

        def drop(reference: weakref.ref[object]) -> None:
            found = self._known.get(key)
            if found is not None and found[0] is reference:
                self._known.pop(key, None)

        self._known[key] = (weakref.ref(container, drop), known)

    def drop(self, container: object) -> None:
        self._known.pop(id(container), None)

    def __len__(self) -> int:
        return len(self._known)


class _Reordering:
    """How the entries of an unsorted SciPy container become sorted and distinct.

    Every call gathers the values anew, because they may have been edited. The index
    arrays may have been edited as well (``A.sort_indices()`` works in place), so they
    are compared with a snapshot; this is much cheaper than sorting.
    """

    def __init__(self, view: View) -> None:
        self.given = [array.copy() for array in view.index_arrays]
        columns = coordinates(view)
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


class _Check:
    """Notes that a container was checked, with the arrays that it had then.

    ``reordering`` is None if its entries were found sorted and distinct.
    """

    __slots__ = ("arrays", "reordering", "shape")

    def __init__(self, view: View, reordering: _Reordering | None) -> None:
        self.shape = view.shape
        self.arrays = [weakref.ref(array) for array in view.index_arrays]
        self.reordering = reordering

    def covers(self, view: View) -> bool:
        if self.shape != view.shape:
            return False
        for reference, array in zip(self.arrays, view.index_arrays, strict=True):
            if reference() is not array:
                return False
        return True


_arrays: Memory[tuple[tuple[Any, ...], list[Any]]] = Memory()


def lasting(container: object, arrays: Sequence[Any]) -> list[Any]:
    """Return index arrays of a container: the same objects for the same memory.

    Some containers make new arrays each time that they are asked for them. What is
    known of a container is known of certain arrays, so these have to stay the same.
    """
    found = tuple(map(_memory_of, arrays))
    known = _arrays.get(container)
    if known is None or known[0] != found:
        known = (found, list(arrays))
        _arrays.put(container, known)
    return known[1]


def _memory_of(array: Any) -> tuple[object, ...]:
    if isinstance(array, DeviceArray):
        return array.device, array.native.address, array.shape, array.dtype
    at, _ = array.__array_interface__["data"]
    return HOST, at, array.shape, array.dtype, array.strides


_checks: Memory[_Check] = Memory()
_forgotten = 0


def remember(
    container: object, view: View, reordering: _Reordering | None = None
) -> None:
    """Note that the coordinates of a container need not be checked again."""
    _checks.put(container, _Check(view, reordering))


def is_known(container: object, view: View) -> bool:
    """Return whether a container was found canonical with these arrays."""
    check = _checks.get(container)
    return check is not None and check.covers(view) and check.reordering is None


def forget(container: object) -> None:
    """Have a container checked in full again, the next time that it is seen."""
    global _forgotten
    _forgotten += 1
    _checks.drop(container)


def times_forgotten() -> int:
    """Return how often any container was forgotten.

    While this does not change, arrays that were checked need not be checked again.
    """
    return _forgotten


def canonical(
    name: str | None,
    container: object,
    view: View,
    ready: View,
    validate: str,
    notes: Notes | None,
) -> View:
    """Return ``ready`` with sorted and distinct entries: itself, or a private copy.

    ``view`` has the arrays of the container, ``ready`` has the arrays that a kernel can
    read. ``notes`` collects what was copied; with None, nobody wants to know.
    """
    check = _checks.get(container)
    if check is not None and not check.covers(view):
        check = None
    reordering = None if check is None else check.reordering
    if check is not None and reordering is None and validate != "full":
        return ready
    if reordering is None or not reordering.fits(ready):
        if has_canonical_entries(name, ready):
            remember(container, view)
            return ready
        reordering = _Reordering(ready)
        remember(container, view, reordering)
    if notes is not None:
        count = reordering.duplicates
        also = f", {count} duplicates summed" if count else ""
        notes.append(f"{name}: entries sorted into a private copy{also}")
    return reordering.apply(ready)
