"""The functions of the runtime library, which Python calls by ``ctypes``.

They call kernels that were compiled ahead of time, without any compiler.
"""

from __future__ import annotations

import ctypes
import functools
import re
import threading
from array import array
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nacho._elements import DType
from nacho.errors import DeviceError

FOLDER = Path(__file__).parent
LIBRARY = FOLDER / "libnacho_runtime.so"
HEADER = FOLDER / "Runtime.h"

VERSION = 1
"""The version of what files say of their kernels; it changes with that."""

_NO_MEMORY = "there is no memory"
"""What the library's messages begin with if memory does not suffice."""

Argument = tuple[int, int]
"""The address and the number of elements of an array; or 0 and an extent."""


_Handler = ctypes.CFUNCTYPE(None, ctypes.c_char_p)


class Failure(Exception):
    """What the library says of a call that it did not finish."""

    @property
    def is_of_memory(self) -> bool:
        """Whether memory did not suffice."""
        return _NO_MEMORY in str(self)


class _Errors(threading.local):
    """The error of the latest call of each thread; empty if it succeeded."""

    text = ""


_errors = _Errors()


def _keep(text: bytes) -> None:
    _errors.text = text.decode()


_handler = _Handler(_keep)


@functools.cache
def _library() -> Any:
    """Load the library; its errors are kept, and do not end the process."""
    try:
        loaded = ctypes.CDLL(str(LIBRARY))
    except OSError as error:
        raise DeviceError(f"the runtime library cannot be loaded: {error}") from error
    loaded.nacho_set_error_handler(_handler)
    place, number = ctypes.c_void_p, ctypes.c_int64
    loaded.nacho_call.argtypes = [place, place, place, number, number]
    loaded.nacho_call.restype = None
    mask = ctypes.c_uint64
    loaded.nacho_call_if_valid.argtypes = [place, place, mask, place, number, number]
    loaded.nacho_call_if_valid.restype = ctypes.c_int32
    return loaded


def prepare() -> None:
    """Load the library, which the libraries of kernels need."""
    _library()


@functools.cache
def _memory(bits: int) -> Any:
    """Return the class of memory that the library allocated, and that it releases.

    It pretends to have 2**bits bytes, more than there are: arrays in it have fewer. A
    class for each number of bytes would take long to make.
    """

    class Memory(ctypes.c_char * (1 << bits)):  # type: ignore[misc]
        def __del__(self) -> None:
            _free(ctypes.addressof(self))

    return Memory


def _array(address: int, size: int, dtype: DType) -> NDArray[Any]:
    """Return memory that the library allocated, as an array that owns it."""
    bits = (size * dtype.itemsize).bit_length()
    return np.ndarray(size, dtype, _memory(bits).from_address(address))


def argument(value: Any) -> Argument:
    """Return an array or an extent as the library takes it."""
    if type(value) is int:
        return 0, value
    try:
        return ctypes.addressof(ctypes.c_char.from_buffer(value)), value.size
    except (TypeError, ValueError, BufferError):
        # The array is empty or cannot be written to. This takes four times as long.
        return value.__array_interface__["data"][0], value.size


_free = ctypes.CDLL(None).free
_free.argtypes = [ctypes.c_void_p]
_free.restype = None


def call(
    image: int,
    operands: Sequence[int],
    types: Sequence[DType],
    levels: int,
    threads: int,
    parts: int,
    unknown: int | None = None,
) -> list[NDArray[Any]] | None:
    """Call a kernel, and return the arrays of its result, which have these types.

    ``image`` is the address of its image. Each operand's array is two numbers: its
    address and its size, or 0 and an extent. The result has so many levels. Raises
    ``Failure`` if the kernel cannot compute it.

    With ``unknown``, which has a bit for each operand whose coordinates have to be
    checked, returns None if the operands are not valid, or if that takes long to see.
    """
    if unknown is not None and unknown >> 64:
        return None
    # Each ``nacho_argument`` is two numbers of 64 bits.
    given = array("q", operands)
    made = array("q", bytes(16 * (len(types) + levels)))
    at, into = given.buffer_info()[0], made.buffer_info()[0]
    _errors.text = ""
    if unknown is None:
        _library().nacho_call(image, at, into, threads, parts)
    elif not _library().nacho_call_if_valid(image, at, unknown, into, threads, parts):
        return None
    if _errors.text:
        raise Failure(_errors.text)
    return [
        _array(made[2 * n], made[2 * n + 1], dtype) for n, dtype in enumerate(types)
    ]


def processor_flags() -> frozenset[str]:
    """Return the names of what the processors of this machine can do, by Linux."""
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        return frozenset()
    found = re.search(r"^(?:flags|Features)\s*:(.*)$", text, re.MULTILINE)
    known = found[1].split() if found else []
    return frozenset(flag for flag in known if flag.startswith(_COMPUTING))


_COMPUTING = (
    "sse",
    "ssse",
    "avx",
    "fma",
    "bmi",
    "f16c",
    "popcnt",
    "movbe",
    "abm",
    "adx",
    "gfni",
    "vaes",
    "vpclmul",
    "asimd",
    "sve",
    "fphp",
    "bf16",
)
"""How the names of instructions begin that compiled code may have in it."""
