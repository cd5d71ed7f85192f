"""Semirings: what ``+`` and ``*`` mean in an expression, and how it is reduced.

Under a semiring, an element that no operand stores is the semiring's zero, which takes
no part in anything. So each element of an expression is computed together with whether
it is stored, and both are written in the notation: there are no kernels for semirings.

    a + b   where(a and b are stored, add(a, b), where(a is stored, a, b)),
            stored where a is or b is
    a * b   mul(a, b), stored where both a and b are
    Z = x   keep(x, x is stored), reduced by add over the indices that Z lacks
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import NamedTuple

from nacho._notation.monoids import BOOLEAN, LOGICAL, MONOIDS, OPS, Op, Semiring, op
from nacho._notation.operators import REDUCTIONS
from nacho._notation.rewriting import with_operands
from nacho._notation.tree import (
    Access,
    Assignment,
    Binary,
    Call,
    Coordinate,
    Expr,
    Literal,
    Reduction,
    Unary,
    children,
    postorder,
)
from nacho.errors import ArgumentError, Span, UnsupportedError, pointed


class _Element(NamedTuple):
    """A part of an expression, and where it is stored; None stands for everywhere."""

    value: Expr
    stored: Expr | None


@lru_cache(maxsize=256)
def under(assignment: Assignment, semiring: Semiring | None) -> Assignment:
    """Return an assignment that computes an expression under a semiring.

    None stands for the usual one.
    """
    if semiring is None:
        return assignment
    expr = _Rewriter(assignment, semiring).whole()
    return Assignment(
        assignment.result,
        expr,
        assignment.text,
        None,
        assignment.reduction_span,
        semiring,
    )


def _both(lhs: Expr | None, rhs: Expr | None, span: Span) -> Expr | None:
    if lhs is None or rhs is None:
        return rhs if lhs is None else lhs
    return Binary("andbits", lhs, rhs, span)


def _either(lhs: Expr | None, rhs: Expr | None, span: Span) -> Expr | None:
    if lhs is None or rhs is None:
        return None
    return Binary("orbits", lhs, rhs, span)


class _Rewriter:
    """Writes an expression under a semiring in the notation."""

    def __init__(self, assignment: Assignment, semiring: Semiring) -> None:
        self.assignment = assignment
        self.semiring = semiring
        self.roles = self._roles()
        self.elements: dict[int, _Element] = {}

    def _roles(self) -> Mapping[str, Callable[[Expr, _Element, _Element], _Element]]:
        """Return what the operators of the text mean, by their names.

        After ``min=`` and its like, operators have their own names.
        """
        sign = self.assignment.reduction
        if sign is None:
            return {"add": self.sum, "mul": self.product}
        add, mul = self.semiring.add, self.semiring.mul
        if not add.op or REDUCTIONS[sign].name != add.op:
            message = f"'{sign}' does not reduce by the semiring's {add.operator!r}"
            raise ArgumentError(
                pointed(message, self.assignment.text, self.assignment.reduction_span)
            )
        if isinstance(mul, Op) or mul == "pair":
            message = f"'{sign}' under a semiring whose operator has no name"
            raise ArgumentError(
                pointed(message, self.assignment.text, self.assignment.reduction_span)
            )
        return {add.op: self.sum, MONOIDS.get(mul, mul): self.product}

    def whole(self) -> Expr:
        reductions = self.assignment.reductions
        for node in postorder(self.assignment.expr):
            self.elements[id(node)] = self.element(node)
            over = reductions.get(id(node))
            if over:
                self.elements[id(node)] = self.reduced(node, over)
        root = self.assignment.expr
        value, stored = self.elements[id(root)]
        if isinstance(value, Reduction) or stored is None:
            return value
        return Call("keep", (value, stored), root.span)

    def element(self, node: Expr) -> _Element:
        match node:
            case Coordinate():
                return _Element(node, None)
            case Access():
                is_number = not node.indices
                stored = None if is_number else Call("pattern", (node,), node.span)
                return _Element(node, stored)
            case Literal():
                return _Element(node, None)
            case Reduction("add"):
                return self.reduced(node.operand, node.indices)
        parts = [self.elements[id(child)] for child in children(node)]
        role = None if isinstance(node, Reduction) else self.roles.get(_name(node))
        if role is not None:
            return role(node, *parts)
        if len(parts) == 1 and not isinstance(node, Reduction):
            return _Element(with_operands(node, [parts[0].value]), parts[0].stored)
        begin, end = node.span
        message = (
            f"'{self.assignment.text[begin:end]}' has no meaning under "
            f"{self.semiring!r}: only its operators, functions of one number and "
            "reductions do"
        )
        raise UnsupportedError(pointed(message, self.assignment.text, node.span))

    def sum(self, node: Expr, lhs: _Element, rhs: _Element) -> _Element:
        value = self.semiring.add.applied(lhs.value, rhs.value)
        if lhs.stored is not None:
            value = Call("where", (lhs.stored, value, rhs.value), node.span)
        if rhs.stored is not None:
            value = Call("where", (rhs.stored, value, lhs.value), node.span)
        return _Element(value, _either(lhs.stored, rhs.stored, node.span))

    def product(self, node: Expr, lhs: _Element, rhs: _Element) -> _Element:
        stored, mul = _both(lhs.stored, rhs.stored, node.span), self.semiring.mul
        if isinstance(mul, Op):
            value = mul.applied(lhs.value, rhs.value)
        elif mul == "pair":
            value = self.one(node, lhs, rhs)
        elif mul == "land" and self.semiring.add.operator not in BOOLEAN:
            ones = op(f"a, b -> where({LOGICAL}, 1, 0)")
            value = ones.applied(lhs.value, rhs.value)
        else:
            value = op(f"a, b -> {OPS[mul]}").applied(lhs.value, rhs.value)
        return _Element(value, stored)

    def one(self, node: Expr, lhs: _Element, rhs: _Element) -> Expr:
        """Return 1, in the type of the operands."""
        same = Binary("add", lhs.value, rhs.value, node.span)
        stored = _both(lhs.stored, rhs.stored, node.span) or Literal(1, node.span)
        return Call("where", (stored, Literal(1, node.span), same), node.span)

    def reduced(self, node: Expr, over: tuple[str, ...]) -> _Element:
        """Return the elements of a node reduced, and where any of them is stored."""
        value, stored = self.elements[id(node)]
        if stored is not None:
            value = Call("keep", (value, stored), node.span)
        made = self.semiring.add.reduced(over, value)
        return _Element(made, Call("pattern", (made,), node.span))


def _name(node: Expr) -> str:
    match node:
        case Unary() | Binary():
            return node.op
        case Call():
            return node.function
    return ""
