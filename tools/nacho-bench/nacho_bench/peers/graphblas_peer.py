"""SuiteSparse:GraphBLAS; every call waits until its result is complete."""

from collections.abc import Callable
from typing import Any

import graphblas as gb
import numpy as np
import suitesparse_graphblas

from nacho_bench.operands import Operands
from nacho_bench.peers import Kernels, Prepared


class GraphBLAS:
    def __init__(self, threads: int) -> None:
        gb.init("suitesparse", blocking=False)
        gb.ss.config["nthreads"] = threads
        self.version = suitesparse_graphblas.__version__
        self.kernels: Kernels = {
            "csr-add": _add,
            "csr-add3": _add,
            "csr-mul": _multiply,
            "dcsr-add": _add,
            "dcsr-mul": _multiply,
            "spgemm": _product,
            "spgemm-masked": _masked,
            "spgemm-min-plus": _shortest,
            "triangles": _triangles,
            "spmv": _spmv,
            "spmv-min-plus": _nearest,
            "spmm": _spmm,
            "sddmm": _sddmm,
        }


def _matrix(given: Operands, name: str) -> Any:
    """Return an operand as CSR, as DCSR, or dense, by its format in the kernel."""
    kind = given.kernel.formats[name]
    if kind == "dense":
        return gb.Matrix.from_dense(given.dense(name))
    if kind == "dcsr":
        levels = given.levels(name, "dcsr")
        made = gb.Matrix.from_dcsr(
            *(part.astype(np.uint64) for part in (levels.crd[0], levels.pos[1])),
            levels.crd[1].astype(np.uint64),
            levels.values,
            nrows=levels.shape[0],
            ncols=levels.shape[1],
        )
    else:
        a = given.csr(name)
        parts = (part.astype(np.uint64) for part in (a.indptr, a.indices))
        made = gb.Matrix.from_csr(*parts, a.data, ncols=a.shape[1])
    return _done(made)


def _done(made: Any) -> Any:
    made.wait("materialize")
    return made


def entries(result: Any) -> Any:
    rows, columns, values = result.to_coo()
    return (rows.astype(np.int64), columns.astype(np.int64)), values, result.shape


def dense_entries(result: Any) -> Any:
    """Return a dense result; GraphBLAS leaves out its elements for empty rows."""
    return result.to_dense(fill_value=0.0)


def _timed(call: Callable[[], Any], read: Callable[[Any], Any] = entries) -> Prepared:
    return lambda: _done(call()), read


def _add(given: Operands) -> Prepared:
    a, b, *more = (_matrix(given, name) for name in given.kernel.sparse)
    plus = gb.binary.plus
    if more:
        return _timed(lambda: a.ewise_add(b, plus).new().ewise_add(more[0], plus).new())
    return _timed(lambda: a.ewise_add(b, plus).new())


def _multiply(given: Operands) -> Prepared:
    a, b = _matrix(given, "A"), _matrix(given, "B")
    return _timed(lambda: a.ewise_mult(b, gb.binary.times).new())


def _product(given: Operands) -> Prepared:
    a, b = _matrix(given, "A"), _matrix(given, "B")
    return _timed(lambda: a.mxm(b, gb.semiring.plus_times).new())


def _shortest(given: Operands) -> Prepared:
    a, b = _matrix(given, "A"), _matrix(given, "B")
    return _timed(lambda: a.mxm(b, gb.semiring.min_plus).new())


def _triangles(given: Operands) -> Prepared:
    m, a, b = (_matrix(given, name) for name in "MAB")
    return _timed(lambda: a.mxm(b, gb.semiring.plus_pair).new(mask=m.S))


def _nearest(given: Operands) -> Prepared:
    a, x = _matrix(given, "A"), gb.Vector.from_dense(given.dense("x"))
    return _timed(
        lambda: a.mxv(x, gb.semiring.min_plus).new(),
        lambda result: result.to_dense(fill_value=np.inf),
    )


def _masked(given: Operands) -> Prepared:
    m, a, b = (_matrix(given, name) for name in "MAB")
    return _sampled(m, lambda: a.mxm(b, gb.semiring.plus_times))


def _sddmm(given: Operands) -> Prepared:
    a, left, right = (_matrix(given, name) for name in "ADE")
    return _sampled(a, lambda: left.mxm(right.T, gb.semiring.plus_times))


def _sampled(mask: Any, product: Callable[[], Any]) -> Prepared:
    """Compute a product where the mask has entries, and multiply it by their values."""

    def call() -> Any:
        found = product().new(mask=mask.S)
        return found.ewise_mult(mask, gb.binary.times).new()

    return _timed(call)


def _spmv(given: Operands) -> Prepared:
    a, x = _matrix(given, "A"), gb.Vector.from_dense(given.dense("x"))
    return _timed(lambda: a.mxv(x, gb.semiring.plus_times).new(), dense_entries)


def _spmm(given: Operands) -> Prepared:
    a, d = _matrix(given, "A"), _matrix(given, "D")
    return _timed(lambda: a.mxm(d, gb.semiring.plus_times).new(), dense_entries)
