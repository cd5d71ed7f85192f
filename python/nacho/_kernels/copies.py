"""Copies of tensors in other formats, made by the kernel of ``Z[i,j] = A[i,j]``.

The kernel is compiled once for each pair of types. It sorts the entries if the two
formats store the dimensions in different orders.
"""

from __future__ import annotations

import numpy as np

from nacho._kernels.cache import Cache
from nacho._kernels.logs import LoggedNotes, informs
from nacho._kernels.options import Lowering
from nacho._kernels.pins import Pin
from nacho._kernels.specialisation import Specialisation
from nacho._kernels.statement import NotationSource
from nacho._kernels.types import Typing
from nacho._notation.parser import parse
from nacho._storage.extents import index_extents
from nacho._storage.formats import Format, TensorType
from nacho._storage.operand_types import converted_type, tensor_type
from nacho._storage.operands import arguments, in_place
from nacho._storage.results import view_of_buffers
from nacho._storage.views import View
from nacho.errors import OperandError

_THREADS = 0
"""The most threads; 0 stands for as many as there are."""

_specialisations: Cache[Specialisation] = Cache()


def copied(view: View, wanted: Format) -> View:
    """Return a view in another format, made by a kernel."""
    if view.values.dtype == np.float16:
        # No expression computes with half floats, but their bits are integers.
        bits = view.with_arrays(view.pos, view.crd, view.values.view(np.int16))
        made = copied(bits, wanted)
        return made.with_arrays(made.pos, made.crd, made.values.view(np.float16))
    given, result = tensor_type("A", view), converted_type("A", view, wanted)
    found = _specialisations.get(
        (given, result), lambda: _specialisation(given, result)
    )
    assignment = found.statement.assignment
    notes = LoggedNotes(assignment.text) if informs() else None
    ready = in_place("A", view, given, notes)
    extents = index_extents(assignment, {"A": ready})
    args = arguments(ready)
    work = found.work.of({"A": ready}, extents)
    try:
        plan = found.plan(args, (0, _THREADS, work, 0), "call")
        buffers = found.execute(plan, args, planned=True, trusted=True)
    except RuntimeError as error:
        from nacho import _nacho

        if isinstance(error, _nacho.CoordinateOutOfRange | _nacho.OperandsChanged):
            raise OperandError(
                "the arrays of a tensor that is converted are not in order, or have "
                "changed since they were checked"
            ) from error
        raise
    return view_of_buffers(wanted, view.shape, buffers)


def _specialisation(given: TensorType, result: TensorType) -> Specialisation:
    assert given.format is not None
    indices = ",".join(f"d{dimension}" for dimension in range(len(given.format.levels)))
    pins = {
        name: Pin(type.format, type.dtype, type.pos_width, type.crd_width)
        for name, type in (("A", given), ("Z", result))
    }
    source = NotationSource(parse(f"Z[{indices}] = A[{indices}]"), pins)
    typing = Typing((given,), (given.dtype,), result.crd_width)
    return Specialisation(source, typing, Lowering())
