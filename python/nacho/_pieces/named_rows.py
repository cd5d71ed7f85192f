"""Rows of an operand that a list names: parts ask for these, and not for the whole.

A product of two sparse matrices lists which rows of the second one its entries need.
If parts name few of them, each row moves once to each task that needs it; else the
whole operand comes to every machine.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from nacho._kernels.program import Step
from nacho._pieces import tasks
from nacho._pieces.engine import Engine
from nacho._pieces.inputs import Input
from nacho._pieces.operands import List, Whole, extents_only
from nacho._pieces.tensor import Numbers, Pieces
from nacho._pieces.windows import Windows
from nacho._storage.views import Array


class NamedRows(Whole):
    """An operand of whose rows, which are compressed, a list names some."""

    def __init__(
        self,
        step: Step,
        number: int,
        name: str,
        pieces: Pieces,
        list: List,
        whole: Callable[[], Any],
        engine: Engine,
    ) -> None:
        super().__init__(step, number, name, [], pieces.extents, None, engine)
        self._pieces = pieces
        self._list = list
        self._array = list.array_of_kept(number)
        self._whole = whole
        self._known = engine.put(pieces.known)
        self._names: Sequence[Any] | None = None

    def deepen(self, coordinates: Numbers, rows: Numbers) -> Numbers:
        """Find out which rows parts name; all is everywhere if these are many."""
        begins = self._list.deepen(coordinates, rows)
        ends = self._list.place_ends(coordinates, begins)
        names = [
            self._engine.submit(
                f"names-{self.name}",
                rows_named,
                self._list.windows(begins[g], ends[g + 1], values=True, turn=g),
                self._array,
                turn=g,
            )
            for g in range(len(rows) - 1)
        ]
        sizes = [self._engine.submit("count-names", np.size, each) for each in names]
        moved = sum(map(int, self._engine.fetch(sizes)))
        is_less = moved < self.extents[0] * min(self._engine.slots, len(names))
        self._names = names if is_less else None
        return super().deepen(coordinates, rows)

    def limit(self) -> Any:
        """Return its extents: cuts depend on nothing else of it."""
        return extents_only(self)

    def searched(
        self, lower: Sequence[int], upper: Sequence[int], *, turn: int = 0
    ) -> Any:
        """Return its extents, as for the limit."""
        return extents_only(self)

    def windows(
        self,
        lower: Sequence[int],
        upper: Sequence[int],
        *,
        values: bool,
        turn: int = 0,
    ) -> Any:
        """Return a handle of the rows that a group of parts names, or of the whole."""
        if self._names is None:
            return self._whole()
        parts = [
            self._engine.submit(
                f"rows-{self.name}-{piece}",
                some_rows,
                self._known,
                piece,
                handle,
                self._names[turn],
                turn=turn,
            )
            for piece, handle in enumerate(self._pieces.handles)
        ]
        empty = extents_only(self)
        task = (f"gather-{self.name}", with_rows, empty, parts)
        return self._engine.submit(*task, turn=turn)


class Rows(NamedTuple):
    """What a piece has of some rows."""

    rows: Numbers
    counts: Numbers
    """The number of entries of each row."""
    crd: Array
    values: Array


def rows_named(list: tasks.Parts, array: int) -> Numbers:
    """Return the positions that one of the arrays of a list keeps, each once."""
    kept = np.unique(tasks.gathered(list).windows.arrays[array])
    return kept[kept >= 0].astype(np.int64)


def some_rows(pieces: Pieces, piece: int, windows: Windows, rows: Numbers) -> Rows:
    """Return what a piece, and no other, has of some rows."""
    (base, first_crd, first_value), (pos, crd, values) = windows
    lower, upper = pieces.positions[piece], pieces.positions[piece + 1]
    mine = rows[(lower[0] <= rows) & (rows <= upper[0])]
    ends = [np.minimum(mine + more - base, pos.size - 1) for more in (0, 1)]
    begin, end = (np.clip(pos[at].astype(np.int64), lower[1], upper[1]) for at in ends)
    counts = end - begin
    before = np.cumsum(counts) - counts
    places = np.repeat(begin - before, counts) + np.arange(counts.sum())
    return Rows(mine, counts, crd[places - first_crd], values[places - first_value])


def with_rows(empty: Input, given: Sequence[Rows]) -> Input:
    """Return an operand that has some rows, as if there were no others."""
    sizes = np.zeros(empty.extents[0] + 1, np.int64)
    for each in given:
        sizes[each.rows + 1] += each.counts
    pos, crd, values = empty.windows.arrays
    arrays = (
        np.cumsum(sizes).astype(pos.dtype),
        np.concatenate([each.crd for each in given]).astype(crd.dtype),
        np.concatenate([each.values for each in given]).astype(values.dtype),
    )
    return empty._replace(windows=Windows((0, 0, 0), arrays))
