"""A dense oracle for element-wise expressions, independent of the compiler.

It has Python's own parser read the right-hand side and follows the definition of the
notation literally: an absent entry is exactly 0, 0 times anything is then 0, and an
entry of the result is stored wherever the pattern of the expression has one.
"""

from __future__ import annotations

import ast
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class Node(NamedTuple):
    """A subexpression: its value everywhere, and where its pattern has entries."""

    value: Any  # outside of the pattern: what is written in `absent`
    pattern: NDArray[np.bool_] | None  # None: no sparse operand in it
    absent: float  # NaN: only known at run time


def evaluate(text: str, operands: dict[str, Any]) -> tuple[Any, Any]:
    """Return the dense value of an assignment and the pattern of its result."""
    left, _, right = text.partition("=")
    indices = _indices(ast.parse(left.rstrip("+ ").strip(), mode="eval").body)
    reader = _Evaluator(indices, operands)
    node = reader.visit(ast.parse(right.strip(), mode="eval").body)
    assert node.pattern is not None, "no sparse operand"
    assert node.absent == 0.0, "the result would be dense"
    value = np.where(node.pattern, node.value, reader.dtype.type(0))
    return value.astype(reader.dtype), node.pattern


def entries(operand: Any) -> tuple[Any, Any]:
    """Return a sparse container as a dense array and a pattern; duplicates add up."""
    value = np.zeros(operand.shape, operand.dtype)
    pattern = np.zeros(operand.shape, np.bool_)
    for place, entry in _stored(operand):
        value[place] += entry
        pattern[place] = True
    return value, pattern


def dense(operand: Any) -> Any:
    """Return the values of a sparse container as a dense array."""
    return entries(operand)[0]


def pattern(operand: Any) -> Any:
    """Return where a sparse container stores entries."""
    return entries(operand)[1]


def _stored(operand: Any) -> list[tuple[tuple[int, int], Any]]:
    name = str(operand.format)
    if hasattr(operand, "indptr"):
        rows = list(range(operand.shape[0 if name == "csr" else 1]))
        pos, crd, values = operand.indptr, operand.indices, operand.data
    else:
        extent = operand.shape[0 if name.endswith("csr") else 1]
        outer = operand.crd[0]
        rows = list(range(extent)) if outer is None else outer.tolist()
        pos, crd, values = operand.pos[1], operand.crd[1], operand.values
    found = []
    for fibre, row in enumerate(rows):
        for place in range(int(pos[fibre]), int(pos[fibre + 1])):
            where = (row, int(crd[place]))
            found.append((where if "csr" in name else where[::-1], values[place]))
    return found


class _Evaluator(ast.NodeVisitor):
    def __init__(self, indices: list[str], operands: dict[str, Any]) -> None:
        self.indices = indices
        self.operands = operands
        # Python numbers are weak: they take the type of the others.
        strong = [o.dtype for o in operands.values() if type(o) not in (int, float)]
        self.dtype = np.result_type(*strong)

    def visit_Constant(self, node: ast.Constant) -> Node:
        with np.errstate(over="ignore"):
            value = self.dtype.type(node.value)
        return Node(value, None, float(node.value))

    def visit_Name(self, node: ast.Name) -> Node:
        return Node(self.dtype.type(self.operands[node.id]), None, np.nan)

    def visit_Subscript(self, node: ast.Subscript) -> Node:
        assert isinstance(node.value, ast.Name)
        return self.access(node.value.id, _indices(node))

    def visit_Call(self, node: ast.Call) -> Node:
        assert isinstance(node.func, ast.Name)
        return self.access(node.func.id, _indices(node))

    def access(self, name: str, indices: list[str]) -> Node:
        value, stored = entries(self.operands[name])
        if indices != self.indices:
            assert indices == self.indices[::-1]
            value, stored = value.T, stored.T
        return Node(value.astype(self.dtype), stored, 0.0)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> Node:
        assert isinstance(node.op, ast.USub)
        operand = self.visit(node.operand)
        return Node(-operand.value, operand.pattern, -operand.absent)

    def visit_BinOp(self, node: ast.BinOp) -> Node:
        lhs, rhs = self.visit(node.left), self.visit(node.right)
        with np.errstate(all="ignore"):
            if isinstance(node.op, ast.Mult):
                return _product(lhs, rhs)
            if isinstance(node.op, ast.Add):
                value, absent = lhs.value + rhs.value, lhs.absent + rhs.absent
            else:
                assert isinstance(node.op, ast.Sub)
                value, absent = lhs.value - rhs.value, lhs.absent - rhs.absent
        return Node(value, _union(lhs.pattern, rhs.pattern), absent)

    def generic_visit(self, node: ast.AST) -> Node:
        raise AssertionError(f"not element-wise: {ast.dump(node)}")


def _product(lhs: Node, rhs: Node) -> Node:
    """Multiply: an operand that is 0 where it is absent confines the product."""
    confining = [
        n.pattern for n in (lhs, rhs) if n.absent == 0 and n.pattern is not None
    ]
    if len(confining) == 2:
        stored = confining[0] & confining[1]
    elif confining:
        stored = confining[0]
    else:
        stored = _union(lhs.pattern, rhs.pattern)
    value = lhs.value * rhs.value
    if 0.0 not in (lhs.absent, rhs.absent):
        return Node(value, stored, lhs.absent * rhs.absent)
    if stored is not None:
        value = np.where(stored, value, value.dtype.type(0))
    return Node(value, stored, 0.0)


def _union(lhs: Any, rhs: Any) -> Any:
    if lhs is None or rhs is None:
        return rhs if lhs is None else lhs
    return lhs | rhs


def _indices(node: ast.expr) -> list[str]:
    if isinstance(node, ast.Call):
        parts = node.args
    else:
        assert isinstance(node, ast.Subscript)
        inside = node.slice
        parts = inside.elts if isinstance(inside, ast.Tuple) else [inside]
    return [part.id for part in parts if isinstance(part, ast.Name)]
