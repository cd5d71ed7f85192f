"""The statement of a call, and its operands in the order of the statement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeVar

from nacho._kernels.call import bind, is_result_given, views_of
from nacho._kernels.options import Options
from nacho._notation.limits import require_supported
from nacho._notation.overloads import WholeExpression
from nacho._notation.parser import parse
from nacho._notation.symbols import Expression, statement
from nacho._notation.tree import Assignment, identifier
from nacho._notation.warnings import expect_sums, warn_of_sums
from nacho._notation.written_out import with_added
from nacho._storage.views import View
from nacho.errors import ArgumentError, UnsupportedError

_Csr = TypeVar("_Csr", covariant=True)
_Coo = TypeVar("_Coo", covariant=True)


class HasCsr(Protocol[_Csr]):
    """A sparse array or matrix of SciPy, of which the result in csr is another."""

    def tocsr(self, copy: bool = ...) -> _Csr: ...


class HasCoo(Protocol[_Coo]):
    """One of which the result in coo is another."""

    def tocoo(self, copy: bool = ...) -> _Coo: ...


def spelled(
    expr: object, operands: Any, others: tuple[Any, ...], named: dict[str, Any]
) -> tuple[object, Any]:
    """Return an expression as text, and its operands, which may be in it.

    Several operands by position are refused later, as one tuple.
    """
    if others:
        operands = (operands, *others)
    if not isinstance(expr, str) and isinstance(expr, Expression | WholeExpression):
        return _spelled_by_operators(expr, operands, named)
    return expr, operands


def _spelled_by_operators(
    expr: Expression | WholeExpression, indices: object, named: dict[str, Any]
) -> tuple[str, dict[str, Any]]:
    """Return an expression of Python's operators as text, and its operands by name."""
    if indices is None:
        indices = named.pop("indices", None)
    if isinstance(expr, WholeExpression) and indices is not None:
        raise ArgumentError("an expression of whole arrays has no indices")
    if named:
        shown = ", ".join(f"'{name}'" for name in named)
        kind = "whole arrays" if isinstance(expr, WholeExpression) else "nacho.indices"
        raise ArgumentError(
            f"an expression of {kind} has its operands in it: what is {shown}? What it "
            "is added to is one of its terms, as in access(Z)[i, j] + access(A)[i, j]"
        )
    if isinstance(expr, WholeExpression):
        text, given = expr.statement
    else:
        text, given = statement(expr, indices)
    expect_sums(text)
    return text, given


def read_statement(
    text: object, operands: object, named: Mapping[str, Any], options: Options
) -> Assignment:
    """Return the statement of a text, and warn of sums that may not be meant.

    ``+=`` adds to the operand that has the name of the result, if there is one.
    """
    written = parse(text)
    assignment = options.read(written)
    warn_of_sums(assignment)
    given = (*named, *operands) if isinstance(operands, Mapping) else named
    if not is_result_given(written, given):
        return assignment
    return options.read(with_added(written))


def given_operands(
    assignment: Assignment,
    operands: object,
    named: Mapping[str, Any],
    function: tuple[str, tuple[str, ...]],
) -> list[Any]:
    """Return the operands in the order of the expression.

    ``function`` is how messages show the call, with {} in place of the mapping of
    operands, and the names of the function's options.
    """
    names = assignment.operands
    if (
        operands is None
        and len(named) == len(names)
        and all(name in named for name in names)
    ):
        return [named[name] for name in names]
    call, options = function
    if operands is not None:
        mapped = _mapping(operands, names, call)
        twice = next((name for name in named if name in mapped), None)
        if twice is not None:
            raise ArgumentError(f"operand '{twice}' is given twice")
        named = {**mapped, **named}
    for name in names:
        if name not in named and name in options:
            shown = call.format(f'{{"{name}": {name}}}')
            raise ArgumentError(
                f"operand '{name}' has the name of an option: pass it in a mapping, "
                f"{shown}"
            )
    return bind(assignment, (), named)


def _mapping(operands: object, names: Sequence[str], call: str) -> dict[str, Any]:
    """Return operands by name, or refuse operands without names."""
    if not isinstance(operands, Mapping):
        keywords = ", ".join(f"{name}={name}" for name in names)
        kind = type(operands)
        given = "by position" if kind is tuple else f"in one {kind.__name__}"
        raise ArgumentError(
            f"operands are passed by name, {call.format(keywords)}, or in a mapping of "
            f"names, not {given}"
        )
    return {identifier(name): value for name, value in operands.items()}


def views_of_operands(assignment: Assignment, given: Sequence[Any]) -> dict[str, View]:
    try:
        return views_of(assignment, given)
    except UnsupportedError:
        # If the expression is unsupported as well, the user should hear that first.
        require_supported(assignment)
        raise
