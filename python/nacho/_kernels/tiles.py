"""What the threads of a GPU share, and how many of them run at a time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from nacho._kernels.ptxas import PROCESSORS, assemble, find_ptxas

if TYPE_CHECKING:
    from nacho import _nacho

_SHOWN = 8
_WARP = 32


def described(functions: Sequence[_nacho.GpuFunctionDescription]) -> list[str]:
    """Tell which functions do tiles, or have a warp for each part, and which neither.

    A warp may share memory.
    """
    lines: list[str] = []
    alone: list[str] = []
    for function in functions:
        name, tile, tables = function.name, function.tile, function.tables
        if tile:
            shared = function.shared
            used = f", which share {shared} bytes" if shared else ""
            lines.append(f"{name}: a block does {tile} parts{used}")
        elif function.lanes:
            part = function.lanes < _WARP
            does = f"{function.lanes} lanes of a warp do" if part else "a warp does"
            used = f", with tables of {tables} bytes for short rows" if tables else ""
            lines.append(f"{name}: {does} a part{used}")
        else:
            alone.append(name)
    if alone:
        lines.append(f"a thread for each part, alone: {', '.join(alone)}")
    return lines


def occupancy(threads: Mapping[str, int], ptx: str, chip: str) -> Iterable[str]:
    """Tell how many threads of each kernel a processor of a chip runs at a time.

    ``threads`` are those of a block of each kernel. Of many kernels, those with fewest
    threads are named.
    """
    if find_ptxas() is None:
        yield "pip install nvidia-cuda-nvcc to see registers and occupancy"
        return
    processor = PROCESSORS[chip]
    lines: list[tuple[float, str]] = []
    for kernel in assemble(ptx, chip):
        each = threads[kernel.name]
        if each == 1:
            continue
        blocks = processor.blocks_of(kernel, each)
        share = blocks * each / processor.threads
        line = (
            f"{kernel.name}: {kernel.registers} registers, {kernel.shared} bytes "
            f"shared, {blocks} blocks of {each} threads at a time ({share:.0%})"
        )
        lines.append((share, line))
    lines.sort()
    yield from (line for _, line in lines[:_SHOWN])
    if len(lines) > _SHOWN:
        yield f"and {len(lines) - _SHOWN} kernels with more threads at a time"
