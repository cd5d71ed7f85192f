"""What workers do with pieces: functions of windows and numbers, which can be pickled.

Programs are compiled where they run, once in each process.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from nacho._kernels.block_operands import plain_view
from nacho._kernels.evaluation import evaluate
from nacho._kernels.loading import load
from nacho._kernels.nests import Partition
from nacho._kernels.partitioning import partition
from nacho._kernels.parts import loaded_program, refuse
from nacho._kernels.program import Layout
from nacho._pieces.cutting import cut, windows_of_view
from nacho._pieces.inputs import (
    About,
    Input,
    Record,
    Row,
    Step,
    arguments_of,
    native_record,
    shift_of,
)
from nacho._pieces.places import Known, find
from nacho._pieces.tensor import Numbers, Pieces
from nacho._pieces.windows import Range, Windows, joined
from nacho._storage.device_arrays import HOST
from nacho._storage.formats import Format
from nacho._storage.operands import arguments
from nacho._storage.results import make_result, result_class
from nacho._storage.scalars import load_scalar
from nacho._storage.views import Array, View

_LARGEST = 2**62
"""More than any cost."""


def taken(windows: Windows, ranges: Sequence[Range]) -> Windows:
    """Return a part of a piece."""
    return windows.cut(ranges)


def gathered(empty: Input, ranges: Sequence[Range], given: Sequence[Windows]) -> Input:
    """Return an operand whose windows come from several pieces."""
    return empty._replace(windows=joined(ranges, given))


def whole(pieces: Pieces, windows: Sequence[Windows]) -> Any:
    """Return a tensor, whose pieces are all given, in a container of its library."""
    ranges = [(0, length) for length in pieces.lengths]
    arrays = joined(ranges, windows).arrays
    format = pieces.format if pieces.shape else None
    kind = result_class(format, [pieces.skeleton()], HOST)
    return make_result(format, pieces.shape, arrays, kind)


def loaded(kernel: bytes, number: int, layout: Layout, given: Any) -> Input:
    """Return an operand that every task has as a whole, as the program reads it."""
    specialisation, _ = loaded_program(kernel)
    reader = specialisation.readers[number]
    name, type = reader.name, reader.type
    if type.format is None:
        scalar = load_scalar(name, given, type)
        return Input(Windows((0,), (scalar,)), (), layout)
    rank = specialisation.statement.assignment.ranks[name]
    view = load(name, given, plain_view(name, given, rank), type, "safe")
    arrays = arguments(view)[: -len(view.extents)]
    flat = tuple(np.asarray(array).reshape(-1) for array in arrays)
    return Input(Windows((0,) * len(flat), flat), tuple(view.extents), layout)


# --- Cuts -----------------------------------------------------------------------------


def places(known: Known, windows: Windows, asked: Numbers) -> Numbers:
    """Return the positions of coordinates, a row for each, in the levels of a piece."""
    found = [find(known, windows, row) for row in asked.tolist()]
    return np.array(found, np.int64).reshape(len(asked), len(known.extents))


def places_in_whole(known: Known, given: Input, asked: Numbers) -> Numbers:
    """Return the same for an operand that is there as a whole."""
    return places(known, given.windows, asked)


def begun(known: Known, given: Input) -> Input:
    """Return an operand whose first fibers begin at the lower cut.

    What lies before the cut in these is in no window. It counts as if it were in fibers
    before them, so that costs are those of the whole tensor.
    """
    arrays = list(given.windows.arrays)
    number = 0
    for n, level in enumerate(known.layout.levels):
        for array in level.arrays:
            if array.holds_positions and n and arrays[number].size:
                first = arrays[number][:1].astype(arrays[number].dtype)
                first[0] = known.lower[n]
                arrays[number] = np.concatenate([first, arrays[number][1:]])
            number += 1
    return given._replace(windows=Windows(given.windows.begins, tuple(arrays)))


def limit(step: Step, inputs: Sequence[Input]) -> Row:
    """Return the cut at the end of a step; inputs have the ends of the arrays."""
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
    step: Step, inputs: Sequence[Input], ends: Sequence[Row], is_last: bool
) -> list[int]:
    """Return the costs before two cuts, up to a number that both have in common.

    The inputs have what lies between the cuts. Nothing lies behind the second if it is
    the last one: a search must not ask for it, since it reads what is behind a cut.
    """
    _, program = loaded_program(step.kernel)
    given, shift = arguments_of(inputs), shift_of(inputs, len(ends[0]))
    found: list[int] = []
    for end in ends[: 1 if is_last else 2]:
        row = (np.array(end, np.int64) - shift).tolist()
        cut = program.cut(step.number, given, row, row, [_LARGEST])
        found.append(int(cut[0, 0]))
    if is_last:
        found.append(int(program.limit(step.number, given)[0]))
    return found


def search(
    step: Step,
    inputs: Sequence[Input],
    ends: Sequence[Row],
    more: int,
    numbers: range,
    queries: Sequence[int],
) -> Numbers:
    """Return the cuts for queries, which lie between two cuts.

    Before the first of these, everything costs ``more`` than what the inputs have of
    it. Behind the numbers of each cut is one of ``numbers``.
    """
    _, program = loaded_program(step.kernel)
    given, shift = arguments_of(inputs), shift_of(inputs, len(ends[0]))
    lower, upper = ((np.array(end, np.int64) - shift).tolist() for end in ends)
    asked = [query - more for query in queries]
    found = program.cut(step.number, given, lower, upper, asked) + shift
    found[:, 0] += more
    return np.column_stack([found, np.array(numbers, np.int64)])


# --- Parts ----------------------------------------------------------------------------


def count(step: Step, inputs: Sequence[Input], record: Record) -> Numbers:
    """Count what some parts append."""
    specialisation, program = loaded_program(step.kernel)
    try:
        native = native_record(inputs, record)
        return program.count(step.number, native, arguments_of(inputs))
    except (RuntimeError, MemoryError) as error:
        refuse(specialisation, error)


class Made(NamedTuple):
    """What some parts have made: windows of the result, and their rows of sums."""

    windows: Windows
    sums: tuple[Array, ...]


def compute(
    step: Step,
    inputs: Sequence[Input],
    record: Record,
    about: About,
    written: Sequence[Range],
) -> Made:
    """Compute some parts, which write these elements of the arrays of the result."""
    specialisation, program = loaded_program(step.kernel)
    arrays, sums, _ = about
    parts = len(record.rows) - 1
    made = [
        np.empty(end - begin, type)
        for (type, _), (begin, end) in zip(arrays, written, strict=True)
    ]
    rows = [np.empty(parts * length, type) for type, length in sums]
    windows = Windows(tuple(begin for begin, _ in written), tuple(made))
    results = _results(windows, about)
    try:
        native = native_record(inputs, record)
        program.compute(step.number, native, arguments_of(inputs), results, rows)
    except (RuntimeError, MemoryError) as error:
        refuse(specialisation, error)
    return Made(windows, tuple(rows))


def _results(windows: Windows, about: About) -> list[Any]:
    lengths = [length for _, length in about[0]]
    triples = zip(windows.arrays, windows.begins, lengths, strict=True)
    return [tuple(each) for each in triples]


Sums = tuple[Array, ...]
"""The rows of sums of some parts, for each kind of sum."""


def sums_of(made: Made) -> Sums:
    """Return the rows of sums that parts have made."""
    return made.sums


def combine(
    step: Step,
    inputs: Sequence[Input],
    record: Record,
    about: About,
    made: Made,
    earlier: Sequence[Sums],
    behind: int,
) -> Windows:
    """Return windows with the sums of entries that cuts divide.

    The record is that of parts that follow each other, from the first that begins in
    an entry of the windows. It is so many parts ``behind`` the first whose sums are
    there; of the one before it, only what it has of the entry in which it ends counts.
    """
    values = made.windows.arrays[-1].copy()
    begins, arrays = made.windows
    windows = Windows(begins, (*arrays[:-1], values))
    given = [*earlier, made.sums]
    _combine_into(windows, step, inputs, record, about, given, record.first - behind)
    return windows


def combine_all(
    step: Step,
    inputs: Sequence[Input],
    record: Record,
    about: About,
    given: Sequence[Sums],
) -> Windows:
    """Return a dense result, all of whose entries are sums of those of all parts."""
    values, length = about[0][-1]
    whole = Windows((0,), (np.empty(length, values),))
    _combine_into(whole, step, inputs, record, about, given, begin=0)
    return whole


def _combine_into(
    windows: Windows,
    step: Step,
    inputs: Sequence[Input],
    record: Record,
    about: About,
    given: Sequence[Sums],
    begin: int,
) -> None:
    """Combine sums, of which the first that are given are those of part ``begin``."""
    _, program = loaded_program(step.kernel)
    sums: list[Array] = []
    for n, (type, length) in enumerate(about[1]):
        rows = np.concatenate([each[n] for each in given])
        all = np.zeros(record.parts * length, type)
        all[begin * length : begin * length + rows.size] = rows
        sums.append(all)
    if record.first:
        # The entries in which the parts before have begun are those of others.
        visited, length = sums[-1], about[1][-1][1]
        before = (record.first - 1) * length
        visited[: before + 1] = 0
    native = native_record(inputs, record)
    results = _results(windows, about)
    program.combine(step.number, [native], arguments_of(inputs), results, sums)


def sealed(
    layout: Layout, count: int, ranges: Sequence[Range], windows: Sequence[Windows]
) -> Windows:
    """Return a piece of a result: its own elements, and those of other pieces.

    ``count`` is the number of positions of the first level, whose only fiber nobody
    else ends.
    """
    first = layout.levels[0] if layout.levels else None
    given = list(windows)
    if first is not None and any(array.holds_positions for array in first.arrays):
        pos = np.array([0, count], first.arrays[0].type)
        own, *others = given
        given = [Windows((0, *own.begins[1:]), (pos, *own.arrays[1:])), *others]
    return joined(ranges, given)


def windows_of(made: Made) -> Windows:
    """Return the windows of the result that parts have made."""
    return made.windows


# --- Statements as a whole ------------------------------------------------------------


def evaluated(
    text: str, options: Mapping[str, Any], names: Sequence[str], given: Sequence[Any]
) -> Any:
    """Compute a statement, all operands of which are here."""
    return evaluate(text, dict(zip(names, given, strict=True)), **options)


def partitioned(
    text: str,
    options: Mapping[str, Any],
    names: Sequence[str],
    given: Sequence[Any],
    parts: int,
) -> Partition:
    """Cut a statement, all operands of which are here."""
    kept = {name: options[name] for name in _OF_CUTS if name in options}
    return partition(text, parts, dict(zip(names, given, strict=True)), **kept)


_OF_CUTS = ("cost", "order", "remap", "contract")
"""The options on which cuts depend."""


def known(container: Any, count: int) -> Pieces:
    """Return what is known of the pieces of a container."""
    pieces, _ = cut(_view_of(container), count)
    return pieces


def piece(container: Any, pieces: Pieces, number: int) -> Windows:
    """Return a piece of a container."""
    return windows_of_view(_view_of(container), pieces, number)


def _view_of(container: Any) -> View:
    rank = np.ndim(container)
    if rank:
        return plain_view("Z", container, rank)
    return View(Format("dense"), (), (), (), np.asarray(container))
