"""Products that derivatives are: a number times factors, divided by others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import filterfalse

from nacho._notation.rewriting import accesses_in, indices_in, renamed
from nacho._notation.tree import (
    Binary,
    Call,
    Coordinate,
    Expr,
    Literal,
    Reduction,
    Unary,
    name_of,
    postorder,
)
from nacho.errors import Span

NOWHERE: Span = (0, 1)
"""The columns of a node that no text has."""


@dataclass(frozen=True)
class Choice:
    """Where a product is what it is: elsewhere it is 0."""

    condition: Expr
    wanted: bool

    def of(self, value: Expr) -> Expr:
        """Return a value where the condition is what is wanted, and 0 elsewhere."""
        zero = Literal(0, NOWHERE)
        values = (value, zero) if self.wanted else (zero, value)
        return Call("where", (self.condition, *values), NOWHERE)


@dataclass(frozen=True)
class Product:
    """A derivative that the chain rule multiplies together, factor by factor."""

    number: int | float
    above: tuple[Expr, ...]
    below: tuple[Expr, ...] = ()
    """The divisors."""
    choices: tuple[Choice, ...] = ()

    def times(self, partial: Expr) -> Product:
        """Return the product with a partial derivative."""
        number, choices = self.number, list(self.choices)
        above, below = list(self.above), list(self.below)
        while (chosen := _chosen(partial)) is not None:
            choice, partial = chosen
            choices.append(choice)
        stack = [partial]
        while stack:
            node = stack.pop()
            match node:
                case Literal(value):
                    number *= value
                case Unary("neg", operand):
                    number = -number
                    stack.append(operand)
                case Binary("mul", lhs, rhs):
                    stack += (rhs, lhs)
                case Binary("div", lhs, rhs):
                    below.append(rhs)
                    stack.append(lhs)
                case _:
                    above.append(node)
        return Product(number, tuple(above), tuple(below), tuple(choices))

    def spread(self, condition: Expr) -> Product:
        """Return the same product for each element of ``condition``, stored or not."""
        first, *others = self.above
        everywhere = Call("where", (condition, first, first), NOWHERE)
        return replace(self, above=(everywhere, *others))

    def summed(self, over: tuple[str, ...]) -> Product:
        """Return the sum over some indices, as a single factor."""
        terms = replace(self, number=1).tree()
        return Product(self.number, (Reduction("add", over, terms, NOWHERE),))

    def indices(self) -> dict[str, None]:
        """Return the indices of all accesses."""
        conditions = (choice.condition for choice in self.choices)
        parts = (*self.above, *self.below, *conditions)
        return dict.fromkeys(index for part in parts for index in indices_in(part))

    def covered(self) -> set[str]:
        """Return the indices that some operand has: a coordinate has no extent."""
        conditions = (choice.condition for choice in self.choices)
        parts = (*self.above, *self.below, *conditions)
        return {
            index
            for part in parts
            for access in accesses_in(part)
            if not isinstance(access, Coordinate)
            for index in access.indices
        }

    def renamed(self, names: Mapping[str, str]) -> Product:
        """Return the product with other names of indices."""
        return Product(
            self.number,
            tuple(renamed(part, names) for part in self.above),
            tuple(renamed(part, names) for part in self.below),
            tuple(
                replace(choice, condition=renamed(choice.condition, names))
                for choice in self.choices
            ),
        )

    def tree(self, mask: Expr | None = None) -> Expr:
        """Return the product as a tree.

        What may be infinite is chosen with the first factor. All other factors are
        outside of the choice, since it may have a value everywhere, and a sparse factor
        has few.

        A mask is a factor of bools. It comes first, because the first sparse operand
        of a product decides how the result is stored; next to it comes no integer,
        because both together were one of 64 bits; and it is outside of quotients, which
        it makes 0 even where a sparse divisor has no entry.
        """
        first, *others = self.above
        masks = [] if mask is None else [mask]
        number = Literal(abs(self.number), NOWHERE)
        factors = [first] if number.value == 1 else [number, first]
        is_apart = bool(self.below or self.choices)
        if mask is not None and not is_apart:
            factors.reverse()
        if self.number < 0:
            factors[0] = Unary("neg", factors[0], NOWHERE)
        if not is_apart:
            return _product([*masks, *factors, *others])
        outer = list(filter(_is_finite, others)) if self.choices else []
        inner = list(filterfalse(_is_finite, others)) if self.choices else others
        node = _product([*factors, *inner])
        for divisor in self.below:
            node = Binary("div", node, divisor, NOWHERE)
        for choice in reversed(self.choices):
            node = choice.of(node)
        return _product([*masks, node, *outer])


def _chosen(partial: Expr) -> tuple[Choice, Expr] | None:
    """Return what is chosen, and where, if a partial derivative is 0 elsewhere."""
    match partial:
        case Call("where", (condition, value, Literal(0))):
            return Choice(condition, True), value
        case Call("where", (condition, Literal(0), value)):
            return Choice(condition, False), value
    return None


def _product(factors: Sequence[Expr]) -> Expr:
    node, *others = factors
    for factor in others:
        node = Binary("mul", node, factor, NOWHERE)
    return node


_UNBOUNDED = {"div", "log", "log1p", "exp", "expm1", "pow"}
"""Operators that make infinite numbers of finite ones, not only of huge ones."""


def _is_finite(factor: Expr) -> bool:
    """Return whether a factor is finite wherever the operands are."""
    return not any(
        isinstance(node, Unary | Binary | Call) and name_of(node) in _UNBOUNDED
        for node in postorder(factor)
    )
