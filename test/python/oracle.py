"""A dense oracle for the notation, independent of the compiler.

It has Python's own parser read the right-hand side and follows the definition
literally: an absent entry is exactly 0, 0 times anything is then 0, every term sums the
indices that are not on the left, and an entry of the result is stored wherever the
pattern of the expression has one. An absent entry divided by anything is 0 too, but 0
divided by an absent entry is not a number. Types are NumPy's, node by node.
Floating-point sums may be done in any order: they come with a bound on what that can
make of them.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Mapping
from operator import add, and_, or_, sub
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import statements
from entries import closed, dense, entries, is_dense, pattern
from operators import (
    COMPARISONS,
    FUNCTIONS,
    Coordinates,
    choice,
    floored_quotient,
    floored_remainder,
    product,
    quotient,
)
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
_QUOTIENTS = {
    ast.Div: quotient,
    ast.FloorDiv: floored_quotient,
    ast.Mod: floored_remainder,
}
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
    absent: Any  # its value outside of the pattern; None: only known at run time
    indices: frozenset[str] = frozenset()
    error: Any = None  # None: exact
    full: bool = False  # whether the pattern is everything, whatever is stored

    @property
    def is_zero(self) -> bool:
        """Whether it is 0 outside of the pattern."""
        return self.absent is not None and bool(self.absent == 0)

    @property
    def confines(self) -> bool:
        """Whether it makes products 0 outside of the pattern."""
        return self.is_zero and self.pattern is not None


def _applied(function: Any, *nodes: Node) -> Node:
    """Apply a function that makes nothing but its value of absent entries."""
    absent = [node.absent for node in nodes]
    return Node(
        function(*(node.value for node in nodes)),
        _union(*(node.pattern for node in nodes)),
        None if any(value is None for value in absent) else function(*absent),
        frozenset().union(*(node.indices for node in nodes)),
        full=any(node.full for node in nodes),
    )


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
            assert isinstance(node.op, ast.USub)
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
        absent = 0 if node.is_zero and (count or operator == "+") else None
        if operator == "*" and node.is_zero:
            # One absent entry is enough, whatever the others are.
            total = np.where(
                pattern.all(axes, keepdims=True), total, total.dtype.type()
            )
        stored = pattern.any(axes, keepdims=True)
        return Node(total, stored, absent, kept, error, node.full)

    def shape(self, indices: frozenset[str]) -> tuple[int, ...]:
        return tuple(self.extents[i] if i in indices else 1 for i in self.space)

    def answer(self, node: Node) -> Answer:
        """Return the arrays of the result, with the axes of the left-hand side."""
        value = np.asarray(node.value)
        pattern = np.False_ if node.pattern is None else node.pattern
        if node.confines:
            value = np.where(pattern, value, value.dtype.type())
        return Answer(
            self.on_the_left(value),
            self.on_the_left(pattern),
            None if node.error is None else self.on_the_left(node.error),
            node.is_zero,
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
        if node.id in self.extents:
            numbers = np.arange(self.extents[node.id]).view(Coordinates)
            value = self.spread(numbers, [node.id])
            return Node(value, None, None, frozenset([node.id]))
        given = self.operands[node.id]
        if type(given) in _WEAK:
            return Node(given, None, None)
        return Node(self.spread(np.asarray(given), []), None, None)

    def visit_Subscript(self, node: ast.Subscript) -> Node:
        return self.access(node)

    def visit_Call(self, node: ast.Call) -> Node:
        name = name_of(node)
        if name not in statements.FUNCTIONS:
            return self.access(node)
        operands = [self.visit(argument) for argument in node.args]
        if name == "where":
            return _choice(*operands)
        if name in ("fmod", "copysign"):
            return _quotient(FUNCTIONS[name], *operands)
        return _applied(FUNCTIONS[name], *operands)

    def visit_Compare(self, node: ast.Compare) -> Node:
        function = COMPARISONS[type(node.ops[0]).__name__]
        (right,) = node.comparators
        return _applied(function, self.visit(node.left), self.visit(right))

    def access(self, node: ast.Subscript | ast.Call) -> Node:
        name, indices = name_of(node), indices_of(node)
        value, stored = (self.spread(a, indices) for a in self.tensors[name])
        zero, full = value.dtype.type(), is_dense(self.operands[name])
        return Node(value, stored, zero, frozenset(indices), full=full)

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
        absent = None if node.absent is None else -node.absent
        return node._replace(value=-node.value, absent=absent)

    def visit_BinOp(self, node: ast.BinOp) -> Node:
        lhs, rhs = self.visit(node.left), self.visit(node.right)
        if isinstance(node.op, ast.Mult):
            return _product(lhs, rhs)
        if type(node.op) in _QUOTIENTS:
            return _quotient(_QUOTIENTS[type(node.op)], lhs, rhs)
        return self.sum(node.op, lhs, rhs)

    def sum(self, op: ast.operator, lhs: Node, rhs: Node) -> Node:
        assert isinstance(op, ast.Add | ast.Sub)
        function = add if isinstance(op, ast.Add) else sub
        node = _applied(function, lhs, rhs)
        return node._replace(error=_sum_error(lhs, rhs, node.value))

    def generic_visit(self, node: ast.AST) -> Node:
        raise AssertionError(f"not in the notation: {ast.dump(node)}")


def _diagonal(shape: tuple[int, ...], labels: list[int], kept: list[int]) -> Any:
    """Return the index arrays that take the diagonal, with its axes sorted."""
    extents = [shape[labels.index(label)] for label in kept]
    grid = np.ogrid[tuple(slice(extent) for extent in extents)]
    return tuple(grid[kept.index(label)] for label in labels)


def _product(lhs: Node, rhs: Node) -> Node:
    """Multiply: an operand that is 0 where it is absent confines the product."""
    node = _applied(product, lhs, rhs)
    if not (lhs.is_zero or rhs.is_zero):
        return node
    zero = np.asarray(node.value).dtype.type()
    node = node._replace(absent=zero)
    confining = [factor for factor in (lhs, rhs) if factor.confines]
    if confining:
        full = all(factor.full for factor in confining)
        stored = functools.reduce(and_, (f.pattern for f in confining))
        node = node._replace(pattern=stored, full=full)
    if node.pattern is not None:
        node = node._replace(value=np.where(node.pattern, node.value, zero))
    return node


def _quotient(function: Any, lhs: Node, rhs: Node) -> Node:
    """Divide: absent entries are 0 then, too, but not where 0 / 0 is something else."""
    node = _applied(function, lhs, rhs)
    if not lhs.confines:
        return node
    if rhs.confines and not rhs.full and not bool(node.absent == 0):
        return node._replace(absent=None)
    zero = node.value.dtype.type()
    value = np.where(lhs.pattern, node.value, zero)
    return node._replace(value=value, pattern=lhs.pattern, absent=zero, full=lhs.full)


def _choice(condition: Node, on_true: Node, on_false: Node) -> Node:
    """Choose: what the condition chooses where it is absent is stored where it is."""
    node = _applied(choice, condition, on_true, on_false)
    same = on_true.absent is not None and on_false.absent is not None
    same = same and bool(on_true.absent == on_false.absent)
    if condition.absent is None:
        if not same:
            return node._replace(absent=None)
        return node._replace(
            absent=on_true.absent,
            pattern=_union(on_true.pattern, on_false.pattern),
            full=on_true.full or on_false.full,
        )
    present, absent = on_true, on_false
    if condition.absent != 0:
        present, absent = on_false, on_true
    stored, full = condition.pattern, condition.full
    if same and present.pattern is not None:
        if stored is None:
            stored, full = present.pattern, present.full
        else:
            stored, full = stored & present.pattern, full and present.full
    return node._replace(
        pattern=_union(stored, absent.pattern),
        absent=absent.absent,
        full=full or absent.full,
    )


def _union(*patterns: Any) -> Any:
    known = [pattern for pattern in patterns if pattern is not None]
    return functools.reduce(or_, known) if known else None


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
