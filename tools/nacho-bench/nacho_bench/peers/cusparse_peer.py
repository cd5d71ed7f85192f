"""NVIDIA's cuSPARSE, called as its documentation does.

A call allocates its result, and the buffers that depend on it, from a pool of memory
that stays with the process. What depends on the operands' patterns alone, and can be
kept from call to call, is prepared before: buffers and analyses of SpMV, SpMM, SDDMM.
"""

import ctypes
from collections.abc import Callable
from ctypes import c_double, c_int, c_int64, c_size_t
from typing import Any, NamedTuple

import numpy as np

from nacho_bench.cuda import Array, Cuda
from nacho_bench.cusparse import (
    AS_IT_IS,
    BASE_ZERO,
    BY_DEFAULT,
    INDEX_32,
    REAL_64,
    ROW_MAJOR,
    TRANSPOSED,
    Cusparse,
    Object,
)
from nacho_bench.operands import Operands
from nacho_bench.peers import Kernels, Prepared

_ONE, _ZERO = ctypes.byref(c_double(1.0)), ctypes.byref(c_double(0.0))
_CSR_TYPES = (INDEX_32, INDEX_32, BASE_ZERO, REAL_64)


class Matrix(NamedTuple):
    """A matrix in CSR on the GPU."""

    shape: tuple[int, int]
    pos: Array
    crd: Array
    values: Array

    @property
    def count(self) -> int:
        return self.crd.shape[0]


