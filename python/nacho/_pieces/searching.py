"""What workers do to find cuts: functions of windows and numbers, which can be pickled.

Programs are compiled where they run, once in each process.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nacho._kernels.parts import loaded_program, refuse
from nacho._pieces.costing import costs_between, sum_before
from nacho._pieces.inputs import Input, Row, Step, arguments_of, in_tensors, in_windows
from nacho._pieces.places import Known, find
from nacho._pieces.tasks import Parts, all_gathered
from nacho._pieces.tensor import Numbers
from nacho._pieces.windows import Windows

_MANY = 1 << 10
"""A device finds so many cuts in less time than the processor, one by one, does."""


def places(known: Known, windows: Windows, asked: Numbers) -> Numbers:
    """Return the positions of coordinates, a row for each, in the levels of a piece."""
    found = [find(known, windows, row) for row in asked.tolist()]
    return np.array(found, np.int64).reshape(len(asked), len(known.extents))


def places_in_whole(known: Known, given: Input, asked: Numbers) -> Numbers:
    """Return the same for an operand that is there as a whole."""
    return places(known, given.windows, asked)


def limit(step: Step, given: Sequence[Input | Parts]) -> Row:
    """Return the cut at the end of a step; inputs have the ends of the arrays."""
    inputs = all_gathered(given)
    specialisation, program = loaded_program(step.kernel)
    arguments = [
        argument
        for each in inputs
        for argument in each.arguments([0] * len(each.extents))
    ]
    try:
        return tuple(program.limit(step.number, arguments))
    except RuntimeError as error:
        refuse(specialisation, error)


def costs(
    step: Step, parts: Sequence[Input | Parts], ends: Sequence[Row], is_last: bool
) -> tuple[int | None, int]:
    """Return the costs before two cuts, up to a number that both have in common."""
    _, program = loaded_program(step.kernel)
    inputs = all_gathered(parts)
    return costs_between(program, step.number, inputs, ends, is_last=is_last)


def search(
    step: Step,
    parts: Sequence[Input | Parts],
    ends: Sequence[Row],
    costs: tuple[int, int],
    numbers: range,
    queries: Sequence[int],
) -> Numbers:
    """Return the cuts for queries, which lie between two cuts.

    ``costs`` are those before the first of these: of everything, and of what the inputs
    have of it. Behind the numbers of each cut is one of ``numbers``.
    """
    _, program = loaded_program(step.kernel)
    inputs = all_gathered(parts)
    before, known = costs
    given = arguments_of(inputs)
    lower, upper = in_windows(inputs, np.array(ends, np.int64)).tolist()
    list = next((each for each in inputs if each.kept is not None), None)
    if list is not None:
        # In the entry that the first cut divides, the inputs lack what lies before it.
        least = [sum_before(list, ends[0])]
        begun = int(program.cut(step.number, given, lower, upper, least)[0, 0])
        more = _costing_more(list, ends[0], before - begun)
        inputs = [more if each is list else each for each in inputs]
        known = before
        given = arguments_of(inputs)
        lower, upper = in_windows(inputs, np.array(ends, np.int64)).tolist()
    asked = [query - before + known for query in queries]
    if len(asked) >= _MANY:
        _, program = loaded_program(step.computing)
    cuts = program.cut(step.number, given, lower, upper, asked)
    found = in_tensors(inputs, cuts, ends[0])
    found[:, 0] += before - known
    return np.column_stack([found, np.array(numbers, np.int64)])


def _costing_more(list: Input, cut: Row, more: int) -> Input:
    """Return a list whose entries before that of a cut cost more.

    The entry before has their sum. The list may need one for that.
    """
    column, _ = list.columns[-1]
    begins, arrays = list.windows
    entry = cut[column] - begins[-1]
    sums = arrays[-1].copy()
    if entry == 0:
        begins = (begins[0], *[begin - 1 for begin in begins[1:]])
        made = [np.concatenate([array[:1], array]) for array in arrays[1:-1]]
        sums = np.concatenate([np.zeros(1, sums.dtype), sums])
        arrays, entry = (arrays[0], *made, sums), 1
    sums[entry - 1] += more
    return list._replace(windows=Windows(begins, (*arrays[:-1], sums)))
