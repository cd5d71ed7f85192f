"""The inputs of tasks: operands, cuts and records, as the extension takes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from nacho._kernels.parts import moved
from nacho._kernels.program import Layout
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


Kept = tuple[tuple[int, int], ...]
"""The inputs of a step and their levels whose positions the last levels of a list have;
a number of -1 stands for an input that the step does not read."""


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
        self, bases: Sequence[int], kept: Sequence[int] | None = None
    ) -> list[Any]:
        """Return the arguments of the extension, with positions less the bases.

        From the positions that a list keeps, those in ``kept`` are subtracted.
        """
        made: list[Any] = []
        windows = self.windows
        if kept is not None:
            windows = _bounded(_with_positions_in_windows(windows, kept))
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

    @property
    def without_elements(self) -> Input:
        """The same extents, with empty arrays; a scalar remains."""
        if not self.extents:
            return self
        empty = tuple(array[:0] for array in self.windows.arrays)
        return self._replace(windows=Windows((0,) * len(empty), empty))


def with_positions_moved(windows: Windows, by: Sequence[int]) -> Windows:
    """Return windows of a list, to whose kept positions something is added."""
    if not any(by):
        return windows
    arrays = list(windows.arrays)
    first = len(arrays) - 1 - len(by)
    for number, more in enumerate(by, start=first):
        arrays[number] = moved(arrays[number], more)
    return windows._replace(arrays=tuple(arrays))


def _with_positions_in_windows(windows: Windows, bases: Sequence[int]) -> Windows:
    """Return windows of a list, from whose kept positions something is subtracted.

    A run of equal coordinates that begins before a window begins with it.
    """
    arrays = list(windows.arrays)
    first = len(arrays) - 1 - len(bases)
    for number, base in enumerate(bases, start=first):
        kept = arrays[number]
        if base:
            below = np.maximum(kept - kept.dtype.type(base), 0)
            # What is not there is a negative position, and stays.
            arrays[number] = np.where(kept < 0, kept, below)
    return windows._replace(arrays=tuple(arrays))


def _bounded(windows: Windows) -> Windows:
    """Return windows of a list, whose only fiber has what is in them."""
    pos, crd, *_ = windows.arrays
    begin = windows.begins[1]
    ends = np.array([begin, begin + crd.size], pos.dtype)
    return Windows((0, *windows.begins[1:]), (ends, *windows.arrays[1:]))


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
        kept = None if each.kept is None else kept_bases(each.kept, bases)
        made += each.arguments(own, kept)
    return made


def kept_bases(kept: Kept, bases: Sequence[Sequence[int]]) -> list[int]:
    """Return what is subtracted from the positions that a list keeps."""
    return [bases[number][level] if number >= 0 else 0 for number, level in kept]


def in_windows(inputs: Sequence[Input], cuts: Numbers) -> Numbers:
    """Return cuts with positions in the windows of inputs.

    A run of equal coordinates that begins before a window begins with it.
    """
    made = cuts - _shift_of(inputs, cuts.shape[1])
    for each in inputs:
        for column, _ in each.columns_of_runs:
            np.maximum(made[:, column], 0, out=made[:, column])
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
