"""A kind of level: which arrays it has, how long they are, and what they say.

A kind whose arrays say it in another way than those of compressed levels is a class of
its own, in a file of its own, such as ``loose.py``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nacho._storage.plain_checks import checks

Array = NDArray[Any]


@dataclass(frozen=True)
class LevelKind:
    """What is known of a level by its kind, which is a word with properties.

    A level with ``parents`` positions above it and ``entries`` positions of its own has
    ``pos_length(…)`` elements in ``pos`` and ``crd_length(…)`` in ``crd``.
    """

    word: str
    usual: str
    """The kind that stores the same coordinates in the usual way: itself, or a kind
    with one item of ``crd`` for each entry, and nothing between them."""
    is_full: bool = False
    """Whether every parent has a child at every coordinate, so that nothing is stored.
    Any other level stores coordinates."""
    has_pos: bool = False
    """Whether an array says where the children of each parent begin."""
    shares_positions: bool = False
    """Whether every parent has one child, which has the same position."""
    joins_crd: bool = False
    """Whether the coordinates are a column of the array of the level above."""
    is_unique: bool = True
    """Whether a parent has each coordinate at most once."""
    is_ordered: bool = True
    """Whether the children of a parent are in the order of their coordinates."""

    @property
    def unsupported(self) -> str:
        """Why no kernel reads such a level; empty if kernels read it."""
        return "" if self.is_ordered else "entries are sorted, no level is 'nonordered'"

    @property
    def not_in_results(self) -> str:
        """Why no result has such a level; empty if results may have it.

        Kernels make usual levels, of which levels of other kinds are made then.
        """
        return ""

    @property
    def not_packed(self) -> str:
        """Why nothing is converted to such a level; empty if that is possible."""
        return ""

    @property
    def has_gaps(self) -> bool:
        """Whether positions between fibers may belong to none."""
        return False

    @property
    def fixes_crd(self) -> bool:
        """Whether the levels above and the extent say how long ``crd`` is."""
        return False

    def pos_length(self, parents: int, extent: int) -> int:
        return parents + 1 if self.has_pos else 0

    def crd_length(self, parents: int, entries: int, extent: int) -> int:
        return 0 if self.is_full else entries

    def count(
        self, pos: Array | None, crd: Array | None, parents: int, extent: int
    ) -> int:
        """Return the number of positions of the level."""
        if pos is None:
            return parents * extent if self.is_full else parents
        return int(pos[-1])

    # The functions below are for levels that store coordinates.

    def fibers(
        self, pos: Array | None, parents: int, extent: int
    ) -> tuple[Array, Array]:
        """Return, per parent, the first position of its children and their number."""
        if pos is None:
            return np.arange(parents), np.ones(parents, np.int64)
        return pos[:-1], np.diff(pos)

    def coordinates(self, crd: Array, extent: int) -> Array:
        """Return the coordinate of each position."""
        return crd

    def stored(self, pos: Array, crd: Array, extent: int) -> tuple[Array, Array]:
        """Return the arrays for what a compressed level stores as ``pos`` and ``crd``.

        Coordinates are within the extent.
        """
        return pos, crd

    def wrong_position(self, pos: Array, crd: Array) -> tuple[int, str] | None:
        """Return the first wrong place of ``pos`` and what is expected there."""
        place = checks().check_positions(pos, pos.size - 1, len(crd))
        return None if place < 0 else (place, f"expected {len(crd) if place else 0}")

    def wrong_coordinate(
        self, pos: Array | None, crd: Array, extent: int, threads: int
    ) -> tuple[int, str] | None:
        """Return the first wrong place of ``crd``, and what is wrong there.

        ``threads`` may look for it; 0 are as many as calls use by default.
        """
        assert pos is not None
        place, why = checks().check_coordinates(pos, crd, extent, threads)
        return None if place < 0 else (place, why)


def positions_in(first: Array, lengths: Array) -> Array:
    """Return the positions of fibers, one after the other, without those in gaps."""
    before = np.cumsum(lengths) - lengths
    shift = np.repeat(first.astype(np.int64) - before, lengths)
    found: Array = shift + np.arange(shift.size)
    return found
