"""The operands of a step: cut into windows, or needed as a whole."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from nacho._kernels.program import Layout, Step
from nacho._pieces import tasks
from nacho._pieces.engine import Engine
from nacho._pieces.inputs import Input
from nacho._pieces.places import Known
from nacho._pieces.tensor import Numbers, Pieces, ranges_between
from nacho._pieces.windows import Range, Windows

_UNBOUNDED = 2**62


class Operand:
    """An operand of a step, at a number among its inputs."""

    def __init__(self, step: Step, number: int, name: str) -> None:
        self.name = name
        self.layout: Layout = step.layouts[number]
        self.loops = [m for m, each in enumerate(step.loop_inputs) if number in each]
        """The loop over each of its levels that has positions in cuts."""
        self._columns = [
            1 + len(step.order) + _column(step.loop_inputs, m, number)
            for m in self.loops
        ]

    @property
    def depth(self) -> int:
        """The number of its levels that have positions in cuts."""
        return len(self.loops)

    def asked(self, coordinates: Numbers) -> Numbers:
        """Return the coordinates of its levels among those of all cut loops."""
        return coordinates[:, self.loops]

    def set_places(self, rows: Numbers, places: Numbers) -> None:
        """Store its positions in cuts."""
        rows[:, self._columns] = places[:, : self.depth]

    def places_in(self, rows: Numbers) -> Numbers:
        """Return its positions in cuts, of the levels that have some."""
        return rows[:, self._columns]


class Cut(Operand):
    """An operand whose outermost levels the outermost loops visit in order."""

    def __init__(
        self, step: Step, number: int, name: str, pieces: Pieces, engine: Engine
    ) -> None:
        super().__init__(step, number, name)
        self.pieces = pieces
        self.extents = pieces.extents
        nothing = Windows((), ())
        columns = tuple(self._columns)
        self._empty = Input(nothing, self.extents, self.layout, columns)
        self._engine = engine

    def begin(self) -> Numbers:
        """Return the coordinates with which the pieces begin, of the cut levels."""
        return self.pieces.coordinates[1:-1, : self.depth]

    def place(self, coordinates: Numbers) -> Numbers:
        """Return the positions of coordinates in all levels.

        Pieces that do not begin with the coordinates are asked, once each.
        """
        rank = len(self.extents)
        padded = np.zeros((len(coordinates), rank), np.int64)
        padded[:, : self.depth] = coordinates[:, : self.depth]
        cuts = [tuple(row) for row in self.pieces.coordinates.tolist()]
        found = np.zeros((len(coordinates), rank), np.int64)
        asked: dict[int, list[int]] = {}
        for n, row in enumerate(map(tuple, padded.tolist())):
            piece = min(bisect_right(cuts, row) - 1, self.pieces.count)
            if cuts[piece] == row or row[0] >= self.extents[0]:
                found[n] = self.pieces.positions[piece]
            else:
                asked.setdefault(piece, []).append(n)
        self._ask(padded, asked, found)
        return found

    def deepen(self, coordinates: Numbers, rows: Numbers) -> Numbers:
        """Return the positions of cuts in all levels."""
        known = self.places_in(rows)
        rank = len(self.extents)
        below = self.layout.levels[self.depth :]
        if any(not level.is_full and not level.shares_positions for level in below):
            found = self.place(self.asked(coordinates))
            # Behind the last coordinate, there is nothing to be asked for.
            found[-1] = self.pieces.positions[-1]
            return found
        found = np.empty((len(rows), rank), np.int64)
        found[:, : self.depth] = known
        for n in range(self.depth, rank):
            is_full = self.layout.levels[n].is_full
            found[:, n] = found[:, n - 1] * (self.extents[n] if is_full else 1)
        found[-1] = self.pieces.positions[-1]
        return found

    def _ask(
        self, padded: Numbers, asked: dict[int, list[int]], found: Numbers
    ) -> None:
        answers = self._engine.fetch(
            [
                self._engine.submit(
                    f"place-{self.name}",
                    tasks.places,
                    Known.of(self.pieces, piece),
                    self.pieces.handles[piece],
                    padded[numbers, : self.depth],
                )
                for piece, numbers in asked.items()
            ]
        )
        for numbers, answer in zip(asked.values(), answers, strict=True):
            found[numbers] = answer

    def windows(
        self,
        lower: Sequence[int],
        upper: Sequence[int],
        *,
        values: bool,
        at: float | None = None,
    ) -> Any:
        """Return a handle of what lies between two cuts, as an input of tasks."""
        ranges = ranges_between(self.pieces, lower, upper)
        if not values:
            ranges[-1] = (ranges[-1][0], ranges[-1][0])
        parts = slices(self._engine, self.name, self.pieces, ranges)
        return self._engine.submit(
            f"gather-{self.name}", tasks.gathered, self._empty, ranges, parts, at=at
        )

    def begun(self, lower: Sequence[int], upper: Sequence[int]) -> Any:
        """Return a handle of the same without values, for a search between the cuts."""
        given = self.windows(lower, upper, values=False)
        known = Known(self.layout, self.extents, _row(lower), _row(upper))
        return self._engine.submit(f"begin-{self.name}", tasks.begun, known, given)


class Whole(Operand):
    """An operand that tasks read as a whole."""

    def __init__(
        self,
        step: Step,
        number: int,
        name: str,
        extents: tuple[int, ...],
        handle: Any,
        engine: Engine,
    ) -> None:
        super().__init__(step, number, name)
        self.extents = extents
        self.handle = handle
        self._engine = engine

    def place(self, coordinates: Numbers) -> Numbers:
        """Return the positions of coordinates in all levels that are cut."""
        if not self.loops:
            return np.zeros((len(coordinates), 0), np.int64)
        rank = len(self.extents)
        known = Known(self.layout, self.extents, (0,) * rank, (_UNBOUNDED,) * rank)
        name = f"place-{self.name}"
        (found,) = self._engine.fetch(
            [
                self._engine.submit(
                    name, tasks.places_in_whole, known, self.handle, coordinates
                )
            ]
        )
        return np.asarray(found)


def slices(
    engine: Engine, name: str, pieces: Pieces, ranges: Sequence[Range]
) -> list[Any]:
    """Return handles of windows that together have some elements of each array."""
    handles: list[Any] = []
    for piece in pieces.overlapping(ranges):
        handle = pieces.handles[piece]
        has = pieces.ranges_of(piece)
        if not _is_within(has, ranges):
            # Only what is needed moves to where it is needed.
            handle = engine.submit(f"cut-{name}", tasks.taken, handle, list(ranges))
        handles.append(handle)
    return handles


def _is_within(has: Iterable[Range], ranges: Iterable[Range]) -> bool:
    pairs = zip(has, ranges, strict=True)
    return all((b >= begin and e <= end) or b == e for (b, e), (begin, end) in pairs)


def _row(positions: Sequence[int]) -> tuple[int, ...]:
    return tuple(int(position) for position in positions)


def _column(loop_inputs: Sequence[Sequence[int]], loop: int, number: int) -> int:
    before = sum(len(inputs) for inputs in loop_inputs[:loop])
    return before + list(loop_inputs[loop]).index(number)
