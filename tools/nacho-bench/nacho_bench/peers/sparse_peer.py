"""PyData sparse: COO and GCXS, compiled by Numba, in one thread."""

from typing import Any

import sparse

from nacho_bench.operands import Operands
from nacho_bench.peers import Kernels, Prepared


class Sparse:
    def __init__(self, threads: int) -> None:
        self.version = sparse.__version__
        self.kernels: Kernels = {
            "csr-add": _add,
            "csr-add3": _add,
            "csr-mul": _multiply,
            "coo-add": _add,
            "coo-mul": _multiply,
            "coo3-add": _add,
            "csf-add": _add,
            "coo3-inner": _inner,
            "csf-inner": _inner,
            "spgemm": lambda given: _times(given, _container(given, "B")),
            "spmv": lambda given: _times(given, given.dense("x")),
            "spmm": lambda given: _times(given, given.dense("D")),
        }


def _container(given: Operands, name: str) -> Any:
    coords, values, shape = given.coo(name)
    if given.kernel.formats[name] == "csr":
        return sparse.GCXS.from_scipy_sparse(given.csr(name))
    return sparse.COO(
        list(coords), values, shape=shape, has_duplicates=False, sorted=True
    )


def entries(result: Any) -> Any:
    if not isinstance(result, sparse.SparseArray):
        return result
    if not result.ndim:
        return result.todense()
    found = result if isinstance(result, sparse.COO) else result.tocoo()
    return tuple(found.coords), found.data, found.shape


def _add(given: Operands) -> Prepared:
    a, b, *more = (_container(given, name) for name in given.kernel.sparse)
    if more:
        return lambda: a + b + more[0], entries
    return lambda: a + b, entries


def _multiply(given: Operands) -> Prepared:
    a, b = _container(given, "A"), _container(given, "B")
    return lambda: a * b, entries


def _inner(given: Operands) -> Prepared:
    a, b = _container(given, "A"), _container(given, "B")
    return lambda: (a * b).sum(), entries


def _times(given: Operands, other: Any) -> Prepared:
    a = _container(given, "A")
    return lambda: a @ other, entries
