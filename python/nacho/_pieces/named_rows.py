"""Rows of an operand that parts name: they ask for these, and not for the whole.

Entries name the rows of the factors that they are multiplied with. Of a dense factor,
these are among the coordinates that cut operands have in a loop; of a sparse one, a
list has their positions. If parts name few rows, each moves once to each task that
needs it; else, or if that takes too many tasks, the whole operand comes to every
machine.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from nacho._kernels.named_rows import named_by
from nacho._kernels.program import Layout, Step
from nacho._pieces import row_windows, tasks
from nacho._pieces.engine import Engine
from nacho._pieces.groups import place_of
from nacho._pieces.lists import List
from nacho._pieces.operands import Cut, Whole, extents_only
from nacho._pieces.row_windows import Names, Stretches
from nacho._pieces.tensor import Numbers, Pieces


class Naming(NamedTuple):
    """What names rows of an input of a step, or entries of these."""

    input: int
    """Another input."""
    array: int
    """The number of its array with the rows, or where entries begin."""
    ends: int | None = None
    """The number of its array that says where these end."""


TASK = 1 << 16
"""In the time that the client needs for a task, a worker receives so many bytes."""


class NamedRows(Whole):
    """An operand in CSR, or a dense one, of whose rows other inputs name some."""

    def __init__(
        self,
        step: Step,
        number: int,
        name: str,
        loops: Sequence[int],
        pieces: Pieces,
        naming: Sequence[Naming],
        whole: Callable[[], Any],
        engine: Engine,
    ) -> None:
        super().__init__(step, number, name, loops, pieces.extents, None, engine)
        self._searched = extents_only(self)
        self._pieces = pieces
        self._has_values = not step.lists_costs
        self._naming = naming
        self._whole = whole
        self._known = engine.put(pieces.known)
        self._names: list[Any] | None = None
        self._places: list[dict[str, Any]] = []
        self._asked: list[list[int]] = []
        """The pieces that have some of the rows that each group names."""

    def ask_for_rows(
        self, windows: Callable[[int, int], Any], groups: Sequence[int]
    ) -> None:
        """Find out which rows groups of parts name, and whether they are asked for.

        ``windows`` returns what a group of parts has of an input.
        """
        self._places = [place_of(g, groups) for g in range(len(groups) - 1)]
        names = []
        for g, place in enumerate(self._places):
            given = [windows(naming.input, g) for naming in self._naming]
            task = (f"names-{self.name}", named, self._known, given, self._naming)
            names.append(self._engine.submit(*task, **place))
        sizes = [self._engine.submit("count-names", counts_of, each) for each in names]
        found = self._engine.fetch(sizes)
        self._asked = [pieces for _, pieces in found]
        whole = self._pieces.nbytes
        of = self.extents[0] if self._naming[0].ends is None else self._pieces.nnz
        share = sum(count for count, _ in found) / max(of, 1)
        moved = whole * share / min(self._engine.slots, len(names))
        tasks = 2 * sum(map(len, self._asked))
        self._names = names if moved + tasks * TASK < whole else None

    def windows(
        self,
        lower: Sequence[int],
        upper: Sequence[int],
        *,
        values: bool,
        turn: int = 0,
    ) -> Any:
        """Return the rows that a group of parts names, or a handle of the whole."""
        if not values:
            return self._searched
        if self._names is None:
            return self._whole()
        parts = []
        for piece in self._asked[turn]:
            of_piece = f"{self.name}-{piece}"
            asked = (f"names-{of_piece}", names_in, self._names[turn], piece)
            mine = self._engine.submit(*asked, **self._places[turn])
            of = (self._known, piece, self._pieces.handles[piece])
            asked_for = (*of, mine, self._has_values)
            task = (f"rows-{of_piece}", row_windows.some_rows, *asked_for)
            # What is asked for moves, and not the piece.
            at = piece / self._pieces.count
            parts.append(self._engine.submit(*task, at=at, turn=turn))
        return [extents_only(self)._replace(name=self.name), None, parts]


def naming_of_list(cut: Mapping[int, Cut], number: int) -> list[Naming]:
    """Return the array of a list that has positions in the rows of an input.

    A list of pieces of rows has where entries of these begin and end.
    """
    rows, begins, ends = (number, 0, False), (number, 1, False), (number, 1, True)
    for each in cut.values():
        if not isinstance(each, List):
            continue
        if rows in each.kept:
            return [Naming(each.number, each.array_of_kept(rows))]
        if begins in each.kept and ends in each.kept:
            arrays = map(each.array_of_kept, (begins, ends))
            return [Naming(each.number, *arrays)]
    return []


def naming_of_loop(step: Step, loop: int, cut: Mapping[int, Cut]) -> list[Naming]:
    """Return arrays with the coordinates of a loop; none if it visits others, too."""
    if step.full_loops[loop]:
        return []
    found: list[Naming] = []
    for number in step.loop_inputs[loop]:
        operand = cut.get(number)
        if operand is None or loop not in operand.loops:
            return []
        level = operand.loops.index(loop)
        array = _array_of_coordinates(operand.layout, level)
        # A full level has all coordinates, of which the others leave some.
        if array is not None:
            found.append(Naming(number, array))
    return found


def _array_of_coordinates(layout: Layout, level: int) -> int | None:
    """Return the number of the array with the coordinates of a level, if it has one."""
    number = sum(len(each.arrays) for each in layout.levels[:level])
    holds = [each.holds_positions for each in layout.levels[level].arrays]
    return number + holds.index(False) if False in holds else None


# --- What workers do ------------------------------------------------------------------


def named(
    pieces: Pieces, given: Sequence[tasks.Parts], namings: Sequence[Naming]
) -> dict[int, Names] | dict[int, Stretches]:
    """Return what some arrays name, by the pieces that may have some of it."""
    arrays = [each.windows.arrays for each in tasks.all_gathered(given)]
    ends = namings[0].ends
    begins = [of[x.array] for of, x in zip(arrays, namings, strict=True)]
    if ends is None:
        rows = named_by(np.concatenate(begins), pieces.extents[0])
        return names_by_piece(pieces, rows)
    found = Stretches.around(begins[0], arrays[0][ends])
    return found.by_piece(pieces.positions[:, -1])


def names_by_piece(pieces: Pieces, rows: Numbers) -> dict[int, Names]:
    """Return some rows, in ascending order, by pieces that may have parts of them."""
    # A piece may have a part of the row with which the next one begins.
    first, last = pieces.positions[:-1, 0], pieces.positions[1:, 0]
    begins = np.searchsorted(rows, first, "left")
    ends = np.searchsorted(rows, last, "right")
    found: dict[int, Names] = {}
    for piece in np.flatnonzero(begins < ends).tolist():
        mine = rows[begins[piece] : ends[piece]]
        found[piece] = Names.of(mine, int(first[piece]), int(last[piece]) + 1)
    return found


def counts_of(names: Mapping[int, Names | Stretches]) -> tuple[int, list[int]]:
    """Return how many rows or entries are named, and of which pieces."""
    return sum(each.size for each in names.values()), sorted(names)


def names_in(names: Mapping[int, Names | Stretches], piece: int) -> Names | Stretches:
    """Return what is named of a piece."""
    return names[piece]
