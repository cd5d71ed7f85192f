"""Groups of parts, each of which one task computes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

_LARGEST = 1 << 25
"""A task brings together no more bytes of operands, if there are parts enough."""


_KEPT = 4
"""Of so many groups for each task that runs at a time, memory has the operands."""


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


def are_few(groups: Sequence[int], slots: int) -> bool:
    """Return whether the operands of all groups fit into memory a second time."""
    return len(groups) - 1 <= _KEPT * slots


def place_of(group: int, groups: Sequence[int]) -> dict[str, Any]:
    """Return the place of a group in the line of all machines, and its turn."""
    return {"at": group / (len(groups) - 1), "turn": group}
