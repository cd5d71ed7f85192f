"""What ``explain`` measures besides phases: parts, threads, bytes and bandwidth."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache

import numpy as np

from nacho._storage.views import View

_COPIED_BYTES = 1 << 25
"""More than caches hold, for each thread."""
_COPIES = 3


def bytes_of(views: Iterable[View]) -> int:
    """Return the size of the arrays of operands; a shared array counts once."""
    arrays = {
        id(array): array
        for view in views
        for array in (*view.pos, *view.crd, view.values)
        if array is not None
    }
    return sum(int(array.nbytes) for array in arrays.values())


@lru_cache
def copy_bandwidth(threads: int) -> float:
    """Return how many bytes a second NumPy reads and writes when it copies arrays.

    It is measured once for each number of threads, with an array for each.
    """
    sources = [np.ones(_COPIED_BYTES, np.uint8) for _ in range(threads)]
    targets = [np.zeros(_COPIED_BYTES, np.uint8) for _ in range(threads)]
    seconds: list[float] = []
    with ThreadPoolExecutor(threads) as pool:
        for _ in range(_COPIES):
            began = time.perf_counter()
            list(pool.map(np.copyto, targets, sources))
            seconds.append(time.perf_counter() - began)
    return 2 * threads * _COPIED_BYTES / min(seconds)


def thread_times(part_times: Sequence[float], threads: int) -> list[float]:
    """Return how long threads are busy that take the next part as soon as they can."""
    busy = [0.0] * threads
    for seconds in part_times:
        busy[busy.index(min(busy))] += seconds
    return busy
