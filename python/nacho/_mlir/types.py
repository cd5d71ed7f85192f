"""Types of tensors as MLIR writes them."""

from __future__ import annotations

from nacho._elements import MLIR
from nacho._notation.tree import Split
from nacho._storage.formats import TensorType


def type_text(tensor: TensorType, split: Split | None, encoding: str) -> str:
    """Return the type of a tensor, whose encoding has a name, or of a number."""
    element = MLIR[tensor.dtype]
    if tensor.format is None:
        return f"tensor<{element}>"
    if split is None:
        extents = "?x" * (tensor.format.rank or 0)
    else:
        extents = "".join(f"{p.size if p.is_inside else '?'}x" for p in split.parts)
    return f"tensor<{extents}{element}, {encoding}>"
