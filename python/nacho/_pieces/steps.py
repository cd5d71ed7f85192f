"""One step of a statement on pieces.

boundaries   where the pieces of all operands begin (``_boundaries``)
cuts         found between neighbouring boundaries, where the operands' windows
             between them are (``_search``)
counts       of the entries that parts append; their scan (``_counted``)
values       of each group of parts (``_computed``), and of entries that cuts
             divide (``_combined``)
result       its pieces; the costs of a list become sums (``_result``, ``run``)
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np

from nacho._kernels.program import Program
from nacho._once import cached_property
from nacho._pieces import searching, tasks
from nacho._pieces.engine import Engine
from nacho._pieces.groups import Wanted, are_few, groups_of, most_groups, place_of
from nacho._pieces.inputs import About, Input, Record, Row, Step
from nacho._pieces.made import Made
from nacho._pieces.named_rows import NamedRows
from nacho._pieces.operands import Cut, Whole, begins_and_stops, extents_only
from nacho._pieces.plans import Division, NotAloneError, Plan, division_of
from nacho._pieces.results import counts_of, cuts_of, sealed, with_runs, with_sums
from nacho._pieces.tensor import Numbers, Pieces
from nacho._pieces.windows import Range
from nacho.errors import IndexOverflowError

Inputs = Callable[[int], list[Any]]
"""Returns the inputs of tasks for a group of parts."""


class StepOnPieces:
    """A step of a program, whose parts run where their windows are brought together."""

    def __init__(
        self,
        program: Program,
        task: Step,
        operands: Sequence[Cut | Whole],
        made: Made,
        wanted: Wanted,
        engine: Engine,
    ) -> None:
        self._program = program
        self._native = program.native
        self._task = task
        self._number = task.number
        self.step = program.steps[task.number]
        self.operands = operands
        self._made = made
        self._wanted = wanted
        self._engine = engine
        self._cut_ones = [each for each in self.operands if isinstance(each, Cut)]
        size = sum(each.pieces.nbytes for each in self._cut_ones)
        self._most_groups = most_groups(size, engine.slots)

    def run(self) -> Pieces:
        """Return the result, whose pieces stay where they were made."""
        made = self._result()
        if self.step.is_list:
            handles = with_sums(made.handles, self._engine)
            made = replace(made, handles=tuple(handles))
        return sealed(with_runs(made, self._engine), self._engine)

    @property
    def _groups(self) -> list[int]:
        """The first parts of groups, each of which a task computes."""
        return groups_of(self.plan.parts, self._most_groups)

    def run_first(self) -> Pieces:
        """Return what it makes for a later step, which runs before machines change."""
        return replace(self.run(), is_in_line=True)

    # --- Cuts -------------------------------------------------------------------------

    @cached_property
    def plan(self) -> Plan:
        """The cuts."""
        end = np.array(self._limit(), np.int64)
        total = int(end[0])
        parts, inner = self._division(total)
        rows = np.zeros((parts + 1, len(end)), np.int64)
        rows[-1] = end
        if total and parts > 1:
            self._search(rows, total, parts)
        return Plan(total, rows, inner)

    def _limit(self) -> tuple[int, ...]:
        inputs = [each.limit() for each in self.operands]
        if all(isinstance(each, Input) for each in inputs):
            return searching.limit(self._task, inputs)
        handle = self._engine.submit("limit", searching.limit, self._task, inputs)
        return tuple(self._engine.fetch([handle])[0])

    def _division(self, total: int) -> Division:
        """Return the number of parts: that of one machine."""
        _, sizes, _ = self._scan(1, np.zeros((1, self.step.count_columns), np.int64))
        row_size = sizes[len(self.step.layouts[-1].levels)]
        return division_of(
            self._program,
            self._number,
            self._wanted,
            total,
            row_size,
            groups=self._most_groups,
            on_device=bool(self._task.device),
        )

    def _search(self, rows: Numbers, total: int, parts: int) -> None:
        ends, places = self._boundaries(rows[-1])
        blocks: list[tuple[list[Any], list[Row]]] = []
        for n in range(len(ends) - 1):
            inputs = [
                each.windows(begins[n], stops[n + 1], values=False, turn=n)
                for each, (begins, stops) in zip(self.operands, places, strict=True)
            ]
            blocks.append((inputs, [_row(ends[n]), _row(ends[n + 1])]))
        asked = [(searching.costs, self._task, *block) for block in blocks]
        costs = self._engine.fetch(
            [
                self._engine.submit("cost", *task, n == len(blocks), turn=n - 1)
                for n, task in enumerate(asked, start=1)
            ]
        )
        handles, before = [], 0
        queries = [number * total // parts for number in range(parts)]
        for block, (low, high) in zip(blocks, costs, strict=True):
            known = before if low is None else low
            after = before + high - known
            numbers = range(
                max(bisect_left(queries, before), 1),
                max(bisect_left(queries, after), 1),
            )
            if numbers:
                wanted = queries[numbers.start : numbers.stop]
                given = (self._task, *block, (before, known), numbers, wanted)
                handles.append(self._engine.submit("search", searching.search, *given))
            before = after
        assert before == total, "the blocks do not cost what all costs"
        for found in self._engine.fetch(handles):
            rows[found[:, -1]] = found[:, :-1]

    def _boundaries(
        self, end: Numbers
    ) -> tuple[Numbers, list[tuple[Numbers, Numbers]]]:
        """Return cuts at which pieces of operands begin, and the operands' places.

        The first is the one at the begin, and the last the one at the end. The places
        are those where what lies behind a cut begins, and where what lies before ends.
        """
        depth = len(self.step.order)
        begins = {(0,) * depth}
        for each in self._cut_ones:
            for row in each.begin().tolist():
                if row[0] < each.extents[0]:
                    begins.add(tuple(row) + (0,) * (depth - len(row)))
        coordinates = np.array(sorted(begins), np.int64).reshape(-1, depth)
        rows = np.zeros((len(coordinates) + 1, len(end)), np.int64)
        rows[:-1, 1 : 1 + depth] = coordinates
        places = []
        given = begins_and_stops(self.operands, coordinates, None, self._engine)
        for operand, (found, stops) in zip(self.operands, given, strict=True):
            found[0] = stops[0] = 0
            operand.set_places(rows[:-1], found)
            last = operand.pieces.counts if isinstance(operand, Cut) else found[-1]
            places.append((np.vstack([found, [last]]), np.vstack([stops, [last]])))
        rows[-1] = end
        return rows, places

    # --- Parts ------------------------------------------------------------------------

    def _inputs(self, plan: Plan, groups: Sequence[int]) -> Inputs:
        """Return a function that returns the inputs of a group of parts.

        If there are many groups, nothing keeps the inputs between tasks.
        """
        depth = len(self.step.order)
        cuts = plan.rows[list(groups)]
        coordinates = cuts[:, 1 : 1 + depth]
        places = begins_and_stops(self.operands, coordinates, cuts, self._engine)

        def windows(number: int, g: int) -> Any:
            begins, stops = places[number]
            operand = self.operands[number]
            return operand.windows(begins[g], stops[g + 1], values=True, turn=g)

        if are_few(groups, self._engine.slots):
            windows = cache(windows)
        for operand in self.operands:
            if isinstance(operand, NamedRows):
                operand.ask_for_rows(windows, groups)
        numbers = range(len(self.operands))
        return lambda g: [windows(number, g) for number in numbers]

    def record(
        self, plan: Plan, first: int, last: int, offsets: Numbers, sizes: Sequence[int]
    ) -> Record:
        """Return what tasks have to know of the parts from ``first`` to ``last``."""
        rows, at = plan.rows[first : last + 1], offsets[first : last + 1]
        return Record(first, plan.parts, rows, at, tuple(sizes), plan.inner)

    def _counted(
        self, plan: Plan, groups: Sequence[int], inputs: Inputs
    ) -> tuple[Numbers, tuple[int, ...], About]:
        """Return where each part appends, and the sizes of the result."""
        columns = self.step.count_columns
        if not columns:
            return self._scan(plan.parts, np.zeros((plan.parts, 0), np.int64))
        nothing = np.zeros((0, columns), np.int64)
        handles = []
        for g in range(len(groups) - 1):
            record = self.record(plan, groups[g], groups[g + 1], nothing, ())
            task = (f"count-{g}", tasks.count, self._task, inputs(g), record)
            handles.append(self._engine.submit(*task, **place_of(g, groups)))
        found = self._scan(plan.parts, np.vstack(self._engine.fetch(handles)))
        self._require_widths(found[1])
        return found

    def _require_widths(self, sizes: Sequence[int]) -> None:
        """Refuse a result whose positions are too narrow for its entries."""
        for level, size in zip(self.step.layouts[-1].levels, sizes, strict=False):
            for array in level.arrays:
                if array.holds_positions and size > np.iinfo(array.type).max:
                    raise IndexOverflowError(
                        f"the result has {size} entries, more than {array.type} counts"
                    )

    def _scan(
        self, parts: int, counts: Numbers
    ) -> tuple[Numbers, tuple[int, ...], About]:
        arguments = [
            argument
            for each in self.operands
            for argument in extents_only(each).arguments([0] * len(each.extents))
        ]
        flat, sizes, about = self._native.scan(
            self._number, parts, arguments, counts.ravel().tolist()
        )
        offsets = np.array(flat, np.int64).reshape(parts + 1, self.step.count_columns)
        return offsets, sizes, about

    # --- Values -----------------------------------------------------------------------

    def _computed(
        self,
        plan: Plan,
        groups: Sequence[int],
        inputs: Inputs,
        counted: tuple[Numbers, tuple[int, ...], About],
    ) -> tuple[list[list[Range]], list[Any]]:
        """Return what the groups write of each array, and handles of these windows."""
        offsets, sizes, about = counted
        written: list[list[Range]] = []
        records: list[Record] = []
        loops = self._made.loops
        for first, last in pairwise(groups):
            record = self.record(plan, first, last, offsets, sizes)
            cuts, at = _row(record.rows.ravel()), _row(record.offsets.ravel())
            native = (first, plan.parts, cuts, at, sizes)
            ranges = self._native.written(self._number, native, loops)
            if ranges is None:
                raise NotAloneError("a part writes in several places of the result")
            written.append(list(ranges))
            records.append(record)
        made = [
            self._engine.submit(
                f"compute-{g}",
                tasks.compute,
                self._task,
                inputs(g),
                records[g],
                about,
                written[g],
                **place_of(g, groups),
            )
            for g in range(len(groups) - 1)
        ]
        if not about[2]:
            return written, made
        if _is_of_all(about, written):
            lengths = [(0, length) for _, length in about[0]]
            record = self.record(plan, 0, plan.parts, offsets, sizes)
            arguments = (self._task, inputs(0), record, about, self._sums(made))
            whole = self._engine.submit("combine", tasks.combine_all, *arguments)
            return [lengths], [whole]
        sums = self._sums(made)
        return written, [
            self._combined(plan, groups, g, inputs(g), counted, made[g], sums)
            for g in range(len(made))
        ]

    def _sums(self, made: list[Any]) -> list[Any]:
        """Return handles of the sums alone, which move where they are combined."""
        numbered = enumerate(made)
        return [
            self._engine.submit("sums", tasks.sums_of, x, turn=g) for g, x in numbered
        ]

    def _combined(
        self,
        plan: Plan,
        groups: Sequence[int],
        group: int,
        inputs: list[Any],
        counted: tuple[Numbers, tuple[int, ...], About],
        made: Any,
        sums: list[Any],
    ) -> Any:
        """Return a handle of what a group has written, with the sums of earlier ones.

        These are of the parts that begin in the entry in which this group begins.
        """
        offsets, sizes, about = counted
        entries = plan.rows[:, 1 : 1 + self._outer]
        first = groups[group]
        while first and (entries[first - 1] == entries[first]).all():
            first -= 1
        # The part before ends in that entry, too.
        begins = bisect_right(groups, max(first - 1, 0)) - 1
        return self._engine.submit(
            f"combine-{group}",
            tasks.combine,
            self._task,
            inputs,
            self.record(plan, first, groups[group + 1], offsets, sizes),
            about,
            made,
            sums[begins:group],
            first - groups[begins],
            **place_of(group, groups),
        )

    @property
    def _outer(self) -> int:
        """The number of the outermost loops that are over coordinates of the result."""
        loops = self._made.loops
        return next(m for m in range(len(loops) + 1) if m not in loops)

    # --- The result -------------------------------------------------------------------

    def _result(self) -> Pieces:
        """Return the result; each piece has its own elements only."""
        plan, groups = self.plan, self._groups
        inputs = self._inputs(plan, groups)
        counted = self._counted(plan, groups, inputs)
        written, handles = self._computed(plan, groups, inputs, counted)
        _, sizes, _ = counted
        about, layout = self._made, self.step.layouts[-1]
        if self.step.is_list:
            about = about.with_shape(sizes[len(layout.levels) + 1 :])
        rows = plan.rows[list(groups)] if len(handles) > 1 else plan.rows[[0, -1]]
        counts = counts_of(layout, sizes)
        cuts = cuts_of(layout, about.extents, counts, about.loops, rows, written)
        known = (about.format, about.shape, layout, counts, *cuts)
        return Pieces(*known, tuple(handles), about.library)


def _is_of_all(about: About, written: list[list[Range]]) -> bool:
    """Return whether every part has sums for all entries of a dense result."""
    _, length = about[0][-1]
    return length > 0 and all(begin == end for begin, end in (w[-1] for w in written))


def _row(numbers: Numbers) -> tuple[int, ...]:
    return tuple(numbers.tolist())
