"""Infers the format of the result when the caller names none.

Every subexpression has a *structure*: per index, how its coordinates are stored. A
subexpression is *absent* at coordinates where no operand of it stores an entry.

    expression                  structure
    A[i,j]                      the levels of the format of A, taken without blocks
    a * b, both 0 where absent  the structure of the first sparse operand; indices that
                                it lacks are stored as in the other (but see below)
    a * b, only a 0 if absent   the structure of a; indices that it lacks, as in b
    a / b, a 0 where absent     the structure of a; indices that it lacks, as in b
    a + b, a < b, min(a, b) …   the structure of both, if a and b have the same
                                dense, if one of them is dense and has all indices;
                                *spread*, if the dense one, without rows, lacks some
                                otherwise csr for two indices, coo for more
    keep(a, c)                  that of a product of a and c
    where(c, a, b)              if c is 0 where absent: the structure of c * a + b, or
                                of c + b if a and b have different values there
                                if c is not 0 where absent: likewise with a and b
                                exchanged; if nobody knows: of c + a + b
    -a, exp(a), a + 2, a * 2    the structure of a
    a, reduced over j           the structure of a, without j; inside of an expression,
                                dense if only one index is left

Dense levels outside of sparse ones are the *rows* of a sparse operand. All of them are
there, but in a product of two sparse operands with different rows, only few pairs of
rows have entries: A[i,j] * A[k,j] stores i as rows, and k compressed.

Sums with one index are dense: sums by row or column are arrays, and so are rows,
columns and diagonals. Of sparse vectors alone, a vector is stored as they are. A result
is also dense if its indices are all dense or rows, such as a sparse matrix times a
dense one. A spread structure, as that of E[i,j] + m[i], is dense as well, but larger
than any operand: unless all operands are dense, it is refused.

The levels of the result are in the order in which sparse operands store its indices;
where these leave the order open, in the order of the text. Dense levels may lead and
trail, but not lie between sparse ones. If the library of the result has no container
for this format, the result is csr; or coo, if it has more than two levels or a level
of coo.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import pairwise

from nacho._notation.background import backgrounds
from nacho._notation.promotion import Kinds
from nacho._notation.tree import (
    Access,
    Assignment,
    Binary,
    Call,
    Coordinate,
    Expr,
    Reduction,
    Unary,
    children,
    postorder,
    sums,
)
from nacho._storage.formats import LISTS, Format, list_kinds, list_name
from nacho._storage.kinds import level_kind
from nacho.errors import UnsupportedError, pointed

Structure = dict[str, str]
"""Per index: ``dense``, ``rows``, ``spread``, ``compressed``, or the name of the format
(such as ``coo``) whose singletons store the index."""

DENSE, ROWS, SPREAD = "dense", "rows", "spread"

Holds = Callable[[Format], bool]
"""Whether the library of the result has a container for a format."""


def result_format(
    kinds: Kinds, formats: Mapping[str, Format], holds: Holds | None = None
) -> Format | None:
    """Return the format of the result from the formats of the operands.

    It is None for a scalar. Without ``holds``, any format will do.
    """
    assignment = kinds.assignment
    if not assignment.result.indices:
        return None
    inference = _Inference(kinds, formats)
    order = inference.order[: len(assignment.result.indices)]
    reads_vectors = all(
        len(access.indices) < 2 or formats[access.name].is_dense
        for access in assignment.accesses
    )
    if len(order) == 1 and (assignment.reduced or not reads_vectors):
        return _format(assignment, order, [DENSE])
    structure = inference.whole()
    levels = [structure[index] for index in order]
    if SPREAD in levels:
        inference.require_dense_operands()
        levels = [DENSE] * len(order)
    format = _format(assignment, order, levels)
    if holds is None or format.is_dense or holds(format):
        return format
    is_list = not LISTS.keys().isdisjoint(structure.values())
    levels = ["coo"] * len(order) if is_list else _levels_of_sum(len(order))
    return _format(assignment, order, levels)


def level_order(
    assignment: Assignment, formats: Mapping[str, Format]
) -> tuple[str, ...]:
    """Return the indices on the left, then the others, as sparse operands store them.

    Where sparse operands leave the order open or contradict each other, the order of
    the text decides; without sparse operands, the memory order of the first dense one.
    """
    tensors = [access for access in assignment.accesses if access.indices]
    stored = {access: _stored(access, formats[access.name]) for access in tensors}
    chains = [stored[a] for a in tensors if not formats[a.name].is_dense]
    text = assignment.indices
    if tensors and not chains:
        first = [index for index in stored[tensors[0]] if index in text]
        text = tuple(dict.fromkeys((*first, *text)))
    left = [index for index in text if index in assignment.result.indices]
    return (*_sorted(left, chains), *_sorted(assignment.reduced, chains))


def _stored(access: Access, format: Format) -> tuple[str, ...]:
    return tuple(access.indices[dimension] for dimension in format.order)


def _sorted(indices: Sequence[str], chains: Iterable[Sequence[str]]) -> list[str]:
    """Sort topologically: every chain is a required order of some of the indices.

    Of the indices that may come next, the one given first comes next. If the chains
    contradict each other, the first index that is left comes next.
    """
    before: dict[str, set[str]] = {index: set() for index in indices}
    for chain in chains:
        kept = [index for index in chain if index in before]
        for outer, inner in pairwise(kept):
            before[inner].add(outer)
    found: list[str] = []
    while before:
        free = (index for index, outer in before.items() if not outer & before.keys())
        found.append(next(free, next(iter(before))))
        del before[found[-1]]
    return found


# --- Structure ------------------------------------------------------------------------


class _Inference:
    def __init__(self, kinds: Kinds, formats: Mapping[str, Format]) -> None:
        self.assignment = kinds.assignment
        self.formats = {name: format.whole for name, format in formats.items()}
        self.background = backgrounds(kinds)
        self.order = level_order(self.assignment, self.formats)
        self.spread: tuple[str, ...] = ()
        """The indices over which the first spread structure that was found spreads."""

    def whole(self) -> Structure:
        """Return the structure of the result, after terms are reduced and added up."""
        reductions = self.assignment.reductions
        before = self.structures()
        found: dict[int, Structure | None] = {}
        for node in sums(self.assignment.expr, reductions):
            if id(node) in reductions:
                found[id(node)] = _without(before[id(node)], reductions[id(node)])
            elif isinstance(node, Binary):
                found[id(node)] = self.union(found[id(node.lhs)], found[id(node.rhs)])
            elif isinstance(node, Unary):
                found[id(node)] = found[id(node.operand)]
        whole = found[id(self.assignment.expr)]
        assert whole is not None, "an index on the left is one of an operand"
        return whole

    def structures(self) -> dict[int, Structure | None]:
        """Return the structure of every node by ``id``, before any reduction.

        It is None for a node without a tensor.
        """
        found: dict[int, Structure | None] = {}
        for node in postorder(self.assignment.expr):
            operands = [found[id(child)] for child in children(node)]
            found[id(node)] = self.structure(node, operands)
        return found

    def require_dense_operands(self) -> None:
        """Refuse a spread structure, unless all operands are dense."""
        if all(format.is_dense for format in self.formats.values()):
            return
        text, expr = self.assignment.text, self.assignment.expr
        index = self.spread[0]
        message = (
            f"a dense term does not depend on '{index}', and has a value for every "
            f"'{index}': it would make the result dense; ask for that with "
            'out="dense"'
        )
        raise UnsupportedError(pointed(message, text, expr.span))

    def structure(
        self, node: Expr, operands: Sequence[Structure | None]
    ) -> Structure | None:
        """Return the structure of a node from those of its operands."""
        match node:
            case Coordinate():
                return None
            case Access() if node.indices:
                return _of_access(node, self.formats[node.name])
            case Call("where"):
                return self.choice(node, *operands)
            case Call("keep", (value, condition)):
                kept, holds = operands
                is_zero = self.is_zero(condition), self.is_zero(value)
                return self.intersected(holds, kept, *is_zero)
            case Reduction():
                return _reduced(operands[0], node.indices)
            case Binary() if node.operator.annihilator == "either":
                return self.product(node, *operands)
            case Binary() | Call() if node.operator.annihilator == "dividend":
                if operands[0] is not None and self.is_zero(children(node)[0]):
                    return self.joined(operands[0], operands[1] or {})
        structure: Structure | None = None
        for operand in operands:
            structure = self.union(structure, operand)
        return structure

    def choice(
        self,
        node: Call,
        condition: Structure | None,
        on_true: Structure | None,
        on_false: Structure | None,
    ) -> Structure | None:
        known, *values = (self.background[id(child)] for child in node.arguments)
        is_same = None not in values and values[0] == values[1]
        if known is None:
            chosen = self.union(on_true, on_false)
            if not is_same or chosen is None:
                return self.union(condition, chosen)
            return dict.fromkeys(condition or {}, DENSE) | chosen
        present, absent = (on_true, on_false) if known == 0 else (on_false, on_true)
        if is_same:
            condition = self.intersection(condition, present)
        structure = self.union(condition, absent)
        if structure is None or present is None:
            return structure or present
        # Where only the condition is stored, there is a value for each other index.
        return dict.fromkeys(present, DENSE) | structure

    def product(
        self, node: Binary, lhs: Structure | None, rhs: Structure | None
    ) -> Structure | None:
        return self.intersected(
            lhs, rhs, self.is_zero(node.lhs), self.is_zero(node.rhs)
        )

    def intersected(
        self, lhs: Structure | None, rhs: Structure | None, left: bool, right: bool
    ) -> Structure | None:
        """Return the structure of a product of which ``left`` and ``right`` are 0."""
        if lhs is None or rhs is None or left == right:
            return self.intersection(lhs, rhs) if left else self.union(lhs, rhs)
        return self.joined(lhs, rhs) if left else self.joined(rhs, lhs)

    def is_zero(self, node: Expr) -> bool:
        """Return whether a node is known to be 0 where its operands have no entries."""
        value = self.background[id(node)]
        return value is not None and bool(value == 0)

    def union(self, lhs: Structure | None, rhs: Structure | None) -> Structure | None:
        if lhs is None or rhs is None or lhs == rhs:
            return rhs if lhs is None else lhs
        indices = [index for index in self.order if index in lhs or index in rhs]
        if _covers(lhs, indices) or _covers(rhs, indices):
            return dict.fromkeys(indices, DENSE)
        for full in filter(_is_full, (lhs, rhs)):
            self.spread = self.spread or _lacking(full, indices)
            return dict.fromkeys(indices, SPREAD)
        return dict(zip(indices, _levels_of_sum(len(indices)), strict=True))

    def intersection(
        self, lhs: Structure | None, rhs: Structure | None
    ) -> Structure | None:
        if lhs is None or rhs is None:
            return rhs if lhs is None else lhs
        if _is_dense(lhs) and not _is_dense(rhs):
            return self.joined(rhs, lhs)
        return self.joined(lhs, rhs)

    def joined(self, first: Structure, other: Structure) -> Structure:
        """Return a structure with the indices that it lacks, as another stores them.

        If each has rows that the other lacks, the outer ones stay rows.
        """
        mine, others = (
            [index for index in one if one[index] == ROWS and index not in two]
            for one, two in ((first, other), (other, first))
        )
        both = other | first
        if mine and others:
            inner = max(mine, others, key=lambda rows: self.order.index(rows[0]))
            both |= dict.fromkeys(inner, "compressed")
        return both


def _of_access(access: Access, format: Format) -> Structure:
    found: Structure = {}
    levels = (*format.usual.levels, (0, ""))
    # The first level of coo is compressed(nonunique): only the singleton below it tells
    # whether the coordinates are interleaved.
    for (dimension, kind), (_, below) in pairwise(levels):
        singleton = kind if level_kind(kind).shares_positions else below
        plain = kind in ("dense", "compressed")
        found[access.indices[dimension]] = kind if plain else list_name(singleton)
    if not format.is_dense:
        for dimension in format.order[: format.stored[0]]:
            # The diagonal A[i,i] has the sparse level of A, and no rows.
            if found[access.indices[dimension]] == DENSE:
                found[access.indices[dimension]] = ROWS
    return {index: found[index] for index in found if index in access.variables}


def _is_dense(structure: Structure) -> bool:
    return set(structure.values()) <= {DENSE, ROWS, SPREAD}


def _lacking(structure: Structure, indices: Sequence[str]) -> tuple[str, ...]:
    return tuple(index for index in indices if index not in structure)


def _is_full(structure: Structure) -> bool:
    """Return whether every element has a value; rows may be empty."""
    return set(structure.values()) <= {DENSE, SPREAD}


def _covers(structure: Structure, indices: Sequence[str]) -> bool:
    """Return whether a structure is dense and has all of some indices."""
    kinds = set(structure.values())
    return kinds <= {DENSE, ROWS} and len(structure) == len(indices)


def _without(structure: Structure | None, indices: Collection[str]) -> Structure | None:
    if structure is None:
        return None
    return {index: kind for index, kind in structure.items() if index not in indices}


def _reduced(structure: Structure | None, indices: Collection[str]) -> Structure | None:
    """Return the structure of a reduction inside of an expression."""
    kept = _without(structure, indices) or {}
    return dict.fromkeys(kept, DENSE) if len(kept) == 1 else kept or None


# --- Levels ---------------------------------------------------------------------------


def _levels_of_sum(count: int) -> list[str]:
    """Return the levels of a sum of sparse operands with different structures."""
    return ["coo"] * count if count > 2 else [DENSE, "compressed"][-count:]


def _format(
    assignment: Assignment, order: Sequence[str], levels: Sequence[str]
) -> Format:
    dimensions = [assignment.result.indices.index(index) for index in order]
    kinds = _grouped(_storable(levels))
    return Format.of_levels(tuple(zip(dimensions, kinds, strict=True)))


def _storable(levels: Sequence[str]) -> list[str]:
    """Return levels of which no dense one lies between sparse ones.

    Kernels can only append to such a result. Dense levels in between become sparse, and
    so do rows inside of sparse levels, which are few.
    """
    sparse = [n for n, kind in enumerate(levels) if kind not in (DENSE, ROWS)]
    found = [DENSE] * len(levels)
    if not sparse:
        return found
    last = max(n for n, kind in enumerate(levels) if kind != DENSE)
    inside = range(sparse[0], last + 1)
    for n in inside:
        found[n] = levels[n] if n in sparse else "compressed"
    first = next((n for n in inside if found[n] in LISTS), None)
    if first is not None:
        # From the first level of coo on, all sparse levels belong to coo.
        group = range(first, last + 1)
        for n in group:
            found[n] = found[first] if len(group) > 1 else "compressed"
    return found


def _grouped(levels: Sequence[str]) -> list[str]:
    """Return MLIR's kinds of levels, in which coo is several kinds."""
    name = next((kind for kind in levels if kind in LISTS), None)
    if name is None:
        return list(levels)
    names = iter(list_kinds(name, levels.count(name)))
    return [next(names) if kind == name else kind for kind in levels]
