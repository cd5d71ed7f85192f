"""Trees made of other trees, and trees as text that the parser reads again."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from itertools import count

from nacho._notation.operators import OPERATORS
from nacho._notation.spelling import ATOM, PATTERN, operator_text
from nacho._notation.tree import (
    Access,
    Binary,
    Call,
    Coordinate,
    Expr,
    Literal,
    Reduction,
    Unary,
    children,
    postorder,
)


def rewritten(root: Expr, leaf: Callable[[Expr], Expr]) -> Expr:
    """Return a tree in which accesses and literals are replaced, and indices with them.

    ``leaf`` is also called with each reduction, whose operand is replaced by then.
    """
    found: dict[int, Expr] = {}
    for node in postorder(root):
        found[id(node)] = with_operands(
            node, [found[id(child)] for child in children(node)]
        )
        if not isinstance(node, Unary | Binary | Call):
            found[id(node)] = leaf(found[id(node)])
    return found[id(root)]


def with_operands(node: Expr, operands: list[Expr]) -> Expr:
    """Return a node with other operands."""
    match node:
        case Unary() | Reduction():
            return replace(node, operand=operands[0])
        case Binary():
            return replace(node, lhs=operands[0], rhs=operands[1])
        case Call():
            return replace(node, arguments=tuple(operands))
    return node


def renamed(root: Expr, names: Mapping[str, str]) -> Expr:
    """Return a tree whose indices have other names."""
    if not names:
        return root

    def leaf(node: Expr) -> Expr:
        if isinstance(node, Access | Reduction):
            return replace(node, indices=tuple(names.get(i, i) for i in node.indices))
        return node

    return rewritten(root, leaf)


def accesses_in(root: Expr) -> Iterator[Access]:
    """Yield all accesses, from left to right."""
    return (node for node in postorder(root) if isinstance(node, Access))


def indices_in(root: Expr) -> dict[str, None]:
    """Return the indices of all accesses, but no numbers, by first appearance."""
    return dict.fromkeys(i for access in accesses_in(root) for i in access.variables)


def free_indices(root: Expr) -> dict[int, frozenset[str]]:
    """Return the indices of every node, by ``id``, that no reduction in it has."""
    found: dict[int, frozenset[str]] = {}
    for node in postorder(root):
        own = node.variables if isinstance(node, Access) else ()
        free = frozenset(own).union(*(found[id(child)] for child in children(node)))
        bound = node.indices if isinstance(node, Reduction) else ()
        found[id(node)] = free.difference(bound)
    return found


def with_plain_names(root: Expr, taken: Collection[str]) -> Expr:
    """Return a tree whose reductions have the plainest names for their indices.

    So equal reductions are written the same. No reduction of ``root`` has an index that
    is free in it, and none gets such a name, or one of ``taken``.
    """
    reductions = [node for node in postorder(root) if isinstance(node, Reduction)]
    bound = {index for node in reductions for index in node.indices}
    free = {*taken, *(index for index in indices_in(root) if index not in bound)}

    def leaf(node: Expr) -> Expr:
        if not isinstance(node, Reduction):
            return node
        used = free.union(indices_in(node.operand))
        names: dict[str, str] = {}
        for index in node.indices:
            plain = numbered(index.removesuffix(_MARK))
            names[index] = next(name for name in plain if name not in used)
            used.add(names[index])
        operand = renamed(node.operand, names)
        return replace(node, indices=tuple(names.values()), operand=operand)

    return rewritten(renamed(root, {index: index + _MARK for index in bound}), leaf)


_MARK = "'"
"""Ends names that are to be replaced, which no other name has."""


def numbered(name: str) -> Iterator[str]:
    """Yield a name without its number, and then with 1, 2 and so on."""
    stem = name.rstrip("0123456789")
    yield stem
    yield from (f"{stem}{number}" for number in count(1))


# --- Text -----------------------------------------------------------------------------


def spelled(root: Expr) -> str:
    """Write a tree in the notation; the tree of that text is the same."""
    found: dict[int, tuple[str, int]] = {}
    for node in postorder(root):
        found[id(node)] = _spelled(node, [found[id(child)] for child in children(node)])
    return found[id(root)][0]


def _spelled(node: Expr, operands: list[tuple[str, int]]) -> tuple[str, int]:
    match node:
        case Coordinate():
            return node.indices[0], ATOM
        case Access():
            return node.name + node.subscript, ATOM
        case Literal():
            return number_text(node.value), ATOM
        case Reduction():
            arguments = ", ".join((*node.indices, operands[0][0]))
            return f"{_reducer(node)}({arguments})", ATOM
        case Call(function, (Access() as access,)) if function == PATTERN:
            return f"{PATTERN}({access.name}){access.subscript}", ATOM
        case Call():
            return operator_text(node.function, operands)
    return operator_text(node.operator.spelling, operands)


def _reducer(node: Reduction) -> str:
    return OPERATORS[node.op].reduces if node.op in OPERATORS else node.op


def access_text(name: str, indices: tuple[str, ...]) -> str:
    """Write an access; a scalar has no brackets."""
    return f"{name}[{','.join(indices)}]" if indices else name


def number_text(value: int | float) -> str:
    """Write a number that is not negative, even one that overflows to infinity."""
    return "1e999" if math.isinf(value) else repr(value)
