"""Groups of parts, each of which one task computes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

_LARGEST = 1 << 25
"""A task brings together no more bytes of operands, if there are parts enough."""


_KEPT = 4
"""Of so many groups for each task that runs at a time, memory has the operands."""

_SMALL = 1 << 20
"""Blocks with fewer bytes are joined where there are many."""
_MANY = 4
"""There are many if each task that runs at a time would have more than so many."""


class Wanted(NamedTuple):
    """How many parts are wanted."""

    asked: int
    """The number that the caller asked for, or 0."""
    chosen: int
    """The number if nobody asked for one."""
    is_exact: bool = False
    """Whether the result has to be made by as many, also if sums depend on that."""


def most_groups(size: int, slots: int) -> int:
    """Return into how many groups parts are put, whose operands have so many bytes."""
    return max(slots, -(-size // _LARGEST))


def groups_of(parts: int, most: int) -> list[int]:
    """Return the first parts of groups with equally many, and the number of parts."""
    count = max(min(parts, most), 1)
    return [group * parts // count for group in range(count + 1)]


def neighbours(sizes: Sequence[int], slots: int) -> list[tuple[int, int]]:
    """Return ranges of blocks, with so many bytes each, that make a piece together.

    Of few blocks, each is a piece. Of many, small ones are joined with those that
    follow, since every piece takes several tasks.
    """
    most = _MANY * slots
    if len(sizes) <= most:
        return [(number, number + 1) for number in range(len(sizes))]
    least = min(_SMALL, max(sum(sizes) // most, 1))
    found: list[tuple[int, int]] = []
    begin = joined = 0
    for end, size in enumerate(sizes, 1):
        joined += size
        if joined >= least or end == len(sizes):
            found.append((begin, end))
            begin, joined = end, 0
    return found


def are_few(groups: Sequence[int], slots: int) -> bool:
    """Return whether the operands of all groups fit into memory a second time."""
    return len(groups) - 1 <= _KEPT * slots


def place_of(group: int, groups: Sequence[int]) -> dict[str, Any]:
    """Return the place of a group in the line of all machines, and its turn."""
    return {"at": group / (len(groups) - 1), "turn": group}
