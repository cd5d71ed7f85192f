"""How equal the shares of a cluster's workers are: plans, whose parts are counted."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from nacho._kernels.block_operands import plain_view
from nacho._kernels.options import Options
from nacho._notation.parser import parse
from nacho._pieces.cutting import cut
from nacho._pieces.evaluation import Evaluation
from nacho_bench import machine
from nacho_bench.files import Store
from nacho_bench.kernels import Kernel
from nacho_bench.operands import Operands
from nacho_bench.peers.nacho_peer import container
from nacho_bench.progress import say
from nacho_bench.simulated_cluster import SimulatedCluster
from nacho_bench.table import markdown
from nacho_bench.workloads import Workload

BALANCED = (
    "csr-add",
    "csr-mul",
    "csf-add",
    "csf-inner",
    "spmv",
    "spgemm",
    "spgemm-masked",
)
"""The kernels that are planned if none is named."""
WORKERS = (4, 64, 1024)
PIECES = 4

_MEANING = f"""\
Made by `tools/dev bench --cluster-balance`. Operands in {PIECES} pieces are cut into a
part for each worker by the search that clusters run; nothing is measured. *largest* is
the cost of the largest part over the mean, in the worst case, and in the geometric mean
of all. Where the cost of a coordinate is bounded, the largest and the smallest part
differ by at most twice that bound, which the paper calls Delta: *over 2 Delta* counts
the cases in which they do not, of those that have a bound. Rows of sparse products are
collected as a whole, and have none: those that are too heavy are cut into pieces, down
to one element of the result, unless so little is left for each worker that it is not
worth that."""


class Shares(NamedTuple):
    """The shares of workers, in the parts of the last step."""

    kernel: str
    workload: str
    workers: int
    largest: float
    """The cost of the largest part over the mean."""
    spread: int
    """The cost of the largest part less that of the smallest."""
    delta: int
    """The bound of what a coordinate costs; -1 if there is none."""


def shares_of(kernel: Kernel, given: Operands, workers: int) -> tuple[float, int, int]:
    """Return the largest share, the spread, and the bound of a plan."""
    operands: dict[str, Any] = {}
    views: dict[str, Any] = {}
    statement = parse(kernel.expression)
    for name, rank in statement.ranks.items():
        whole = container(given, name)
        view = plain_view(name, whole, rank)
        if view.format.is_dense:
            operands[name], views[name] = whole, view
            continue
        known, windows = cut(view, PIECES)
        made = replace(known, handles=tuple(windows))
        operands[name], views[name] = made, made.skeleton()
    choices = {"merge-keys": False}
    options = Options(parts=workers, choices=choices, semiring=kernel.semiring)
    engine = SimulatedCluster(PIECES)
    evaluation = Evaluation(statement, options, operands, views, engine)
    costs = np.asarray(evaluation.partition(workers).nests[-1].costs)
    delta = evaluation.program.steps[-1].delta
    spread = int(costs.max() - costs.min())
    return float(costs.max() * workers / max(costs.sum(), 1)), spread, delta


def measure(
    pairs: Iterable[tuple[Kernel, Workload]], store: Store, sizes: Sequence[int]
) -> list[Shares]:
    """Return the shares of plans for each pair, and each number of workers."""
    found = []
    for kernel, workload in pairs:
        given = Operands.of(kernel, workload, store)
        for workers in sizes:
            shares = shares_of(kernel, given, workers)
            found.append(Shares(kernel.name, workload.name, workers, *shares))
        largest = ", ".join(f"{each.largest:.3f}" for each in found[-len(sizes) :])
        say(f"{kernel.name} {workload.name}: {largest}")
    return found


def document(found: Sequence[Shares]) -> str:
    """Return the table, by kernel and number of workers."""
    rows = []
    for kernel, workers in dict.fromkeys((each.kernel, each.workers) for each in found):
        mine = [x for x in found if (x.kernel, x.workers) == (kernel, workers)]
        worst = max(mine, key=lambda each: each.largest)
        mean = np.exp(np.mean(np.log([each.largest for each in mine])))
        bounded = [each for each in mine if each.delta >= 0]
        over = sum(each.spread > 2 * each.delta for each in bounded)
        rows.append(
            (
                kernel,
                str(workers),
                str(len(mine)),
                f"{mean:.3f}",
                f"{worst.largest:.3f} ({worst.workload})",
                f"{over} of {len(bounded)}" if bounded else "",
            )
        )
    head = ("kernel", "workers", "inputs", "largest", "worst", "over 2 Delta")
    return f"# Balance of clusters\n\n{_MEANING}\n\n{markdown(head, rows)}\n"


def data_of(found: Sequence[Shares]) -> dict[str, Any]:
    """Return the raw data."""
    records = [each._asdict() for each in found]
    return {"machine": machine.description(), "shares": records}
