"""Monoids, semirings, and the operators that they are made of.

``nacho._notation.semirings`` computes expressions under them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache

from nacho._notation.operators import OPERATORS
from nacho._notation.parser import parse
from nacho._notation.rewriting import rewritten
from nacho._notation.tree import Access, Binary, Call, Expr, Reduction, StoredOnly
from nacho.errors import ArgumentError

# --- Operators ------------------------------------------------------------------------


@dataclass(frozen=True)
class Op:
    """An operator that is written as an expression: ``a, b -> a * b + 1``."""

    parameters: tuple[str, ...]
    """The names of its two operands."""
    expression: str
    """What it computes of them, as a text in the notation."""

    @property
    def text(self) -> str:
        """The operator as it is written."""
        return f"{', '.join(self.parameters)} -> {self.expression}"

    def __repr__(self) -> str:
        return f"nacho.op({self.text!r})"

    def applied(self, lhs: Expr, rhs: Expr) -> Expr:
        """Return the expression of ``lhs`` and ``rhs``, in place of the parameters."""
        values = dict(zip(self.parameters, (lhs, rhs), strict=True))
        span = (lhs.span[0], rhs.span[1])

        def leaf(node: Expr) -> Expr:
            return values[node.name] if isinstance(node, Access) else node

        return replace(rewritten(self.body, leaf), span=span)

    @property
    def body(self) -> Expr:
        """The tree of the expression."""
        return _body(self)


def op(text: str) -> Op:
    """Return an operator that is written as an expression of its operands.

    Parameters
    ----------
    text
        The names of two operands, and an expression of the notation without indices.

    Examples
    --------
    >>> nacho.op("a, b -> where(a > b, a - b, 0)")
    nacho.op('a, b -> where(a > b, a - b, 0)')
    """
    if not isinstance(text, str):
        raise ArgumentError(f"op takes a text, not {type(text).__name__}")
    left, arrow, right = text.partition("->")
    names = tuple(name.strip() for name in left.split(","))
    if not arrow or len(names) != 2 or names[0] == names[1]:
        raise ArgumentError(f"an operator is written as 'a, b -> a * b', not '{text}'")
    made = Op(names, right.strip())
    _body(made)
    return made


@lru_cache(maxsize=128)
def _body(operator: Op) -> Expr:
    assignment = parse(f"result_ = {operator.expression}")
    for access in assignment.accesses:
        if access.indices or access.name not in operator.parameters:
            shown = access.name + ("[…]" if access.indices else "")
            raise ArgumentError(
                f"'{shown}' is no operand of the operator '{operator.text}'"
            )
    if not assignment.accesses:
        raise ArgumentError(f"the operator '{operator.text}' has no operand in it")
    return assignment.expr


LOGICAL = "(a != 0) & (b != 0)"

OPS: dict[str, str] = {
    "plus": "a + b",
    "minus": "a - b",
    "times": "a * b",
    "div": "a / b",
    "min": "min(a, b)",
    "max": "max(a, b)",
    "first": "a",
    "second": "b",
    "land": LOGICAL,
    "lor": "(a != 0) | (b != 0)",
    "lxor": "(a != 0) != (b != 0)",
    "eq": "a == b",
    "ne": "a != b",
    "lt": "a < b",
    "le": "a <= b",
    "gt": "a > b",
    "ge": "a >= b",
}
"""What a semiring may have in place of ``*``, by name; ``pair`` is no expression."""

MONOIDS: dict[str, str] = {
    "plus": "add",
    "times": "mul",
    "min": "min",
    "max": "max",
    "any": "max",
    "lor": "orbits",
    "land": "andbits",
    "lxor": "xorbits",
}
"""The operators of the table that reduce, by what they are called in semirings.

