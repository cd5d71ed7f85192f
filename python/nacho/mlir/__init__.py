"""The compiler: from notation to kernels, and the IR in between."""

from nacho.mlir.compilation import compile
from nacho.mlir.kernel import Kernel
from nacho.mlir.plan import Plan

__all__ = ["Kernel", "Plan", "compile"]
