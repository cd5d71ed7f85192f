"""Lists of entries (COO) are merged by one key each, or level by level."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from math import prod

from nacho.formats import TensorType
from nacho.notation import Assignment
from nacho.views import View

_MOST_BITS = 62
_LONG_ROW = 16
"""From so many entries on it pays to take a row as a whole, or to skip it."""


def merges_lists(
    assignment: Assignment, types: Mapping[str, TensorType], result: TensorType
) -> bool:
    """Return whether all tensors are lists with the same indices.

    The result may be a scalar.
    """
    accesses = [access for access in assignment.accesses if access.indices]
    if len(accesses) < 2:
        return False
    indices = accesses[0].indices
    kept = assignment.result.indices
    formats = [types[access.name].format for access in accesses]
    if kept:
        formats.append(result.format)
    return (
        1 < len(indices) == len(set(indices))
        and all(access.indices == indices for access in accesses)
        and (not kept or kept == indices)
        and all(format is not None and format.name == "coo" for format in formats)
    )


def suit_keys(lists: Collection[View]) -> bool:
    """Return whether lists of one shape have keys, and their rows are short."""
    shape = next(iter(lists)).shape
    bits = sum((extent - 1).bit_length() for extent in shape if extent)
    entries = sum(view.values.size for view in lists)
    return bits <= _MOST_BITS and entries < _LONG_ROW * len(lists) * prod(shape[:-1])
