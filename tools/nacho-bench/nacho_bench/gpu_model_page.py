"""The page on the model of a GPU's time: predicted and measured times, in tables."""

import json
import statistics
from collections.abc import Iterable
from typing import Any

from nacho._kernels.counts import KernelCounts
from nacho._kernels.gpu_model import (
    FITTED,
    H100,
    H200,
    Gpu,
    parts,
    resident_warps,
    seconds,
)
from nacho_bench.gpu_model import (
    CLOSE,
    RESULTS,
    SHORTEST,
    Compared,
    checked,
    compared,
    made_of,
    profile,
)
from nacho_bench.table import markdown

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
counted on the simulated GPU, with the same operands, at commit {{counted}}, which has
almost the same kernels; and its time is predicted from that. The model is in
`python/nacho/_kernels/gpu_model.py`; it has six constants for all kernels, and nothing
for any one of them:

{{constants}}

The bandwidth of memory is that at which the GPU copied, and resident warps follow from
the registers that ptxas gives a kernel. *warps* are those that a processor has at a
time. *instructions* are what warps executed, in millions, where a profiler has counted
that, and *counted* what the simulated GPU counts for it: an estimate, from operations
and the widths of their types. *ratio* is the predicted time over the measured one; it
is bold if it is not between 1 / {CLOSE} and {CLOSE}. *most of it* is the part of the
model that takes the longest: issuing instructions with the warps that are there, the
longest warp, lines of memory, or the bandwidth. *fitted* says to which kernels the
constants, which are round numbers, were fitted; the others were looked at when the
form of the model was chosen.

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
    commit = profile()["machine"]["commit"][:12]
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
        counted=", ".join(sorted({record["commit"] for record in records})),
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
    calls = {f"{c['kernel']} / {c['workload']}": c for c in profile()["calls"]}
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
        seconds(KernelCounts(**kernel["counts"]), made_of(kernel), gpu)
        for kernel in record["kernels"].values()
    ]
    return sum(each) * 1e6


def _call_time(file: str, call: str) -> float | None:
    """Return the median microseconds of a call in a file of raw data, if it has any."""
    for record in json.loads((RESULTS / file).read_text())["records"]:
        if f"{record['kernel']} / {record['workload']}" == call:
            return statistics.median(record["times"]["steady"]["nacho"]) * 1e6
    return None
