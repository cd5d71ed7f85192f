"""Times on a local Dask cluster, beside row chunks of SciPy's in ``dask.array``."""

import operator
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import pairwise
from statistics import median
from typing import Any, NamedTuple

import dask
import dask.array as da
import distributed
import numpy as np
import scipy.sparse as sp

import nacho.dask
from nacho_bench import patterns
from nacho_bench.cluster_model import Network
from nacho_bench.progress import say
from nacho_bench.table import markdown

WORKERS = 2
_COLUMNS = 16

MEANING = f"""\
Made by `tools/dev bench --cluster`, on a `distributed.LocalCluster` with
{WORKERS} worker processes of a thread each. *dask.array* has chunks of equally many
rows, each a matrix of SciPy's, one for each worker, and `map_blocks`; a second factor
goes to every worker as a whole, and is one piece on one worker before. Calls take
turns; times are medians.
*balance* is the largest over the mean time for which workers computed tasks, and
*moved* are the bytes that went from worker to worker in a call. Operands are on the
workers before, and so are results after."""

HEAD = ("case", "entries", "", "ms", "balance", "moved, MB")


class Call(NamedTuple):
    """What a call took."""

    seconds: float
    balance: float
    moved: int


class Case(NamedTuple):
    """A computation, by Nacho and by ``dask.array``: each returns when it is done."""

    name: str
    entries: int
    ways: Mapping[str, Callable[[], Any]]


