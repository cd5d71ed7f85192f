"""The words of the notation: operators, names of functions, tokens of a text."""

from __future__ import annotations

import re
from typing import NamedTuple

from nacho._notation.operators import REDUCERS, REDUCTIONS, SUM, written_in
from nacho._notation.shorthands import COUNT, SHORTHANDS
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
PATTERN = "pattern"
KNOWN = {*FUNCTIONS, *REDUCERS, *SHORTHANDS, COUNT}
"""The names that are read as functions if a parenthesis follows."""


def _symbols() -> str:
    """Return the pattern of symbols: ``max=`` is one, but ``max==`` begins with a name.

    Longer symbols come first, because a shorter one may be their beginning.
    """
    words = {word for word in ASSIGNMENTS if word[0].isalpha()}
    marks = {"(", ")", "[", "]", ",", POWER, *(ASSIGNMENTS.keys() - words)}
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
            raise ParseError(pointed(message, text, (begin, begin + 1)))
        kind = found.lastgroup or ""
        if kind != "space":
            tokens.append(Token(kind, identifier(found.group()), found.span()))
        begin = found.end()
    tokens.append(Token("end", "the end of the text", (len(text), len(text) + 1)))
    return tokens


class Scope:
    """The text of a reduction, from the parenthesis that opens at token ``begin``."""

    def __init__(self, tokens: list[Token], begin: int) -> None:
        self.tokens = tokens
        self.begin = self.end = begin
        self.indexed: set[str] = set()
        """The names that stand where an access has its indices."""
        # Whether the brackets that are open are those of an access.
        opened: list[bool] = []
        for self.end in range(begin, len(tokens)):
            token = tokens[self.end]
            if token.text in ("[", "("):
                name = tokens[self.end - 1]
                is_function = name.text in KNOWN
                is_call = token.text == "(" and (is_function or name.kind != "name")
                opened.append(not is_call and self.end > begin)
            elif token.text in ("]", ")"):
                opened.pop()
                if not opened:
                    break
            elif token.kind == "name" and opened[-1]:
                self.indexed.add(token.text)

    def has_index(self) -> bool:
        """Return whether the first argument is an index of the second one."""
        first, comma = self.tokens[self.begin + 1], self.tokens[self.begin + 2 :]
        return bool(comma) and comma[0].text == "," and first.text in self.indexed

    def is_alone(self, index: str) -> bool:
        """Return whether nothing else in the text has the name of an index."""
        outside = (*self.tokens[: self.begin], *self.tokens[self.end :])
        return all(token.text != index for token in outside)
