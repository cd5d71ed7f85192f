"""Operands and results of nacho on a GPU: where they are while a call is timed.

Two functions are all that depends on how nacho takes arrays of a GPU: ``operand`` and
``entries``. If its tensors can be moved (``nacho.Tensor.to``), operands are moved to
the GPU before any call, and results stay there. Otherwise calls take operands of the
host, and copy them each time; then ``included`` says so beside the times.
"""

from typing import Any

import nacho
from nacho_bench.operands import Operands
from nacho_bench.peers import nacho_peer

_ON_GPU = "operands and results are on the GPU"
_COPIED = (
    "every call copies its operands to the GPU and its result to the host, because "
    "this nacho takes no arrays of a GPU"
)


def moves() -> bool:
    """Return whether nacho has tensors on a GPU."""
    return hasattr(nacho.Tensor, "to")


def included() -> str:
    """Return what times of nacho have in them beside the kernels."""
    return _ON_GPU if moves() else _COPIED


def operand(given: Operands, name: str) -> Any:
    """Return an operand where calls are timed with it: on the GPU if that can be."""
    if not moves():
        return nacho_peer.container(given, name)
    format = given.kernel.formats[name]
    if format == "dense":
        values = given.dense(name)
        none = [None] * values.ndim
        made = nacho.Tensor.from_parts(format, values.shape, none, none, values.ravel())
    else:
        levels = given.levels(name, format)
        made = nacho.Tensor.from_parts(
            format, levels.shape, levels.pos, levels.crd, levels.values
        )
    return made.to("cuda")


def entries(result: Any) -> Any:
    """Return the coordinates, values and shape of a result, or a dense array."""
    if moves() and isinstance(result, nacho.Tensor):
        result = result.to("cpu")
        if result.format.name == "dense":
            return result.values.reshape(result.shape)
    return nacho_peer.entries(result)
