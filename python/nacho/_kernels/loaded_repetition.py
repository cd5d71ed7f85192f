"""Repetitions of calls of kernels of files, which load no extension.

All that a call finds out of its operands still holds for the same index arrays and for
values of the same type and size. What their owners may have edited is read again.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from operator import is_
from typing import Any

import numpy as np

from nacho._kernels.call import Call
from nacho._runtime import library
from nacho._storage.containers import Place, places_of
from nacho._storage.formats import TensorType
from nacho._storage.level_kind import LevelKind
from nacho._storage.operands import arguments
from nacho._storage.scalars import load_scalar
from nacho._storage.views import Array, View, is_plain
from nacho.errors import NachoError


class _UnlikeError(Exception):
    """An operand is not what it was in the call that is remembered."""


class _Number:
    """An operand without indices, which is of one class."""

    def __init__(self, name: str, number: object, wanted: TensorType) -> None:
        self._name = name
        self._class = type(number)
        self._wanted = wanted

    def read(self, given: object) -> list[object]:
        """Return the argument that a number is."""
        if type(given) is not self._class:
            raise _UnlikeError
        return [load_scalar(self._name, given, self._wanted)]


class _Array:
    """An array of a container: where it is there, and what it is like."""

    def __init__(self, place: Place | None, array: Array, is_index: bool) -> None:
        self._place = place
        self._made = array if place is None else None
        self._checked = weakref.ref(array) if is_index else None
        self._layout = (array.shape, array.dtype)

    def find(self, container: Any) -> Array:
        """Return the array of a container, or the one that was made for its view."""
        if self._made is not None:
            return self._made
        assert self._place is not None
        found = container
        for step in self._place:
            found = found[step] if isinstance(step, int) else getattr(found, step)
        is_other = self._checked is not None and found is not self._checked()
        if is_other or not isinstance(found, np.ndarray):
            raise _UnlikeError
        if (found.shape, found.dtype) != self._layout or not is_plain(found):
            raise _UnlikeError
        return found


class _Tensor:
    """An operand with indices, whose index arrays are the same objects each time."""

    def __init__(
        self, container: Any, view: View, places: Sequence[Place | None]
    ) -> None:
        self._class = type(container)
        self._shape = container.shape
        self._format = getattr(container, "format", None)
        self._extents = view.extents
        arrays: list[Any] = arguments(view)[: len(places)]
        last = len(places) - 1
        self._arrays = [
            _Array(place, array, n < last)
            for n, (place, array) in enumerate(zip(places, arrays, strict=True))
        ]
        self._positions: list[tuple[LevelKind, int]] = []
        """Where those of the arrays are that hold positions: before coordinates."""
        n = 0
        for kind, pos, crd in zip(
            view.format.level_kinds, view.pos, view.crd, strict=True
        ):
            if pos is not None and places[n] is not None:
                self._positions.append((kind, n))
            n += (pos is not None) + (crd is not None)

    def is_read_from(self, container: Any, view: View) -> bool:
        """Return whether the arrays of a view are the container's own."""
        try:
            return all(map(is_, self.read(container), arguments(view)))
        except (_UnlikeError, AttributeError, LookupError):
            return False

    def read(self, given: Any) -> list[object]:
        """Return the arguments that a container is, if its positions are valid."""
        is_alike = type(given) is self._class and given.shape == self._shape
        if not is_alike or getattr(given, "format", None) != self._format:
            raise _UnlikeError
        arrays = [array.find(given) for array in self._arrays]
        for kind, n in self._positions:
            if kind.wrong_position(arrays[n], arrays[n + 1]) is not None:
                raise _UnlikeError
        return [*arrays, *self._extents]


class LoadedRepetition:
    """What is remembered of a call of a kernel of a file."""

    __slots__ = ("_asked", "_operands", "_specialisation")

    def __init__(self, call: Call, operands: list[_Number | _Tensor]) -> None:
        self._specialisation = call.specialisation
        self._asked = call.asked
        self._operands = operands

    @classmethod
    def of(cls, call: Call) -> LoadedRepetition | None:
        """Return what is remembered, or None if an array had to be copied."""
        operands: list[_Number | _Tensor] = []
        for reader, given in zip(call.specialisation.readers, call.given, strict=True):
            view = call.loaded.get(reader.name)
            if view is None:
                operands.append(_Number(reader.name, given, reader.type))
                continue
            places = places_of(view)
            if places is None:
                return None
            operand = _Tensor(given, view, places)
            if not operand.is_read_from(given, view):
                return None
            operands.append(operand)
        return cls(call, operands)

    def compute(
        self, operands: tuple[Any, ...], into: Any = None, plan: object = None
    ) -> list[Any] | None:
        """Return the arrays of the result, or None if this repeats another call.

        There are no plans of these kernels to repeat a call by.
        """
        if plan is not None or len(operands) != len(self._operands):
            return None
        args: list[object] = []
        try:
            for known, given in zip(self._operands, operands, strict=True):
                args += known.read(given)
            made = self._specialisation.plan(args, self._asked, "call")
            return self._specialisation.execute(
                made, args, planned=True, trusted=False, into=into
            )
        except (_UnlikeError, AttributeError, LookupError, NachoError, library.Failure):
            # The caller looks at all operands, and refuses what cannot be computed.
            return None

    def take(self, operands: tuple[Any, ...]) -> None:
        """Return None, as no calls of these kernels are computed together."""
