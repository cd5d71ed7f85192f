"""The process of one peer: it answers commands, a line of JSON each, until stdin ends.

Usage: python -m nacho_bench.worker PEER THREADS [gpu]
"""

import gc
import json
import os
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from nacho_bench import canonical
from nacho_bench.launches import profiled
from nacho_bench.operands import Operands
from nacho_bench.peers import NotInstalledError, UnsuitableError, load

_SLOW = 0.3
"""A call that takes this many seconds is not repeated just to warm up."""
_WARM_UP = 0.02
"""Seconds of calls in "steady" before some are timed, to wake up threads and clocks.

A system may take ten milliseconds to move a thread that wakes up to a core of its own.
"""
_KEPT = 4 << 30
"""The most bytes that results may take in the mode "keep"."""


class Worker:
    def __init__(self, peer: Any, threads: int) -> None:
        self.peer = peer
        self.threads = threads
        self.timed = getattr(peer, "timed", timed_on_host)
        self.kernel = ""
        self.warm: set[str] = set()
        self.drop()

    def drop(self) -> dict[str, Any]:
        """Forget the operands and all results."""
        self.call: Callable[[], Any] | None = None
        self.entries: Callable[[Any], Any] | None = None
        self.last = 0.0
        gc.collect()
        return {}

    def prepare(self, kernel: str, files: dict[str, str]) -> dict[str, Any]:
        self.drop()
        given = Operands(kernel, files, self.threads)
        self.kernel = kernel
        self.call, self.entries = self.peer.kernels[kernel](given)
        return {}

    def verify(self, path: str | None) -> dict[str, Any]:
        """Return a digest of the result, and the time of a call: warm, if it is fast.

        With a path, the result is written there in canonical form.
        """
        assert self.call and self.entries
        result, first = self.timed(self.call)
        self.last = first
        if first < _SLOW or self.kernel not in self.warm:
            # The very first call of a kernel may have compiled something.
            self.warm.add(self.kernel)
            del result
            self.time("steady", 1)
            result = self.call()
        found = self.entries(result)
        if path is not None:
            canonical.write(Path(path), found)
        return {"digest": canonical.digest(found), "seconds": self.last}

    def launches(self) -> dict[str, Any]:
        """Return the kernels of a call on a GPU, or why they are not known."""
        assert self.call
        return profiled(self.call)

    def time(self, mode: str, calls: int, budget: float = 60.0) -> dict[str, Any]:
        """Time calls: ``calls`` of them, or fewer if they take longer than the budget.

        In the mode "steady", a result is dropped before the next call. In "keep", all
        results stay alive, including those of two calls that are not timed.
        """
        assert self.call
        call, times, kept = self.call, [], []
        gc.collect()
        gc.disable()
        most = _resident() + _KEPT
        result: Any = None
        if mode == "keep":
            kept += [call(), call()]
        elif self.last < _SLOW:
            began = time.perf_counter()
            result, _ = self.timed(call)
            while time.perf_counter() - began < _WARM_UP:
                result = None
                result, _ = self.timed(call)
        while len(times) < calls and sum(times) <= budget:
            result = None
            result, taken = self.timed(call)
            times.append(taken)
            if mode == "keep":
                kept.append(result)
                if _resident() > most:
                    break
        gc.enable()
        self.last = min(times)
        return {"times": times}


def timed_on_host(call: Callable[[], Any]) -> tuple[Any, float]:
    """Return the result of a call, and the seconds that it takes."""
    began = time.perf_counter()
    result = call()
    return result, time.perf_counter() - began


def _resident() -> int:
    """Return the bytes of resident memory of this process."""
    pages = Path("/proc/self/statm").read_text().split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def main(name: str, threads: int, on_gpu: bool) -> None:
    # Whatever libraries print goes to stderr, because stdout carries the answers.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    sys.stdout = sys.stderr

    def answer(**found: Any) -> None:
        print(json.dumps(found), file=answers, flush=True)

    try:
        peer = load(name, threads, on_gpu)
    except NotInstalledError as error:
        return answer(missing=str(error))
    worker = Worker(peer, threads)
    answer(
        version=peer.version,
        kernels=sorted(peer.kernels),
        included=getattr(peer, "included", ""),
    )
    for line in sys.stdin:
        command = json.loads(line)
        try:
            answer(**getattr(worker, command.pop("do"))(**command))
        except UnsuitableError as error:
            answer(unsuitable=str(error))
        except Exception as error:
            traceback.print_exc()
            answer(error=f"{type(error).__name__}: {error}".split("\n")[0])


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), on_gpu="gpu" in sys.argv[3:])
