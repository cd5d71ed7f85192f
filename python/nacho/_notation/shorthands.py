"""What the notation writes in fewer words than operators: powers, ``relu``, ``count`` …

The parser replaces each of them by operators of the table, so that nothing else knows
them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from nacho._notation.operators import REDUCERS
from nacho._notation.rewriting import renamed
from nacho._notation.spelling import PATTERN
from nacho._notation.tree import (
    Binary,
    Call,
    Coordinate,
    Expr,
    Literal,
    Reduction,
    Unary,
    postorder,
)
from nacho.errors import Span

COUNT = "count"
PLACES = {"argmax": "max", "argmin": "min"}
"""What returns a coordinate of an index, and the reduction whose value is there."""
OTHER_REDUCERS = (COUNT, *PLACES)
"""Reductions that are written with others."""

_LARGEST_POWER = 64
"""Integers up to this one are exponents of products; others, of real powers."""
_FAR = 1 << 62
"""A number that is larger than any coordinate."""


def reduction(node: Reduction, fresh: Callable[[str], str]) -> Expr:
    """Return ``sum(j, x)`` and its like, whose operator still is the function's name.

    ``count`` sums 1 wherever ``x`` is not 0. ``fresh`` invents names of indices.
    """
    if node.op in PLACES:
        return _place(node, fresh)
    if node.op != COUNT:
        return replace(node, op=REDUCERS[node.op].name)
    ones = Call("where", (node.operand, *_numbers(node.span, 1, 0)), node.span)
    return replace(node, op=REDUCERS["sum"].name, operand=ones)


def _place(node: Reduction, fresh: Callable[[str], str]) -> Expr:
    """Return ``argmax(j, x)``: the first j where x is the largest, or -1.

    It is -1 where the largest value is a 0 that is not stored. Of the coordinates of
    the entries that have the largest value, the smallest is found in this way, in which
    a minimum takes what has no entry for 0:

        found = min(j, keep(pattern(x) * (j - far), x == max(k, x) | x != x))
        where(found < 0, found + far, -1)

    If an x is not a number, it is the largest, and the only one that x != x holds for.
    """
    span, best = node.span, replace(node, op=REDUCERS[PLACES[node.op]].name)
    inner = [each for each in postorder(node.operand) if isinstance(each, Reduction)]
    bound = (index for each in (node, *inner) for index in each.indices)
    names = {index: fresh(index) for index in bound}
    x, index = renamed(node.operand, names), names[node.indices[0]]
    far, zero, one = _numbers(span, _FAR, 0, 1)
    is_best = Binary("eq", x, best, span)
    is_best = Binary("orbits", is_best, _isnan(x, span), span)
    distance = Binary("sub", Coordinate("", (index,), span), far, span)
    stored = Binary("mul", Call(PATTERN, (x,), span), distance, span)
    kept = Call("keep", (stored, is_best), span)
    found = Reduction(REDUCERS["min"].name, (index,), kept, span)
    is_found = Binary("lt", found, zero, span)
    place = Binary("add", found, far, span)
    return Call("where", (is_found, place, Unary("neg", one, span)), span)


def name_written(text: str, node: Reduction) -> str:
    """Return the name of a reduction in its statement, which may be a shorthand's."""
    name = text[slice(*node.span)].partition("(")[0].strip()
    return name if name in PLACES else node.operator.reduces


def _numbers(span: Span, *values: int) -> list[Expr]:
    return [Literal(value, span) for value in values]


def power(base: Expr, exponent: Expr) -> Expr:
    """Return ``base ** exponent``: a product if the exponent is a small integer."""
    span = (base.span[0], exponent.span[1])
    number = integer(exponent)
    if number is None or not 0 < abs(number) <= _LARGEST_POWER:
        return Binary("pow", base, exponent, span)
    if number > 0:
        return _product(base, number, span)
    # Integers might overflow before they divide.
    product = _product(_real(base), -number, span)
    return Binary("div", Literal(1, span), product, span)


def _real(x: Expr) -> Expr:
    """Return a number that is not of an integer type, and else the same."""
    return Binary("mul", x, Literal(1.0, x.span), x.span)