``any`` may take any of the elements; it takes the largest one, so that results do not
depend on the parts.
"""

BOOLEAN = {"lor", "land", "lxor"}


# --- Monoids and semirings ------------------------------------------------------------


@dataclass(frozen=True)
class Monoid:
    """What elements are reduced by: an operator and its identity.

    Parameters
    ----------
    operator
        ``"plus"``, ``"times"``, ``"min"``, ``"max"``, ``"any"``, ``"lor"``, ``"land"``,
        ``"lxor"``, or an operator that is written as an expression (``nacho.op``). It
        has to be associative and commutative.
    identity
        What reducing nothing gives, and what a reduction begins from. The operators
        with names have theirs; any other must be given one.

    Examples
    --------
    >>> nacho.Monoid("min", identity=float("inf"))
    nacho.Monoid('min', identity=inf)
    """

    operator: str | Op
    """What combines two elements, by name or as a ``nacho.op``."""
    identity: float | None = None
    """What a reduction begins from; None stands for that of the operator."""

    def __post_init__(self) -> None:
        if isinstance(self.operator, Op):
            if self.identity is None:
                raise ArgumentError(f"a monoid of {self.operator!r} needs an identity")
        elif self.operator not in MONOIDS:
            known = ", ".join(MONOIDS)
            raise ArgumentError(
                f"monoid '{self.operator}': expected {known}, or an operator of "
                "nacho.op"
            )
        if self.identity is not None and not isinstance(self.identity, int | float):
            raise ArgumentError(f"identity={self.identity!r} is no number")

    def __repr__(self) -> str:
        given = "" if self.identity is None else f", identity={self.identity}"
        return f"nacho.Monoid({self.operator!r}{given})"

    @property
    def op(self) -> str:
        """The name of the operator in the table; "" if the table lacks it."""
        return "" if isinstance(self.operator, Op) else MONOIDS[self.operator]

    def reduced(self, indices: tuple[str, ...], operand: Expr) -> Reduction:
        """Return the stored elements of ``operand``, reduced over ``indices``."""
        if isinstance(self.operator, Op):
            body, names = self.operator.body, self.operator.parameters
            stored = StoredOnly(self.identity, body, names)
            return Reduction("add", indices, operand, operand.span, stored)
        is_usual = self.identity == _IDENTITIES[self.op]
        stored = StoredOnly(None if is_usual else self.identity)
        return Reduction(self.op, indices, operand, operand.span, stored)

    def applied(self, lhs: Expr, rhs: Expr) -> Expr:
        """Return ``lhs`` and ``rhs`` combined."""
        if isinstance(self.operator, Op):
            return self.operator.applied(lhs, rhs)
        operator, span = OPERATORS[self.op], (lhs.span[0], rhs.span[1])
        if operator.grammar == "call":
            return Call(operator.name, (lhs, rhs), span)
        return Binary(operator.name, lhs, rhs, span)


_IDENTITIES = {
    "add": 0,
    "mul": 1,
    "min": math.inf,
    "max": -math.inf,
    "orbits": 0,
    "andbits": 1,
    "xorbits": 0,
}


@dataclass(frozen=True)
class Semiring:
    """What ``+`` and ``*`` mean in an expression.

    Parameters
    ----------
    add
        The monoid in place of ``+``, which also reduces: a ``nacho.Monoid``, or the
        name of one.
    mul
        The operator in place of ``*``: a ``nacho.op``, or a name: those of monoids,
        ``"minus"``, ``"div"``, ``"first"`` and ``"second"`` (that operand), ``"pair"``
        (1), and comparisons such as ``"lt"``.

    Examples
    --------
    >>> nacho.Semiring("min", "plus") == nacho.Semiring.named("min_plus")
    True
    """

    add: Monoid
    """What stands in place of ``+``, and reduces."""
    mul: str | Op
    """What stands in place of ``*``."""

    def __init__(self, add: Monoid | str, mul: str | Op) -> None:
        object.__setattr__(self, "add", Monoid(add) if isinstance(add, str) else add)
        object.__setattr__(self, "mul", mul)
        if not isinstance(self.add, Monoid):
            kind = type(add).__name__
            raise ArgumentError(f"add is a nacho.Monoid or the name of one, not {kind}")
        if not isinstance(mul, Op) and mul not in ("pair", *OPS):
            known = ", ".join(("pair", *OPS))
            raise ArgumentError(f"mul={mul!r}: expected {known}, or a nacho.op")

    def __repr__(self) -> str:
        add = self.add.operator if self.add.identity is None else self.add
        return f"nacho.Semiring({add!r}, {self.mul!r})"

    @classmethod
    def named(cls, name: str) -> Semiring:
        """Return the semiring of a name, which has two parts: ``"min_plus"``."""
        add, _, mul = name.partition("_")
        if add not in MONOIDS or mul not in ("pair", *OPS):
            raise ArgumentError(
                f"semiring '{name}': expected a monoid and an operator, as in "
                "'min_plus' or 'any_pair'"
            )
        return cls(add, mul)


def semiring_of(given: object) -> Semiring | None:
    """Return the semiring that an argument stands for; None for the usual one."""
    if given is None:
        return None
    if isinstance(given, str):
        given = Semiring.named(given)
    if not isinstance(given, Semiring):
        kind = type(given).__name__
        raise ArgumentError(
            f"semiring= takes a nacho.Semiring or the name of one, not {kind}"
        )
    return None if given == _USUAL else given


_USUAL = Semiring("plus", "times")
