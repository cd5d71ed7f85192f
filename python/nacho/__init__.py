"""Nacho compiles expressions over sparse tensors into balanced parallel code.

>>> nacho.evaluate("Z[i,j] = A[i,j] + B[i,j]", A=A, B=B)  # doctest: +SKIP
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from nacho import cache, mlir
from nacho._arrays import array_api
from nacho._arrays import joining as _joining
from nacho._arrays import numpy_functions as _numpy_functions
from nacho._arrays.arrays import asarray
from nacho._arrays.lazy import Lazy
from nacho._arrays.tensor import Tensor
from nacho._files import read, write
from nacho._kernels.evaluation import einsum, evaluate
from nacho._kernels.evaluation import explained as explain
from nacho._kernels.explanation import Explanation
from nacho._kernels.loaded import LoadedKernel, load
from nacho._kernels.partitioning import Nest, Partition, partition
from nacho._kernels.parts import Part, Piece, join
from nacho._notation.functions import FUNCTIONS
from nacho._notation.gradient import grad
from nacho._notation.monoids import Monoid, Op, Semiring, op
from nacho._notation.symbols import Expression, Index, access, indices
from nacho._storage.formats import Format
from nacho.errors import (
    ArgumentError,
    CompilationError,
    CostOverflowError,
    DeviceError,
    DTypeError,
    FileAccessError,
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
    UnsupportedOperandError,
)

globals().update(FUNCTIONS)
_numpy_functions.add(_joining.FUNCTIONS)
if TYPE_CHECKING:
    from typing import Any, Protocol, overload

    from nacho._arrays.lazy import ArrayOperators

    class OfElements(Protocol):
        @overload
        def __call__(self, x: ArrayOperators, /, *others: object) -> Lazy: ...
        @overload
        def __call__(self, x: Expression, /, *others: object) -> Expression: ...
        @overload
        def __call__(self, *operands: object) -> Any: ...

    # A type checker cannot know what the table of operators has.
    acos: OfElements
    acosh: OfElements
    angle: OfElements
    asin: OfElements
    asinh: OfElements
    atan: OfElements
    atan2: OfElements
    atanh: OfElements
    cbrt: OfElements
    ceil: OfElements
    clip: OfElements
    conj: OfElements
    copysign: OfElements
    cos: OfElements
    cosh: OfElements
    exp: OfElements
    exp2: OfElements
    expm1: OfElements
    floor: OfElements
    fmod: OfElements
    hypot: OfElements
    imag: OfElements
    isnan: OfElements
    keep: OfElements
    log: OfElements
    log10: OfElements
    log1p: OfElements
    log2: OfElements
    logaddexp: OfElements
    maximum: OfElements
    minimum: OfElements
    real: OfElements
    relu: OfElements
    sigmoid: OfElements
    sign: OfElements
    sin: OfElements
    sinh: OfElements
    sqrt: OfElements
    tan: OfElements
    tanh: OfElements
    trunc: OfElements
    where: OfElements
    pattern: Callable[[Expression], Expression]
    argmax: Callable[..., Expression]
    argmin: Callable[..., Expression]
    count: Callable[..., Expression]
    max: Callable[..., Expression]
    min: Callable[..., Expression]
    prod: Callable[..., Expression]
    sum: Callable[..., Expression]


__version__ = "0.1.0"

__all__ = [
    "ArgumentError",
    "CompilationError",
    "CostOverflowError",
    "DTypeError",
    "DeviceError",
    "Explanation",
    "Expression",
    "FileAccessError",
    "FileError",
    "Format",
    "FormatError",
    "Index",
    "IndexOverflowError",
    "Lazy",
    "LoadedKernel",
    "Monoid",
    "NachoError",
    "NachoWarning",
    "Nest",
    "Op",
    "OperandError",
    "OptionError",
    "OutOfMemoryError",
    "ParseError",
    "Part",
    "Partition",
    "Piece",
    "ReductionError",
    "RowError",
    "Semiring",
    "ShapeError",
    "Tensor",
    "UnsupportedError",
    "UnsupportedOperandError",
    "__version__",
    "access",
    # Of the functions of expressions, ``from nacho import *`` leaves out those that
    # are called like Python's own.
    "acos",
    "acosh",
    "angle",
    "argmax",
    "argmin",
    "array_api",
    "asarray",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "cache",
    "cbrt",
    "ceil",
    "clip",
    "conj",
    "copysign",
    "cos",
    "cosh",
    "count",
    "einsum",
    "evaluate",
    "exp",
    "exp2",
    "explain",
    "expm1",
    "floor",
    "fmod",
    "grad",
    "hypot",
    "imag",
    "indices",
    "isnan",
    "join",
    "keep",
    "load",
    "log",
    "log1p",
    "log2",
    "log10",
    "logaddexp",
    "maximum",
    "minimum",
    "mlir",
    "op",
    "partition",
    "pattern",
    "prod",
    "read",
    "real",
    "relu",
    "sigmoid",
    "sign",
    "sin",
    "sinh",
    "sqrt",
    "tan",
    "tanh",
    "trunc",
    "where",
    "write",
]


def __dir__() -> list[str]:
    """Return the public names, which are those that an editor completes.

    ``nacho.torch`` is there once it has been imported.
    """
    return sorted({*__all__, *FUNCTIONS, *({"torch"} & globals().keys())})
