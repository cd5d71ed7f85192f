"""Calling compiled peers: arrays as pointers, results as buffers that they own."""

import ctypes
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

BUILD = Path(__file__).resolve().parents[3] / "build" / "bench-native"
MAX_LEVELS = 3


class Buffers(ctypes.Structure):
    """``struct result`` of reference/tensor.h: arrays by level, and their sizes."""

    _fields_ = (
        ("pos_size", ctypes.c_int64 * MAX_LEVELS),
        ("crd_size", ctypes.c_int64 * MAX_LEVELS),
        ("pos", ctypes.c_void_p * MAX_LEVELS),
        ("crd", ctypes.c_void_p * MAX_LEVELS),
        ("size", ctypes.c_int64),
        ("values", ctypes.c_void_p),
        ("owner", ctypes.c_void_p),
    )


class Result:
    """The result of a native kernel; its memory is freed with this object."""

    def __init__(self, library: ctypes.CDLL) -> None:
        self.buffers = Buffers()
        self._release = library.release

    def __del__(self) -> None:
        self._release(ctypes.byref(self.buffers))

    def pos(self, level: int) -> np.ndarray:
        return array(
            self.buffers.pos[level], self.buffers.pos_size[level], ctypes.c_int32
        )

    def crd(self, level: int) -> np.ndarray:
        return array(
            self.buffers.crd[level], self.buffers.crd_size[level], ctypes.c_int32
        )

    @property
    def values(self) -> np.ndarray:
        return array(self.buffers.values, self.buffers.size, ctypes.c_double)


def array(address: int | None, size: int, kind: Any) -> np.ndarray:
    """Return the array at an address, without a copy."""
    if not size or not address:
        return np.empty(0, kind)
    return np.ctypeslib.as_array(ctypes.cast(address, ctypes.POINTER(kind)), (size,))


def unpacked(
    pos: Sequence[np.ndarray | None], crd: Sequence[np.ndarray]
) -> tuple[np.ndarray, ...]:
    """Return coordinates from levels: the inverse of ``operands.packed``.

    A level without ``pos`` is a singleton. For the dense level of csr, the caller gives
    the numbers of the rows as ``crd``.
    """
    columns: list[np.ndarray] = []
    for ends, column in zip(pos, crd, strict=True):
        if ends is not None and columns:
            columns = [np.repeat(each, np.diff(ends)) for each in columns]
        columns.append(column)
    return tuple(columns)


def pointer(values: np.ndarray) -> ctypes.c_void_p:
    return ctypes.c_void_p(values.ctypes.data)
