"""Calls: operands as the caller gives them, as views, and as a kernel reads them.

The methods of ``Call`` are in the order of a call: load the operands, plan, compute,
and wrap the result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, TypeVar

from nacho._elements import STORED
from nacho._kernels.block_operands import plain_view, split_view
from nacho._kernels.devices import result_device
from nacho._kernels.loading import load
from nacho._kernels.logs import LoggedNotes, informs
from nacho._kernels.options import Running
from nacho._kernels.progress import shown
from nacho._kernels.refusals import require_extent, require_fit
from nacho._kernels.specialisation import Asked, Specialisation
from nacho._notation.tree import Assignment, identifier
from nacho._storage.blocks import joined
from nacho._storage.device_arrays import HOST, DeviceArray
from nacho._storage.extents import index_extents, require_values
from nacho._storage.memory import Notes, forget, is_known
from nacho._storage.operands import arguments
from nacho._storage.results import library_of, make_result, result_class
from nacho._storage.scalars import RankError, load_scalar, refuse_dimensions
from nacho._storage.views import View
from nacho.errors import (
    ArgumentError,
    OperandError,
    ShapeError,
    UnsupportedError,
    pointed,
)

if TYPE_CHECKING:
    from nacho import _nacho

_Result = TypeVar("_Result")


class Call(NamedTuple):
    """The operands of one call, loaded for a specialisation, and what it does."""

    specialisation: Specialisation
    given: Sequence[Any]
    """The containers and numbers of the caller."""
    args: list[object]
    """The arguments of the compiled kernel: arrays and extents."""
    loaded: dict[str, View]
    """The operands with indices, as the kernel reads them."""
    extents: dict[str, int]
    """The extents of the indices."""
    asked: Asked
    kind: type[Any]
    """The class of the result."""
    place: str
    """Where the result is: "cpu", or the target that has it in its memory."""
    running: Running
    """The options of the call."""
    into: object = None
    """The memory that the kernel writes a dense result to, if that is the caller's."""

    @classmethod
    def of(
        cls,
        specialisation: Specialisation,
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
        statement = specialisation.statement
        assignment, format = statement.assignment, statement.result.format
        if assignment.reduction is not None or assignment.nested:
            require_values(assignment, extents, format)
        for index in specialisation.narrow:
            require_extent(assignment, index, extents[index])
        if notes is None and informs():
            notes = LoggedNotes(assignment.text)
        place = result_device(views, specialisation.target, running.device, notes)
        if place != HOST and format is not None and not format.is_usual:
            raise UnsupportedError(
                f"result '{assignment.result.name}': format '{format}' is made on the "
                f"host, and the result would be on '{place}'"
            )
        args: list[object] = []
        loaded: dict[str, View] = {}
        for reader, value in zip(specialisation.readers, given, strict=True):
            name, type = reader.name, reader.type
            view = views.get(name)
            if view is None:
                require_fit(statement, name, value)
                args.append(load_scalar(name, value, type))
                continue
            ready = loaded[name] = load(
                name,
                value,
                view,
                type,
                running.validate,
                notes,
                threads=running.threads or 0,
                is_typed=is_typed,
                is_checked=running.checks,
            )
            args += arguments(ready)
        work = specialisation.work.of(loaded, extents)
        kind = result_class(format, list(views.values()), place)
        most = running.memory_limit or 0
        asked = (running.parts or 0, running.threads or 0, work, most)
        about = (given, args, loaded, extents, asked, kind, place, running)
        return cls(specialisation, *about)._in_room(notes)

    def workers(self, plan: _nacho.Plan) -> str:
        """Describe how many threads and parts a plan of this call has, and why."""
        work = self.specialisation.work
        return plan.workers(work.are_products(self.loaded, self.extents))

    def _in_room(self, notes: Notes | None) -> Call:
        """Return the call with its result in the container of the caller, if any."""
        room = self.running.out
        if room is None:
            return self
        target, statement = self.specialisation.target, self.specialisation.statement
        assignment, format = statement.assignment, statement.result.format
        place = HOST if room.device == HOST else target
        kind = result_class(format, [], place)
        room.require_device(target)
        into, why = None, "in the order of blocks"
        if assignment.split_of(assignment.result.name) is None:
            room.require(format, STORED[statement.result.dtype], self.shape)
            into, why = room.in_place(format, target, self.loaded.values())
        if into is None and room.view.format.is_dense and notes is not None:
            notes.append(f"out: {why}: the result is copied to it")
        return self._replace(place=place, kind=kind, into=into)

    def partition(self, purpose: str = "plan") -> _nacho.Plan:
        """Cut the work, and do no more."""
        return self._acted(
            self.specialisation.partition, self.args, self.asked, purpose
        )

    def plan(self, purpose: str = "plan") -> _nacho.Plan:
        """Cut the work, and find the size of the result."""
        return self._acted(self.specialisation.plan, self.args, self.asked, purpose)

    def compute(self) -> Any:
        """Return the result; count its entries first only if that is necessary."""
        if self.running.progress is None:
            return self.execute(self.plan("call"), planned=True)
        with self._shown():
            return self.execute(self.plan("call"), planned=True)

    def execute(self, plan: _nacho.Plan, *, planned: bool = False) -> Any:
        """Compute the values of a plan, and return the result in a container.

        ``planned`` says that the operands cannot have changed since the plan was made.
        """
        trusted = self.running.validate == "none"
        on_device = self.place != HOST
        buffers = self._acted(
            self.specialisation.execute,
            plan,
            self.args,
            planned=planned,
            trusted=trusted,
            on_device=on_device,
            into=self.into,
        )
        room = self.running.out
        if room is not None and self.into is not None:
            return room.container
        result = self.wrapped(buffers)
        if room is None:
            return result
        return room.take(result)

    def wrapped(self, buffers: list[Any]) -> Any:
        """Return the arrays of the result in a container."""
        canonical = self.running.validate != "none"
        statement, on_device = self.specialisation.statement, self.place != HOST
        made = [DeviceArray(buffer) for buffer in buffers] if on_device else buffers
        result = make_result(
            statement.result.format, self.shape, made, self.kind, canonical
        )
        split = statement.assignment.split_of(statement.assignment.result.name)
        if split is None:
            return result
        return joined(result, split, library_of(list(self.loaded.values())))

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the result."""
        indices = self.specialisation.statement.assignment.result.indices
        return tuple([self.extents[index] for index in indices])

    def _shown(self) -> AbstractContextManager[None]:
        """Return what tells how many parts are done."""
        return shown(self.running.progress, self.specialisation.statement.written_out)

    def _acted(self, act: Callable[..., _Result], *args: Any, **how: Any) -> _Result:
        """Act on the arguments, or refuse the operand that has changed meanwhile."""
        try:
            if self.running.progress is None:
                return act(*args, **how)
            with self._shown():
                return act(*args, **how)
        except RuntimeError as error:
            from nacho import _nacho

            if isinstance(error, _nacho.CoordinateOutOfRange | _nacho.OperandsChanged):
                self.refuse_changed(error)
            raise

    def refuse_changed(self, error: Exception) -> NoReturn:
        """Refuse the operand whose arrays were edited since they were checked.

        A full check of all operands finds it, unless the arrays are valid again, or are
        those of another plan.
        """
        assignment = self.specialisation.statement.assignment
        trusts = self.running.validate == "none"
        since = "" if trusts else "; it has changed since it was checked"
        views = views_of(assignment, self.given)
        operands = dict(zip(assignment.operands, self.given, strict=True))
        sorted_before = {
            name for name, view in views.items() if is_known(operands[name], view)
        }
        for name in views:
            forget(operands[name])
        extents = index_extents(assignment, views)
        running = self.running._replace(validate="full", checks=False)
        try:
            Call.of(self.specialisation, self.given, views, extents, running)
        except OperandError as found:
            raise OperandError(f"{found}{since}") from error
        for name, view in views.items():
            is_sorted = view.format.is_dense or is_known(operands[name], view)
            if not is_sorted and (trusts or name in sorted_before):
                raise OperandError(
                    f"operand '{name}': its entries are not in order, or are repeated"
                    f"{', which a check would find' if trusts else since}"
                ) from error
        raise OperandError(
            f"the arrays of an operand of '{assignment.text}' have changed since they "
            "were checked, or since the plan was made"
        ) from error


_OF_COMPILE = ("dtype", "entry", "formats", "index")
"""Options about types, which calls and ``evaluate`` do not have."""


def bind(
    names: tuple[str, ...] | Assignment,
    operands: Sequence[Any],
    named: Mapping[str, Any],
) -> list[Any]:
    """Return the operands in order, as Python binds arguments to parameters.

    Where the statement is given in place of their names, errors point into it.
    """
    if not isinstance(names, Assignment):
        return _bound(names, operands, named)
    try:
        return _bound(names.operands, operands, named)
    except _Unbound as error:
        span = names.expr.span
        if error.operand is not None:
            span = names.access_of(error.operand).span
        raise ArgumentError(pointed(str(error), names.text, span)) from None


class _Unbound(ArgumentError):
    """There are too many operands, or too few: ``operand`` is missing."""

    operand: str | None = None


def _bound(
    names: tuple[str, ...], operands: Sequence[Any], named: Mapping[str, Any]
) -> list[Any]:
    if not named and len(operands) == len(names):
        return list(operands)
    expected = ", ".join(names)
    if len(operands) > len(names):
        raise _Unbound(
            f"{len(operands)} operands given, expected {len(names)}: {expected}"
        )
    bound = dict(zip(names, operands, strict=False))
    for spelled, value in named.items():
        name = identifier(spelled)
        if name not in names:
            message = f"no operand is named '{name}', expected: {expected}"
            if name in _OF_COMPILE:
                message += f"; '{name}=' is an option of nacho.mlir.compile"
            raise _Unbound(message)
        if name in bound:
            raise ArgumentError(f"operand '{name}' is given twice")
        bound[name] = value
    missing = [name for name in names if name not in bound]
    if missing:
        shown = ", ".join(f"'{name}'" for name in missing)
        message = f"missing operand {shown}, expected: {expected}"
        if missing[0] in ("inf", "nan", "pi"):
            message += f"; pass that number, as {missing[0]}=numpy.{missing[0]}"
        error = _Unbound(message)
        error.operand = missing[0]
        raise error
    return [bound[name] for name in names]


def is_result_given(assignment: Assignment, names: Iterable[str]) -> bool:
    """Return whether an operand has the name of the result, which ``+=`` adds to.

    Other assignments refuse it.
    """
    result = assignment.result
    if all(identifier(name) != result.name for name in names):
        return False
    if assignment.adds:
        return True
    text, sign = assignment.text, assignment.reduction_span
    message = (
        f"operand '{result.name}' has the name of the result: only += adds to what is "
        f"given, and '{text[slice(*sign)]}' does not"
    )
    raise ArgumentError(pointed(message, text, sign))


def with_result(
    assignment: Assignment,
    added: tuple[str, ...],
    operands: Sequence[Any],
    named: dict[str, Any],
) -> list[Any]:
    """Take what a call of ``+=`` has for the operands ``added`` out of its arguments.

    By position, the tensor that the result is added to is the last one.
    """
    names = (*assignment.operands, assignment.result.name)
    mine = {key: named.pop(key) for key in list(named) if identifier(key) in names}
    given = dict(zip(names, bind(names, operands, mine), strict=True))
    return [given[name] for name in added]


def views_of(assignment: Assignment, given: Sequence[Any]) -> dict[str, View]:
    """Return views of the operands that have indices, by name."""
    try:
        if assignment.splits:
            return _split_views(assignment, given)
        return {
            name: plain_view(name, value, rank)
            for (name, rank), value in zip(assignment.ranks.items(), given, strict=True)
            if rank or refuse_dimensions(name, value)
        }
    except RankError as error:
        span = assignment.access_of(error.operand).span
        raise ShapeError(pointed(str(error), assignment.text, span)) from None


def _split_views(assignment: Assignment, given: Sequence[Any]) -> dict[str, View]:
    """Return views of operands, some of which have more indices than dimensions."""
    views: dict[str, View] = {}
    for (name, rank), value in zip(assignment.ranks.items(), given, strict=True):
        split = assignment.split_of(name)
        if split is not None:
            views[name] = split_view(name, value, split)
        elif rank:
            views[name] = plain_view(name, value, rank)
    return views
