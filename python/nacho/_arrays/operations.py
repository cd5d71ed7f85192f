"""Operations on whole arrays, as nodes, and how they are written with indices.

    operation                with i, j for the axes of the result

    A                        A[i,j]
    A + b                    A[i,j] + b[j]
    A + c, of shape (n, 1)   A[i,j] + sum(k, c[i,k])
    A @ B                    sum(k, A[i,k] * B[k,j])
    A.sum(axis=1)            sum(j, A[i,j])
    A.max(axis=1)            max(j, A[i,j])
    A.T                      A[j,i]

An axis of extent 1 is broadcast by taking its only element, as a sum over an index of
its own.

The sum of a matrix product is not written where it is, but around the larger product of
which it is a factor: A @ B @ x and A * (B @ C) are ``A[i,j] * B[j,k] * x[k]`` and
``A[i,j] * B[i,k] * C[k,j]``. So the compiler chooses in which order products are summed
up, and computes only those elements of a product that a factor of it has. Sums of whole
terms are left to ``=``.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from functools import lru_cache, reduce
from typing import Any, NamedTuple

import numpy as np

from nacho._notation.parser import parse
from nacho._notation.promotion import kinds_of
from nacho._notation.symbols import (
    Expression,
    Index,
    access,
    applied,
    operation,
    reduced,
    statement,
)
from nacho._storage.scalars import scalar_kind
from nacho.errors import ShapeError, UnsupportedError

Shape = tuple[int, ...]
Indices = tuple[Index | None, ...]
"""An index per axis; None takes the only element of an axis of extent 1."""

_MOST_OPERATIONS = 2000
_TERMS = ("+", "-")
"""The operators whose operands are terms of the right-hand side, if they are one."""


class Written(NamedTuple):
    """A product of expressions and numbers, which is summed over some indices."""

    factors: tuple[Any, ...]
    summed: tuple[Index, ...] = ()
    is_product: bool = False
    """Whether it is a matrix product, or one that others are factors of."""
    has_terms: bool = False
    """Whether the only factor is a sum itself, whose terms ``=`` would sum apart."""

    def closed(self) -> Any:
        """Return it as an operand of anything."""
        product = reduce(lambda lhs, rhs: operation("*", lhs, rhs), self.factors)
        return reduced("sum", self.summed, product) if self.summed else product

    def term(self) -> Any:
        """Return it as a term of the right-hand side, which ``=`` sums."""
        return self.closed() if self.has_terms else Written(self.factors).closed()


class Place(NamedTuple):
    """Where an operation is written."""

    indices: Indices
    """Those of its axes."""
    own: tuple[Index, ...]
    """Those that nothing outside of it has."""
    is_term: bool
    """Whether it is a term of the right-hand side, or the terms are its operands."""


class Operation:
    """A node: what its axes are, and how it is written with indices.

    Operands are written before it. They are operations, too.
    """

    def __init__(self, shape: Shape, kind: str, *operands: Operation) -> None:
        self.shape = shape
        self.kind = kind
        """The element type; that of a number may be weak."""
        self.operands = operands
        self.size: int = 1 + sum([operand.size for operand in operands])
        """The number of operations in it, with repetitions."""
        if self.size > _MOST_OPERATIONS:
            raise UnsupportedError(
                f"more than {_MOST_OPERATIONS} operations in one expression are not "
                "supported: compute() a part of it first"
            )

    def own(self, indices: Indices, names: Iterator[Index]) -> tuple[Index, ...]:
        """Return the indices that nothing outside has; ``names`` are unused ones."""
        return ()

    def inner(self, place: Place) -> list[Indices]:
        """Return the indices of the axes of each operand."""
        return []

    def facts(self) -> Hashable:
        """Return what it is, but for its class, operands, shape and type."""
        return None

    @property
    def has_terms(self) -> bool:
        """Whether its operands are terms if it is one."""
        return False

    def written(self, place: Place, operands: Sequence[Written]) -> Written:
        raise NotImplementedError

    def sample(self) -> Any:
        """Return an operand from which types are inferred as from this operation."""
        return _sample(self.kind)


def _sample(kind: str) -> Expression:
    return access(_Typed(kind), "i")


class _Typed(NamedTuple):
    """Stands for an operand of which only the type matters."""

    kind: str


class Number(Operation):
    """A number, or an array without axes."""

    def __init__(self, value: object) -> None:
        super().__init__((), scalar_kind("x", value))
        self.given = value
        is_literal = isinstance(value, int | float | complex | np.generic | np.ndarray)
        self.value = value if is_literal else access(value)

    def written(self, place: Place, operands: Sequence[Written]) -> Written:
        return Written((self.value,))

    def sample(self) -> Any:
        return self.value


class Container(Operation):
    """A container of any library."""

    def __init__(self, container: object, shape: Shape, kind: str) -> None:
        super().__init__(shape, kind)
        self.container = container

    def own(self, indices: Indices, names: Iterator[Index]) -> tuple[Index, ...]:
        return tuple([next(names) for index in indices if index is None])

    def written(self, place: Place, operands: Sequence[Written]) -> Written:
        own = iter(place.own)
        indices = [next(own) if index is None else index for index in place.indices]
        return Written((access(self.container, *indices),), place.own)


class Elementwise(Operation):
    """An operator or a function of operands that are broadcast."""

    def __init__(self, symbol: str, *operands: Operation) -> None:
        if Number in map(type, operands):
            kind = _kind_of(_applied(symbol, [each.sample() for each in operands]))
        else:
            kind = _kind_of_arrays(symbol, *[operand.kind for operand in operands])
        shape = broadcast([operand.shape for operand in operands])
        super().__init__(shape, kind, *operands)
        self.symbol = symbol

    def facts(self) -> Hashable:
        return self.symbol

    @property
    def has_terms(self) -> bool:
        return self.symbol in _TERMS

    def inner(self, place: Place) -> list[Indices]:
        return [
            _aligned(operand.shape, self.shape, place.indices)
            for operand in self.operands
        ]

    def written(self, place: Place, operands: Sequence[Written]) -> Written:
        if self.symbol == "*":
            # Of two matrix products, the second is a factor of the first: a sum around
            # both would visit pairs of indices.
            first, second = [each.shape == self.shape for each in self.operands]
            second = second and not (first and operands[0].is_product)
            factors, summed = _joined(self, operands, [first, second])
            if summed:
                return Written(factors, summed, is_product=True)
            return Written((Written(factors).closed(),))
        as_terms = place.is_term and self.has_terms
        given = [each.term() if as_terms else each.closed() for each in operands]
        return Written((_applied(self.symbol, given),), has_terms=self.has_terms)


class MatrixProduct(Operation):
    """A product of matrices or vectors; axes before those of matrices are broadcast."""

    def __init__(self, lhs: Operation, rhs: Operation) -> None:
        kind = _kind_of_arrays("*", lhs.kind, rhs.kind)
        left, right = lhs.shape, rhs.shape
        if not left or not right:
            raise ShapeError("the operands of @ are matrices or vectors, not numbers")
        inner = right[-2:][0]
        if left[-1] != inner:
            raise ShapeError(
                f"shapes {left} and {right} cannot be multiplied by @: {left[-1]} "
                f"columns, but {inner} rows"
            )
        self.batch = broadcast([left[:-2], right[:-2]])
        self.extent = inner
        shape = (*self.batch, *left[-2:-1], *right[-2:][1:])
        super().__init__(shape, kind, lhs, rhs)

    def own(self, indices: Indices, names: Iterator[Index]) -> tuple[Index, ...]:
        return () if self.extent == 1 else (next(names),)

    def inner(self, place: Place) -> list[Indices]:
        lhs, rhs = self.operands
        inner = place.own or (None,)
        rank = len(self.batch)
        batch, outer = place.indices[:rank], place.indices[rank:]
        row = outer[: len(lhs.shape[-2:-1])]
        left = _aligned(lhs.shape[:-2], self.batch, batch)
        right = _aligned(rhs.shape[:-2], self.batch, batch)
        return [(*left, *row, *inner), (*right, *inner, *outer[len(row) :])]

    def written(self, place: Place, operands: Sequence[Written]) -> Written:
        factors, summed = _joined(self, operands, [True, True])
        return Written(factors, (*summed, *place.own), is_product=True)


class Reduction(Operation):
    """A sum or another reduction over some axes, which may stay with extent 1."""

    def __init__(
        self, function: str, axes: tuple[int, ...], keeps: bool, operand: Operation
    ) -> None:
        kind = _kind_of(reduced(function, ["i"], operand.sample()))
        shape = tuple(
            1 if axis in axes else extent
            for axis, extent in enumerate(operand.shape)
            if keeps or axis not in axes
        )
        super().__init__(shape, kind, operand)
        self.function = function
        self.axes = axes
        self.keeps = keeps

    def facts(self) -> Hashable:
        return self.function, self.axes, self.keeps

    def own(self, indices: Indices, names: Iterator[Index]) -> tuple[Index, ...]:
        shape = self.operands[0].shape
        return tuple([next(names) for axis in self.axes if shape[axis] != 1])

    def inner(self, place: Place) -> list[Indices]:
        own, kept = iter(place.own), iter(place.indices)
        found: list[Index | None] = []
        for axis, extent in enumerate(self.operands[0].shape):
            if axis not in self.axes:
                found.append(next(kept))
                continue
            if self.keeps:
                next(kept)
            found.append(None if extent == 1 else next(own))
        return [(*found,)]

    def written(self, place: Place, operands: Sequence[Written]) -> Written:
        (operand,) = operands
        if not place.own:
            return operand
        if self.function == "sum":
            summed = (*operand.summed, *place.own)
            return operand._replace(summed=summed, is_product=False)
        return Written((reduced(self.function, place.own, operand.closed()),))


class Transposition(Operation):
    """The same elements with axes in another order."""

    def __init__(self, axes: tuple[int, ...], operand: Operation) -> None:
        shape = tuple([operand.shape[axis] for axis in axes])
        super().__init__(shape, operand.kind, operand)
        self.axes = axes

    def facts(self) -> Hashable:
        return self.axes

    @property
    def has_terms(self) -> bool:
        return True

    def inner(self, place: Place) -> list[Indices]:
        places = map(self.axes.index, range(len(self.axes)))
        return [tuple([place.indices[at] for at in places])]

    def written(self, place: Place, operands: Sequence[Written]) -> Written:
        return operands[0]


# --- Shapes ---------------------------------------------------------------------------


def broadcast(shapes: Sequence[Shape]) -> Shape:
    """Return the shape to which shapes are broadcast, by the rules of NumPy."""
    if shapes.count(shapes[0]) == len(shapes):
        return shapes[0]
    rank = max(map(len, shapes))
    found: list[int] = []
    for axis in range(-rank, 0):
        extents = {shape[axis] for shape in shapes if len(shape) >= -axis}
        if len(extents - {1}) > 1:
            shown = " and ".join(map(str, shapes))
            raise ShapeError(f"operands of shapes {shown} cannot be broadcast")
        found.append(next(iter(extents - {1}), 1))
    return (*found,)


def _aligned(shape: Shape, whole: Shape, indices: Indices) -> Indices:
    """Return the indices of an operand, given those of all axes after broadcasting."""
    first = len(whole) - len(shape)
    pairs = zip(shape, whole[first:], indices[first:], strict=True)
    return tuple([index if own == extent else None for own, extent, index in pairs])


# --- Writing --------------------------------------------------------------------------


def _applied(symbol: str, operands: Sequence[Any]) -> Expression:
    function = applied if symbol.isidentifier() else operation
    return function(symbol, *operands)


def _joined(
    node: Operation, operands: Sequence[Written], joins: Sequence[bool]
) -> tuple[tuple[Any, ...], tuple[Index, ...]]:
    """Return the factors of a product, and the indices that it is summed over.

    ``joins`` says which operands, if they are matrix products, are factors one by one.
    Those of another type are summed on their own, since sums may overflow in it.
    """
    factors: list[Any] = []
    summed: list[Index] = []
    for written, operand, may_join in zip(operands, node.operands, joins, strict=True):
        if may_join and written.is_product and operand.kind == node.kind:
            factors += written.factors
            summed += written.summed
        else:
            factors.append(written.closed())
    return (*factors,), (*summed,)


@lru_cache(maxsize=1024)
def _kind_of_arrays(symbol: str, *kinds: str) -> str:
    """Return the type of an operator of arrays of these types, or refuse it.

    To find it takes longer than a small call, and expressions are made again and again.
    """
    return _kind_of(_applied(symbol, [_sample(kind) for kind in kinds]))


def _kind_of(expr: Expression) -> str:
    """Return the type of an expression of samples, or refuse it as NumPy would."""
    text, operands = statement(expr, ())
    kinds = {
        name: value.kind if isinstance(value, _Typed) else scalar_kind(name, value)
        for name, value in operands.items()
    }
    assignment = parse(text)
    return kinds_of(assignment, kinds).of[id(assignment.expr)]
