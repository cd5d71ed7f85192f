"""The inputs of tasks: operands, cuts and records, as the extension takes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from nacho._kernels.program import Layout
from nacho._pieces.tensor import Numbers
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


About = tuple[tuple[tuple[str, int], ...], tuple[tuple[str, int], ...], bool]
"""The arrays of the result, and those of the sums of a part, each by type and length,
and whether sums are combined at last."""


class Step(NamedTuple):
    """A step of a program, which is compiled where it runs."""

    kernel: bytes
    number: int


class Input(NamedTuple):
    """An operand of a step: a window of each array, and the extents of its levels.

    For the extension, positions begin at 0 in the windows. Coordinates, and positions
    that follow from these alone, are those of the whole tensor.
    """

    windows: Windows
    extents: tuple[int, ...]
    layout: Layout
    columns: tuple[int, ...] = ()
    """The places in a cut of the operand's positions, by level."""

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

    def arguments(self, bases: Sequence[int]) -> list[Any]:
        """Return the arguments of the extension, with positions less the bases."""
        made: list[Any] = []
        given = iter(zip(self.windows.arrays, self.windows.begins, strict=True))
        parent = 0
        for level, base in zip(self.layout.levels, bases, strict=True):
            for each in level.arrays:
                array, begin = next(given)
                if each.holds_positions:
                    rebased = array - array.dtype.type(base) if base else array
                    made.append(_placed(rebased, begin - parent))
                else:
                    made.append(_placed(array, begin - each.per_entry * base))
            parent = base
        values, begin = next(given)
        made.append(_placed(values, begin - parent))
        return [*made, *self.extents]

    @property
    def without_elements(self) -> Input:
        """The same extents, with empty arrays; a scalar remains."""
        if not self.extents:
            return self
        empty = tuple(array[:0] for array in self.windows.arrays)
        return self._replace(windows=Windows((0,) * len(empty), empty))


def _placed(array: Array, begin: int) -> tuple[Array, int, int]:
    """Return an array, the index of its first element, and the one after the last."""
    if array.size:
        # What comes from another process may not be aligned.
        array = np.require(array, None, ["C", "A"])
    else:
        array = np.empty(0, array.dtype)
    return array, begin, begin + array.size


def arguments_of(inputs: Sequence[Input]) -> list[Any]:
    """Return the arguments of the extension for all operands of a step."""
    return [argument for each in inputs for argument in each.arguments(each.bases)]


def shift_of(inputs: Sequence[Input], width: int) -> Numbers:
    """Return what is subtracted from the numbers of a cut."""
    shift = np.zeros(width, np.int64)
    for each in inputs:
        columns = list(each.columns)
        shift[columns] = each.bases[: len(columns)]
    return shift


def native_record(inputs: Sequence[Input], record: Record) -> tuple[Any, ...]:
    """Return a record for the extension, with positions in the windows of inputs."""
    rows = record.rows - shift_of(inputs, record.rows.shape[1])
    flat = (tuple(rows.ravel().tolist()), tuple(record.offsets.ravel().tolist()))
    return (record.first, record.parts, *flat, record.sizes)
