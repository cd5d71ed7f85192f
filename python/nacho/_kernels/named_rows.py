"""Rows of a matrix that a list names: parts have these, and no others.

A product of two sparse matrices lists which rows of the second one its entries need.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nacho._kernels.program import Program
from nacho._storage.views import Array

Numbers = NDArray[np.int64]


_PER_ENTRY = 64
"""For so many positions to each entry, marking them takes less time than sorting."""


class Rows(NamedTuple):
    """Some rows."""

    rows: Numbers
    counts: Numbers
    """The number of entries of each row."""
    crd: Array
    values: Array


def named_by(kept: Array, count: int | None = None) -> Numbers:
    """Return the positions that an array keeps, each once, of so many that there are.

    What is not there is kept as -1. What is too large is refused later.
    """
    if count is not None and count <= _PER_ENTRY * kept.size:
        are_named = np.zeros(count + 1, bool)
        are_named[np.minimum(kept, count)] = True
        return np.flatnonzero(are_named[:count])
    found = np.unique(kept)
    return found[found >= 0].astype(np.int64)


def rows_between(
    rows: Numbers, ends: tuple[Array, Array], crd: Array, values: Array
) -> Rows:
    """Return some rows, whose entries lie between two places in the arrays each."""
    begins, stops = (each.astype(np.int64) for each in ends)
    places = places_between(begins, stops)
    return Rows(rows, stops - begins, crd[places], values[places])


def places_between(begins: Numbers, stops: Numbers) -> Numbers:
    """Return the numbers of runs, each of which begins and stops somewhere."""
    counts = stops - begins
    before = np.cumsum(counts) - counts
    return np.repeat(begins - before, counts) + np.arange(counts.sum())


def arrays_of(count: int, type: Any, given: Sequence[Rows]) -> tuple[Array, ...]:
    """Return the arrays of a matrix that has some rows, as if others were empty."""
    sizes = np.zeros(count + 1, np.int64)
    for each in given:
        sizes[each.rows + 1] += each.counts
    crd = np.concatenate([each.crd for each in given])
    values = np.concatenate([each.values for each in given])
    return np.cumsum(sizes).astype(type), crd, values


class Naming(NamedTuple):
    """An operand of the last step of a program of which a list names the rows."""

    operand: int
    """The number of its first argument."""
    kept: int
    """The number of the argument that names the rows."""


def namings(program: Program, are_windows: Sequence[bool]) -> list[Naming]:
    """Return the operands of the last step that only need the rows which lists name.

    Positions in cuts are those among all rows.
    """
    step = program.steps[-1]
    lists = [n for n, (is_step, _) in enumerate(step.inputs) if is_step]
    kept = [
        (number, n, *place)
        for number in lists
        for n, place in enumerate(program.recalled(step, number))
    ]
    times = Counter(input for *_, input, _, _ in kept)
    times.update(input for inputs in step.loop_inputs for input in inputs)
    found: list[Naming] = []
    for number, n, input, level, _ in kept:
        if input < 0 or level or times[input] > 1 or not are_windows[input]:
            continue
        if step.layouts[input].has_compressed_rows:
            # The values are behind the arrays of all levels, of which the last keep.
            values = step.first_argument(number) + step.layouts[number].array_count
            first = values - len(program.recalled(step, number))
            found.append(Naming(step.first_argument(input), first + n))
    return found


def with_named_rows(arguments: Sequence[Any], namings: Sequence[Naming]) -> list[Any]:
    """Return the arguments of a part, with the named rows alone where these are fewer.

    Rows keep their positions, but entries do not.
    """
    made = list(arguments)
    for naming in namings:
        (pos, first, size), (crd, *_), (values, *_) = made[naming.operand :][:3]
        rows = named_by(made[naming.kept][0]) - first
        # The first entry of the window of a list is that before the part.
        rows = rows[(rows >= 0) & (rows + 1 < pos.size)]
        found = rows_between(rows, (pos[rows], pos[rows + 1]), crd, values)
        if found.crd.size < crd.size:
            pos, crd, values = arrays_of(pos.size - 1, pos.dtype, [found])
            made[naming.operand : naming.operand + 3] = [
                (pos, first, size),
                (crd, 0, crd.size),
                (values, 0, values.size),
            ]
    return made
