"""Containers and types that are converted when they are read."""

import types

import numpy as np
import pytest
import scipy.sparse as sp

import nacho
from nacho import Tensor

UNION = "Z[i,j] = A[i,j] + B[i,j]"
MATVEC = "y[i] = A[i,j] * x[j]"
READ_AS = {
    "uint16": "int32",
    "uint32": "int64",
    "uint64": "int64",
    "float16": "float32",
}
FORMATS = ("csr", "csc", "coo", "bsr")


def matrix(seed=0, shape=(12, 10)):
    made = sp.random_array(shape, density=0.4, rng=seed, format="csr")
    made.data = np.arange(1.0, made.nnz + 1)
    return made


def of_type(given, container):
    """Return a container with elements of a type that SciPy may not convert to."""
    container.data = container.data.astype(given)
    return container


def copies(explanation):
    text = str(explanation)
    return text[text.index("copies") : text.index("kernels")]


# --- Types ----------------------------------------------------------------------------


@pytest.mark.any_target
@pytest.mark.parametrize("given", READ_AS)
@pytest.mark.parametrize("format", FORMATS)
def test_types_that_are_read_as_others(given, format):
    A, x = of_type(given, matrix().asformat(format)), np.arange(10).astype(given)
    wanted, dense = READ_AS[given], matrix().toarray()
    found = nacho.evaluate("Z[i,j] = A[i,j]", A=A)
    assert found.dtype == wanted
    assert np.array_equal(found.toarray(), dense)
    y = nacho.evaluate(MATVEC, A=A, x=x)
    assert y.dtype == wanted
    exact = dense @ x.astype(wanted)
    assert np.array_equal(y, exact)
    mixed = nacho.evaluate(MATVEC, A=A, x=x.astype(np.float64))
    assert mixed.dtype == np.float64
    assert np.array_equal(mixed, exact)


@pytest.mark.parametrize("given", READ_AS)
def test_kernels_and_plans(given):
    A, x = of_type(given, matrix()), np.arange(10).astype(given)
    dense = matrix().toarray()
    formats = {"A": "csr", "x": "dense", "y": "dense"}
    kernel = nacho.mlir.compile(MATVEC, formats)
    wanted = dense @ x.astype(READ_AS[given])
    for _ in range(3):
        assert np.array_equal(kernel(A, x), wanted)
    plan = kernel.plan(A, x)
    assert np.array_equal(plan.execute(), wanted)
    assert np.array_equal(plan.execute(A, x), wanted)
    said = copies(kernel.explain(A, x))
    assert f"A: data widened from {given} to {READ_AS[given]}" in said
    assert f"x: the array widened from {given} to {READ_AS[given]}" in said
    other = nacho.mlir.compile("Z[i,j] = A[i,j]", {"A": "csc"})
    assert np.array_equal(other(A).toarray(), dense)
    pinned = nacho.mlir.compile(MATVEC, formats, dtype="f64")
    assert np.array_equal(pinned(A, x), wanted)
    swapped = of_type(np.dtype(given).newbyteorder("S"), matrix())
    assert np.array_equal(kernel(swapped, x), wanted)


def test_what_int64_does_not_hold():
    A = sp.csr_array(np.array([[1, 2**63], [0, 5]], np.uint64))
    message = "operand 'A' is uint64.* has the value 9223372036854775808: convert it"
    with pytest.raises(nacho.DTypeError, match=message):
        nacho.evaluate("Z[i,j] = A[i,j]", A=A)
    with pytest.raises(nacho.DTypeError, match="operand 's' is uint64"):
        nacho.evaluate("Z[i,j] = s * A[i,j]", A=matrix(), s=np.uint64(2**64 - 1))
    with pytest.raises(nacho.DTypeError, match="int32"):
        nacho.mlir.compile("Z[i,j] = A[i,j]", dtype="i32")(A)
    found = nacho.evaluate("Z[i,j] = A[i,j]", A=A.astype(np.float64))
    assert found[0, 1] == 2.0**63
    with pytest.raises(nacho.DTypeError, match="uint64"):
        Tensor.from_dense(A.toarray(), "csr")


def test_numbers():
    A = matrix()
    for name, wanted in READ_AS.items():
        scaled = nacho.evaluate("Z[i,j] = s * A[i,j]", A=A, s=np.dtype(name).type(3))
        assert np.array_equal(scaled.toarray(), 3 * A.toarray())
        whole = A.astype(np.int8)
        found = nacho.evaluate("Z[i,j] = s * A[i,j]", A=whole, s=np.dtype(name).type(3))
        assert found.dtype == np.result_type(np.int8, wanted)


@pytest.mark.parametrize("given", READ_AS)
def test_tensors(given):
    A, dense = of_type(given, matrix()), matrix().toarray()
    for made in (nacho.asarray(A), Tensor.from_dense(dense.astype(given), "csr")):
        assert np.array_equal(made.to_dense(), dense)
        assert np.array_equal((made * made).compute().to_dense(), dense**2)
        assert made.convert("csc").format == nacho.Format("csc")


