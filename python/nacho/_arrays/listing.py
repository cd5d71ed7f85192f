"""Operations on whole arrays as lists: to be copied, and to be compared."""

from __future__ import annotations

from collections.abc import Hashable
from copy import copy
from typing import Any

from nacho._arrays.operations import Container, Elementwise, Number, Operation
from nacho._notation.symbols import has_literals

Listed = list[tuple[Operation, tuple[int, ...]]]
"""Operations without their operands, whose numbers in the list come with each."""


def listed(root: Operation) -> Listed:
    """Return copies of an operation and all in it, operands first.

    To pickle or copy a list takes no recursion.
    """
    found: Listed = []
    numbers: dict[int, int] = {}
    stack = [(root, False)]
    while stack:
        node, expanded = stack.pop()
        if id(node) in numbers:
            continue
        if not expanded:
            stack.append((node, True))
            stack.extend((operand, False) for operand in reversed(node.operands))
            continue
        numbers[id(node)] = len(found)
        alone = copy(node)
        alone.operands = ()
        found.append((alone, tuple([numbers[id(each)] for each in node.operands])))
    return found


def linked(found: Listed) -> Operation:
    """Return the last operation of a list, with its operands."""
    nodes = [node for node, _ in found]
    for node, numbers in found:
        node.operands = tuple([nodes[number] for number in numbers])
    return nodes[-1]


# --- Structure ------------------------------------------------------------------------


def structure_of(root: Operation) -> tuple[tuple[Hashable, ...], list[Any]]:
    """Return what the text of an operation depends on, and its distinct leaves.

    Leaves are containers and numbers. Operations with equal structures have the same
    text, in which the leaves have the same names.
    """
    found: list[Hashable] = []
    leaves: list[Any] = []
    numbers: dict[int, int] = {}
    literals: list[str] = []
    is_literal = False
    stack = [root]
    while stack:
        node = stack.pop()
        found.append((type(node), len(node.operands), node.shape, node.kind))
        found.append(node.facts())
        stack += node.operands
        if node.operands:
            if isinstance(node, Elementwise):
                is_literal = is_literal or has_literals(node.symbol)
            continue
        leaf = _leaf(node)
        number = numbers.setdefault(id(leaf), len(leaves))
        found.append((number, _literal(leaf)))
        if number == len(leaves):
            leaves.append(leaf)
        if type(leaf) is float:
            literals.append(repr(leaf))
    if is_literal:
        found += literals
    return (*found,), leaves


def _literal(leaf: Any) -> Hashable:
    """Return whether a leaf is, or may be, a literal; an int is the same in any text.

    Its type is not asked for: it would keep a class of a user alive.
    """
    if type(leaf) is int:
        return leaf
    return "float" if type(leaf) is float else None


def _leaf(node: Operation) -> Any:
    if isinstance(node, Container):
        return node.container
    assert isinstance(node, Number)
    return node.given
