"""A model of clusters: what real plans move, and how long that would take."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np
import scipy.sparse as sp

import nacho
from nacho._kernels.options import Options
from nacho._notation.parser import parse
from nacho._pictures.svg import drawing, element, label, points
from nacho._pieces import named_rows
from nacho._pieces.cutting import cut
from nacho._pieces.evaluation import Evaluation
from nacho._storage.containers import view_of
from nacho_bench import patterns
from nacho_bench.progress import say
from nacho_bench.simulated_cluster import Counts, SimulatedCluster
from nacho_bench.table import markdown

ENTRIES = 1e10
"""The entries for which times are predicted."""


class Network(NamedTuple):
    name: str
    bandwidth: float
    """Bytes that a worker receives in a second."""
    latency: float
    """Seconds for each round, and for each task that the client sends."""


FAST = Network("100 Gb/s", 12.5e9, 5e-6)


class Statement(NamedTuple):
    """A statement, and operands that are made for it."""

    name: str
    text: str
    make: Callable[[int], Mapping[str, Any]]


@dataclass(frozen=True)
class Record:
    """What a plan for some workers has taken, beside one thread."""

    name: str
    workers: int
    entries: int
    seconds: float
    """How long one thread of one machine computes."""
    largest: float
    """The cost of the most expensive part over the mean of all workers."""
    counts: Counts
    needed: int
    """The bytes of all operands in pieces."""

    @property
    def scale(self) -> float:
        return ENTRIES / self.entries

    def predicted(self, network: Network) -> float:
        """Return the seconds that the statement takes with so many entries."""
        busiest = self.counts.busiest
        computed = self.seconds * self.scale * self.largest / self.workers
        moved = busiest * self.scale / network.bandwidth
        sent = (self.counts.rounds + self.counts.tasks.total()) * network.latency
        return computed + moved + sent

    def efficiency(self, network: Network) -> float:
        alone = self.seconds * self.scale
        return alone / (self.workers * self.predicted(network))

    def raw(self) -> dict[str, Any]:
        """Return what was counted, as raw data."""
        names = ("name", "workers", "entries", "seconds", "largest", "needed")
        counts = ("rounds", "tasks", "busiest", "moved", "bound")
        own = {name: getattr(self, name) for name in names}
        return own | {name: getattr(self.counts, name) for name in counts}

    def row(self, networks: Sequence[Network]) -> list[str]:
        counts = self.counts
        cells = [self.name, f"{self.workers:,}", f"{self.entries:,}"]
        cells += [str(counts.rounds), f"{counts.tasks.total() / self.workers:.1f}"]
        cells += [f"{self.largest:.2f}"]
        cells += [f"{n / self.needed:.1%}" for n in (counts.moved, counts.bound)]
        for network in networks:
            seconds, share = self.predicted(network), self.efficiency(network)
            cells.append(f"{seconds:.3g} s, {share:.0%}")
        return cells


def _matrix(coordinates: tuple[np.ndarray, ...], n: int) -> sp.csr_array:
    values = np.ones(coordinates[0].size)
    return sp.csr_array(sp.coo_array((values, coordinates), shape=(n, n)))


def _rmat(seed: int, entries: int) -> sp.csr_array:
    scale = max(int(np.log2(entries / 8)), 2)
    made = patterns.rmat(np.random.default_rng(seed), scale, entries)
    return _matrix(made, 1 << scale)


def _power(seed: int, entries: int) -> sp.csr_array:
    n = max(entries // 8, 8)
    made = patterns.power_law(np.random.default_rng(seed), n, n, entries, 2.0)
    return _matrix(made, n)


def _tensor(seed: int, entries: int) -> Any:
    shape = (max(entries // 16, 8),) * 3
    made = patterns.zipf(np.random.default_rng(seed), shape, entries, 1.1)
    values = np.ones(made[0].size)
    return nacho.Tensor.from_coo(np.array(made), values, shape=shape, format="csf")


def _two(make: Callable[[int, int], Any], entries: int) -> dict[str, Any]:
    return {"A": make(1, entries // 2), "B": make(2, entries // 2)}


def _with_vector(entries: int) -> dict[str, Any]:
    A = _rmat(1, entries)
    return {"A": A, "x": np.ones(A.shape[1])}


_ADD = "Z[i,j] = A[i,j] + B[i,j]"
_PRODUCT = "Z[i,k] = A[i,j] * B[j,k]"
STATEMENTS = (
    Statement("add, R-MAT", _ADD, partial(_two, _rmat)),
    Statement("add, power law", _ADD, partial(_two, _power)),
    Statement("SpMV, R-MAT", "y[i] = A[i,j] * x[j]", _with_vector),
    Statement(
        "add, tensor",
        "Z[i,j,k] = A[i,j,k] + B[i,j,k]",
        partial(_two, _tensor),
    ),
    Statement("SpGEMM, R-MAT", _PRODUCT, partial(_two, _rmat)),
    Statement("SpGEMM, power law", _PRODUCT, partial(_two, _power)),
)


def counted(
    statement: Statement, operands: Mapping[str, Any], workers: int, seconds: float
) -> Record:
    """Compute a statement on a simulated cluster; every part is really computed."""
    engine = SimulatedCluster(workers)
    given, entries, needed = dict(operands), 0, 0
    for name, operand in operands.items():
        known, windows = cut(view_of(name, operand, operand.ndim), workers)
        handles = [engine.put(w, at=n / workers) for n, w in enumerate(windows)]
        given[name] = replace(known, handles=tuple(handles))
        entries += 0 if isinstance(operand, np.ndarray) else known.nnz
        needed += sum(window.nbytes for window in windows)
    views = {name: each.skeleton() for name, each in given.items()}
    options = Options(parts=workers)
    evaluation = Evaluation(parse(statement.text), options, given, views, engine)
    # A task is worth fewer bytes where operands stand for larger ones.
    with patch.object(named_rows, "TASK", named_rows.TASK * entries / ENTRIES):
        step = evaluation.last_step
        step.run()
    costs = np.diff(step.plan.rows[:, 0])
    largest = float(costs.max() * workers / costs.sum())
    made = (statement.name, workers, entries, seconds, largest)
    return Record(*made, engine.counts, needed)


def alone(statement: Statement, operands: Mapping[str, Any]) -> float:
    """Return the least seconds that one thread takes, of several calls."""
    found = []
    for _ in range(12):
        begin = time.perf_counter()
        nacho.evaluate(statement.text, threads=1, **operands)
        found.append(time.perf_counter() - begin)
    return min(found)


def records(
    entries: int, workers: Sequence[int], statements: Sequence[Statement] = STATEMENTS
) -> list[Record]:
    """Count what all statements take, for several numbers of workers."""
    found = []
    for statement in statements:
        operands = statement.make(entries)
        seconds = alone(statement, operands)
        for count in workers:
            begin = time.perf_counter()
            found.append(counted(statement, operands, count, seconds))
            took = time.perf_counter() - begin
            say(f"{statement.name}, {count} workers: {took:.1f} s")
    return found


_MEANING = f"""\
Made by `tools/dev bench --cluster-model`. **This is a model: no such cluster was there,
and no time on one was measured.** Each statement was computed in as many parts as the
row has workers, on one machine, by the code that runs on clusters. An engine counted
what tasks return, where they run, and what has to move to them: pieces lie on workers
as `from_tensor` lays them, parts run at the same places of the line of workers, and
other tasks where most bytes of their arguments are.

