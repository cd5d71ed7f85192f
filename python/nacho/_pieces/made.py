"""Tensors that steps make: their formats and shapes, and the loops over levels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from nacho._kernels.program import Layout, Level, Step
from nacho._storage.formats import Format

_MOST_POSITIONS = 2**62
"""The extent of a level of a list that keeps positions."""

_POSITIONS, _COORDINATES = (True, 0, 1), (False, 1, 0)
"""What is known of arrays of levels that are cut, besides their types."""


class Made(NamedTuple):
    """What a step makes."""

    format: Format
    shape: tuple[int, ...]
    library: str
    """The library whose containers the whole result would be in."""
    loops: tuple[int, ...]
    """The numbers of the cut loops over the levels, or -1."""

    def with_shape(self, extents: Sequence[int]) -> Made:
        """Return the same with the extents of a list, which is made by then."""
        return self._replace(shape=tuple(min(x, _MOST_POSITIONS) for x in extents))

    @property
    def extents(self) -> tuple[int, ...]:
        """The extents of the levels."""
        return tuple(self.shape[dimension] for dimension in self.format.order)


def made_list(step: Step) -> Made:
    """Return what a step makes whose result is a list for later steps.

    Its extents are known once it is made. Entries that are sorted then come in no order
    of loops.
    """
    rank = len(step.layouts[-1].levels)
    listed = 0 if step.is_sorted else rank - len(step.kept)
    loops = (*range(listed), *[-1] * (rank - listed))
    levels = tuple(enumerate(_kinds(step.layouts[-1])))
    return Made(Format.of_levels(levels), (), "nacho", loops)


def made_tensor(step: Step, extents: Mapping[str, int]) -> Made | None:
    """Return what a step makes that computes a part of the expression first.

    ``extents`` are those of the indices. There is nothing if its levels are none that
    are cut into pieces, or if it is not known which loops are over them.
    """
    kinds = _kinds(step.layouts[-1])
    indices = step.indices_made
    if len(kinds) != len(indices) or not all(index in extents for index in indices):
        return None
    levels = tuple(enumerate(kinds))
    format = Format.of_levels(levels) if levels else Format("dense")
    loops = tuple(
        step.order.index(index) if index in step.order else -1 for index in indices
    )
    return Made(format, tuple(extents[index] for index in indices), "nacho", loops)


def _kinds(layout: Layout) -> list[str]:
    """Return the kinds of levels, up to the first one that is not cut into pieces."""
    kinds: list[str] = []
    for n, level in enumerate(layout.levels):
        is_shared = any(each.shares_positions for each in layout.levels[n + 1 : n + 2])
        kind = _kind(level, is_shared=is_shared)
        if kind is None:
            break
        kinds.append(kind)
    return kinds


def _kind(level: Level, *, is_shared: bool) -> str | None:
    """Return the kind of a level, whose positions the next one may share."""
    about = [each[1:] for each in level.arrays]
    if level.is_full:
        return None if about else "dense"
    if about == [_COORDINATES]:
        return "singleton(nonunique, soa)" if is_shared else "singleton(soa)"
    if about != [_POSITIONS, _COORDINATES]:
        return None
    return "compressed(nonunique)" if is_shared else "compressed"