@contextmanager
def started() -> Iterator[distributed.Client]:
    """Start a cluster on this machine."""
    with (
        distributed.LocalCluster(
            n_workers=WORKERS,
            threads_per_worker=1,
            processes=True,
            dashboard_address=":0",
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def constants(client: distributed.Client) -> Network:
    """Measure how fast workers receive, and how long the client takes for a task."""
    first, second = sorted(client.nthreads())
    size, tasks = 1 << 26, 200
    sending, latency = [], []
    for number in range(3):
        made = client.submit(np.ones, size >> 3, pure=False, workers=[first])
        distributed.wait(made)
        begin = time.perf_counter()
        client.submit(np.size, made, pure=False, workers=[second]).result()
        sending.append(time.perf_counter() - begin)
        begin = time.perf_counter()
        client.gather(client.map(abs, range(tasks), pure=False))
        latency.append((time.perf_counter() - begin) / tasks)
        say(f"constants, round {number + 1}")
    return Network("this machine", size / median(sending), median(latency))


def measure(client: distributed.Client, run: Callable[[], Any]) -> Call:
    """Call a function, and return what the workers did meanwhile."""
    client.run(_forget)
    with distributed.get_task_stream(client) as stream:
        begin = time.perf_counter()
        run()
        seconds = time.perf_counter() - begin
    moved = sum(client.run(_received).values())
    busy: Counter[str] = Counter(dict.fromkeys(client.nthreads(), 0))
    for task in stream.data:
        for span in task["startstops"]:
            if span["action"] == "compute":
                busy[task["worker"]] += span["stop"] - span["start"]
    times = [*busy.values()]
    mean = sum(times) / len(times)
    return Call(seconds, max(times) / mean if mean else 1.0, moved)


def _received(dask_worker: distributed.Worker) -> int:
    """Return the bytes that have come to a worker from others, by its log."""
    return sum(int(each["total"]) for each in dask_worker.transfer_incoming_log)


def _forget(dask_worker: distributed.Worker) -> None:
    """Empty the log of what has come to a worker."""
    dask_worker.transfer_incoming_log.clear()


def _power(seed: int, n: int, entries: int) -> sp.csr_array:
    made = patterns.power_law(np.random.default_rng(seed), n, n, entries, 2.0)
    return sp.csr_array(sp.coo_array((np.ones(made[0].size), made), shape=(n, n)))


def _chunks(matrix: sp.csr_array) -> Any:
    """Return a Dask array with a chunk of rows for each worker."""
    ends = [n * matrix.shape[0] // WORKERS for n in range(WORKERS + 1)]
    blocks = [
        da.from_delayed(
            dask.delayed(matrix[low:high]),
            (high - low, matrix.shape[1]),
            matrix.dtype,
            meta=sp.csr_array((0, 0)),
        )
        for low, high in pairwise(ends)
    ]
    return da.concatenate(blocks).persist()


def _times(block: Any, factor: Any) -> Any:
    return block @ factor


def _product(rows: Any, factor: Any, columns: int, meta: Any) -> Any:
    chunks = (rows.chunks[0], (columns,))
    made = rows.map_blocks(_times, factor=factor, chunks=chunks, dtype=float, meta=meta)
    return distributed.wait(made.persist())


def cases(n: int) -> list[Case]:
    """Return all cases, whose operands are on the workers of the current client."""
    A, B = _power(1, n, 8 * n), _power(2, n, 8 * n)
    small, other = (_power(seed, n // 8, n // 2) for seed in (3, 4))
    D = np.random.default_rng(5).random((n, _COLUMNS))
    ours = {
        name: nacho.dask.from_tensor(each, pieces).persist()
        for name, each, pieces in (
            ("A", A, WORKERS),
            ("B", B, WORKERS),
            ("D", D, 1),
            ("small", small, WORKERS),
            ("other", other, 1),
        )
    }
    theirs = {"A": _chunks(A), "B": _chunks(B), "small": _chunks(small)}
    whole = {"D": dask.delayed(D).persist(), "other": dask.delayed(other).persist()}
    distributed.wait([*theirs.values(), *whole.values()])

    def evaluate(text: str, **names: str) -> Any:
        operands = {name: ours[key] for name, key in names.items()}
        return nacho.dask.evaluate(text, **operands).persist()

    sparse, dense = sp.csr_array((0, 0)), np.empty((0, 0))
    add = da.map_blocks(
        operator.add, theirs["A"], theirs["B"], dtype=float, meta=sparse
    )
    return [
        Case(
            "addition",
            A.nnz + B.nnz,
            {
                "nacho": lambda: evaluate("Z[i,j] = A[i,j] + B[i,j]", A="A", B="B"),
                "dask.array": lambda: distributed.wait(add.persist()),
            },
        ),
        Case(
            "times dense",
            A.nnz,
            {
                "nacho": lambda: evaluate("Y[i,k] = A[i,j] * D[j,k]", A="A", D="D"),
                "dask.array": lambda: _product(
                    theirs["A"], whole["D"], _COLUMNS, dense
                ),
            },
        ),
        Case(
            "SpGEMM",
            small.nnz + other.nnz,
            {
                "nacho": lambda: evaluate(
                    "Z[i,k] = A[i,j] * B[j,k]", A="small", B="other"
                ),
                "dask.array": lambda: _product(
                    theirs["small"], whole["other"], n // 8, sparse
                ),
            },
        ),
    ]


def compare(
    client: distributed.Client, case: Case, rounds: int
) -> dict[str, Sequence[Call]]:
    """Return what calls in all ways took, which take turns."""
    for run in case.ways.values():
        run()
    calls: dict[str, list[Call]] = {way: [] for way in case.ways}
    for _ in range(rounds):
        for way, run in case.ways.items():
            calls[way].append(measure(client, run))
    say(f"{case.name}: {rounds} rounds")
    return dict(calls)


def document(*, quick: bool, rounds: int) -> str:
    """Return a table of what computations take on a cluster, and what it means."""
    rows = []
    with started() as client:
        for case in cases(1 << (12 if quick else 18)):
            for way, calls in compare(client, case, rounds).items():
                seconds, balance, moved = (
                    median(each) for each in zip(*calls, strict=True)
                )
                cells = [case.name, f"{case.entries:,}", way, f"{1e3 * seconds:.1f}"]
                rows.append([*cells, f"{balance:.2f}", f"{moved / 1e6:.2f}"])
    return f"# On a cluster\n\n{MEANING}\n\n{markdown(HEAD, rows)}\n"
