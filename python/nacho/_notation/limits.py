"""Valid notation that is not compiled: too many indices, or no operand."""

from __future__ import annotations

from typing import NoReturn

from nacho._notation.tree import MAX_RANK, Assignment
from nacho.errors import Span, UnsupportedError, pointed


def require_supported(assignment: Assignment) -> None:
    """Refuse valid notation that is not compiled: too many indices, or no operand."""
    for access in (assignment.result, *assignment.accesses):
        if len(access.indices) > MAX_RANK:
            role = "result" if access is assignment.result else "operand"
            message = (
                f"{role} '{access.name}' has {len(access.indices)} indices: more than "
                f"{MAX_RANK} are not supported"
            )
            _unsupported(assignment, message, access.span)
    if not assignment.operands:
        message = "an expression without an operand is not supported"
        _unsupported(assignment, message, assignment.expr.span)


def _unsupported(assignment: Assignment, message: str, span: Span) -> NoReturn:
    raise UnsupportedError(pointed(message, assignment.text, span))
