"""The inputs of tasks: operands, cuts and records, as the extension takes them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from nacho._kernels.parts import moved
from nacho._kernels.program import Layout, Recalled
from nacho._pieces.tensor import Numbers, sharing
from nacho._pieces.windows import Windows
from nacho._storage.views import Array

Row = tuple[int, ...]
"""A cut: the cost before it, its coordinates, and its positions."""


class Record(NamedTuple):
    """What tasks have to know of parts that follow each other."""

    first: int
    """The number of the first of them."""
    parts: int
    """The number of all parts."""
    rows: Numbers
    """The cuts, of which the last is the end of the last part."""
    offsets: Numbers
    """Where the parts append, a row for each cut."""
    sizes: tuple[int, ...]
    """The sizes of the result, once they are known."""
    inner: int = 1
    """The number of parts into which a device divides each of them."""


About = tuple[tuple[tuple[str, int], ...], tuple[tuple[str, int], ...], bool]
"""The arrays of the result, and those of the sums of a part, each by type and length,
and whether sums are combined at last."""


Kept = tuple[Recalled, ...]
"""What the last levels of a list have of the inputs of a step."""


class Runs(NamedTuple):
    """Positions that follow each other in a tensor, run by run, and so in a window."""

    begins: Numbers
    """The first position of each run."""
    places: Numbers
    """Where the runs begin in the window, and where the last one ends."""

    def in_window(self, positions: Array) -> Array:
        """Return where positions are in the window, all of which lie in runs.

        A run of equal coordinates that begins before the window begins with it.
        """
        if self.begins.size <= 1:
            return np.where(positions < 0, positions, self._placed(positions))
        run = np.searchsorted(self.begins, positions, "right") - 1
        found: Array = positions + (self.places[:-1] - self.begins)[run]
        return found.astype(positions.dtype)

    def in_tensor(self, places: Array, *, are_ends: bool) -> Array:
        """Return the positions that lie somewhere in the window, or end there."""
        if self.begins.size <= 1:
            return moved(places, self._shift)
        run = np.searchsorted(self.places, places, "left" if are_ends else "right") - 1
        found: Array = places + (self.begins - self.places[:-1])[run]
        return found.astype(places.dtype)

    def _placed(self, positions: Array) -> Array:
        found: Array = positions - positions.dtype.type(self._shift)
        return np.maximum(found, 0)

    @property
    def _shift(self) -> int:
        return int(self.begins[0] - self.places[0]) if self.begins.size else 0


class RowCosts(NamedTuple):
    """What windows of a list do not tell of the rows that they divide."""

    first: Row
    """The coordinates of the row in which a part begins, by all loops but the last."""
    before: int
    """What all entries cost before that row."""
    last: Row
    """The coordinates of the row in which the part ends."""
    upto: int
    """What all entries cost up to the end of that row."""
    total: int
    """What all entries of the list cost."""


class Step(NamedTuple):
    """A step of a program, which is compiled where it runs."""

    kernel: bytes
    number: int
    kept: Kept = ()
    """The positions that its result keeps, if that is a list."""
    device: bytes = b""
    """The kernel that counts and computes on a device; empty if ``kernel`` does."""

    @property
    def computing(self) -> bytes:
        """The kernel that counts and computes."""
        return self.device or self.kernel


class Input(NamedTuple):
    """An operand of a step: a window of each array, and the extents of its levels.

    For the extension, positions begin at 0 in the windows. Coordinates, and positions
    that follow from these alone, are those of the whole tensor.
    """

    windows: Windows
    extents: tuple[int, ...]
    layout: Layout
    columns: tuple[tuple[int, int], ...] = ()
    """Where in a cut the operand's positions are: columns and levels."""
    kept: Kept | None = None
    """What a list keeps, which begins and ends with its windows."""
    name: str = ""
    lengths: tuple[int, ...] = ()
    """How long the arrays are, if no element is read of some, which are not there."""
    runs: Runs | None = None
    """Where positions of its last level are, if it has some of its rows alone."""
    row_costs: RowCosts | None = None
    """What a step has to know of the rows of a list that windows divide."""
    front: int = 0
    """The entries in front of those that a list has, which nobody visits."""

    @property
    def columns_of_runs(self) -> list[tuple[int, int]]:
        """The columns whose levels may have runs of equal coordinates."""
        return [
            (column, level)
            for column, level in self.columns
            if sharing(self.layout, level)[-1] != level
        ]

    @property
    def bases(self) -> list[int]:
        """What is subtracted from the positions of each level."""
        bases: list[int] = []
        begins = iter(self.windows.begins)
        for level, extent in zip(self.layout.levels, self.extents, strict=True):
            base = bases[-1] if bases else 0
            if level.is_full:
                base *= extent
            for array in level.arrays:
                begin = next(begins)
                if not array.holds_positions:
                    base = begin // max(array.per_entry, 1)
            bases.append(base)
        return bases

    def arguments(
        self, bases: Sequence[int], windows: Windows | None = None
    ) -> list[Any]:
        """Return the arguments of the extension, with positions less the bases.

        The windows are its own, unless others are given.
        """
        made: list[Any] = []
        windows = windows or self.windows
        lengths = self.lengths or (0,) * len(windows.arrays)
        given = iter(zip(windows.arrays, windows.begins, lengths, strict=True))
        parent = 0
        for level, base in zip(self.layout.levels, bases, strict=True):
            for each in level.arrays:
                array, begin, length = next(given)
                if each.holds_positions:
                    rebased = array - array.dtype.type(base) if base else array
                    made.append(_placed(rebased, begin - parent, length))
                else:
                    made.append(_placed(array, begin - each.per_entry * base, length))
            parent = base
        values, begin, length = next(given)
        made.append(_placed(values, begin - parent, length))
        return [*made, *self.extents]

    def runs_of(self, level: int, bases: Sequence[int]) -> Runs:
        """Return where positions of a level are in its windows."""
        if self.runs is not None and level == len(self.extents) - 1:
            return self.runs
        return Runs(np.array([bases[level]]), np.zeros(1, np.int64))


