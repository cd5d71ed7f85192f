"""The public functions of expressions: ``nacho.sqrt``, ``nacho.where``, ``nacho.sum`` …

Some of them have names of Python's own functions, which nothing here may use.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nacho.errors import ArgumentError
from nacho.notation.operators import OPERATORS, REDUCERS, Operator
from nacho.notation.shorthands import COUNT, SHORTHANDS
from nacho.notation.symbols import Expression, applied, reduced


def _public(operator: Operator) -> Callable[..., Expression]:
    """Return the public function of an operator, such as ``nacho.sqrt``."""
    spelling = operator.spelling

    def unary(x: Expression) -> Expression:
        return applied(spelling, x)

    def binary(lhs: object, rhs: object) -> Expression:
        return applied(spelling, lhs, rhs)

    def choice(condition: object, lhs: object, rhs: object) -> Expression:
        return applied(spelling, condition, lhs, rhs)

    function: Callable[..., Expression] = (unary, binary, choice)[operator.arity - 1]
    function.__name__ = function.__qualname__ = operator.function
    function.__doc__ = f"Return {operator.summary}."
    return function


def _shorthand(name: str) -> Callable[..., Expression]:
    def unary(x: Expression) -> Expression:
        return applied(name, x)

    unary.__name__ = unary.__qualname__ = name
    unary.__doc__ = f"Return what ``{name}`` of the notation gives for an expression."
    return unary


def _reducer(name: str) -> Callable[..., Expression]:
    """Return the public function of a reduction, such as ``nacho.sum``."""

    def reduce(*arguments: Any) -> Expression:
        *indices, operand = arguments or (None,)
        if not isinstance(operand, Expression) or not indices:
            raise ArgumentError(
                f"{name} takes index variables and an expression of nacho.indices: "
                f"nacho.{name}(j, A[i, j]){_hint(name)}"
            )
        return reduced(name, indices, operand)

    reduce.__name__ = reduce.__qualname__ = name
    reduce.__doc__ = f"Return the {_REDUCED[name]}, over the indices that come first."
    return reduce


def _hint(name: str) -> str:
    if name not in ("max", "min"):
        return ""
    return (
        f"; of two expressions, nacho.{name}imum is the {_REDUCED[name].split()[0]} one"
    )


_REDUCED = {
    "sum": "sum of an expression",
    "prod": "product of an expression",
    "max": "largest value of an expression",
    "min": "smallest value of an expression",
    COUNT: "number of values of an expression that are not 0",
}

FUNCTIONS: dict[str, Callable[..., Expression]] = {
    **{
        operator.function: _public(operator)
        for operator in OPERATORS.values()
        if operator.function
    },
    **{name: _shorthand(name) for name in SHORTHANDS},
    **{name: _reducer(name) for name in (*REDUCERS, COUNT)},
}
"""What Python has no symbol for, by its name in ``nacho``.

>>> nacho.where(A[i, j] > 0.5, nacho.sqrt(A[i, j]), 0)  # doctest: +SKIP
>>> A[i, j] / nacho.sum(j, A[i, j])  # doctest: +SKIP
"""
globals().update(FUNCTIONS)
