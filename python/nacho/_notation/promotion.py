"""The type of every node of an expression, as NumPy would compute it (NEP 50).

A *kind* is an element type, or ``int``, ``float`` or ``complex`` for a weak number: a
literal, or a Python number among the operands. A weak number takes the type of the
other operand; an operator of two weak numbers gives a weak number. So does a
``coordinate``, except that it is an int64 among integers, which may be too narrow.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from operator import floordiv, mod, pos
from typing import Any, NoReturn

import numpy as np

from nacho._elements import ELEMENTS, element_name
from nacho._notation.operators import Operator
from nacho._notation.shorthands import name_written
from nacho._notation.tree import (
    Access,
    Assignment,
    Binary,
    Call,
    Coordinate,
    Expr,
    Literal,
    Operation,
    Reduction,
    children,
    postorder,
)
from nacho.errors import DTypeError, pointed

Number = int | float

WEAK: dict[str, type] = {
    "int": int,
    "coordinate": int,
    "float": float,
    "complex": complex,
}
"""The weak kinds, from the narrowest to the widest."""

_STRONG = {"int": "i64", "coordinate": "i64", "float": "f64", "complex": "c128"}
_REAL = {"complex": "float", "c64": "f32", "c128": "f64"}


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
    """Return the kind to which the kinds ``lhs`` and ``rhs`` promote."""
    if lhs in WEAK and rhs in WEAK:
        return max(lhs, rhs, key=list(WEAK).index)
    if "coordinate" in (lhs, rhs) and all(map(_is_exact, (lhs, rhs))):
        return "i64"
    found = np.result_type(_sample(lhs), _sample(rhs))
    name = element_name(found)
    if name is None:
        raise DTypeError(f"{lhs} and {rhs} promote to {found}, which is not supported")
    return name


def promoted(kinds: Iterable[str]) -> str:
    """Return the kind to which all these kinds promote."""
    found = "int"
    for kind in kinds:
        found = promote(found, kind)
    return found


def _sample(kind: str) -> np.dtype[np.generic] | complex:
    return WEAK[kind]() if kind in WEAK else ELEMENTS[kind]


def is_integer(kind: str) -> bool:
    """Return whether a kind is that of integers."""
    return kind in ("int", "coordinate") or (
        kind in ELEMENTS and ELEMENTS[kind].kind in "iu"
    )


def _is_exact(kind: str) -> bool:
    return kind == "bool" or is_integer(kind)


def is_complex(kind: str) -> bool:
    """Return whether a kind is that of complex numbers."""
    return kind in ("complex", "c64", "c128")


def fractional(kind: str) -> str:
    """Return the kind in which quotients and functions such as sqrt are computed.

    Integers and bools are converted for them, all other kinds stay as they are.
    """
    if kind in ("int", "coordinate"):
        return "float"
    return "f64" if _is_exact(kind) else kind


@dataclass(frozen=True, eq=False)
class Kinds:
    """The kinds of all nodes of an assignment, by ``id``."""

    assignment: Assignment
    operands: Mapping[str, str]
    """The kind of each operand."""
    of: dict[int, str] = field(default_factory=dict)
    inside: dict[int, str] = field(default_factory=dict)
    """Per operator, the kind to which its operands are cast.

    The condition of ``where`` is cast to bool instead.
    """
    constants: dict[int, Number] = field(default_factory=dict)
    """The values of nodes that are made of literals only."""
    limits: dict[str, list[str]] = field(default_factory=dict)
    """Per weak operand, the integer types that its value has to fit into."""

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
    if assignment.reduction_operator.needs_order and is_complex(kinds.result):
        message = f"'{assignment.reduction}' of complex numbers, which have no order"
        raise DTypeError(pointed(message, assignment.text, assignment.reduction_span))
    return kinds


def _kind(kinds: Kinds, node: Expr) -> str:
    match node:
        case Coordinate():
            return "coordinate"
        case Access():
            return kinds.operands[node.name]
        case Literal():
            kinds.constants[id(node)] = node.value
            return "int" if isinstance(node.value, int) else "float"
        case Call("where", (_, on_true, on_false)):
            return _choice(kinds, node, on_true, on_false)
        case Call("keep", (value, _)):
            kinds.inside[id(node)] = strong(kinds.of[id(value)])
            return kinds.inside[id(node)]
        case Binary() | Call(arguments=(_, _)):
            return _binary(kinds, node)
        case Reduction():
            return _reduction(kinds, node)
    return _unary(kinds, node)


def _reduction(kinds: Kinds, node: Reduction) -> str:
    kind = kinds.of[id(node.operand)]
    if node.operator.needs_order and is_complex(kind):
        name = name_written(kinds.assignment.text, node)
        _refuse(kinds, f"'{name}' of complex numbers, which have no order", node)
    return kind


def _unary(kinds: Kinds, node: Operation) -> str:
    operator, (operand,) = node.operator, children(node)
    kind = kinds.of[id(operand)]
    if operator.name == "pattern":
        return _applied(kinds, node, kind, "bool")
    if kind == "bool" and operator.refuses_bools:
        _refuse(kinds, f"the {operator.noun} of a bool", node)
    _require_order(kinds, node, kind)
    _require_bits(kinds, node, kind)
    if operator.is_fractional:
        kind = fractional(kind)
    found = _REAL.get(kind, kind) if operator.gives_real else kind
    return _applied(kinds, node, kind, found)


def _binary(kinds: Kinds, node: Operation) -> str:
    operator = node.operator
    left, right = (kinds.of[id(child)] for child in children(node))
    kind = promote(left, right)
    if left == right == "bool" and operator.refuses_bools:
        _refuse(kinds, f"the {operator.noun} of bools", node)
    _require_order(kinds, node, kind)
    _require_bits(kinds, node, kind)
    if operator.is_fractional:
        kind = fractional(kind)
    if operator.grammar != "comparison":
        return _applied(kinds, node, kind, kind)
    if "int" in (left, right) and is_integer(kind):
        # An integer is compared even if the type of the other operand cannot hold it.
        kind = "i64"
    return _applied(kinds, node, kind, "bool")


def _require_order(kinds: Kinds, node: Operation, kind: str) -> None:
    if node.operator.needs_order and is_complex(kind):
        spelling = node.operator.spelling
        _refuse(kinds, f"'{spelling}' of complex numbers, which have no order", node)


def _require_bits(kinds: Kinds, node: Operation, kind: str) -> None:
    operator = node.operator
    if operator.is_integral and not _is_exact(kind):
        message = f"'{operator.spelling}' is for integers and bools only"
        power = "; a power is A[i,j]**2" if operator.spelling == "^" else ""
        _refuse(kinds, message + power, node)


def _choice(kinds: Kinds, node: Call, on_true: Expr, on_false: Expr) -> str:
    kind = promote(kinds.of[id(on_true)], kinds.of[id(on_false)])
    if any(id(child) not in kinds.constants for child in node.arguments):
        # The result of ``where`` is weak only if all its arguments are literals.
        return _applied(kinds, node, kind, strong(kind))
    return _applied(kinds, node, kind, kind)


def _applied(kinds: Kinds, node: Operation, inside: str, found: str) -> str:
    """Note the kind to which operands are cast, and return the operator's own kind.

    An operator of literals is computed now, and becomes a constant.
    """
    operands = children(node)
    kinds.inside[id(node)] = inside
    literals = all(id(child) in kinds.constants for child in operands)
    if literals and (found in WEAK or found == "bool"):
        kinds.constants[id(node)] = _folded(kinds, node, found)
        return found
    for child in operands[1:] if node.operator.name == "where" else operands:
        _require_fit(kinds, child, strong(inside))
    return found


# --- Literals -------------------------------------------------------------------------


def _folded(kinds: Kinds, node: Operation, kind: str) -> Number:
    """Compute with literals as Python does: integers of any size."""
    values = [kinds.constants[id(child)] for child in children(node)]
    try:
        with np.errstate(all="ignore"):
            found: Number = _fold(node.operator)(*values)
    except OverflowError:
        _refuse(kinds, "an integer too large to convert to f64", node)
    return bool(found) if kind == "bool" else found


def _quotient(lhs: Number, rhs: Number) -> Number:
    """Divide as NumPy does, which also divides by zero."""
    return lhs / rhs if rhs else float(np.float64(lhs) / np.float64(rhs))


def _extreme(choose: Callable[..., Number]) -> Callable[..., Number]:
    def chosen(lhs: Number, rhs: Number) -> Number:
        return math.nan if lhs != lhs or rhs != rhs else choose(lhs, rhs)

    return chosen


def _divided(ufunc: Callable[..., Any], exact: Callable[[int, int], int]) -> Any:
    """Divide as NumPy does: integers exactly, which give 0 if the divisor is 0."""

    def computed(lhs: Number, rhs: Number) -> Number:
        if isinstance(lhs, int) and isinstance(rhs, int):
            return exact(lhs, rhs) if rhs else 0
        return float(ufunc(np.float64(lhs), np.float64(rhs)))

    return computed


def _remainder(lhs: int, rhs: int) -> int:
    """Return what a quotient leaves that is rounded towards 0."""
    rest = abs(lhs) % abs(rhs)
    return -rest if lhs < 0 else rest


_FOLDS: dict[str, Callable[..., Any]] = {
    "div": _quotient,
    "floordiv": _divided(np.floor_divide, floordiv),
    "mod": _divided(np.remainder, mod),
    "fmod": _divided(np.fmod, _remainder),
    "round": lambda value: float(np.rint(value)) if value % 1 else value,
    "conj": pos,
    "real": pos,
    "imag": lambda value: type(value)(0),
    "min": _extreme(min),
    "max": _extreme(max),
    "where": lambda condition, lhs, rhs: lhs if condition else rhs,
}
"""Operators that NumPy does not compute on literals as the notation defines them."""


def _fold(operator: Operator) -> Callable[..., Any]:
    """Return the function that computes an operator on Python's own numbers."""
    if operator.name in _FOLDS:
        return _FOLDS[operator.name]
    ufunc = getattr(np, operator.numpy)
    if operator.is_fractional:
        return lambda *values: float(ufunc(*map(np.float64, values)))
    # On arrays of objects, NumPy's functions call Python's operators.
    return lambda *values: ufunc(*(np.array(value, object) for value in values))


def _require_fit(kinds: Kinds, node: Expr, kind: str) -> None:
    """Refuse a weak integer that is out of the bounds of the type that it takes.

    The value of an operand is not known yet: only its limits are noted.
    """
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
