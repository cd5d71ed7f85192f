"""CUDA's driver for tests, on machines without a GPU: test/CudaDriver."""

import ctypes
import os
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
    """Return how many bytes of its memory are in use."""
    count = library().nacho_allocated_bytes
    count.restype = ctypes.c_int64
    return count()
