"""A dense oracle for the notation, independent of the compiler.

It has Python's own parser read the right-hand side and follows the definition
literally: an absent entry is exactly 0, 0 times anything is then 0, every term sums the
indices that are not on the left, and an entry of the result is stored wherever the
pattern of the expression has one. Types are NumPy's, node by node. Floating-point sums
may be done in any order: they come with a bound on what that can make of them.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from entries import closed, dense, entries, pattern
from statements import (
    accesses,
    accesses_in,
    indices_of,
    is_scatter_or_transposition,
    name_of,
    parsed,
    ranks,
    reduces,
)

__all__ = [
    "Answer",
    "accesses",
    "closed",
    "dense",
    "entries",
    "evaluate",
    "is_scatter_or_transposition",
    "pattern",
    "ranks",
    "reduces",
    "result_dtype",
    "solve",
]

Array = NDArray[Any]

_WEAK = (int, float, complex)
_WIDER = {"f": np.float64, "d": np.longdouble, "F": np.complex128, "D": np.clongdouble}
_UFUNCS = {"+": np.add, "*": np.multiply, "max": np.maximum, "min": np.minimum}


class Answer(NamedTuple):
    """What an assignment has to give."""

    value: Array
    pattern: Array
    error: Array | None
    """What the order of sums can make of it; None: nothing, the value is exact."""
    sparse: bool
    """Whether it is 0 wherever the pattern has no entry, whatever scalars are."""


def evaluate(text: str, operands: Mapping[str, Any]) -> tuple[Array, Array]:
    """Return the dense value of an assignment and the pattern of its result."""
    answer = solve(text, operands)
    return answer.value, answer.pattern


def solve(text: str, operands: Mapping[str, Any]) -> Answer:
    """Return the dense value of an assignment, and what a result has to satisfy.

    Operands are by name: sparse containers, arrays, scalars; Python's own numbers are
    weak. Types that NumPy refuses raise what NumPy raises.
    """
    left, operator, tree = parsed(text)
    reader = _Evaluator(left, tree, operands)
    with np.errstate(all="ignore"):
        if operator in ("", "+"):
            node = reader.terms(tree)
        else:
            node = reader.reduced(reader.visit(tree), operator)
        return reader.answer(node)


def result_dtype(text: str, types: Mapping[str, tuple[int, Any]]) -> np.dtype[Any]:
    """Return the type of a result for operands of these ranks and types."""
    ones = {name: np.ones((1,) * rank, dtype) for name, (rank, dtype) in types.items()}
    return solve(text, ones).value.dtype


# --- Values ---------------------------------------------------------------------------


class Node(NamedTuple):
    """A subexpression: its value everywhere, and where its pattern has entries.

    Arrays have one axis per index of the expression, of extent 1 for those that are not
    in ``indices``. The value of a weak number is Python's.
    """

    value: Any
    pattern: Array | None  # None: no tensor in it
    absent: complex  # its value outside of the pattern; NaN: only known at run time
    indices: frozenset[str] = frozenset()
    error: Any = None  # None: exact


class _Evaluator(ast.NodeVisitor):
    def __init__(
        self, left: list[str], tree: ast.expr, operands: Mapping[str, Any]
    ) -> None:
        self.left = left
        self.tensors = {name: entries(operands[name]) for name, _ in accesses_in(tree)}
        self.operands = operands
        self.extents: dict[str, int] = {}
        for name, indices in accesses_in(tree):
            shape = self.tensors[name][0].shape
            for index, extent in zip(indices, shape, strict=True):
                assert self.extents.setdefault(index, extent) == extent, index
        self.space = list(self.extents)

    # Sums and terms ---------------------------------------------------------------

    def terms(self, node: ast.expr) -> Node:
        """Evaluate sums down to their terms; each sums its own indices."""
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
            return self.sum(node.op, self.terms(node.left), self.terms(node.right))
        if isinstance(node, ast.UnaryOp):
            return self.negated(self.terms(node.operand))
        return self.reduced(self.visit(node), "+")

    def reduced(self, node: Node, operator: str) -> Node:
        """Reduce over the indices that are not on the left; absent entries are 0."""
        over = [index for index in self.space if index in node.indices]
        over = [index for index in over if index not in self.left]
        if not over:
            return node
        assert node.pattern is not None
        axes = tuple(self.space.index(index) for index in over)
        kept = node.indices.difference(over)
        shape = self.shape(node.indices)
        pattern = np.broadcast_to(node.pattern, shape)
        value = np.broadcast_to(node.value, shape)
        count = int(np.prod([self.extents[index] for index in over]))
        total, error = _reduction(value, operator, axes, count)
        absent = 0.0 if node.absent == 0 and (count or operator == "+") else np.nan
        if operator == "*" and node.absent == 0:
            # One absent entry is enough, whatever the others are.
            total = np.where(
                pattern.all(axes, keepdims=True), total, total.dtype.type()
            )
        return Node(total, pattern.any(axes, keepdims=True), absent, kept, error)

    def shape(self, indices: frozenset[str]) -> tuple[int, ...]:
        return tuple(self.extents[i] if i in indices else 1 for i in self.space)

    def answer(self, node: Node) -> Answer:
        """Return the arrays of the result, with the axes of the left-hand side."""
        value = np.asarray(node.value)
        pattern = np.False_ if node.pattern is None else node.pattern
        if node.absent == 0 and node.pattern is not None:
            value = np.where(pattern, value, value.dtype.type())
        return Answer(
            self.on_the_left(value),
            self.on_the_left(pattern),
            None if node.error is None else self.on_the_left(node.error),
            node.absent == 0,
        )

    def on_the_left(self, array: Any) -> Array:
        kept = self.shape(frozenset(self.left) & frozenset(self.space))
        if np.ndim(array) < len(kept):
            array = np.asarray(array)[(None,) * (len(kept) - np.ndim(array))]
        full = np.broadcast_to(array, kept)
        summed = [n for n, i in enumerate(self.space) if i not in self.left]
        axes = [self.space.index(index) for index in self.left]
        return np.array(full.transpose(axes + summed).reshape([kept[n] for n in axes]))

    # Nodes ------------------------------------------------------------------------

    def visit_Constant(self, node: ast.Constant) -> Node:
        assert isinstance(node.value, _WEAK)
        return Node(node.value, None, node.value)

    def visit_Name(self, node: ast.Name) -> Node:
        given = self.operands[node.id]
        if type(given) in _WEAK:
            return Node(given, None, np.nan)
        return Node(self.spread(np.asarray(given), []), None, np.nan)

    def visit_Subscript(self, node: ast.Subscript) -> Node:
        return self.access(node)

    def visit_Call(self, node: ast.Call) -> Node:
        return self.access(node)

    def access(self, node: ast.Subscript | ast.Call) -> Node:
        value, stored = self.tensors[name_of(node)]
        indices = indices_of(node)
        spread = (self.spread(array, indices) for array in (value, stored))
        return Node(*spread, 0.0, frozenset(indices))

    def spread(self, array: Array, indices: list[str]) -> Array:
        """Give an array an axis for every index; a repeated one takes its diagonal."""
        labels = [self.space.index(index) for index in indices]
        kept = sorted(set(labels))
        if len(kept) < len(labels):
            array = array[_diagonal(array.shape, labels, kept)]
        else:
            array = array.transpose(np.argsort(labels))
        return array.reshape(self.shape(frozenset(indices)))

    def visit_UnaryOp(self, node: ast.UnaryOp) -> Node:
        assert isinstance(node.op, ast.USub)
        return self.negated(self.visit(node.operand))

    def negated(self, node: Node) -> Node:
        return node._replace(value=-node.value, absent=-node.absent)

    def visit_BinOp(self, node: ast.BinOp) -> Node:
        lhs, rhs = self.visit(node.left), self.visit(node.right)
        if isinstance(node.op, ast.Mult):
            return _product(lhs, rhs)
        return self.sum(node.op, lhs, rhs)

    def sum(self, op: ast.operator, lhs: Node, rhs: Node) -> Node:
        if isinstance(op, ast.Add):
            value, absent = lhs.value + rhs.value, lhs.absent + rhs.absent
        else:
            assert isinstance(op, ast.Sub)
            value, absent = lhs.value - rhs.value, lhs.absent - rhs.absent
        indices = lhs.indices | rhs.indices
        pattern = _union(lhs.pattern, rhs.pattern)
        return Node(value, pattern, absent, indices, _sum_error(lhs, rhs, value))

    def generic_visit(self, node: ast.AST) -> Node:
        raise AssertionError(f"not in the notation: {ast.dump(node)}")


def _diagonal(shape: tuple[int, ...], labels: list[int], kept: list[int]) -> Any:
    """Return the index arrays that take the diagonal, with its axes sorted."""
    extents = [shape[labels.index(label)] for label in kept]
    grid = np.ogrid[tuple(slice(extent) for extent in extents)]
    return tuple(grid[kept.index(label)] for label in labels)


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
    indices = lhs.indices | rhs.indices
    value = _times(lhs.value, rhs.value)
    if 0.0 not in (lhs.absent, rhs.absent):
        return Node(value, stored, lhs.absent * rhs.absent, indices)
    if stored is not None:
        value = np.where(stored, value, value.dtype.type())
    return Node(value, stored, 0.0, indices)


def _times(lhs: Any, rhs: Any) -> Any:
    """Multiply; complex numbers without the fused operations that NumPy may use."""
    product = lhs * rhs
    if getattr(product, "dtype", np.dtype(bool)).kind != "c":
        return product
    one, other = (np.asarray(side).astype(product.dtype) for side in (lhs, rhs))
    made = np.empty_like(product)
    made.real = one.real * other.real - one.imag * other.imag
    made.imag = one.real * other.imag + one.imag * other.real
    return made


def _union(lhs: Any, rhs: Any) -> Any:
    if lhs is None or rhs is None:
        return rhs if lhs is None else lhs
    return lhs | rhs


# --- Reductions -----------------------------------------------------------------------


def _reduction(
    value: Array, operator: str, axes: tuple[int, ...], count: int
) -> tuple[Array, Any]:
    """Reduce in the type of the value; return what another order could change, too.

    That is nothing for integers, but no longer once they are added to other terms.
    """
    ufunc, dtype = _UFUNCS[operator], value.dtype
    if operator in ("max", "min"):
        return ufunc.reduce(value, axis=axes, keepdims=True), None
    if dtype.char not in _WIDER:
        total = ufunc.reduce(value, axis=axes, keepdims=True, dtype=dtype)
        return total, np.zeros(total.shape)
    wide = value.astype(_WIDER[dtype.char])
    total = ufunc.reduce(wide, axis=axes, keepdims=True)
    limits = np.finfo(dtype)
    if operator == "+":
        size = np.abs(wide).sum(axis=axes, keepdims=True)
    else:
        size = np.abs(total) + float(limits.tiny)
    error = float(limits.eps) * (4 * count + 4) * size
    return total.astype(dtype), error.astype(np.float64)


def _sum_error(lhs: Node, rhs: Node, value: Any) -> Any:
    """Bound the error of a sum of which a side was summed in another order.

    What is added to a sum may be added first.
    """
    if lhs.error is None and rhs.error is None:
        return None
    kind = np.asarray(value).dtype
    eps = float(np.finfo(kind).eps) if kind.char in _WIDER else 0.0
    known = sum(node.error for node in (lhs, rhs) if node.error is not None)
    return known + 4 * eps * (_magnitude(lhs.value) + _magnitude(rhs.value))


def _magnitude(value: Any) -> Any:
    # The smallest integer of a type has none in that type.
    array = np.asarray(value)
    return np.abs(array if array.dtype.kind == "c" else array.astype(np.float64))
