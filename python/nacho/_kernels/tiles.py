"""What the threads of a GPU share, and how many of them run at a time."""

from __future__ import annotations

import re
from collections.abc import Iterable

from nacho._kernels.ptxas import PROCESSORS, assemble, find_ptxas

_FUNCTION = re.compile(r"^ *func\.func (?:private )?@(\w+)", re.MULTILINE)
_TILE = re.compile(r"= nacho\.tile .* by (\d+)(?: sharing (\d+))?")
_LANES = "= nacho.lane of"
_MEMORY = re.compile(r"nacho\.lane_memory : memref<(.*)>")
_SHOWN = 8
_LAUNCH = re.compile(r"gpu\.launch_func +@\w+::@(\w+) .* threads in \(%c(\d+)\D")


def described(tiled: str, lowered: str) -> list[str]:
    """Tell which functions do tiles, or have a warp for each part, and which neither.

    The IR is that of the stages ``tile``, which has tiles, and ``scf``, in which warps
    do parts, and may share memory.
    """
    lines: list[str] = []
    alone: list[str] = []
    warps = {name: body for name, body in _functions(lowered) if _LANES in body}
    for name, body in _functions(tiled):
        if "nacho.parallel" not in body:
            continue
        tile = _TILE.search(body)
        if tile is not None:
            shared = f", which share {tile[2]} bytes" if tile[2] else ""
            lines.append(f"{name}: a block does {tile[1]} parts{shared}")
        elif name in warps:
            size = sum(map(_bytes, _MEMORY.findall(warps[name])))
            tables = f", with tables of {size} bytes for short rows" if size else ""
            lines.append(f"{name}: a warp does a part{tables}")
        else:
            alone.append(name)
    if alone:
        lines.append(f"a thread for each part, alone: {', '.join(alone)}")
    return lines


def _functions(ir: str) -> Iterable[tuple[str, str]]:
    _, *pieces = _FUNCTION.split(ir)
    return zip(pieces[::2], pieces[1::2], strict=True)


def _bytes(shape: str) -> int:
    """Return how many bytes an array takes, such as 512xf64."""
    size, element = shape.split("x", 1)
    numbers = 2 if element.startswith("complex") else 1
    bits = int("".join(filter(str.isdigit, element)))
    return int(size) * numbers * -(-bits // 8)


def occupancy(lowered: str, ptx: str, chip: str) -> Iterable[str]:
    """Tell how many threads of each kernel a processor of a chip runs at a time.

    The IR of stage ``gpu`` says how many threads the blocks of a kernel have. Of many
    kernels, those with fewest threads are named.
    """
    if find_ptxas() is None:
        yield "pip install nvidia-cuda-nvcc to see registers and occupancy"
        return
    processor = PROCESSORS[chip]
    threads = {name: int(count) for name, count in _LAUNCH.findall(lowered)}
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
