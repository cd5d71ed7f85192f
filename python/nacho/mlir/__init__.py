"""The compiler: from notation to kernels, and the IR in between."""

from nacho.mlir.kernel import Kernel, Plan, compile

__all__ = ["Kernel", "Plan", "compile"]