def integer(node: Expr) -> int | None:
    """Return the value of an integer literal, which may have a sign."""
    if isinstance(node, Unary) and node.op == "neg":
        value = integer(node.operand)
        return None if value is None else -value
    if isinstance(node, Literal) and isinstance(node.value, int):
        return node.value
    return None


def _product(base: Expr, count: int, span: Span) -> Expr:
    """Multiply ``count`` copies: the square of a half of them, if they are even."""
    if count == 1:
        return base
    half = _product(base, count // 2, span)
    square = Binary("mul", half, half, span)
    return Binary("mul", square, base, span) if count % 2 else square


def _relu(x: Expr, span: Span) -> Expr:
    return Call("max", (x, Literal(0, span)), span)


def _sigmoid(x: Expr, span: Span) -> Expr:
    one = Literal(1, span)
    negative = Call("exp", (Unary("neg", _real(x), span),), span)
    return Binary("div", one, Binary("add", one, negative, span), span)


def _sign(x: Expr, span: Span) -> Expr:
    """1, -1 or 0, as the number; what is none of them is not a number, and stays."""
    zero, one = Literal(0, span), Literal(1, span)
    same = Call("where", (Binary("eq", x, zero, span), zero, x), span)
    is_below = Binary("lt", x, zero, span)
    # A literal of -1 would not fit into unsigned numbers.
    minus = Unary("neg", Call("where", (is_below, one, x), span), span)
    below = Call("where", (is_below, minus, same), span)
    return Call("where", (Binary("gt", x, zero, span), one, below), span)


def _isnan(x: Expr, span: Span) -> Expr:
    return Binary("ne", x, x, span)


def _angle(x: Expr, span: Span) -> Expr:
    return Call("atan2", (Call("imag", (x,), span), Call("real", (x,), span)), span)


def _clip(x: Expr, lower: Expr, upper: Expr, span: Span) -> Expr:
    # Of two equal numbers, which may be 0 and -0, the second one is the result.
    return Call("min", (upper, Call("max", (lower, x), span)), span)


class Shorthand(NamedTuple):
    """A function that is written with others, and what it returns of how many."""

    arity: int
    expand: Callable[..., Expr]
    """Takes the operands and the place of the whole in the text."""
    summary: str


SHORTHANDS = {
    "relu": Shorthand(1, _relu, "the larger one of an expression and 0"),
    "sigmoid": Shorthand(
        1, _sigmoid, "1 / (1 + exp(-x)) for an expression x: 0.5 where it is 0"
    ),
    "sign": Shorthand(1, _sign, "1, 0 or -1, as an expression is above, at or below 0"),
    "isnan": Shorthand(1, _isnan, "whether an expression is not a number"),
    "angle": Shorthand(
        1,
        _angle,
        "the angle of a complex number: of a real one, 0, or pi where it is negative",
    ),
    "clip": Shorthand(
        3,
        _clip,
        "the first expression, but not less than the second, nor more than the third",
    ),
}
"""Functions by name."""


class Reading(NamedTuple):
    """What the parser makes of powers, reductions and functions such as ``relu``."""

    power: Callable[[Expr, Expr], Expr]
    reduction: Callable[[Reduction, Callable[[str], str]], Expr]
    call: Callable[[str, tuple[Expr, ...], Span], Expr]


def _kept_power(base: Expr, exponent: Expr) -> Expr:
    return Binary("pow", base, exponent, (base.span[0], exponent.span[1]))


def _kept_reduction(node: Reduction, fresh: Callable[[str], str]) -> Reduction:
    if node.op in OTHER_REDUCERS:
        return node
    return replace(node, op=REDUCERS[node.op].name)


EXPANDED = Reading(
    power, reduction, lambda name, of, span: SHORTHANDS[name].expand(*of, span)
)
"""Everything in operators of the table, as it is compiled."""

AS_WRITTEN = Reading(_kept_power, _kept_reduction, Call)
"""Shorthands stay nodes of their own, for what has to write them again."""
