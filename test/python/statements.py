"""Assignments as Python itself parses them, and which orders of loops suit them."""

from __future__ import annotations

import ast
import functools
import graphlib
import itertools
import re
from collections.abc import Iterator, Mapping

FUNCTIONS = frozenset(
    {
        *("abs", "sqrt", "exp", "log", "sin", "cos", "tanh", "min", "max", "where"),
        *("round", "clip", "hypot", "logaddexp", "fmod", "copysign"),
        *("conj", "real", "imag", "angle"),
    }
)
"""Functions that the oracle computes."""

_CALLS = FUNCTIONS | {
    *("log1p", "expm1", "floor", "ceil", "relu", "sigmoid", "sign", "isnan"),
    *("sum", "prod", "count", "pattern"),
}
"""A call of anything else is an access."""

_ASSIGNMENT = re.compile(r"\s*(.*?[^\s+*])\s*(max|min|\+|\*)?=(.*)", re.DOTALL)


def accesses(text: str) -> list[tuple[str, list[str]]]:
    """Return the operands and their indices, once per access."""
    return list(accesses_in(parsed(text)[2]))


def ranks(text: str) -> dict[str, int]:
    """Return the ranks of the operands, in order, and last of the result."""
    found = {name: len(indices) for name, indices in accesses(text)}
    return {**found, _result_name(text): len(parsed(text)[0])}


def reduces(text: str) -> bool:
    """Return whether any index is reduced."""
    left = set(parsed(text)[0])
    return any(set(indices) - left for _, indices in accesses(text))


def is_scatter_or_transposition(
    text: str, orders: Mapping[str, tuple[int, ...] | None]
) -> bool:
    """Return whether no order of the loops suits all tensors that have an order.

    ``orders`` has the dimensions of each sparse tensor by level, and None for dense
    ones, of operands and of the result. Loops go down the levels of sparse tensors, and
    loops over reduced indices are inside of those over the indices of the result. An
    operand that is its own diagonal has no order at all.
    """
    left, _, tree = parsed(text)
    graph = graphlib.TopologicalSorter[str]()
    chains = [(orders.get(_result_name(text)), left)]
    chains += [(orders.get(name), indices) for name, indices in accesses_in(tree)]
    for order, indices in chains:
        if order is None:
            continue
        chain = [indices[dimension] for dimension in order]
        for outer, inner in itertools.pairwise(chain):
            graph.add(inner, outer)
        if len(set(chain)) < len(chain):
            return True
    for inner in {index for _, indices in accesses_in(tree) for index in indices}:
        if inner not in left:
            graph.add(inner, *left)
    try:
        graph.prepare()
    except graphlib.CycleError:
        return True
    return False


@functools.lru_cache(maxsize=256)
def parsed(text: str) -> tuple[list[str], str, ast.expr]:
    """Return the indices on the left, what reduces, and the right-hand side."""
    found = _ASSIGNMENT.fullmatch(text)
    assert found is not None, text
    left = ast.parse(found[1], mode="eval").body
    indices = [] if isinstance(left, ast.Name) else indices_of(left)
    right = ast.parse(found[3].strip(), mode="eval").body
    return indices, found[2] or "", right


def _result_name(text: str) -> str:
    found = re.match(r"\s*(\w+)", text)
    assert found is not None
    return found[1]


def accesses_in(tree: ast.expr) -> Iterator[tuple[str, list[str]]]:
    """Yield accesses in the order in which they are written."""
    children = ast.iter_child_nodes(tree)
    if isinstance(tree, ast.Call) and name_of(tree) in _CALLS:
        children = iter(tree.args)
    elif isinstance(tree, ast.Subscript) and isinstance(tree.value, ast.Call):
        # pattern(A)[i,j]
        yield name_of(tree.value.args[0]), indices_of(tree)
        return
    elif isinstance(tree, ast.Call | ast.Subscript):
        yield name_of(tree), indices_of(tree)
        return
    for child in children:
        if isinstance(child, ast.expr):
            yield from accesses_in(child)


def name_of(node: ast.expr) -> str:
    name: ast.expr = node
    if isinstance(node, ast.Call):
        name = node.func
    while isinstance(name, ast.Subscript):
        # Ranges may come before the indices: A[:, 2:10][i,j].
        name = name.value
    assert isinstance(name, ast.Name)
    return name.id


def indices_of(node: ast.expr) -> list[str]:
    if isinstance(node, ast.Call):
        parts = node.args
    else:
        assert isinstance(node, ast.Subscript)
        inside = node.slice
        parts = inside.elts if isinstance(inside, ast.Tuple) else [inside]
    return [part.id for part in parts if isinstance(part, ast.Name)]
