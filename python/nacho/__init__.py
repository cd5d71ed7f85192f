"""Nacho compiles expressions over sparse tensors into balanced parallel code.

>>> nacho.evaluate("Z[i,j] = A[i,j] + B[i,j]", A=A, B=B)  # doctest: +SKIP
"""

import builtins
from collections.abc import Callable
from typing import TYPE_CHECKING

from nacho import cache, mlir
from nacho._files import read, write
from nacho._kernels.copies import copied
from nacho._kernels.evaluation import einsum, evaluate
from nacho._kernels.evaluation import explained as explain
from nacho._kernels.explanation import Explanation
from nacho._kernels.partitioning import Nest, Partition, partition
from nacho._notation.functions import FUNCTIONS
from nacho._notation.gradient import grad
from nacho._notation.symbols import Expression, Index, access, indices
from nacho._storage import array_api
from nacho._storage.arrays import asarray
from nacho._storage.formats import Format
from nacho._storage.lazy import Lazy
from nacho._storage.lazy import use_kernels as use_kernels_for_lazy
from nacho._storage.reformat import use_kernels
from nacho._storage.tensor import Tensor
from nacho.errors import (
    ArgumentError,
    CompilationError,
    CostOverflowError,
    DeviceError,
    DTypeError,
    FileError,
    FormatError,
    IndexOverflowError,
    NachoError,
    NachoWarning,
    OperandError,
    OptionError,
    OutOfMemoryError,
    ParseError,
    ReductionError,
    RowError,
    ShapeError,
    UnsupportedError,
)

globals().update(FUNCTIONS)
if TYPE_CHECKING:
    # A type checker cannot know the names of these functions.
    def __getattr__(name: str) -> Callable[..., Expression]: ...


__version__ = "0.1.0"

# Conversions between formats and operators of tensors use kernels, but ``storage``
# cannot import ``kernels``, which is built on it.
use_kernels(copied)
use_kernels_for_lazy(evaluate, explain)

__all__ = [
    "ArgumentError",
    "CompilationError",
    "DTypeError",
    "Explanation",
    "Expression",
    "Format",
    "FileError",
    "FormatError",
    "Index",
    "CostOverflowError",
    "DeviceError",
    "IndexOverflowError",
    "Lazy",
    "NachoError",
    "NachoWarning",
    "Nest",
    "OperandError",
    "OptionError",
    "OutOfMemoryError",
    "ParseError",
    "Partition",
    "ReductionError",
    "RowError",
    "ShapeError",
    "Tensor",
    "UnsupportedError",
    "__version__",
    "access",
    "array_api",
    "asarray",
    "cache",
    "einsum",
    "evaluate",
    "explain",
    "grad",
    "indices",
    "mlir",
    "partition",
    "read",
    "write",
    # ``from nacho import *`` leaves Python's own sum, max and min alone.
    *(name for name in FUNCTIONS if not hasattr(builtins, name)),
]


def __dir__() -> list[str]:
    """Return the public names, which are those that an editor completes.

    ``nacho.torch`` is there once it has been imported.
    """
    return sorted({*__all__, *FUNCTIONS, *({"torch"} & globals().keys())})