*rounds* is how often the client waits for answers; *tasks* are those of each worker;
*largest* is the cost of the most expensive part over the mean of all workers. What is
counted is the whole statement: the search for cuts, lists of coordinates, and parts.
*moved* are the bytes that came from other workers, over those of all operands in
pieces, and *bound* are those that move at least for these parts, if parts at the same
place run where most of their bytes are. What goes to every worker as a whole, such as
where the rows of a product's second factor begin, is not in *bound*.

The last columns have the time predicted for {ENTRIES:.0e} entries, and its efficiency:
the time of one thread, over that of all workers together. It is the sum of

- the time of one thread here, scaled to so many entries, over the workers, times
  *largest*;
- the bytes of the worker that receives most, scaled in the same way, over the
  bandwidth;
- the latency, times rounds and tasks: one client sends all tasks, one after another.

Nothing overlaps in it, and it scales bytes in proportion to entries, but rounds, tasks
and *largest* not at all. Whether larger operands move the same share of theirs was not
counted. Parts of a product that name more rows ask more pieces for them, up to all, so
that larger products have more tasks."""

_HEAD = ("statement", "workers", "entries", "rounds", "tasks", "largest")
_COLORS = ("#4878a8", "#b35806", "#c1121f", "#3a7d44", "#7b5ea7", "#6b6b6b")
_WIDTH, _HEIGHT, _LEFT, _BOTTOM = 640.0, 300.0, 60.0, 40.0


def data_of(found: Sequence[Record], networks: Sequence[Network]) -> dict[str, Any]:
    """Return the raw data."""
    return {
        "networks": [network._asdict() for network in networks],
        "records": [record.raw() for record in found],
    }


def document(
    found: Sequence[Record], networks: Sequence[Network], plot: Path | None
) -> str:
    """Return the table of all records, and what it means.

    The picture is drawn in the folder ``plot``, if there is one.
    """
    head = [*_HEAD, "moved", "bound", *(network.name for network in networks)]
    rows = [record.row(networks) for record in found]
    each = [
        f"- {n.name}: {n.bandwidth / 1e9:.3g} GB/s, {n.latency * 1e6:.3g} us"
        for n in networks
    ]
    parts = ["# A model of clusters", _MEANING, "\n".join(each)]
    if plot is not None:
        plot.mkdir(parents=True, exist_ok=True)
        path = plot / "cluster-model.svg"
        path.write_text(picture(found, FAST))
        link = f"{plot.name}/{path.name}"
        parts.append(f"![Efficiency by the number of workers]({link})")
    return "\n\n".join([*parts, markdown(head, rows)]) + "\n"


def picture(found: Sequence[Record], network: Network) -> str:
    """Draw the efficiency by the number of workers, a line for each statement."""
    most = np.log10(max(record.workers for record in found))
    least = np.log10(min(record.workers for record in found))
    right, bottom = _WIDTH - 150, _HEIGHT - _BOTTOM

    def x(workers: int) -> float:
        share = (np.log10(workers) - least) / max(most - least, 1.0)
        return float(_LEFT + (right - _LEFT) * share)

    def y(share: float) -> float:
        return bottom - (bottom - 10) * min(share, 1.0)

    content = []
    for share in (0.0, 0.5, 1.0):
        line = {"x1": _LEFT, "x2": right, "y1": y(share), "y2": y(share)}
        content.append(element("line", **line, stroke="#d9d9d9"))
        content.append(label(f"{share:.0%}", _LEFT - 6, y(share) + 4, "end"))
    content += [
        label(f"{workers:,}", x(workers), bottom + 16, "middle")
        for workers in sorted({record.workers for record in found})
    ]
    content.append(label("workers", (_LEFT + right) / 2, bottom + 32, "middle"))
    names = list(dict.fromkeys(record.name for record in found))
    for n, name in enumerate(names):
        color = _COLORS[n % len(_COLORS)]
        those = [record for record in found if record.name == name]
        places = [(x(r.workers), y(r.efficiency(network))) for r in those]
        line = {"points": points(places), "stroke": color, "stroke_width": 2.0}
        content.append(element("polyline", **line, fill="none"))
        at = 20.0 + 18 * n
        mark = {"x": right + 12, "y": at - 9, "width": 10.0, "height": 10.0}
        content.append(element("rect", **mark, fill=color))
        content.append(label(name, right + 28, at))
    title = f"Efficiency predicted with {network.name}"
    drawn = drawing("lines", _WIDTH, _HEIGHT, *content, name=title)
    return drawn.replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"', 1) + "\n"
