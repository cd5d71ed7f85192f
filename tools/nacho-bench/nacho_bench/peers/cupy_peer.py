"""CuPy: SciPy's matrices on a GPU. It has no tensors of a higher rank."""

from typing import Any

import cupy
import cupyx.scipy.sparse as sparse

from nacho_bench.cuda import Cuda
from nacho_bench.operands import Operands
from nacho_bench.peers import Kernels, Prepared


class CuPy:
    def __init__(self, threads: int) -> None:
        self.version = cupy.__version__
        self.timed = Cuda().timed
        self.kernels: Kernels = {
            "csr-add": _add,
            "csr-add3": _add,
            "csr-mul": _multiply,
            "coo-add": _add,
            "coo-mul": _multiply,
            "coo+csr": _add,
            "spgemm": lambda given: _times(given, _csr(given, "B")),
            "spgemm-masked": _masked,
            "spmv": lambda given: _times(given, cupy.asarray(given.dense("x"))),
            "spmm": lambda given: _times(given, cupy.asarray(given.dense("D"))),
        }


def _csr(given: Operands, name: str) -> Any:
    a = given.csr(name)
    arrays = tuple(cupy.asarray(each) for each in (a.data, a.indices, a.indptr))
    return sparse.csr_matrix(arrays, shape=a.shape)


def _container(given: Operands, name: str) -> Any:
    if given.kernel.formats[name] == "csr":
        return _csr(given, name)
    (rows, columns), values, shape = given.coo(name)
    rows, columns, values = (cupy.asarray(each) for each in (rows, columns, values))
    return sparse.coo_matrix((values, (rows, columns)), shape=shape)


def _add(given: Operands) -> Prepared:
    a, b, *more = (_container(given, name) for name in given.kernel.sparse)
    if more:
        return lambda: a + b + more[0], entries
    return lambda: a + b, entries


def _multiply(given: Operands) -> Prepared:
    a, b = _container(given, "A"), _container(given, "B")
    # Only CSR can be multiplied.
    return lambda: a.tocsr().multiply(b.tocsr()), entries


def _times(given: Operands, other: Any) -> Prepared:
    a = _csr(given, "A")
    return lambda: a @ other, entries


def _masked(given: Operands) -> Prepared:
    a, b, mask = (_csr(given, name) for name in ("A", "B", "M"))
    return lambda: (a @ b).multiply(mask), entries


def entries(result: Any) -> Any:
    if not sparse.issparse(result):
        return cupy.asnumpy(result)
    found = result.tocoo()
    coords = tuple(cupy.asnumpy(each) for each in (found.row, found.col))
    return coords, cupy.asnumpy(found.data), found.shape
