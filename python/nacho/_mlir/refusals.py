"""The compiler's refusals, turned into errors that point into the expression."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, NoReturn

from nacho._notation.tree import Access, Assignment, Binary, postorder
from nacho.errors import CompilationError, Span, UnsupportedError, pointed

if TYPE_CHECKING:
    from nacho import _nacho

_LIMITS = (
    "scatter",
    "transposition",
    "diagonal",
    "not supported",
    "has no lowering",
)
"""One of these is in every message that refuses a valid but unsupported program."""

_DENSE = "its result would be dense"

_PREFIX = re.compile(r"^.*?\berror: |^\d+:\d+: |^'nacho\.assign' op ")
_OPERATOR = re.compile(r"^'nacho\.(\w+)' op ")


def refuse_compilation(
    assignment: Assignment, bindings: Sequence[Access], error: _nacho.CompileError
) -> NoReturn:
    """Turn a refusal of the compiler into an error that names the operand.

    The number of an operand is that of its binding.
    """
    if _DENSE in str(error):
        _refuse_quotient(assignment, error)
    message = _limit(str(error))
    if message is None:
        message = f"cannot compile '{assignment.text}': {error}"
        raise CompilationError(message) from error
    span: Span = assignment.expr.span
    if error.is_result:
        span = assignment.result.span
        message = f"result '{assignment.result.name}' {error.reason}"
    elif error.operand is not None and error.operand < len(bindings):
        access = bindings[error.operand]
        span = access.span
        message = f"operand '{access.name}' {error.reason}"
    message = message.replace('"', "'")
    if "not supported" not in message:
        message += ": not supported"
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


def refuse_module(error: Exception) -> NoReturn:
    """Refuse a module that is wrong, or valid but unsupported."""
    limited = _limit(str(error)) is not None
    kind = UnsupportedError if limited else CompilationError
    raise kind(f"cannot compile the module: {error}") from error


def _limit(text: str) -> str | None:
    """Return the line that says what is unsupported, without its prefixes.

    None says that no line does: the program is wrong, or the compiler is.
    """
    for line in text.splitlines():
        if any(word in line for word in _LIMITS):
            while (shorter := _PREFIX.sub("", line)) != line:
                line = shorter
            return _OPERATOR.sub(r"a \1 ", line).strip()
    return None
