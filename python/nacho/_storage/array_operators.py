"""What NumPy's arrays can do with operators and methods, for tensors that are sparse.

Every method here returns a ``nacho.Lazy``: nothing is computed yet.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import DTypeLike

from nacho._elements import DType
from nacho._notation.overloads import Overloads
from nacho._storage.views import Array
from nacho.errors import ShapeError

if TYPE_CHECKING:
    from nacho._storage.lazy import Lazy

Axes = int | Sequence[int] | None

_OPERATORS_OF_SCIPY = frozenset({"__mul__", "__matmul__", "__truediv__"})
"""Those that make their other operand an array before they ask it what to do."""


class ArrayOperators(Overloads["Lazy"]):
    """The operators and methods of tensors, as those of the Array API."""

    __slots__ = ()

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
        from nacho._storage.lazy import elementwise

        return elementwise(symbol, *operands)

    def __array_namespace__(self, *, api_version: str | None = None) -> ModuleType:
        """Return the functions of the Array API, those that there are."""
        from nacho._storage import array_api

        return array_api

    @property
    def mT(self) -> Lazy:
        """The matrices of the last two axes with rows as columns."""
        from nacho._storage.array_api import matrix_transpose

        return matrix_transpose(self)

    def __matmul__(self, other: object) -> Lazy:
        from nacho._storage.lazy import matmul

        return matmul(self, other)

    def __rmatmul__(self, other: object) -> Lazy:
        from nacho._storage.lazy import matmul

        return matmul(other, self)

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
        from nacho._storage.lazy import reduction

        return reduction("sum", self, axis, dtype, out, keepdims)

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
        from nacho._storage.lazy import reduction

        return reduction("prod", self, axis, dtype, out, keepdims)

    def max(
        self, axis: Axes = None, out: None = None, *, keepdims: bool = False
    ) -> Lazy:
        """Return the largest value along ``axis``; what is not stored is 0.

        ``out`` and ``keepdims`` are as for ``sum``.
        """
        from nacho._storage.lazy import reduction

        return reduction("max", self, axis, None, out, keepdims)

    def min(
        self, axis: Axes = None, out: None = None, *, keepdims: bool = False
    ) -> Lazy:
        """Return the smallest value along ``axis``; what is not stored is 0.

        ``out`` and ``keepdims`` are as for ``sum``.
        """
        from nacho._storage.lazy import reduction

        return reduction("min", self, axis, None, out, keepdims)

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
        from nacho._storage.lazy import mean

        return mean(self, axis, dtype, out, keepdims)

    def __array_ufunc__(
        self, ufunc: Any, method: str, /, *inputs: Any, **options: Any
    ) -> Any:
        from nacho._storage.numpy_functions import apply_ufunc

        return apply_ufunc(ufunc, method, inputs, options)

    def __array_function__(
        self,
        function: Callable[..., Any],
        types: Sequence[type],
        args: Sequence[Any],
        options: Mapping[str, Any],
    ) -> Any:
        from nacho._storage.numpy_functions import apply_function

        return apply_function(function, args, options)


def _is_asked_by_operator_of_scipy() -> bool:
    """Return whether ``__array__`` is called by S * T and the like, S being SciPy's."""
    frame, name, package = sys._getframe(2), "", "scipy.sparse._"
    while frame.f_back and frame.f_globals.get("__name__", "").startswith(package):
        frame, name = frame.f_back, frame.f_code.co_name
    return name in _OPERATORS_OF_SCIPY
