"""What the simulated GPU counts in kernels of the benchmark, and what that predicts."""

from collections.abc import Iterable
from itertools import product
from typing import NamedTuple

import numpy as np

import nacho
from nacho._kernels.counts import Counted, KernelCounts, counted, since, total
from nacho._kernels.gpu_model import CHIP, seconds, total_seconds
from nacho._kernels.ptxas import Assembled, assembled
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
Made by `tools/dev bench --target cuda-sim`. Each call repeats another one, and all of
it, from the search for cuts to the result, runs on the simulated GPU, which counts what
warps of 32 threads do. No GPU was there, and no time was measured. *entries* are those
of all sparse operands, and *parts* as many as there are if nobody asks for a number,
each with a thread. *tile* is how many parts a block does together, whose threads share
memory: {TILES[-1]} by default; with 0, each thread is alone.

*sectors* is how many sectors of 32 bytes instructions load and store, over those that
the bytes would fill which each kernel has to load and store: 1 is ideal. A sector that
two instructions touch counts twice; *memory* counts only those that the cache of an
H100, 50 MB, would exchange with its memory in each launch. *lanes* is the share of
lanes that do something, of those of all instructions; lanes are together if they are in
the same step of every loop around an instruction. An operation of the `gpu` stage
counts as the instructions that it is expected to become: two for a sum of 64 bits, two
or three for an access with its address. *conflicts* is how many more turns shared
memory takes because lanes want the same bank. *partition* is the share of instructions
that kernels have which do nothing but search for cuts. *instructions* are those of
warps for each entry, or for each product of two entries that a product of matrices
computes. *predicted* is the time of the kernels on an H100, without the host, by [a
model](gpu-model.md), whose page says how far it is off. It was not measured.
*time/bound* is this time over what moving the bytes once takes at full bandwidth."""


class Record(NamedTuple):
    kernel: str
    workload: str
    entries: int
    tile: int
    parts: int
    products: int
    """The products of entries that a product of matrices has, or none."""
    counts: Counted
    made: dict[str, Assembled]
    """What ptxas makes of the kernels, if it is there."""

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
                if "_partition" in name or "_cuts" in name
            }
        )
        return searching.issued / max(self.all.issued, 1)

    def row(self) -> tuple[str, ...]:
        every = self.all
        predicted = total_seconds(self.counts, self.made)
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
            f"{every.issued / self.units:.2f}",
            f"{predicted * 1e6:.1f}",
            f"{predicted / every.bound:.1f}" if every.bound else "",
        )

    @property
    def units(self) -> int:
        """Return the products, or else the entries: what instructions are for."""
        return max(self.products or self.entries, 1)

    def kernel_rows(self) -> list[tuple[str, ...]]:
        """Return a row for each kernel that takes a twentieth of the time, or more."""
        times = {
            name: seconds(each, self.made.get(name))
            for name, each in self.counts.items()
        }
        least = sum(times.values()) / 20
        return [
            (
                self.kernel,
                self.workload,
                str(self.tile),
                name.replace("kernel_", "", 1).replace("_kernel", ""),
                str(each.launches),
                f"{each.issued / self.units:.3f}",
                f"{each.useful_lanes:.0%}",
                f"{times[name] * 1e6:.1f}",
            )
            for name, each in self.counts.items()
            if times[name] >= least
        ]


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
    "instructions",
    "predicted, us",
    "time/bound",
)
KERNEL_HEAD = (
    "kernel",
    "workload",
    "tile",
    "launched",
    "launches",
    "instructions",
    "lanes",
    "predicted, us",
)


def count(
    kernel: Kernel, workload: Workload, store: Store, tile: int | None = 0
) -> Record:
    """Call a kernel again on the simulated GPU, and count what it does.

    Without a tile, it is the default.
    """
    choices = {"count-accesses": True} | ({} if tile is None else {"tile": tile})
    given = Operands.of(kernel, workload, store)
    compiled = nacho.mlir.compile(
        kernel.expression,
        formats={n: f for n, f in kernel.formats.items() if f != "scalar"},
        target="cuda-sim",
        semiring=kernel.semiring,
        choices=choices,
    )
    operands = [container(given, name) for name in compiled.operands]
    entries = sum(given.coo(name)[1].size for name in kernel.sparse)
    parts = compiled.plan(*operands).parts
    compiled(*operands)
    before = counted()
    compiled(*operands)
    counts = since(before)
    return Record(
        kernel.name,
        workload.name,
        entries,
        TILES[-1] if tile is None else tile,
        parts,
        _products(kernel, given),
        counts,
        assembled(compiled.ptx(CHIP), CHIP),
    )


def _products(kernel: Kernel, given: Operands) -> int:
    """Return how many products of entries of two matrices are computed."""
    if kernel.size != "product":
        return 0
    (_, columns), _, _ = given.coo("A")
    (rows, _), _, shape = given.coo("B")
    return int(np.bincount(rows, minlength=shape[0])[columns].sum())


def document(pairs: Iterable[tuple[Kernel, Workload]], store: Store) -> str:
    """Return a table of what kernels do on workloads, and what it means."""
    rows, kernels = [], []
    for (kernel, workload), tile in product(pairs, TILES):
        record = count(kernel, workload, store, tile)
        say(f"{kernel.name} {workload.name}: {record.all.issued} warp instructions")
        rows.append(record.row())
        kernels += record.kernel_rows()
    return (
        f"# Counted on the simulated GPU\n\n{_MEANING}\n\n{markdown(HEAD, rows)}\n\n"
        f"## Each kernel\n\n{_KERNELS}\n\n{markdown(KERNEL_HEAD, kernels)}\n"
    )


_KERNELS = """\
*launched* is the kernel of a GPU; those that take less than a twentieth of the
predicted time of a call are left out. *instructions* are for each entry, or product, of
the call."""
