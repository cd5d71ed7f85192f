"""Statements whose operands are in pieces.

The cuts are those of one machine, which ``nacho.partition`` shows, and parts compute
what they compute there: so the result is, bit for bit, that of one machine.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from nacho._kernels.evaluation import specialiser_for
from nacho._kernels.nests import Partition, nests_of
from nacho._kernels.options import Options
from nacho._kernels.program import Layout, Program
from nacho._kernels.program import Step as CutStep
from nacho._kernels.specialisation import Specialisation
from nacho._notation.tree import Assignment
from nacho._pieces import tasks
from nacho._pieces.cutting import has_windows
from nacho._pieces.engine import Engine
from nacho._pieces.inputs import Step
from nacho._pieces.operands import Cut, Whole
from nacho._pieces.steps import Made, Plan, ScatteredParts, StepOnPieces
from nacho._pieces.tensor import Numbers, Pieces
from nacho._storage.device_arrays import HOST
from nacho._storage.extents import index_extents
from nacho._storage.formats import Format
from nacho._storage.results import library_of
from nacho._storage.views import View
from nacho.errors import IndexOverflowError


class Elsewhere(NamedTuple):
    """A container that is not here, but as a whole on some machine."""

    handle: Any
    view: View
    """A view like its own, whose arrays have no memory."""


class _Planned:
    """The cuts of a step, as those of a plan are asked for."""

    def __init__(self, plan: Plan, program: Program) -> None:
        self._rows = plan.rows
        self._depth = len(program.steps[-1].order)

    def cuts(self, step: int) -> tuple[Numbers, Numbers, Numbers]:
        depth = 1 + self._depth
        return self._rows[:, 0], self._rows[:, 1:depth], self._rows[:, depth:]


class Evaluation:
    """A statement, and operands of which some are in pieces."""

    def __init__(
        self,
        assignment: Assignment,
        options: Options,
        given: Mapping[str, Any],
        views: Mapping[str, View],
        engine: Engine,
    ) -> None:
        self.assignment = assignment
        self._options = options
        self._given = given
        # The sizes of operands are told in their order.
        views = {name: views[name] for name in assignment.operands if name in views}
        self._views = views
        self.engine = engine
        lowering = options.lowering(assignment)
        self._specialiser = specialiser_for(assignment, views, options.out, lowering)
        self.extents = index_extents(assignment, views)
        operands = [given[name] for name in assignment.operands]
        self._specialise(self._specialiser.of_call(operands, views, self.extents))
        self._is_scattered = False

    def _specialise(self, specialisation: Specialisation) -> None:
        self.specialisation = specialisation
        self.program: Program = specialisation.program()
        made = specialisation
        kernel = (made.source, made.statement.typing, made.lowering)
        self._kernel = pickle.dumps((*kernel, self.program.choices))
        self._loaded: dict[str, Any] = {}

    @property
    def _shape(self) -> tuple[int, ...]:
        """The shape of the result."""
        indices = self.assignment.result.indices
        return tuple(self.extents[index] for index in indices)

    def run(self) -> Pieces:
        """Compute the result, whose pieces stay where they were made."""
        if not self.is_divided:
            return self._run_whole()
        try:
            return self.step.run()
        except ScatteredParts:
            self._is_scattered = True
            return self._run_whole()
        except IndexOverflowError:
            wide = self._specialiser.widened(self.specialisation)
            if wide is None:
                raise
            self._specialise(wide)
        return self.step.run()

    def partition(self, parts: int) -> Partition:
        """Find the cuts, and compute nothing."""
        if not self.is_divided:
            (found,) = self.engine.fetch([self._submit_whole(tasks.partitioned, parts)])
            return found  # type: ignore[no-any-return]
        plan = self.step.plan()
        nests = nests_of(self.program, _Planned(plan, self.program), self.extents)
        return Partition(**vars(nests[-1]), nests=nests)

    @property
    def step(self) -> StepOnPieces:
        """The only step, on pieces."""
        step = self.program.steps[0]
        operands = [
            self._operand(step, input, number)
            for input, (_, number) in enumerate(step.inputs)
        ]
        task = Step(self._kernel, 0)
        made = Made(self._format, self._shape, library_of(list(self._views.values())))
        parts = self._options.running().parts
        return StepOnPieces(self.program, task, operands, made, parts, self.engine)

    @property
    def is_divided(self) -> bool:
        """Whether the parts run alone; else, one task computes the whole statement."""
        return not self.why_whole

    @property
    def why_whole(self) -> str:
        """Why one task computes the whole statement; empty if its parts run alone."""
        step, *more = self.program.steps
        statement = self.specialisation.statement
        format = statement.result.format
        if self._is_scattered:
            return "a part writes in several places of the result"
        if more:
            return f"it runs as {1 + len(more)} nests, one after the other"
        target = self.specialisation.target
        if target != HOST:
            return f"its target is '{target}', not the processor"
        if not step.runs_alone:
            return "its parts depend on each other"
        if not (format is None or (format.is_usual and has_windows(format))):
            return f"a result in the format '{format}' is not made in pieces"
        return self._why_not_cut(step)

    def _why_not_cut(self, step: CutStep) -> str:
        """Say which operand of a step is not cut, if there is one."""
        columns = [number for inputs in step.loop_inputs for number in inputs]
        types = self.specialisation.statement.types
        for number in dict.fromkeys(columns):
            name = self.assignment.operands[step.inputs[number][1]]
            if columns.count(number) > len(step.layouts[number].levels):
                # Of two accesses, it is not known which has which positions.
                return (
                    f"cuts have positions of several accesses to the operand '{name}'"
                )
            if not has_windows(types[name].format):
                return f"the operand '{name}' is in the format '{types[name].format}'"
        return ""

    def _submit_whole(self, function: Callable[..., Any], *more: Any) -> Any:
        """Submit a function of the whole statement and of all operands."""
        names = self.assignment.operands
        given = [self._whole(name) for name in names]
        arguments = (self.assignment.text, self._options.given, names, given, *more)
        return self.engine.submit(function.__name__, function, *arguments)

    def _run_whole(self) -> Pieces:
        """Compute the result in one task, and cut it into pieces there."""
        made = self._submit_whole(tasks.evaluated)
        known = self.engine.submit("cut", tasks.known, made, self.engine.slots)
        pieces: Pieces = self.engine.fetch([known])[0]
        handles = [
            self.engine.submit("cut", tasks.piece, made, pieces, number)
            for number in range(pieces.count)
        ]
        return replace(pieces, handles=tuple(handles))

    # --- What steps ask for -----------------------------------------------------------

    def _operand(self, step: CutStep, input: int, number: int) -> Cut | Whole:
        """Return an operand of a step."""
        name = self.assignment.operands[number]
        type = self.specialisation.statement.types[name]
        given = self._given[name]
        if isinstance(given, Pieces) and type.format == given.format:
            loops = [m for m, each in enumerate(step.loop_inputs) if input in each]
            times = sum(access.name == name for access in self.assignment.accesses)
            # Cuts by other loops may divide what lies below a coordinate of it.
            below = step.layouts[input].levels[len(loops) :]
            is_whole = len(loops) == len(step.order) or all(x.is_full for x in below)
            if loops and loops == [*range(len(loops))] and times == 1 and is_whole:
                return Cut(step, input, name, given, self.engine)
        view, layout = self._views.get(name), step.layouts[input]
        extents: tuple[int, ...] = ()
        if view is not None and type.format is not None:
            extents = tuple(view.shape[d] for d in type.format.order)
        return Whole(
            step, input, name, extents, self._input(number, name, layout), self.engine
        )

    def _input(self, number: int, name: str, layout: Layout) -> Any:
        """Return a handle of an operand as a whole, as tasks read it."""
        if name not in self._loaded:
            arguments = (self._kernel, number, layout, self._whole(name))
            self._loaded[name] = self.engine.submit(
                f"load-{name}", tasks.loaded, *arguments
            )
        return self._loaded[name]

    def _whole(self, name: str) -> Any:
        """Return a handle of the container of an operand, or of a number."""
        given = self._given[name]
        if isinstance(given, Pieces):
            pieces = (given.known, list(given.handles))
            return self.engine.submit(f"join-{name}", tasks.whole, *pieces)
        if isinstance(given, Elsewhere):
            return given.handle
        return self.engine.put(given)

    @property
    def _format(self) -> Format:
        """The format of the result; a number is dense."""
        format = self.specialisation.statement.result.format
        return Format("dense") if format is None else format.usual
