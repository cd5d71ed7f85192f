"""Repetitions of calls of kernels of files, which load no extension.

All that a call finds out of its operands still holds for the same index arrays and for
values of the same type and size. What their owners may have edited is read again. The
runtime library checks positions, and small operands with other index arrays in full.
"""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Callable, Sequence
from operator import attrgetter, is_
from typing import Any

import numpy as np

from nacho._kernels.call import Call
from nacho._runtime import library
from nacho._storage.containers import Place, places_of
from nacho._storage.formats import TensorType
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

    def read(self, given: object, operands: list[int], kept: list[Array]) -> bool:
        """Add the argument that a number is. It has no index arrays."""
        if type(given) is not self._class:
            raise _UnlikeError
        kept.append(load_scalar(self._name, given, self._wanted))
        operands += library.argument(kept[-1])
        return False


def _finder(place: Place) -> Callable[[Any], Any]:
    """Return the function that finds the array at a place of a container."""
    if len(place) == 1 and isinstance(place[0], str):
        return attrgetter(place[0])

    def find(container: Any) -> Any:
        found = container
        for step in place:
            found = found[step] if isinstance(step, int) else getattr(found, step)
        return found

    return find


class _Array:
    """An array of a container: where it is there, and what it is like."""

    __slots__ = ("_alignment", "_dtype", "_find", "_made", "_rank", "checked")

    def __init__(self, place: Place | None, array: Array, is_index: bool) -> None:
        self._find = None if place is None else _finder(place)
        self._made = array if place is None else None
        self._rank = array.ndim
        self._dtype = array.dtype
        self._alignment = array.dtype.alignment
        self.checked = weakref.ref(array) if is_index else None
        """The array that was checked, if it has to be that one or be checked."""

    def read(self, container: Any, operands: list[int]) -> Array:
        """Add the array of a container, or the one that was made for its view."""
        found = self._made if self._find is None else self._find(container)
        if not isinstance(found, np.ndarray) or found.dtype != self._dtype:
            raise _UnlikeError
        if found.ndim != self._rank:
            raise _UnlikeError
        buffer: Any = found
        try:
            # This takes arrays only whose elements are in order, without gaps.
            at = ctypes.addressof(ctypes.c_char.from_buffer(buffer))
        except (TypeError, ValueError, BufferError):
            if not is_plain(found):
                raise _UnlikeError from None
            at, _ = library.argument(found)
        if at % self._alignment:
            raise _UnlikeError
        operands += (at, found.size)
        return found


class _Tensor:
    """An operand with indices, of one class, shape and format."""

    def __init__(
        self, container: Any, view: View, places: Sequence[Place | None]
    ) -> None:
        self._class = type(container)
        self._shape = container.shape
        self._format = getattr(container, "format", None)
        self._extents = [n for extent in view.extents for n in (0, extent)]
        self._is_stored = all(place is not None for place in places) and len(places) > 1
        """Whether all index arrays are in the container, which may have others."""
        arrays: list[Any] = arguments(view)[: len(places)]
        last = len(places) - 1
        self._arrays = [
            _Array(place, array, n < last)
            for n, (place, array) in enumerate(zip(places, arrays, strict=True))
        ]
        self._sizes = [array.size for array in arrays]

    def is_read_from(self, container: Any, view: View) -> bool:
        """Return whether the arrays of a view are the container's own."""
        found: list[Any] = []
        try:
            self.read(container, [], found)
        except (_UnlikeError, AttributeError, LookupError):
            return False
        return all(map(is_, found, arguments(view)))

    def read(self, given: Any, operands: list[int], kept: list[Array]) -> bool:
        """Add the arguments that a container is, and the arrays that these are.

        Returns whether it has other index arrays than those that were checked.
        """
        is_alike = type(given) is self._class and given.shape == self._shape
        if not is_alike or getattr(given, "format", None) != self._format:
            raise _UnlikeError
        first = len(operands)
        has_others = False
        for array in self._arrays:
            found = array.read(given, operands)
            kept.append(found)
            if array.checked is not None and array.checked() is not found:
                has_others = True
        if has_others:
            if not self._is_stored:
                raise _UnlikeError
        elif operands[first + 1 :: 2] != self._sizes:
            raise _UnlikeError
        operands += self._extents
        return has_others


class LoadedRepetition:
    """What is remembered of a call of a kernel of a file."""

    __slots__ = ("_asked", "_operands", "_specialisation")

    def __init__(self, call: Call, operands: list[_Number | _Tensor]) -> None:
        # That of a kernel of a file, which has more methods than others.
        self._specialisation: Any = call.specialisation
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
            if places is None or not view.format.is_usual:
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
        args: list[int] = []
        kept: list[Array] = []
        unknown = 0
        try:
            for n, known in enumerate(self._operands):
                if known.read(operands[n], args, kept):
                    unknown |= 1 << n
            made: list[Any] | None
            made = self._specialisation.repeat(self._asked, args, unknown, into)
            return made
        except (_UnlikeError, AttributeError, LookupError, NachoError, library.Failure):
            # The caller looks at all operands, and refuses what cannot be computed.
            return None

    def take(self, operands: tuple[Any, ...]) -> None:
        """Return None, as no calls of these kernels are computed together."""
