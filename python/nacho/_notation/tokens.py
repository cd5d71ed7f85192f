"""The words of the notation: operators, names of functions, tokens of a text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import get_close_matches
from itertools import pairwise
from typing import NamedTuple

from nacho._notation.operators import REDUCERS, REDUCTIONS, SUM, written_in
from nacho._notation.shorthands import OTHER_REDUCERS, SHORTHANDS
from nacho._notation.tree import identifier
from nacho.errors import ParseError, Span, pointed

COMPARISONS = written_in("comparison")
BINARY = {
    spelling: (level, operator)
    for level, rule in enumerate(("or", "xor", "and", "sum", "product"))
    for spelling, operator in written_in(rule).items()
}
"""How tightly an operator binds that is no comparison, and the operator."""
PREFIXES = written_in("sign") | written_in("not")
FUNCTIONS = written_in("call")
ASSIGNMENTS = {"=": SUM, **REDUCTIONS}
POWER = "**"
KNOWN = {*FUNCTIONS, *REDUCERS, *SHORTHANDS, *OTHER_REDUCERS}
"""The names that are read as functions if a parenthesis follows."""

_NO_OFFSET = (
    "an index has no offset: a range before the indices moves it, as A[:, 1:][i,j], "
    "whose j counts from 0"
)
NO_INDEX = {
    "+": _NO_OFFSET,
    "-": _NO_OFFSET,
    "[": "an index is a name, and not read from a tensor: index the container before, "
    "as A[p] of NumPy and SciPy",
}
"""What to say of a name in brackets that these follow."""

_SORTS = "no function sorts: sort the array with NumPy, before the call or after it"
_PREFIXES = "no function adds up what came before: NumPy's does, of the result"
_POWER = "A[i,j]**2 is a power"
ELSEWHERE = {
    "all": "min(j, A[i,j] != 0) is true where all are not 0",
    "argsort": _SORTS,
    "cumprod": _PREFIXES,
    "cumsum": _PREFIXES,
    "dot": "sum(j, x[j] * y[j]) is the product",
    "isfinite": "abs(A[i,j]) < inf is true where it is finite, for an operand inf",
    "isinf": "abs(A[i,j]) == inf is true where it is not finite, for an operand inf",
    "matmul": "Z[i,k] = A[i,j] * B[j,k] is the product",
    "median": _SORTS,
    "pow": _POWER,
    "power": _POWER,
    "quantile": _SORTS,
    "reciprocal": "1 / x[i] is the reciprocal",
    "softmax": "exp(A[i,j]) / sum(k, exp(A[i,k])) is the softmax of each row",
    "sort": _SORTS,
    "square": _POWER,
    "std": "sqrt(sum(j, (A[i,j] - m[i])**2) / n) is the deviation from means m, for "
    "an operand n that is the number of values",
    "transpose": "A[j,i] is the transposed A[i,j]",
    "unique": _SORTS,
    "var": "sum(j, (A[i,j] - m[i])**2) / n is the variance around means m, for an "
    "operand n that is the number of values",
    "any": "max(j, A[i,j] != 0) is true where any is not 0",
    "mean": "sum(j, A[i,j]) / n is the mean, for an operand n that is their number",
    "norm": "sqrt(sum(i, j, A[i,j]**2)) is the norm",
    "topk": "keep(A[i,j], A[i,j] >= t[i]) keeps the largest entries of each row of a "
    "csr_array, for t = np.array([[*np.sort(A.data[a:b])[-k:], 0][0] for a, b"
    " in zip(A.indptr, A.indptr[1:])])",
}
"""Functions that the notation lacks, and what else does it."""


AFTER_RESULT = {
    "-=": " (-= is none of the assignments: += -(…) subtracts from a tensor)",
    "<": " (a mask is a factor, as pattern(M)[i,j])",
}
"""What to say of symbols between the result and the expression."""

WORDS = {
    "and": "& joins comparisons, in parentheses",
    "else": "where(c, a, b) is a where c holds, and else b",
    "if": "where(c, a, b) is a where c holds, and else b",
    "not": "~ turns a comparison around, in parentheses",
    "or": "| joins comparisons, in parentheses",
}
"""What to say of Python's words in place of an operator."""

