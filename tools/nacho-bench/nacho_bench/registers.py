"""What ptxas makes of the kernels: registers and memory for each thread of a GPU."""

from collections.abc import Iterable

import nacho
from nacho._kernels.ptxas import Assembled, assemble
from nacho_bench.kernels import Kernel

CHIPS = ("sm_80", "sm_90", "sm_100")


def assemble_kernel(
    kernel: Kernel, chip: str, is_narrow: bool = True
) -> list[Assembled]:
    """Assemble what a kernel of the benchmark is compiled to.

    Calls whose arrays are long need another program, whose indices are not narrow.
    """
    formats = {n: f for n, f in kernel.formats.items() if f != "scalar"}
    compiled = nacho.mlir.compile(
        kernel.expression, formats, "f64", semiring=kernel.semiring
    )
    choices = {"narrow-indices": is_narrow}
    return assemble(compiled.ptx(chip, choices=choices), chip)


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
