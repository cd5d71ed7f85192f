"""Expressions as functions that PyTorch differentiates.

A gradient is computed by the function that it is the gradient of, so that it has
gradients itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import torch
from torch.autograd import forward_ad

from nacho._kernels.evaluation import evaluate
from nacho._kernels.options import Options
from nacho._notation.gradient import Names, grad
from nacho._notation.parser import parse, parse_as_written
from nacho.errors import UnsupportedError

FORMATS = {
    torch.strided: "dense",
    torch.sparse_coo: "coo",
    torch.sparse_csr: "csr",
    torch.sparse_csc: "csc",
}
"""The formats of PyTorch's layouts."""


@dataclass(frozen=True)
class Computation:
    """What is computed, of tensors that autograd passes in the order of ``names``."""

    text: str
    names: tuple[str, ...]
    numbers: Mapping[str, Any]
    """The operands that are no tensors."""
    options: Options

    def operands(self, tensors: tuple[torch.Tensor, ...]) -> dict[str, Any]:
        """Return all operands by name."""
        return {**self.numbers, **dict(zip(self.names, tensors, strict=True))}


class Derivative(NamedTuple):
    """An expression for a gradient, and the name of the result's gradient in it."""

    text: str
    cotangent: str
    operands: tuple[str, ...]


@lru_cache(maxsize=512)
def derivative(text: str, operand: str, sparse: bool) -> Derivative:
    """Return the derivative for an operand, on its pattern if that is sparse."""
    cotangent = Names(parse_as_written(text)).cotangent(None)
    found = grad(text, operand, cotangent=cotangent, sparse=sparse)
    return Derivative(found, cotangent, parse(found).operands)


def computed(text: str, given: Mapping[str, Any], options: Options) -> torch.Tensor:
    """Compute an expression; PyTorch records it if an operand requires a gradient."""
    tensors = {n: each for n, each in given.items() if isinstance(each, torch.Tensor)}
    _refuse_tangents(tensors)
    is_wanted = any(tensor.requires_grad for tensor in tensors.values())
    if not is_wanted or not torch.is_grad_enabled():
        return result(text, given, options)
    require_real(tensors)
    for name, tensor in tensors.items():
        if tensor.layout == torch.sparse_coo:
            # The gradient is one of the entries, each of which occurs once.
            tensors[name] = tensor.coalesce()
    names = tuple(tensors)
    numbers = {name: each for name, each in given.items() if name not in tensors}
    computation = Computation(text, names, numbers, options)
    return recorded(computation, tuple(tensors.values()))


def _refuse_tangents(tensors: Mapping[str, torch.Tensor]) -> None:
    """Refuse the operands of forward-mode differentiation, which would be lost."""
    for name, tensor in tensors.items():
        if forward_ad.unpack_dual(tensor).tangent is not None:
            raise UnsupportedError(
                f"operand '{name}' has a tangent, but forward mode is not supported: "
                "use gradients, of .backward() or torch.autograd.grad"
            )


def require_real(operands: Mapping[str, Any]) -> None:
    """Refuse gradients of an expression with complex numbers."""
    for name, operand in operands.items():
        values = operand if isinstance(operand, torch.Tensor) else operand.values
        if values.is_complex():
            raise UnsupportedError(
                f"operand '{name}': gradients of expressions with complex numbers are "
                "not supported: pass tensors that require no gradient, by .detach()"
            )


def result(text: str, given: Mapping[str, Any], options: Options) -> torch.Tensor:
    """Compute an expression, of which autograd records nothing."""
    found = evaluate(text, given, **options.given)
    if isinstance(found, torch.Tensor):
        return found
    if getattr(found, "shape", ()) == ():
        # Numbers make a number, unless a tensor with dimensions is among them.
        return torch.as_tensor(found)
    raise UnsupportedError(
        f"PyTorch has no layout for a result of format {found.format.name}: pass "
        "out='coo' (or 'csr', 'csc', 'dense')"
    )


def gradient(
    computation: Computation,
    name: str,
    tensors: tuple[torch.Tensor, ...],
    cotangent: torch.Tensor,
) -> torch.Tensor:
    """Return the gradient for an operand, in its layout and of its type."""
    given = computation.operands(tensors)
    operand = given[name]
    is_sparse = operand.layout != torch.strided
    found = derivative(computation.text, name, is_sparse)
    given[found.cotangent] = cotangent
    options = options_of_gradients(computation.options)
    if operand.dim():
        options = options._replace(out=FORMATS[operand.layout])
    used = {each: given[each] for each in found.operands}
    made = computed(found.text, used, options).to(operand.dtype)
    if is_sparse and made._nnz() != operand._nnz():
        return on_pattern(made, operand.detach(), options)
    return made


def options_of_gradients(options: Options) -> Options:
    """Return the options that the gradients of an expression have from it.

    Those that name a format or indices say nothing of a gradient.
    """
    return options._replace(out=None, order=None, contract="auto")


def on_pattern(
    found: torch.Tensor, operand: torch.Tensor, options: Options
) -> torch.Tensor:
    """Add zeros to a gradient that lacks entries of the operand.

    Other sparse operands of a product may not have all of them.
    """
    indices = ",".join(f"i{number}" for number in range(operand.dim()))
    stored = f"pattern(A)[{indices}]"
    text = f"G[{indices}] = D[{indices}] + ({stored} != {stored})"
    return computed(text, {"D": found, "A": operand}, options)


# --- What autograd records ------------------------------------------------------------


def recorded(
    computation: Computation, tensors: tuple[torch.Tensor, ...]
) -> torch.Tensor:
    """Return the result of a computation, which autograd records."""
    found: torch.Tensor = _Recorded.apply(computation, *tensors)
    return found


class _Recorded(torch.autograd.Function):
    @staticmethod
    def forward(computation: Computation, *tensors: torch.Tensor) -> torch.Tensor:
        operands = computation.operands(tensors)
        return result(computation.text, operands, computation.options)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: torch.Tensor) -> None:
        ctx.computation, *tensors = inputs
        ctx.save_for_backward(*tensors)
        ctx.set_materialize_grads(False)

    @staticmethod
    def backward(ctx: Any, *cotangents: Any) -> Any:
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