_CHARACTERS = {
    ".": "functions and tensors are names, and A[j,i] is the transposed A[i,j]",
    ";": "a text has one statement",
    "@": "the product A @ B is A[i,k] * B[k,j] in the notation",
}
"""What to say of characters that the notation lacks."""

OTHER_ARGUMENTS = {
    "round": "round(100 * x) / 100 rounds to two digits",
}
"""What else does the work of a function with more arguments than it has."""


def unknown_function(name: str) -> str:
    """Return what to say of a function that the notation lacks."""
    message = f"'{name}' is no function of the notation"
    near = get_close_matches(name, KNOWN, 3)
    if name in ELSEWHERE:
        message += f": {ELSEWHERE[name]}"
    elif near:
        message += f", did you mean {' or '.join(map(repr, near))}?"
    return message


def _symbols() -> str:
    """Return the pattern of symbols: ``max=`` is one, but ``max==`` begins with a name.

    Longer symbols come first, because a shorter one may be their beginning.
    """
    words = {word for word in ASSIGNMENTS if word[0].isalpha()}
    marks = {"(", ")", "[", "]", ",", ":", POWER, *(ASSIGNMENTS.keys() - words)}
    marks.update(COMPARISONS, BINARY, PREFIXES)
    longest_first = sorted(marks, key=lambda mark: (-len(mark), mark))
    patterns = [f"{word}(?!=)" for word in sorted(words)]
    return "|".join(patterns + [re.escape(mark) for mark in longest_first])


_TOKEN = re.compile(
    r"(?P<space>\s+)"
    r"|(?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
    rf"|(?P<symbol>{_symbols()})"
    r"|(?P<name>[^\W\d]\w*)"
)


class Token(NamedTuple):
    kind: str  # number, symbol, name or end
    text: str
    span: Span


def tokenize(text: str) -> list[Token]:
    tokens: list[Token] = []
    begin = 0
    while begin < len(text):
        found = _TOKEN.match(text, begin)
        if found is None:
            message = f"unexpected character {text[begin]!r}"
            if text[begin] in _CHARACTERS:
                message += f": {_CHARACTERS[text[begin]]}"
            raise ParseError(pointed(message, text, (begin, begin + 1)))
        kind = found.lastgroup or ""
        if kind != "space":
            tokens.append(Token(kind, identifier(found.group()), found.span()))
        begin = found.end()
    tokens.append(Token("end", "the end of the text", (len(text), len(text) + 1)))
    return tokens


def named_indices(tokens: Sequence[Token]) -> set[str]:
    """Return the names that stand where an access has its indices."""
    found: set[str] = set()
    # Whether the brackets that are open are those of an access.
    opened: list[bool] = []
    for before, token in pairwise(tokens):
        if token.text in ("[", "("):
            is_function = before.text in KNOWN or before.kind != "name"
            opened.append(token.text == "[" or not is_function)
        elif token.text in ("]", ")"):
            del opened[-1:]
        elif token.kind == "name" and opened and opened[-1]:
            found.add(token.text)
    return found


class Scope:
    """The text of a reduction, from the parenthesis that opens at token ``begin``."""

    def __init__(self, tokens: list[Token], begin: int) -> None:
        self.tokens = tokens
        self.begin = self.end = begin
        depth = 0
        for self.end in range(begin, len(tokens)):
            text = tokens[self.end].text
            depth += (text in ("[", "(")) - (text in ("]", ")"))
            if not depth:
                break
        self.indexed = named_indices(tokens[begin : self.end + 1])
        """The names that stand where an access has its indices."""

    def has_index(self) -> bool:
        """Return whether the first argument is an index of the second one."""
        first, comma = self.tokens[self.begin + 1], self.tokens[self.begin + 2 :]
        return bool(comma) and comma[0].text == "," and first.text in self.indexed

    def is_alone(self, index: str) -> bool:
        """Return whether nothing else in the text has the name of an index."""
        outside = (*self.tokens[: self.begin], *self.tokens[self.end :])
        return all(token.text != index for token in outside)
