"""The model of a GPU's time beside the times that a GPU took: comparisons, and fits."""

import json
import math
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from nacho._kernels.counts import KernelCounts
from nacho._kernels.gpu_model import (
    FITTED,
    H200,
    Checked,
    Constants,
    seconds,
)
from nacho._kernels.ptxas import Assembled
from nacho_bench import machine
from nacho_bench.counted import Record, count
from nacho_bench.files import Store
from nacho_bench.kernels import KERNELS
from nacho_bench.progress import say
from nacho_bench.workloads import SYNTHETIC

RESULTS = Path(__file__).resolve().parents[1] / "results"
MEASURED = RESULTS / "2026-11-27-gpu-h200-launches.json"
"""The times of each kernel of a call, by a profiler."""
COUNTED = RESULTS / "gpu-model.json"
"""What the simulated GPU counted of these calls."""
SHORTEST = 1.5
"""Microseconds: what a kernel takes at least, to be compared."""
CLOSE = 1.5
_HELD_OUT = 3
"""One in so many kernels is held out: the constants were not fitted to it."""


class Compared(NamedTuple):
    """A kernel of a call, measured and counted; all launches of it, if several."""

    call: str
    name: str
    microseconds: float
    instructions: int
    """What a profiler counted; 0 if it did not count."""
    counts: KernelCounts
    made: Assembled | None

    def predicted(self, constants: Constants = FITTED) -> float:
        """Return microseconds."""
        return seconds(self.counts, self.made, H200, constants) * 1e6

    @property
    def ratio(self) -> float:
        return self.predicted() / self.microseconds

    @property
    def is_close(self) -> bool:
        return 1 / CLOSE <= self.ratio <= CLOSE

    @property
    def is_held_out(self) -> bool:
        """Return whether the constants were not fitted to it: by its name and call."""
        return sum(map(ord, self.call + self.name)) % _HELD_OUT == 0


def measured_calls() -> dict[str, list[dict[str, Any]]]:
    """Return the launches of each call, by `kernel / workload`."""
    calls = profile()["calls"]
    return {f"{c['kernel']} / {c['workload']}": c["launches"] for c in calls}


def profile() -> dict[str, Any]:
    """Return the raw data of the profiler."""
    found: dict[str, Any] = json.loads(MEASURED.read_text())
    return found


CALLS = (
    "csr-add / uniform",
    "csr-add / banded",
    "csr-add / power-2.0",
    "csr-mul / uniform",
    "coo-add / uniform",
    "coo-mul / uniform",
    "dcsr-add / hyper-even",
    "spmv / uniform",
    "spmv / power-2.0",
    "spmm / uniform",
    "spmm / power-2.0",
    "sddmm / uniform",
    "spgemm / banded",
)
"""Those that the simulated GPU counts in minutes."""


def selected(kernels: Sequence[str] | None) -> list[str]:
    """Return the calls of these kernels; of all, if none is named."""
    return [call for call in CALLS if not kernels or call.split(" / ")[0] in kernels]


def records_of(
    kernels: Sequence[str] | None, path: Path | None, store: Store | None
) -> list[dict[str, Any]]:
    """Return what is counted of the calls of some kernels, with a store of operands.

    Without one, return what is in a file.
    """
    if store is not None:
        return list(counted_calls(selected(kernels), store))
    found: list[dict[str, Any]] = json.loads((path or COUNTED).read_text())["records"]
    return found


def counted_calls(names: Iterable[str], store: Store) -> Iterator[dict[str, Any]]:
    """Count calls on the simulated GPU: raw data of each."""
    for name in names:
        kernel, workload = name.split(" / ")
        record = count(KERNELS[kernel], SYNTHETIC[workload], store, tile=None)
        say(f"{name}: {record.all.issued} warp instructions")
        yield raw(record)


def raw(record: Record) -> dict[str, Any]:
    """Return what was counted in one call, for a file."""
    kernels = {
        name: {
            "counts": counts._asdict(),
            "made": record.made[name]._asdict() if name in record.made else None,
        }
        for name, counts in record.counts.items()
    }
    call = f"{record.kernel} / {record.workload}"
    return {"call": call, "commit": machine.commit()[:12], "kernels": kernels}


def compared(records: Iterable[dict[str, Any]]) -> list[Compared]:
    """Return the kernels of counted calls that were measured, and are long enough."""
    calls = measured_calls()
    return [
        each
        for record in records
        for each in _matched(record, calls[record["call"]])
        if each.microseconds >= SHORTEST * each.counts.launches
    ]


def _matched(
    record: dict[str, Any], launches: list[dict[str, Any]]
) -> Iterator[Compared]:
    """Find the counted kernel of each that was measured."""
    left = dict(record["kernels"])
    for name, threads in dict.fromkeys((x["name"], x["threads"]) for x in launches):
        same = [x for x in launches if (x["name"], x["threads"]) == (name, threads)]
        chosen = _fitting(left, name, same)
        if chosen is None:
            continue
        kernel = left.pop(chosen)
        yield Compared(
            record["call"],
            chosen.replace("kernel_", "", 1).replace("_kernel", ""),
            sum(x["us"] for x in same),
            sum(x["counted"]["instructions"] for x in same if "counted" in x),
            KernelCounts(**kernel["counts"]),
            made_of(kernel),
        )


def _fitting(
    kernels: dict[str, Any], name: str, launches: list[dict[str, Any]]
) -> str | None:
    """Return which kernel launches of a name are of: by name, blocks and threads.

    What scans is named after that now, and was one of the numbered kernels of a plan.
    """
    wanted = _stem(name)
    if wanted.endswith("plan") and name[-1].isdigit():
        wanted = wanted.removesuffix("plan") + "scan"
    threads = sum(x["threads"] for x in launches)
    shape = (len(launches), sum(x["blocks"] for x in launches), threads)
    for key, kernel in kernels.items():
        counts = kernel["counts"]
        found = tuple(counts[n] for n in ("launches", "blocks", "threads"))
        if found == shape and _stem(key) == wanted:
            return key
    return None


def made_of(kernel: dict[str, Any]) -> Assembled | None:
    """Return what ptxas made of a kernel of the raw data, if it was there."""
    return None if kernel["made"] is None else Assembled(**kernel["made"])


def _stem(name: str) -> str:
    return name.replace("_kernel", "").rstrip("0123456789_")


def checked(rows: list[Compared]) -> Checked:
    """Return how far the model is off."""
    off = sorted(1 / row.ratio for row in rows)
    tenth = len(off) // 10
    close = sum(row.is_close for row in rows)
    return Checked(len(rows), close, round(off[tenth], 2), round(off[-1 - tenth], 2))


def loss(rows: Iterable[Compared], constants: Constants) -> float:
    """Return how far predictions are off: the mean of logarithms, each at most 1."""
    off = [
        min(abs(math.log(row.predicted(constants) / row.microseconds)), 1.0)
        for row in rows
    ]
    return sum(off) / len(off)


def fitted(rows: list[Compared], start: Constants = FITTED) -> Constants:
    """Return constants for the kernels that are not held out.

    Each constant in turn is made smaller or larger while that helps.
    """
    used = [row for row in rows if not row.is_held_out]
    best, found = loss(used, start), start
    for step in (1.3, 1.1, 1.03):
        while True:
            tried = [
                found._replace(**{name: value * factor})
                for name, value in found._asdict().items()
                for factor in (step, 1 / step)
            ]
            least = min(tried, key=lambda each: loss(used, each))
            if loss(used, least) >= best - 1e-9:
                break
            best, found = loss(used, least), least
    return found
