"""What workers do with pieces: functions of windows and numbers, which can be pickled.

Programs are compiled where they run, once in each process.
"""

from __future__ import annotations

import pickle
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
from nacho._kernels.specialisation import Specialisation
from nacho._pieces.costing import costed
from nacho._pieces.cutting import arrays_of_whole, cut, cut_view, windows_of_view
from nacho._pieces.inputs import (
    About,
    Input,
    Record,
    Step,
    arguments_of,
    in_tensor,
    native_record,
    sizes_named,
    with_row_costs,
)
from nacho._pieces.row_windows import RowsOfPiece, with_rows
from nacho._pieces.tensor import Numbers, Pieces, sharing
from nacho._pieces.windows import Range, Windows, joined
from nacho._storage.device_arrays import HOST
from nacho._storage.formats import Format
from nacho._storage.operands import arguments
from nacho._storage.results import make_result, result_class
from nacho._storage.scalars import load_scalar
from nacho._storage.views import Array, View
from nacho._targets import CPU, TARGETS


def taken(windows: Windows, ranges: Sequence[Range]) -> Windows:
    """Return a part of a piece."""
    return windows.cut(ranges)


Parts = (
    tuple[Input, Sequence[Range], Sequence[Windows]]
    | tuple[Input, None, Sequence[RowsOfPiece]]
)
"""An operand without its windows, and windows that have these of its arrays; or what
pieces have of some of its rows."""


def gathered(given: Input | Parts) -> Input:
    """Return an operand, whose windows may come from several pieces.

    What lies before a window is in none: its fibers begin in it, or behind it. For a
    search, that counts as if it were in fibers before the first.
    """
    if isinstance(given, Input):
        return given
    if given[1] is None:
        return with_rows(given[0], given[2])
    empty, ranges, parts = given
    begins, arrays = joined(ranges, parts)
    made = list(arrays)
    number = 0
    for n, level in enumerate(empty.layout.levels):
        holds = [each.holds_positions for each in level.arrays]
        if n and True in holds and not level.is_full:
            pos, crd = number + holds.index(True), number + holds.index(False)
            if made[pos].size and made[pos][0] < begins[crd]:
                made[pos] = np.maximum(made[pos], made[pos].dtype.type(begins[crd]))
        number += len(holds)
    return with_row_costs(empty._replace(windows=Windows(begins, tuple(made))))


def all_gathered(given: Sequence[Input | Parts]) -> list[Input]:
    """Return the operands of a step."""
    inputs: list[Input] = []
    for each in given:
        try:
            inputs.append(gathered(each))
        except MemoryError as error:
            name = each.name if isinstance(each, Input) else each[0].name
            error.add_note(f"in the operand '{name}'")
            raise
    return inputs


def whole(pieces: Pieces, windows: Sequence[Windows]) -> Any:
    """Return a tensor, whose pieces are all given, in a container of its library."""
    ranges = [(0, length) for length in pieces.lengths]
    arrays = joined(ranges, windows).arrays
    format = pieces.format_of_whole if pieces.shape else None
    kind = result_class(format, [pieces.skeleton()], HOST)
    return make_result(format, pieces.shape, arrays_of_whole(pieces, arrays), kind)


def loaded(kernel: bytes, number: int, layout: Layout, given: Any) -> Input:
    """Return an operand that every task has as a whole, as the program reads it."""
    specialisation, _ = loaded_program(kernel)
    reader = specialisation.readers[number]
    name, type = reader.name, reader.type
    if type.format is None:
        scalar = load_scalar(name, given, type)
        return Input(Windows((0,), (scalar,)), (), layout, name=name)
    rank = specialisation.statement.assignment.ranks[name]
    view = load(name, given, plain_view(name, given, rank), type, "safe", threads=1)
    arrays = arguments(view)[: -len(view.extents)]
    flat = tuple(np.asarray(array).reshape(-1) for array in arrays)
    windows = Windows((0,) * len(flat), flat)
    return Input(windows, tuple(view.extents), layout, name=name)


# --- Parts ----------------------------------------------------------------------------


def count(step: Step, given: Sequence[Input | Parts], record: Record) -> Numbers:
    """Count what some parts append."""
    inputs = all_gathered(given)
    specialisation, program = loaded_program(step.computing)
    with sizes_named(inputs):
        try:
            native = native_record(inputs, costed(step, inputs, record))
            arguments = arguments_of(inputs)
            return program.count(step.number, native, arguments, record.inner)
        except (RuntimeError, MemoryError) as error:
            refuse(specialisation, error)


class Made(NamedTuple):
    """What some parts have made: windows of the result, and their rows of sums."""

    windows: Windows
    sums: tuple[Array, ...]


