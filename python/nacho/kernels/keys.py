"""Lists and trees of entries (COO, CSF) are merged by keys, or level by level."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from math import prod

from nacho.notation.tree import Assignment
from nacho.storage.formats import LISTS, TensorType
from nacho.storage.views import View

_MOST_BITS = 62
_LONG_ROW = 16
"""From so many entries on it pays to take a row as a whole, or to skip it."""


def merges_lists(
    assignment: Assignment, types: Mapping[str, TensorType], result: TensorType
) -> bool:
    """Return whether all tensors are lists or trees with the same indices.

    The result may be a scalar, but no tree.
    """
    accesses = [access for access in assignment.accesses if access.indices]
    if len(accesses) < 2:
        return False
    indices = accesses[0].indices
    kept = assignment.result.indices
    return (
        1 < len(indices) == len(set(indices))
        and all(access.indices == indices for access in accesses)
        and all(_is(types[access.name], *LISTS, "csf") for access in accesses)
        and (not kept or (kept == indices and _is(result, *LISTS)))
    )


def _is(type: TensorType, *names: str) -> bool:
    return type.format is not None and type.format.name in names


def suit_keys(lists: Collection[View], worth: int) -> bool:
    """Return whether operands of one shape have keys, and these are a gain.

    With fewer entries than are ``worth`` a choice, that depends on their rank.
    """
    shape = next(iter(lists)).shape
    bits = sum((extent - 1).bit_length() for extent in shape if extent)
    if bits > _MOST_BITS:
        return False
    entries = sum(view.values.size for view in lists)
    if entries < worth:
        return suits_rank(len(shape))
    return entries < _LONG_ROW * sum(_most_rows(view) for view in lists)


def suits_rank(rank: int) -> bool:
    """Return whether keys are a gain for most operands of a rank."""
    return rank > 2


def _most_rows(view: View) -> int:
    """Return how many rows have entries; of a list, how many there can be."""
    pos = view.pos[-1]
    return prod(view.shape[:-1]) if pos is None else len(pos) - 1
