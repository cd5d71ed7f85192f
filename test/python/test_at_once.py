"""Sparse results that a GPU counts and fills in one launch."""

import numpy as np
import pytest
import scipy.sparse as sp

import nacho
from nacho._kernels.counts import counted, since, total

COUNTED = {"target": "cuda-sim", "choices": {"count-accesses": True}}


def matrix(seed, format="csr", rows=150, density=0.1):
    made = sp.random_array((rows, 90), density=density, rng=seed)
    return made.asformat(format)


def tensor(seed, format):
    rng = np.random.default_rng(seed)
    dense = rng.random((20, 12, 15)) * (rng.random((20, 12, 15)) < 0.1)
    return nacho.Tensor.from_dense(dense, format)


def launches(kernel, *operands, **options):
    """Return the result of a second call, and how many launches that took."""
    kernel(*operands, **options)
    before = counted()
    result = kernel(*operands, **options)
    return result, total(since(before)).launches


@pytest.mark.parametrize("operator", "+*")
@pytest.mark.parametrize("format", ["csr", "coo", "dcsr"])
@pytest.mark.parametrize("parts", [190, 300])
def test_matrices_take_one_launch(format, operator, parts):
    A, B = (nacho.Tensor.from_scipy(matrix(n)).convert(format) for n in (1, 2))
    text = f"Z[i,j] = A[i,j] {operator} B[i,j]"
    formats = dict.fromkeys("ABZ", format)
    kernel = nacho.mlir.compile(text, formats=formats, parts=parts, **COUNTED)
    Z, count = launches(kernel, A, B)
    # Rows that a product skips are listed first.
    assert count == 1 or (operator == "*" and format == "dcsr")
    host = nacho.mlir.compile(text, formats=formats)(A, B)
    assert np.array_equal(Z.to_dense(), host.to_dense())
    for one, other in zip((*Z.pos, *Z.crd), (*host.pos, *host.crd), strict=True):
        assert (one is None and other is None) or np.array_equal(one, other)


@pytest.mark.parametrize("format", ["csf", "coo"])
def test_tensors_take_one_launch(format):
    A, B = tensor(1, format), tensor(2, format)
    text = "Z[i,j,k] = A[i,j,k] + B[i,j,k]"
    kernel = nacho.mlir.compile(text, formats=dict.fromkeys("ABZ", format), **COUNTED)
    Z, count = launches(kernel, A, B)
    assert count == 1
    assert np.array_equal(Z.to_dense(), A.to_dense() + B.to_dense())


@pytest.mark.parametrize("parts", [1, 31])
def test_large_parts_are_counted_first(parts):
    """A block has no room for what they append."""
    A, B = matrix(1), matrix(2)
    text = "Z[i,j] = A[i,j] + B[i,j]"
    kernel = nacho.mlir.compile(text, parts=parts, **COUNTED)
    Z, count = launches(kernel, A, B)
    assert count > 1
    assert np.array_equal(Z.toarray(), (A + B).toarray())


@pytest.mark.parametrize("format", ["csr", "dcsr"])
@pytest.mark.parametrize("operator", "+*")
def test_a_tile_without_room(format, operator):
    """Most entries are in one tile, which has no room for so many.

    By the lengths of the operands, there is: their rows cost what its entries do.
    """
    rng = np.random.default_rng(5)
    dense = np.zeros((3000, 40))
    dense[:, 0] = rng.random(3000)
    dense[:100] = rng.random((100, 40))
    A, B = (nacho.Tensor.from_dense(each, format) for each in (dense, dense[:, ::-1]))
    text = f"Z[i,j] = A[i,j] {operator} B[i,j]"
    formats = dict.fromkeys("ABZ", format)
    kernel = nacho.mlir.compile(text, formats=formats, parts=1000, **COUNTED)
    Z, count = launches(kernel, A, B)
    # A product has no more entries than one of its factors.
    assert count == 4 or operator == "*"
    expected = dense + dense[:, ::-1] if operator == "+" else dense * dense[:, ::-1]
    assert np.array_equal(Z.to_dense(), expected)


def test_three_operands():
    A, B, C = matrix(1), matrix(2), matrix(3)
    kernel = nacho.mlir.compile("Z[i,j] = A[i,j] + B[i,j] * C[i,j]", **COUNTED)
    Z, count = launches(kernel, A, B, C)
    assert count == 1
    assert np.array_equal(Z.toarray(), A.toarray() + B.toarray() * C.toarray())


@pytest.mark.parametrize("operator", "+*")
def test_without_entries(operator):
    A, B = matrix(1, density=0), matrix(2, density=0)
    kernel = nacho.mlir.compile(f"Z[i,j] = A[i,j] {operator} B[i,j]", **COUNTED)
    Z = kernel(A, B)
    assert Z.nnz == 0
    assert Z.indptr.tolist() == [0] * 151


def test_no_array_takes_much_more_than_it_needs():
    """The same pattern twice has half as many entries as lengths allow."""
    A = matrix(1)
    on_device = nacho.Tensor.from_scipy(A).to("cuda-sim")
    for text in ("Z[i,j] = A[i,j] + A[i,j]", "Z[i,j] = A[i,j] + B[i,j]"):
        operands = {"A": on_device, "B": on_device} if "B" in text else {"A": on_device}
        Z = nacho.evaluate(text, operands, out="csr")
        assert Z.nnz == A.nnz
        assert np.array_equal(Z.to("cpu").to_dense(), 2 * A.toarray())


def test_positions_that_are_out_of_order():
    """Kernels that count first say what is wrong with operands."""
    A, B = matrix(1), matrix(2)
    kernel = nacho.mlir.compile("Z[i,j] = A[i,j] + B[i,j]", target="cuda-sim")
    kernel(A, B)
    A.indptr[3], A.indptr[4] = A.indptr[4] + 5, A.indptr[3]
    with pytest.raises(nacho.NachoError, match="A"):
        kernel(A, B)


def test_coordinates_that_are_outside():
    A, B = matrix(1), matrix(2)
    kernel = nacho.mlir.compile("Z[i,j] = A[i,j] + B[i,j]", target="cuda-sim")
    kernel(A, B)
    A.indices[-1] = 4000
    with pytest.raises(nacho.NachoError, match="A"):
        kernel(A, B)


def test_plans_count_first():
    A, B = matrix(1), matrix(2)
    plan = nacho.mlir.compile("Z[i,j] = A[i,j] + B[i,j]", target="cuda-sim").plan(A, B)
    Z = plan.execute(A, B)
    assert plan.nnz == Z.nnz
    assert np.array_equal(Z.toarray(), A.toarray() + B.toarray())
