"""The types of tensors: those that options ask for, and those that operands imply."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from nacho.errors import ArgumentError, NachoError, UnsupportedError, pointed
from nacho.formats import Format, TensorType
from nacho.notation import Access, Assignment, Binary, Unary, identifier, postorder
from nacho.storage import ELEMENTS

IndexType = str | tuple[str, str]
"""``"i32"`` or ``"i64"``; or a pair, of ``pos`` and of ``crd``."""

_INDEX_WIDTHS: dict[object, int] = {"i32": 32, "i64": 64}


_Kinds = tuple[str, ...]
"""The kind of each level of a format."""

_CSR_KINDS: _Kinds = ("dense", "compressed")


def result_format(assignment: Assignment, formats: Mapping[str, Format]) -> Format:
    """Return the format of the result, from those of the sparse operands.

    A product has the levels of its first sparse operand. A sum of equal levels has
    these; of different ones it has those of csr. The dimension of each level follows
    from the order in which the first operand stores the indices.
    """
    inferred: dict[int, _Kinds | None] = {}
    for node in postorder(assignment.expr):
        found: _Kinds | None = None
        if isinstance(node, Access) and node.indices:
            found = tuple(kind for _, kind in formats[node.name].levels)
        elif isinstance(node, Unary):
            found = inferred[id(node.operand)]
        elif isinstance(node, Binary):
            lhs, rhs = inferred[id(node.lhs)], inferred[id(node.rhs)]
            if node.op == "mul" or lhs is None or rhs is None:
                found = lhs or rhs
            else:
                found = lhs if lhs == rhs else _CSR_KINDS
        inferred[id(node)] = found
    root = inferred[id(assignment.expr)]
    assert root is not None, "a supported expression has a sparse operand"
    first = next(access for access in assignment.accesses if access.indices)
    order = _stored_order(first, formats)
    dimensions = [assignment.result.indices.index(index) for index in order]
    return Format.of_levels(tuple(zip(dimensions, root, strict=True)))


def widest_element(elements: Iterable[str]) -> str:
    """Return the type to which element types promote."""
    return "f64" if "f64" in elements else "f32"


def widest_index(types: Iterable[TensorType]) -> int:
    """Return the widest index type of the sparse operands."""
    sparse = [tensor for tensor in types if tensor.format is not None]
    return max(max(tensor.pos_width, tensor.crd_width) for tensor in sparse)


def loop_order(
    assignment: Assignment, formats: Mapping[str, Format]
) -> tuple[str, ...]:
    """Return the indices in the order in which every tensor stores them.

    ``formats`` has those of the sparse operands and of the result.
    """
    sparse = [access for access in assignment.accesses if access.indices]
    first = sparse[0]
    order = _stored_order(first, formats)
    for access in (*sparse[1:], assignment.result):
        stored = _stored_order(access, formats)
        if stored != order:
            role = "result" if access is assignment.result else "operand"
            message = (
                f"{role} '{access.name}' ({formats[access.name]}) stores index "
                f"'{stored[0]}' outermost, but operand '{first.name}' "
                f"({formats[first.name]}) stores '{order[0]}' outermost: "
                "transposition is not supported"
            )
            raise UnsupportedError(pointed(message, assignment.text, access.span))
    return order


def _stored_order(access: Access, formats: Mapping[str, Format]) -> tuple[str, ...]:
    return tuple(access.indices[dim] for dim in formats[access.name].order)


# --- Types as options -----------------------------------------------------------------


def requested_types(
    assignment: Assignment,
    formats: Mapping[str, str | Format],
    dtype: str | Mapping[str, str],
    index: IndexType | Mapping[str, IndexType],
) -> tuple[dict[str, TensorType], TensorType]:
    """Return the types of operands and result that the options of compile ask for."""
    result, sparse = assignment.result.name, assignment.sparse_operands
    formats = _spelled(formats)
    _check_keys("formats", formats, (*sparse, result))
    named = {
        name: Format(formats.get(name, "csr")).require_compiled(name) for name in sparse
    }
    elements = _by_name("dtype", dtype, (*assignment.operands, result))
    widths = _by_name("index", index, (*sparse, result))
    types = {
        name: TensorType(
            named.get(name),
            _element(name, elements.get(name, "f64")),
            *_widths(name, widths.get(name, "i32")),
        )
        for name in assignment.operands
    }
    if result in formats:
        format = Format(formats[result]).require_compiled(result)
    else:
        format = result_format(assignment, named)
    element = elements.get(result) or widest_element(t.dtype for t in types.values())
    widest = f"i{widest_index(types.values())}"
    pos, crd = _widths(result, widths.get(result, widest))
    return types, TensorType(format, _element(result, element), pos, crd)


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
        given = np.dtype(dtype)  # type: ignore[call-overload]
    except TypeError:
        given = None
    for element, known in ELEMENTS.items():
        if given is not None and known == given:
            return element
    expected = ", ".join(f"'{element}'" for element in ELEMENTS)
    raise NachoError(f"dtype of '{name}' is {dtype!r}: expected {expected}")


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
