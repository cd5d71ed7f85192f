"""Levels whose fibers all have n of m coordinates, ``structured[n, m]``.

There is no ``pos``: the children of parent p have the positions n * p to n * (p + 1).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nacho._storage.level_kind import Array, LevelKind


@dataclass(frozen=True)
class StructuredKind(LevelKind):
    """Levels of which every parent has the same number of children."""

    per_parent: int = 1

    @property
    def not_in_results(self) -> str:
        return "no level of a result is 'structured'"

    @property
    def not_packed(self) -> str:
        return "only from_parts makes a level that is 'structured'"

    @property
    def fixes_crd(self) -> bool:
        return True

    def count(
        self, pos: Array | None, crd: Array | None, parents: int, extent: int
    ) -> int:
        return parents * self.per_parent

    def fibers(
        self, pos: Array | None, parents: int, extent: int
    ) -> tuple[Array, Array]:
        first = self.per_parent * np.arange(parents)
        return first, np.full(parents, self.per_parent)

    def wrong_coordinate(
        self, pos: Array | None, crd: Array, extent: int, threads: int
    ) -> tuple[int, str] | None:
        bounds = np.arange(0, crd.size + 1, self.per_parent)
        return super().wrong_coordinate(bounds, crd, extent, threads)
