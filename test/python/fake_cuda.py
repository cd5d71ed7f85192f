"""CUDA's driver for tests, on machines without a GPU: test/CudaDriver."""

import ctypes
import os
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path

from nacho import _nacho

# A tree for a sanitizer has a package of its own; that of the sources is build/dev's.
_ROOT = Path(_nacho.__file__).resolve().parents[2]
_TREE = _ROOT if (_ROOT / "CMakeCache.txt").exists() else _ROOT / "build" / "dev"
LIBRARY = _TREE / "lib" / "libnacho-fake-cuda.so"


def use():
    """Make this process use it in place of NVIDIA's driver."""
    os.environ["NACHO_LIBCUDA"] = str(LIBRARY)


def library():
    """Return the library, whose functions can be called."""
    return ctypes.CDLL(str(LIBRARY))


def calls_on(stream):
    """Return how many calls there were for a stream."""
    count = library().nacho_calls_on_stream
    count.restype, count.argtypes = ctypes.c_int64, [ctypes.c_void_p]
    return count(stream)


def allocated():
    """Return how many bytes of its memory are in use, not only kept for later."""
    count = library().nacho_allocated_bytes
    count.restype = ctypes.c_int64
    return count() - _nacho.pooled_bytes("cuda")


def calls_of(symbol):
    """Return how many calls of a function there were."""
    count = library().nacho_calls_of
    count.restype, count.argtypes = ctypes.c_int64, [ctypes.c_char_p]
    return count(symbol.encode())


def write(address, array):
    """Write an array of the host to memory of the device."""
    put = library().nacho_write
    put.argtypes = [ctypes.c_uint64, ctypes.c_void_p, ctypes.c_size_t]
    put(address, array.ctypes.data, array.nbytes)


_RUNS, _RECORDS, _PLAYS_BACK = range(3)


@contextmanager
def _in_mode(mode):
    library().nacho_set_mode(mode)
    try:
        yield
    finally:
        library().nacho_set_mode(_RUNS)


@contextmanager
def played_back(act: Callable[[], object]):
    """Have the driver forget what ``act`` asks of it, and return what it read before.

    ``act`` runs once, and may then be repeated in the body, any number of times.
    """
    with _in_mode(_RECORDS):
        act()
    with _in_mode(_PLAYS_BACK):
        yield
