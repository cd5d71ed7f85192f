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
    return call(kernel, *operands, **options)


def call(kernel, *operands, **options):
    before = counted()
    result = kernel(*operands, **options)
    return result, total(since(before)).launches


def with_rows(seed, lengths, columns=3000):
    """Return a matrix whose rows have so many entries each."""
    rng = np.random.default_rng(seed)
    chosen = [np.sort(rng.choice(columns, size, replace=False)) for size in lengths]
    indices, indptr = np.concatenate(chosen), np.append(0, np.cumsum(lengths))
    made = (rng.random(indices.size), indices, indptr)
    return sp.csr_array(made, shape=(len(lengths), columns))


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

    By the lengths of the operands, there is: their rows cost what its entries do. The
    number of parts is that of the caller, and other calls count at once.
    """
    rng = np.random.default_rng(5)
    dense = np.zeros((3000, 40))
    dense[:, 0] = rng.random(3000)
    dense[:100] = rng.random((100, 40))
    A, B = (nacho.Tensor.from_dense(each, format) for each in (dense, dense[:, ::-1]))
    text = f"Z[i,j] = A[i,j] {operator} B[i,j]"
    formats = dict.fromkeys("ABZ", format)
    kernel = nacho.mlir.compile(text, formats=formats, parts=1000, **COUNTED)
    counts = [call(kernel, A, B)[1] for _ in range(2)]
    # A product has no more entries than one of its factors.
    assert counts == [4, 3] or operator == "*"
    Z = kernel(A, B)
    expected = dense + dense[:, ::-1] if operator == "+" else dense * dense[:, ::-1]
    assert np.array_equal(Z.to_dense(), expected)


SHORT = {
    "one": np.ones(400, int),
    "two": np.full(400, 2),
    "few": np.full(400, 5),
    "mostly empty": np.where(np.arange(400) % 9, 0, 8),
    "falling": 300 // np.arange(1, 401),
    "single": np.where(np.arange(400) == 70, 300, 0),
    "little": np.array([5, 5, 5]),
}
"""The lengths of rows, by what one says of them."""


@pytest.mark.each_value
@pytest.mark.parametrize("lengths", SHORT.values(), ids=SHORT)
@pytest.mark.parametrize("format", ["csr", "dcsr", "coo"])
def test_short_rows(format, lengths):
    """Rows take room, too: there are more parts of short ones."""
    A, B = (
        nacho.Tensor.from_scipy(with_rows(n, lengths)).convert(format) for n in (1, 2)
    )
    text, formats = "Z[i,j] = A[i,j] + B[i,j]", dict.fromkeys("ABZ", format)
    kernel = nacho.mlir.compile(text, formats=formats, **COUNTED)
    Z, count = call(kernel, A, B)
    assert count == 1
    assert np.array_equal(Z.to_dense(), A.to_dense() + B.to_dense())


def test_a_row_that_a_tile_has_no_room_for():
    """More parts are tried, whose number other calls begin with."""
    lengths = np.ones(6000, int)
    lengths[2000] = 2500
    A, B = (with_rows(n, lengths) for n in (1, 2))
    kernel = nacho.mlir.compile("Z[i,j] = A[i,j] + B[i,j]", **COUNTED)
    found = [call(kernel, A, B) for _ in range(3)]
    assert [count for _, count in found] == [2, 1, 1]
    assert all(abs(Z - (A + B)).nnz == 0 for Z, _ in found)
    # Operands of the same lengths may need other parts: these are known to do.
    lengths[[1000, 2000]] = lengths[[2000, 1000]]
    C, D = (with_rows(n, lengths) for n in (3, 4))
    Z, count = call(kernel, C, D)
    assert count == 1
    assert abs(Z - (C + D)).nnz == 0


def test_operands_that_are_wrong_are_not_remembered():
    """Nobody learns from them how many parts have room."""
    A, B = matrix(1), matrix(2)
    text = "Z[i,j] = A[i,j] + B[i,j]"
    kernel = nacho.mlir.compile(text, validate="none", **COUNTED)
    right = A.indices.copy()
    A.indices[-1] = 4000
    with pytest.raises(nacho.OperandError, match="operand"):
        kernel(A, B)
    A.indices[:] = right
    assert call(kernel, A, B)[1] == 1


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
