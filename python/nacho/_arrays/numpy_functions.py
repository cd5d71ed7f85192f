"""NumPy's own functions on tensors: those that are operators of the notation.

NumPy refuses all others with a TypeError, so that no function makes a tensor dense:
only ``numpy.asarray`` does, which says so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from nacho._arrays.building import elementwise, matmul, transposed
from nacho._notation.operators import OPERATORS


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


_FUNCTIONS: dict[Any, Callable[..., Any]] = {
    **{getattr(np, name): _method(name) for name in ("sum", "prod", "max", "min")},
    np.amax: _method("max"),
    np.amin: _method("min"),
    np.mean: _method("mean"),
    np.where: lambda condition, x, y: elementwise("where", condition, x, y),
    np.transpose: lambda array, axes=None: transposed(array, axes),
    np.shape: lambda array: array.shape,
    np.ndim: lambda array: array.ndim,
}


def apply_function(
    function: Callable[..., Any], args: Sequence[Any], options: Mapping[str, Any]
) -> Any:
    """Return what a function of NumPy is for tensors, or NotImplemented."""
    if function not in _FUNCTIONS:
        return NotImplemented
    return _FUNCTIONS[function](*args, **options)
