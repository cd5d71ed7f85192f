"""Nacho compiles expressions over sparse tensors into balanced parallel code.

>>> nacho.evaluate("Z[i,j] = A[i,j] + B[i,j]", A=A, B=B)  # doctest: +SKIP
"""

from nacho import mlir
from nacho.einsum import einsum
from nacho.errors import (
    ArgumentError,
    DTypeError,
    FormatError,
    IndexOverflowError,
    NachoError,
    OperandError,
    OutOfMemoryError,
    ParseError,
    ReductionError,
    ShapeError,
    UnsupportedError,
)
from nacho.evaluation import evaluate
from nacho.formats import Format
from nacho.partitioning import Nest, Partition, partition
from nacho.symbols import (
    Expression,
    Index,
    access,
    cos,
    exp,
    indices,
    log,
    maximum,
    minimum,
    sin,
    sqrt,
    tanh,
    where,
)
from nacho.tensor import Tensor

__version__ = "0.1.0"

__all__ = [
    "ArgumentError",
    "DTypeError",
    "Expression",
    "Format",
    "FormatError",
    "Index",
    "IndexOverflowError",
    "NachoError",
    "Nest",
    "OperandError",
    "OutOfMemoryError",
    "ParseError",
    "Partition",
    "ReductionError",
    "ShapeError",
    "Tensor",
    "UnsupportedError",
    "__version__",
    "access",
    "cos",
    "einsum",
    "evaluate",
    "exp",
    "indices",
    "log",
    "maximum",
    "minimum",
    "mlir",
    "partition",
    "sin",
    "sqrt",
    "tanh",
    "where",
]
