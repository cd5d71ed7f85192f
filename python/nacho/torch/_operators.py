"""The operators of PyTorch that Nacho registers, for ``torch.compile``.

PyTorch keeps them, and all that their module refers to, until the process ends. So this
module imports what they do when they do it: see ``recording``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch


@torch.library.custom_op("nacho::evaluate", mutates_args=())
def evaluate(
    text: str,
    operands: str,
    arrays: Sequence[torch.Tensor],
    numbers: Sequence[int | float | bool],
    shapes: Sequence[int],
    options: str,
) -> torch.Tensor:
    from nacho.torch._tracing import Packed, evaluated

    packed = Packed(operands, list(arrays), list(numbers), list(shapes))
    return evaluated(text, packed, options)


@evaluate.register_fake
def _(
    text: str, operands: str, arrays: Any, numbers: Any, shapes: Any, options: str
) -> torch.Tensor:
    from nacho.torch._tracing import Packed, shaped

    return shaped(text, Packed(operands, arrays, numbers, shapes), options)


@torch.library.custom_op("nacho::entries", mutates_args=())
def entries(
    text: str,
    operands: str,
    arrays: Sequence[torch.Tensor],
    numbers: Sequence[int | float | bool],
    shapes: Sequence[int],
    like: str,
    options: str,
) -> torch.Tensor:
    from nacho.torch._tracing import Packed, entries

    packed = Packed(operands, list(arrays), list(numbers), list(shapes))
    return entries(text, packed, like, options)


@entries.register_fake
def _(
    text: str,
    operands: str,
    arrays: Any,
    numbers: Any,
    shapes: Any,
    like: str,
    options: str,
) -> torch.Tensor:
    from nacho.torch._tracing import Packed, unpack

    given = unpack(Packed(operands, arrays, numbers, shapes))
    return torch.empty_like(given[like].values)


def _keep(ctx: Any, inputs: tuple[Any, ...], output: torch.Tensor) -> None:
    """Keep the arguments of either operator for its gradients."""
    ctx.text, ctx.operands, arrays, ctx.numbers, ctx.shapes, *others = inputs
    *ctx.like, ctx.options = others
    ctx.save_for_backward(*arrays)


def _gradients(ctx: Any, cotangent: torch.Tensor) -> tuple[Any, ...]:
    from nacho.torch._tracing import Packed, gradients

    packed = Packed(ctx.operands, ctx.saved_tensors, ctx.numbers, ctx.shapes)
    needed = ctx.needs_input_grad[2]
    like = ctx.like[0] if ctx.like else None
    found = gradients(ctx.text, packed, ctx.options, needed, cotangent, like)
    numbers, shapes = _nothing(ctx.numbers), _nothing(ctx.shapes)
    return None, None, found, numbers, shapes, *(None for _ in ctx.like), None


def _nothing(values: Sequence[object]) -> list[object] | None:
    """Return the gradient of a list of numbers: that of an empty one is empty."""
    return None if values else []


for _operator in (evaluate, entries):
    _operator.register_autograd(_gradients, setup_context=_keep)
