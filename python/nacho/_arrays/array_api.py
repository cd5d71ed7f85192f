"""``nacho.array_api``: the functions of the Array API that sparse tensors have.

They are those of ``array_api_strict``, with its parameters, and give a ``nacho.Lazy``.
``T.__array_namespace__()`` is this module.

Not here is what is no operator of the notation (``logical_and``, ``signbit`` and the
like), what makes dense arrays (``zeros``, ``arange``, …), and
what changes or moves elements one by one (``reshape``, ``concat``, ``take``, ``sort``,
``cumulative_sum``, ``argmax``, …).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import DTypeLike

from nacho._arrays import building
from nacho._arrays.arrays import asarray as _asarray
from nacho._arrays.building import Axes
from nacho._arrays.lazy import Lazy, lazy
from nacho._arrays.tensor import Tensor
from nacho._elements import ELEMENTS
from nacho._notation.operators import OPERATORS, Operator

DType = DTypeLike | None
_NAMES = {
    "absolute": "abs",
    "power": "pow",
    "invert": "bitwise_invert",
    "arcsin": "asin",
    "arccos": "acos",
    "arctan": "atan",
    "arctan2": "atan2",
    "arcsinh": "asinh",
    "arccosh": "acosh",
    "arctanh": "atanh",
}
"""The names of NumPy's functions that are others in the Array API."""


def _elementwise(symbol: str, *operands: Any) -> Lazy:
    return lazy(building.elementwise(symbol, *operands))


def _function(operator: Operator) -> Callable[..., Lazy]:
    """Return the function of an operator of the table."""
    symbol = operator.spelling

    def unary(x: Any, /) -> Lazy:
        return _elementwise(symbol, x)

    def binary(x1: Any, x2: Any, /) -> Lazy:
        return _elementwise(symbol, x1, x2)

    def choice(condition: Any, x1: Any, x2: Any, /) -> Lazy:
        return _elementwise(symbol, condition, x1, x2)

    function: Callable[..., Lazy] = (unary, binary, choice)[operator.arity - 1]
    function.__name__ = _NAMES.get(operator.numpy, operator.numpy)
    function.__doc__ = f"Return what ``{function.__name__}`` of the Array API does."
    return function


_OPERATORS = {
    function.__name__: function
    for operator in OPERATORS.values()
    if operator.numpy
    for function in (_function(operator),)
}
globals().update(_OPERATORS)
if TYPE_CHECKING:
    # A type checker cannot know what the table of operators has.
    def __getattr__(name: str) -> Callable[..., Lazy]: ...


def square(x: Any, /) -> Lazy:
    """Return the squares of the elements."""
    return _elementwise("**", x, 2)


def sign(x: Any, /) -> Lazy:
    """Return 1, 0 or -1 for each element."""
    return _elementwise("sign", x)


def isnan(x: Any, /) -> Lazy:
    """Return which elements are no numbers."""
    return _elementwise("isnan", x)


def matmul(x1: Any, x2: Any, /) -> Lazy:
    """Return the matrix product."""
    return lazy(building.matmul(x1, x2))


def permute_dims(x: Any, /, axes: Sequence[int]) -> Lazy:
    """Return the same elements with axes in another order."""
    return Lazy(building.transposed(x, axes))


def matrix_transpose(x: Any, /) -> Lazy:
    """Return matrices, those of the last two axes, with rows as columns."""
    rank = len(x.shape)
    return Lazy(building.transposed(x, (*range(rank - 2), rank - 1, rank - 2)))


def sum(
    x: Any,
    /,
    *,
    axis: Axes = None,
    dtype: DType = None,
    keepdims: bool = False,
) -> Lazy:
    """Return the sum over ``axis``, by default over all axes.

    Integers and bools are summed in int64, or in ``dtype`` if that is wider. With
    ``keepdims``, axes that are summed over stay, with one element.
    """
    return Lazy(building.reduction("sum", x, axis, dtype, None, keepdims))


def prod(
    x: Any,
    /,
    *,
    axis: Axes = None,
    dtype: DType = None,
    keepdims: bool = False,
) -> Lazy:
    """Return the product over ``axis``.

    ``dtype`` and ``keepdims`` are as for ``sum``.
    """
    return Lazy(building.reduction("prod", x, axis, dtype, None, keepdims))


def max(x: Any, /, *, axis: Axes = None, keepdims: bool = False) -> Lazy:
    """Return the largest value along ``axis``; ``keepdims`` is as for ``sum``."""
    return Lazy(building.reduction("max", x, axis, None, None, keepdims))


def min(x: Any, /, *, axis: Axes = None, keepdims: bool = False) -> Lazy:
    """Return the smallest value along ``axis``; ``keepdims`` is as for ``sum``."""
    return Lazy(building.reduction("min", x, axis, None, None, keepdims))


def mean(x: Any, /, *, axis: Axes = None, keepdims: bool = False) -> Lazy:
    """Return the mean over ``axis``, by default over all axes.

    That of integers is a float64; ``keepdims`` is as for ``sum``.
    """
    return Lazy(building.mean(x, axis, None, None, keepdims))


def asarray(obj: Any, /, *, dtype: DType = None) -> Tensor:
    """Return a tensor of an array of any library, with values of type ``dtype``."""
    made = _asarray(obj)
    return made if dtype is None else made.astype(dtype)


def astype(x: Any, dtype: DTypeLike, /) -> Tensor:
    """Return a tensor with elements of another type."""
    return _asarray(x).astype(dtype)


_TYPES = {dtype.name: dtype for dtype in ELEMENTS.values()}
_CONSTANTS = {"e": np.e, "inf": np.inf, "nan": np.nan, "pi": np.pi}
globals().update(_TYPES, **_CONSTANTS)

__all__ = [
    *_OPERATORS,
    *_TYPES,
    *_CONSTANTS,
    "asarray",
    "astype",
    "isnan",
    "matmul",
    "matrix_transpose",
    "max",
    "mean",
    "min",
    "permute_dims",
    "prod",
    "sign",
    "square",
    "sum",
]


def __dir__() -> list[str]:
    """Return the public names, which are those that an editor completes."""
    return sorted(__all__)
