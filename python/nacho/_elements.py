"""Element types: their names in Nacho, and the same types in NumPy and in MLIR."""

from __future__ import annotations

from typing import Any

import numpy as np

DType = np.dtype[Any]

ELEMENTS: dict[str, DType] = {
    "f32": np.dtype(np.float32),
    "f64": np.dtype(np.float64),
    "i8": np.dtype(np.int8),
    "i16": np.dtype(np.int16),
    "i32": np.dtype(np.int32),
    "i64": np.dtype(np.int64),
    "u8": np.dtype(np.uint8),
    "bool": np.dtype(np.bool_),
    "c64": np.dtype(np.complex64),
    "c128": np.dtype(np.complex128),
}

STORED: dict[str, DType] = {**ELEMENTS, "f16": np.dtype(np.float16)}
"""The types of all elements that kernels take: those of modules take half floats, too.

NumPy has no type for ``bf16``.
"""

READ_AS: dict[DType, str] = {
    np.dtype(np.uint16): "i32",
    np.dtype(np.uint32): "i64",
    np.dtype(np.uint64): "i64",
    np.dtype(np.float16): "f32",
}
"""The types that expressions do not compute with, and those that they read them as.

Numbers of uint64 that int64 does not hold are refused.
"""

BFLOAT16 = "bfloat16"
"""The name of another type that expressions read as f32.

NumPy knows it from the library ml_dtypes only, so that its numbers become those of
float32 as soon as an operand is read.
"""

MLIR: dict[str, str] = {
    "f16": "f16",
    "f32": "f32",
    "f64": "f64",
    "i8": "i8",
    "i16": "i16",
    "i32": "i32",
    "i64": "i64",
    "u8": "ui8",
    "bool": "i1",
    "c64": "complex<f32>",
    "c128": "complex<f64>",
}

_NAMES: dict[DType, str] = {dtype: name for name, dtype in STORED.items()}


def element_name(dtype: DType) -> str | None:
    """Return the name of a NumPy type; None if expressions have no such elements.

    A type whose byte order is not the machine's is no element type.
    """
    name = _NAMES.get(dtype)
    return name if name in ELEMENTS else None


def stored_name(dtype: DType) -> str | None:
    """Return the name of a NumPy type; None if no kernel takes such elements."""
    return _NAMES.get(dtype)


def read_name(dtype: DType) -> str | None:
    """Return the name of the type that expressions read elements as; None if of none.

    This is another type for those in ``READ_AS``.
    """
    return element_name(dtype) or READ_AS.get(dtype)


def supported_elements() -> str:
    """Return the element types, as messages list them."""
    return ", ".join(dtype.name for dtype in ELEMENTS.values())
