"""The model of a GPU's time, beside the times that a GPU took."""

import json
import math
import statistics
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from nacho._kernels.counts import KernelCounts
from nacho._kernels.gpu_model import (
    FITTED,
    H100,
    H200,
    Checked,
    Constants,
    Gpu,
    parts,
    resident_warps,
    seconds,
)
from nacho._kernels.ptxas import Assembled
from nacho_bench.counted import Record, count
from nacho_bench.files import Store
from nacho_bench.kernels import KERNELS
from nacho_bench.progress import say
from nacho_bench.table import markdown
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
    calls = _launches()["calls"]
    return {f"{c['kernel']} / {c['workload']}": c["launches"] for c in calls}


def _launches() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(MEASURED.read_text())
    return found


CALLS = (
    "csr-add / uniform",
    "csr-add / banded",
    "csr-mul / uniform",
    "coo-add / uniform",
    "coo-mul / uniform",
    "spmv / uniform",
    "spmv / power-2.0",
    "spmm / uniform",
    "sddmm / uniform",
    "spgemm / banded",
)
"""Those that the simulated GPU counts in minutes."""


def selected(kernels: Sequence[str] | None) -> list[str]:
    """Return the calls of these kernels; of all, if none is named."""
    return [call for call in CALLS if not kernels or call.split(" / ")[0] in kernels]


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
    return {"call": f"{record.kernel} / {record.workload}", "kernels": kernels}


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
            _made(kernel),
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


def _made(kernel: dict[str, Any]) -> Assembled | None:
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


HEAD = (
    "call",
    "kernel",
    "warps",
    "instructions",
    "counted",
    "measured, us",
    "predicted, us",
    "ratio",
    "most of it",
    "fitted",
)


def _row(row: Compared) -> tuple[str, ...]:
    return (
        row.call,
        row.name,
        f"{resident_warps(row.counts, row.made):.0f}",
        f"{row.instructions / 1e6:.2f}" if row.instructions else "",
        f"{row.counts.issued / 1e6:.2f}",
        f"{row.microseconds:.1f}",
        f"{row.predicted():.1f}",
        f"{row.ratio:.2f}" if row.is_close else f"**{row.ratio:.2f}**",
        parts(row.counts, row.made, H200).most,
        "held out" if row.is_held_out else "yes",
    )


_MEANING = f"""\
Made by `tools/dev bench --gpu-model`. Each kernel of {{calls}} calls that an NVIDIA
H200 has executed ([measured](gpu.md) by a profiler, at commit {{commit}}) is
counted on the simulated GPU, with the same operands, and its time is predicted from
that. The model is in `python/nacho/_kernels/gpu_model.py`; it has six constants for
all kernels, and nothing for any one of them:

{{constants}}

The bandwidth of memory is that at which the GPU copied, and resident warps follow from
the registers that ptxas gives a kernel. *warps* are those that a processor has at a
time. *instructions* are what warps executed, in millions, where a profiler has counted
that, and *counted* what the simulated GPU counts for it: an estimate, from operations
and the widths of their types. *ratio* is the predicted time over the measured one; it
is bold if it is not between 1 / {CLOSE} and {CLOSE}. *most of it* is the part of the
model that takes the longest: issuing instructions with the warps that are there, the
longest warp, lines of memory, or the bandwidth. *fitted* says to which kernels the
constants were fitted.

Launches of one name are added up. Left out are kernels of less than {SHORTEST} us,
which take what a launch takes, and those that have other numbers of blocks now, or on
the simulated GPU, which gives less memory to the workspaces of products.

**{{close}} of {{kernels}} predictions are within a factor of {CLOSE}: {{share:.0%}}.**
Of the {{held}} kernels to which the constants were not fitted, {{held_close}} are. In
eight of ten, the measured time is {{low}} to {{high}} times the predicted one. The
simulated GPU counts {{least}} to {{most}} times the instructions of a profiler in eight
of ten of the {{profiled}} kernels of which there are both."""

_UNITS = {
    "issue": "cycles from an instruction of a warp to its next one",
    "far": "cycles until a load of global memory arrives",
    "near": "cycles until a load arrives that is near: from shared memory, or from "
    "sectors that the block has loaded recently",
    "line": "cycles in which a processor gets one line of global memory",
    "peak": "instructions that a scheduler issues in a cycle at most",
    "start": "seconds of a launch without instructions",
}