def with_row_costs(given: Input) -> Input:
    """Return a list with entries more that tell what rows cost; nobody visits them.

    One before all ends the row before the one in which the windows begin. Behind all,
    one ends the row in which they end, and one lies in the row after that.
    """
    costs = given.row_costs
    if costs is None or not given.windows.arrays[-1].size:
        return given
    (begin, *begins), (pos, *arrays, sums) = given.windows
    rank = len(costs.first)
    first, last = (tuple(int(a[n]) for a in arrays[:rank]) for n in (0, -1))
    upto = costs.upto if last == costs.last else sums[-1]
    arrays = [np.append(array, array[[-1, -1]]) for array in arrays]
    arrays[0][-1] += 1
    sums = np.append(sums, np.array([upto, costs.total], sums.dtype))
    # Nothing is before the first row of all.
    front = int(first == costs.first and any(first))
    if front:
        arrays = [np.append(array[:1], array) for array in arrays]
        changed = max(n for n in range(rank) if first[n])
        arrays[changed][0] -= 1
        sums = np.append(np.array([costs.before], sums.dtype), sums)
    windows = Windows((begin, *(b - front for b in begins)), (pos, *arrays, sums))
    return given._replace(windows=windows, front=front)


def in_tensor(windows: Windows, kept: Kept, inputs: Sequence[Input]) -> Windows:
    """Return windows of a list that keeps positions, of those that it has in inputs."""
    arrays = list(windows.arrays)
    first = len(arrays) - 1 - len(kept)
    for n, (number, level, is_end) in enumerate(kept, start=first):
        if number >= 0:
            runs = inputs[number].runs_of(level, inputs[number].bases)
            arrays[n] = runs.in_tensor(arrays[n], are_ends=is_end)
    return windows._replace(arrays=tuple(arrays))


def _in_windows(
    windows: Windows, kept: Kept, inputs: Sequence[Input], bases: Sequence[list[int]]
) -> Windows:
    """Return windows of a list, with the places in inputs of positions that it keeps.

    Its only fiber has what is in them.
    """
    arrays = list(windows.arrays)
    first = len(arrays) - 1 - len(kept)
    for n, (number, level, _) in enumerate(kept, start=first):
        if number >= 0:
            runs = inputs[number].runs_of(level, bases[number])
            arrays[n] = runs.in_window(arrays[n])
    pos, crd, *_ = arrays
    begin = windows.begins[1]
    arrays[0] = np.array([begin, begin + crd.size], pos.dtype)
    return Windows((0, *windows.begins[1:]), tuple(arrays))


def _placed(array: Array, begin: int, length: int) -> tuple[Array, int, int]:
    """Return an array, the index of its first element, and the one after the last.

    If the array is not there, so many elements are after the first.
    """
    if array.size:
        # What comes from another process may not be aligned.
        array = np.require(array, None, ["C", "A"])
    else:
        array = np.empty(0, array.dtype)
    return array, begin, begin + max(array.size, length)


def arguments_of(inputs: Sequence[Input]) -> list[Any]:
    """Return the arguments of the extension for all operands of a step."""
    bases = [each.bases for each in inputs]
    made: list[Any] = []
    for each, own in zip(inputs, bases, strict=True):
        windows = None
        if each.kept is not None:
            windows = _in_windows(each.windows, each.kept, inputs, bases)
        made += each.arguments(own, windows)
    return made


def in_windows(inputs: Sequence[Input], cuts: Numbers) -> Numbers:
    """Return cuts with positions in the windows of inputs.

    A run of equal coordinates that begins before a window begins with it.
    """
    made = cuts - _shift_of(inputs, cuts.shape[1])
    for each in inputs:
        for column, _ in each.columns_of_runs:
            np.maximum(made[:, column], each.front, out=made[:, column])
    return made


def in_tensors(inputs: Sequence[Input], cuts: Numbers, first: Row) -> Numbers:
    """Return cuts with positions in whole tensors, of which none is before ``first``.

    Where a cut has the coordinates of the first one, it is in the same run.
    """
    made = cuts + _shift_of(inputs, cuts.shape[1])
    for each in inputs:
        for column, level in each.columns_of_runs:
            upto = slice(1, 2 + level)
            is_same = (made[:, upto] == first[upto]).all(axis=1)
            made[is_same, column] = first[column]
    return made


def _shift_of(inputs: Sequence[Input], width: int) -> Numbers:
    """Return what is subtracted from the numbers of a cut."""
    shift = np.zeros(width, np.int64)
    for each in inputs:
        bases = each.bases
        for column, level in each.columns:
            shift[column] = bases[level]
    return shift


def native_record(inputs: Sequence[Input], record: Record) -> tuple[Any, ...]:
    """Return a record for the extension, with positions in the windows of inputs."""
    rows = in_windows(inputs, record.rows)
    flat = (tuple(rows.ravel().tolist()), tuple(record.offsets.ravel().tolist()))
    return (record.first, record.parts, *flat, record.sizes)


@contextmanager
def sizes_named(inputs: Sequence[Input]) -> Iterator[None]:
    """Let an error for want of memory say how large the operands of parts are."""
    try:
        yield
    except MemoryError as error:
        sizes = (f"{x.windows.nbytes} bytes of '{x.name}'" for x in inputs if x.name)
        error.add_note(f"with {', '.join(sizes)}")
        raise
