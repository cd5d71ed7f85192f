"""The operands of a step: cut into windows, or needed as a whole."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from nacho._kernels.program import Layout, Step
from nacho._pieces import searching, tasks
from nacho._pieces.engine import Engine
from nacho._pieces.inputs import Input
from nacho._pieces.places import Known
from nacho._pieces.tensor import Numbers, Pieces, ranges_between
from nacho._pieces.windows import Range, Windows
from nacho._storage.views import Array

_UNBOUNDED = 2**62


class Asked(NamedTuple):
    """Positions, a row for each cut, and tasks that tell some of them."""

    places: Numbers
    numbers: Sequence[Sequence[int]] = ()
    """The rows that each of the tasks tells."""
    handles: Sequence[Any] = ()


class Operand:
    """An operand of a step, at a number among its inputs."""

    def __init__(
        self, step: Step, number: int, name: str, loops: Sequence[int]
    ) -> None:
        self.name = name
        self.number = number
        self.layout: Layout = step.layouts[number]
        self.loops = list(loops)
        """The loop over each of its outermost levels, among those that are cut."""
        self.columns = tuple(
            (1 + len(step.order) + _column(step.loop_inputs, loop, number), level)
            for level, loop in enumerate(loops)
            if number in step.loop_inputs[loop]
        )
        """The places of its positions in a cut, each with the level."""

    @property
    def depth(self) -> int:
        """The number of its levels whose loops are cut."""
        return len(self.loops)

    def set_places(self, rows: Numbers, places: Numbers) -> None:
        """Store its positions in cuts."""
        for column, level in self.columns:
            rows[:, column] = places[:, level]


class Cut(Operand):
    """An operand whose outermost levels the outermost loops visit in order."""

    def __init__(
        self,
        step: Step,
        number: int,
        name: str,
        loops: Sequence[int],
        pieces: Pieces,
        engine: Engine,
    ) -> None:
        super().__init__(step, number, name, loops)
        self.pieces = pieces
        self.extents = pieces.extents
        below = self.layout.levels[self.depth :]
        self._is_determined = all(x.is_full or x.shares_positions for x in below)
        # A cut by another loop does not divide what lies below a coordinate: both parts
        # read all of that.
        self._reads_all_below = self.depth < len(step.order) and not all(
            level.is_full for level in below
        )
        empty = Input(Windows((), ()), self.extents, self.layout, self.columns)
        self._empty = empty._replace(name=name)
        self._engine = engine

    def begin(self) -> Numbers:
        """Return the coordinates with which the pieces begin, of the cut levels."""
        return self.pieces.coordinates[1:-1, : self.depth]

    def ask(self, coordinates: Numbers) -> Asked:
        """Ask for the positions of coordinates in all levels.

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
        handles = [
            self._engine.submit(
                f"place-{self.name}-{piece}",
                searching.places,
                Known.of(self.pieces, piece),
                self.pieces.handles[piece],
                padded[numbers, : self.depth],
            )
            for piece, numbers in asked.items()
        ]
        return Asked(found, list(asked.values()), handles)

    def behind(self, coordinates: Numbers) -> tuple[Numbers, Numbers]:
        """Return which parts that end with coordinates read more than up to there.

        Also return the coordinates up to which these read.
        """
        beyond = np.flatnonzero(coordinates[:, self.depth :].any(axis=1))
        if not self._reads_all_below:
            beyond = beyond[:0]
        after = coordinates[beyond].copy()
        after[:, self.depth - 1] += 1
        return beyond, after

    def deepen(self, coordinates: Numbers, rows: Numbers) -> Asked:
        """Ask for the positions of cuts in all levels."""
        levels = [level for _, level in self.columns]
        if levels != [*range(self.depth)] or not self._is_determined:
            # Behind the last coordinate, there is nothing to be asked for.
            asked = self.ask(coordinates[:-1])
            found = np.vstack([asked.places, self.pieces.positions[-1:]])
            return asked._replace(places=found)
        found = np.empty((len(rows), len(self.extents)), np.int64)
        for column, level in self.columns:
            found[:, level] = rows[:, column]
        for n in range(self.depth, len(self.extents)):
            is_full = self.layout.levels[n].is_full
            found[:, n] = found[:, n - 1] * (self.extents[n] if is_full else 1)
        found[-1] = self.pieces.positions[-1]
        return Asked(found)

    def limit(self) -> Any:
        """Return the ends of its arrays, as an input: they follow from the counts."""
        counts = self.pieces.counts
        begins: list[int] = []
        arrays: list[Array] = []
        ranges = iter(self._ranges(counts, counts))
        for level, count in zip(self.layout.levels, counts, strict=True):
            for each in level.arrays:
                begin, end = next(ranges)
                # Before its first fiber, a level has no positions.
                ends = [count if number else 0 for number in range(begin, end)]
                made = ends if each.holds_positions else []
                begins.append(begin)
                arrays.append(np.array(made, each.type))
        values = np.zeros(0, self.layout.values)
        windows = Windows((*begins, next(ranges)[0]), (*arrays, values))
        return self._empty._replace(windows=windows)

    def windows(
        self,
        lower: Sequence[int],
        upper: Sequence[int],
        *,
        values: bool,
        turn: int = 0,
    ) -> Any:
        """Return what lies between two cuts, which tasks gather as their input.

        A search between the cuts needs no values.
        """
        ranges = self._ranges(lower, upper)
        if not values:
            ranges[-1] = (ranges[-1][0], ranges[-1][0])
        parts = slices(self._engine, self.name, self.pieces, ranges, turn)
        return [self._empty, ranges, parts]

    def _ranges(self, lower: Sequence[int], upper: Sequence[int]) -> list[Range]:
        return ranges_between(self.pieces, lower, upper)


