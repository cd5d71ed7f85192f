"""The compiler's refusals, turned into errors that point into the expression."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NoReturn

from nacho._notation.tree import Access, Assignment, Binary, postorder
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
        _refuse_quotient(assignment, error)
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


def _refuse_quotient(assignment: Assignment, error: Exception) -> NoReturn:
    """Refuse 0 / 0 in a sparse result.

    Only the compiler finds this case; ``notation.background`` refuses all others.
    """
    quotients = [
        node
        for node in postorder(assignment.expr)
        if isinstance(node, Binary) and node.operator.annihilator == "dividend"
    ]
    span = quotients[0].span if len(quotients) == 1 else assignment.expr.span
    message = (
        "a quotient of sparse operands is not zero where both have no entries, but "
        '0 / 0: it would make the result dense; ask for that with out="dense"'
    )
    raise UnsupportedError(pointed(message, assignment.text, span)) from error


def refuse_module(error: _nacho.CompileError) -> NoReturn:
    """Refuse a module that is wrong, or valid but unsupported."""
    kind = UnsupportedError if error.is_unsupported else CompilationError
    raise kind(f"cannot compile the module: {error}") from error