def document(records: list[dict[str, Any]]) -> str:
    """Return the page: what the model predicts, beside what was measured."""
    rows = compared(records)
    found = checked(rows)
    held = [row for row in rows if row.is_held_out]
    commit = _launches()["machine"]["commit"][:12]
    constants = markdown(
        ("constant", "value", "what it is"),
        [
            (name, f"{value:.3g}", _UNITS[name])
            for name, value in FITTED._asdict().items()
        ],
    )
    meaning = _MEANING.format(
        calls=len(records),
        commit=commit,
        constants=constants.rstrip(),
        kernels=found.kernels,
        close=found.close,
        share=found.close / found.kernels,
        held=len(held),
        held_close=sum(row.is_close for row in held),
        low=found.low,
        high=found.high,
        **_instructions(rows),
    )
    table = markdown(HEAD, map(_row, rows))
    return f"# A model of a GPU's time\n\n{meaning}\n\n{table}\n\n{_calls(records)}"


def _instructions(rows: Iterable[Compared]) -> dict[str, str]:
    """Return how many instructions are counted, over those that were executed."""
    shares = sorted(
        row.counts.issued / row.instructions for row in rows if row.instructions
    )
    tenth = len(shares) // 10
    return {
        "profiled": str(len(shares)),
        "least": f"{shares[tenth]:.2f}",
        "most": f"{shares[-1 - tenth]:.2f}",
    }


_HOST = """\
## Whole calls

The host took its own time for each launch, copy and fill of memory, and waited for
copies: {each:.0f} us for each of them, in the mean of the calls above, at the commits
that were measured. It takes less since. With that, the model predicts these times of
calls, in microseconds, which were measured [on an H100 and on an H200](gpu.md),
without a profiler. Products of matrices take less, since a GPU has memory for the
workspaces of more blocks than the simulated one. **{close} of {number} are within a
factor of {most}.**
"""

_FILES = {
    "H200": (H200, "2026-11-27-gpu-h200.json"),
    "H200, a day before": (H200, "2026-11-26-gpu.json"),
    "H100": (H100, "2026-11-26-gpu-h100.json"),
}


def _calls(records: list[dict[str, Any]]) -> str:
    """Return a table of whole calls: their kernels, and the host."""
    calls = {f"{c['kernel']} / {c['workload']}": c for c in _launches()["calls"]}
    own = [calls[record["call"]] for record in records]
    host = statistics.mean(
        (statistics.median(c["wall_us"]) - sum(x["us"] for x in c["launches"]))
        / _operations(c)
        for c in own
    )
    rows, close = [], []
    for record, call in zip(records, own, strict=True):
        cells = [record["call"], str(_operations(call))]
        for gpu, file in _FILES.values():
            found = _call_time(file, record["call"])
            predicted = _kernels(record, gpu) + host * _operations(call)
            ratio = predicted / found if found else 1.0
            cells.append(f"{predicted:.0f} / {found:.0f}" if found else "")
            close += [1 / CLOSE <= ratio <= CLOSE] if found else []
        rows.append(cells)
    names = [f"{name}: predicted / measured" for name in _FILES]
    head = ("call", "launches and copies", *names)
    said = _HOST.format(each=host, close=sum(close), number=len(close), most=CLOSE)
    return f"{said}\n{markdown(head, rows)}\n"


def _operations(call: dict[str, Any]) -> int:
    """Return how many launches, copies and fills the driver was asked for."""
    return len(call["launches"]) + sum(call["copies"].values())


def _kernels(record: dict[str, Any], gpu: Gpu) -> float:
    """Return the microseconds that all kernels of a call take."""
    each = [
        seconds(KernelCounts(**kernel["counts"]), _made(kernel), gpu)
        for kernel in record["kernels"].values()
    ]
    return sum(each) * 1e6


def _call_time(file: str, call: str) -> float | None:
    """Return the median microseconds of a call in a file of raw data, if it has any."""
    for record in json.loads((RESULTS / file).read_text())["records"]:
        if f"{record['kernel']} / {record['workload']}" == call:
            return statistics.median(record["times"]["steady"]["nacho"]) * 1e6
    return None
