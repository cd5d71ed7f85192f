"""What an expression is where no operand stores an entry: its background.

A result can only be sparse where the background is exactly 0. It is computed in the
types in which the kernel computes, for what is 0 in one may overflow in another.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from nacho.elements import ELEMENTS
from nacho.errors import UnsupportedError, pointed
from nacho.notation import (
    Access,
    Binary,
    Expr,
    Literal,
    Unary,
    children,
    is_sum,
    postorder,
    sums,
)
from nacho.promotion import WEAK, Kinds, strong

Background = Any
"""A number, weak or of NumPy; None stands for what is only known at run time."""

_OPERATORS = {"add": operator.add, "sub": operator.sub, "mul": operator.mul}


def backgrounds(kinds: Kinds) -> dict[int, Background]:
    """Return, per node (by ``id``), its value where every tensor is absent.

    An absent entry is exactly 0, and 0 times anything is then 0. A dense operand counts
    as one whose entries are all stored. These are values before any reduction.
    """
    value: dict[int, Background] = {}
    with np.errstate(all="ignore"):
        for node in postorder(kinds.assignment.expr):
            if id(node) not in value:
                value[id(node)] = _background(kinds, node, value)
    return value


def _background(kinds: Kinds, node: Expr, value: dict[int, Background]) -> Background:
    match node:
        case Access():
            return _zero(kinds.of[id(node)]) if node.indices else None
        case Literal():
            return node.value
        case Unary():
            operand = value[id(node.operand)]
            return None if operand is None else -operand
        case Binary():
            lhs, rhs = value[id(node.lhs)], value[id(node.rhs)]
            return _combined(node.op, lhs, rhs, kinds.of[id(node)])
    return None


def _combined(op: str, lhs: Background, rhs: Background, kind: str) -> Background:
    if op == "mul" and (_is_zero(lhs) or _is_zero(rhs)):
        return _zero(kind)
    if lhs is None or rhs is None or op not in _OPERATORS:
        return None
    if kind not in WEAK:
        lhs, rhs = (np.asarray(each).astype(ELEMENTS[kind])[()] for each in (lhs, rhs))
    return _OPERATORS[op](lhs, rhs)


def _zero(kind: str) -> Background:
    return WEAK[kind]() if kind in WEAK else ELEMENTS[strong(kind)].type(0)


def _is_zero(value: Background) -> bool:
    return value is not None and bool(value == 0)


def dense_term(kinds: Kinds) -> Expr | None:
    """Return the term that makes the result dense; None if the result is sparse."""
    assignment, before = kinds.assignment, backgrounds(kinds)
    value: dict[int, Background] = {}
    with np.errstate(all="ignore"):
        for node in sums(assignment.expr, assignment.reductions):
            if id(node) in assignment.reductions:
                value[id(node)] = before[id(node)]
                if assignment.reductions[id(node)] and not _is_zero(value[id(node)]):
                    value[id(node)] = None
            else:
                value[id(node)] = _background(kinds, node, value)
    node = assignment.expr
    if _is_zero(value[id(node)]):
        return None
    while is_sum(node) and id(node) not in assignment.reductions:
        node = next(child for child in children(node) if not _is_zero(value[id(child)]))
    return node


def require_sparse(kinds: Kinds) -> None:
    """Refuse an expression that is not 0 everywhere else, for a sparse result."""
    term = dense_term(kinds)
    if term is None:
        return
    text, (begin, end) = kinds.assignment.text, term.span
    message = (
        f"the term '{text[begin:end]}' is not zero where the operands have no entries: "
        'it would make the result dense; ask for that with out="dense"'
    )
    raise UnsupportedError(pointed(message, text, term.span))
