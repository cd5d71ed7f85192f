"""Plans: cuts and sizes that are found once, for values that are computed often."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nacho._elements import STORED
from nacho._kernels.call import Call, bind, views_of
from nacho._kernels.devices import on_stream
from nacho._kernels.drawing import drawn
from nacho._kernels.nests import nests_of
from nacho._kernels.option_checks import checked_count
from nacho._kernels.options import Lowering, Running, out_of_call
from nacho._kernels.parts import Part, Parts
from nacho._kernels.repetition import Repeatable
from nacho._kernels.specialiser import Specialiser
from nacho._kernels.statement import Source
from nacho._once import cached_property
from nacho._pictures.figure import Picture, as_html, table
from nacho._progress import Progress, checked_progress
from nacho._storage.device_arrays import HOST, DeviceArray
from nacho._storage.extents import index_extents
from nacho._storage.memory import times_forgotten
from nacho._storage.operand_types import require_type, signature
from nacho._storage.room import Room
from nacho._storage.views import Array, View
from nacho.errors import OperandError

if TYPE_CHECKING:
    from nacho import _nacho


_MOST_REPEATS = 1 << 20


class Plan:
    """The cuts and the size of a result, whose values can be computed repeatedly."""

    def __init__(self, call: Call, native: _nacho.Plan) -> None:
        self._specialisation = specialisation = call.specialisation
        self._program = specialisation.planned(native)
        self._native = native
        self._call = call
        views = views_of(specialisation.statement.assignment, call.given)
        self._repeatable: Repeatable | None = None
        self._signatures = {name: signature(view) for name, view in views.items()}

    @classmethod
    def of(cls, call: Call) -> Plan:
        """Cut the work of a call, and count the entries of its result."""
        return cls(call, call.plan())

    def __reduce__(self) -> tuple[Callable[..., Plan], tuple[Any, ...]]:
        """Pickle the kernel by expression and options, and the operands.

        Loading makes the plan again. Streams, and who is told of parts, are those of a
        process.
        """
        made, call = self._specialisation, self._call
        running = call.running._replace(stream=None, progress=None)
        return _unpickled, (made.source, made.lowering, list(call.given), running)

    def execute(self, /, *operands: Any, **named: Any) -> Any:
        """Compute the result for the planned operands, or for others like them.

        Values and scalars may have changed since the plan was made. The types and the
        pattern of entries must be the same. Nothing is widened that was not then. The
        result is written to ``out``, if that is given, as in calls of ``Kernel``, and
        ``progress`` is theirs, too: without it, that of the plan.
        """
        if not named and self._repeatable is not None:
            repeated = operands or tuple(self._call.given)
            forgotten = times_forgotten()
            made = self._repeatable.compute(repeated, forgotten, None, self._native)
            if made is not None:
                return made
        specialisation, planned = self._specialisation, self._call
        statement = specialisation.statement
        assignment = statement.assignment
        given = planned.given
        out = out_of_call(named, assignment.operands)
        progress = planned.running.progress
        if "progress" in named and "progress" not in assignment.operands:
            progress = checked_progress(named.pop("progress"))
        room = None if out is None else Room(out, assignment.result)
        if operands or named:
            given = bind(assignment, operands, named)
        views = views_of(assignment, given)
        for name, view in views.items():
            if signature(view) != self._signatures[name]:
                type = statement.types[name]
                require_type(name, view, type, "the plan was made")
        if specialisation.target == HOST:
            return self._executed(given, views, room, progress)
        with on_stream(views, specialisation.target, planned.running.stream):
            return self._executed(given, views, room, progress)

    def _executed(
        self,
        given: Sequence[Any],
        views: Mapping[str, View],
        room: Room | None,
        progress: Progress,
    ) -> Any:
        specialisation, planned = self._specialisation, self._call
        asked = planned.running
        running = Running(
            validate=asked.validate,
            device=asked.device,
            stream=asked.stream,
            out=room,
            progress=progress,
        )
        extents = index_extents(specialisation.statement.assignment, views)
        call = Call.of(specialisation, given, views, extents, running)
        for name, now in call.loaded.items():
            if not _same_pattern(planned.loaded[name], now, running.validate):
                raise OperandError(
                    f"operand '{name}' has another pattern than the one planned for"
                )
        made = call.execute(self._native)
        if self._is_repeatable(call):
            self._repeatable = Repeatable.of(call)
        return made

    def _is_repeatable(self, call: Call) -> bool:
        """Return whether a call may be the first that others repeat.

        Its index arrays have to be those for which the plan was made.
        """
        running = call.running
        if self._repeatable or running.out or running.progress is not None:
            return False
        planned = self._call.loaded
        return all(
            one is other
            for name, now in call.loaded.items()
            for one, other in zip(
                planned[name].index_arrays, now.index_arrays, strict=True
            )
        )

    def part(self, number: int) -> Part:
        """Return a part that can be computed alone, also in another process.

        It has windows of the operands that the loops visit in order, or find by a list
        of an earlier step, and the others as a whole. ``nacho.join`` makes the result
        of the pieces that all parts compute. ``number`` counts from 0.
        """
        return self._lone_parts.part(number)

    @cached_property
    def _lone_parts(self) -> Parts:
        return Parts(self._call, self._native, self._program)

    @property
    def parts(self) -> int:
        """The number of parts into which the work is cut."""
        return self._native.parts

    @property
    def choices(self) -> dict[str, bool]:
        """The choices of the program that the plan runs, by name."""
        return self._program.choices

    @property
    def threads(self) -> int:
        """The number of threads that compute them."""
        return self._native.threads

    @property
    def bounds(self) -> NDArray[np.int64]:
        """The cuts, (parts + 1, depth) coordinates in loop order.

        A part begins at its row and ends before the next.
        """
        return self._native.bounds

    @property
    def positions(self) -> NDArray[np.int64]:
        """The positions of the cuts in the operands, a column per loop and operand."""
        return self._native.positions

    @property
    def costs(self) -> NDArray[np.int64]:
        """The cost of each part."""
        return np.diff(self._native.costs)

    @property
    def total(self) -> int:
        """The cost of all parts."""
        return self._native.total

    @property
    def delta(self) -> int:
        """The most by which the cost of a part may be off its share, on either side.

        If that depends on the operands, it is what these cuts are off.
        """
        return self._program.steps[-1].delta_of(self.costs)

    @property
    def balance(self) -> float:
        """The cost of the largest part over the mean cost; 1 is perfect."""
        mean = self.total / self.parts
        return float(self.costs.max() / mean) if mean else 1.0

    def part_times(self, repeats: int = 5) -> NDArray[np.float64]:
        """Measure the seconds that each part of the last nest takes alone.

        Each is the least of ``repeats`` runs on one thread.
        """
        count = checked_count("repeats", repeats, _MOST_REPEATS) or 1
        return np.array(self._native.time_parts(self._call.args, count))

    @property
    def nnz(self) -> int:
        """The number of entries of the result."""
        return self._native.nnz

    @property
    def nbytes(self) -> int:
        """The size in bytes of the arrays of the result that the kernel makes."""
        result = self._specialisation.statement.result
        pos, crd = result.pos_width // 8, result.crd_width // 8
        total = self.nnz * STORED[result.dtype].itemsize
        kinds = () if result.format is None else result.format.usual.level_kinds
        parents = 1
        for kind, size in zip(kinds, self._native.sizes, strict=True):
            entries = parents * size if kind.is_full else size
            total += kind.pos_length(parents, size) * pos
            total += kind.crd_length(parents, entries, size) * crd
            parents = entries
        return total

    def __repr__(self) -> str:
        text = self._specialisation.statement.assignment.text
        parts, threads = _counted(self.parts, "part"), _counted(self.threads, "thread")
        return (
            f"<nacho.mlir.Plan {text!r}: {parts} on {threads}, "
            f"balance {self.balance:.3f}, {self.nnz} entries>"
        )

    def _repr_html_(self) -> str:
        assignment = self._specialisation.statement.assignment
        on = [name for name, is_on in self.choices.items() if is_on]
        rows = {
            "expression": [assignment.text],
            "variant": [", ".join(on) or "plain", *self._native.reasons],
            "workers": [self._call.workers(self._native)],
            "result": [f"{self.nnz} entries, {self.nbytes / 1e6:.2f} MB"],
        }
        nests = nests_of(self._program, self._native, self._call.extents)
        loops = self._specialisation.native.loops(self.choices)
        cuts = {self.parts: nests}
        patterns = drawn(self._program, self._call.loaded, cuts, loops)
        pictures: list[Picture] = [*(nest.bars for nest in nests), *patterns]
        return f"{table(rows)}\n{as_html(pictures)}"


def _counted(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _unpickled(
    source: Source, lowering: Lowering, given: Sequence[Any], running: Running
) -> Plan:
    views = views_of(source.assignment, given)
    return Specialiser(source, lowering).run(given, views, running, Plan.of)


def _same_pattern(before: View, now: View, validate: str) -> bool:
    if before.shape != now.shape:
        return False
    old, new = chain(before.pos, before.crd), chain(now.pos, now.crd)
    return all(
        one is other or _same_array(one, other, validate)
        for one, other in zip(old, new, strict=True)
    )


def _same_array(one: Array | None, other: Array | None, validate: str) -> bool:
    if one is None or other is None or one.size != other.size:
        return False
    trusted = validate == "none" or _address(one) == _address(other)
    return trusted or np.array_equal(_readable(one), _readable(other))


def _address(array: Any) -> tuple[str, int]:
    """Return where an array is."""
    if isinstance(array, DeviceArray):
        return array.device, array.native.address
    return HOST, array.ctypes.data


def _readable(array: Any) -> Any:
    """Return the elements of an array for the host to read."""
    return array.to_host() if isinstance(array, DeviceArray) else array
