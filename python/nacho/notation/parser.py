"""From text to the tree of ``notation.tree``: tokens, precedence, well-formedness.

A comparison binds less than a sum, and does not chain:

    assignment := access ('=' | '+=' | '*=' | 'max=' | 'min=') comparison
    comparison := sum [('<' | '<=' | '>' | '>=' | '==' | '!=') sum]
    sum        := product (('+' | '-') product)*
    product    := unary (('*' | '/') unary)*
    unary      := '-'* primary
    primary    := number | name | access | function '(' args ')' | '(' comparison ')'
    access     := name '[' indices ']' | name '(' indices ')'
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple, NoReturn

from nacho.errors import ArgumentError, ParseError, Span, UnsupportedError, pointed
from nacho.notation.operators import REDUCTIONS, SUM, Operator, written_in
from nacho.notation.tree import (
    MAX_RANK,
    Access,
    Assignment,
    Binary,
    Call,
    Expr,
    Literal,
    Unary,
    identifier,
)

MAX_NESTING = 100
"""How many parentheses may be open at once; the parser recurses for each of them."""

_COMPARISONS = written_in("comparison")
_SUMS = written_in("sum")
_PRODUCTS = written_in("product")
_SIGNS = written_in("sign")
_FUNCTIONS = written_in("call")
_ASSIGNMENTS = {"=": SUM, **REDUCTIONS}


def _symbols() -> str:
    """Return the pattern of symbols: ``max=`` is one, but ``max==`` begins with a name.

    Longer symbols come first, because a shorter one may be their beginning.
    """
    words = {word for word in _ASSIGNMENTS if word[0].isalpha()}
    marks = {"(", ")", "[", "]", ",", *(_ASSIGNMENTS.keys() - words)}
    marks.update(_COMPARISONS, _SUMS, _PRODUCTS, _SIGNS)
    longest_first = sorted(marks, key=lambda mark: (-len(mark), mark))
    patterns = [f"{word}(?!=)" for word in sorted(words)]
    return "|".join(patterns + [re.escape(mark) for mark in longest_first])


_TOKEN = re.compile(
    r"(?P<space>\s+)"
    r"|(?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
    rf"|(?P<symbol>{_symbols()})"
    r"|(?P<name>[^\W\d]\w*)"
)


class _Token(NamedTuple):
    kind: str  # number, symbol, name or end
    text: str
    span: Span


def parse(text: object) -> Assignment:
    """Parse an assignment, and check that its names and indices make sense."""
    if not isinstance(text, str):
        kind = type(text).__name__
        raise ArgumentError(f"the expression must be a string, not {kind}")
    return _parse(text)


@lru_cache(maxsize=512)
def _parse(text: str) -> Assignment:
    assignment = _Parser(text).assignment()
    for check in (_check_result, _check_ranks, _check_names):
        check(assignment)
    return assignment


# --- Text to tree ---------------------------------------------------------------------


def _tokenize(text: str) -> list[_Token]:
    tokens: list[_Token] = []
    begin = 0
    while begin < len(text):
        found = _TOKEN.match(text, begin)
        if found is None:
            message = f"unexpected character {text[begin]!r}"
            raise ParseError(pointed(message, text, (begin, begin + 1)))
        kind = found.lastgroup or ""
        if kind != "space":
            tokens.append(_Token(kind, identifier(found.group()), found.span()))
        begin = found.end()
    tokens.append(_Token("end", "the end of the text", (len(text), len(text) + 1)))
    return tokens


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = _tokenize(text)
        self.next = 0
        self.depth = 0

    def assignment(self) -> Assignment:
        token = self.peek()
        if token.kind != "name":
            self.expected("the name of the result")
        self.next += 1
        result = self.access(token)
        token = self.peek()
        if token.text not in _ASSIGNMENTS:
            self.expected("'=' after the result")
        self.next += 1
        expr = self.comparison()
        if self.peek().kind != "end":
            self.expected("an operator or the end of the text")
        reduction = None if _ASSIGNMENTS[token.text] is SUM else token.text
        return Assignment(result, expr, self.text, reduction, token.span)

    def comparison(self) -> Expr:
        lhs = self.sum()
        symbol = self.peek().text
        if symbol not in _COMPARISONS:
            return lhs
        self.next += 1
        rhs = self.sum()
        if self.peek().text in _COMPARISONS:
            self.expected("no second comparison (comparisons do not chain)")
        return Binary(_COMPARISONS[symbol].name, lhs, rhs, _join(lhs, rhs))

    def sum(self) -> Expr:
        return self.chain(_SUMS, self.product)

    def product(self) -> Expr:
        return self.chain(_PRODUCTS, self.unary)

    def chain(
        self, operators: dict[str, Operator], operand: Callable[[], Expr]
    ) -> Expr:
        """Parse operands between left-associative operators."""
        lhs = operand()
        while (symbol := self.peek().text) in operators:
            self.next += 1
            rhs = operand()
            lhs = Binary(operators[symbol].name, lhs, rhs, _join(lhs, rhs))
        return lhs

    def unary(self) -> Expr:
        signs: list[_Token] = []
        while (token := self.peek()).text in _SIGNS:
            signs.append(token)
            self.next += 1
        node = self.primary()
        for sign in reversed(signs):
            node = Unary(_SIGNS[sign.text].name, node, (sign.span[0], node.span[1]))
        return node

    def primary(self) -> Expr:
        token = self.peek()
        if token.kind == "number":
            self.next += 1
            return Literal(self.number(token), token.span)
        if token.text == "(":
            return self.parenthesis()
        if token.kind != "name":
            self.expected("an operand")
        self.next += 1
        if token.text in _FUNCTIONS and self.peek().text == "(":
            return self.call(token)
        return self.access(token)

    def number(self, token: _Token) -> int | float:
        if not token.text.isdecimal():
            return float(token.text)
        try:
            return int(token.text)
        except ValueError:
            message = f"an integer of {len(token.text)} digits is too long"
            raise ParseError(pointed(message, self.text, token.span)) from None

    def parenthesis(self) -> Expr:
        self.enter()
        begin = self.peek().span[0]
        self.next += 1
        node = self.comparison()
        return replace(node, span=(begin, self.close(")")))

    def call(self, name: _Token) -> Call:
        self.enter()
        self.next += 1
        arguments = [self.comparison()]
        while self.peek().text == ",":
            self.next += 1
            arguments.append(self.comparison())
        end = self.close(")")
        span = (name.span[0], end)
        wanted = _FUNCTIONS[name.text].arity
        if len(arguments) != wanted:
            message = f"'{name.text}' takes {wanted} argument(s), not {len(arguments)}"
            raise ParseError(pointed(message, self.text, span))
        return Call(name.text, tuple(arguments), span)

    def access(self, name: _Token) -> Access:
        bracket = self.peek().text
        if bracket not in ("[", "("):
            return Access(name.text, (), name.span)
        self.enter()
        self.next += 1
        indices = [self.index()]
        while self.peek().text == ",":
            self.next += 1
            indices.append(self.index())
        end = self.close("]" if bracket == "[" else ")")
        return Access(name.text, tuple(indices), (name.span[0], end))

    def index(self) -> str:
        token = self.peek()
        if token.kind != "name":
            self.expected("the name of an index")
        self.next += 1
        return token.text

    def peek(self) -> _Token:
        return self.tokens[self.next]

    def enter(self) -> None:
        self.depth += 1
        if self.depth > MAX_NESTING:
            message = f"more than {MAX_NESTING} parentheses are open here"
            raise ParseError(pointed(message, self.text, self.peek().span))

    def close(self, bracket: str) -> int:
        """Consume the closing bracket and return the column behind it."""
        token = self.peek()
        if token.text != bracket:
            self.expected(f"'{bracket}'")
        self.next += 1
        self.depth -= 1
        return token.span[1]

    def expected(self, what: str) -> NoReturn:
        token = self.peek()
        found = token.text if token.kind == "end" else f"'{token.text}'"
        message = f"expected {what}, found {found}"
        raise ParseError(pointed(message, self.text, token.span))


def _join(lhs: Expr, rhs: Expr) -> Span:
    return (lhs.span[0], rhs.span[1])


# --- Well-formedness ------------------------------------------------------------------


def _check_result(assignment: Assignment) -> None:
    result = assignment.result
    for access in assignment.accesses:
        if access.name == result.name:
            _refuse(assignment, f"the result '{result.name}' is also read", access)
    repeated = repeated_index(result)
    if repeated is not None:
        _refuse(assignment, f"index '{repeated}' is repeated on the left", result)
    known = {index for access in assignment.accesses for index in access.indices}
    for index in result.indices:
        if index not in known:
            message = f"index '{index}' on the left is an index of no operand"
            _refuse(assignment, message, result)


def _check_ranks(assignment: Assignment) -> None:
    ranks: dict[str, int] = {}
    for access in assignment.accesses:
        rank = ranks.setdefault(access.name, len(access.indices))
        if rank != len(access.indices):
            message = (
                f"operand '{access.name}' is used with {len(access.indices)} and "
                f"with {rank} indices"
            )
            _refuse(assignment, message, access)


def _check_names(assignment: Assignment) -> None:
    names = {assignment.result.name, *assignment.operands}
    for access in (assignment.result, *assignment.accesses):
        for index in access.indices:
            if index in names:
                message = f"'{index}' is the name of an index and of a tensor"
                _refuse(assignment, message, access)


def repeated_index(access: Access) -> str | None:
    """Return the first index that an access uses twice."""
    seen: set[str] = set()
    for index in access.indices:
        if index in seen:
            return index
        seen.add(index)
    return None


def _refuse(assignment: Assignment, message: str, node: Expr) -> NoReturn:
    raise ParseError(pointed(message, assignment.text, node.span))


# --- What is compiled -----------------------------------------------------------------


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
