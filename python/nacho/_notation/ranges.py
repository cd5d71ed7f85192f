"""Ranges of coordinates: ``2:10`` in ``A[:, 2:10][i,j]``, with Python's meaning."""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_lowercase
from typing import NamedTuple, SupportsIndex, TypeGuard

from nacho.errors import ArgumentError

_LARGEST = (1 << 63) - 1
"""No extent is larger, so that bounds beyond it mean the same as it."""


class Range(NamedTuple):
    """The coordinates from a first one up to, but without, an end.

    A bound that is None lies where the dimension does, and a negative one is counted
    from its end. What lies outside of the dimension is left out.
    """

    begin: int | None = None
    end: int | None = None

    @property
    def is_whole(self) -> bool:
        """Whether it has all coordinates of any dimension."""
        return self.end is None and not self.begin

    @property
    def text(self) -> str:
        """The range in the notation."""
        begin, end = ("" if bound is None else str(bound) for bound in self)
        return f"{begin}:{end}"

    @property
    def bounds(self) -> tuple[int, int | None]:
        """Both bounds, of which no number is too large for 64 bits."""
        begin, end = (
            None if bound is None else max(-_LARGEST, min(bound, _LARGEST))
            for bound in self
        )
        return begin or 0, end

    def number(self, index: str) -> str:
        """Return what is written for a number that counts its coordinates."""
        return str(int(index) + (self.begin or 0))

    def size(self, extent: int) -> int:
        """Return how many coordinates of a dimension it has."""
        return len(range(extent)[self.begin : self.end])


Place = str | Range
"""What stands in brackets: the name of an index, a number, or a range."""


def is_name(place: Place) -> TypeGuard[str]:
    """Return whether the name of an index stands in brackets."""
    return isinstance(place, str) and not place.lstrip("-").isdecimal()


def indices_and_ranges(
    part: Sequence[Place], places: Sequence[Place]
) -> tuple[tuple[str, ...], tuple[Range, ...]] | None:
    """Return the indices of an access, and their ranges unless all are whole.

    ``part`` has the numbers and ranges that come before. It is None if one of these is
    among the ``places`` behind them, or has no index there.
    """
    names = list(filter(is_name, places))
    if any(isinstance(place, Range) or part for place in places if not is_name(place)):
        return None
    whole = Range()
    given = part or [whole if is_name(place) else place for place in places]
    missing = len(names) - sum(isinstance(place, Range) for place in given)
    if missing < 0:
        return None
    rest = iter(names)
    pairs = [
        (next(rest), each) if isinstance(each, Range) else _of_number(each)
        for each in (*given, *(whole for _ in range(missing)))
    ]
    indices, ranges = zip(*pairs, strict=True)
    return indices, () if all(each.is_whole for each in ranges) else ranges


def _of_number(number: str) -> tuple[str, Range]:
    """Return the index and the range that stand for a number in brackets.

    One that is negative is the only coordinate of a range that the end determines.
    """
    value = int(number)
    if value >= 0:
        return number, Range()
    return "0", Range(value, value + 1 or None)


def spelled_in_order(name: str, part: Sequence[Place], places: Sequence[Place]) -> str:
    """Write an access with ranges before indices, which are made up if they lack."""
    dimensions = part or places
    free = (letter for letter in ascii_lowercase[8:] if letter not in places)
    given = (place for place in places if part and is_name(place))
    ranges = ", ".join(":" if is_name(each) else _text(each) for each in dimensions)
    indices = ",".join(
        _text(each) if is_name(each) else next(given, "") or next(free)
        for each in dimensions
        if is_name(each) or isinstance(each, Range)
    )
    return f"{name}[{ranges}][{indices}]"


def _text(place: Place) -> str:
    return place if isinstance(place, str) else place.text


def key_text(key: Sequence[object]) -> str:
    """Write slices of Python, and numbers beside them, in the notation."""
    places: list[str] = []
    for each in key:
        if isinstance(each, slice):
            if each.step not in (None, 1):
                message = "ranges have no steps: slice the container before"
                raise ArgumentError(message)
            places.append(Range(*map(_bound, (each.start, each.stop))).text)
        else:
            places.append(str(_number(each)))
    return f"[{', '.join(places)}]"


def _bound(bound: object) -> int | None:
    if bound is None:
        return None
    if isinstance(bound, SupportsIndex) and not isinstance(bound, bool):
        return bound.__index__()
    raise ArgumentError("the bounds of a range are integers")


def _number(place: object) -> int:
    """Return the number that stands beside ranges."""
    if not isinstance(place, SupportsIndex) or isinstance(place, bool):
        raise ArgumentError(
            "ranges come before indices: access(A)[:, 2:10][i, j], not "
            "access(A)[i, 2:10]"
        )
    return place.__index__()