class Whole(Operand):
    """An operand that tasks read as a whole."""

    def __init__(
        self,
        step: Step,
        number: int,
        name: str,
        loops: Sequence[int],
        extents: tuple[int, ...],
        handle: Any,
        engine: Engine,
    ) -> None:
        super().__init__(step, number, name, loops)
        self.extents = extents
        self.handle = handle
        self._searched: Any = extents_only(self) if self.layout.is_dense else handle
        """What a search reads of it: cuts depend on no values."""
        self._engine = engine

    def ask(self, coordinates: Numbers) -> Asked:
        """Ask for the positions of coordinates in all levels, if cuts have some."""
        rank = len(self.extents)
        found = np.zeros((len(coordinates), rank), np.int64)
        if not self.columns or not len(coordinates):
            return Asked(found)
        known = Known(self.layout, self.extents, (0,) * rank, (_UNBOUNDED,) * rank)
        asked = (known, self.handle, coordinates[:, self.loops])
        task = (f"place-{self.name}", searching.places_in_whole, *asked)
        return Asked(found, [[*range(len(found))]], [self._engine.submit(*task)])

    def behind(self, coordinates: Numbers) -> tuple[Numbers, Numbers]:
        """Return that no parts read more than up to the coordinates at their ends."""
        return np.zeros(0, np.int64), coordinates[:0]

    def deepen(self, coordinates: Numbers, rows: Numbers) -> Asked:
        """Return no positions for cuts: all of it is everywhere."""
        return Asked(np.zeros((len(rows), 0), np.int64))

    def limit(self) -> Any:
        """Return what a search reads of it."""
        return self._searched

    def windows(
        self,
        lower: Sequence[int],
        upper: Sequence[int],
        *,
        values: bool,
        turn: int = 0,
    ) -> Any:
        """Return its handle, or what a search reads of it, whatever the cuts."""
        return self.handle if values else self._searched


def begins_and_stops(
    operands: Sequence[Cut | Whole],
    coordinates: Numbers,
    cuts: Numbers | None,
    engine: Engine,
) -> list[tuple[Numbers, Numbers]]:
    """Return positions of coordinates in operands, and those up to which parts read.

    These are parts that end with the coordinates. If ``cuts`` are given, the positions
    are those in all levels. All tasks are waited for at once.
    """
    begins = [
        each.ask(coordinates) if cuts is None else each.deepen(coordinates, cuts)
        for each in operands
    ]
    behind = [each.behind(coordinates) for each in operands]
    stops = [x.ask(after) for x, (_, after) in zip(operands, behind, strict=True)]
    await_places([*begins, *stops], engine)
    found: list[tuple[Numbers, Numbers]] = []
    for begin, stop, (beyond, _) in zip(begins, stops, behind, strict=True):
        ends = begin.places.copy()
        if beyond.size:
            ends[beyond] = stop.places
        found.append((begin.places, ends))
    return found


def await_places(asked: Sequence[Asked], engine: Engine) -> None:
    """Wait for all tasks that tell positions at once, and store these."""
    handles = [handle for each in asked for handle in each.handles]
    answers = iter(engine.fetch(handles) if handles else ())
    for each in asked:
        for numbers in each.numbers:
            each.places[numbers] = next(answers)


def slices(
    engine: Engine, name: str, pieces: Pieces, ranges: Sequence[Range], turn: int = 0
) -> list[Any]:
    """Return handles of windows, at least one, that have some elements of each array.

    Together, they have all of these.
    """
    handles: list[Any] = []
    for piece in pieces.overlapping(ranges) or [0]:
        handle = pieces.handles[piece]
        has = pieces.all_ranges[piece]
        if not _is_within(has, ranges):
            # Only what is needed moves to where it is needed.
            task = (f"cut-{name}-{piece}", tasks.taken, handle, list(ranges))
            handle = engine.submit(*task, at=pieces.place_of(piece), turn=turn)
        handles.append(handle)
    return handles


def structure(engine: Engine, name: str, pieces: Pieces, depth: int) -> Any:
    """Return a handle of an operand of which a step looks at the outermost levels.

    Of those inside of them, the step only asks how many elements there are.
    """
    ranges: list[Range] = []
    lengths = iter(pieces.lengths)
    for n, level in enumerate(pieces.layout.levels):
        for array in level.arrays:
            length = next(lengths)
            is_read = n < depth or array.holds_positions
            ranges.append((0, length if is_read else 0))
    ranges.append((0, 0))
    empty = Input(Windows((), ()), pieces.extents, pieces.layout, name=name)
    empty = empty._replace(lengths=tuple(pieces.lengths))
    parts = slices(engine, name, pieces, ranges)
    return engine.submit(f"begin-{name}", tasks.gathered, [empty, ranges, parts])


def extents_only(operand: Cut | Whole) -> Input:
    """Return an operand of which only the extents are read."""
    types = [a.type for level in operand.layout.levels for a in level.arrays]
    arrays = tuple(np.zeros(0, type) for type in types)
    shape = (0,) if operand.layout.levels else ()
    values = np.zeros(shape, operand.layout.values)
    windows = Windows((0,) * (len(arrays) + 1), (*arrays, values))
    return Input(windows, operand.extents, operand.layout)


def _is_within(has: Iterable[Range], ranges: Iterable[Range]) -> bool:
    pairs = zip(has, ranges, strict=True)
    return all((b >= begin and e <= end) or b == e for (b, e), (begin, end) in pairs)


def _column(loop_inputs: Sequence[Sequence[int]], loop: int, number: int) -> int:
    before = sum(len(inputs) for inputs in loop_inputs[:loop])
    return before + list(loop_inputs[loop]).index(number)
