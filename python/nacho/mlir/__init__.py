"""The compiler: from notation to kernels, and the IR in between."""

from nacho.mlir.kernel import Kernel, compile
from nacho.mlir.plan import Plan

__all__ = ["Kernel", "Plan", "compile"]
