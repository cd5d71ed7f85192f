"""The tree of tensor index notation: accesses, operators, and the terms of a sum.

Every node knows its columns in the text, so that an error can point at it. No walk
recurses, because the tree of a sum of a thousand terms is a thousand nodes deep.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Hashable, Iterator, Sequence
from dataclasses import dataclass

from nacho._notation.operators import OPERATORS, REDUCTIONS, SUM, Operator
from nacho._notation.ranges import Range
from nacho._once import cached_property
from nacho.errors import Span

MAX_RANK = 8
"""The most indices that an operand or the result may have."""


def identifier(name: str) -> str:
    """Return a name in NFKC, as Python normalises the names of keyword arguments."""
    if not isinstance(name, str) or name.isascii() or not name.isidentifier():
        return name
    return unicodedata.normalize("NFKC", name)


@dataclass(frozen=True)
class Access:
    """``A[i,j]``, or a scalar ``s`` (no indices).

    An index that is a number, as in ``A[3,j]``, is the only coordinate that is read.
    In ``A[:, 2:10][i,j]``, the index j counts the coordinates of a range.
    """

    name: str
    indices: tuple[str, ...]
    span: Span
    ranges: tuple[Range, ...] = ()
    """Per index, what it runs over; there are none if all run over whole dimensions."""

    @property
    def key(self) -> AccessKey:
        """What is the same for all accesses to the same elements."""
        return self.name, self.indices, self.ranges

    @property
    def variables(self) -> tuple[str, ...]:
        """The indices that are no numbers."""
        return tuple(index for index in self.indices if not index.isdecimal())

    @property
    def is_whole(self) -> bool:
        """Whether its indices run over whole dimensions."""
        return not self.ranges and self.variables == self.indices

    @property
    def subscript(self) -> str:
        """What is written behind the name; nothing behind that of a scalar."""
        if not self.indices:
            return ""
        if not self.ranges:
            return f"[{','.join(self.indices)}]"
        pairs = zip(self.indices, self.ranges, strict=True)
        places = (each.number(i) if i.isdecimal() else each.text for i, each in pairs)
        return f"[{', '.join(places)}][{','.join(self.variables)}]"

    def extents(self, shape: Sequence[int]) -> tuple[int, ...]:
        """Return the extent of each index, for an operand of a shape.

        That of a number is the extent of the dimension.
        """
        if not self.ranges:
            return tuple(shape)
        pairs = zip(shape, self.ranges, strict=False)
        return tuple(each.size(extent) for extent, each in pairs)


AccessKey = tuple[str, tuple[str, ...], tuple[Range, ...]]
"""The name, the indices and the ranges of an access."""


@dataclass(frozen=True)
class Coordinate(Access):
    """``i`` outside of brackets: an index as a number, which is not stored.

    It is an access to a dense tensor whose elements are its coordinates. That has the
    extent of the index, but no name, and is no operand.
    """


@dataclass(frozen=True)
class Literal:
    """A number in the text; it is weak, as Python's numbers are in NumPy (NEP 50)."""

    value: int | float
    span: Span


@dataclass(frozen=True)
class Unary:
    """``-x``; the name of the operator is ``op``."""

    op: str
    operand: Expr
    span: Span

    @property
    def operator(self) -> Operator:
        """What the table of operators says."""
        return OPERATORS[self.op]


@dataclass(frozen=True)
class Binary:
    """``x + y`` and its like; the name of the operator is ``op`` (``add`` …)."""

    op: str
    lhs: Expr
    rhs: Expr
    span: Span

    @property
    def operator(self) -> Operator:
        """What the table of operators says."""
        return OPERATORS[self.op]


@dataclass(frozen=True)
class Call:
    """``f(x, …)``, where ``f`` is one of the functions of the notation."""

    function: str
    arguments: tuple[Expr, ...]
    span: Span

    @property
    def operator(self) -> Operator:
        """What the table of operators says."""
        return OPERATORS[self.function]


