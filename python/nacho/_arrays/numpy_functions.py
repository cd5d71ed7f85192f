"""NumPy's own functions on tensors: operators of the notation, and what joins tensors.

NumPy refuses all others with a TypeError, so that no function makes a tensor dense:
only ``numpy.asarray`` does, which says so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import prod
from typing import Any

import numpy as np

from nacho._arrays.building import (
    elementwise,
    matmul,
    reduction,
    transposed,
)
from nacho._notation.operators import OPERATORS
from nacho._public import public
from nacho.errors import UnsupportedError, displayed


def _ufuncs() -> dict[Any, Callable[..., Any]]:
    """Return the functions of the table of operators, by NumPy's."""
    found: dict[Any, Callable[..., Any]] = {}
    for each in OPERATORS.values():
        ufunc = getattr(np, each.numpy, None) if each.numpy else None
        if isinstance(ufunc, np.ufunc):
            found[ufunc] = partial(elementwise, each.spelling)
    return found


_UFUNCS: dict[Any, Callable[..., Any]] = {
    **_ufuncs(),
    np.matmul: matmul,
    np.positive: lambda x: x,
    np.square: lambda x: elementwise("**", x, 2),
    np.sign: partial(elementwise, "sign"),
    np.isnan: partial(elementwise, "isnan"),
}


def apply_ufunc(
    ufunc: Any, method: str, inputs: Sequence[Any], options: Mapping[str, Any]
) -> Any:
    """Return the operation that a function of NumPy is, or NotImplemented."""
    if method != "__call__" or options or ufunc not in _UFUNCS:
        return NotImplemented
    return _UFUNCS[ufunc](*inputs)


def _method(name: str) -> Callable[..., Any]:
    """Return the function that calls a method; those of NumPy have its parameters."""
    return lambda array, *args, **options: getattr(array, name)(*args, **options)


def _dot(a: Any, b: Any) -> Any:
    """Return a product as ``numpy.dot`` has it, of at most two dimensions each."""
    ranks = np.ndim(a), np.ndim(b)
    if 0 in ranks:
        return elementwise("*", a, b)
    return matmul(a, b) if max(ranks) <= 2 else NotImplemented


def _clip(a: Any, a_min: Any = None, a_max: Any = None, **limits: Any) -> Any:
    low, high = limits.pop("min", a_min), limits.pop("max", a_max)
    if limits:
        return NotImplemented
    if low is not None and high is not None:
        return elementwise("clip", a, low, high)
    # Of two equal numbers, which may be 0 and -0, the second one is the result.
    found = a if low is None else elementwise("max", low, a)
    return found if high is None else elementwise("min", high, found)


def _norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the square root of the sum of squares; NumPy has other norms, too."""
    axes = len(np.shape(x)) if axis is None else np.size(axis)
    if ord not in (None, {1: 2, 2: "fro"}.get(axes)):
        raise UnsupportedError(
            f"norm: ord={displayed(ord)} is not supported: write it with abs, sum and "
            "max, as abs(T).sum(axis=0).max()"
        )
    squares = elementwise("**", elementwise("abs", x), 2)
    kind = getattr(x, "dtype", None)
    if kind is not None and kind.kind in "iub":
        squares = elementwise("**", elementwise("*", x, 1.0), 2)
    total = reduction("sum", squares, axis, None, None, keepdims)
    return elementwise("sqrt", total)


def _einsum(
    subscripts: Any, *operands: Any, optimize: Any = True, **options: Any
) -> Any:
    """Return a product, whose order of sums Nacho chooses in any case."""
    return public("einsum")(subscripts, *operands, **options)


_FUNCTIONS: dict[Any, Callable[..., Any]] = {
    **{getattr(np, name): _method(name) for name in ("sum", "prod", "max", "min")},
    np.amax: _method("max"),
    np.amin: _method("min"),
    np.mean: _method("mean"),
    np.where: lambda condition, x, y: elementwise("where", condition, x, y),
    np.transpose: lambda array, axes=None: transposed(array, axes),
    np.shape: lambda array: array.shape,
    np.ndim: lambda array: array.ndim,
    np.size: lambda array: prod(array.shape),
    np.clip: _clip,
    np.dot: _dot,
    np.einsum: _einsum,
    np.linalg.norm: _norm,
}


def add(functions: Mapping[Any, Callable[..., Any]]) -> None:
    """Add functions of NumPy that are no operators, but give tensors."""
    _FUNCTIONS.update(functions)


def apply_function(
    function: Callable[..., Any], args: Sequence[Any], options: Mapping[str, Any]
) -> Any:
    """Return what a function of NumPy is for tensors, or NotImplemented."""
    if function not in _FUNCTIONS:
        return NotImplemented
    return _FUNCTIONS[function](*args, **options)
