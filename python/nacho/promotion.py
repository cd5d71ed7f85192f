"""The type of every node of an expression, as NumPy would compute it (NEP 50).

A *kind* is an element type, or ``int``, ``float`` or ``complex`` for a weak number: a
literal, or a Python number among the operands. A weak number takes the type of what it
meets; among themselves, weak numbers stay weak.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NoReturn

import numpy as np

from nacho.elements import ELEMENTS, element_name
from nacho.errors import DTypeError, pointed
from nacho.notation import Access, Assignment, Binary, Expr, Literal, Unary, postorder

Number = int | float

WEAK: dict[str, type] = {"int": int, "float": float, "complex": complex}
"""The weak kinds, from the narrowest to the widest."""

_STRONG = {"int": "i64", "float": "f64", "complex": "c128"}


def strong(kind: str) -> str:
    """Return the element type in which a kind is computed."""
    return _STRONG.get(kind, kind)


def weak_kind(value: object) -> str | None:
    """Return the kind of a Python number; None for anything else, also for a bool."""
    if isinstance(value, bool | np.generic):
        return None
    return next((kind for kind, type in WEAK.items() if isinstance(value, type)), None)


@lru_cache(maxsize=1024)
def promote(lhs: str, rhs: str) -> str:
    """Return the kind of ``lhs`` and ``rhs`` together."""
    if lhs in WEAK and rhs in WEAK:
        return max(lhs, rhs, key=list(WEAK).index)
    found = np.result_type(_sample(lhs), _sample(rhs))
    name = element_name(found)
    if name is None:
        raise DTypeError(f"{lhs} and {rhs} promote to {found}, which is not supported")
    return name


def promoted(kinds: Iterable[str]) -> str:
    """Return the kind of some kinds together."""
    found = "int"
    for kind in kinds:
        found = promote(found, kind)
    return found


def _sample(kind: str) -> np.dtype[np.generic] | complex:
    return WEAK[kind]() if kind in WEAK else ELEMENTS[kind]


def is_integer(kind: str) -> bool:
    """Return whether a kind is that of integers."""
    return kind == "int" or (kind in ELEMENTS and ELEMENTS[kind].kind in "iu")


def is_complex(kind: str) -> bool:
    """Return whether a kind is that of complex numbers."""
    return kind in ("complex", "c64", "c128")


@dataclass(frozen=True, eq=False)
class Kinds:
    """The kinds of all nodes of an assignment, by ``id``."""

    assignment: Assignment
    operands: Mapping[str, str]
    """The kind of each operand."""
    of: dict[int, str] = field(default_factory=dict)
    constants: dict[int, Number] = field(default_factory=dict)
    """The values of nodes that are made of literals only."""
    limits: dict[str, list[str]] = field(default_factory=dict)
    """Per weak operand, the integer types that it is converted to."""

    @property
    def result(self) -> str:
        """The element type of the right-hand side."""
        return strong(self.of[id(self.assignment.expr)])


def kinds_of(assignment: Assignment, operands: Mapping[str, str]) -> Kinds:
    """Return the kind of every node, or refuse what NumPy refuses."""
    kinds = Kinds(assignment, operands)
    for node in postorder(assignment.expr):
        if id(node) not in kinds.of:
            kinds.of[id(node)] = _kind(kinds, node)
    if assignment.reduction in ("max=", "min=") and is_complex(kinds.result):
        message = f"'{assignment.reduction}' of complex numbers, which have no order"
        raise DTypeError(pointed(message, assignment.text, assignment.reduction_span))
    return kinds


def _kind(kinds: Kinds, node: Expr) -> str:
    match node:
        case Access():
            return kinds.operands[node.name]
        case Literal():
            kinds.constants[id(node)] = node.value
            return "int" if isinstance(node.value, int) else "float"
        case Unary():
            return _negation(kinds, node)
        case Binary():
            return _binary(kinds, node)
    raise AssertionError(f"not compiled: {node}")


def _negation(kinds: Kinds, node: Unary) -> str:
    kind = kinds.of[id(node.operand)]
    if kind == "bool":
        _refuse(kinds, "the negative of a bool", node)
    if id(node.operand) in kinds.constants:
        kinds.constants[id(node)] = -kinds.constants[id(node.operand)]
    return kind


def _binary(kinds: Kinds, node: Binary) -> str:
    lhs, rhs = kinds.of[id(node.lhs)], kinds.of[id(node.rhs)]
    if lhs == rhs == "bool" and node.op == "sub":
        _refuse(kinds, "the difference of bools", node)
    kind = promote(lhs, rhs)
    if id(node.lhs) in kinds.constants and id(node.rhs) in kinds.constants:
        kinds.constants[id(node)] = _folded(kinds, node)
    else:
        for child in (node.lhs, node.rhs):
            _require_fit(kinds, child, strong(kind))
    return kind


def _folded(kinds: Kinds, node: Binary) -> Number:
    """Compute with literals as Python does: integers of any size."""
    lhs, rhs = kinds.constants[id(node.lhs)], kinds.constants[id(node.rhs)]
    try:
        if node.op == "add":
            return lhs + rhs
        return lhs - rhs if node.op == "sub" else lhs * rhs
    except OverflowError:
        _refuse(kinds, "an integer too large to convert to f64", node)


def _require_fit(kinds: Kinds, node: Expr, kind: str) -> None:
    """Refuse a weak integer that is out of the bounds of the type it has to take."""
    if kinds.of[id(node)] != "int":
        return
    if id(node) in kinds.constants:
        value = kinds.constants[id(node)]
        if not fits(value, kind):
            _refuse(
                kinds, f"the integer {_shown(value)} is out of bounds for {kind}", node
            )
    elif isinstance(node, Access) and is_integer(kind):
        kinds.limits.setdefault(node.name, []).append(kind)


def fits(value: Number, kind: str) -> bool:
    """Return whether an element type can take a Python integer without overflow."""
    if is_integer(kind):
        limits = np.iinfo(ELEMENTS[kind])
        return bool(limits.min <= value <= limits.max)
    try:
        float(value)
    except OverflowError:
        return False
    return True


def _shown(value: Number) -> str:
    bits = int(value).bit_length()
    return str(value) if bits <= 128 else f"of {bits} bits"


def _refuse(kinds: Kinds, message: str, node: Expr) -> NoReturn:
    raise DTypeError(pointed(message, kinds.assignment.text, node.span))
