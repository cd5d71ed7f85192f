"""nacho: a kernel called with containers.

The environment has the number of threads. As other peers, nacho uses one thread where
more would not pay.
"""

from typing import Any

import numpy as np

import nacho
from nacho_bench.kernels import KERNELS
from nacho_bench.operands import Operands
from nacho_bench.peers import Kernels, Prepared


class Nacho:
    remap = True

    def __init__(self, threads: int) -> None:
        self.version = nacho.__version__
        self._compiled: dict[str, nacho.mlir.Kernel] = {}
        self.kernels: Kernels = dict.fromkeys(KERNELS, self.prepare)

    def prepare(self, given: Operands) -> Prepared:
        kernel = given.kernel
        compiled = self._compiled.get(kernel.name)
        if compiled is None:
            formats = {n: f for n, f in kernel.formats.items() if f != "scalar"}
            compiled = self._compiled[kernel.name] = nacho.mlir.compile(
                kernel.expression,
                formats=formats,
                remap=self.remap,
                semiring=kernel.semiring,
            )
        operands = [container(given, name) for name in compiled.operands]
        return lambda: compiled(*operands), entries


class Unmapped(Nacho):
    """nacho without remapping."""

    remap = False


def container(given: Operands, name: str) -> Any:
    """Return an operand as users have it: SciPy's container if SciPy has the format."""
    format = given.kernel.formats[name]
    if format == "dense":
        return given.dense(name)
    if format == "csr":
        return given.csr(name)
    if format == "coo" and given.kernel.family == "matrix":
        return given.scipy_coo(name)
    # SciPy widens the indices of three dimensions to 64 bits.
    levels = given.levels(name, format)
    return nacho.Tensor.from_parts(
        format, levels.shape, levels.pos, levels.crd, levels.values
    )


def entries(result: Any) -> Any:
    """Return the coordinates, values and shape of a result, or a dense array."""
    if isinstance(result, nacho.Tensor):
        return tuple(result.coords), result.values, result.shape
    if hasattr(result, "tocoo"):
        found = result.tocoo()
        return found.coords, found.data, found.shape
    return np.asarray(result)
