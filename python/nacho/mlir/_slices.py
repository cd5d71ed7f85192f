"""The slices that a lowered module makes of its arguments."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nacho.errors import ShapeError

Accesses = list[tuple[str, tuple[str, ...]]]
"""Tensors, by name or by value, and the indices by which each is accessed."""
Slice = tuple[str, str, str]
"""The value of a slice, that of the whole tensor, and a list of the sizes."""

_SLICE = re.compile(
    r"(%[\w$.-]+) = nacho\.slice (%[\w$.-]+) "
    r"\[([^\]]*)\] \[([^\]]*)\] \[([^\]]*)\]"
)
_ELEMENT = re.compile(r"(%[\w$.-]+) = tensor\.extract (%[\w$.-]+)\[\]")
_INDEX = re.compile(r"(%[\w$.-]+) = arith\.index_cast (%[\w$.-]+) :")
_READ_NUMBER = re.compile(r"= tensor\.extract (%[\w$.-]+)\[\]")


def slices_in(text: str) -> list[Slice]:
    """Return the slices that a function makes."""
    return [(made, of, sizes) for made, of, _, sizes, _ in _SLICE.findall(text)]


@dataclass(frozen=True)
class SliceBounds:
    """Where a slice of an operand lies, by dimension.

    Each number is given, or has the name of the operand that it is.
    """

    operand: str
    dimensions: tuple[tuple[int | str, int | str, int | str], ...]
    """The offset, the size and the stride."""

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


def bounds_of_slices(text: str, operands: Mapping[str, str]) -> list[SliceBounds]:
    """Return where the slices of a function lie. ``operands`` has names by value."""
    elements, indices = dict(_ELEMENT.findall(text)), dict(_INDEX.findall(text))

    def number_of(given: str) -> int | str:
        if not given.startswith("%"):
            return int(given)
        return operands[elements[indices[given]]]

    return [
        SliceBounds(
            operands[source],
            tuple(
                (number_of(offset), number_of(size), number_of(stride))
                for offset, size, stride in zip(
                    *(numbers.split(", ") for numbers in lists), strict=True
                )
            ),
        )
        for _, source, *lists in _SLICE.findall(text)
    ]


def sizes_of_indices(
    accesses: Accesses, sizes: Mapping[str, Sequence[str]]
) -> dict[str, int]:
    """Return the extents of indices by which tensors of known sizes are accessed."""
    return {
        index: int(size)
        for value, indices in accesses
        for index, size in zip(indices, sizes.get(value, ()), strict=False)
        if size.isdecimal()
    }


def numbers_read(header: str, accesses: Accesses) -> Accesses:
    """Return the accesses of numbers that the function reads before the assignment."""
    read = {value for value, _ in accesses}
    numbers = dict.fromkeys(_READ_NUMBER.findall(header))
    return [(value, ()) for value in numbers if value not in read]


def of_whole_tensors(
    accesses: Accesses,
    slices: Sequence[Slice],
    operands: Mapping[str, str],
) -> Accesses:
    """Return the accesses of arguments for those of slices of them.

    Each dimension of the argument has an index of its own.
    """
    sources = {value: source for value, source, _ in slices}
    taken = {index for _, indices in accesses for index in indices}
    found = []
    for value, indices in accesses:
        if value in sources:
            value = sources[value]
            stem = operands.get(value, "")
            while any(f"{stem}{n}" in taken for n in range(len(indices))):
                stem += "_"
            indices = tuple(f"{stem}{n}" for n in range(len(indices)))
        found.append((value, indices))
    return found
