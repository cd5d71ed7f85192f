"""Scalar operands: Python and NumPy numbers, and arrays without dimensions."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from nacho.elements import ELEMENTS, DType
from nacho.errors import DTypeError, ShapeError, UnsupportedError
from nacho.storage.formats import TensorType
from nacho.storage.tensor import require_element
from nacho.storage.torch_tensors import is_torch, scalar_of
from nacho.storage.views import Array

_RANKS = "biufc"
"""NumPy's letters for kinds of types: bool, signed, unsigned, float, complex. A Python
number fits the types of its own kind and of all kinds behind it."""


def is_number(value: Any) -> bool:
    """Return whether a value has no dimensions."""
    if isinstance(value, np.ndarray) or _is_tensor(value):
        return bool(value.ndim == 0)
    return isinstance(value, int | float | complex | np.generic)


def _is_tensor(value: object) -> bool:
    return any(map(is_torch, type(value).__mro__[:-1]))


def refuse_rank(name: str, given: int, rank: int) -> NoReturn:
    """Refuse an operand whose rank is not its number of indices in the expression."""
    plural = "index" if rank == 1 else "indices"
    written = f"with {rank} {plural}" if rank else "without indices"
    raise ShapeError(f"operand '{name}' has rank {given}, but is written {written}")


def scalar_dtype(name: str, value: Any) -> DType | None:
    """Return the type of a scalar operand; None for a Python number, which is weak.

    Python's bool counts as NumPy's: it promotes to any type even without being weak.
    """
    if _is_tensor(value) and is_number(value):
        value = scalar_of(name, value)
    if isinstance(value, np.generic | np.ndarray) and is_number(value):
        require_element(name, value.dtype)
        return value.dtype.newbyteorder("=")
    if isinstance(value, bool):
        return ELEMENTS["bool"]
    if isinstance(value, int | float | complex):
        return None
    if getattr(value, "ndim", 0):
        refuse_rank(name, value.ndim, 0)
    shown = type(value).__name__
    raise UnsupportedError(f"operand '{name}': {shown} is not a number")


def load_scalar(name: str, value: Any, type: TensorType) -> Array:
    """Return a scalar operand as the array that a kernel reads."""
    given = scalar_dtype(name, value)
    wanted = ELEMENTS[type.dtype]
    if _is_tensor(value):
        value = scalar_of(name, value)
    if given is not None and not np.can_cast(given, wanted, "safe"):
        raise DTypeError(
            f"operand '{name}' is {given}, but the kernel was compiled for {wanted}"
        )
    if given is None and not _adapts(value, wanted):
        shown = value.__class__.__name__
        raise DTypeError(
            f"operand '{name}' is a Python {shown}, but the kernel was compiled for "
            f"{wanted}"
        )
    try:
        with np.errstate(over="ignore"):
            array: Array = np.array(value, wanted)
    except OverflowError as error:
        raise DTypeError(f"operand '{name}' does not fit {wanted}") from error
    return array


def _adapts(value: object, wanted: DType) -> bool:
    """Return whether NumPy lets a Python number take on a type (NEP 50)."""
    own = "c" if isinstance(value, complex) else "f"
    own = "i" if isinstance(value, int) else own
    return _RANKS.index(wanted.kind) >= _RANKS.index(own)