@dataclass(frozen=True)
class StoredOnly:
    """How a reduction combines elements if it takes those only that are stored."""

    identity: float | None = None
    """What it begins from; None stands for the identity of the operator."""
    operator: Expr | None = None
    """The operator, if the table lacks it: an expression of two ``parameters``."""
    parameters: tuple[str, ...] = ()


@dataclass(frozen=True)
class Reduction:
    """``sum(j, x)`` and its like; the name of the operator is ``op`` (``add`` …).

    No other node has an index of this name: the parser renames those that would clash.
    Under a semiring, ``stored`` says how stored elements are combined.
    """

    op: str
    indices: tuple[str, ...]
    operand: Expr
    span: Span
    stored: StoredOnly | None = None

    @property
    def operator(self) -> Operator:
        """What the table of operators says."""
        return OPERATORS[self.op]


Operation = Unary | Binary | Call
Expr = Access | Literal | Operation | Reduction


@dataclass(frozen=True)
class LevelPart:
    """What one index of a tensor in blocks runs over, or one of its levels stores.

    That is a dimension; or, in blocks of a ``size``, the number of the block in the
    dimension, or the place ``inside`` of the block.
    """

    dimension: int
    size: int = 1
    is_inside: bool = False

    def of(self, extent: int) -> int:
        """Return how much there is of a dimension of this extent."""
        return self.size if self.is_inside else extent // self.size


LevelParts = tuple[LevelPart, ...]


@dataclass(frozen=True)
class Split:
    """A tensor whose callers see fewer dimensions than it has indices.

    ``format`` is the level map of a tensor in blocks, and empty for a dense one.
    """

    parts: LevelParts
    """What each index runs over."""
    format: str = ""


@dataclass(frozen=True, eq=False)
class Assignment:
    """``result = expr``.

    ``reduction`` is the sign of an assignment such as ``max=``; it is None for ``=``
    and ``+=``, which both sum. ``with_added`` makes an assignment with the sign ``=``
    of one with ``+=`` if there is an operand that it adds to. ``semiring`` is the
    ``nacho.Semiring`` under which the expression is computed, if it is another than the
    usual one.
    """

    result: Access
    expr: Expr
    text: str
    reduction: str | None
    reduction_span: Span
    semiring: Hashable = None
    splits: tuple[tuple[str, Split], ...] = ()
    """The tensors whose callers see fewer dimensions than they have indices."""
    extents: tuple[tuple[str, int], ...] = ()
    """The extents of indices that no operand has, as a module may give them."""

    def split_of(self, name: str) -> Split | None:
        """Return how the dimensions of a tensor are split; None if they are not."""
        return dict(self.splits).get(name)

    @cached_property
    def accesses(self) -> tuple[Access, ...]:
        """The distinct accesses of the right-hand side, by first appearance."""
        found: dict[AccessKey, Access] = {}
        for node in postorder(self.expr):
            if isinstance(node, Access) and not isinstance(node, Coordinate):
                found.setdefault(node.key, node)
        return tuple(found.values())

    @cached_property
    def coordinates(self) -> tuple[str, ...]:
        """The indices that are used as numbers, by first appearance."""
        nodes = postorder(self.expr)
        found = (node.indices[0] for node in nodes if isinstance(node, Coordinate))
        return tuple(dict.fromkeys(found))

    @cached_property
    def operands(self) -> tuple[str, ...]:
        """The names of the operands, by first appearance."""
        return tuple(self.ranks)

    @cached_property
    def ranks(self) -> dict[str, int]:
        """The number of indices of each operand, by first appearance."""
        return {access.name: len(access.indices) for access in self.accesses}

    @cached_property
    def tensors(self) -> tuple[str, ...]:
        """The operands that are written with indices."""
        return tuple(name for name, rank in self.ranks.items() if rank)

    @cached_property
    def indices(self) -> tuple[str, ...]:
        """All indices: those on the left, then the others by first appearance."""
        found = dict.fromkeys(self.result.indices)
        for access in self.accesses:
            found.update(dict.fromkeys(access.variables))
        return tuple(found)

    @property
    def reduction_operator(self) -> Operator:
        """The operator by which indices that are not on the left are reduced."""
        return SUM if self.reduction is None else REDUCTIONS[self.reduction]

    @cached_property
    def reductions(self) -> dict[int, tuple[str, ...]]:
        """Per term (by ``id``), the indices that it is reduced over.

        ``=`` and ``+=`` reduce each term of the outermost sum on its own, over its own
        indices. ``max=`` and its like reduce the right-hand side as a whole.
        """
        whole = self.reduction is not None
        nodes = (self.expr,) if whole else terms(self.expr)
        return {id(node): self._reduced_in(node) for node in nodes}

    @cached_property
    def has_bits(self) -> bool:
        """Whether an operator is defined on integers and bools only."""
        return any(
            isinstance(node, Unary | Binary) and node.operator.is_integral
            for node in postorder(self.expr)
        )

    @cached_property
    def nested(self) -> tuple[Reduction, ...]:
        """The reductions that are written as such, inner ones first."""
        nodes = postorder(self.expr)
        return tuple(node for node in nodes if isinstance(node, Reduction))

    @cached_property
    def adds(self) -> bool:
        """Whether it is ``+=``, which adds to an operand of the result's name."""
        return self.text[slice(*self.reduction_span)] == "+="

    @cached_property
    def reduced(self) -> tuple[str, ...]:
        """All indices that are not on the left."""
        return self.indices[len(self.result.indices) :]

    def access_of(self, name: str) -> Access:
        """Return the first access to an operand."""
        return next(access for access in self.accesses if access.name == name)

    def _reduced_in(self, term: Expr) -> tuple[str, ...]:
        if not self.reduced:
            return ()
        found: dict[str, None] = {}
        for node in postorder(term):
            if isinstance(node, Access):
                found.update(dict.fromkeys(node.variables))
        bound = {index for node in self.nested for index in node.indices}
        kept = bound.union(self.result.indices)
        return tuple(index for index in found if index not in kept)


