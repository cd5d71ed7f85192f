"""The public functions of expressions: ``nacho.sqrt``, ``nacho.where``, ``nacho.sum`` …

Those of single elements are also functions of whole tensors.

Some of them have names of Python's own functions, which nothing here may use.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nacho._notation.operators import OPERATORS, REDUCERS
from nacho._notation.overloads import Overloads
from nacho._notation.shorthands import COUNT, OTHER_REDUCERS, SHORTHANDS
from nacho._notation.symbols import Expression, Index, applied, reduced
from nacho.errors import ArgumentError


def _public(name: str, spelling: str, arity: int, summary: str) -> Callable[..., Any]:
    """Return the public function of an operator, such as ``nacho.sqrt``."""

    def unary(x: object, /) -> Any:
        return _applied(spelling, x)

    def binary(lhs: object, rhs: object, /) -> Any:
        return _applied(spelling, lhs, rhs)

    def ternary(first: object, second: object, third: object, /) -> Any:
        return _applied(spelling, first, second, third)

    function: Callable[..., Any] = (unary, binary, ternary)[arity - 1]
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"Return {summary}."
    return function


def _applied(function: str, *operands: object) -> Any:
    """Return a function of expressions and numbers, or of whole tensors and numbers."""
    for each in operands:
        if isinstance(each, Overloads) and not isinstance(each, Expression | Index):
            found = each._operation(function, *operands)
            if found is NotImplemented:
                raise ArgumentError(
                    f"{function} takes expressions of nacho.indices and numbers, or "
                    "containers and numbers"
                )
            return found
    return applied(function, *operands)


def _reducer(name: str) -> Callable[..., Expression]:
    """Return the public function of a reduction, such as ``nacho.sum``."""

    def reduce(*arguments: Any, **named: Any) -> Expression:
        *indices, operand = arguments or (None,)
        if named or not isinstance(operand, Expression) or not indices:
            raise ArgumentError(
                f"{name} takes index variables and an expression of nacho.indices: "
                f"nacho.{name}(j, A[i, j]){_hint(name)}"
            )
        return reduced(name, indices, operand)

    reduce.__name__ = reduce.__qualname__ = name
    reduce.__doc__ = f"Return the {_REDUCED[name]}, over the indices that come first."
    return reduce


def _hint(name: str) -> str:
    if name == COUNT:
        return (
            "; how many entries a result has, the method count of a kernel says: "
            "nacho.mlir.compile(text).count(A, B)"
        )
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
    "argmax": "coordinate of the largest value of an expression",
    "argmin": "coordinate of the smallest value of an expression",
}

FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{
        each.function: _public(each.function, each.spelling, each.arity, each.summary)
        for each in OPERATORS.values()
        if each.function
    },
    **{
        name: _public(name, name, each.arity, each.summary)
        for name, each in SHORTHANDS.items()
    },
    **{name: _reducer(name) for name in (*REDUCERS, *OTHER_REDUCERS)},
}
"""What Python has no symbol for, by its name in ``nacho``.

>>> nacho.where(A[i, j] > 0.5, nacho.sqrt(A[i, j]), 0)  # doctest: +SKIP
>>> A[i, j] / nacho.sum(j, A[i, j])  # doctest: +SKIP
"""
globals().update(FUNCTIONS)
