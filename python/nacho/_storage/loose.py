"""Levels with gaps between their fibers, which MLIR calls ``loose_compressed``.

Their ``pos`` has two items per parent: where its children begin, and where they end.
Fibers follow one another in the order of their parents. What lies in gaps belongs to no
fiber, and may be anything.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nacho._storage.level_kind import Array, LevelKind, positions_in


@dataclass(frozen=True)
class LooseKind(LevelKind):
    """Levels whose fibers may have gaps between them."""

    @property
    def unsupported(self) -> str:
        return super().unsupported if self.is_unique else "a level with gaps is unique"

    @property
    def not_in_results(self) -> str:
        return "results have no gaps, no level is 'loose_compressed'"

    @property
    def has_gaps(self) -> bool:
        return True

    def pos_length(self, parents: int, extent: int) -> int:
        return 2 * parents

    def count(
        self, pos: Array | None, crd: Array | None, parents: int, extent: int
    ) -> int:
        # There may be a gap behind the last fiber.
        assert crd is not None
        return int(crd.shape[0])

    def fibers(
        self, pos: Array | None, parents: int, extent: int
    ) -> tuple[Array, Array]:
        assert pos is not None
        return pos[::2], pos[1::2] - pos[::2]

    def stored(self, pos: Array, crd: Array, extent: int) -> tuple[Array, Array]:
        return np.stack([pos[:-1], pos[1:]], axis=1).reshape(-1), crd

    def wrong_position(self, pos: Array, crd: Array) -> tuple[int, str] | None:
        before = np.concatenate((np.zeros(1, pos.dtype), pos[:-1]))
        wrong = np.flatnonzero((pos < before) | (pos > len(crd)))
        expected = f"expected a position in [0, {len(crd)}]"
        return (int(wrong[0]), expected) if wrong.size else None

    def wrong_coordinate(
        self, pos: Array | None, crd: Array, extent: int, threads: int
    ) -> tuple[int, str] | None:
        first, lengths = self.fibers(pos, 0, extent)
        places = positions_in(first, lengths)
        stored = crd[places]
        outside = (stored < 0) | (stored >= extent)
        begins = np.zeros(stored.size, np.bool_)
        begins[(np.cumsum(lengths) - lengths)[lengths > 0]] = True
        rises = np.ones(stored.size, np.bool_)
        rises[1:] = (stored[1:] > stored[:-1]) | begins[1:]
        wrong = np.flatnonzero(outside | ~rises)
        if not wrong.size:
            return None
        at = int(wrong[0])
        if outside[at]:
            return int(places[at]), "range"
        is_same = stored[at] == stored[at - 1]
        return int(places[at]), "duplicate" if is_same else "order"