def name_of(node: Operation) -> str:
    """Return the name of an operator, or of a shorthand that is a node of its own."""
    return node.function if isinstance(node, Call) else node.op


def children(node: Expr) -> tuple[Expr, ...]:
    """Return the operands of a node, from left to right."""
    match node:
        case Unary() | Reduction():
            return (node.operand,)
        case Binary():
            return (node.lhs, node.rhs)
        case Call():
            return node.arguments
    return ()


def postorder(root: Expr) -> Iterator[Expr]:
    """Yield every node after its children, from left to right.

    A node that is an operand of several ones is yielded once.
    """
    seen: set[int] = set()
    stack: list[tuple[Expr, bool]] = [(root, False)]
    while stack:
        node, expanded = stack.pop()
        if expanded:
            yield node
            continue
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, Access | Literal):
            yield node
            continue
        stack.append((node, True))
        stack.extend((child, False) for child in reversed(children(node)))


def terms(root: Expr) -> tuple[Expr, ...]:
    """Split a sum at its outermost ``+`` and ``-``, even below a unary minus."""
    found: list[Expr] = []
    stack = [root]
    while stack:
        node = stack.pop()
        if is_sum(node):
            stack.extend(reversed(children(node)))
        else:
            found.append(node)
    return tuple(found)


def sums(root: Expr, ends: Collection[int]) -> Iterator[Expr]:
    """Yield the terms ``ends`` (by ``id``) and all nodes above them, in postorder."""
    stack: list[tuple[Expr, bool]] = [(root, False)]
    while stack:
        node, expanded = stack.pop()
        if expanded or id(node) in ends:
            yield node
            continue
        stack.append((node, True))
        stack.extend((child, False) for child in reversed(children(node)))


def is_sum(node: Expr) -> bool:
    """Return whether terms are split at a node: ``x + y``, ``x - y``, ``-x``."""
    if isinstance(node, Unary | Binary):
        return node.operator.grammar in ("sum", "sign")
    return False
