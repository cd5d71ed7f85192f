"""Operations on operands of any kind: each operand is checked, and becomes a node."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from nacho._arrays.operations import (
    Container,
    Elementwise,
    MatrixProduct,
    Number,
    Operation,
    Reduction,
    Transposition,
)
from nacho._elements import ELEMENTS, element_name
from nacho._notation.promotion import is_integer
from nacho._storage.containers import view_of
from nacho._storage.input_checks import require_element
from nacho._storage.operand_types import computed_type
from nacho._storage.scalars import is_number
from nacho._storage.tensor_data import TensorData
from nacho.errors import ArgumentError, DTypeError, ShapeError, displayed

Axes = int | Sequence[int] | None


class HasOperation:
    """An array that is an operation, which is not computed yet."""

    __slots__ = ()

    @property
    def operation(self) -> Operation:
        raise NotImplementedError


def elementwise(symbol: str, *operands: object) -> Operation:
    """Return an operator or a function of operands, which are broadcast.

    It is NotImplemented for operands that are neither numbers nor containers.
    """
    return _made(partial(Elementwise, symbol), *operands)


def matmul(lhs: object, rhs: object) -> Operation:
    """Return a matrix product; NotImplemented for what is no operand."""
    return _made(MatrixProduct, lhs, rhs)


def _made(make: Callable[..., Operation], *operands: object) -> Operation:
    nodes: list[Operation] = []
    for operand in operands:
        node = operand_node(operand)
        if node is None:
            return NotImplemented  # type: ignore[no-any-return]
        nodes.append(node)
    return make(*nodes)


def operand_node(operand: Any) -> Operation | None:
    """Return the node of an operand; None if it is neither a container nor a number."""
    if isinstance(operand, Operation):
        return operand
    if isinstance(operand, HasOperation):
        return operand.operation
    if not isinstance(operand, TensorData) and is_number(operand):
        return Number(operand)
    shape = getattr(operand, "shape", None)
    if not isinstance(shape, tuple):
        return None
    name = type(operand).__name__
    view = view_of(name, operand, len(shape))
    require_element(name, view.values.dtype)
    return Container(operand, view.shape, computed_type(view.values.dtype))


def transposed(operand: object, axes: Any) -> Operation:
    """Return the same elements with axes in another order, by default reversed."""
    node = _array_node(operand)
    rank = len(node.shape)
    order = tuple(range(rank))[::-1] if axes is None else _checked_axes(axes, rank)
    if len(order) != rank:
        raise ShapeError(f"axes={axes}: expected {rank} of them")
    return Transposition(order, node)


def reduction(
    function: str,
    operand: object,
    axis: Axes,
    dtype: DTypeLike | None,
    out: object,
    keepdims: bool,
) -> Operation:
    """Return a reduction over some axes, or over all."""
    if out is not None:
        raise ArgumentError("out= is not supported: a Lazy has no memory of its own")
    node = _array_node(operand)
    if function in ("sum", "prod"):
        node = _widened(node, _sum_type(node.kind) if dtype is None else dtype)
    rank = len(node.shape)
    axes = tuple(range(rank)) if axis is None else _checked_axes(axis, rank)
    return Reduction(function, axes, bool(keepdims), node)


def mean(
    operand: object, axis: Axes, dtype: DTypeLike | None, out: object, keepdims: bool
) -> Operation:
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
    return Elementwise("/", whole, Number(count))


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
