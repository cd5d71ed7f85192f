"""Operands for an expression that nobody has given any: small, random and skewed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from nacho._arrays.tensor import Tensor
from nacho._kernels.pins import default_format
from nacho._notation.tree import Assignment
from nacho._storage.formats import Format
from nacho.errors import FormatError, displayed

_EXTENT, _SMALL_EXTENT = 64, 16
"""The extents of all indices; the smaller one if an operand has three indices."""
_ENTRIES = 6
"""So many entries are drawn for each row."""


def sampled(assignment: Assignment, formats: Mapping[str, str]) -> dict[str, Any]:
    """Return operands in some formats; the same ones each time."""
    for name in formats:
        if name not in (*assignment.tensors, assignment.result.name):
            raise FormatError(f"{displayed(name)} is no tensor of the expression")
    highest = max(assignment.ranks.values(), default=0)
    extent = _EXTENT if highest <= 2 else _SMALL_EXTENT
    rng = np.random.default_rng(0)
    return {
        name: _tensor(rng, rank, extent, formats.get(name)) if rank else 2.0
        for name, rank in assignment.ranks.items()
    }


def _tensor(
    rng: np.random.Generator, rank: int, extent: int, format: str | None
) -> Tensor:
    wanted = Format(format or default_format(rank))
    shape = (extent,) * rank
    if wanted.is_dense:
        return Tensor.from_dense(rng.random(shape), wanted)
    count = extent * _ENTRIES if rank > 1 else extent // 2
    # Squares of numbers up to 1 are rather small: the first rows are the heaviest.
    coords = (rng.random((rank, count)) ** 2 * extent).astype(np.int32)
    return Tensor.from_coo(coords, rng.random(count), shape=shape, format=wanted)
