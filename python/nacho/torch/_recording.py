"""How autograd records a computation.

PyTorch keeps the classes of its functions, and what it has recorded, until the process
ends, and with them all that their modules refer to. So this module refers to nothing
that has kernels, which are freed before: it imports the gradients when it needs them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch


@dataclass(frozen=True)
class Computation:
    """What is computed, of tensors that autograd passes in the order of ``names``."""

    text: str
    names: tuple[str, ...]
    numbers: Mapping[str, Any]
    """The operands that are no tensors."""
    options: Mapping[str, Any]

    def operands(self, tensors: tuple[torch.Tensor, ...]) -> dict[str, Any]:
        """Return all operands by name."""
        return {**self.numbers, **dict(zip(self.names, tensors, strict=True))}


def recorded(
    computation: Computation, tensors: tuple[torch.Tensor, ...]
) -> torch.Tensor:
    """Return the result of a computation, which autograd records."""
    found: torch.Tensor = _Recorded.apply(computation, *tensors)
    return found


class _Recorded(torch.autograd.Function):
    @staticmethod
    def forward(computation: Computation, *tensors: torch.Tensor) -> torch.Tensor:
        from nacho.torch._differentiation import result

        operands = computation.operands(tensors)
        return result(computation.text, operands, computation.options)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: torch.Tensor) -> None:
        ctx.computation, *tensors = inputs
        ctx.save_for_backward(*tensors)
        ctx.set_materialize_grads(False)

    @staticmethod
    def backward(ctx: Any, *cotangents: Any) -> Any:
        from nacho.torch._differentiation import gradient

        (cotangent,) = cotangents
        _, *needed = ctx.needs_input_grad
        if cotangent is None:
            return (None,) * (1 + len(needed))
        computation, tensors = ctx.computation, ctx.saved_tensors
        gradients = (
            gradient(computation, name, tensors, cotangent) if is_needed else None
            for name, is_needed in zip(computation.names, needed, strict=True)
        )
        return None, *gradients
