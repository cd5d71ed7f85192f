"""The driver: starts a process per peer, and measures kernels on workloads."""

import shutil
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from nacho_bench.files import Store
from nacho_bench.kernels import KERNELS, Kernel, dense_shapes, result_shape
from nacho_bench.measurement import Measurement
from nacho_bench.operands import stored
from nacho_bench.peers import BEFORE
from nacho_bench.process import DiedError, Process
from nacho_bench.progress import say
from nacho_bench.spread import summary
from nacho_bench.workloads import Workload

_MOST_PRODUCTS = 5e8
"""The most multiplications of a product that is measured. The slowest peers take 70 ns
for each."""
_MOST_ENTRIES = 1.25e8
"""The most entries that the result of a product may have. An entry takes 12 bytes in
CSR, and some peers need three times as much memory while they make it."""
_MOST_DENSE = 1 << 30
"""The most bytes of a dense operand or result of a kernel that is measured."""


class Options(NamedTuple):
    rounds: int
    """How many turns each peer gets; a call is timed at least once per turn."""
    repeats: int
    """How often all rounds are repeated if their times vary too much."""
    turn: float
    """Seconds of calls in one turn of a peer, before the next peer has its turn."""
    budget: float
    """Seconds of timed calls after which a peer gets no more turns on a workload."""
    modes: tuple[str, ...]
    against: Path | None = None
    """The checkout whose nacho is the peer "before"."""
    beside: int = 0
    """How many other programs keep processors busy while all is timed once more."""
    patience: float = 300.0
    on_gpu: bool = False
    """Set if the peers are those on a GPU, whose clock measures the times."""


class Driver:
    """Measures kernels on workloads, and appends a record of each to ``records``."""

    def __init__(
        self,
        peers: Sequence[str],
        threads: int,
        store: Store,
        options: Options,
        records: list[dict[str, Any]],
    ) -> None:
        self.threads = threads
        self.store = store
        self.options = options
        self.records = records
        self.missing: dict[str, str] = {}
        self.versions: dict[str, str] = {}
        self.refused: dict[str, str] = {}
        self.included: dict[str, str] = {}
        self._results = store.folder / f"results-{time.time_ns()}"
        self._results.mkdir(parents=True)
        self._workers: dict[str, Process] = {}
        for peer in peers:
            self._start(peer)

    def close(self) -> None:
        for worker in self._workers.values():
            worker.end()
        shutil.rmtree(self._results, ignore_errors=True)

    def _start(self, peer: str) -> None:
        log = self.store.folder / f"{peer}.log"
        package = None
        if peer == BEFORE and self.options.against is not None:
            package = self.options.against / "python"
        patience, on_gpu = self.options.patience, self.options.on_gpu
        worker = Process(peer, self.threads, patience, log, package, on_gpu)
        if "missing" in worker.hello:
            self.missing[peer] = worker.hello["missing"]
            worker.end()
            say(f"{peer} is left out: {self.missing[peer]}")
            return
        self.versions[peer] = worker.hello["version"]
        if worker.hello["included"]:
            self.included[peer] = worker.hello["included"]
        self._workers[peer] = worker

    def run(self, kernel: Kernel, workload: Workload) -> None:
        """Measure one kernel on one workload."""

        def path(name: str) -> str:
            return str(self.store.path(workload, name, kernel.size))

        reason = refusal(kernel, lambda name: stored(path(name)))
        if reason:
            self.refused[f"{kernel.name} / {workload.name}"] = reason
            say(f"{kernel.name} on {workload.name}: left out, {reason}")
            return
        files = {name: path(name) for name in kernel.sparse}
        what = {"kernel": kernel.name, "workload": workload.name}
        known = next(
            (r for r in self.records if what.items() <= r.items() and "digest" in r),
            None,
        )
        measured = Measurement(self, kernel, files, known).run()
        record = what | {"threads": self.threads} | measured
        self.records.append(record)
        where = "on the GPU" if self.options.on_gpu else _threads(self.threads)
        say(f"{kernel.name} on {workload.name}, {where}: {_line(record)}")

    # The methods below serve ``Measurement``.

    def ask(self, peer: str, do: str, **arguments: Any) -> dict[str, Any]:
        """Return a worker's answer; a worker that dies is started again."""
        try:
            return self._workers[peer].ask(do, **arguments)
        except DiedError as error:
            del self._workers[peer]
            self._start(peer)
            return {"error": str(error)}

    def having(self, kernel: Kernel) -> list[str]:
        found = self._workers.items()
        return [peer for peer, worker in found if kernel.name in worker.kernels]

    def result(self, peer: str) -> Path:
        return self._results / peer


def refusal(kernel: Kernel, entries: Callable[[str], Any]) -> str:
    """Return as text why a kernel is not run on a workload; empty if it is run.

    ``entries`` makes the operand of a name: its coordinates, values and shape. It is
    only called for operands on which the answer depends.
    """
    try:
        (rows, *_, columns), _, first = entries("A")
        reason = _misshapen(kernel, first)
        if not reason and kernel.size == "product":
            reason = _expensive(kernel, (rows, columns), entries("B"))
    except (OverflowError, ValueError) as error:
        return f"it cannot be made: {error}"
    return reason


def _expensive(kernel: Kernel, coords: tuple[Any, Any], second: Any) -> str:
    """Return why a product takes too long or is too large; empty if it does not.

    ``coords`` are those of A, ``second`` is the operand B.
    """
    (rows, _), _, shape = second
    products = np.bincount(rows, minlength=shape[0])[coords[1]]
    if products.sum() > _MOST_PRODUCTS:
        most = f"more than {_MOST_PRODUCTS:.1e}"
        return f"it takes {products.sum():.1e} multiplications, {most}"
    # No row of the result has more entries than columns.
    entries = np.minimum(np.bincount(coords[0], products), shape[1]).sum()
    if "M" not in kernel.formats and entries > _MOST_ENTRIES:
        most = f"more than {_MOST_ENTRIES:.2e}"
        return f"its result may have {entries:.2e} entries, {most}"
    return ""


def _misshapen(kernel: Kernel, first: tuple[int, ...]) -> str:
    """Return why a kernel cannot be run with A of this shape; empty if it can."""
    if len(first) != (3 if kernel.family == "tensor" else 2):
        return f"it is of rank {len(first)}"
    if np.prod(first, dtype=float) >= 2.0**63:
        return "it has too many elements to compare results"
    dense = [*dense_shapes(kernel, first).values()]
    if kernel.result == "dense":
        dense.append(result_shape(kernel, {"A": first}))
    if any(8 * np.prod(shape, dtype=float) > _MOST_DENSE for shape in dense):
        return "a dense operand or the result is larger than 1 GiB"
    return ""


def suited(kernel: Kernel, workload: Workload) -> bool:
    """Return whether a workload is of the kind that a kernel is measured on."""
    if workload.source is not None or kernel.family == "tensor":
        return workload.family == kernel.family
    hyper = kernel.size == "hyper"
    return workload.family == ("hyper" if hyper else "matrix")


def selected(names: Sequence[str] | None) -> list[Kernel]:
    """Return the kernels of these names; without names, all kernels."""
    return [KERNELS[name] for name in names or KERNELS]


def _threads(count: int) -> str:
    return f"{count} thread" if count == 1 else f"{count} threads"


def _line(record: dict[str, Any]) -> str:
    times = record["times"].get("steady") or record["times"].get("keep") or {}
    found = {peer: summary(each).median for peer, each in times.items()}
    order = sorted(found, key=lambda peer: found[peer])
    return ", ".join(f"{peer} {found[peer] * 1e3:.2f}" for peer in order) or "nothing"
