"""Specialisations: a kernel for one choice of types, and how they are found.

The first call with operands of new types compiles a specialisation, which later calls
reuse. The methods of ``Specialisation`` are in the order of a call: load the operands,
plan, compute, and wrap the result.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from nacho._kernels.cache import Cache
from nacho._kernels.call import Call, views_of
from nacho._kernels.devices import on_stream, result_device
from nacho._kernels.logs import LOGGER, LoggedNotes, compiling, informs
from nacho._kernels.program import Programs
from nacho._kernels.refusals import (
    refuse_cost,
    refuse_entries,
    refuse_memory,
    require_extent,
    require_fit,
)
from nacho._kernels.request import Lowering, Running
from nacho._kernels.statement import Source, Statement
from nacho._kernels.types import (
    Reader,
    Sizes,
    Typing,
    are_sizes_relevant,
    key_of_call,
    rough_sizes,
    typing_by_default,
    typing_of_call,
)
from nacho._storage.blocks import joined
from nacho._storage.device_arrays import HOST, DeviceArray
from nacho._storage.extents import (
    WorkEstimate,
    index_extents,
    narrow_indices,
    require_values,
)
from nacho._storage.operands import Notes, arguments, forget, load, load_scalar
from nacho._storage.results import library_of, make_result, result_class
from nacho._storage.views import INT32_MAX, View
from nacho.errors import DeviceError, IndexOverflowError, NachoError, OperandError

if TYPE_CHECKING:
    from nacho import _nacho

_Result = TypeVar("_Result")


class Specialisation:
    """A kernel for operands of one choice of types."""

    def __init__(
        self, source: Source, statement: Statement, lowering: Lowering
    ) -> None:
        assignment, types = statement.assignment, statement.types
        self.source = source
        self.statement = statement
        self.lowering = lowering
        self.programs = Programs(statement, lowering)
        self.target = lowering.target
        self._readers = [
            Reader(name, type, kind)
            for (name, type), kind in zip(
                types.items(), statement.typing.kinds, strict=True
            )
        ]
        self._narrow = narrow_indices(assignment, types, statement.result)
        self._estimate = WorkEstimate(assignment, types)
        self._begun: set[str] = set()
        """The purposes that something was planned for: most calls compile nothing."""
        self._known: set[tuple[str, ...]] = set()
        """The variants that were logged."""

    def fits(
        self,
        given: Sequence[Any],
        views: Mapping[str, View],
        extents: Mapping[str, int],
    ) -> bool:
        """Return whether this is obviously the specialisation for some operands.

        This test is faster than a look-up by key, for repeated calls with operands of
        the same types. It may say False although the specialisation fits.
        """
        if max(extents.values(), default=0) > INT32_MAX:
            return False
        for reader, value in zip(self._readers, given, strict=True):
            if not reader.fits(value, views.get(reader.name)):
                return False
        return True

    def load(
        self,
        given: Sequence[Any],
        views: Mapping[str, View],
        extents: dict[str, int],
        running: Running,
        notes: Notes | None = None,
        *,
        is_typed: bool = False,
    ) -> Call:
        """Check the operands, and lay out the arguments of the extension.

        ``is_typed`` says that they are known to have the types of the specialisation.
        """
        statement = self.statement
        assignment, format = statement.assignment, statement.result.format
        if assignment.reduction is not None or assignment.nested:
            require_values(assignment, extents, format)
        for index in self._narrow:
            require_extent(assignment, index, extents[index])
        if notes is None and informs():
            notes = LoggedNotes(assignment.text)
        place = result_device(views, self.target, running.device, notes)
        validate = running.validate
        args: list[object] = []
        loaded: dict[str, View] = {}
        for reader, value in zip(self._readers, given, strict=True):
            name, type = reader.name, reader.type
            view = views.get(name)
            if view is None:
                require_fit(statement, name, value)
                args.append(load_scalar(name, value, type))
                continue
            ready = loaded[name] = load(
                name, value, view, type, validate, notes, is_typed=is_typed
            )
            args += arguments(ready)
        work = self._estimate.of(loaded, extents)
        kind = result_class(format, list(views.values()), place)
        most = running.memory_limit or 0
        asked = (running.parts or 0, running.threads or 0, work, most)
        return Call(given, args, loaded, extents, asked, kind, place, running)

    def partition(self, call: Call, purpose: str = "plan") -> _nacho.Plan:
        """Cut the work, and do no more."""
        return self._planned(self.programs.native.partition, call, purpose)

    def plan(self, call: Call, purpose: str = "plan") -> _nacho.Plan:
        """Cut the work, and find the size of the result.

        The purposes are those of ``Purpose`` in the extension: "call" does not count
        the entries of the result if they can be computed without; "count" does nothing
        else; and the plan of "plan" can be executed again and again.
        """
        return self._planned(self.programs.native.plan, call, purpose)

    def _planned(
        self, act: Callable[..., _nacho.Plan], call: Call, purpose: str
    ) -> _nacho.Plan:
        """Partition or plan; the first time for a purpose, this compiles a program."""
        try:
            if purpose in self._begun:
                plan = act(call.args, *call.asked, purpose)
            else:
                with compiling(self.statement.assignment.text):
                    plan = act(call.args, *call.asked, purpose)
                self._begun.add(purpose)
        except (RuntimeError, MemoryError) as error:
            self._refuse(call, error)
        if informs():
            self._log_variant(plan)
        return plan

    def _log_variant(self, plan: _nacho.Plan) -> None:
        """Log the choices that a plan follows, and the reasons, if they are new."""
        variant = tuple(name for name, is_on in plan.program.choices.items() if is_on)
        if variant in self._known:
            return
        self._known.add(variant)
        why = "".join(f"; {reason}" for reason in plan.reasons)
        shown = ", ".join(variant) or "plain"
        LOGGER.info("'%s': variant %s%s", self.statement.assignment.text, shown, why)

    def compute(self, call: Call) -> Any:
        """Return the result; count its entries first only if that is necessary."""
        return self.execute(self.plan(call, "call"), call, planned=True)

    def execute(self, plan: _nacho.Plan, call: Call, *, planned: bool = False) -> Any:
        """Compute the values of a plan, and return the result in a container.

        ``planned`` says that the operands cannot have changed since the plan was made.
        """
        try:
            trusted = call.running.validate == "none"
            on_device = call.place != HOST
            buffers = plan.execute(call.args, planned, trusted, on_device)
        except (RuntimeError, MemoryError) as error:
            self._refuse(call, error)
        format, shape = self.statement.result.format, self.shape(call)
        made = [DeviceArray(buffer) for buffer in buffers] if on_device else buffers
        result = make_result(format, shape, made, call.kind, not trusted)
        assignment = self.statement.assignment
        split = assignment.split_of(assignment.result.name)
        if split is None:
            return result
        return joined(result, split, library_of(list(call.loaded.values())))

    def shape(self, call: Call) -> tuple[int, ...]:
        """Return the shape of the result."""
        extents = call.extents
        return tuple([extents[i] for i in self.statement.assignment.result.indices])

    def _refuse(self, call: Call, error: Exception) -> NoReturn:
        """Turn a failure of the extension into an error that names the cause."""
        from nacho import _nacho

        statement = self.statement
        if isinstance(error, _nacho.CompileError):
            self.programs.refuse(error)
        if isinstance(error, _nacho.IndexOverflow):
            refuse_entries(statement.assignment, statement.result, error)
        if isinstance(error, _nacho.CostOverflow):
            refuse_cost(statement.assignment, error)
        if isinstance(error, _nacho.CoordinateOutOfRange | _nacho.OperandsChanged):
            self._refuse_changed(call, error)
        if isinstance(error, MemoryError):
            refuse_memory(statement.assignment, error)
        if isinstance(error, _nacho.DeviceError):
            raise DeviceError(str(error)) from error
        raise error

    def _refuse_changed(self, call: Call, error: Exception) -> NoReturn:
        """Refuse the operand whose arrays were edited since they were checked.

        A full check of all operands finds it, unless the arrays are valid again.
        """
        assignment = self.statement.assignment
        for value, type in zip(call.given, self.statement.typing.operands, strict=True):
            if type.format is not None:
                forget(value)
        views = views_of(assignment, call.given)
        extents = index_extents(assignment, views)
        self.load(call.given, views, extents, call.running._replace(validate="full"))
        trusted = ", or are not in order, which validate='none' trusts"
        raise OperandError(
            f"the arrays of an operand of '{assignment.text}' changed while they were "
            f"in use{trusted if call.running.validate == 'none' else ''}"
        ) from error


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
        act: Callable[[Specialisation, Call], _Result],
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
            refuse_memory(self.source.assignment, error)

    def _run(
        self,
        given: Sequence[Any],
        views: Mapping[str, View],
        running: Running,
        act: Callable[[Specialisation, Call], _Result],
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
            return act(found, found.load(*operands, is_typed=is_typed))
        except IndexOverflowError:
            wide = self._wide(found)
            if wide is None:
                raise
        return act(wide, wide.load(*operands))

    def _sizes(self, views: Mapping[str, View]) -> Sizes:
        return rough_sizes(views) if self._sized else ()

    def _wide(self, found: Specialisation) -> Specialisation | None:
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
            typing,
            lambda: Specialisation(
                self.source, self.source.statement(typing), self.lowering
            ),
        )
