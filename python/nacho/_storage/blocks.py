"""Containers in blocks, such as BSR: their formats, and results that become one."""

from __future__ import annotations

import sys
from typing import Any

from nacho._notation.tree import Split
from nacho._storage.containers import is_bsr
from nacho._storage.formats import Format
from nacho._storage.splitting import bsr_array, bsr_format, is_bsr_format
from nacho._storage.tensor_data import TensorData
from nacho._storage.views import SCIPY_ARRAY, SCIPY_MATRIX, View


def format_in_blocks(value: Any) -> Format | None:
    """Return the format of a container, if it is in blocks.

    Blocks of one row or column have no two levels for it: such a bsr is read as csr.
    """
    if isinstance(value, TensorData):
        return value.format if value.format.parts else None
    if not is_bsr(value) or value.data.ndim != 3 or min(value.data.shape[1:]) < 2:
        return None
    return bsr_format(*value.data.shape[1:])


def joined(made: Any, split: Split, library: str) -> Any:
    """Return a result with the dimensions that callers see, in place of its parts.

    One that is stored as SciPy's bsr becomes one if ``library`` is SciPy.
    """
    shape = [1] * (1 + max(part.dimension for part in split.parts))
    for part, extent in zip(split.parts, made.shape, strict=True):
        shape[part.dimension] *= extent
    if not split.format:
        return made.reshape(shape)
    format, view = Format(split.format).for_rank(len(shape)), made._view
    view = View(format, (*shape,), view.pos, view.crd, view.values)
    if library not in (SCIPY_ARRAY, SCIPY_MATRIX) or not is_bsr_format(format):
        return type(made)._of(view)
    family = "array" if library == SCIPY_ARRAY else "matrix"
    return bsr_array(view, getattr(sys.modules["scipy.sparse"], f"bsr_{family}"))
