"""Closes the runtime library after it has started a worker: it has to stay loaded."""

import ctypes
import sys
from _ctypes import dlclose
from pathlib import Path

path = sys.argv[1]
library = ctypes.CDLL(path)
part = ctypes.CFUNCTYPE(
    None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p
)
done = []
compute = part(lambda context, part, slot, word: done.append(part))
library.nacho_compute_parts.argtypes = [ctypes.c_int64] * 4
address = ctypes.cast(compute, ctypes.c_void_p).value
stopped = library.nacho_compute_parts(6, 2, address, 0)
print("stopped", stopped, "parts", *sorted(done))
dlclose(library._handle)
name = Path(path).name
print("loaded" if name in Path("/proc/self/maps").read_text() else "gone")
