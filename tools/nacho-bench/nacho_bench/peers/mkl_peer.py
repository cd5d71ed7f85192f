"""Intel MKL's sparse BLAS, called by ctypes: the interface with 32-bit indices.

The rows of its products are not sorted; ``mkl-sorted`` sorts them.
"""

import ctypes
import sys
from pathlib import Path
from typing import Any

import numpy as np

from nacho_bench.kernels import WIDTH
from nacho_bench.native import array
from nacho_bench.operands import Operands
from nacho_bench.peers import Kernels, NotInstalledError, Prepared

_NONE, _GENERAL, _ROW_MAJOR = 10, 20, 101


class _Description(ctypes.Structure):
    """``struct matrix_descr``."""

    _fields_ = (
        ("type", ctypes.c_int),
        ("mode", ctypes.c_int),
        ("diag", ctypes.c_int),
    )


_PLAIN = _Description(_GENERAL, 0, 0)
_Handle = ctypes.c_void_p


def _load() -> Any:
    found = sorted((Path(sys.prefix) / "lib").glob("libmkl_rt.so*"))
    if not found:
        raise NotInstalledError("libmkl_rt.so is not there")
    # It looks for Intel's OpenMP by name.
    for runtime in (Path(sys.prefix) / "lib").glob("libiomp5.so"):
        ctypes.CDLL(str(runtime), ctypes.RTLD_GLOBAL)
    return ctypes.CDLL(str(found[0]), ctypes.RTLD_GLOBAL)


class Mkl:
    def __init__(self, threads: int) -> None:
        self.mkl = _load()
        self.mkl.MKL_Set_Num_Threads(threads)
        version = ctypes.create_string_buffer(200)
        self.mkl.mkl_get_version_string(version, 200)
        self.version = version.value.decode().split("Version ")[1].split("-")[0]
        self.kernels: Kernels = {
            "csr-add": self.add,
            "csr-add3": self.add,
            "spgemm": self.product,
            "spmv": self.spmv,
            "spmm": self.spmm,
        }

    def check(self, status: int) -> None:
        if status:
            raise RuntimeError(f"MKL returned status {status}")

    def matrix(self, given: Operands, name: str) -> "Matrix":
        a = given.csr(name)
        made = Matrix(self.mkl, a)
        rows, columns = a.shape
        ends = (a.indptr[:-1].ctypes.data, a.indptr[1:].ctypes.data)
        self.check(
            self.mkl.mkl_sparse_d_create_csr(
                ctypes.byref(made.handle),
                0,
                rows,
                columns,
                *map(ctypes.c_void_p, (*ends, a.indices.ctypes.data)),
                ctypes.c_void_p(a.data.ctypes.data),
            )
        )
        return made

    def sum(self, a: "Matrix", b: "Matrix") -> "Matrix":
        made = Matrix(self.mkl)
        one = ctypes.c_double(1.0)
        self.check(
            self.mkl.mkl_sparse_d_add(
                _NONE, a.handle, one, b.handle, ctypes.byref(made.handle)
            )
        )
        return made

    def add(self, given: Operands) -> Prepared:
        a, b, *more = (self.matrix(given, name) for name in given.kernel.sparse)
        if more:
            return lambda: self.sum(self.sum(a, b), more[0]), self.entries
        return lambda: self.sum(a, b), self.entries

    def product(self, given: Operands) -> Prepared:
        a, b = self.matrix(given, "A"), self.matrix(given, "B")

        def call() -> Matrix:
            made = Matrix(self.mkl)
            self.check(
                self.mkl.mkl_sparse_spmm(
                    _NONE, a.handle, b.handle, ctypes.byref(made.handle)
                )
            )
            return made

        return call, self.entries

    def spmv(self, given: Operands) -> Prepared:
        a, x = self.matrix(given, "A"), given.dense("x")
        self.mkl.mkl_sparse_set_mv_hint(a.handle, _NONE, _PLAIN, 1000)
        self.check(self.mkl.mkl_sparse_optimize(a.handle))

        def call() -> np.ndarray:
            y = np.empty(given.shape)
            self.check(
                self.mkl.mkl_sparse_d_mv(
                    _NONE,
                    ctypes.c_double(1.0),
                    a.handle,
                    _PLAIN,
                    ctypes.c_void_p(x.ctypes.data),
                    ctypes.c_double(0.0),
                    ctypes.c_void_p(y.ctypes.data),
                )
            )
            return y

        return call, np.asarray

    def spmm(self, given: Operands) -> Prepared:
        a, d = self.matrix(given, "A"), given.dense("D")
        self.mkl.mkl_sparse_set_mm_hint(
            a.handle, _NONE, _PLAIN, _ROW_MAJOR, WIDTH, 1000
        )
        self.check(self.mkl.mkl_sparse_optimize(a.handle))

        def call() -> np.ndarray:
            y = np.empty(given.shape)
            self.check(
                self.mkl.mkl_sparse_d_mm(
                    _NONE,
                    ctypes.c_double(1.0),
                    a.handle,
                    _PLAIN,
                    _ROW_MAJOR,
                    ctypes.c_void_p(d.ctypes.data),
                    WIDTH,
                    WIDTH,
                    ctypes.c_double(0.0),
                    ctypes.c_void_p(y.ctypes.data),
                    WIDTH,
                )
            )
            return y

        return call, np.asarray

    def entries(self, result: "Matrix") -> Any:
        """Return the entries of a matrix of MKL's own."""
        base, rows, columns = (ctypes.c_int() for _ in range(3))
        starts, ends, crd, values = (ctypes.c_void_p() for _ in range(4))
        fields = (base, rows, columns, starts, ends, crd, values)
        self.check(
            self.mkl.mkl_sparse_d_export_csr(result.handle, *map(ctypes.byref, fields))
        )
        first = array(starts.value, rows.value, ctypes.c_int32)
        last = array(ends.value, rows.value, ctypes.c_int32)
        size = int(last[-1]) if rows.value else 0
        where = np.repeat(np.arange(rows.value), last - first)
        return (
            (where, array(crd.value, size, ctypes.c_int32)),
            array(values.value, size, ctypes.c_double),
            (rows.value, columns.value),
        )


class MklSorted(Mkl):
    """The product, followed by a sort of its rows."""

    def __init__(self, threads: int) -> None:
        super().__init__(threads)
        self.kernels = {"spgemm": self.sorted_product}

    def sorted_product(self, given: Operands) -> Prepared:
        product, entries = self.product(given)

        def call() -> Matrix:
            made = product()
            self.check(self.mkl.mkl_sparse_order(made.handle))
            return made

        return call, entries


class Matrix:
    """A matrix of MKL; it keeps the arrays of an operand alive as long as itself."""

    def __init__(self, mkl: Any, kept: Any = None) -> None:
        self._mkl = mkl
        self._kept = kept
        self.handle = _Handle()

    def __del__(self) -> None:
        if self.handle:
            self._mkl.mkl_sparse_destroy(self.handle)
