"""What the simulated GPU counts in kernels of the benchmark, and what that predicts."""

from collections.abc import Iterable
from itertools import product
from typing import NamedTuple

import nacho
from nacho._kernels.counts import Counted, KernelCounts, counted, since, total
from nacho_bench.files import Store
from nacho_bench.kernels import Kernel
from nacho_bench.operands import Operands
from nacho_bench.peers.nacho_peer import container
from nacho_bench.progress import say
from nacho_bench.table import markdown
from nacho_bench.workloads import Workload

COUNTED = ("csr-add", "csr-mul", "coo-add", "spmv", "spgemm")
"""The kernels that are counted if none is named."""
WORKLOADS = ("uniform", "power-2.0", "heavy-row-50")
TILES = (0, 64)
"""How many parts share the memory of a block; 0: each is alone."""

_MEANING = f"""\
Made by `tools/dev bench --target cuda-sim`. Each call, from the search for cuts to the
result, runs on the simulated GPU, which counts what warps of 32 threads do. No GPU was
there, and no time was measured. *entries* are those of all sparse operands, and *parts*
as many as there are if nobody asks for a number, each with a thread. *tile* is how many
parts a block does together, whose threads share memory: {TILES[-1]} by default; with 0,
each thread is alone.

*sectors* is how many sectors of 32 bytes instructions load and store, over those that
the bytes would fill which each kernel has to load and store: 1 is ideal. A sector that
two instructions touch counts twice; *memory* counts only those that the cache of an
H100, 50 MB, would exchange with its memory in each launch. *lanes* is the share of
lanes that do something, of those of all instructions; lanes are together if they are in
the same step of every loop around an instruction. An instruction is an operation of the
`gpu` stage that is no constant. *conflicts* is how many more turns shared memory takes
because lanes want the same bank. *partition* is the share of instructions that kernels
have which search for cuts; with tiles, for those between tiles. *predicted* is the time
on an H100 (3.35 TB/s, 9 TB/s from the cache, 132 processors, 3 us for each launch) if
of each launch only what takes longest takes time: moving sectors from and to memory, or
the cache, issuing instructions, or the longest warp. It was not measured.
*work/bound* is this time without that of launches, over what moving the bytes once
takes at full bandwidth."""

_LAUNCH = 3e-6


class Record(NamedTuple):
    kernel: str
    workload: str
    entries: int
    tile: int
    parts: int
    counts: Counted

    @property
    def all(self) -> KernelCounts:
        return total(self.counts)

    @property
    def partition(self) -> float:
        """The share of warp instructions that search for cuts."""
        searching = total(
            {
                name: counts
                for name, counts in self.counts.items()
                if "_partition" in name or "_tiles" in name
            }
        )
        return searching.issued / max(self.all.issued, 1)

    def row(self) -> tuple[str, ...]:
        every = self.all
        working = every.predicted - _LAUNCH * every.launches
        return (
            self.kernel,
            self.workload,
            f"{self.entries:,}",
            str(self.tile),
            str(self.parts),
            str(every.launches),
            f"{every.sectors / max(every.ideal_sectors, 1):.2f}",
            f"{every.sectors_moved / max(every.ideal_sectors, 1):.2f}",
            f"{every.useful_lanes:.0%}",
            str(every.bank_conflicts),
            str(every.atomics),
            f"{self.partition:.1%}",
            f"{every.predicted * 1e6:.1f}",
            f"{working / every.bound:.1f}" if every.bound else "",
        )


HEAD = (
    "kernel",
    "workload",
    "entries",
    "tile",
    "parts",
    "launches",
    "sectors",
    "memory",
    "lanes",
    "conflicts",
    "atomics",
    "partition",
    "predicted, us",
    "work/bound",
)


def count(kernel: Kernel, workload: Workload, store: Store, tile: int = 0) -> Record:
    """Call a kernel once on the simulated GPU, and count what it does."""
    files = {n: str(store.path(workload, n, kernel.size)) for n in kernel.sparse}
    given = Operands(kernel.name, files, threads=1)
    compiled = nacho.mlir.compile(
        kernel.expression,
        formats={n: f for n, f in kernel.formats.items() if f != "scalar"},
        target="cuda-sim",
        choices={"count-accesses": True, "tile": tile},
    )
    operands = [container(given, name) for name in compiled.operands]
    entries = sum(given.coo(name)[1].size for name in kernel.sparse)
    parts = compiled.plan(*operands).parts
    before = counted()
    compiled(*operands)
    counts = since(before)
    return Record(kernel.name, workload.name, entries, tile, parts, counts)


def document(pairs: Iterable[tuple[Kernel, Workload]], store: Store) -> str:
    """Return a table of what kernels do on workloads, and what it means."""
    rows = []
    for (kernel, workload), tile in product(pairs, TILES):
        record = count(kernel, workload, store, tile)
        say(f"{kernel.name} {workload.name}: {record.all.issued} warp instructions")
        rows.append(record.row())
    return f"# Counted on the simulated GPU\n\n{_MEANING}\n\n{markdown(HEAD, rows)}\n"
