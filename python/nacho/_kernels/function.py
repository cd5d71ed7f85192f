"""Functions of modules with several ops: kernels that are called in order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nacho._kernels.call import bind
from nacho._kernels.kernel import Kernel
from nacho._kernels.options import OF_CALLS
from nacho._mlir.module import Calls, argument_names


class Function:
    """A compiled function of a module: call it with its arguments.

    Each of its linalg ops is a kernel. What a kernel returns is in the container in
    which a user would get it, and an operand of other kernels.
    """

    def __init__(self, calls: Calls, kernels: Sequence[Kernel]) -> None:
        self.name = calls.name
        self.operands = tuple(argument_names(calls.arguments))
        """The names of the arguments, in order."""
        self.kernels = tuple(kernels)
        """The kernels, in the order in which they are called."""
        self._calls = calls

    def __call__(self, /, *operands: Any, **named: Any) -> Any:
        """Compute the result, or a tuple of the results.

        Parameters
        ----------
        *operands
            The arguments of the function, in order.
        **named
            The arguments by name, and options of calls of ``Kernel``.
        """
        free = [option for option in OF_CALLS if option not in self.operands]
        options = {option: named.pop(option) for option in free if option in named}
        values = bind(self.operands, operands, named)
        for kernel, (_, numbers) in zip(self.kernels, self._calls.calls, strict=True):
            asked = {o: v for o, v in options.items() if o not in kernel.operands}
            values.append(kernel(*(values[number] for number in numbers), **asked))
        results = tuple(values[number] for number in self._calls.results)
        return results[0] if len(results) == 1 else results

    def mlir(self) -> str:
        """Return the function as calls, with a function for each of its ops."""
        return self._calls.text

    def __repr__(self) -> str:
        target = self.kernels[0].target
        called = f"{len(self.kernels)} kernels" if len(self.kernels) > 1 else "a kernel"
        return (
            f"<nacho.mlir.Function @{self.name}({', '.join(self.operands)}): "
            f"{called} on {target}>"
        )
