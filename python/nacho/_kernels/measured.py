"""What ``explain`` measures: phases, parts, threads, bytes and bandwidth."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from nacho._storage.views import View

_COPIED_BYTES = 1 << 25
"""More than caches hold, for each thread."""
_COPIES = 3
_SHOWN_THREADS = 16


class Clock:
    """The seconds that each phase takes, one after the other."""

    def __init__(self) -> None:
        self.began = time.perf_counter()
        self.seconds: dict[str, float] = {}

    def stop(self, phase: str) -> None:
        """End a phase, and begin the next."""
        now = time.perf_counter()
        self.seconds[phase] = now - self.began
        self.began = now


class Shared(NamedTuple):
    """How threads shared what a caller had computed, and what kept it waiting."""

    parts: list[int]
    """How many parts each thread computed; the caller is the first one."""
    awaited: float
    """The seconds for which the caller waited for parts of other threads."""
    lost: float
    """The seconds for which the system ran something else instead of the caller."""

    def described(self) -> str:
        """Return how many parts each thread computed, of all loops of a call."""
        shown = ", ".join(map(str, self.parts[:_SHOWN_THREADS]))
        more = ", …" if len(self.parts) > _SHOWN_THREADS else ""
        return (
            f"parts done while computing, per thread: {shown}{more}; "
            f"others were awaited for {self.awaited * 1e3:.3f} ms"
        )

    def compared(self, seconds: float, busy: float) -> str:
        """Return why a call took longer than the busiest thread does, if alone."""
        return (
            f"compute {seconds * 1e3:.3f} ms, of which parts alone "
            f"{busy * 1e3:.3f} ms; for {self.lost * 1e3:.3f} ms the system "
            "ran other programs"
        )


class Sharing:
    """Finds out how threads share what is computed from now on."""

    def __init__(self) -> None:
        from nacho._nacho import take_sharing

        self._take = take_sharing
        self._take()
        self._began = time.perf_counter() - time.thread_time()

    def stop(self) -> Shared:
        # While it waits for others, the caller does not use the processor, either.
        idle = time.perf_counter() - time.thread_time() - self._began
        parts, awaited = self._take()
        return Shared(parts, awaited, max(0.0, idle - awaited))


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
