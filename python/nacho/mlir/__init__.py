"""The compiler's interface: kernels from notation or MLIR, and the IR in between."""

from nacho._kernels.compilation import compile
from nacho._kernels.function import Function
from nacho._kernels.kernel import Kernel
from nacho._kernels.plan import Plan

__all__ = ["Function", "Kernel", "Plan", "compile"]


def __dir__() -> list[str]:
    """Return the public names, which are those that an editor completes."""
    return sorted(__all__)
