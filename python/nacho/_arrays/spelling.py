"""From operations on whole arrays to a statement of the notation."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from itertools import chain, count
from typing import Any

import numpy as np

from nacho._arrays.listing import structure_of
from nacho._arrays.operations import Operation, Place, Written
from nacho._kernels.cache import Cache
from nacho._notation.symbols import (
    Expression,
    Index,
    access,
    indices_of,
    operation,
    statement,
)

_LETTERS = "ijklmnopqrstuvwxyz"
_UNIT = np.ones(1, np.bool_)
"""The operand of axes of extent 1 that no other operand has: x * True is x."""


def spelled(root: Operation) -> tuple[str, dict[str, Any]]:
    """Return the statement of an operation as text, and its operands by name.

    The text is remembered, since loops make the same expression of other operands again
    and again.
    """
    structure, leaves = structure_of(root)
    leaves.append(_UNIT)

    def write() -> tuple[str, dict[str, int]]:
        text, operands = _spelled(root)
        numbers = {id(leaf): number for number, leaf in enumerate(leaves)}
        return text, {name: numbers[id(each)] for name, each in operands.items()}

    text, numbers = _texts.get(structure, write)
    return text, {name: leaves[number] for name, number in numbers.items()}


_texts: Cache[tuple[str, dict[str, int]]] = Cache()
"""By structure: the text, and the numbers of the leaves that the operands are."""


def _spelled(root: Operation) -> tuple[str, dict[str, Any]]:
    expr, left = _written(root, is_term=True)
    known = indices_of(expr)
    units = [access(_UNIT, index) for index in left if index not in known]
    if units:
        whole, _ = _written(root, is_term=False)
        expr = reduce(lambda lhs, rhs: operation("*", lhs, rhs), units, whole)
    return statement(expr, left)


def _names() -> Iterator[Index]:
    letters = (Index(letter) for letter in _LETTERS)
    numbered = (Index(f"i{number}") for number in count(1))
    return chain(letters, numbered)


def _written(root: Operation, is_term: bool) -> tuple[Expression, tuple[Index, ...]]:
    """Write an operation and all in it; also return the indices of its axes."""
    names = _names()
    left = tuple([next(names) for _ in root.shape])
    done: list[Written] = []
    first = Place(left, root.own(left, names), is_term)
    stack: list[tuple[Operation, Place, bool]] = [(root, first, False)]
    while stack:
        node, place, expanded = stack.pop()
        if expanded:
            begin = len(done) - len(node.operands)
            done[begin:] = [node.written(place, done[begin:])]
            continue
        stack.append((node, place, True))
        inner = list(zip(node.operands, node.inner(place), strict=True))
        for operand, indices in reversed(inner):
            own = operand.own(indices, names)
            within = Place(indices, own, place.is_term and node.has_terms)
            stack.append((operand, within, False))
    (written,) = done
    return written.term() if is_term else written.closed(), left
