"""Arrays between pages that nobody may read: reading beyond them ends the process."""

import contextlib
import ctypes
import mmap

import numpy as np

_LIBC = ctypes.CDLL(None, use_errno=True)
_LIBC.mmap.restype = ctypes.c_void_p
_LIBC.mmap.argtypes = [
    ctypes.c_void_p,
    ctypes.c_size_t,
    ctypes.c_int,
    ctypes.c_int,
    ctypes.c_int,
    ctypes.c_long,
]
_LIBC.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
_LIBC.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]

_GUARD = 1 << 20
"""The bytes on either side of an array that cannot be read."""
_NO_ACCESS = 0


class Guard:
    """Copies arrays to guarded memory, alternately to its begin and to its end."""

    def __init__(self):
        self._mapped = []

    def copy(self, array):
        """Return a copy of an array; what lies on either side cannot be read."""
        if array.size == 0:
            return np.empty(0, array.dtype)
        page = mmap.PAGESIZE
        room = -(-array.nbytes // page) * page
        length = 2 * _GUARD + room
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
        base = _LIBC.mmap(None, length, _NO_ACCESS, flags, -1, 0)
        assert base not in (None, 2**64 - 1)
        self._mapped.append((base, length))
        access = mmap.PROT_READ | mmap.PROT_WRITE
        assert _LIBC.mprotect(base + _GUARD, room, access) == 0
        gap = room - array.nbytes if len(self._mapped) % 2 else 0
        memory = (ctypes.c_char * array.nbytes).from_address(base + _GUARD + gap)
        copied = np.frombuffer(memory, array.dtype).reshape(array.shape)
        copied[...] = array
        return copied

    def release(self):
        """Give the memory back. No copy may be used any more."""
        for base, length in self._mapped:
            _LIBC.munmap(base, length)
        self._mapped.clear()


@contextlib.contextmanager
def guarded():
    """Yield a guard, whose copies live as long as the block."""
    guard = Guard()
    try:
        yield guard
    finally:
        guard.release()
