"""``nacho.Lazy``: an expression over whole arrays, computed when its values are needed.

Operators of ``nacho.Tensor`` make one, of any number of operations. It is one statement
of the notation: when it is computed, one kernel computes all of it.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from nacho._elements import ELEMENTS, DType, element_name
from nacho._notation.promotion import is_integer
from nacho._notation.warnings import expect_sums
from nacho._storage.array_operators import ArrayOperators, Axes
from nacho._storage.containers import view_of
from nacho._storage.given import require_element
from nacho._storage.html import table
from nacho._storage.operand_types import element_type
from nacho._storage.operations import (
    Container,
    Elementwise,
    Listed,
    MatrixProduct,
    Number,
    Operation,
    Reduction,
    Transposition,
    linked,
    listed,
)
from nacho._storage.scalars import is_number
from nacho._storage.spelling import spelled
from nacho._storage.views import Array
from nacho.errors import ArgumentError, DTypeError, ShapeError, displayed

Evaluate = Callable[..., Any]
"""A function that computes the text of a statement, given its operands by name."""

_evaluate: Evaluate
_explain: Evaluate


def use_kernels(evaluate: Evaluate, explain: Evaluate) -> None:
    """Make these functions the ones that compute expressions, and explain that."""
    global _evaluate, _explain
    _evaluate, _explain = evaluate, explain


class Lazy(ArrayOperators):
    """An expression over tensors, as operators of ``nacho.Tensor`` return it.

    ``compute`` returns its result; ``numpy.asarray`` and ``toarray`` return all
    elements. Each computes them anew, from the values that the operands have then.

    >>> (A + B) * (C @ D)  # doctest: +SKIP
    <nacho.Lazy: Z[i,j] = (A[i,j] + B[i,j]) * C[i,k] * D[k,j], 9x9, float64>
    """

    __slots__ = ("_node",)

    def __init__(self, node: Operation) -> None:
        self._node = node

    @property
    def shape(self) -> tuple[int, ...]:
        """The extents of the result."""
        return self._node.shape

    @property
    def ndim(self) -> int:
        """The number of its dimensions."""
        return len(self.shape)

    @property
    def dtype(self) -> DType:
        """The type of its elements."""
        return ELEMENTS[self._node.kind]

    @property
    def T(self) -> Lazy:
        """The same elements with the axes in reverse order."""
        return transposed(self, None)

    @property
    def statement(self) -> tuple[str, dict[str, Any]]:
        """The expression as text, and its operands by the names that it gives them."""
        return spelled(self._node)

    def compute(self, **options: Any) -> Any:
        """Return the result; ``options`` are those of ``nacho.evaluate``.

        A sparse result is what the operands' library has for it. Where the operators
        make the result dense, that has to be asked for, as ``out="dense"``.
        """
        return self._passed(_evaluate, options)

    def explain(self, **options: Any) -> Any:
        """Compute the result, and tell how, as ``nacho.explain`` does."""
        return self._passed(_explain, options)

    def _passed(self, function: Evaluate, options: Mapping[str, Any]) -> Any:
        text, operands = self.statement
        expect_sums(text)
        return function(text, operands, **options)

    def to_dense(self) -> Array:
        """Return a NumPy array of all elements."""
        found: Array = np.asarray(self.compute(out="dense"))
        return found

    def __bool__(self) -> bool:
        return bool(self._number()) if not self.shape else super().__bool__()

    def __float__(self) -> float:
        return float(self._number())

    def __int__(self) -> int:
        return int(self._number())

    def __complex__(self) -> complex:
        return complex(self._number())

    def _number(self) -> Any:
        if self.shape:
            raise ShapeError(f"Lazy: it has shape {self.shape}, and is not a number")
        return self.to_dense()[()]

    def __reduce__(self) -> tuple[Callable[..., Lazy], tuple[Any, ...]]:
        return _unpickled, (listed(self._node),)

    def __copy__(self) -> Lazy:
        return Lazy(self._node)

    def __repr__(self) -> str:
        shape = "x".join(map(str, self.shape)) or "scalar"
        return f"<nacho.Lazy: {_shown(self)}, {shape}, {self.dtype}>"

    def _repr_html_(self) -> str:
        _, operands = self.statement
        return table(
            {
                "nacho.Lazy": "x".join(map(str, self.shape)) or "scalar",
                "expression": _shown(self),
                "type": str(self.dtype),
                **{name: displayed(value) for name, value in operands.items()},
            }
        )


def _unpickled(found: Listed) -> Lazy:
    return Lazy(linked(found))


_MOST_SHOWN = 200


def _shown(lazy: Lazy) -> str:
    """Return the expression as text, shortened if it is long."""
    text, _ = lazy.statement
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}…"


# --- Making ---------------------------------------------------------------------------


def elementwise(symbol: str, *operands: object) -> Lazy:
    """Return an operator or a function of operands, which are broadcast.

    It is NotImplemented for operands that are neither numbers nor containers.
    """
    return _made(partial(Elementwise, symbol), *operands)


def matmul(lhs: object, rhs: object) -> Lazy:
    """Return a matrix product; NotImplemented for what is no operand."""
    return _made(MatrixProduct, lhs, rhs)


def _made(make: Callable[..., Operation], *operands: object) -> Lazy:
    nodes: list[Operation] = []
    for operand in operands:
        node = operand_node(operand)
        if node is None:
            return NotImplemented  # type: ignore[no-any-return]
        nodes.append(node)
    return Lazy(make(*nodes))


def operand_node(operand: Any) -> Operation | None:
    """Return the node of an operand; None if it is neither a container nor a number."""
    if isinstance(operand, Lazy):
        return operand._node
    if is_number(operand):
        return Number(operand)
    shape = getattr(operand, "shape", None)
    if not isinstance(shape, tuple):
        return None
    name = type(operand).__name__
    view = view_of(name, operand, len(shape))
    require_element(name, view.values.dtype)
    return Container(operand, view.shape, element_type(view.values.dtype))


def transposed(operand: object, axes: Any) -> Lazy:
    """Return the same elements with axes in another order, by default reversed."""
    node = _array_node(operand)
    rank = len(node.shape)
    order = tuple(range(rank))[::-1] if axes is None else _checked_axes(axes, rank)
    if len(order) != rank:
        raise ShapeError(f"axes={axes}: expected {rank} of them")
    return Lazy(Transposition(order, node))


def reduction(
    function: str,
    operand: object,
    axis: Axes,
    dtype: DTypeLike | None,
    out: object,
    keepdims: bool,
) -> Lazy:
    """Return a reduction over some axes, or over all."""
    if out is not None:
        raise ArgumentError("out= is not supported: a Lazy has no memory of its own")
    node = _array_node(operand)
    if function in ("sum", "prod"):
        node = _widened(node, _sum_type(node.kind) if dtype is None else dtype)
    rank = len(node.shape)
    axes = tuple(range(rank)) if axis is None else _checked_axes(axis, rank)
    return Lazy(Reduction(function, axes, bool(keepdims), node))


def mean(
    operand: object, axis: Axes, dtype: DTypeLike | None, out: object, keepdims: bool
) -> Lazy:
    """Return the mean over some axes, or over all."""
    node = _array_node(operand)
    if dtype is None and (is_integer(node.kind) or node.kind == "bool"):
        dtype = np.float64
    whole = reduction("sum", operand, axis, dtype, out, keepdims)
    rank = len(node.shape)
    axes = range(rank) if axis is None else _checked_axes(axis, rank)
    count = 1
    for each in axes:
        count *= node.shape[each]
    return whole / count


def _array_node(operand: object) -> Operation:
    node = operand_node(operand)
    if node is None:
        raise ArgumentError(f"{displayed(operand)} is no array")
    return node


def _checked_axes(axis: Any, rank: int) -> tuple[int, ...]:
    """Return axes as numbers from 0, or refuse them."""
    given = axis if isinstance(axis, tuple | list) else (axis,)
    try:
        axes = tuple([operator.index(each) for each in given])
    except TypeError as error:
        message = f"axis={displayed(axis)}: expected integers or None"
        raise ArgumentError(message) from error
    found = tuple([each + rank if each < 0 else each for each in axes])
    if len(set(found)) != len(found) or not all(0 <= each < rank for each in found):
        raise ShapeError(
            f"axis={displayed(axis)}: expected different ones of {rank} axes"
        )
    return found


def _sum_type(kind: str) -> DTypeLike:
    """Return the type in which NumPy sums; Nacho has no uint64, and uses int64."""
    return np.int64 if is_integer(kind) or kind == "bool" else ELEMENTS[kind]


def _widened(node: Operation, dtype: DTypeLike) -> Operation:
    """Return the same numbers in a type that holds them: 1 of that type times them."""
    wanted = np.dtype(dtype)
    if ELEMENTS[node.kind] == wanted:
        return node
    if element_name(wanted) is None or not np.can_cast(ELEMENTS[node.kind], wanted):
        raise DTypeError(
            f"dtype={wanted}: {ELEMENTS[node.kind]} can only be summed in a wider type"
        )
    return Elementwise("*", node, Number(wanted.type(1)))
