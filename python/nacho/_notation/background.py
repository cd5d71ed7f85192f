"""The background of an expression: its value where no operand stores an entry.

A result can only be sparse if the background is exactly 0. The background is computed
in the types in which the kernel computes, because a value may be 0 in one type and
overflow in another.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nacho._elements import ELEMENTS
from nacho._notation.promotion import WEAK, Kinds, strong
from nacho._notation.tree import (
    Access,
    Binary,
    Call,
    Coordinate,
    Expr,
    Operation,
    Reduction,
    Unary,
    children,
    is_sum,
    postorder,
    sums,
)
from nacho.errors import UnsupportedError, pointed

Background = Any
"""A number of Python (weak) or of NumPy; None if it is only known at run time."""


def backgrounds(kinds: Kinds) -> dict[int, Background]:
    """Return, per node (by ``id``), its value where no tensor has an entry.

    The values are those before any reduction. A tensor without an entry is exactly 0
    there, and 0 times or divided by anything is 0. A dense operand is treated like a
    sparse one that happens to store all entries.
    """
    return _backgrounds(kinds).value


class _Backgrounds:
    """Computes the backgrounds of nodes, each from those of its operands."""

    def __init__(self, kinds: Kinds) -> None:
        self.kinds = kinds
        self.value: dict[int, Background] = {}
        self.tensors: set[int] = set()
        """The nodes (by ``id``) that depend on a tensor, and not only on numbers."""

    def add(self, node: Expr) -> None:
        """Compute the value of a node from those of its operands."""
        has_tensors = any(id(child) in self.tensors for child in children(node))
        if has_tensors or (isinstance(node, Access) and node.indices):
            self.tensors.add(id(node))
        with np.errstate(all="ignore"):
            self.value[id(node)] = self.background(node)

    def background(self, node: Expr) -> Background:
        kind = self.kinds.of[id(node)]
        if id(node) in self.kinds.constants:
            return self.kinds.constants[id(node)]
        match node:
            case Coordinate():
                return None
            case Access():
                return _converted(0, kind) if node.indices else None
            case Call("where"):
                return self.choice(node, kind)
            case Call("pattern", (operand,)):
                return _converted(not self.is_zero(operand), kind)
            case Call("keep"):
                return _converted(0, kind)
            case Reduction():
                return _converted(0, kind) if self.is_zero(node.operand) else None
            case Unary() | Binary() | Call():
                annihilated = self.is_annihilated(node)
                return _converted(0, kind) if annihilated else self.computed(node, kind)
        raise AssertionError("literals are constants")

    def is_annihilated(self, node: Operation) -> bool:
        """Return whether one operand makes a node 0, whatever the other one is."""
        match node.operator.annihilator:
            case "either":
                return any(map(self.is_zero, children(node)))
            case "dividend":
                dividend = children(node)[0]
                return id(dividend) in self.tensors and self.is_zero(dividend)
        return False

    def is_zero(self, node: Expr) -> bool:
        """Return whether a node is known to be 0 where its operands have no entries."""
        value = self.value[id(node)]
        return value is not None and bool(value == 0)

    def choice(self, node: Call, kind: str) -> Background:
        """Return the background of ``where``.

        An unknown condition does not matter if both values are the same.
        """
        condition, lhs, rhs = (self.value[id(child)] for child in node.arguments)
        if condition is None:
            return _converted(lhs, kind) if lhs is not None and lhs == rhs else None
        chosen = lhs if condition else rhs
        return None if chosen is None else _converted(chosen, kind)

    def computed(self, node: Operation, kind: str) -> Background:
        values = [self.value[id(child)] for child in children(node)]
        if node.operator.name == "pow" and self.is_zero(children(node)[1]):
            return _converted(1, kind)  # whatever the base is
        if any(value is None for value in values):
            return None
        inside = self.kinds.inside[id(node)]
        operands = [_converted(value, inside) for value in values]
        ufunc = getattr(np, node.operator.numpy)
        return _converted(ufunc(*operands), kind)


def _converted(value: Background, kind: str) -> Background:
    if kind in WEAK:
        return WEAK[kind](value)
    return np.asarray(value).astype(ELEMENTS[strong(kind)])[()]


def _backgrounds(kinds: Kinds) -> _Backgrounds:
    found = _Backgrounds(kinds)
    for node in postorder(kinds.assignment.expr):
        if id(node) not in found.value:
            found.add(node)
    return found


def dense_term(kinds: Kinds) -> Expr | None:
    """Return the term that makes the result dense; None if the result is sparse."""
    assignment, before = kinds.assignment, _backgrounds(kinds)
    found = _Backgrounds(kinds)
    for node in sums(assignment.expr, assignment.reductions):
        over = assignment.reductions.get(id(node))
        if over is None:
            found.add(node)
        elif over and not before.is_zero(node):
            found.value[id(node)] = None
        else:
            found.value[id(node)] = before.value[id(node)]
    node = assignment.expr
    if found.is_zero(node):
        return None
    while is_sum(node) and id(node) not in assignment.reductions:
        node = next(child for child in children(node) if not found.is_zero(child))
    return node


def require_sparse(kinds: Kinds) -> None:
    """Refuse an expression that a sparse result cannot store.

    Such an expression is not 0 where no operand has an entry.
    """
    term = dense_term(kinds)
    if term is None:
        return
    text, (begin, end) = kinds.assignment.text, term.span
    message = (
        f"the term '{text[begin:end]}' is not zero where the operands have no entries"
        f"{_reason(kinds, term)}: it would make the result dense; ask for that with "
        'out="dense"'
    )
    raise UnsupportedError(pointed(message, text, term.span))


def _reason(kinds: Kinds, term: Expr) -> str:
    """Return, as text, which innermost part of a term turns zeros into non-zeros.

    What a function is written with has the same place in the text, and is not shown.
    """
    found = _backgrounds(kinds)
    if id(term) not in found.tensors:
        return ""
    node, inner = term, [term]
    while inner:
        node = inner[0]
        inner = [
            child
            for child in children(node)
            if id(child) in found.tensors
            and not found.is_zero(child)
            and child.span != node.span
        ]
    value = found.value[id(node)]
    known = "not zero" if value is None else _shown(value)
    if node is term:
        return "" if value is None else f", but {known}"
    begin, end = node.span
    return f", since '{kinds.assignment.text[begin:end]}' is {known} there"


def _shown(value: Background) -> str:
    return "true" if value is np.True_ or value is True else f"{value:g}"
