"""The types of tensors that ``formats=``, ``dtype=`` and ``index=`` ask for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from nacho.elements import ELEMENTS, element_name
from nacho.errors import ArgumentError, NachoError
from nacho.notation.promotion import kinds_of
from nacho.notation.tree import Assignment, identifier
from nacho.storage.formats import Format, TensorType
from nacho.storage.inference import result_format

IndexType = str | tuple[str, str]
"""``"i32"`` or ``"i64"``; or a pair, of ``pos`` and of ``crd``."""

_INDEX_WIDTHS: dict[object, int] = {"i32": 32, "i64": 64}

_BY_DEFAULT = {1: "sparse-vector", 2: "csr"}


def requested_types(
    assignment: Assignment,
    formats: Mapping[str, str | Format],
    dtype: str | Mapping[str, str],
    index: IndexType | Mapping[str, IndexType],
) -> tuple[dict[str, TensorType], TensorType]:
    """Return the types of operands and result that the options of compile ask for.

    By default an operand of one index is a sparse-vector, of two csr, of more csf: what
    is dense has to be called so. Types of the result follow from those of the operands.
    """
    result, tensors = assignment.result.name, assignment.tensors
    with_levels = (*tensors, result) if assignment.result.indices else tensors
    asked = _spelled(formats)
    _check_keys("formats", asked, with_levels)
    named: dict[str, Format] = {}
    for name in tensors:
        rank = assignment.ranks[name]
        chosen = Format(asked.get(name, _BY_DEFAULT.get(rank, "csf")))
        named[name] = chosen.require_compiled(name).for_rank(rank, name)
    elements = _by_name("dtype", dtype, (*assignment.operands, result))
    if not isinstance(dtype, Mapping):
        del elements[result]
    widths = _by_name("index", index, with_levels)
    types = {
        name: TensorType(
            named.get(name),
            _element(name, elements.get(name, "f64")),
            *_widths(name, widths.get(name, "i32")),
        )
        for name in assignment.operands
    }
    kinds = kinds_of(assignment, {name: type.dtype for name, type in types.items()})
    if result in asked:
        format = requested_format(assignment, asked[result])
    else:
        format = result_format(kinds, named)
    element = _element(result, elements.get(result, kinds.result))
    widest = f"i{widest_index(types.values())}"
    pos, crd = _widths(result, widths.get(result, widest))
    return types, TensorType(format, element, pos, crd)


def requested_format(assignment: Assignment, given: str | Format) -> Format | None:
    """Return the format that is asked for for the result; None for a scalar."""
    result, format = assignment.result, Format(given)
    if not result.indices and format.rank is None and format.is_dense:
        return None
    return format.for_rank(len(result.indices), result.name).require_compiled(
        result.name, "result"
    )


def widest_index(types: Iterable[TensorType]) -> int:
    """Return the widest index type of the operands that have any."""
    sparse = [t for t in types if t.format is not None and not t.format.is_dense]
    return max((max(type.pos_width, type.crd_width) for type in sparse), default=32)


def _by_name(option: str, given: Any, names: Sequence[str]) -> dict[str, Any]:
    """Return an option by name of tensor; what a mapping leaves out is left out."""
    if not isinstance(given, Mapping):
        return dict.fromkeys(names, given)
    named = _spelled(given)
    _check_keys(option, named, names)
    return named


def _spelled(given: Mapping[str, Any]) -> dict[str, Any]:
    return {identifier(name): value for name, value in given.items()}


def _check_keys(option: str, given: Mapping[str, Any], names: Sequence[str]) -> None:
    for name in given:
        if name not in names:
            expected = ", ".join(names)
            raise ArgumentError(
                f"{option}: there is no tensor '{name}', expected: {expected}"
            )


def _element(name: str, dtype: object) -> str:
    if isinstance(dtype, str) and dtype in ELEMENTS:
        return dtype
    try:
        found = element_name(np.dtype(dtype))  # type: ignore[call-overload]
    except TypeError:
        found = None
    if found is None:
        expected = ", ".join(f"'{element}'" for element in ELEMENTS)
        raise NachoError(f"dtype of '{name}' is {dtype!r}: expected {expected}")
    return found


def _widths(name: str, index: object) -> tuple[int, int]:
    pair: Sequence[object] = (index, index)
    if isinstance(index, tuple) and len(index) == 2:
        pair = index
    try:
        return _INDEX_WIDTHS[pair[0]], _INDEX_WIDTHS[pair[1]]
    except (KeyError, TypeError):
        expected = "'i32', 'i64', or a pair of them (for pos and crd)"
        message = f"index of '{name}' is {index!r}: expected {expected}"
        raise NachoError(message) from None
