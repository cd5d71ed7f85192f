"""Repetitions: calls with operands of the same types and sizes as an earlier call.

Most of what a call finds out in Python follows from the types and sizes of its
operands. So it still holds when another call repeats them, and the extension only has
to check what may have changed. It also checks small containers that it has never seen.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from nacho._elements import STORED
from nacho._kernels.call import Call
from nacho._kernels.device_repetition import DeviceRepetition
from nacho._kernels.loaded_repetition import LoadedRepetition
from nacho._storage.containers import Place, places_of
from nacho._storage.device_arrays import HOST
from nacho._storage.memory import times_forgotten
from nacho._storage.results import result_maker
from nacho._storage.room import memory_of

if TYPE_CHECKING:
    from nacho import _nacho


_MOST_REMEMBERED = 4
"""A kernel remembers so many calls, for callers that alternate between operands."""
_PATIENCE = 8
"""After so many calls in vain, only one in so many calls is remembered."""


class Repetitions:
    """The calls of a kernel that may be repeated, the latest first."""

    def __init__(self) -> None:
        self._calls: list[Repeatable] = []
        self._in_vain = 0

    def compute(self, operands: tuple[Any, ...], out: object = None) -> Any:
        """Return the result, or None for operands that do not repeat any call.

        None is also what operands give that have to be refused, or a container for the
        result that kernels do not write to in place.
        """
        forgotten = times_forgotten()
        for call in self._calls:
            made = call.compute(operands, forgotten, out)
            if made is not None:
                self._in_vain = 0
                return made
        return None

    def take(
        self, operands: tuple[Any, ...]
    ) -> tuple[_nacho.TakenCall, Callable[[list[Any]], Any]] | None:
        """Return a call that repeats one of these, and makes its result of arrays.

        It is to be computed with others.
        """
        for call in self._calls:
            taken = call.take(operands)
            if taken is not None:
                self._in_vain = 0
                return taken, call.wrap
        return None

    def remember(self, call: Call) -> None:
        """Remember a call that computed a result, if it can be repeated."""
        self._in_vain += 1
        if self._in_vain > _PATIENCE and self._in_vain % _PATIENCE:
            return
        latest = self._repeatable(call)
        if latest is not None:
            self._calls = [latest, *self._calls[: _MOST_REMEMBERED - 1]]

    def _repeatable(self, call: Call) -> Repeatable | None:
        return Repeatable.of(call, takes_others=True)


class LoadedRepetitions(Repetitions):
    """The calls of a kernel of a file."""

    def _repeatable(self, call: Call) -> Repeatable | None:
        if call.running.validate != "safe":
            return None
        native = LoadedRepetition.of(call)
        return None if native is None else Repeatable(native, call)


class NamedRepetitions(Repetitions):
    """The calls of a statement on the host, whose operands have names."""

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__()
        self._names = names

    def remember(self, call: Call) -> None:
        """Remember a call, unless it was one of a device.

        There, a statement may be called with arrays of several libraries, each of which
        would be asked for its memory in vain.
        """
        if call.specialisation.target == HOST:
            super().remember(call)

    def compute_named(self, named: Mapping[str, Any], out: object = None) -> Any:
        """Return the result for operands by name, or None: see ``compute``."""
        try:
            return self.compute(tuple([named[name] for name in self._names]), out)
        except KeyError:
            return None


def _native(
    call: Call, takes_others: bool
) -> _nacho.RepeatedCall | DeviceRepetition | None:
    """Return what is remembered of a call, on the host by the extension.

    It is None if an array had to be copied, if dimensions are split for the kernel, or
    if a number is among the operands that is no float, nor an int of any size.
    """
    statement = call.specialisation.statement
    if statement.assignment.splits or statement.limits:
        return None
    if call.running.validate != "safe":
        return None
    if call.specialisation.target != HOST:
        return DeviceRepetition.of(call)
    places: list[list[Place | None] | None] = []
    for name in statement.assignment.operands:
        view = call.loaded.get(name)
        places.append(None if view is None else places_of(view))
        if view is not None and places[-1] is None:
            return None
    made = call.specialisation
    read = made.work.read if takes_others else []
    return made.native.remember(
        STORED[statement.result.dtype].name,
        list(call.given),
        places,
        call.args,
        call.asked,
        [statement.assignment.operands.index(name) for name in read],
        made.work.steps(call.extents),
        bool(statement.typing.sizes),
    )


class RepetitionsByOptions:
    """The calls that may be repeated, for each choice of the options of calls."""

    def __init__(self, kind: type[Repetitions] = Repetitions) -> None:
        self._kind = kind
        self._of: dict[Hashable, Repetitions] = {}

    def of(self, given: Mapping[str, Any]) -> Repetitions:
        """Return the calls that had these options; none if parts are told of."""
        if "progress" in given:
            return self._kind()
        options = (*given.items(),)
        found = self._of.get(options)
        if found is None:
            for oldest in list(self._of)[: 1 - _MOST_REMEMBERED]:
                self._of.pop(oldest, None)
            found = self._of.setdefault(options, self._kind())
        return found


class Repeatable:
    """A call to be repeated, and how its result is made of arrays."""

    __slots__ = ("_forgotten", "_is_array", "_make", "_native", "_shape", "_type")

    def __init__(
        self,
        native: _nacho.RepeatedCall | DeviceRepetition | LoadedRepetition,
        call: Call,
    ) -> None:
        self._native = native
        self._forgotten = times_forgotten()
        self._type = call.specialisation.statement.result
        self._shape = call.shape
        self._make = result_maker(self._type.format, call.kind)
        format = self._type.format
        is_in_order = format is not None and format.is_dense and format.is_row_major
        self._is_array = is_in_order and call.kind is np.ndarray
        """Whether the values are the result, which needs no other arrays."""

    @classmethod
    def of(cls, call: Call, *, takes_others: bool = False) -> Repeatable | None:
        """Return what is remembered of a call, or None if it cannot be repeated."""
        native = _native(call, takes_others)
        return None if native is None else cls(native, call)

    def compute(
        self,
        operands: tuple[Any, ...],
        forgotten: int,
        out: object = None,
        plan: _nacho.Plan | None = None,
    ) -> Any:
        """Return the result, by a plan if there is one; None if that is no repetition.

        On a device, nothing is repeated by a plan.
        """
        if self._forgotten != forgotten:
            return None
        if out is not None:
            return self._filled(operands, out)
        buffers = self._native.compute(operands, None, plan)
        return None if buffers is None else self.wrap(buffers)

    def take(self, operands: tuple[Any, ...]) -> _nacho.TakenCall | None:
        """Return a call that repeats this one, to be computed with others."""
        return self._native.take(operands)

    def wrap(self, buffers: list[Any]) -> Any:
        """Return the result that has these arrays."""
        if self._is_array:
            return buffers[-1].reshape(self._shape)
        return self._make(self._shape, buffers)

    def _filled(self, operands: tuple[Any, ...], out: object) -> Any:
        """Write the result to the array of a caller, if kernels can do so."""
        into = memory_of(out, self._type, self._shape)
        if into is None or self._native.compute(operands, into) is None:
            return None
        return out
