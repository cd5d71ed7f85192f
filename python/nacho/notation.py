"""The tree of tensor index notation, and what it says about absent entries.

Every node knows its columns in the text, so that an error can point at it. All walks
are loops over ``postorder``: a sum of a thousand terms is a thousand levels deep.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from nacho.errors import Span

_ROUNDED: dict[str, type[np.floating[Any]]] = {"f32": np.float32, "f64": np.float64}


def identifier(name: str) -> str:
    """Return a name as Python spells that of a keyword argument: in NFKC."""
    if not isinstance(name, str) or name.isascii() or not name.isidentifier():
        return name
    return unicodedata.normalize("NFKC", name)


@dataclass(frozen=True)
class Access:
    """``A[i,j]``, or a scalar ``s`` (no indices)."""

    name: str
    indices: tuple[str, ...]
    span: Span


@dataclass(frozen=True)
class Literal:
    """A number in the text."""

    value: float
    span: Span


@dataclass(frozen=True)
class Unary:
    """``-x``."""

    op: str
    operand: Expr
    span: Span


@dataclass(frozen=True)
class Binary:
    """``x + y`` and its like; the kind of the operator is ``op`` (``add`` …)."""

    op: str
    lhs: Expr
    rhs: Expr
    span: Span


@dataclass(frozen=True)
class Call:
    """``f(x, …)`` of one of the functions of the notation."""

    function: str
    arguments: tuple[Expr, ...]
    span: Span


Expr = Access | Literal | Unary | Binary | Call


@dataclass(frozen=True, eq=False)
class Assignment:
    """``result = expr``; ``reduction`` is the operator of ``max=`` and its like."""

    result: Access
    expr: Expr
    text: str
    reduction: str | None
    reduction_span: Span

    @cached_property
    def accesses(self) -> tuple[Access, ...]:
        """The distinct accesses of the right-hand side, by first appearance."""
        found: dict[tuple[str, tuple[str, ...]], Access] = {}
        for node in postorder(self.expr):
            if isinstance(node, Access):
                found.setdefault((node.name, node.indices), node)
        return tuple(found.values())

    @cached_property
    def operands(self) -> tuple[str, ...]:
        """The names of the operands, by first appearance."""
        return tuple(self.ranks)

    @cached_property
    def ranks(self) -> dict[str, int]:
        """The number of indices of each operand."""
        return {access.name: len(access.indices) for access in self.accesses}

    @cached_property
    def sparse_operands(self) -> tuple[str, ...]:
        """The operands that are written with indices."""
        return tuple(name for name, rank in self.ranks.items() if rank)


def children(node: Expr) -> tuple[Expr, ...]:
    """Return the operands of a node, from left to right."""
    match node:
        case Unary():
            return (node.operand,)
        case Binary():
            return (node.lhs, node.rhs)
        case Call():
            return node.arguments
    return ()


def postorder(root: Expr) -> Iterator[Expr]:
    """Yield every node after its children, from left to right."""
    stack: list[tuple[Expr, bool]] = [(root, False)]
    while stack:
        node, expanded = stack.pop()
        if expanded or isinstance(node, Access | Literal):
            yield node
            continue
        stack.append((node, True))
        stack.extend((child, False) for child in reversed(children(node)))


def absent_values(root: Expr, element: str = "f64") -> dict[int, float]:
    """Return, per node (by ``id``), its value where every sparse operand is absent.

    An absent entry is exactly 0; NaN stands for a value that is only known at run
    time. ``0 * x`` is 0 whatever ``x`` is. Every value is rounded to ``element``.
    """
    number = _ROUNDED[element]
    with np.errstate(all="ignore"):
        return _absent_values(root, lambda value: float(number(value)))


def _absent_values(root: Expr, rounded: Callable[[float], float]) -> dict[int, float]:
    value: dict[int, float] = {}
    for node in postorder(root):
        match node:
            case Access():
                value[id(node)] = 0.0 if node.indices else math.nan
            case Literal():
                value[id(node)] = rounded(node.value)
            case Unary():
                value[id(node)] = -value[id(node.operand)]
            case Binary():
                lhs, rhs = value[id(node.lhs)], value[id(node.rhs)]
                value[id(node)] = rounded(_absent_value(node.op, lhs, rhs))
            case Call():
                value[id(node)] = math.nan
    return value


def _absent_value(op: str, lhs: float, rhs: float) -> float:
    if op == "add":
        return lhs + rhs
    if op == "sub":
        return lhs - rhs
    if op == "mul":
        return 0.0 if lhs == 0.0 or rhs == 0.0 else lhs * rhs
    return math.nan


def dense_term(root: Expr, element: str = "f64") -> Expr | None:
    """Return the term that makes the result dense; None if the result is sparse."""
    value = absent_values(root, element)
    if value[id(root)] == 0.0:
        return None
    node = root
    while isinstance(node, Unary) or (
        isinstance(node, Binary) and node.op in ("add", "sub")
    ):
        node = next(child for child in children(node) if value[id(child)] != 0.0)
    return node
