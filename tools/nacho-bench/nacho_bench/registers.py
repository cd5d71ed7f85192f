"""What ptxas makes of the kernels: registers and memory for each thread of a GPU."""

import importlib.util
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import nacho
from nacho_bench.kernels import Kernel

CHIPS = ("sm_80", "sm_90", "sm_100")
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


def find_ptxas() -> str | None:
    """Return where ptxas is: in the wheel of NVIDIA, or on the path."""
    nvidia = importlib.util.find_spec("nvidia")
    places = nvidia.submodule_search_locations if nvidia else None
    for place in places or ():
        for found in Path(place).glob("*/bin/ptxas"):
            return str(found)
    return shutil.which("ptxas")


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


def assemble_kernel(kernel: Kernel, chip: str) -> list[Assembled]:
    """Assemble what a kernel of the benchmark is compiled to."""
    formats = {n: f for n, f in kernel.formats.items() if f != "scalar"}
    compiled = nacho.mlir.compile(kernel.expression, formats, "f64")
    return assemble(compiled.ptx(chip), chip)


def table(kernels: Iterable[Kernel]) -> str:
    """Return a table of what the largest of the kernels of a statement takes."""
    head = ["kernel", *(f"registers, {chip}" for chip in CHIPS), "spilled", "shared"]
    rows = [head, ["---"] * len(head)]
    for kernel in kernels:
        made = [assemble_kernel(kernel, chip) for chip in CHIPS]
        registers = [max(one.registers for one in each) for each in made]
        spilled = max(one.spilled for each in made for one in each)
        shared = max(one.shared for each in made for one in each)
        rows.append([kernel.name, *map(str, (*registers, spilled, shared))])
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)
