"""Lists of coordinates and costs that a step makes, as later steps read them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nacho._kernels.program import Recalled, Step
from nacho._pieces.engine import Engine
from nacho._pieces.inputs import Kept
from nacho._pieces.operands import Cut, await_places
from nacho._pieces.tensor import Numbers, Pieces
from nacho._pieces.windows import Range, Windows


class RecalledCut(Cut):
    """An operand whose fibers, or some of them, are found again by a list."""

    def windows(
        self,
        lower: Sequence[int],
        upper: Sequence[int],
        *,
        values: bool,
        turn: int = 0,
    ) -> Any:
        """Return what lies between two cuts.

        For a search, the entry before the first cut is there, too: so the cut divides a
        fiber if it does so in the whole tensor.
        """
        if values:
            return super().windows(lower, upper, values=True, turn=turn)
        before = [int(position) for position in lower]
        for n in {n for _, level in self.columns for n in self.pieces.shared[level]}:
            before[n] = max(before[n] - 1, 0)
        return super().windows(before, upper, values=False, turn=turn)


class List(Cut):
    """A list of coordinates that an earlier step has made, with sums of costs."""

    def __init__(
        self,
        step: Step,
        number: int,
        name: str,
        loops: Sequence[int],
        pieces: Pieces,
        kept: Kept,
        engine: Engine,
    ) -> None:
        super().__init__(step, number, name, loops, pieces, engine)
        self._empty = self._empty._replace(kept=kept)
        self.kept = kept

    def array_of_kept(self, recalled: Recalled) -> int:
        """Return the number of the array with positions that the list keeps."""
        first = self.layout.array_count - len(self.kept)
        return first + self.kept.index(recalled)

    def ends_of_rows(self, rows: Numbers) -> Numbers:
        """Return the positions behind rows, which have coordinates of outer loops."""
        last = rows.shape[1] - 1
        after = np.zeros((len(rows), self.depth), np.int64)
        after[:, : last + 1] = rows
        after[:, last] += 1
        asked = self.ask(after)
        await_places([asked], self._engine)
        return asked.places[:, last]

    def sums_before(self, positions: Sequence[int]) -> list[int]:
        """Return what all entries cost before some positions."""
        known = dict.fromkeys([0, *positions], 0)
        places = [position - 1 for position in [*known][1:]]
        sums = self._elements("sum", places, -1)
        known.update(zip([*known][1:], sums, strict=True))
        return [known[position] for position in positions]

    def last_kept(self, positions: Sequence[int]) -> list[int]:
        """Return the last of the numbers that some entries keep."""
        return self._elements("kept", positions, -2)

    def _elements(self, what: str, positions: Sequence[int], array: int) -> list[int]:
        """Return elements of one of the arrays of entries."""
        begins = self.pieces.positions[:, -1]
        owners = np.searchsorted(begins, positions, "right") - 1
        found: list[int] = self._engine.fetch(
            [
                self._engine.submit(
                    f"{what}-{self.name}",
                    element_at,
                    self.pieces.handles[owner],
                    array,
                    position,
                )
                for owner, position in zip(owners.tolist(), positions, strict=True)
            ]
        )
        return found

    def limit(self) -> Any:
        """Return the ends of its arrays: its last sum tells what all entries cost."""
        counts = self.pieces.counts
        return self.windows(counts, counts, values=False)

    def windows(
        self,
        lower: Sequence[int],
        upper: Sequence[int],
        *,
        values: bool,
        turn: int = 0,
    ) -> Any:
        """Return what lies between two cuts, with the sums before it."""
        return super().windows(lower, upper, values=True, turn=turn)

    def _ranges(self, lower: Sequence[int], upper: Sequence[int]) -> list[Range]:
        return super()._ranges([max(int(each) - 1, 0) for each in lower], upper)


# --- What workers do ------------------------------------------------------------------


def total_cost(windows: Windows) -> int:
    """Return what the entries of a window of a list cost."""
    return int(windows.arrays[-1].sum())


def element_at(windows: Windows, array: int, position: int) -> int:
    """Return the element of an array at a position."""
    return int(windows.arrays[array][position - windows.begins[array]])


def with_sums(windows: Windows, before: int) -> Windows:
    """Return a window of a list, whose costs become the sums of all costs so far."""
    *arrays, costs = windows.arrays
    return windows._replace(arrays=(*arrays, before + np.cumsum(costs)))
