"""Statements whose operands are in pieces.

The cuts are those of one machine, which ``nacho.partition`` shows, and parts compute
what they compute there: so the result is, bit for bit, that of one machine.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nacho._kernels.nests import Nest, Partition, named, nests_of
from nacho._kernels.options import Lowering, Options
from nacho._kernels.parts import loops_of_levels
from nacho._kernels.program import MERGE_KEYS, Program
from nacho._kernels.program import Step as CutStep
from nacho._kernels.specialisation import Specialisation
from nacho._kernels.specialiser import Specialiser
from nacho._kernels.specialisers import specialiser_for
from nacho._notation.tree import Assignment
from nacho._pieces import devices, tasks
from nacho._pieces.accesses import named_apart
from nacho._pieces.cutting import has_windows
from nacho._pieces.engine import Engine
from nacho._pieces.given import Containers, Operands, pieces_of
from nacho._pieces.groups import Wanted
from nacho._pieces.inputs import Step
from nacho._pieces.made import Made, made_list, made_tensor
from nacho._pieces.plans import NotAloneError, Plan
from nacho._pieces.reordering import ReorderingStep
from nacho._pieces.row_pieces import PieceListStep, PieceSumsStep
from nacho._pieces.sorted_lists import SortedListStep
from nacho._pieces.steps import StepOnPieces
from nacho._pieces.tensor import Numbers, Pieces
from nacho._storage.device_arrays import HOST
from nacho._storage.extents import index_extents
from nacho._storage.formats import Format
from nacho._storage.operands import arguments
from nacho._storage.results import library_of
from nacho._storage.views import NACHO, View
from nacho.errors import IndexOverflowError


class _Planned:
    """The cuts of steps, as those of a plan are asked for."""

    def __init__(self, plans: Sequence[Plan], program: Program) -> None:
        self._plans = plans
        self._depths = [len(step.order) for step in program.steps]

    def cuts(self, step: int) -> tuple[Numbers, Numbers, Numbers]:
        rows, depth = self._plans[step].rows, 1 + self._depths[step]
        return rows[:, 0], rows[:, 1:depth], rows[:, depth:]


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
        self.written = assignment
        """The statement as it was given."""
        in_pieces = [name for name, each in given.items() if isinstance(each, Pieces)]
        self.assignment, self._apart = named_apart(assignment, in_pieces)
        sources = {name: access.name for name, access in self._apart.items()}
        given = {**given, **{new: given[old] for new, old in sources.items()}}
        views = {**views, **{new: views[old] for new, old in sources.items()}}
        self._options = options
        # The sizes of operands are told in their order.
        self._views = _of_operands(self.assignment, views)
        self.engine = engine
        self._containers = Containers(given, self._views, engine)
        self.target, lowering = _target_of(options, assignment)
        self.extents = index_extents(assignment, views)

        def specialise(assignment: Assignment) -> tuple[Specialiser, Specialisation]:
            mine = _of_operands(assignment, views)
            specialiser = specialiser_for(assignment, mine, options.format, lowering)
            operands = [given[name] for name in assignment.operands]
            return specialiser, specialiser.of_call(operands, mine, self.extents)

        self._specialiser, made = specialise(self.assignment)
        self._chooser = specialise(assignment)[1] if self._apart else made
        """What one machine would compute, which decides as it does."""
        self._specialise(made)
        self._found_late = ""
        self._made_first: dict[tuple[Any, ...], Pieces] = {}
        """What earlier steps have made last, by the digests of all up to these."""

    def _specialise(self, specialisation: Specialisation) -> None:
        self.specialisation = specialisation
        choices, self._parts = self._chosen()
        self._use(choices)

    def _use(self, choices: Mapping[str, bool]) -> None:
        """Choose a variant."""
        made = self.specialisation
        self.program: Program = made.program(choices)
        kernel = (made.source, made.statement.typing, made.lowering)
        self._kernel = pickle.dumps((*kernel, self.program.choices))
        self._device = b""
        if self.target != HOST:
            self._device = devices.kernel_of(made, self.target, self.program.choices)

    def _chosen(self) -> tuple[dict[str, bool], int]:
        """Return the choices of one machine, and its number of parts by default."""
        made = self._chooser
        types = made.statement.types
        sizes: list[int] = []
        for name in self.written.operands:
            view, format = self._views.get(name), types[name].format
            if view is None:
                sizes.append(1)
            elif view.format == format:
                arrays = map(np.asarray, arguments(view)[: -len(view.extents)])
                sizes += [*(array.size for array in arrays), *view.extents]
            else:
                # Its arrays are not those that a program reads.
                return {}, self.engine.slots
        work = made.work.of(_of_operands(self.written, self._views), self.extents)
        if self.target == HOST:
            return made.native.chosen_for_lone_parts(sizes, work)
        chooser = devices.chooser_of(made, self.target)
        asked = self.engine.submit("choose", tasks.chosen, chooser, sizes, work)
        (found,) = self.engine.fetch([asked])
        return found  # type: ignore[no-any-return]

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
            made = self._run_divided()
        except NotAloneError as error:
            self._found_late = str(error)
            return self._run_whole()
        format = self.specialisation.statement.result.format
        if format is None or format.is_usual:
            return made
        # No other library has containers with such levels.
        return replace(made, container=format, library=NACHO)

    def _run_divided(self) -> Pieces:
        """Compute the result with wider indices if it has too many entries."""
        try:
            return self.last_step.run()
        except IndexOverflowError:
            wide = self._specialiser.widened(self.specialisation)
            if wide is None:
                raise
            self._specialise(wide)
        return self.last_step.run()

    def partition(self, parts: int) -> Partition:
        """Find the cuts, and compute nothing."""
        if self.program.choices[MERGE_KEYS]:
            self._use({})
        if not self.is_divided:
            (found,) = self.engine.fetch([self._submit_whole(tasks.partitioned, parts)])
            return found  # type: ignore[no-any-return]
        wanted = Wanted(parts, parts, True)
        plans = [step.plan for step in self._balanced_steps(wanted)]
        nests = nests_of(self.program, _Planned(plans, self.program), self.extents)
        nests = tuple(map(self._with_written_names, nests))
        return Partition(**vars(nests[-1]), nests=nests)

    def _with_written_names(self, nest: Nest) -> Nest:
        """Return the cuts of a nest, with operands named as one machine does."""
        first = {access.name: access for access in reversed(self.written.accesses)}
        accesses = {**first, **self._apart}
        found: dict[str, NDArray[np.int64]] = {}
        for name, places in nest.positions.items():
            access = accesses.get(name)
            if access is not None:
                name = named(access, found, self.program)
            found[name] = places
        return replace(nest, positions=found)

    @property
    def last_step(self) -> StepOnPieces:
        """The step that makes the result; what it reads of others is made at once."""
        asked = self._options.running().parts
        return self._balanced_steps(Wanted(asked or 0, self._parts))[-1]

    def _balanced_steps(self, wanted: Wanted) -> list[StepOnPieces]:
        """Return all steps of a variant in whose last one workers have equal shares.

        One machine chooses it in the same way. What has rows that are too heavy for a
        part is done again with others, unless parts do not run alone then.
        """
        steps = self._steps(wanted)
        asked = self.program.choices
        while True:
            costs = np.diff(steps[-1].plan.rows[:, 0]).tolist()
            workers = len(costs) if wanted.asked else self.engine.slots
            native, used = self.specialisation.native, self.program.choices
            others = native.chosen_instead(asked, costs, workers)
            if others is None or others == asked:
                return steps
            # What has no effect on the statement is not among the choices of a program.
            asked = others
            self._use(asked)
            if not self.is_divided:
                self._use(used)
                return steps
            if self.program.choices != used:
                steps = self._steps(wanted)

    def _steps(self, wanted: Wanted) -> list[StepOnPieces]:
        """Return all steps. The last has not been run, but those before it have."""
        steps: list[StepOnPieces] = []
        made: list[Pieces] = []
        about = (self.specialisation, self.program, self._kernel)
        made_operands = Operands(*about, self._containers, self.engine)
        key: tuple[Any, ...] = (wanted,)
        known, self._made_first = self._made_first, {}
        for number, step in enumerate(self.program.steps):
            if steps:
                made.append(known[key] if key in known else steps[-1].run_first())
                self._made_first[key] = made[-1]
            key = (*key, step.digest)
            operands = made_operands.of(step, made)
            kept = step.kept_by(step)
            task = Step(self._kernel, number, kept, self._device)
            given = (self.program, task, operands, self._made(step), wanted)
            steps.append(self._kind_of(step)(*given, self.engine))
        return steps

    def _kind_of(self, step: CutStep) -> type[StepOnPieces]:
        """Return how a step is run."""
        earlier = self.program.steps
        if step.is_reordering:
            return ReorderingStep
        if step.lists_pieces:
            return PieceListStep
        if any(is_made and earlier[n].lists_pieces for is_made, n in step.inputs):
            return PieceSumsStep
        return SortedListStep if step.is_sorted else StepOnPieces

    def _made(self, step: CutStep) -> Made:
        """Return what a step makes."""
        if step.is_list:
            return made_list(step)
        if step.is_reordering:
            return self._made_matrix(step)
        if step is self.program.steps[-1]:
            return self._made_result()
        made = made_tensor(step, self.extents)
        assert made is not None, "parts run alone if it is known what they make"
        return made

    def _made_result(self) -> Made:
        library = library_of(list(self._views.values()))
        loops = tuple(loops_of_levels(self.program))
        return Made(self._format, self._shape, library, loops)

    def _made_matrix(self, step: CutStep) -> Made:
        """Return what a step makes that brings a matrix into another order."""
        name = self.assignment.operands[step.inputs[0][1]]
        view = self._views[name]
        levels = zip(reversed(view.format.order), ("dense", "compressed"), strict=True)
        format = Format.of_levels(tuple(levels))
        return Made(format, view.shape, "nacho", (1, 0))

    @property
    def is_divided(self) -> bool:
        """Whether the parts run alone; else, one task computes the whole statement."""
        return not self.why_whole

    @property
    def why_whole(self) -> str:
        """Why one task computes the whole statement; empty if its parts run alone."""
        statement = self.specialisation.statement
        format = statement.result.format
        if self._found_late:
            return self._found_late
        if self.program.choices[MERGE_KEYS]:
            return "its operands have few entries, which are merged in a single loop"
        ranged = [access.name for access in self.written.accesses if access.ranges]
        if ranged:
            return f"operand '{ranged[0]}' is read in ranges, with other coordinates"
        if format is not None and not has_windows(format.usual):
            return f"a result in the format '{format}' is not made in pieces"
        reasons = (self._why_not_alone(step) for step in self.program.steps)
        return next(filter(None, reasons), "")

    def _why_not_alone(self, step: CutStep) -> str:
        """Say why the parts of a step do not run alone, if they do not."""
        if step.is_reordering:
            read, made = step.layouts
            if len(read.levels) != len(made.levels):
                return "a diagonal of a tensor is brought into another order"
            return self._why_not_cut(step)
        is_part = step is not self.program.steps[-1] and not step.is_list
        if is_part and made_tensor(step, self.extents) is None:
            return "a part of the expression is made in levels that are not cut"
        if not step.runs_alone:
            return "its parts depend on each other"
        if self.target != HOST:
            is_asked = self._options.parts is not None
            why = devices.why_not_alone(step, self.target, is_asked=is_asked)
            if why:
                return why
        return self._why_not_cut(step)

    def _why_not_cut(self, step: CutStep) -> str:
        """Say which operand of a step is not cut, if there is one."""
        columns = [number for inputs in step.loop_inputs for number in inputs]
        types = self.specialisation.statement.types
        for number in dict.fromkeys(columns):
            is_made, source = step.inputs[number]
            name = "" if is_made else self.assignment.operands[source]
            shown = f"the operand '{name}'" if name else self.program.made_by(source)
            if columns.count(number) > len(step.layouts[number].levels):
                # Of two accesses, it is not known which has which positions.
                return f"cuts have positions of several accesses to {shown}"
            if name and not has_windows(types[name].format):
                return f"{shown} is in the format '{types[name].format}'"
        return ""

    def _submit_whole(self, function: Callable[..., Any], *more: Any) -> Any:
        """Submit a function of the whole statement and of all operands."""
        names = self.written.operands
        given = [self._containers.whole(name) for name in names]
        arguments = (self.written.text, self._options.given, names, given, *more)
        return self.engine.submit(function.__name__, function, *arguments)

    def _run_whole(self) -> Pieces:
        """Compute the result in one task, and cut it into pieces there."""
        made = self._submit_whole(tasks.evaluated)
        return pieces_of(made, self.assignment.result.name, self.engine)

    @property
    def _format(self) -> Format:
        """The format of the result; a number is dense."""
        format = self.specialisation.statement.result.format
        return Format("dense") if format is None else format.usual


def _of_operands(assignment: Assignment, views: Mapping[str, View]) -> dict[str, View]:
    """Return the views of operands, in their order."""
    return {name: views[name] for name in assignment.operands if name in views}


def _target_of(options: Options, assignment: Assignment) -> tuple[str, Lowering]:
    """Return the target, and the options of the code that cuts, which the host runs."""
    lowering = options.lowering(assignment)
    return lowering.target, lowering.on(HOST)
