"""Tensors in blocks, such as BSR: kernels see an index for each of their levels.

An extent of 6 in blocks of 2 becomes the extents 3 and 2, of the blocks and inside of
each; what is dense is split likewise. No array changes.
"""

from __future__ import annotations

import sys
from typing import Any

from nacho._notation.tree import Parts, Split
from nacho._storage.containers import blocks_view, is_bsr, view_of
from nacho._storage.device_arrays import HOST
from nacho._storage.formats import Format
from nacho._storage.splitting import (
    bsr_array,
    bsr_format,
    by_levels,
    is_bsr_format,
    require_multiples,
)
from nacho._storage.tensor import Tensor
from nacho._storage.views import SCIPY_ARRAY, SCIPY_MATRIX, View, subject
from nacho.errors import UnsupportedError


def format_in_blocks(value: Any) -> Format | None:
    """Return the format of a container, if it is in blocks.

    Blocks of one row or column have no two levels for it: such a bsr is read as csr.
    """
    if isinstance(value, Tensor):
        return value.format if value.format.parts else None
    if not is_bsr(value) or value.data.ndim != 3 or min(value.data.shape[1:]) < 2:
        return None
    return bsr_format(*value.data.shape[1:])


# --- Operands -------------------------------------------------------------------------


def split_view(name: str, value: Any, split: Split) -> View:
    """Return the view of an operand whose dimensions a kernel sees as several."""
    rank = 1 + max(part.dimension for part in split.parts)
    if split.format:
        view = _view_in_blocks(name, value, rank, Format(split.format))
        _require_host(name, view)
        return by_levels(view)
    view = view_of(name, value, rank)
    _require_host(name, view)
    if not view.format.is_dense:
        raise UnsupportedError(
            f"operand '{name}': {view.format} shares an index with a tensor in blocks: "
            "its coordinates would have to be split; convert one of them"
        )
    require_multiples(view.shape, split.parts, subject(name))
    return _split_dense(view, split.parts)


def _require_host(name: str, view: View) -> None:
    if view.device != HOST:
        raise UnsupportedError(
            f"operand '{name}': it lies on '{view.device}', but what is in blocks, or "
            f'shares an index with it, is split on the host; copy it with .to("{HOST}")'
        )


def _view_in_blocks(name: str, value: Any, rank: int, wanted: Format) -> View:
    """Return the view of an operand in blocks; others are converted."""
    given = format_in_blocks(value)
    if given == wanted:
        view = (
            value._view
            if isinstance(value, Tensor)
            else blocks_view(name, value, given)
        )
    else:
        view = view_of(name, value, rank)
    require_multiples(view.shape, wanted.parts, subject(name))
    if view.format == wanted:
        return view
    note = f"{view.format} converted to {wanted}"
    made = Tensor._of(view).convert(wanted)._view
    made.library, made.note = view.library, note
    return made


def _split_dense(view: View, parts: Parts) -> View:
    """Return a view of the same elements with several dimensions for some of one."""
    shape = tuple(part.of(view.shape[part.dimension]) for part in parts)
    order = [
        number
        for dimension in view.format.order
        for number, part in enumerate(parts)
        if part.dimension == dimension
    ]
    format = Format.of_levels(tuple((number, "dense") for number in order))
    none = (None,) * len(parts)
    made = View(format.for_rank(len(parts)), shape, none, none, view.values)
    made.values = view.values.reshape(made.extents)
    made.library, made.note = view.library, view.note
    return made


# --- Results --------------------------------------------------------------------------


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
        return Tensor._of(view)
    family = "array" if library == SCIPY_ARRAY else "matrix"
    return bsr_array(view, getattr(sys.modules["scipy.sparse"], f"bsr_{family}"))