@pytest.mark.parametrize("spelled", ["int64", np.int64, np.dtype("int64"), "i64"])
def test_indices_are_spelled_as_by_numpy(spelled):
    kernel = nacho.mlir.compile("Z[i,j] = A[i,j]", index=spelled)
    assert kernel.types["A"].crd_width == 64
    kernel = nacho.mlir.compile("Z[i,j] = A[i,j]", index={"A": ("int32", spelled)})
    assert (kernel.types["A"].pos_width, kernel.types["A"].crd_width) == (32, 64)
    for wrong in ("int16", np.float64, np.int16, int, 64):
        with pytest.raises(nacho.OptionError, match="index of 'A' is"):
            nacho.mlir.compile("Z[i,j] = A[i,j]", index={"A": wrong})


# --- Containers -----------------------------------------------------------------------


class Table:
    """A container of which NumPy makes an array, and nothing else does."""

    def __init__(self, values):
        self.values = values

    def __array__(self, dtype=None, copy=None):
        if self.values is None:
            raise RuntimeError("there are no values")
        return np.array(self.values, dtype)


@pytest.mark.any_target
def test_what_has_an_array():
    A, x = matrix(), np.arange(10.0)
    found = nacho.evaluate(MATVEC, A=A, x=Table(x))
    assert np.array_equal(found, A @ x)
    D = Table(A.toarray())
    assert np.array_equal(nacho.evaluate(MATVEC, A=D, x=Table(x)), A.toarray() @ x)


def test_what_explain_says_of_it():
    A, x = matrix(), Table(np.arange(10.0))
    said = copies(nacho.explain(MATVEC, A=A, x=x))
    assert "x: Table read as an array of numpy" in said


def test_what_is_no_array_after_all():
    A = matrix()
    with pytest.raises(nacho.ShapeError, match="operand 'x' has rank 2"):
        nacho.evaluate(MATVEC, A=A, x=Table(np.ones((2, 5))))
    with pytest.raises(nacho.DTypeError, match="operand 'x': type object"):
        nacho.evaluate(MATVEC, A=A, x=Table([None] * 10))
    with pytest.raises(nacho.UnsupportedOperandError, match="there are no values"):
        nacho.evaluate(MATVEC, A=A, x=Table(None))


class FakeSparseColumns:
    """A frame with sparse columns as pandas has them."""

    def __init__(self, matrix, fill_value=0.0):
        self._matrix = matrix.tocoo()
        self.shape = matrix.shape
        self.columns = [f"column {n}" for n in range(matrix.shape[1])]
        self.dtypes = [types.SimpleNamespace(fill_value=fill_value)] * matrix.shape[1]
        self.sparse = types.SimpleNamespace(to_coo=lambda: self._matrix)

    def __array__(self, dtype=None, copy=None):
        raise AssertionError("a sparse frame is not made dense")


FakeSparseColumns.__name__, FakeSparseColumns.__module__ = "DataFrame", "pandas.core"


def test_frames_with_sparse_columns():
    A = matrix()
    frame = FakeSparseColumns(A)
    found = nacho.evaluate(UNION, A=frame, B=A)
    assert np.array_equal(found.toarray(), 2 * A.toarray())
    assert "A: sparse columns converted to coo" in copies(
        nacho.explain(UNION, A=frame, B=A)
    )
    message = "operand 'A': column 'column 0' has fill_value nan"
    with pytest.raises(nacho.UnsupportedError, match=message):
        nacho.evaluate(UNION, A=FakeSparseColumns(A, float("nan")), B=A)


def test_frames_of_pandas():
    pandas = pytest.importorskip("pandas")
    A, x = matrix(), np.arange(10.0)
    sparse = pandas.DataFrame.sparse.from_spmatrix(A)
    found = nacho.evaluate(MATVEC, A=sparse, x=pandas.Series(x))
    assert np.array_equal(found, A @ x)
    assert np.array_equal(
        nacho.evaluate(UNION, A=sparse, B=A).toarray(), 2 * A.toarray()
    )
    dense = pandas.DataFrame(A.toarray())
    assert np.array_equal(nacho.evaluate(MATVEC, A=dense, x=x), A @ x)


def test_arrays_of_dask_are_not_computed():
    class Array:
        shape, ndim = (12, 10), 2

        def __array__(self):
            raise AssertionError("this would be computed")

        def compute(self):
            raise AssertionError("this would be computed")

    Array.__module__ = "dask.array.core"
    message = r"nacho\.dask\.from_array\(A\) .* A\.compute\(\) makes an array"
    with pytest.raises(nacho.UnsupportedOperandError, match=message):
        nacho.evaluate(UNION, A=Array(), B=matrix())
