"""Specialisers: they find the specialisation for the operands of a call, or make it.

The first call with operands of new types compiles a specialisation, which later calls
reuse.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from nacho._kernels.cache import Cache
from nacho._kernels.call import Call
from nacho._kernels.devices import on_stream
from nacho._kernels.options import Lowering, Running
from nacho._kernels.refusals import refuse_memory
from nacho._kernels.sizes import (
    Sizes,
    are_sizes_relevant,
    is_skew_relevant,
    rough_sizes,
    with_skew,
)
from nacho._kernels.specialisation import Specialisation
from nacho._kernels.statement import Source
from nacho._kernels.types import (
    Typing,
    key_of_call,
    typing_by_default,
    typing_of_call,
)
from nacho._storage.device_arrays import HOST
from nacho._storage.extents import index_extents
from nacho._storage.memory import Notes
from nacho._storage.views import INT32_MAX, View
from nacho.errors import IndexOverflowError, NachoError

_Result = TypeVar("_Result")


class Specialiser:
    """Finds the specialisation of a source for the operands of a call, or makes it.

    The sizes of operands may also decide the order of loops, unless the source or the
    caller does.
    """

    def __init__(self, source: Source, lowering: Lowering) -> None:
        self.source = source
        self.lowering = lowering
        formats = {name: pin.format for name, pin in source.pins.items()}
        self._sized = (
            source.takes_sizes
            and not lowering.order
            and are_sizes_relevant(source.assignment, formats)
        )
        self._skewed = self._sized and is_skew_relevant(source.assignment, formats)
        self._latest: Specialisation | None = None
        self._by_key: Cache[Specialisation] = Cache()
        self._by_typing: Cache[Specialisation] = Cache()

    @property
    def default(self) -> Specialisation:
        """The specialisation that represents a kernel before any call."""
        return self._of(typing_by_default(self.source.assignment, self.source.pins))

    def of_call(
        self,
        given: Sequence[Any],
        views: Mapping[str, View],
        extents: Mapping[str, int],
    ) -> Specialisation:
        """Return the specialisation for some operands."""
        source, sizes = self.source, self._sizes(views)
        operands = (source.assignment, source.pins, given, views, extents)
        found = self._by_key.get(
            (*key_of_call(*operands), sizes),
            lambda: self._of(typing_of_call(*operands, sizes)),
        )
        # A specialisation with wide indices for large extents is not remembered: calls
        # with smaller extents need narrow ones.
        if max(extents.values(), default=0) <= INT32_MAX:
            self._latest = found
        return found

    def run(
        self,
        given: Sequence[Any],
        views: Mapping[str, View],
        running: Running,
        act: Callable[[Call], _Result],
        notes: Notes | None = None,
    ) -> _Result:
        """Load the operands, and act on them with their specialisation.

        The number of entries of the result is only known when they have been counted.
        If ``pos`` of the result is then too narrow, and not pinned, the call is
        repeated with 64-bit indices.
        """
        target = self.lowering.target
        try:
            if target == HOST:
                return self._run(given, views, running, act, notes)
            with on_stream(views, target, running.stream):
                return self._run(given, views, running, act, notes)
        except MemoryError as error:
            if isinstance(error, NachoError):
                raise
            threads = running.threads or 0
            refuse_memory(self.source.assignment, None, threads, error)

    def _run(
        self,
        given: Sequence[Any],
        views: Mapping[str, View],
        running: Running,
        act: Callable[[Call], _Result],
        notes: Notes | None,
    ) -> _Result:
        extents = index_extents(self.source.assignment, views)
        self.source.require_shapes(views, given)
        found = self._latest
        is_typed = (
            found is not None
            and found.fits(given, views, extents)
            and found.statement.typing.sizes == self._sizes(views)
        )
        if found is None or not is_typed:
            found = self.of_call(given, views, extents)
        operands = (given, views, extents, running, notes)
        try:
            return act(Call.of(found, *operands, is_typed=is_typed))
        except IndexOverflowError:
            wide = self.widened(found)
            if wide is None:
                raise
        return act(Call.of(wide, *operands))

    def _sizes(self, views: Mapping[str, View]) -> Sizes:
        if not self._sized:
            return ()
        sizes = rough_sizes(views)
        return (
            with_skew(self.source.assignment, views, sizes) if self._skewed else sizes
        )

    def widened(self, found: Specialisation) -> Specialisation | None:
        """Return the specialisation with 64-bit indices of the result.

        It is None if the indices are pinned or have 64 bits already.
        """
        typing = found.statement.typing
        pin = self.source.pins[self.source.assignment.result.name]
        if typing.index_width == 64 or pin.pos_width is not None:
            return None
        return self._of(typing._replace(index_width=64))

    def _of(self, typing: Typing) -> Specialisation:
        return self._by_typing.get(
            typing, lambda: Specialisation(self.source, typing, self.lowering)
        )
