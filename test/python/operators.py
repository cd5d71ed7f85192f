"""What the operators of the notation compute, on NumPy's arrays and numbers.

Functions of real numbers are those of C, one number at a time: the vectorised ones of
NumPy may differ in the last places. Python's own numbers are weak, and stay so.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable
from typing import Any

import numpy as np

Function = Callable[..., Any]

_WEAK = (int, float, complex)
_C = {
    np.dtype(np.float32): ("f", ctypes.c_float),
    np.dtype(float): ("", ctypes.c_double),
}
_LIBM = ctypes.CDLL("libm.so.6")


def _is_weak(*values: Any) -> bool:
    return all(type(value) in _WEAK for value in values)


class Coordinates(np.ndarray):
    """The coordinates of an index: weak among floats, and int64 among integers."""

    def __array_ufunc__(
        self, ufunc: Any, method: str, *inputs: Any, **options: Any
    ) -> Any:
        others = [x for x in inputs if not isinstance(x, Coordinates)]
        dtype = np.result_type(*others, 0) if others else np.dtype(np.int64)
        own = dtype if dtype.kind in "fc" else np.dtype(np.int64)
        plain = (
            np.asarray(x).astype(own) if isinstance(x, Coordinates) else x
            for x in inputs
        )
        found = getattr(ufunc, method)(*plain, **options)
        is_weak = found.dtype == np.int64 and all(map(_is_weak, others))
        return found.view(Coordinates) if is_weak else found


def _function(name: str, arity: int = 1) -> Function:
    """Return a function of C, on arrays of any type: of integers it is that of f64."""
    found = {}
    for dtype, (suffix, kind) in _C.items():
        scalar = getattr(_LIBM, name + suffix)
        scalar.argtypes, scalar.restype = [kind] * arity, kind
        found[dtype] = np.vectorize(scalar, otypes=[dtype])

    def applied(x: Any, *others: Any) -> Any:
        if _is_weak(x):
            return applied(np.asarray(x)).item()
        array = np.asarray(x)
        if array.dtype.kind == "c":
            # Those of NumPy are C's, and of c64 ones in double precision are better.
            return getattr(np, name)(array.astype(np.complex128)).astype(array.dtype)
        array = array.astype(float) if array.dtype.kind in "biu" else array
        return found[array.dtype](array, *others)

    return applied


def _abs(x: Any) -> Any:
    if _is_weak(x) or np.asarray(x).dtype.kind != "c":
        return abs(x) if _is_weak(x) else np.abs(x)
    size = np.hypot(np.real(x).astype(float), np.imag(x).astype(float))
    return size.astype(np.real(x).dtype)


def quotient(lhs: Any, rhs: Any) -> Any:
    """Divide: complex numbers by Smith's algorithm, in the type of the result."""
    if _is_weak(lhs, rhs):
        exact = isinstance(lhs, int) and isinstance(rhs, int) and rhs
        return lhs / rhs if exact else quotient(np.asarray(lhs), rhs).item()
    found = np.divide(lhs, rhs)
    if found.dtype.kind != "c":
        return found
    part = found.real.dtype
    x, y = (np.asarray(side).astype(found.dtype) for side in (lhs, rhs))
    x, y = np.broadcast_arrays(x, y)
    larger = np.abs(y.real) >= np.abs(y.imag)
    p, q = np.where(larger, y.real, y.imag), np.where(larger, y.imag, y.real)
    ratio = q / p
    scale = part.type(1) / (p + q * ratio)
    made = np.empty_like(found)
    made.real = np.where(larger, x.real + x.imag * ratio, x.real * ratio + x.imag)
    made.imag = np.where(larger, x.imag - x.real * ratio, x.imag * ratio - x.real)
    made.real, made.imag = made.real * scale, made.imag * scale
    zero = np.abs(y.real)
    made.real = np.where(y == 0, x.real / zero, made.real)
    made.imag = np.where(y == 0, x.imag / zero, made.imag)
    return made


def product(lhs: Any, rhs: Any) -> Any:
    """Multiply; complex numbers without the fused operations that NumPy may use."""
    found = lhs * rhs
    if getattr(found, "dtype", np.dtype(bool)).kind != "c":
        return found
    one, other = (np.asarray(side).astype(found.dtype) for side in (lhs, rhs))
    made = np.empty_like(found)
    made.real = one.real * other.real - one.imag * other.imag
    made.imag = one.real * other.imag + one.imag * other.real
    return made