def compute(
    step: Step,
    given: Sequence[Input | Parts],
    record: Record,
    about: About,
    written: Sequence[Range],
) -> Made | Windows:
    """Compute some parts, which write these elements of the arrays of the result.

    Sums are returned, too, if they are combined at last.
    """
    inputs = all_gathered(given)
    with sizes_named(inputs):
        return _computed(step, inputs, record, about, written)


def _computed(
    step: Step,
    inputs: Sequence[Input],
    record: Record,
    about: About,
    written: Sequence[Range],
) -> Made | Windows:
    specialisation, program = loaded_program(step.computing)
    arrays, sums, are_combined = about
    parts = len(record.rows) - 1
    made = [
        np.empty(end - begin, type)
        for (type, _), (begin, end) in zip(arrays, written, strict=True)
    ]
    rows = [np.empty(parts * length, type) for type, length in sums]
    windows = Windows(tuple(begin for begin, _ in written), tuple(made))
    results = _results(windows, about)
    try:
        native = native_record(inputs, costed(step, inputs, record))
        computed = (native, arguments_of(inputs), results, rows)
        program.compute(step.number, *computed, record.inner)
    except (RuntimeError, MemoryError) as error:
        refuse(specialisation, error)
    windows = in_tensor(windows, step.kept, inputs)
    return Made(windows, tuple(rows)) if are_combined else windows


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
    inputs: Sequence[Input | Parts],
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
    _combine_into(
        windows,
        step,
        all_gathered(inputs),
        record,
        about,
        given,
        record.first - behind,
    )
    return windows


def combine_all(
    step: Step,
    inputs: Sequence[Input | Parts],
    record: Record,
    about: About,
    given: Sequence[Sums],
) -> Windows:
    """Return a dense result, all of whose entries are sums of those of all parts."""
    values, length = about[0][-1]
    whole = Windows((0,), (np.empty(length, values),))
    _combine_into(whole, step, all_gathered(inputs), record, about, given, begin=0)
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


class LastRuns(NamedTuple):
    """The runs of equal coordinates at the end of a window, by level."""

    coordinates: tuple[int, ...]
    """Those of the last entry, of the levels that share its position."""
    begins: tuple[int, ...]
    go_on: tuple[bool, ...]
    """Whether a run may begin before the window."""


def last_runs(
    layout: Layout, levels: Sequence[int], windows: Windows
) -> LastRuns | None:
    """Return the last runs of some levels, or nothing if there are no entries.

    All of the levels share their positions.
    """
    shared = sharing(layout, levels[0])
    counts = [len(level.arrays) for level in layout.levels]
    first = sum(counts[: shared[0]])
    arrays = [windows.arrays[sum(counts[: n + 1]) - 1] for n in shared]
    if not arrays[0].size:
        return None
    begin = windows.begins[sum(counts[: shared[0] + 1]) - 1]
    low, may_go_on = 0, True
    if shared[0] > 0:
        # Runs begin in the fiber in which the window ends.
        fibers = windows.arrays[first]
        if fibers.size and fibers[-1] == begin + arrays[0].size:
            return LastRuns((), (), ())
        if fibers.size:
            low, may_go_on = int(fibers[-1]) - begin, False
    begins: list[int] = []
    go_on: list[bool] = []
    for crd in arrays[: len(levels)]:
        low += int(np.searchsorted(crd[low:], crd[-1], "left"))
        may_go_on = may_go_on and low == 0
        begins.append(begin + low)
        go_on.append(may_go_on)
    return LastRuns(tuple(int(a[-1]) for a in arrays), tuple(begins), tuple(go_on))


# --- Variants -------------------------------------------------------------------------


def chosen(
    kernel: bytes, sizes: Sequence[int], work: int
) -> tuple[dict[str, bool], int]:
    """Return the choices for operands of these sizes, and the number of parts.

    They are those of the kernel's target, which has to be here.
    """
    made = Specialisation(*pickle.loads(kernel))
    return made.native.chosen_for_lone_parts(sizes, work)


# --- Statements as a whole ------------------------------------------------------------


def evaluated(
    text: str, options: Mapping[str, Any], names: Sequence[str], given: Sequence[Any]
) -> Any:
    """Compute a statement, all operands of which are here, in the host's memory."""
    target = TARGETS[options.get("target", CPU.name)]
    where: dict[str, Any] = {} if target.copies else {"device": 0}
    operands = dict(zip(names, given, strict=True))
    return evaluate(text, operands, **options, **where)


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
    return windows_of_view(cut_view(_view_of(container)), pieces, number)


def _view_of(container: Any) -> View:
    rank = np.ndim(container)
    if rank:
        return plain_view("Z", container, rank)
    return View(Format("dense"), (), (), (), np.asarray(container))
