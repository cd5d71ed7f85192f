"""Plans of steps on pieces: their cuts, and how many parts there are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from nacho._kernels.program import Program
from nacho._pieces.groups import Wanted
from nacho._pieces.tensor import Numbers

_MOST_CUTS = 1 << 20
"""The client knows at most so many cuts of parts that devices compute."""

_MOST_TABLES = 1 << 13
"""A device fills at most so many tables, each for a part of its own."""


@dataclass(frozen=True)
class Plan:
    """The cuts of a step."""

    total: int
    """The cost of all parts."""
    rows: Numbers
    """A row for each cut, with the cost before it, its coordinates and positions."""
    inner: int = 1
    """The number of parts into which a device divides each part."""

    @property
    def parts(self) -> int:
        return len(self.rows) - 1


class NotAloneError(Exception):
    """Parts do not run alone. The text says why, which is found while they run."""


class Division(NamedTuple):
    """How a step is divided."""

    parts: int
    inner: int = 1


def division_of(
    program: Program,
    number: int,
    wanted: Wanted,
    total: int,
    row_size: int,
    *,
    groups: int,
    on_device: bool,
) -> Division:
    """Return how a step is divided, of this total cost, with rows of so many sums.

    There are as many parts as on one machine. Where neither sums nor lists need its
    cuts, the client only finds those between ``groups``, one for each task, and devices
    divide each group again.
    """
    if wanted.is_exact and number + 1 == len(program.steps):
        return Division(wanted.asked)
    about = (wanted.asked, wanted.chosen, total, row_size)
    parts = program.native.num_parts(number, *about)
    step = program.steps[number]
    if not on_device:
        return Division(parts)
    if not step.has_sums and not any(is_made for is_made, _ in step.inputs):
        count = min(parts, groups)
        inner = -(-parts // count)
        if step.has_tables:
            inner = min(inner, max(_MOST_TABLES // count, 1))
        return Division(count, inner)
    if step.has_sums and parts > _MOST_CUTS:
        raise NotAloneError(
            f"its sums depend on the cuts of {parts} parts, more than {_MOST_CUTS}"
        )
    return Division(min(parts, _MOST_CUTS))
