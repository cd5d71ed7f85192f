"""Describes a measurement: the machine, the commit, and the speed of memory."""

import os
import platform
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

_ROOT = Path(__file__).resolve().parents[3]
_COPIED = 1 << 28


def commit() -> str:
    """Return the commit of this checkout."""
    return _git("rev-parse", "HEAD")


def description() -> dict[str, Any]:
    """Return the facts that identify the machine and the commit."""
    return {
        "commit": commit(),
        "changed": bool(_git("status", "--porcelain", "--untracked-files=no")),
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "cpu": _cpu(),
        "cores": len(os.sched_getaffinity(0)),
        "memory": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "kernel": platform.release(),
        "python": platform.python_version(),
    }


def _git(*arguments: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(_ROOT), *arguments],
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout.strip()


def _cpu() -> str:
    """Return the CPU's name, with family and model, since hypervisors hide the name."""
    found: dict[str, str] = {}
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        key, _, value = line.partition(":")
        found.setdefault(key.strip(), value.strip())
    name = found.get("model name", platform.processor())
    return f"{name}, family {found.get('cpu family')}, model {found.get('model')}"


@contextmanager
def neighbours(count: int) -> Iterator[None]:
    """Run as many processes beside, each of which keeps a processor busy."""
    loop = [sys.executable, "-c", "while True: pass"]
    busy = [subprocess.Popen(loop) for _ in range(count)]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()


def bandwidth(threads: int, size: int = _COPIED, rounds: int = 15) -> float:
    """Return the bytes per second, read and written, at which threads copy arrays.

    The arrays were written before, so that there are no page faults. The best round
    counts.
    """
    source, target = np.ones(size // 8), np.ones(size // 8)
    cuts = np.linspace(0, source.size, threads + 1).astype(int)

    def copy(part: int) -> None:
        begin, end = cuts[part : part + 2]
        np.copyto(target[begin:end], source[begin:end])

    best = np.inf
    with ThreadPoolExecutor(threads) as pool:
        for _ in range(rounds):
            began = time.perf_counter()
            list(pool.map(copy, range(threads)))
            best = min(best, time.perf_counter() - began)
    return 2 * source.nbytes / best
