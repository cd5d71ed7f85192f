"""What ptxas makes of the kernels of a GPU, and how many threads run at a time."""

from __future__ import annotations

import functools
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import NamedTuple

from nacho._kernels.wheels import find_in_wheels

_ENTRY = re.compile(
    r"Compiling entry function '(\w+)'.*?(\d+) bytes spill stores.*?"
    r"Used (\d+) registers[^\n]*",
    re.DOTALL,
)
_SHARED = re.compile(r"(\d+) bytes smem")


class Assembled(NamedTuple):
    """A kernel of a GPU, as ptxas has assembled it."""

    name: str
    registers: int
    spilled: int
    """The bytes that each thread spills."""
    shared: int
    """The bytes of shared memory of a block."""


class Processor(NamedTuple):
    """What one of the processors of a GPU has for the blocks that it runs."""

    registers: int
    shared: int
    """Bytes of shared memory."""
    threads: int
    blocks: int

    def blocks_of(self, kernel: Assembled, threads: int) -> int:
        """Return how many blocks of so many threads a processor runs at a time."""
        warps = -(-threads // _WARP)
        registers = warps * _rounded(kernel.registers * _WARP, _REGISTERS_AT_ONCE)
        shared = _rounded(kernel.shared + _SHARED_OF_SYSTEM, _SHARED_AT_ONCE)
        return min(
            self.registers // max(registers, 1),
            self.shared // shared,
            self.threads // (warps * _WARP),
            self.blocks,
        )


_WARP = 32
_REGISTERS_AT_ONCE = 256
"""Registers are given to warps in multiples of as many."""
_SHARED_AT_ONCE, _SHARED_OF_SYSTEM = 128, 1024
"""Shared memory is given to blocks in multiples of as many bytes; CUDA takes some."""

PROCESSORS = {
    "sm_75": Processor(65536, 65536, 1024, 16),
    "sm_80": Processor(65536, 167936, 2048, 32),
    "sm_86": Processor(65536, 102400, 1536, 16),
    "sm_89": Processor(65536, 102400, 1536, 24),
    "sm_90": Processor(65536, 233472, 2048, 32),
    "sm_100": Processor(65536, 233472, 2048, 32),
    "sm_120": Processor(65536, 102400, 1536, 24),
}
"""By chip, from the table of technical specifications in NVIDIA's guide to CUDA."""


def _rounded(number: int, multiple: int) -> int:
    return -(-number // multiple) * multiple


@functools.lru_cache
def find_ptxas() -> str | None:
    """Return where ptxas is: in the wheel of NVIDIA, or on the path."""
    found = find_in_wheels("*/bin/ptxas")
    return str(found) if found else shutil.which("ptxas")


def assemble(ptx: str, chip: str) -> list[Assembled]:
    """Return what ptxas says of each kernel of a text."""
    ptxas = find_ptxas()
    if ptxas is None:
        raise FileNotFoundError("there is no ptxas: pip install nvidia-cuda-nvcc")
    with tempfile.TemporaryDirectory() as folder:
        text, cubin = Path(folder, "kernel.ptx"), Path(folder, "kernel.cubin")
        text.write_text(ptx)
        command = [ptxas, "-v", f"-arch={chip}", "-o", str(cubin), str(text)]
        said = subprocess.run(command, check=True, text=True, stderr=subprocess.PIPE)
    found = []
    for entry in _ENTRY.finditer(said.stderr):
        shared = _SHARED.search(entry.group())
        bytes_of_block = int(shared.group(1)) if shared else 0
        name, spilled, registers = entry.groups()
        found.append(Assembled(name, int(registers), int(spilled), bytes_of_block))
    return found


def assembled(ptx: str, chip: str) -> dict[str, Assembled]:
    """Return what ptxas says of each kernel, by name: nothing if it is not there."""
    if find_ptxas() is None:
        return {}
    return {kernel.name: kernel for kernel in assemble(ptx, chip)}
