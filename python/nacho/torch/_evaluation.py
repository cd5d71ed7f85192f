"""``nacho.torch.evaluate``: what it takes, and where it is computed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch

from nacho._kernels.given import given_operands, read_statement, spelled
from nacho._kernels.options import Options
from nacho._notation.parser import parse
from nacho._notation.symbols import Expression, Index
from nacho.errors import ArgumentError
from nacho.torch._arrays import SparseArrays
from nacho.torch._differentiation import computed
from nacho.torch._tracing import traced

_CALL = ("nacho.torch.evaluate(expr, {})", Options._fields)


def evaluate(
    expr: str | Expression,
    operands: Mapping[str, Any] | Sequence[Index] | None = None,
    /,
    **named: Any,
) -> torch.Tensor:
    """Compute an expression of tensors as ``nacho.evaluate`` does, with gradients.

    Each gradient is another expression, of ``nacho.grad``, and is compiled like any
    other; so gradients have gradients. That for a sparse operand is a sparse tensor of
    the same layout with the same entries.

    Parameters
    ----------
    expr, operands
        What to compute, as for ``nacho.evaluate``.
    **named
        The operands by name, and the options of ``nacho.evaluate``. Operands are
        PyTorch's tensors (dense, COO, CSR or CSC) and numbers. Inside of
        ``torch.compile``, sparse operands are ``SparseArrays``, and results are dense.

    Examples
    --------
    >>> nacho.torch.evaluate("y[i] = A[i,j] * x[j]", A=A, x=x)  # doctest: +SKIP
    """
    if torch.compiler.is_compiling():
        return traced(expr, operands, named)
    options = Options.taken(named)
    text, operands = spelled(expr, operands, (), named)
    assignment = parse(read_statement(text, operands, named, options).text)
    given = given_operands(assignment, operands, named, _CALL)
    by_name = dict(zip(assignment.operands, given, strict=True))
    if any(isinstance(operand, SparseArrays) for operand in given):
        return traced(assignment.text, by_name, options.given)
    for name, operand in by_name.items():
        if not isinstance(operand, torch.Tensor | int | float | complex | np.generic):
            kind = type(operand).__name__
            raise ArgumentError(
                f"operand '{name}': nacho.torch.evaluate takes tensors of PyTorch and "
                f"numbers, not {kind}, which nacho.evaluate takes"
            )
    return computed(assignment.text, by_name, options)
