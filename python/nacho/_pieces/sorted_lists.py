"""Steps whose result is a list that is sorted once all parts have made their entries.

Parts append entries as they come to them. One machine sorts all of these at last. Here,
they are sorted as those are that nobody has brought in order.
"""

from __future__ import annotations

from nacho._pieces.assembling import converted
from nacho._pieces.steps import StepOnPieces
from nacho._pieces.tensor import Pieces


class SortedListStep(StepOnPieces):
    """A step that lists elements, or costs of pieces of rows, in any order."""

    def run(self) -> Pieces:
        made, layout = self._result(), self.step.layouts[-1]
        has_sums = self.step.lists_costs
        return converted(self._engine, made, made.format, layout, has_sums=has_sums)
