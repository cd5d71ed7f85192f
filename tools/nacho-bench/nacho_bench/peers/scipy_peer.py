"""SciPy; if it lacks an operation, the code that users would write with NumPy."""

from typing import Any

import numpy as np
import scipy
import scipy.sparse as sp

from nacho_bench.kernels import RANK, WIDTH
from nacho_bench.operands import Operands
from nacho_bench.peers import Kernels, Prepared

_CHUNK = 1 << 14


class SciPy:
    def __init__(self, threads: int) -> None:
        self.version = scipy.__version__
        self.kernels: Kernels = {
            "csr-add": _add,
            "csr-add3": _add,
            "csr-mul": _multiply,
            "dcsr-add": _add,
            "dcsr-mul": _multiply,
            "coo-add": _add,
            "coo-mul": _multiply,
            "coo+csr": _add,
            "coo3-add": _add_tensors,
            "csf-add": _add_tensors,
            "coo3-inner": _inner,
            "csf-inner": _inner,
            "spgemm": _product,
            "spgemm-masked": _masked,
            "spmv": lambda given: _times(given, "x"),
            "spmm": lambda given: _times(given, "D"),
            "sddmm": _sddmm,
            "mttkrp": _mttkrp,
        }


def container(given: Operands, name: str) -> Any:
    """Return an operand in the nearest format that SciPy has."""
    if given.kernel.formats[name] in ("csr", "dcsr"):
        return given.csr(name)
    return given.scipy_coo(name)


def entries(result: Any) -> Any:
    if not sp.issparse(result):
        return result
    found = result.tocoo()
    return found.coords, found.data, found.shape


def _two(given: Operands) -> tuple[Any, Any]:
    return container(given, "A"), container(given, "B")


def _add(given: Operands) -> Prepared:
    a, b, *more = (container(given, name) for name in given.kernel.sparse)
    if more:
        return lambda: a + b + more[0], entries
    return lambda: a + b, entries


def _multiply(given: Operands) -> Prepared:
    a, b = _two(given)
    return lambda: a.multiply(b), entries


def _add_tensors(given: Operands) -> Prepared:
    a, b = _two(given)

    def call() -> Any:
        total = a + b
        total.sum_duplicates()
        return total

    return call, entries


def _inner(given: Operands) -> Prepared:
    a, b = _two(given)
    return lambda: a.multiply(b).sum(), entries


def _product(given: Operands) -> Prepared:
    a, b = _two(given)
    return lambda: a @ b, entries


def _masked(given: Operands) -> Prepared:
    a, b = _two(given)
    mask = given.csr("M")
    return lambda: (a @ b).multiply(mask), entries


def _times(given: Operands, name: str) -> Prepared:
    matrix, dense = given.csr("A"), given.dense(name)
    return lambda: matrix @ dense, entries


def _sddmm(given: Operands) -> Prepared:
    """Dot products of gathered rows, some at a time so that they stay in the cache."""
    (rows, columns), values, shape = given.coo("A")
    matrix = given.csr("A")
    left, right = given.dense("D"), given.dense("E")

    def call() -> Any:
        found = np.empty(values.size)
        for start in range(0, values.size, _CHUNK):
            part = slice(start, start + _CHUNK)
            np.einsum(
                "ij,ij->i",
                left[rows[part]].reshape(-1, WIDTH),
                right[columns[part]],
                out=found[part],
            )
        found *= values
        pattern = (found, matrix.indices.copy(), matrix.indptr.copy())
        return sp.csr_array(pattern, shape=shape)

    return call, entries


def _mttkrp(given: Operands) -> Prepared:
    (i, j, k), values, shape = given.coo("A")
    second, third = given.dense("D").T.copy(), given.dense("E").T.copy()

    def call() -> Any:
        found = np.empty((RANK, shape[0]))
        for column in range(RANK):
            weights = values * second[column, j] * third[column, k]
            found[column] = np.bincount(i, weights, shape[0])
        return found

    return call, np.transpose
