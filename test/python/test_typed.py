"""Code of users as type checkers see it: `tools/dev lint` checks it by mypy --strict.

What ``assert_type`` says has to be the type that mypy finds. The tests run the same
code, so that types which are promised are those of the objects.
"""

from typing import Any, assert_type

import numpy as np
from numpy.typing import NDArray

import nacho
from nacho import Expression, Lazy, Tensor, access, evaluate
from nacho.mlir import Kernel, Plan

DENSE = np.diag([1.0, 4.0, 9.0])


class Sparse:
    """What the types say of the arrays of SciPy, which has none itself."""

    def tocsr(self, copy: bool = False) -> "Csr":
        raise NotImplementedError

    def tocoo(self, copy: bool = False) -> "Coo":
        raise NotImplementedError


class Csr(Sparse):
    """A result in csr."""


class Coo(Sparse):
    """A result in coo."""


def matrix() -> Tensor:
    return nacho.asarray(DENSE, "csr")


def test_results_that_out_decides() -> None:
    A = matrix()
    sums = evaluate("Z[i,j] = A[i,j] + A[j,i]", A=A, out="csr", threads=2)
    assert isinstance(assert_type(sums, Tensor), Tensor)
    scaled = evaluate("Z[i,j] = c * A[i,j]", A=A, c=2.5, out="dcsr")
    assert isinstance(assert_type(scaled, Tensor), Tensor)
    dense = evaluate("Z[i,j] = A[i,j] * 2", A=A, out="dense")
    assert isinstance(assert_type(dense, NDArray[Any]), np.ndarray)
    place: NDArray[np.float64] = np.zeros((3, 3))
    found = assert_type(
        evaluate("Z[i,j] = A[i,j]", A=A, out=place), NDArray[np.float64]
    )
    assert found is place
    assert_type(evaluate("Z[i,j] = A[i,j]", A=A), Any)
    assert_type(evaluate("Z[i,j] = A[i,j]", {"A": A}, out="csr"), Any)
    # Arrays of NumPy have a Tensor as a result in csr, if no operand decides otherwise.
    assert isinstance(evaluate("Z[i,j] = A[i,j]", A=DENSE, out="csr"), Tensor)


def of_scipy(A: Sparse, x: NDArray[np.float64]) -> None:
    assert_type(evaluate("Z[i,j] = A[i,j] + B[i,j]", A=A, B=A, out="csr"), Csr)
    assert_type(evaluate("Z[i,j] = c * A[i,j]", A=A, c=2.5, out="coo"), Coo)
    assert_type(evaluate("Z[i,j] = A[i,j] * 2", A=A, out="dense"), NDArray[Any])
    assert_type(evaluate("y[i] = A[i,j] * x[j]", A=A, x=x), Any)


def test_options_are_checked() -> None:
    try:
        evaluate("y = sum(i, x[i])", x=np.ones(3), threads="2")  # type: ignore[call-overload]
    except TypeError:
        pass
    else:
        raise AssertionError("threads= of a wrong type was taken")


def test_operators() -> None:
    A = matrix()
    i, j = nacho.indices("i j")
    assert_type(A[i, j], Expression)
    assert_type(A["i,j"] + A[j, i], Expression)
    assert_type(access(DENSE)[i, j], Expression)
    assert_type(access(DENSE)["i,j"], Expression)
    assert_type(access(DENSE, i, j), Expression)
    assert_type(nacho.sqrt(A[i, j]), Expression)
    assert_type(nacho.sum(j, A[i, j]), Expression)
    product = evaluate(access(DENSE)[i, j] * A[i, j], (i, j))
    assert (product.to_dense() == DENSE**2).all()


def test_whole_arrays() -> None:
    A = matrix()
    assert_type(A @ A + 2 * A.T, Lazy)
    assert_type(A * DENSE, Lazy)
    assert_type(A[:2], Tensor)
    assert isinstance(assert_type(A[:, 0], Tensor), Tensor)
    assert isinstance(assert_type(A[1, 0:2], Tensor), Tensor)
    assert isinstance(assert_type(A[1:, 0:1], Tensor), Tensor)
    assert assert_type(A[1, 1], Any) == 4
    square = A @ A
    assert isinstance(assert_type(square.compute(), Any), Tensor)
    assert isinstance(
        assert_type(square.compute(out="dense", threads=1), NDArray[Any]), np.ndarray
    )
    place: NDArray[np.float64] = np.zeros((3, 3))
    assert assert_type(square.compute(out=place), NDArray[np.float64]) is place
    assert_type(A.sum(axis=0), Lazy)
    root = nacho.sqrt(A)
    assert_type(root, Lazy)
    assert (root.toarray() == np.sqrt(DENSE)).all()
    assert isinstance(assert_type(nacho.array_api.sqrt(A), Lazy), Lazy)
    # NumPy's own functions promise arrays of NumPy: nacho.sqrt says what it returns.
    assert (np.asarray(np.sqrt(A)) == np.sqrt(DENSE)).all()
    assert float(np.sum(A)) == 14


def test_kernels() -> None:
    kernel = nacho.mlir.compile("Z[i,j] = A[i,j] + B[i,j]", {"A": "csr"})
    assert isinstance(assert_type(kernel, Kernel), Kernel)
    assert isinstance(assert_type(kernel.plan(matrix(), matrix()), Plan), Plan)
    assert_type(kernel(matrix(), matrix()), Any)
