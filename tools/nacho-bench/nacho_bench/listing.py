"""What ``tools/dev bench`` can measure: kernels, workloads, and files of a folder."""

import sys
from functools import partial
from pathlib import Path

from nacho_bench.driver import refusal, suited
from nacho_bench.files import data_files
from nacho_bench.kernels import KERNELS, Kernel
from nacho_bench.peers import GPU_NAMES, NAMES
from nacho_bench.workloads import SYNTHETIC, Workload, from_file, size_of


def real_workloads(folder: Path | None) -> list[Workload]:
    """Return the files of a folder as workloads."""
    real = [] if folder is None else [*map(from_file, data_files(folder))]
    for workload in real:
        if workload.name in SYNTHETIC:
            sys.exit(f"bench: error: rename {workload.source}: its name is taken")
    return real


def reason_against(kernel: Kernel, workload: Workload) -> str:
    """Return why a kernel is not run on a workload; empty if it is run."""
    size = size_of(kernel.size, quick=False)
    return refusal(kernel, partial(workload.make, size=size, use=kernel.size))


def listing(folder: Path | None) -> str:
    """Return the names of all kernels, workloads and peers.

    Of the files of a folder, also return what they are used for.
    """
    lines = ["kernels:"]
    lines += [f"  {k.name:<14} {k.expression}" for k in KERNELS.values()]
    lines += ["workloads:"]
    lines += [f"  {w.name:<14} {w.text}" for w in SYNTHETIC.values()]
    if folder is not None:
        lines.append(f"workloads of {folder}:")
        for workload in real_workloads(folder):
            lines += _uses(workload)
    lines += ["peers:", f"  {', '.join(NAMES)}"]
    return "\n".join([*lines, "peers on a GPU:", f"  {', '.join(GPU_NAMES)}"])


def _uses(workload: Workload) -> list[str]:
    """Return the size of a file, the kernels it is used for, and why not for others."""
    reasons: dict[str, list[str]] = {}
    for kernel in KERNELS.values():
        if suited(kernel, workload):
            reasons.setdefault(reason_against(kernel, workload), []).append(kernel.name)
    _, values, shape = workload.make("A", size_of("add", quick=False), "add")
    extents = "x".join(map(str, shape))
    lines = [f"  {workload.name}: {extents}, {values.size:,} entries"]
    for reason, kernels in sorted(reasons.items()):
        names = ", ".join(kernels)
        lines.append(f"    not for {names}: {reason}" if reason else f"    for {names}")
    return lines