def _ordered(ufunc: Function, weak: Function) -> Function:
    """Return an operator on what has an order."""

    def applied(lhs: Any, rhs: Any) -> Any:
        if "c" in (np.asarray(lhs).dtype.kind, np.asarray(rhs).dtype.kind):
            raise TypeError("complex numbers have no order")
        return weak(lhs, rhs) if _is_weak(lhs, rhs) else ufunc(lhs, rhs)

    return applied


def _extreme(choose: Function) -> Function:
    return lambda x, y: math.nan if x != x or y != y else choose(x, y)


def choice(condition: Any, lhs: Any, rhs: Any) -> Any:
    """Choose; what is chosen by a literal among literals is weak."""
    if _is_weak(condition, lhs, rhs):
        return lhs if condition else rhs
    return np.where(np.asarray(condition).astype(bool), lhs, rhs)


def _divided(ufunc: Function) -> Function:
    """Return a division that rounds; what is divided by the integer 0 is 0."""

    def applied(lhs: Any, rhs: Any) -> Any:
        if _is_weak(lhs, rhs):
            found = applied(np.asarray(lhs), np.asarray(rhs)).item()
            return found
        if np.result_type(lhs, rhs).kind == "b":
            raise TypeError("bools are not divided")
        return ufunc(lhs, rhs)

    return _ordered(applied, applied)


floored_quotient = _divided(np.floor_divide)
floored_remainder = _divided(np.remainder)


def _of_floats(function: Function) -> Function:
    """Return a function of two floats of one type, for numbers of any real type."""

    def applied(lhs: Any, rhs: Any) -> Any:
        if _is_weak(lhs, rhs):
            return applied(np.asarray(lhs), np.asarray(rhs)).item()
        dtype = np.result_type(lhs, rhs)
        dtype = dtype if dtype.kind == "f" else np.dtype(float)
        one, other = (np.asarray(side).astype(dtype) for side in (lhs, rhs))
        return np.asarray(function(one, other)).astype(dtype)

    return _ordered(applied, applied)


def _hypot(x: Any, y: Any) -> Any:
    """Compute in double precision, with powers of 2 as scales."""
    x, y = np.abs(x.astype(float)), np.abs(y.astype(float))
    p, q = np.maximum(x, y), np.minimum(x, y)
    scale = np.where(p > 2.0**500, 2.0**-600, np.where(p < 2.0**-500, 2.0**600, 1))
    size = np.sqrt((p * scale) ** 2 + (q * scale) ** 2) / scale
    return np.where(np.isinf(x) | np.isinf(y), np.inf, size)


def _logaddexp(x: Any, y: Any) -> Any:
    power = FUNCTIONS["exp"](-np.abs(x - y))
    more = _log1p(power.astype(float)).astype(power.dtype)
    twice = x + power.dtype.type(math.log(2))
    return np.where(x == y, twice, np.maximum(x, y) + more)


def _angle(x: Any) -> Any:
    if _is_weak(x):
        return _angle(np.asarray(x)).item()
    return _atan2(np.imag(x), np.real(x))


def _round(x: Any) -> Any:
    if np.asarray(x).dtype.kind == "c":
        raise TypeError("complex numbers have no order")
    return x if np.asarray(x).dtype.kind in "biu" else np.rint(x)


_log1p = _function("log1p")
_atan2 = _of_floats(_function("atan2", 2))

FUNCTIONS: dict[str, Function] = {
    **{name: _function(name) for name in ("sqrt", "exp", "log", "sin", "cos", "tanh")},
    "abs": _abs,
    "min": _ordered(np.minimum, _extreme(min)),
    "max": _ordered(np.maximum, _extreme(max)),
    "clip": lambda x, low, high: FUNCTIONS["min"](FUNCTIONS["max"](x, low), high),
    "round": lambda x: float(_round(x)) if type(x) is float else _round(x),
    "hypot": _of_floats(_hypot),
    "logaddexp": _of_floats(_logaddexp),
    "fmod": _divided(np.fmod),
    "copysign": _of_floats(np.copysign),
    "conj": lambda x: np.conj(x) if np.asarray(x).dtype.kind == "c" else x,
    "real": lambda x: x.real,
    "imag": lambda x: x.imag,
    "angle": _angle,
}

COMPARISONS: dict[str, Function] = {
    "Lt": _ordered(np.less, np.less),
    "LtE": _ordered(np.less_equal, np.less_equal),
    "Gt": _ordered(np.greater, np.greater),
    "GtE": _ordered(np.greater_equal, np.greater_equal),
    "Eq": np.equal,
    "NotEq": np.not_equal,
}
"""By the names of Python's nodes."""
