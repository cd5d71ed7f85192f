"""Nacho compiles expressions over sparse tensors into balanced parallel code.

>>> nacho.evaluate("Z[i,j] = A[i,j] + B[i,j]", A=A, B=B)  # doctest: +SKIP
"""

from nacho import mlir
from nacho.errors import (
    ArgumentError,
    DTypeError,
    FormatError,
    IndexOverflowError,
    NachoError,
    OperandError,
    OutOfMemoryError,
    ParseError,
    ShapeError,
    UnsupportedError,
)
from nacho.evaluation import Partition, evaluate, partition
from nacho.formats import Format
from nacho.storage import Tensor

__version__ = "0.1.0"

__all__ = [
    "ArgumentError",
    "DTypeError",
    "Format",
    "FormatError",
    "IndexOverflowError",
    "NachoError",
    "OperandError",
    "OutOfMemoryError",
    "ParseError",
    "Partition",
    "ShapeError",
    "Tensor",
    "UnsupportedError",
    "__version__",
    "evaluate",
    "mlir",
    "partition",
]
