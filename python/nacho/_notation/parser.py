"""From text to the tree of ``notation.tree``: tokens, precedence, well-formedness.

Operators bind as in Python: comparisons bind least, and do not chain:

    assignment := access ('=' | '+=' | '*=' | 'max=' | 'min=') comparison
    comparison := or [('<' | '<=' | '>' | '>=' | '==' | '!=') or]
    or         := xor ('|' xor)*
    xor        := and ('^' and)*
    and        := sum ('&' sum)*
    sum        := product (('+' | '-') product)*
    product    := unary (('*' | '/' | '//' | '%') unary)*
    unary      := ('-' | '~')* power
    power      := primary ['**' unary]
    primary    := number | name | access | call | '(' comparison ')'
    call       := function '(' comparison (',' comparison)* ')'
                | reducer '(' indices ',' comparison ')'
    reducer    := 'sum' | 'prod' | 'max' | 'min' | 'count' | 'argmax' | 'argmin'
    access     := name ['[' part ']'] '[' places ']' | name '(' places ')'
    places     := (name | bound) (',' (name | bound))*
    part       := (range | bound) (',' (range | bound))*
    range      := [bound] ':' [bound]
    bound      := ['-'] integer
    indices    := name (',' name)*

A name without brackets is a number: that of an index, if it is one, or else an operand.
``max`` and ``min`` are functions of two numbers, too: ``max(j, x)`` is a reduction if
``x`` has the index ``j``.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from itertools import count, pairwise
from typing import NoReturn

from nacho._notation.checks import require_reducible, require_well_formed
from nacho._notation.operators import REDUCERS, SUM, Operator
from nacho._notation.ranges import (
    Place,
    Range,
    indices_and_ranges,
    is_name,
    spelled_in_order,
)
from nacho._notation.shorthands import (
    AS_WRITTEN,
    EXPANDED,
    OTHER_REDUCERS,
    SHORTHANDS,
    Reading,
)
from nacho._notation.spelling import PATTERN
from nacho._notation.tokens import (
    AFTER_RESULT,
    ASSIGNMENTS,
    BINARY,
    COMPARISONS,
    FUNCTIONS,
    NO_INDEX,
    OTHER_ARGUMENTS,
    POWER,
    PREFIXES,
    WORDS,
    Scope,
    Token,
    named_indices,
    tokenize,
    unknown_function,
)
from nacho._notation.tree import (
    Access,
    Assignment,
    Binary,
    Call,
    Coordinate,
    Expr,
    Literal,
    Reduction,
    Unary,
)
from nacho.errors import ArgumentError, ParseError, Span, pointed

MAX_NESTING = 100
"""How many parentheses may be open at once; the parser recurses for each of them."""


def parse(text: object) -> Assignment:
    """Parse an assignment, and check that its names and indices make sense."""
    return _parse(_checked(text), EXPANDED)


def parse_as_written(text: object) -> Assignment:
    """Parse an assignment into a tree in which shorthands are nodes of their own.

    Such a tree cannot be compiled: the table of operators lacks some of its nodes.
    """
    return _parse(_checked(text), AS_WRITTEN)


def _checked(text: object) -> str:
    if isinstance(text, str):
        return text
    kind = type(text).__name__
    raise ArgumentError(f"the expression must be a string, not {kind}")


@lru_cache(maxsize=512)
def _parse(text: str, reading: Reading) -> Assignment:
    assignment = _Parser(text, reading).assignment()
    require_well_formed(assignment)
    return assignment


class _Parser:
    def __init__(self, text: str, reading: Reading) -> None:
        self.text = text
        self.reading = reading
        self.tokens = tokenize(text)
        self.next = 0
        self.depth = 0
        self.taken = {token.text for token in self.tokens}
        self.indices = named_indices(self.tokens)
        self.renamed: dict[str, str] = {}
        """The names of indices of the reductions around that clash with others."""

    def assignment(self) -> Assignment:
        token = self.peek()
        if token.kind != "name":
            self.expected("the name of the result")
        self.next += 1
        result = self.access(token)
        token = self.peek()
        if token.text not in ASSIGNMENTS:
            is_other = token.text in BINARY and self.tokens[self.next + 1].text == "="
            found = f"{token.text}=" if is_other else token.text
            hint = f" ({found} is none of the assignments)" if is_other else ""
            hint = AFTER_RESULT.get(found, hint)
            self.expected(f"'=' after the result{hint}")
        self.next += 1
        expr = self.comparison()
        if self.peek().kind != "end":
            self.expected("an operator or the end of the text")
        reduction = None if ASSIGNMENTS[token.text] is SUM else token.text
        return Assignment(result, expr, self.text, reduction, token.span)

    def comparison(self) -> Expr:
        lhs = self.chain()
        symbol = self.peek().text
        if symbol not in COMPARISONS:
            return lhs
        self.next += 1
        rhs = self.chain()
        if self.peek().text in COMPARISONS:
            self.expected("no second comparison (comparisons do not chain: use &)")
        return Binary(COMPARISONS[symbol].name, lhs, rhs, _join(lhs, rhs))

    def chain(self) -> Expr:
        """Parse operands between operators that are no comparisons.

        An operator gets its right operand when one comes that does not bind tighter.
        """
        operands, waiting = [self.unary()], list[tuple[int, Operator]]()
        while True:
            level, operator = BINARY.get(self.peek().text, (-1, None))
            while waiting and waiting[-1][0] >= level:
                rhs, lhs = operands.pop(), operands.pop()
                name = waiting.pop()[1].name
                operands.append(Binary(name, lhs, rhs, _join(lhs, rhs)))
            if operator is None:
                return operands[0]
            waiting.append((level, operator))
            self.next += 1
            operands.append(self.unary())

    def unary(self) -> Expr:
        signs: list[Token] = []
        while (token := self.peek()).text in PREFIXES:
            signs.append(token)
            self.next += 1
        node = self.power()
        for sign in reversed(signs):
            node = Unary(PREFIXES[sign.text].name, node, (sign.span[0], node.span[1]))
        return node

    def power(self) -> Expr:
        base = self.primary()
        if self.peek().text != POWER:
            return base
        self.next += 1
        self.enter()
        exponent = self.unary()
        self.depth -= 1
        return self.reading.power(base, exponent)

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
        if self.peek().text == "(":
            if token.text == PATTERN:
                return self.pattern(token)
            if token.text in REDUCERS or token.text in OTHER_REDUCERS:
                scope = Scope(self.tokens, self.next)
                if token.text not in FUNCTIONS or scope.has_index():
                    return self.reduction(token, scope)
            if token.text in FUNCTIONS or token.text in SHORTHANDS:
                return self.call(token)
        return self.access(token)

    def pattern(self, name: Token) -> Call:
        """Parse ``pattern(A)[i,j]``, or ``pattern(A[i,j])``, which is the same."""
        self.enter()
        self.next += 1
        token = self.peek()
        if token.kind != "name":
            self.expected("the name of a tensor")
        self.next += 1
        is_outside = self.peek().text == ")"
        operand = None if is_outside else self.access(token)
        end = self.close(")")
        if operand is None:
            operand = self.access(token)
            end = operand.span[1]
        if not operand.indices:
            self.expected(f"the indices of '{token.text}'")
        return Call(name.text, (operand,), (name.span[0], end))

    def number(self, token: Token) -> int | float:
        if not token.text.isdecimal():
            return float(token.text)
        try:
            return int(token.text)
        except ValueError:
            message = f"an integer of {len(token.text)} digits is too long"
            self.refuse(message, token.span)

    def parenthesis(self) -> Expr:
        self.enter()
        begin = self.peek().span[0]
        self.next += 1
        node = self.comparison()
        return replace(node, span=(begin, self.close(")")))

    def call(self, name: Token) -> Expr:
        self.enter()
        self.next += 1
        arguments = [self.comparison()]
        while self.peek().text == ",":
            self.next += 1
            arguments.append(self.comparison())
        end = self.close(")")
        span = (name.span[0], end)
        shorthand = SHORTHANDS.get(name.text)
        wanted = (shorthand or FUNCTIONS[name.text]).arity
        if len(arguments) != wanted:
            message = f"'{name.text}' takes {wanted} argument(s), not {len(arguments)}"
            if name.text in OTHER_ARGUMENTS:
                message += f": {OTHER_ARGUMENTS[name.text]}"
            self.refuse(message, span)
        if shorthand:
            return self.reading.call(name.text, tuple(arguments), span)
        return Call(name.text, tuple(arguments), span)

    def reduction(self, name: Token, scope: Scope) -> Expr:
        self.enter()
        self.next += 1
        outer, self.renamed = self.renamed, dict(self.renamed)
        over: list[str] = []
        while self.peek().kind == "name" and self.tokens[self.next + 1].text == ",":
            index = self.peek().text
            self.renamed[index] = index if scope.is_alone(index) else self.fresh(index)
            over.append(self.renamed[index])
            self.next += 2
        if not over:
            self.expected(f"an index and an expression: {name.text}(j, A[i,j])")
        operand = self.comparison()
        end = self.close(")")
        self.renamed = outer
        span = (name.span[0], end)
        node = Reduction(name.text, tuple(over), operand, span)
        require_reducible(node, self.text)
        return self.reading.reduction(node, self.fresh)

    def fresh(self, index: str) -> str:
        """Return the name of an index with a number that nothing else has."""
        names = (f"{index}{number}" for number in count(1))
        name = next(name for name in names if name not in self.taken)
        self.taken.add(name)
        return name

    def access(self, name: Token) -> Access:
        bracket = self.peek().text
        if bracket not in ("[", "("):
            if name.text in self.indices:
                index = self.renamed.get(name.text, name.text)
                return Coordinate("", (index,), name.span)
            return Access(name.text, (), name.span)
        if bracket == "(" and not self.has_names():
            self.refuse(unknown_function(name.text), name.span)
        part: list[Place] = []
        places, end = self.places()
        if self.peek().text == "[" and not any(map(is_name, places)):
            part, (places, end) = places, self.places()
        span = (name.span[0], end)
        found = indices_and_ranges(part, places)
        if found is None:
            right = spelled_in_order(name.text, part, places)
            self.refuse(f"ranges come before indices: write {right}", span)
        return Access(name.text, found[0], span, found[1])

    def places(self) -> tuple[list[Place], int]:
        """Parse what is in brackets behind a name; also return where they end."""
        closing = "]" if self.peek().text == "[" else ")"
        self.enter()
        self.next += 1
        places = [self.place()]
        while self.peek().text == ",":
            self.next += 1
            places.append(self.place())
        return places, self.close(closing)

    def has_names(self) -> bool:
        """Return whether the parentheses that open here are those of an access."""
        for token, after in pairwise(self.tokens[self.next + 1 :]):
            if token.text == ")" or token.kind == "end":
                return True
            if token.kind == "name" and after.text not in (",", ")"):
                return after.kind != "symbol" or after.text == "]"
        return True

    def place(self) -> Place:
        """Parse an index, a coordinate, or a range of coordinates."""
        token = self.peek()
        if token.kind == "name":
            self.next += 1
            after = self.peek()
            if after.text in NO_INDEX:
                self.refuse(NO_INDEX[after.text], (token.span[0], after.span[1]))
            return self.renamed.get(token.text, token.text)
        begin = self.bound()
        if self.peek().text != ":":
            if begin is None:
                self.expected("the name of an index, or a coordinate")
            return str(begin)
        self.next += 1
        end, after = self.bound(), self.peek()
        if after.text == ":":
            step = "ranges have no steps: slice the operand before, as A[::2]"
            self.refuse(step, after.span)
        if after.kind == "name":
            self.expected("an integer: bounds of ranges are written as such")
        return Range(begin, end)

    def bound(self) -> int | None:
        """Parse a bound of a range, if one is there."""
        is_negative = self.peek().text == "-"
        token = self.tokens[self.next + is_negative]
        if not token.text.isdecimal():
            return None
        self.next += 1 + is_negative
        return int(self.number(token)) * (-1 if is_negative else 1)

    def peek(self) -> Token:
        return self.tokens[self.next]

    def enter(self) -> None:
        self.depth += 1
        if self.depth > MAX_NESTING:
            message = f"more than {MAX_NESTING} parentheses are open here"
            self.refuse(message, self.peek().span)

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
        if token.text in WORDS:
            found += f": {WORDS[token.text]}"
        self.refuse(f"expected {what}, found {found}", token.span)

    def refuse(self, message: str, span: Span) -> NoReturn:
        raise ParseError(pointed(message, self.text, span))


def _join(lhs: Expr, rhs: Expr) -> Span:
    return (lhs.span[0], rhs.span[1])
