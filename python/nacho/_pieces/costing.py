"""The costs before cuts, as the inputs of a task know them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from nacho._kernels.parts import loaded_program
from nacho._pieces.inputs import Input, Record, Row, Step, arguments_of, in_windows

if TYPE_CHECKING:
    from nacho import _nacho

_LARGEST = 2**62
"""More than any cost."""


def costs_between(
    program: _nacho.Program,
    number: int,
    inputs: Sequence[Input],
    ends: Sequence[Row],
    *,
    is_last: bool,
) -> tuple[int | None, int]:
    """Return the costs before two cuts, up to a number that both have in common.

    The inputs have what lies between the cuts. Nothing lies behind the second if it is
    the last one: a search must not ask for it, since it reads what is behind a cut.

    A list tells the cost before its entries, whatever the cuts. If the cuts do not
    divide the same entry, there is nothing to be known of the first one. What a cut
    that divides no entry would find of the next one may lie behind both.
    """
    given = arguments_of(inputs)
    lower, upper = in_windows(inputs, np.array(ends, np.int64)).tolist()

    def cost(cut: list[int], *, behind: list[int]) -> int:
        found = program.cut(number, given, behind, cut, [_LARGEST])
        return int(found[0, 0])

    list = next((each for each in inputs if each.kept is not None), None)
    before: int | None
    if list is None:
        before = cost(lower, behind=lower)
    else:
        column, _ = list.columns[-1]
        is_same = ends[0][column] == ends[1][column] and _divides(list, ends[0])
        # In the entry that both divide, the inputs lack what lies before the first.
        least = [sum_before(list, ends[0])]
        begun = (number, given, lower, upper, least)
        before = int(program.cut(*begun)[0, 0]) if is_same else None
    if is_last:
        return before, int(program.limit(number, given)[0])
    if list is not None and not _divides(list, ends[1]):
        return before, sum_before(list, ends[1])
    return before, cost(upper, behind=upper if list is None else lower)


def _divides(list: Input, cut: Row) -> bool:
    """Return whether a cut lies in the entry at its position in a list."""
    column, _ = list.columns[-1]
    begins, arrays = list.windows
    entry = cut[column] - begins[-1]
    if entry == arrays[-1].size:
        return False
    return all(arrays[1 + level][entry] == cut[1 + level] for _, level in list.columns)


def sum_before(list: Input, cut: Row) -> int:
    """Return what all entries of a list cost before that in which a cut lies."""
    column, _ = list.columns[-1]
    sums, begin = list.windows.arrays[-1], list.windows.begins[-1]
    return int(sums[cut[column] - 1 - begin]) if cut[column] else 0


def costed(step: Step, inputs: Sequence[Input], record: Record) -> Record:
    """Return a record of parts that a device divides, by what its inputs cost.

    Other records need no costs.
    """
    if record.inner == 1:
        return record
    _, program = loaded_program(step.kernel)
    ends = [tuple(row) for row in record.rows[[0, -1]].tolist()]
    is_last = record.first + len(record.rows) - 1 == record.parts
    before, after = costs_between(program, step.number, inputs, ends, is_last=is_last)
    assert before is not None, "parts that read a list are not divided"
    rows = record.rows.copy()
    rows[[0, -1], 0] = before, after
    return record._replace(rows=rows)