class CusparsePeer:
    included = "sddmm does not multiply by the values of A, which the others do"

    def __init__(self, threads: int) -> None:
        self.cuda = Cuda()
        self.cusparse = Cusparse()
        self.version = self.cusparse.version()
        self.timed = self.cuda.timed
        self.plain = self.cusparse.make("CreateMatDescr", "DestroyMatDescr")
        self.kernels: Kernels = {
            "csr-add": self.add,
            "csr-add3": self.add,
            "spgemm": self.product,
            "spmv": self.spmv,
            "spmm": self.spmm,
            "sddmm": self.sddmm,
        }

    # Operands and results ---------------------------------------------------------

    def matrix(self, given: Operands, name: str) -> Matrix:
        a = given.csr(name)
        arrays = (self.cuda.array(each) for each in (a.indptr, a.indices, a.data))
        return Matrix(a.shape, *arrays)

    def result(self, shape: tuple[int, int], pos: Array, count: int) -> Matrix:
        """Return a matrix with so many entries, which have no values yet."""
        empty = self.cuda.empty
        return Matrix(shape, pos, empty(count, np.int32), empty(count, np.float64))

    def sparse(self, matrix: Matrix) -> Object:
        """Describe a matrix in CSR."""
        arrays = (matrix.pos, matrix.crd, matrix.values)
        return self.csr(*matrix.shape, matrix.count, *arrays)

    def csr(self, *arguments: Any) -> Object:
        """Describe a matrix by its extents, its number of entries and its arrays."""
        create, destroy = "CreateCsr", "DestroySpMat"
        made = self.cusparse.make(create, destroy, *arguments, *_CSR_TYPES)
        made.kept = arguments
        return made

    def dense(self, array: Array) -> Object:
        """Describe a vector, or a matrix whose rows are contiguous."""
        if len(array.shape) == 1:
            shape: tuple[int, ...] = array.shape
            names, order = ("CreateDnVec", "DestroyDnVec"), ()
        else:
            shape, order = (*array.shape, array.shape[1]), (ROW_MAJOR,)
            names = ("CreateDnMat", "DestroyDnMat")
        made = self.cusparse.make(*names, *shape, array, REAL_64, *order)
        made.kept = (array,)
        return made

    def buffer(self, function: str, *given: Any) -> Array:
        """Return a buffer for a function, of the size that cuSPARSE asks for."""
        size = c_size_t()
        self.cusparse(function, *given, ctypes.byref(size))
        return self.cuda.empty(size.value, np.uint8)

    # Sums -------------------------------------------------------------------------

    def add(self, given: Operands) -> Prepared:
        a, b, *more = (self.matrix(given, name) for name in given.kernel.sparse)
        if more:
            return lambda: self.sum(self.sum(a, b), more[0]), entries
        return lambda: self.sum(a, b), entries

    def sum(self, a: Matrix, b: Matrix) -> Matrix:
        """Add by csrgeam2: a buffer, then the rows of the sum, then its entries."""
        shape, plain, count = (self.cusparse.handle, *a.shape), self.plain, c_int()
        patterns, operands = [], []
        for each in (a, b):
            patterns += [plain, each.count, each.pos, each.crd]
            operands += [_ONE, plain, each.count, each.values, each.pos, each.crd]
        pos = self.cuda.empty(a.shape[0] + 1, np.int32)
        sized = (*shape, *operands, plain, None, pos, None)
        buffer = self.buffer("Dcsrgeam2_bufferSizeExt", *sized)
        counted = (*shape, *patterns, plain, pos, ctypes.byref(count), buffer)
        self.cusparse("Xcsrgeam2Nnz", *counted)
        made = self.result(a.shape, pos, count.value)
        result = (plain, made.values, made.pos, made.crd)
        self.cusparse("Dcsrgeam2", *shape, *operands, *result, buffer)
        return made

    # Products of sparse matrices --------------------------------------------------

    def product(self, given: Operands) -> Prepared:
        a, b = (self.matrix(given, name) for name in ("A", "B"))
        factors, shape = (self.sparse(a), self.sparse(b)), (a.shape[0], b.shape[1])
        return lambda: self.multiplied(*factors, shape), entries

    def multiplied(self, a: Object, b: Object, shape: tuple[int, int]) -> Matrix:
        """Multiply by SpGEMM: estimate, compute, and copy to a place that we give."""
        result = self.csr(*shape, 0, None, None, None)
        steps = ("SpGEMM_createDescr", "SpGEMM_destroyDescr")
        whole = self.arguments(AS_IT_IS, a, b, result, self.cusparse.make(*steps))
        # Both buffers are needed until the end.
        buffers = [
            self._step(name, whole)
            for name in ("SpGEMM_workEstimation", "SpGEMM_compute")
        ]
        sizes = [c_int64(), c_int64(), c_int64()]
        self.cusparse("SpMatGetSize", result, *map(ctypes.byref, sizes))
        pos = self.cuda.empty(shape[0] + 1, np.int32)
        made = self.result(shape, pos, sizes[-1].value)
        self.cusparse("CsrSetPointers", result, pos, made.crd, made.values)
        self.cusparse("SpGEMM_copy", *whole)
        buffers.clear()
        return made

    def _step(self, name: str, whole: tuple[Any, ...]) -> Array:
        """Ask a step of SpGEMM for the size of its buffer, then give it the buffer."""
        size = c_size_t()
        self.cusparse(name, *whole, ctypes.byref(size), None)
        buffer = self.cuda.empty(size.value, np.uint8)
        self.cusparse(name, *whole, ctypes.byref(size), buffer)
        return buffer

    def arguments(
        self, second: int, a: Object, b: Object, result: Object, *more: Any
    ) -> tuple[Any, ...]:
        """Return arguments for a product; ``second`` says what is done with B."""
        operands = (_ONE, a, b, _ZERO, result)
        handle = self.cusparse.handle
        return (handle, AS_IT_IS, second, *operands, REAL_64, BY_DEFAULT, *more)

    # Products with dense operands -------------------------------------------------

    def spmv(self, given: Operands) -> Prepared:
        a, x = self.sparse(self.matrix(given, "A")), self.cuda.array(given.dense("x"))
        factor = self.dense(x)

        def arguments(y: Array) -> tuple[Any, ...]:
            operands = (_ONE, a, factor, _ZERO, self.dense(y))
            return (self.cusparse.handle, AS_IT_IS, *operands, REAL_64, BY_DEFAULT)

        return self._repeated("SpMV", arguments, given.shape)

    def spmm(self, given: Operands) -> Prepared:
        a, d = self.sparse(self.matrix(given, "A")), self.cuda.array(given.dense("D"))
        factor = self.dense(d)

        def arguments(z: Array) -> tuple[Any, ...]:
            return self.arguments(AS_IT_IS, a, factor, self.dense(z))

        return self._repeated("SpMM", arguments, given.shape)

    def _repeated(
        self,
        function: str,
        arguments: Callable[[Array], tuple[Any, ...]],
        shape: tuple[int, ...],
    ) -> Prepared:
        """Return a call with a dense result, for which everything is prepared."""
        first = arguments(self.cuda.empty(shape, np.float64))
        buffer = self.buffer(f"{function}_bufferSize", *first)
        # Older versions of cuSPARSE analyse operands in the product itself.
        if self.cusparse.has(f"{function}_preprocess"):
            self.cusparse(f"{function}_preprocess", *first, buffer)

        def call() -> Array:
            made = self.cuda.empty(shape, np.float64)
            self.cusparse(function, *arguments(made), buffer)
            return made

        return call, Array.host

    def sddmm(self, given: Operands) -> Prepared:
        """Multiply where A has entries; results share A's pattern."""
        a, factors = (
            self.matrix(given, "A"),
            [self.dense(self.cuda.array(given.dense(name))) for name in ("D", "E")],
        )

        def arguments(z: Matrix) -> tuple[Any, ...]:
            return self.arguments(TRANSPOSED, *factors, self.sparse(z))

        def empty() -> Matrix:
            return a._replace(values=self.cuda.empty(a.count, np.float64))

        first = arguments(empty())
        buffer = self.buffer("SDDMM_bufferSize", *first)
        self.cusparse("SDDMM_preprocess", *first, buffer)

        def call() -> Matrix:
            made = empty()
            self.cusparse("SDDMM", *arguments(made), buffer)
            return made

        def scaled(found: Matrix) -> Any:
            coords, values, shape = entries(found)
            return coords, values * given.csr("A").data, shape

        return call, scaled


def entries(matrix: Matrix) -> Any:
    """Return the coordinates, values and shape of a matrix."""
    counts = np.diff(matrix.pos.host())
    rows = np.repeat(np.arange(matrix.shape[0]), counts)
    return (rows, matrix.crd.host()), matrix.values.host(), matrix.shape
