"""Steps of products whose heavy rows are cut into pieces, ranges of columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from nacho._pieces.inputs import RowCosts
from nacho._pieces.lists import List
from nacho._pieces.plans import Plan
from nacho._pieces.sorted_lists import SortedListStep
from nacho._pieces.steps import Inputs, StepOnPieces
from nacho._pieces.tensor import Pieces


class PieceListStep(SortedListStep):
    """A step that lists the entries of rows again for each piece of the row.

    How many pieces there are follows from what the row costs, of the cost of all rows.
    A part may end in a row.
    """

    def _inputs(self, plan: Plan, groups: Sequence[int]) -> Inputs:
        inputs = super()._inputs(plan, groups)
        number, cut = _list_of(self)
        costs = _costs_of_rows(plan, groups, cut, self._outer_loops)

        def with_costs(group: int) -> Any:
            made = inputs(group)
            empty, *parts = made[number]
            made[number] = [empty._replace(row_costs=costs[group]), *parts]
            return made

        return with_costs

    @property
    def _outer_loops(self) -> int:
        """The number of loops over rows, which may be pieces themselves.

        The step that adds up what pieces have cuts these, and a loop over pieces for
        each list of them.
        """
        later = self._program.steps[self._number :]
        lists = next(n for n, step in enumerate(later) if not step.lists_pieces)
        return len(later[lists].order) - lists


class PieceSumsStep(StepOnPieces):
    """A step that adds up the products of pieces. A part may begin inside of a row."""

    def _result(self) -> Pieces:
        """Return the result, whose cuts have coordinates in the rows that they divide.

        Pieces are ranges of coordinates: the list keeps how wide those of a row are.
        """
        made = super()._result()
        _, cut = _list_of(self)
        columns = [column for column, _ in cut.columns]
        rows = self.plan.rows[self._groups]
        divided = 1 + np.flatnonzero(rows[1:-1, columns[0]] != rows[1:-1, columns[-1]])
        shifts = cut.last_kept(rows[divided, columns[-1]].tolist())
        coordinates = made.coordinates.copy()
        coordinates[divided, -1] = rows[divided, cut.depth] << np.array(shifts, int)
        return replace(made, coordinates=coordinates)


def _list_of(step: StepOnPieces) -> tuple[int, List]:
    """Return the list that a step reads, and its number among the operands."""
    operands = enumerate(step.operands)
    return next((n, each) for n, each in operands if isinstance(each, List))


def _costs_of_rows(
    plan: Plan, groups: Sequence[int], cut: List, outer: int
) -> list[RowCosts]:
    """Return what each group of parts has to know of the rows that its cuts divide.

    A row has the coordinates of so many outer loops.
    """
    rows = plan.rows[list(groups)]
    column, _ = cut.columns[outer - 1]
    names = [tuple(row) for row in rows[:, 1 : outer + 1].tolist()]
    begins = rows[:, column]
    # At the end of the list, there is no row.
    inside = np.flatnonzero(begins < cut.pieces.nnz)
    ends = np.full(len(rows), cut.pieces.nnz)
    ends[inside] = cut.ends_of_rows(rows[inside, 1 : outer + 1])
    sums = cut.sums_before([*begins.tolist(), *ends.tolist()])
    before, upto = sums[: len(rows)], sums[len(rows) :]
    return [
        RowCosts(names[n], before[n], names[n + 1], upto[n + 1], plan.total)
        for n in range(len(rows) - 1)
    ]
