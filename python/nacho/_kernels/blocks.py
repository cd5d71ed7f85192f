"""Expressions of operands in blocks: each index of these becomes two, i0 and i1.

With a BSR matrix, ``y[i] = A[i,j] * x[j]`` is ``y[i0,i1] = A[i0,j0,i1,j1] * x[j0,j1]``,
which the compiler reads as any other expression; ``explain`` shows it. The compiler
itself splits the indices of modules (``--nacho-split-blocks``).

An expression is left as it is, and its operands are converted to csr, where this does
not apply: where sparse operands without blocks, or with others, have the same indices,
where the result is neither dense nor in blocks, or where options name the indices.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from nacho._kernels.cache import Cache
from nacho._kernels.options import Lowering
from nacho._kernels.pins import Pin
from nacho._kernels.types import typing_of_call
from nacho._notation.parser import parse
from nacho._notation.promotion import kinds_of
from nacho._notation.tree import (
    Access,
    Assignment,
    LevelPart,
    LevelParts,
    Split,
    postorder,
)
from nacho._storage.blocks import format_in_blocks
from nacho._storage.containers import view_of
from nacho._storage.device_arrays import HOST
from nacho._storage.formats import Format
from nacho._storage.inference import result_format
from nacho._storage.layouts import CSR
from nacho._storage.scalars import RankError, refuse_rank
from nacho._storage.splitting import bsr_format, by_level, is_bsr_format
from nacho._storage.views import View

Out = str | Format | None
"""The format of a result, if the caller asks for one."""

_known: Cache[tuple[Assignment, Out] | None] = Cache()


def split_by_blocks(
    assignment: Assignment, given: Sequence[Any], out: Out, lowering: Lowering
) -> tuple[Assignment, Out]:
    """Return an assignment and the format of its result; split if it is in blocks."""
    formats = {
        name: format
        for name, value in zip(assignment.operands, given, strict=True)
        if (format := format_in_blocks(value)) is not None
    }
    if not formats or not _may_be_split(assignment, formats, out, lowering):
        return assignment, out
    try:
        views = _views(assignment, given, formats)
        key = (assignment.text, out, *formats.values(), *map(_type, views.values()))
        found = _known.get(key, lambda: _split(assignment, given, formats, views, out))
    except RankError:
        # The views of whole operands, which are made next, are refused for it.
        return assignment, out
    return found or (assignment, out)


def _may_be_split(
    assignment: Assignment, formats: Mapping[str, Format], out: Out, lowering: Lowering
) -> bool:
    """Return whether options and the notation allow indices to be split."""
    return (
        not lowering.order
        and lowering.contract is None
        and lowering.target == HOST
        and not assignment.nested
        and out in (None, "dense")
        and all(map(is_bsr_format, formats.values()))
        and _has_plain_accesses(assignment)
    )


def _views(
    assignment: Assignment, given: Sequence[Any], formats: Mapping[str, Format]
) -> dict[str, View]:
    """Return the views of operands; those in blocks seem to be csr, unchecked."""
    views: dict[str, View] = {}
    for (name, rank), value in zip(assignment.ranks.items(), given, strict=True):
        if name in formats:
            if len(value.shape) != rank:
                refuse_rank(name, len(value.shape), rank)
            is_tensor = hasattr(value, "crd")
            pos = value.pos[1] if is_tensor else value.indptr
            crd = value.crd[1] if is_tensor else value.indices
            values = value.values if is_tensor else value.data
            arrays = ((None, pos), (None, crd), values.reshape(-1))
            views[name] = View(CSR, value.shape, *arrays)
        elif rank:
            views[name] = view_of(name, value, rank)
    return views


def _type(view: View) -> tuple[object, ...]:
    return view.format.name, view.values.dtype


def _split(
    assignment: Assignment,
    given: Sequence[Any],
    formats: Mapping[str, Format],
    views: Mapping[str, View],
    out: Out,
) -> tuple[Assignment, Out] | None:
    sizes = _block_sizes(assignment, formats, views)
    if sizes is None:
        return None
    stored = _inferred(assignment, given, views) if out is None else None
    splits: dict[str, Split] = {}
    for access in assignment.accesses:
        if access.name in formats:
            format = formats[access.name]
            splits[access.name] = Split(format.parts, format.name)
        elif any(index in sizes for index in access.indices):
            splits[access.name] = Split(_parts(access, sizes))
    result: Out = None
    left = assignment.result
    if any(index in sizes for index in left.indices):
        found = _split_result(left, sizes, stored)
        if found is None:
            return None
        result, splits[left.name] = found
    text = _text(assignment, splits, sizes)
    made = replace(parse(text), splits=(*splits.items(),))
    return made, result


def _split_result(
    left: Access, sizes: Mapping[str, int], stored: Format | None
) -> tuple[str | Format, Split] | None:
    """Return the format of a result by level, and how its dimensions are split.

    ``stored`` is the format that it has without blocks; None stands for a dense one.
    """
    if stored is None or stored.is_dense:
        return "dense", Split(_parts(left, sizes))
    if stored != CSR or not all(index in sizes for index in left.indices):
        return None
    format = bsr_format(*(sizes[index] for index in left.indices))
    return by_level(format), Split(format.parts, format.name)


def _block_sizes(
    assignment: Assignment, formats: Mapping[str, Format], views: Mapping[str, View]
) -> dict[str, int] | None:
    """Return the size of the blocks of each index that has some.

    It is None if an index has blocks of several sizes, or a sparse operand without any.
    """
    sizes: dict[str, int] = {}
    for access in assignment.accesses:
        if access.name in formats:
            if len(set(access.indices)) < len(access.indices):
                return None
            for index, part in zip(
                access.indices, formats[access.name].parts[:2], strict=True
            ):
                if sizes.setdefault(index, part.size) != part.size:
                    return None
    for access in assignment.accesses:
        if access.name in formats or not access.indices:
            continue
        is_shared = any(index in sizes for index in access.indices)
        if is_shared and not views[access.name].format.is_dense:
            return None
    return sizes


def _inferred(
    assignment: Assignment, given: Sequence[Any], views: Mapping[str, View]
) -> Format | None:
    """Return the format that the result had if the operands were stored by rows."""
    pins = {name: Pin() for name in assignment.operands}
    pins |= {name: Pin(view.format) for name, view in views.items()}
    typing = typing_of_call(assignment, pins, given, views, {}, ())
    names = assignment.operands
    kinds = kinds_of(assignment, dict(zip(names, typing.kinds, strict=True)))
    return result_format(kinds, {name: view.format for name, view in views.items()})


def _parts(access: Access, sizes: Mapping[str, int]) -> LevelParts:
    """Return what the indices of a dense tensor run over once they are split."""
    parts: list[LevelPart] = []
    for dimension, index in enumerate(access.indices):
        size = sizes.get(index, 1)
        parts.append(LevelPart(dimension, size))
        if size > 1:
            parts.append(LevelPart(dimension, size, is_inside=True))
    return (*parts,)


def _accesses(assignment: Assignment) -> list[Access]:
    """Return all accesses, those of the result and of repeated operands included."""
    found = [node for node in postorder(assignment.expr) if isinstance(node, Access)]
    return [assignment.result, *found]


def _has_plain_accesses(assignment: Assignment) -> bool:
    """Return whether every access is a name with index variables behind it."""
    text = assignment.text
    return all(
        access.is_whole
        and access.name == text[slice(*access.span)].partition("[")[0].partition("(")[0]
        for access in _accesses(assignment)
    )


def _text(
    assignment: Assignment, splits: Mapping[str, Split], sizes: Mapping[str, int]
) -> str:
    """Return the text of the assignment with split indices."""
    taken = {*assignment.indices, *assignment.operands, assignment.result.name}

    def named(index: str, part: LevelPart) -> str:
        if index not in sizes:
            return index
        name = index + ("1" if part.is_inside else "0")
        while name in taken:
            name += "_"
        return name

    text = assignment.text
    accesses = {access.span: access for access in _accesses(assignment)}
    for (begin, end), access in sorted(accesses.items(), reverse=True):
        if access.name in splits:
            indices = ",".join(
                named(access.indices[part.dimension], part)
                for part in splits[access.name].parts
            )
            text = f"{text[:begin]}{access.name}[{indices}]{text[end:]}"
    return text
