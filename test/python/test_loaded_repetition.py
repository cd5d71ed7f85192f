"""Calls of kernels of files that repeat an earlier one."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import scipy.sparse as sp

import nacho
import samples
from test_exported import DENSE, MATVEC, UNION, exported, matrix, two

CASES = {
    "matvec": (MATVEC, DENSE, lambda: (matrix(), np.arange(20.0))),
    "union": (UNION, {}, lambda: two("csr")),
    "coo": (UNION, dict.fromkeys("ABZ", "coo"), lambda: two("coo")),
    "csc": (UNION, dict.fromkeys("ABZ", "csc"), lambda: two("csc")),
    "scaled": ("Z[i,j] = s * A[i,j]", {}, lambda: (2.5, matrix())),
    "number": ("y += A[i,j] * B[i,j]", {}, lambda: two("csr")),
}


def unlooked(loaded, monkeypatch):
    """Have calls refused that do not repeat an earlier one."""

    def refuse(*args):
        raise AssertionError("the call was no repetition")

    monkeypatch.setattr(loaded, "_computed", refuse)


@pytest.mark.parametrize("name", CASES)
def test_the_same_operands_are_known(name, tmp_path, monkeypatch):
    text, formats, make = CASES[name]
    operands = make()
    kernel = nacho.mlir.compile(text, formats)
    loaded = exported(kernel, tmp_path)
    loaded(*operands)
    unlooked(loaded, monkeypatch)
    for factor in (1, 3):
        for operand in operands:
            if sp.issparse(operand):
                operand.data *= factor
        made = loaded(*operands)
        wanted = kernel(*operands)
        assert type(made) is type(wanted)
        assert samples.same(made, wanted)


def test_other_values_of_known_operands(tmp_path, monkeypatch):
    loaded = exported(nacho.mlir.compile(MATVEC, DENSE), tmp_path)
    A, x, y = matrix(), np.arange(20.0), np.empty(30)
    loaded(A, x)
    with monkeypatch.context() as patched:
        unlooked(loaded, patched)
        A.data = A.data + 1
        assert np.array_equal(loaded(A, x + 1), A @ (x + 1))
        assert loaded(A, x, out=y) is y
        assert np.array_equal(y, A @ x)
    for other in (A.data.astype(np.float32), np.repeat(A.data, 2)[::2]):
        A.data = other
        assert np.array_equal(loaded(A, x), A @ x)
    for other in (x.astype(np.int32), x[::-1], x.reshape(20)):
        assert np.array_equal(loaded(A, other), A @ other)
    with pytest.raises(nacho.ShapeError):
        loaded(A, x[1:])
    with pytest.raises(nacho.ShapeError):
        loaded(A, x.reshape(20, 1))
    with pytest.raises(nacho.ArgumentError):
        loaded(A, x, x)


def test_arrays_that_nobody_may_write_to_repeat_a_call(tmp_path, monkeypatch):
    loaded = exported(nacho.mlir.compile(MATVEC, DENSE), tmp_path)
    A, x = matrix(), np.arange(20.0)
    loaded(A, x)
    unlooked(loaded, monkeypatch)
    for array in (A.indptr, A.indices, A.data, x):
        array.flags.writeable = False
    assert np.array_equal(loaded(A, x), A @ x)


def test_arrays_in_other_places_are_copied(tmp_path):
    """They are not aligned, or have gaps: kernels of files do not read them."""
    loaded = exported(nacho.mlir.compile(MATVEC, DENSE), tmp_path)
    A, x = matrix(), np.arange(20.0)
    bytes = np.zeros(20 * 8 + 1, np.uint8)
    unaligned = bytes[1:].view(np.float64)
    unaligned[:] = x
    gaps = np.zeros((20, 2))
    gaps[:, 0] = x
    loaded(A, x)
    for other in (unaligned, gaps[:, 0], x.astype(x.dtype.newbyteorder())):
        assert np.array_equal(loaded(A, other), A @ x)


def test_results_live_as_long_as_any_view_of_them(tmp_path):
    loaded = exported(nacho.mlir.compile(UNION), tmp_path)
    A, B = two("csr")
    wanted = (A + B).sorted_indices()
    views = []
    for _ in range(200):
        made = loaded(A, B)
        views.append((made.data[1:], made.indices[::2], made.indptr[-1:]))
        made.data[0] = -1  # it may be written to
    del made
    for data, indices, indptr in views:
        assert np.array_equal(data, wanted.data[1:])
        assert np.array_equal(indices, wanted.indices[::2])
        assert indptr[0] == wanted.nnz


@pytest.mark.parametrize("name", ["matvec", "union", "csc", "number"])
def test_other_matrices_of_the_same_shape(name, tmp_path, monkeypatch):
    text, formats, make = CASES[name]
    kernel = nacho.mlir.compile(text, formats)
    loaded = exported(kernel, tmp_path)
    loaded(*make())
    unlooked(loaded, monkeypatch)
    for seed in range(5):
        others = [
            sp.random_array(
                each.shape, density=0.1 * seed, rng=seed, format=each.format
            )
            if sp.issparse(each)
            else each
            for each in make()
        ]
        assert samples.same(loaded(*others), kernel(*others))


def test_other_matrices_are_checked(tmp_path):
    loaded = exported(nacho.mlir.compile(MATVEC, DENSE), tmp_path)
    x = np.arange(20.0)
    for _ in range(2):
        loaded(matrix(), x)
        unsorted = matrix()
        unsorted.indices = unsorted.indices[::-1].copy()
        wanted = unsorted.copy()
        wanted.sum_duplicates()
        unsorted.has_sorted_indices = False
        assert np.array_equal(loaded(unsorted, x), wanted @ x)
        for place, number in ((0, -1), (0, 20), (3, 1 << 30)):
            outside = matrix()
            outside.indices[place] = number
            with pytest.raises(nacho.OperandError, match="operand 'A': indices"):
                loaded(outside, x)
        falling = matrix()
        falling.indptr[1] = falling.nnz + 1
        with pytest.raises(nacho.OperandError, match="operand 'A': indptr"):
            loaded(falling, x)
        shorter = matrix()
        shorter.data = shorter.data[:-1].copy()
        with pytest.raises(nacho.OperandError):
            loaded(shorter, x)
        wide = matrix()
        wide.indices, wide.indptr = map(np.int64, (wide.indices, wide.indptr))
        with pytest.raises(nacho.DTypeError, match="int64"):
            loaded(wide, x)


def test_other_matrices_with_many_entries(tmp_path):
    loaded = exported(nacho.mlir.compile(MATVEC, DENSE), tmp_path)
    x = np.arange(300.0)
    for seed in range(3):
        A = sp.random_array((300, 300), density=0.2, rng=seed, format="csr")
        assert np.allclose(loaded(A, x), A @ x)


def test_other_containers_of_known_arrays(tmp_path):
    loaded = exported(nacho.mlir.compile(UNION), tmp_path)
    A = matrix(shape=(30, 30))
    one = nacho.Tensor.from_parts(
        "csr", A.shape, [None, A.indptr], [None, A.indices], A.data
    )
    other = nacho.Tensor.from_parts(
        "csc", A.shape, [None, A.indptr], [None, A.indices], A.data
    )
    for operand in (one, one, other, one.T, one, sp.csr_matrix(A), A):
        made = loaded(operand, operand)
        dense = (operand if sp.issparse(operand) else operand.to_scipy()).toarray()
        assert np.array_equal(
            made.toarray() if sp.issparse(made) else made.to_dense(), 2 * dense
        )
        assert sp.issparse(made) == sp.issparse(operand)
        if sp.issparse(operand):
            assert isinstance(made, sp.sparray) == isinstance(operand, sp.sparray)


@pytest.mark.parametrize("array", ["indptr", "indices"])
def test_known_operands_that_were_edited(array, tmp_path):
    loaded = exported(nacho.mlir.compile(MATVEC, DENSE), tmp_path)
    A, x = matrix(), np.arange(20.0)
    for _ in range(2):
        loaded(A, x)
    edited = getattr(A, array)
    edited[3] += 100
    with pytest.raises(nacho.OperandError, match=rf"operand 'A': {array}\[[34]\]"):
        loaded(A, x)
    edited[3] -= 100
    assert np.array_equal(loaded(A, x), A @ x)
    shorter = edited[:-1].copy()
    setattr(A, array, shorter)
    with pytest.raises(nacho.OperandError):
        loaded(A, x)


def test_known_numbers(tmp_path, monkeypatch):
    loaded = exported(nacho.mlir.compile("Z[i,j] = s * A[i,j]"), tmp_path)
    A = matrix()
    loaded(2.5, A)
    with monkeypatch.context() as patched:
        unlooked(loaded, patched)
        assert np.array_equal(loaded(0.1, A).data, 0.1 * A.data)
    assert np.array_equal(loaded(3, A).data, 3 * A.data)
    with pytest.raises(nacho.DTypeError):
        loaded(1j, A)


def test_threads_that_repeat_calls(tmp_path):
    loaded = exported(nacho.mlir.compile(UNION), tmp_path)
    pairs = [(matrix(n), matrix(n + 20)) for n in range(6)]
    wanted = [loaded(*pair) for pair in pairs]

    def repeat(n):
        pair = pairs[n % 6]
        return all(samples.same(loaded(*pair), wanted[n % 6]) for _ in range(40))

    with ThreadPoolExecutor(6) as pool:
        assert all(pool.map(repeat, range(12)))
