"""A step whose result is a matrix in another order, as products of transposes need it.

One machine puts the entries of the matrix into buckets. Here, entries are sorted, as
those that nobody has brought in order are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nacho._pieces.assembling import converted
from nacho._pieces.engine import Engine
from nacho._pieces.operands import Cut
from nacho._pieces.plans import Division, division_of
from nacho._pieces.steps import StepOnPieces
from nacho._pieces.tensor import Pieces


class ReorderingStep(StepOnPieces):
    """A step that brings its only operand into the order of other loops."""

    def _division(self, total: int) -> Division:
        """Return the number of parts, of which nothing but the cuts is asked for."""
        given = (self._program, self._number, self._wanted, total)
        return division_of(*given, row_size=0, groups=1, on_device=False)

    def run_first(self) -> Pieces:
        """Return the matrix, whose pieces are where their entries have been merged."""
        return self.run()

    def run(self) -> Pieces:
        (operand,) = self.operands
        assert isinstance(operand, Cut), "loops read the operand in its own order"
        engine = _OfOperand(self._engine, operand.name)
        layout = self.step.layouts[-1]
        return converted(engine, operand.pieces, self._made.format, layout)


class _OfOperand:
    """An engine whose tasks have an operand in their names."""

    def __init__(self, engine: Engine, operand: str) -> None:
        self._engine = engine
        self._operand = operand
        self.slots = engine.slots
        self.put = engine.put
        self.fetch = engine.fetch

    def submit(
        self, name: str, function: Callable[..., Any], *args: Any, **how: Any
    ) -> Any:
        # The number of a piece stays at the end.
        words, _, number = name.rpartition("-")
        is_of_piece = number.isdigit()
        name = f"{words if is_of_piece else name}-{self._operand}"
        name += f"-{number}" if is_of_piece else ""
        return self._engine.submit(name, function, *args, **how)
