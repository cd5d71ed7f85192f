"""The partial derivatives of operators, shorthands and reductions, in the notation.

Of a function of x, y and z, there is one text for each of them. ``0`` stands for what
is constant wherever it has a derivative. ``where(c, f, 0)`` and ``where(c, 0, f)`` say
where there is one: ``nacho._notation.products`` chooses with it whatever may be
infinite elsewhere, so that this does no harm.

Where there is no derivative, some are chosen that PyTorch chooses, too: that of ``abs``
and ``relu`` is 0 at 0. Of two equal arguments of ``max`` and ``min``, the second one
counts, unless it is an expression and the first one a number.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

from nacho._notation.operators import OPERATORS
from nacho._notation.parser import parse_as_written
from nacho._notation.rewriting import number_text, renamed, rewritten
from nacho._notation.shorthands import OTHER_REDUCERS
from nacho._notation.tree import (
    Access,
    Binary,
    Call,
    Expr,
    Literal,
    Reduction,
    Unary,
    children,
    name_of,
)

ZERO = "0"

PARTIALS: dict[str, tuple[str, ...]] = {
    "neg": ("-1",),
    "abs": ("sign(x)",),
    "sqrt": ("1 / (2 * sqrt(x))",),
    "exp": ("exp(x)",),
    "log": ("1 / x",),
    "sin": ("cos(x)",),
    "cos": ("-sin(x)",),
    "tan": ("1 + tan(x)**2",),
    "asin": ("1 / sqrt(1 - x**2)",),
    "acos": ("-1 / sqrt(1 - x**2)",),
    "atan": ("1 / (1 + x**2)",),
    "sinh": ("cosh(x)",),
    "cosh": ("sinh(x)",),
    "tanh": ("1 - tanh(x)**2",),
    "asinh": ("1 / sqrt(x**2 + 1)",),
    "acosh": ("1 / sqrt(x**2 - 1)",),
    "atanh": ("1 / (1 - x**2)",),
    "cbrt": ("1 / (3 * cbrt(x)**2)",),
    "exp2": (f"{math.log(2)} * exp2(x)",),
    "log2": (f"{1 / math.log(2)} / x",),
    "log10": (f"{1 / math.log(10)} / x",),
    "log1p": ("1 / (1 + x)",),
    "expm1": ("exp(x)",),
    "relu": ("where(x > 0, 1, 0)",),
    "sigmoid": ("sigmoid(x) * sigmoid(-x)",),
    "add": ("1", "1"),
    "sub": ("1", "-1"),
    "mul": ("y", "x"),
    "div": ("1 / y", "-x / y**2"),
    "pow": ("where(y != 0, y * x**(y - 1), 0)", "where(x != 0, x**y * log(x), 0)"),
    "floordiv": (ZERO, ZERO),
    "mod": ("1", "-(x // y)"),
    "fmod": ("1", "-trunc(x / y)"),
    "hypot": ("x / hypot(x, y)", "y / hypot(x, y)"),
    "logaddexp": ("sigmoid(x - y)", "sigmoid(y - x)"),
    "copysign": ("sign(x) * copysign(1, y)", ZERO),
    "clip": (
        "where(x < y, 0, where(x > z, 0, 1))",
        "where(x < y, where(y > z, 0, 1), 0)",
        "where(max(x, y) > z, 1, 0)",
    ),
    "conj": ("1",),
    "real": ("1",),
    "imag": (ZERO,),
    "angle": (ZERO,),
    "atan2": ("y / (x**2 + y**2)", "-x / (x**2 + y**2)"),
    "max": ("where(x > y, 1, 0)", "where(x > y, 0, 1)"),
    "min": ("where(x < y, 1, 0)", "where(x < y, 0, 1)"),
    "where": (ZERO, "where(x, 1, 0)", "where(x, 0, 1)"),
    "keep": ("where(y, 1, 0)", ZERO),
    **dict.fromkeys(("floor", "ceil", "trunc", "round"), (ZERO,)),
    **dict.fromkeys(("sign", "isnan", "pattern"), (ZERO,)),
    "notbits": (ZERO,),
    **dict.fromkeys(("andbits", "orbits", "xorbits"), (ZERO, ZERO)),
    **{
        operator.name: (ZERO, ZERO)
        for operator in OPERATORS.values()
        if operator.grammar == "comparison"
    },
}
"""By the name of an operator, or that of a shorthand."""

REDUCED: dict[str, str] = {
    "add": "1",
    "mul": "where(count(k, x[k] == 0) == (x[j] == 0),"
    " prod(k, where(x[k] == 0, 1, x[k])) / where(x[j] == 0, 1, x[j]), 0)",
    "max": "where(x[j] == max(k, x[k]), 1 / count(k, x[k] == max(l, x[l])), 0)",
    "min": "where(x[j] == min(k, x[k]), 1 / count(k, x[k] == min(l, x[l])), 0)",
    **dict.fromkeys(OTHER_REDUCERS, ZERO),
}
"""By the operator that reduces ``x[j]`` over j: the derivative for one of the j.

