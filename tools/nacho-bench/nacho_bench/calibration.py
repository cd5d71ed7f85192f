"""How far parts of equal cost are from taking equal time, by the weight of a unit.

Every input is cut into parts by each model, and every part is run alone. The spread of
an input is the time of the slowest part over the mean time of all parts: how much
longer than necessary as many threads would need.
"""

import math
import statistics
from collections.abc import Iterable, Sequence
from typing import Any

import nacho
from nacho_bench import machine
from nacho_bench.files import Store
from nacho_bench.kernels import KERNELS, Kernel
from nacho_bench.operands import Operands
from nacho_bench.peers.nacho_peer import container
from nacho_bench.progress import say
from nacho_bench.table import markdown
from nacho_bench.workloads import Workload

PARTS, REPEATS = 16, 7
CALIBRATED = ("csr-add", "csr-mul", "dcsr-add", "coo-add", "spmv", "spmm", "spgemm")
"""The kernels that are measured if none is named."""
NAMED = ("nnz", "nnz+loops")
WEIGHTS = (2, 3, 4, 5, 6, 8, 10)
GOOD = 1.15

_MEANING = f"""\
Each input is cut into {PARTS} parts of equal cost. Each part is run alone, on one
thread, {REPEATS} times, of which the least counts. *spread* is the time of the slowest
part over the mean. A unit is what coming to a row costs, in entries: with the weight of
the least geometric mean over all inputs, parts of equal cost take most nearly equal
time."""


def models() -> dict[str, str]:
    """Return the cost models by name: those with names, and one for each weight."""
    weighed = {
        f"{weight} units": f"#nacho.cost_model<entries, steps, {weight} * units>"
        for weight in WEIGHTS
    }
    return dict.fromkeys(NAMED, "") | weighed


def spread(kernel: Kernel, given: Operands, cost: str) -> float:
    """Return the time of the slowest part over the mean, when cut by a model."""
    formats = {n: f for n, f in kernel.formats.items() if f != "scalar"}
    compiled = nacho.mlir.compile(kernel.expression, formats=formats, cost=cost)
    operands = [container(given, name) for name in compiled.operands]
    plan = compiled.plan(*operands, parts=PARTS, threads=1)
    times = plan.part_times(REPEATS)
    return float(times.max() / times.mean())


def measure(
    pairs: Iterable[tuple[Kernel, Workload]], store: Store
) -> list[dict[str, Any]]:
    """Return a record of spreads for each pair of a kernel and a workload."""
    records = []
    for kernel, workload in pairs:
        given = Operands.of(kernel, workload, store)
        spreads = {
            name: round(spread(kernel, given, cost or name), 3)
            for name, cost in models().items()
        }
        shown = ", ".join(f"{name} {found:.2f}" for name, found in spreads.items())
        say(f"{kernel.name} {workload.name}: {shown}")
        records.append(
            {"kernel": kernel.name, "workload": workload.name, "spreads": spreads}
        )
    return records


def data_of(records: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the raw data, which `document` describes."""
    return {"machine": machine.description(), "parts": records}


def mean(found: Sequence[float]) -> float:
    return math.exp(statistics.fmean(map(math.log, found)))


def document(data: dict[str, Any]) -> str:
    """Return the tables: by model over all inputs, and the means by kernel."""
    records = data["parts"]
    names = list(records[0]["spreads"])
    overall = []
    for name in names:
        found = [record["spreads"][name] for record in records]
        good = sum(each <= GOOD for each in found)
        overall.append(
            (
                name,
                f"{statistics.median(found):.2f}",
                f"{mean(found):.3f}",
                f"{max(found):.2f}",
                f"{good} of {len(found)}",
            )
        )
    head = ("model", "median", "geom. mean", "worst", f"at most {GOOD}")
    by_kernel = []
    for kernel in KERNELS:
        mine = [record["spreads"] for record in records if record["kernel"] == kernel]
        if mine:
            cells = (f"{mean([each[name] for each in mine]):.2f}" for name in names)
            by_kernel.append((kernel, str(len(mine)), *cells))
    kernels = markdown(("kernel", "inputs", *names), by_kernel)
    tables = f"{markdown(head, overall)}\n\n## Geometric means by kernel\n\n{kernels}"
    return f"# Spread of parts\n\n{_MEANING}\n\n{tables}\n"
