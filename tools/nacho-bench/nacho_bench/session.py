"""A short time on a GPU: what is measured first, and when it is over."""

import json
import math
import statistics
import time
from collections.abc import Sequence
from pathlib import Path

from nacho_bench.kernels import Kernel
from nacho_bench.peers import OURS
from nacho_bench.workloads import Workload

LAST = Path(__file__).resolve().parents[1] / "results" / "2026-11-27-gpu-h200.json"
"""The times that decide what is worth knowing first."""

Pair = tuple[Kernel, Workload]


def ratios(path: Path = LAST) -> dict[tuple[str, str], float]:
    """Return the best peer's time over ours, by kernel and workload."""
    found = {}
    for record in json.loads(path.read_text())["records"]:
        times = {
            peer: statistics.median(each)
            for peer, each in record["times"]["steady"].items()
        }
        ours = times.pop(OURS, math.inf)
        if times:
            found[record["kernel"], record["workload"]] = min(times.values()) / ours
    return found


def most_wanted(
    pairs: Sequence[Pair], known: dict[tuple[str, str], float] | None = None
) -> list[Pair]:
    """Return all pairs: what is most worth knowing comes first.

    That is the workload on which each kernel was slowest against the best peer, the
    slowest kernel first; then files of real data; then the rest. ``known`` are ratios,
    or else those of the last times.
    """
    known = ratios() if known is None else known

    def ratio(pair: Pair) -> float:
        kernel, workload = pair
        return known.get((kernel.name, workload.name), math.inf)

    worst: dict[str, Pair] = {}
    for pair in sorted(pairs, key=ratio):
        if ratio(pair) < math.inf:
            worst.setdefault(pair[0].name, pair)
    first = [*worst.values()]
    left = [pair for pair in pairs if pair not in first]
    real = [pair for pair in left if pair[1].source is not None]
    return [*first, *real, *(pair for pair in left if pair not in real)]


class Budget:
    """The time that there is for measurements; without minutes, it never ends."""

    def __init__(self, minutes: float | None) -> None:
        self._end = math.inf if minutes is None else time.monotonic() + 60 * minutes

    def is_over(self) -> bool:
        return time.monotonic() >= self._end