That of a product is the product of all other values: of those that are not 0, if none
of the others is 0. Equal values share the derivative of the largest or smallest one.
"""

_OF_NUMBERS = {"max": "where(y > x, 1, 0)", "min": "where(y < x, 1, 0)"}
"""The derivatives for y if x is a number, which counts where both are equal."""


def partials(node: Unary | Binary | Call) -> tuple[Expr | None, ...]:
    """Return the derivatives of a node for its operands; None stands for 0."""
    operands = children(node)
    found = [
        None if text == ZERO else _filled(text, operands)
        for text in _texts(node, operands)
    ]
    return tuple(found)


def reduced_partial(node: Reduction, fresh: Callable[[str], str]) -> Expr | None:
    """Return the derivative of a reduction for one value of its operand.

    The indices of the reduction say which one; where the derivative reduces again,
    indices have names that ``fresh`` invents for them. None stands for 0.
    """
    text = REDUCED[node.op]
    if text == ZERO:
        return None
    inner: dict[str, dict[str, str]] = {"j": {}}

    def names(letter: str) -> dict[str, str]:
        if letter not in inner:
            inner[letter] = {index: fresh(index) for index in node.indices}
        return inner[letter]

    def leaf(part: Expr) -> Expr:
        match part:
            case Access(_, (letter,)):
                return renamed(node.operand, names(letter))
            case Reduction(_, (letter,)):
                over = tuple(names(letter)[index] for index in node.indices)
                return replace(part, indices=over)
        return part

    return rewritten(_template(text), leaf)


def _texts(node: Unary | Binary | Call, operands: tuple[Expr, ...]) -> tuple[str, ...]:
    name = name_of(node)
    if name in _OF_NUMBERS and _number(operands[0]) is not None:
        return ZERO, _OF_NUMBERS[name]
    if name == "pow":
        base, exponent = map(_number, operands)
        if exponent is not None:
            return _of_power(exponent), ZERO
        if base is not None:
            return ZERO, "x**y * log(x)" if base else ZERO
    return PARTIALS[name]


def _of_power(exponent: int | float) -> str:
    """Return the derivative of a power whose exponent is a number."""
    if exponent in (0, 1, 2):
        return (ZERO, "1", "2 * x")[int(exponent)]
    return f"{_signed(exponent)} * x**{_signed(exponent - 1)}"


def _signed(value: int | float) -> str:
    return f"-{number_text(-value)}" if value < 0 else number_text(value)


def _number(node: Expr) -> int | float | None:
    """Return the value of a literal, which may have a sign."""
    if isinstance(node, Unary) and node.op == "neg":
        value = _number(node.operand)
        return None if value is None else -value
    return node.value if isinstance(node, Literal) else None


def _filled(text: str, operands: tuple[Expr, ...]) -> Expr:
    """Return the tree of a text with the operands in place of x, y and z."""
    by_name = dict(zip("xyz", operands, strict=False))

    def leaf(node: Expr) -> Expr:
        return by_name[node.name] if isinstance(node, Access) else node

    return rewritten(_template(text), leaf)


@lru_cache(maxsize=512)
def _template(text: str) -> Expr:
    return parse_as_written(f"D = {text}").expr
