"""The slices that a lowered module makes of its arguments."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

Accesses = list[tuple[str, tuple[str, ...]]]
"""Tensors, by name or by value, and the indices by which each is accessed."""
Slice = tuple[str, str, str]
"""The value of a slice, that of the whole tensor, and a list of the sizes."""

_SLICE = re.compile(
    r"(%[\w$.-]+) = nacho\.slice (%[\w$.-]+) \[[^\]]*\] \[([^\]]*)\] \["
)
_READ_NUMBER = re.compile(r"= tensor\.extract (%[\w$.-]+)\[\]")


def slices_in(text: str) -> list[Slice]:
    """Return the slices that a function makes."""
    return _SLICE.findall(text)


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
