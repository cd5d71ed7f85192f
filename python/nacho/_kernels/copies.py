"""Copies of tensors in other formats, made by the kernel of ``Z[i,j] = A[i,j]``.

The kernel is compiled once for each pair of types. It sorts the entries if the two
formats store the dimensions in different orders.
"""

from __future__ import annotations

from typing import Any

from nacho._kernels.cache import Cache
from nacho._kernels.call import Call
from nacho._kernels.pins import Pin
from nacho._kernels.request import Lowering, Running
from nacho._kernels.specialisation import Specialisation, Specialiser
from nacho._kernels.statement import NotationSource
from nacho._notation.parser import parse
from nacho._storage.formats import Format, TensorType
from nacho._storage.operands import converted_type
from nacho._storage.tensor import Tensor
from nacho._storage.views import View

_specialisers: Cache[Specialiser] = Cache()


def copied(view: View, wanted: Format) -> View:
    """Return a view in another format, made by a kernel."""
    result = converted_type("Tensor", view, wanted)
    key = (view.format, result)
    found = _specialisers.get(key, lambda: _specialiser(view.format, result))
    source = Tensor._of(view)
    made: Tensor = found.run([source], {"A": view}, Running(validate="none"), _tensor)
    return made._view


def _tensor(specialisation: Specialisation, call: Call) -> Any:
    """Compute the result as a ``nacho.Tensor``, even if it is dense."""
    return specialisation.compute(call._replace(kind=None))


def _specialiser(given: Format, result: TensorType) -> Specialiser:
    indices = ",".join(f"d{dimension}" for dimension in range(len(given.levels)))
    assignment = parse(f"Z[{indices}] = A[{indices}]")
    pin = Pin(result.format, result.dtype, result.pos_width, result.crd_width)
    source = NotationSource(assignment, {"A": Pin(given), "Z": pin})
    return Specialiser(source, Lowering())
