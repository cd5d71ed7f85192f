"""What NumPy's arrays can do with operators and methods, for tensors that are sparse.

All of it returns a ``nacho.Lazy``: an expression over whole arrays, computed when its
values are needed. It is one statement of the notation, of any number of operations:
when it is computed, one kernel computes all of it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from types import ModuleType
from typing import Any, Literal, TypeVar, overload

import numpy as np
from numpy.typing import DTypeLike

from nacho._arrays.building import (
    Axes,
    HasOperation,
    elementwise,
    matmul,
    mean,
    reduction,
    transposed,
)
from nacho._arrays.html import table
from nacho._arrays.listing import Listed, linked, listed
from nacho._arrays.numpy_functions import apply_function, apply_ufunc
from nacho._arrays.operations import Operation
from nacho._arrays.spelling import spelled
from nacho._elements import ELEMENTS, DType
from nacho._kernels.evaluation import evaluate, explained
from nacho._notation.overloads import Overloads, WholeExpression
from nacho._notation.warnings import expect_sums
from nacho._public import public
from nacho._storage.formats import Format
from nacho._storage.views import Array
from nacho.errors import ShapeError, displayed

_Container = TypeVar("_Container")

_OPERATORS_OF_SCIPY = frozenset({"__mul__", "__matmul__", "__truediv__"})
"""Those that make their other operand an array before they ask it what to do."""


class ArrayOperators(Overloads["Lazy"]):
    """The operators and methods of tensors, as those of the Array API."""

    __slots__ = ()

    @property
    def shape(self) -> tuple[int, ...]:
        raise NotImplementedError

    @property
    def dtype(self) -> DType:
        raise NotImplementedError

    def to_dense(self) -> Array:
        """Return a NumPy array of all elements, which shares no memory."""
        raise NotImplementedError

    def toarray(self) -> Array:
        """Return what ``to_dense`` does, by the name that SciPy has for it."""
        return self.to_dense()

    def __array__(
        self, dtype: DTypeLike | None = None, copy: bool | None = None
    ) -> Array:
        """Return all elements, for ``numpy.asarray``, which makes a tensor dense."""
        if copy is False:
            raise ValueError("Tensor: there is no array of all elements without a copy")
        if _is_asked_by_operator_of_scipy():
            # SciPy leaves an operator to us if this is no array, but an object.
            wrapped = np.empty((), object)
            wrapped[()] = self
            return wrapped
        return self.to_dense().astype(dtype or self.dtype, copy=False)

    def _operation(self, symbol: str, *operands: object) -> Lazy:
        return lazy(elementwise(symbol, *operands))

    def __array_namespace__(self, *, api_version: str | None = None) -> ModuleType:
        """Return the functions of the Array API, those that there are."""
        found: ModuleType = public("array_api")
        return found

    @property
    def mT(self) -> Lazy:
        """The matrices of the last two axes with rows as columns."""
        rank = len(self.shape)
        return Lazy(transposed(self, (*range(rank - 2), rank - 1, rank - 2)))

    def __matmul__(self, other: object) -> Lazy:
        return lazy(matmul(self, other))

    def __rmatmul__(self, other: object) -> Lazy:
        return lazy(matmul(other, self))

    def __bool__(self) -> bool:
        raise ShapeError(
            "a tensor has no truth value: 'and', 'or' and chained comparisons take "
            "numbers only; use & and |"
        )

    def sum(
        self,
        axis: Axes = None,
        dtype: DTypeLike | None = None,
        out: None = None,
        *,
        keepdims: bool = False,
    ) -> Lazy:
        """Return the sum over ``axis``, by default over all axes.

        As in NumPy, integers and bools are summed in int64; ``dtype`` is a wider type.
        With ``keepdims``, axes that are summed over stay, with one element. ``out`` has
        to be None; NumPy's functions pass it.
        """
        return Lazy(reduction("sum", self, axis, dtype, out, keepdims))

    def prod(
        self,
        axis: Axes = None,
        dtype: DTypeLike | None = None,
        out: None = None,
        *,
        keepdims: bool = False,
    ) -> Lazy:
        """Return the product over ``axis``; what is not stored is 0.

        ``dtype``, ``out`` and ``keepdims`` are as for ``sum``.
        """
        return Lazy(reduction("prod", self, axis, dtype, out, keepdims))

    def max(
        self, axis: Axes = None, out: None = None, *, keepdims: bool = False
    ) -> Lazy:
        """Return the largest value along ``axis``; what is not stored is 0.

        ``out`` and ``keepdims`` are as for ``sum``.
        """
        return Lazy(reduction("max", self, axis, None, out, keepdims))

    def min(
        self, axis: Axes = None, out: None = None, *, keepdims: bool = False
    ) -> Lazy:
        """Return the smallest value along ``axis``; what is not stored is 0.

        ``out`` and ``keepdims`` are as for ``sum``.
        """
        return Lazy(reduction("min", self, axis, None, out, keepdims))

    def mean(
        self,
        axis: Axes = None,
        dtype: DTypeLike | None = None,
        out: None = None,
        *,
        keepdims: bool = False,
    ) -> Lazy:
        """Return the mean over ``axis``; that of integers is a float64.

        ``dtype``, ``out`` and ``keepdims`` are as for ``sum``.
        """
        return Lazy(mean(self, axis, dtype, out, keepdims))

    def __array_ufunc__(
        self, ufunc: Any, method: str, /, *inputs: Any, **options: Any
    ) -> Any:
        found = apply_ufunc(ufunc, method, inputs, options)
        return lazy(found) if isinstance(found, Operation) else found

    def __array_function__(
        self,
        function: Callable[..., Any],
        types: Sequence[type],
        args: Sequence[Any],
        options: Mapping[str, Any],
    ) -> Any:
        found = apply_function(function, args, options)
        return lazy(found) if isinstance(found, Operation) else found


class Lazy(ArrayOperators, HasOperation, WholeExpression):
    """An expression over tensors, as operators of ``nacho.Tensor`` return it.

    ``compute`` returns its result; ``numpy.asarray`` and ``toarray`` return all
    elements. Each computes them anew, from the values that the operands have then.

    >>> (A + B) * (C @ D)  # doctest: +SKIP
    <nacho.Lazy: Z[i,j] = (A[i,j] + B[i,j]) * C[i,k] * D[k,j], 9x9, float64>
    """

    __slots__ = ("_node", "_statement")

    def __init__(self, node: Operation) -> None:
        self._node = node
        self._statement: tuple[str, dict[str, Any]] | None = None

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
    def operation(self) -> Operation:
        """The last operation of the expression."""
        return self._node

    @property
    def T(self) -> Lazy:
        """The same elements with the axes in reverse order."""
        return Lazy(transposed(self, None))

    @property
    def statement(self) -> tuple[str, dict[str, Any]]:
        """The expression as text, and its operands by the names that it gives them."""
        if self._statement is None:
            self._statement = spelled(self._node)
        text, operands = self._statement
        return text, dict(operands)

    @overload
    def compute(self, *, out: Literal["dense"], **options: Any) -> Array: ...

    @overload
    def compute(self, *, out: str | Format | None = None, **options: Any) -> Any: ...

    @overload
    def compute(self, *, out: _Container, **options: Any) -> _Container: ...

    def compute(self, **options: Any) -> Any:
        """Return the result; ``options`` are those of ``nacho.evaluate``.

        A sparse result is what the operands' library has for it. Where the operators
        make the result dense, that has to be asked for, as ``out="dense"``. What is
        sparse, an array or a number follows from the operands when it is computed: a
        type checker knows the type of a result that ``out`` decides, and no other.
        """
        return self._passed(evaluate, options)

    def explain(self, **options: Any) -> Any:
        """Compute the result, and tell how, as ``nacho.explain`` does."""
        return self._passed(explained, options)

    def _passed(self, function: Callable[..., Any], options: Mapping[str, Any]) -> Any:
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


def lazy(made: Operation) -> Lazy:
    """Return an operation that is not computed yet; NotImplemented stays what it is."""
    return made if made is NotImplemented else Lazy(made)


def _unpickled(found: Listed) -> Lazy:
    return Lazy(linked(found))


_MOST_SHOWN = 200


def _shown(lazy: Lazy) -> str:
    """Return the expression as text, shortened if it is long."""
    text, _ = lazy.statement
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}…"


def _is_asked_by_operator_of_scipy() -> bool:
    """Return whether ``__array__`` is called by S * T and the like, S being SciPy's."""
    frame, name, package = sys._getframe(2), "", "scipy.sparse._"
    while frame.f_back and frame.f_globals.get("__name__", "").startswith(package):
        frame, name = frame.f_back, frame.f_code.co_name
    return name in _OPERATORS_OF_SCIPY
