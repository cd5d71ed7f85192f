"""Arrays next to memory that nobody may touch: what reads beyond them is killed."""

from __future__ import annotations

import ctypes
import mmap
from typing import Any

import numpy as np

_LIBC = ctypes.CDLL(None, use_errno=True)
_NO_ACCESS = 0


def _forbid(address: int) -> None:
    if _LIBC.mprotect(ctypes.c_void_p(address), mmap.PAGESIZE, _NO_ACCESS):
        raise OSError(ctypes.get_errno(), "mprotect failed")


def guarded(array: Any, *, at_end: bool = True) -> Any:
    """Return a copy that ends, or begins, at a page that must not be touched."""
    array = np.ascontiguousarray(array)
    page = mmap.PAGESIZE
    inner = -(-max(array.nbytes, 1) // page) * page
    memory = mmap.mmap(-1, inner + 2 * page)
    start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    offset = page + (inner - array.nbytes if at_end else 0)
    # An array whose size is no multiple of its elements' alignment does not exist.
    copy = np.frombuffer(memory, array.dtype, array.size, offset)
    copy = copy.reshape(array.shape)
    copy[...] = array
    _forbid(start)
    _forbid(start + page + inner)
    return copy
