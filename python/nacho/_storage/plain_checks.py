"""Checks of index arrays, by the extension or, where no compiler may be, by NumPy.

The extension has the compiler in it. A process that only calls kernels of files does
not load it: NumPy finds the same faults there, if more slowly.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

_calls_files = False


def call_files() -> None:
    """Say that this process calls kernels of files, and may need no compiler."""
    global _calls_files
    _calls_files = True


def checks() -> Any:
    """Return what has the three functions ``check_…``; see ``_nacho.pyi``."""
    if _calls_files and "nacho._nacho" not in sys.modules:
        return PlainChecks
    from nacho import _nacho

    return _nacho


class PlainChecks:
    """The checks by NumPy."""

    @staticmethod
    def check_positions(pos: Array, length: int, nnz: int) -> int:
        """Return the first wrong one of length + 1 positions; -1 if there is none."""
        before, after = pos[:length], pos[1 : length + 1]
        if pos[0] == 0 and pos[length] == nnz and not (after < before).any():
            return -1
        wrong = np.zeros(length + 1, np.bool_)
        wrong[0] = pos[0] != 0
        wrong[1:] = (after < before) | (after > nnz)
        wrong[length] |= pos[length] != nnz
        return _first(wrong)

    @staticmethod
    def check_coordinates(
        pos: Array, crd: Array, extent: int, threads: int = 0
    ) -> tuple[int, str]:
        """Return the first coordinate that is wrong in its fiber, and why; or -1."""
        place, _, why = PlainChecks.check_tuples(pos, [crd], [extent], threads)
        return place, why

    @staticmethod
    def check_tuples(
        pos: Array, crds: Sequence[Array], extents: Sequence[int], threads: int = 0
    ) -> tuple[int, int, str]:
        """Return the first wrong tuple of coordinates, the level, and why; or -1."""
        found: list[tuple[int, int, int, str]] = []
        for level, (crd, extent) in enumerate(zip(crds, extents, strict=True)):
            place = _first((crd < 0) | (crd >= extent))
            if place >= 0:
                found.append((place, 0, level, "range"))
        size = crds[0].size
        inside = np.ones(max(size - 1, 0), np.bool_)
        """Whether an entry and the one before it are in the same fiber."""
        starts = pos[(pos > 0) & (pos < size)]
        inside[starts - 1] = False
        equal, before = inside.copy(), np.zeros_like(inside)
        for crd in crds:
            before |= equal & (crd[1:] < crd[:-1])
            equal &= crd[1:] == crd[:-1]
        for wrong, why in ((before, "order"), (equal, "duplicate")):
            place = _first(wrong)
            if place >= 0:
                found.append((place + 1, 1, 0, why))
        if not found:
            return -1, -1, ""
        place, _, level, why = min(found)
        return place, level, why


def _first(wrong: Array) -> int:
    """Return where the first true element is; -1 if there is none."""
    place = int(np.argmax(wrong)) if wrong.size else 0
    return place if wrong.size and wrong[place] else -1
