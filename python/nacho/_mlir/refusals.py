"""The compiler's refusals, turned into errors that point into the expression."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NoReturn

from nacho._notation.tree import (
    Access,
    Assignment,
    Binary,
    Call,
    Expr,
    children,
    postorder,
)
from nacho.errors import CompilationError, UnsupportedError, pointed

if TYPE_CHECKING:
    from nacho import _nacho


def refuse_compilation(
    assignment: Assignment, bindings: Sequence[Access], error: _nacho.CompileError
) -> NoReturn:
    """Turn a refusal of the compiler into an error that names the operand.

    The number of an operand is that of its binding.
    """
    if error.is_dense:
        _refuse_dense(assignment, error)
    if not error.is_unsupported:
        message = f"cannot compile '{assignment.text}': {error}"
        raise CompilationError(message) from error
    message, span = error.reason, assignment.expr.span
    if error.is_result:
        span = assignment.result.span
        message = f"result '{assignment.result.name}' {error.reason}"
    elif error.operand is not None and error.operand < len(bindings):
        access = bindings[error.operand]
        span = access.span
        message = f"operand '{access.name}' {error.reason}"
    message = message.replace('"', "'")
    raise UnsupportedError(pointed(message, assignment.text, span)) from error


def _refuse_dense(assignment: Assignment, error: Exception) -> NoReturn:
    """Refuse 0 / 0, or an element such as A[2,3] as a term, in a sparse result.

    Only the compiler finds these cases; ``notation.background`` refuses all others.
    """
    nodes = list(postorder(assignment.expr))
    quotients = [
        node
        for node in nodes
        if isinstance(node, Binary | Call) and node.operator.annihilator == "dividend"
    ]
    if quotients:
        _refuse_quotients(assignment, quotients, error)
    elements = [
        n for n in nodes if isinstance(n, Access) and n.indices and not n.variables
    ]
    text = assignment.text
    term = elements[0] if len(elements) == 1 else assignment.expr
    message = (
        f"the term '{_part(text, term)}' is not zero where the operands have no "
        'entries: it would make the result dense; ask for that with out="dense"'
    )
    raise UnsupportedError(pointed(message, text, term.span)) from error


def _refuse_quotients(
    assignment: Assignment, quotients: Sequence[Binary | Call], error: Exception
) -> NoReturn:
    node, text = quotients[0], assignment.text
    operator, dividend = node.operator, children(node)[0]
    is_call = operator.grammar == "call"
    zeros = f"{operator.spelling}(0, 0)" if is_call else f"0 {operator.spelling} 0"
    access = next(n for n in postorder(dividend) if isinstance(n, Access) and n.indices)
    message = (
        f"a {operator.noun} of sparse operands is not zero where both have no entries, "
        f'but {zeros}: it would make the result dense; ask for that with out="dense", '
        "or compute it only where there are entries: "
        f"keep({_part(text, node)}, pattern({_part(text, access)}))"
    )
    span = node.span if len(quotients) == 1 else assignment.expr.span
    raise UnsupportedError(pointed(message, text, span)) from error


def _part(text: str, node: Expr) -> str:
    begin, end = node.span
    return text[begin:end]


def refuse_module(error: _nacho.CompileError) -> NoReturn:
    """Refuse a module that is wrong, or valid but unsupported."""
    kind = UnsupportedError if error.is_unsupported else CompilationError
    raise kind(f"cannot compile the module: {error}") from error
