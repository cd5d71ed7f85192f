"""The sizes of operands, and the skew of their entries, by which loops are ordered.

Both are rounded, so that operands that are alike share a kernel.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nacho._notation.tree import Assignment, terms
from nacho._storage.device_arrays import HOST
from nacho._storage.formats import Format
from nacho._storage.views import Array, View

Sizes = tuple[tuple[int, ...], ...]
"""Per operand with indices, roughly how many entries it has, and its extents; and the
skew of its dimensions, where the order of loops depends on it."""

_FEWEST = 1 << 16
"""Of operands with fewer entries, the skew is not asked: a call takes too little time
for that."""
_SAMPLE = 1 << 11
_FEWEST_PAIRS = 32
"""If fewer pairs of sampled entries meet, they may do so by chance."""

_Numbers = NDArray[np.integer[Any]]


def are_sizes_relevant(
    assignment: Assignment, formats: Mapping[str, Format | None]
) -> bool:
    """Return whether statements or the order of loops may depend on operands' sizes."""
    if not assignment.reduced:
        return False
    found = [formats[access.name] for access in assignment.accesses if access.indices]
    if len(found) > 1 and len(assignment.reduced) > 1:
        return True
    return sum(format is not None and not format.is_dense for format in found) > 1


def is_skew_relevant(
    assignment: Assignment, formats: Mapping[str, Format | None]
) -> bool:
    """Return whether the order of loops may depend on the skew of operands.

    Two operands have the same products in any order. A sum over several indices is
    split before its loops are ordered. Skew is not known on devices, nor of tensors in
    pieces, so that it may not decide anything but for sparse sums of whole entries,
    which have the same bits in any order of the loops.
    """
    result = formats[assignment.result.name]
    is_sparse = (
        all(f is None or not f.is_dense for f in formats.values())
        if result is None
        else not result.is_dense
    )
    return (
        is_sparse
        and len(assignment.accesses) > 2
        and len(assignment.result.indices) > 1
        and len(assignment.reduced) == 1
        and len(terms(assignment.expr)) == 1
        and assignment.reduction is None
        and not assignment.splits
    )


def rough_sizes(views: Mapping[str, View]) -> Sizes:
    """Return the entries and extents of operands, rounded to powers of two.

    Operands of similar sizes thus share a statement, and so do all of the same shapes
    if all are small. Its cost is a product of several of these numbers, so that they
    may not be much rougher.
    """
    from nacho import _nacho

    small = _nacho.SMALL_OPERAND
    are_small = all(view.values.size <= small for view in views.values())
    return tuple(
        [
            (
                small if are_small else _nacho.roughly(view.values.size),
                *[_nacho.roughly(extent) for extent in view.shape],
            )
            for view in views.values()
        ]
    )


def with_skew(assignment: Assignment, views: Mapping[str, View], sizes: Sizes) -> Sizes:
    """Return sizes with the skew of each dimension, for operands of which it is known.

    The skew of ``j`` in ``A[i,j] * B[j,k]`` tells how many products there are: by which
    factor there are more pairs of an entry of A and one of B with the same j than if
    both were spread evenly. It is estimated by two samples of entries, which are the
    same in each call. Less than a factor of two counts as one.
    """
    accesses = [
        _Sampled(number, access.name, access.indices, views[access.name])
        for number, access in enumerate(assignment.accesses)
        if access.name in views and not access.ranges and _is_known(views[access.name])
    ]
    found = {access.name: [1] * len(access.indices) for access in accesses}
    for index in assignment.indices:
        sharing = [access for access in accesses if index in access.indices]
        for access, skew in zip(sharing, _rough_skews(sharing, index), strict=True):
            at = access.indices.index(index)
            # An operand that is read twice has one skew for both.
            found[access.name][at] = max(found[access.name][at], skew)
    return tuple(
        [(*size, *found.get(name, ())) for name, size in zip(views, sizes, strict=True)]
    )


def _is_known(view: View) -> bool:
    """Return whether entries can be sampled: the host has them, one array for each."""
    format = view.format
    return (
        not format.is_dense
        and not format.parts
        and format.is_usual
        and view.device == HOST
        and view.values.size >= _FEWEST
        and all(array is None or _is_plain(array) for array in (*view.pos, *view.crd))
    )


def _is_plain(array: Array) -> bool:
    """Return whether an array has elements, each of its own.

    A tensor in pieces has arrays of one element that is repeated. That of a corrupt
    operand may be empty, which is refused only when the operand is checked.
    """
    is_repeated = array.strides[0] == 0 and array.size > 1
    return array.ndim == 1 and array.size > 0 and not is_repeated


class _Sampled(NamedTuple):
    """A sparse operand as a statement reads it."""

    number: int
    name: str
    indices: tuple[str, ...]
    view: View

    def level_of(self, index: str) -> int:
        return self.view.format.order.index(self.indices.index(index))

    def coordinates(self, index: str) -> _Numbers:
        """Return the coordinates of the sample, sorted.

        Nobody has checked the arrays yet, so that they may have any elements.
        """
        view, level = self.view, self.level_of(index)
        at: _Numbers = (_fractions(self.number) * view.values.size).astype(np.int64)
        for below in reversed(range(level + 1, len(view.crd))):
            pos = view.pos[below]
            if pos is not None:
                at = np.searchsorted(pos, at, side="right") - 1
            elif view.format.level_kinds[below].is_full:
                at //= view.extents[below]
        crd = view.crd[level]
        if crd is None:
            return np.sort(at % max(1, view.extents[level]))
        return np.sort(crd.take(at, mode="clip"))


@cache
def _fractions(number: int) -> NDArray[np.float64]:
    """Return where in the entries of an access those of its sample are, sorted.

    Two accesses may be to the same operand, and their samples must not be the same.
    """
    generator = random.Random(number)
    return np.sort([generator.random() for _ in range(_SAMPLE)])


def _rough_skews(sharing: Sequence[_Sampled], index: str) -> list[int]:
    """Return the skew of each operand: the least of those with any other operand."""
    samples = [access.coordinates(index) for access in sharing]
    least: dict[int, int] = {}
    for one, other in combinations(range(len(sharing)), 2):
        found, others = samples[one], samples[other]
        pairs = int(
            np.searchsorted(others, found, side="right").sum()
            - np.searchsorted(others, found, side="left").sum()
        )
        access = sharing[one]
        extent = access.view.extents[access.level_of(index)]
        sizes = access.view.values.size, sharing[other].view.values.size
        skew = _rough_skew(pairs, extent, sizes)
        for each in (one, other):
            least[each] = min(skew, least.get(each, skew))
    return [least.get(number, 1) for number in range(len(sharing))]


def _rough_skew(pairs: int, extent: int, sizes: tuple[int, int]) -> int:
    """Return the skew of two operands, a power of two, if so many of a sample meet.

    With their sizes, as they are rounded, it gives a rounded number of pairs.
    """
    from nacho import _nacho

    if pairs < _FEWEST_PAIRS or pairs * extent < 2 * _SAMPLE**2:
        return 1
    met = pairs * sizes[0] * sizes[1] // _SAMPLE**2
    rough = [_nacho.roughly(n) for n in (*sizes, extent)]
    return max(1, _nacho.roughly(met) * rough[2] // (rough[0] * rough[1]))
