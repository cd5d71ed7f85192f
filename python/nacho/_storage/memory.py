"""What is known about containers, for as long as they live.

A container is checked in full once. The note about it has weak references to the
container *and* to its arrays, so that replaced arrays are checked again.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import Any, Generic, TypeVar

import numpy as np

from nacho._storage.device_arrays import HOST, DeviceArray, times_refused_late
from nacho._storage.views import View

Notes = list[str]
"""One sentence for each array that was copied or converted, for ``Kernel.explain``."""

_Known = TypeVar("_Known")


class _Reference(weakref.ref[Any]):
    """A weak reference that knows where its container was."""

    __slots__ = ("key",)
    key: int


class Memory(Generic[_Known]):
    """One fact per container, which is dropped when the container dies.

    The key is the address of the container, because SciPy's containers are not
    hashable. No other object can get the address before the fact is dropped.
    """

    def __init__(self) -> None:
        self._known: dict[int, tuple[_Reference, _Known]] = {}

    def get(self, container: object) -> _Known | None:
        found = self._known.get(id(container))
        if found is None or found[0]() is not container:
            return None
        return found[1]

    def put(self, container: object, known: _Known) -> None:
        reference = _Reference(container, self._drop)
        reference.key = id(container)
        self._known[reference.key] = (reference, known)

    def _drop(self, reference: _Reference) -> None:
        found = self._known.get(reference.key)
        if found is not None and found[0] is reference:
            self._known.pop(reference.key, None)

    def drop(self, container: object) -> None:
        self._known.pop(id(container), None)

    def __len__(self) -> int:
        return len(self._known)


class Check:
    """Notes that a container was checked, with the arrays that it had then.

    ``reordering`` says how its entries become sorted and distinct; it is None if they
    were found so. ``is_filled`` says that no array is longer than its entries need.
    """

    __slots__ = ("arrays", "is_filled", "refused", "reordering", "shape")

    def __init__(
        self,
        shape: tuple[int, ...],
        arrays: Sequence[Any],
        reordering: object = None,
        is_filled: bool = True,
    ) -> None:
        self.is_filled = is_filled
        self.refused = times_refused_late()
        self.shape = shape
        self.arrays = [*map(weakref.ref, arrays)]
        self.reordering = reordering

    def covers(self, view: View) -> bool:
        if self.shape != view.shape or self.refused != times_refused_late():
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


_SMALL = 1 << 12
"""Up to so many coordinates, it takes as long to check a container as to note it."""

_checks: Memory[Check] = Memory()
_forgotten = 0


def remember(
    container: object,
    view: View,
    reordering: object = None,
    *,
    is_filled: bool = True,
) -> None:
    """Note that the coordinates of a container need not be checked again."""
    check = Check(view.shape, view.index_arrays, reordering, is_filled)
    _checks.put(container, check)


def remember_made(
    container: object, shape: tuple[int, ...], arrays: Sequence[Any]
) -> None:
    """Note that a container with these index arrays was made canonical.

    A small one on the host is checked instead if it becomes an operand.
    """
    last = arrays[-1]
    if not isinstance(last, np.ndarray) or last.size > _SMALL:
        _checks.put(container, Check(shape, arrays))


def check_of(container: object, view: View) -> Check | None:
    """Return what is noted of a container with these arrays."""
    check = _checks.get(container)
    return check if check is not None and check.covers(view) else None


def is_known(container: object, view: View) -> bool:
    """Return whether a container was found canonical with these arrays."""
    check = check_of(container, view)
    return check is not None and check.reordering is None


def forget(container: object) -> None:
    """Have a container checked in full again, the next time that it is seen."""
    global _forgotten
    _forgotten += 1
    _checks.drop(container)


def times_forgotten() -> int:
    """Return how often any container was forgotten.

    While this does not change, arrays that were checked need not be checked again.
    """
    return _forgotten + times_refused_late()
