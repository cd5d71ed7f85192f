"""Calls on a GPU that repeat an earlier one take a short cut, too."""

import numpy as np
import pytest
import scipy.sparse as sp

import fake_cuda
import fake_gpu_libraries as fake
import nacho
from nacho import Tensor

PRODUCT = "y[i] = A[i,j] * x[j]"
SUM = "Z[i,j] = A[i,j] + B[i,j]"

LIBRARIES = {
    "torch": (fake.matrix_to_torch, fake.to_torch),
    "cupy": (fake.matrix_to_cupy, fake.to_cupy),
    "nacho": (
        lambda matrix: Tensor.from_dense(matrix.toarray(), "csr").to("cuda"),
        lambda array: Tensor.from_dense(array, "dense").to("cuda"),
    ),
}


@pytest.fixture(autouse=True, scope="module")
def driver():
    """The driver of tests; it is chosen only when one of these tests runs."""
    fake_cuda.use()


@pytest.fixture(autouse=True)
def libraries(monkeypatch):
    fake.install(monkeypatch)


@pytest.fixture(scope="module")
def product():
    return nacho.mlir.compile(PRODUCT, formats={"A": "csr", "x": "dense"})


def matrix(seed=1, rows=6):
    return sp.random_array((rows, 5), density=0.4, format="csr", rng=seed)


def read(array):
    return array.to("cpu").values if isinstance(array, Tensor) else array._read()


@pytest.mark.parametrize("library", LIBRARIES)
def test_other_values(full, product, library):
    sparse, dense = LIBRARIES[library]
    A = matrix()
    there = sparse(A)
    for n in range(4):
        x = np.arange(5.0) + n
        y = product(there, dense(x))
        assert type(y) is type(dense(x))
        assert np.allclose(read(y), A @ x)
    assert len(full) == 1


@pytest.mark.parametrize("library", LIBRARIES)
def test_other_operands(full, product, library):
    sparse, dense = LIBRARIES[library]
    x = dense(np.arange(5.0))
    matrices = [matrix(1), matrix(2), matrix(1, rows=7)]
    there = [sparse(each) for each in matrices]
    for _ in range(2):
        for A, each in zip(matrices, there, strict=True):
            assert np.allclose(read(product(each, x)), A @ np.arange(5.0))
    assert len(full) == len(matrices)
    assert np.allclose(product(matrices[0], np.arange(5.0)), matrices[0] @ np.arange(5))
    with pytest.raises(nacho.NachoError):
        product(there[0], dense(np.arange(6.0)))
    with pytest.raises(nacho.NachoError, match="expected"):
        product(there[0])


def test_other_arrays_in_the_same_matrix(full, product):
    A, B = matrix(1), matrix(2)
    there, x = fake.matrix_to_cupy(A), fake.to_cupy(np.ones(5))
    for _ in range(2):
        product(there, x)
    other = fake.matrix_to_cupy(B)
    there.indices, there.indptr, there.data = other.indices, other.indptr, other.data
    assert np.allclose(read(product(there, x)), B @ np.ones(5))
    there.data = fake.to_cupy(B.data.astype(np.float32))
    assert np.allclose(read(product(there, x)), B @ np.ones(5))
    assert len(full) == 3


def test_edited_operands(full):
    """What a repeated call finds wrong, the host explains."""
    kernel = nacho.mlir.compile(SUM, formats=dict.fromkeys("AB", "csr"))
    A, B = (fake.matrix_to_cupy(matrix(seed)) for seed in (1, 2))
    for _ in range(2):
        kernel(A, B)
    assert len(full) == 1
    rows = A.indptr.get()
    wrong = rows[::-1].copy()
    fake_cuda.write(A.indptr.memory, wrong)
    with pytest.raises(nacho.OperandError, match="operand 'A': indptr"):
        kernel(A, B)
    fake_cuda.write(A.indptr.memory, rows)
    assert np.allclose(kernel(A, B).data.get(), (matrix(1) + matrix(2)).data)
    assert len(full) == 3


def test_what_is_not_repeated(full, product):
    """The host looks at these operands in every call."""
    A, x = fake.matrix_to_cupy(matrix()), fake.to_cupy(np.ones(5))
    for validate in ("full", "none"):
        kernel = nacho.mlir.compile(
            PRODUCT, formats={"A": "csr", "x": "dense"}, validate=validate
        )
        for _ in range(2):
            kernel(A, x)
    scaled = nacho.mlir.compile("y[i] = t * x[i]", formats={"x": "dense"})
    for _ in range(2):
        assert (read(scaled(2.0, x)) == 2).all()
    assert len(full) == 6


class OnStream:
    """An array whose interface names a stream, which whoever reads it waits for."""

    def __init__(self, array, stream):
        self._array, self._stream = array, stream
        self.ndim, self.shape = array.ndim, array.shape

    @property
    def __cuda_array_interface__(self):
        return {**self._array.__cuda_array_interface__, "stream": self._stream}


def test_errors_of_earlier_calls_are_raised_where_operands_are_waited_for(product):
    stream = 4096
    A = fake.matrix_to_cupy(matrix())
    x = OnStream(fake.to_cupy(np.ones(5)), stream)
    for _ in range(3):
        product(A, x, stream=stream)
    right = A.indices.get()
    fake_cuda.write(A.indices.memory, np.full_like(right, 10_000))
    product(A, x, stream=stream)
    fake_cuda.write(A.indices.memory, right)
    with pytest.raises(nacho.OperandError, match="an earlier call"):
        product(A, x, stream=stream)
    product(A, x, stream=stream)
