"""Levels with gaps between their fibers, which MLIR calls ``loose_compressed``.

Their ``pos`` has two items per parent: where its children begin, and where they end.
Fibers follow one another in the order of their parents. What lies in gaps belongs to no
fiber, and may be anything.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def in_pairs(pos: Array) -> Array:
    """Return the ends of fibers in pairs; ``pos`` is that of a level without gaps."""
    return np.stack([pos[:-1], pos[1:]], axis=1).reshape(-1)


def lengths_of(pairs: Array) -> Array:
    """Return the number of positions of each fiber."""
    return pairs[1::2] - pairs[::2]


def positions_in(first: Array, lengths: Array) -> Array:
    """Return the positions of fibers, one after the other, without those in gaps."""
    before = np.cumsum(lengths) - lengths
    shift = np.repeat(first.astype(np.int64) - before, lengths)
    found: Array = shift + np.arange(shift.size)
    return found


def first_fall(pairs: Array, entries: int) -> int:
    """Return the first wrong item of ``pos``: a negative one, a fall, or one too large.

    If there is none, return -1.
    """
    before = np.concatenate((np.zeros(1, pairs.dtype), pairs[:-1]))
    wrong = np.flatnonzero((pairs < before) | (pairs > entries))
    return int(wrong[0]) if wrong.size else -1


def first_violation(pairs: Array, crd: Array, extent: int) -> tuple[int, str]:
    """Return the first wrong position in a fiber, and what is wrong; -1 if none is."""
    lengths = lengths_of(pairs)
    places = positions_in(pairs[::2], lengths)
    stored = crd[places]
    outside = (stored < 0) | (stored >= extent)
    begins = np.zeros(stored.size, np.bool_)
    begins[(np.cumsum(lengths) - lengths)[lengths > 0]] = True
    rises = np.ones(stored.size, np.bool_)
    rises[1:] = (stored[1:] > stored[:-1]) | begins[1:]
    wrong = np.flatnonzero(outside | ~rises)
    if not wrong.size:
        return -1, "none"
    at = int(wrong[0])
    if outside[at]:
        return int(places[at]), "range"
    is_same = stored[at] == stored[at - 1]
    return int(places[at]), "duplicate" if is_same else "order"
