"""The slices that a module makes of its arguments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nacho.errors import ShapeError

if TYPE_CHECKING:
    from nacho import _nacho


@dataclass(frozen=True)
class SliceBounds:
    """Where a slice of an operand lies, by dimension.

    Each number is given, or has the name of the operand that it is.
    """

    operand: str
    dimensions: tuple[tuple[int | str, ...], ...]
    """The offset, the size and the stride of each dimension."""

    @classmethod
    def of(cls, slice: _nacho.SliceDescription, names: Sequence[str]) -> SliceBounds:
        """Return where a slice lies. ``names`` are those of the arguments."""

        def given(number: _nacho.NumberDescription) -> int | str:
            return names[number.value] if number.is_argument else number.value

        dimensions = tuple(tuple(map(given, each)) for each in slice.dimensions)
        return cls(names[slice.argument], dimensions)

    def require_inside(
        self, shape: tuple[int, ...], operands: Mapping[str, Any]
    ) -> None:
        """Refuse a slice that is not inside of the operand."""

        def read(number: int | str) -> int:
            return number if isinstance(number, int) else int(operands[number])

        for dimension, numbers in enumerate(self.dimensions):
            offset, size, stride = (read(number) for number in numbers)
            last = offset + max(size - 1, 0) * stride
            is_inside = 0 <= offset <= last < shape[dimension] + (size == 0)
            if size < 0 or stride < 1 or not is_inside:
                raise ShapeError(
                    f"a slice has {size} coordinates from {offset} on, in steps of "
                    f"{stride}, in dimension {dimension} of operand "
                    f"'{self.operand}', whose extent is {shape[dimension]}"
                )
