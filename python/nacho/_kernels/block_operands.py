"""Operands in blocks, such as BSR: split by levels, or converted where blocks end.

An extent of 6 in blocks of 2 becomes the extents 3 and 2, of the blocks and inside of
each; what is dense is split likewise. No array changes.
"""

from __future__ import annotations

from typing import Any

from nacho._kernels.canonical import checked
from nacho._kernels.format_conversion import converted
from nacho._notation.tree import LevelParts, Split
from nacho._storage.blocks import format_in_blocks
from nacho._storage.containers import blocks_view, view_of
from nacho._storage.device_arrays import HOST
from nacho._storage.formats import Format
from nacho._storage.layouts import CSR
from nacho._storage.splitting import by_levels, require_multiples
from nacho._storage.tensor_data import TensorData
from nacho._storage.views import View, subject
from nacho.errors import UnsupportedError


def plain_view(name: str, container: Any, rank: int) -> View:
    """Return the view of an operand, without blocks: these are converted."""
    view = view_of(name, container, rank)
    if not view.format.parts:
        return view
    if view.device != HOST:
        raise UnsupportedError(
            f"operand '{name}': it lies on '{view.device}', where nothing in blocks is "
            f'read; copy it with .to("{HOST}")'
        )
    wanted = CSR if rank == 2 else Format("coo").for_rank(rank)
    made = converted(view, wanted, name)
    made.note = f"{view.format} converted to {wanted}"
    return made


def split_view(name: str, value: Any, split: Split) -> View:
    """Return the view of an operand whose dimensions a kernel sees as several."""
    rank = 1 + max(part.dimension for part in split.parts)
    if split.format:
        view = _view_in_blocks(name, value, rank, Format(split.format))
        _require_host(name, view)
        return by_levels(view)
    view = plain_view(name, value, rank)
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
            if isinstance(value, TensorData)
            else blocks_view(name, value, given)
        )
    else:
        view = plain_view(name, value, rank)
    require_multiples(view.shape, wanted.parts, subject(name))
    if view.format == wanted:
        return view
    note = f"{view.format} converted to {wanted}"
    made = converted(checked(TensorData._of(view)), wanted)
    made.library, made.note = view.library, note
    return made


def _split_dense(view: View, parts: LevelParts) -> View:
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
