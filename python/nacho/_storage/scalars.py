"""Scalar operands: Python and NumPy numbers, and arrays without dimensions."""

from __future__ import annotations

from typing import Any, NoReturn, TypeGuard

import numpy as np

from nacho._elements import ELEMENTS, READ_AS, STORED, DType, read_name
from nacho._notation.promotion import weak_kind
from nacho._storage.formats import TensorType
from nacho._storage.gpu_arrays import has_interface, number_on_device
from nacho._storage.input_checks import cast_to, require_element, require_stored
from nacho._storage.read_arrays import widened_bfloat16
from nacho._storage.torch_tensors import is_torch, scalar_of
from nacho._storage.views import Array
from nacho.errors import (
    DTypeError,
    ShapeError,
    UnsupportedError,
    UnsupportedOperandError,
)

_RANKS = "biufc"
"""NumPy's letters for kinds of types: bool, signed, unsigned, float, complex. A Python
number fits the types of its own kind and of all kinds behind it."""

_DLPACK_HOST = (1, 3)
"""kDLCPU and kDLCUDAHost: how DLPack calls memory that the host can use."""


def is_number(value: object) -> bool:
    """Return whether a value has no dimensions."""
    if isinstance(value, int | float | complex | np.generic):
        return True
    return _is_array(value) and value.ndim == 0


def _is_array(value: Any) -> TypeGuard[Any]:
    # NumPy's arrays are exchanged by DLPack, too: asking them for that takes longer.
    if isinstance(value, np.ndarray):
        return True
    return hasattr(value, "__dlpack__") or has_interface(value)


def _in_numpy(name: str, value: Any) -> Any:
    """Return an array of another library as NumPy's, and anything else as it is."""
    if isinstance(value, np.ndarray | np.generic):
        return widened_bfloat16(value)[0]
    if not _is_array(value):
        return value
    if any(map(is_torch, type(value).__mro__)):
        return scalar_of(name, value)
    if has_interface(value):
        return number_on_device(name, value)
    return from_dlpack(name, value)


def from_dlpack(name: str, container: Any) -> Array:
    """Return an array of any library as NumPy's, in the same memory."""
    device, _ = container.__dlpack_device__()
    if device not in _DLPACK_HOST:
        raise UnsupportedError(
            f"operand '{name}': it is not in the memory of the host (its DLPack device "
            f"is of type {int(device)})"
        )
    try:
        array: Array = np.from_dlpack(container)
    except (BufferError, RuntimeError, TypeError) as error:
        raise DTypeError(
            f"operand '{name}': NumPy cannot use its memory: {error}"
        ) from error
    return array


class RankError(ShapeError):
    """An operand has another rank than its number of indices in the expression."""

    def __init__(self, message: str, operand: str = "") -> None:
        super().__init__(message)
        self.operand = operand


def refuse_rank(name: str, given: int, rank: int) -> NoReturn:
    """Refuse an operand whose rank is not its number of indices in the expression."""
    plural = "index" if rank == 1 else "indices"
    written = f"with {rank} {plural}" if rank else "without indices"
    message = f"operand '{name}' has rank {given}, but is written {written}"
    raise RankError(message, name)


def refuse_dimensions(name: str, value: Any) -> bool:
    """Refuse an operand without indices that is no number; return False for one."""
    if getattr(value, "ndim", 0):
        refuse_rank(name, value.ndim, 0)
    return False


def scalar_dtype(name: str, value: Any) -> DType | None:
    """Return the type of a scalar operand; None for a Python number, which is weak.

    Python's bool counts as NumPy's: it promotes to any type even without being weak.
    """
    if is_number(value):
        value = _in_numpy(name, value)
    if isinstance(value, np.generic | np.ndarray) and is_number(value):
        require_stored(name, value.dtype)
        return value.dtype.newbyteorder("=")
    if isinstance(value, bool):
        return ELEMENTS["bool"]
    if isinstance(value, int | float | complex):
        return None
    refuse_dimensions(name, value)
    shown = type(value).__name__
    raise UnsupportedOperandError(f"operand '{name}': {shown} is not a number")


def scalar_kind(name: str, value: Any) -> str:
    """Return the kind of a number; Python's numbers are weak, except for bools."""
    dtype = scalar_dtype(name, value)
    if dtype is None:
        return weak_kind(value) or "float"
    require_element(name, dtype)
    element = read_name(dtype)
    assert element is not None
    return element


def load_scalar(name: str, value: Any, type: TensorType) -> Array:
    """Return a scalar operand as the array that a kernel reads."""
    given = scalar_dtype(name, value)
    wanted = STORED[type.dtype]
    if given is not None and given != wanted:
        require_element(name, given)
    value = _in_numpy(name, value)
    if given is not None and READ_AS.get(given) == type.dtype:
        return cast_to(name, np.asarray(value), wanted)
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
