"""Copies of tensors in other formats: by the kernel of ``Z[i,j] = A[i,j]``.

It is compiled once for each pair of types, and sorts where levels change their order.
"""

from __future__ import annotations

from dataclasses import replace

from nacho.kernels.evaluation import cached_kernel
from nacho.kernels.kernel import Kernel
from nacho.notation.parser import parse
from nacho.storage.formats import Format, TensorType
from nacho.storage.operands import tensor_type
from nacho.storage.tensor import Tensor
from nacho.storage.views import INT32_MAX, View


def copied(view: View, wanted: Format) -> View:
    """Return a view in another format, by the kernel for it."""
    given = tensor_type("Tensor", view)
    pos = 64 if view.values.size > INT32_MAX else given.pos_width
    crd = 64 if max(view.shape) > INT32_MAX else given.crd_width
    result = replace(given, format=wanted, pos_width=pos, crd_width=crd)
    kernel = cached_kernel(("convert", given, result), lambda: _compiled(given, result))
    source = Tensor._of(view)
    call = kernel.prepare([source], {"A": view}, None, None, "none")
    # Dense results as well are to be tensors.
    call = call._replace(kind=None)
    made: Tensor = kernel.compute(call)
    return made._view


def _compiled(given: TensorType, result: TensorType) -> Kernel:
    assert given.format is not None
    indices = ",".join(f"d{dimension}" for dimension in range(len(given.format.levels)))
    return Kernel(parse(f"Z[{indices}] = A[{indices}]"), {"A": given}, result)
