"""nacho on a GPU: the kernels of ``target="cuda"``, timed by the GPU's clock."""

from typing import Any

import nacho
from nacho_bench import device
from nacho_bench.cuda import Cuda
from nacho_bench.kernels import KERNELS
from nacho_bench.operands import Operands
from nacho_bench.peers import Kernels, Prepared


class NachoOnGpu:
    def __init__(self, threads: int) -> None:
        self.version = nacho.__version__
        self.timed = Cuda().timed
        self.included = device.included()
        self._compiled: dict[str, Any] = {}
        self.kernels: Kernels = dict.fromkeys(KERNELS, self.prepare)

    def prepare(self, given: Operands) -> Prepared:
        kernel = given.kernel
        compiled = self._compiled.get(kernel.name)
        if compiled is None:
            formats = {n: f for n, f in kernel.formats.items() if f != "scalar"}
            compiled = self._compiled[kernel.name] = nacho.mlir.compile(
                kernel.expression,
                formats=formats,
                target="cuda",
                semiring=kernel.semiring,
            )
        operands = [device.operand(given, name) for name in compiled.operands]
        return lambda: compiled(*operands), device.entries
