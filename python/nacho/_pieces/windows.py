"""Windows: elements of the arrays of a tensor, which are found by their whole indices.

Positions in ``pos`` are those of the whole tensor, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from nacho._storage.views import Array

Range = tuple[int, int]
"""The first element of an array, and the one after the last."""


class Windows(NamedTuple):
    """One window of each array of a tensor: those of its levels, then its values."""

    begins: tuple[int, ...]
    arrays: tuple[Array, ...]

    @property
    def ranges(self) -> list[Range]:
        """The elements of each array."""
        pairs = zip(self.begins, self.arrays, strict=True)
        return [(begin, begin + array.size) for begin, array in pairs]

    @property
    def nbytes(self) -> int:
        return sum(array.nbytes for array in self.arrays)

    def cut(self, ranges: Sequence[Range]) -> Windows:
        """Return what these windows have of the given elements of each array."""
        begins: list[int] = []
        arrays: list[Array] = []
        for (first, last), (begin, end), array in zip(
            ranges, self.ranges, self.arrays, strict=True
        ):
            low = min(max(first, begin), end)
            high = max(min(last, end), low)
            begins.append(low)
            arrays.append(array[low - begin : high - begin])
        return Windows(tuple(begins), tuple(arrays))


def joined(ranges: Sequence[Range], windows: Sequence[Windows]) -> Windows:
    """Return windows of the given elements, all of which some of the windows have.

    An array is copied only if no window has all that is needed of it.
    """
    arrays = [
        _joined(wanted, [(each.begins[n], each.arrays[n]) for each in windows])
        for n, wanted in enumerate(ranges)
    ]
    return Windows(tuple(begin for begin, _ in ranges), tuple(arrays))


def _joined(wanted: Range, windows: Sequence[tuple[int, Array]]) -> Array:
    begin, end = wanted
    for first, array in windows:
        if first <= begin and end <= first + array.size:
            return array[begin - first : end - first]
    made = np.empty(end - begin, windows[0][1].dtype)
    filled = np.zeros(len(made), bool) if __debug__ else None
    for first, array in windows:
        low, high = max(begin, first), min(end, first + array.size)
        if low < high:
            made[low - begin : high - begin] = array[low - first : high - first]
            if filled is not None:
                filled[low - begin : high - begin] = True
    assert filled is None or filled.all(), "an element is in no window"
    return made
