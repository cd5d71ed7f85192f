"""Calls that repeat an earlier one take a short cut, and nothing else changes."""

import gc
import subprocess
import sys
import weakref

import numpy as np
import pytest
import scipy.sparse as sp

import nacho
from nacho._kernels.specialiser import Specialiser

PRODUCT = "y[i] = A[i,j] * x[j]"
SUM = "Z[i,j] = A[i,j] + B[i,j]"


def matrix(rows=6, columns=5, seed=1, make=sp.csr_array):
    rng = np.random.default_rng(seed)
    return make(sp.random_array((rows, columns), density=0.4, rng=rng))


def product(**options):
    formats = {"A": "csr", "x": "dense", "y": "dense"}
    return nacho.mlir.compile(PRODUCT, formats=formats, **options)


@pytest.fixture
def seen(monkeypatch):
    """A list to which each call that is not repeated adds something."""
    found = []
    run = Specialiser.run

    def counted(self, *rest, **options):
        found.append(self)
        return run(self, *rest, **options)

    monkeypatch.setattr(Specialiser, "run", counted)
    return found


def test_repeated_calls_are_checked_in_full_once(full):
    kernel, a, x = product(), matrix(), np.arange(5.0)
    for _ in range(3):
        assert np.allclose(kernel(a, x), a @ x)
    assert len(full) == 1


def test_calls_are_repeated_with_the_options_that_they_had(full):
    kernel, a, x = product(), matrix(), np.arange(5.0)
    given = [{}, {"threads": 1}, {"threads": 1, "parts": 3}, {"threads": None}]
    for _ in range(3):
        for options in given:
            assert np.allclose(kernel(a, x, **options), a @ x)
    assert len(full) == 3
    for parts in range(1, 20):
        assert np.allclose(kernel(a, x, parts=parts), a @ x)
    with pytest.raises(nacho.NachoError):
        kernel(a, x, threads=0)
    with pytest.raises(nacho.OutOfMemoryError):
        kernel(a, x, memory_limit=1)


def test_values_may_be_others_in_each_call(full):
    kernel, a, x = product(), matrix(), np.arange(5.0)
    kernel(a, x)
    x[2] = 7
    a.data[1] = 3
    assert np.allclose(kernel(a, x), a @ x)
    x, a.data = x + 1, a.data * 2
    assert np.allclose(kernel(a, x), a @ x)
    assert len(full) == 1


def test_results_have_the_class_of_the_operands(full):
    kernel = nacho.mlir.compile(SUM, formats=dict.fromkeys("ABZ", "csr"))
    for make in (sp.csr_array, sp.csr_matrix):
        a, b = matrix(seed=1, make=make), matrix(seed=2, make=make)
        for _ in range(2):
            z = kernel(a, b)
            assert type(z) is make
            assert z.has_canonical_format
            assert (abs(z - (a + b)) > 1e-12).nnz == 0
    assert len(full) == 2


def test_a_kernel_repeats_several_calls(full):
    kernel, x = product(), np.arange(5.0)
    matrices = [matrix(rows) for rows in (3, 4, 4, 7)]
    for _ in range(3):
        for a in matrices:
            assert np.allclose(kernel(a, x), a @ x)
    assert len(full) == len({a.shape for a in matrices})


def test_large_matrices_are_remembered_when_they_are_checked(full):
    """Index arrays of more than 4096 elements are checked by whoever remembers it."""
    kernel, x = product(), np.arange(500.0)
    matrices = [matrix(40, 500, seed) for seed in range(20)]
    assert min(a.nnz for a in matrices) > 4096
    for a in matrices:
        assert np.allclose(kernel(a, x), a @ x)
    assert len(full) == len(matrices)


@pytest.mark.parametrize("levels", ["d0 : dense, d1 : dense", "d1 : dense, d0 : dense"])
def test_dense_results_in_either_order(levels):
    a = np.arange(6.0).reshape(2, 3)
    kernel = nacho.mlir.compile(
        "Z[i,j] = 2 * A[i,j]", {"A": "dense", "Z": f"(d0, d1) -> ({levels})"}
    )
    for _ in range(3):
        found = kernel(a)
        assert isinstance(found, np.ndarray)
        np.testing.assert_array_equal(found, 2 * a)


@pytest.mark.parametrize("format", ["csr", "csc", "dcsr", "coo", "csf"])
@pytest.mark.parametrize("width", [np.int32, np.int64])
def test_small_matrices_are_checked_by_the_extension(full, format, width):
    """Those of one shape, with any number of entries, repeat the first one."""
    kernel = nacho.mlir.compile(PRODUCT, formats={"A": format})
    x = np.arange(5.0)
    for seed, density in enumerate((0.4, 0.1, 0.9, 1.0, 0.3, 0.05)):
        rng = np.random.default_rng(seed)
        dense = (rng.random((6, 5)) < density) * rng.random((6, 5))
        if format == "dcsr":
            dense[dense.sum(axis=1) == 0, 0] = 1  # its fibers have entries
        coords = np.array(np.nonzero(dense), width)
        values = dense[np.nonzero(dense)]
        a = nacho.Tensor.from_coo(coords, values, shape=(6, 5), format=format)
        assert np.allclose(kernel(a, x), dense @ x)
    assert len(full) == 1


def test_what_small_matrices_have_wrong_is_told(full):
    kernel, x = product(), np.arange(5.0)
    kernel(matrix(), x)

    def refused(match, **arrays):
        a = matrix(seed=3)
        for name, array in arrays.items():
            setattr(a, name, array)
        with pytest.raises(nacho.OperandError, match=match):
            kernel(a, x)

    a = matrix(seed=3)
    indices, indptr = a.indices.copy(), a.indptr.copy()
    indices[2] = 5
    refused(r"indices\[2\] = 5 is out of range", indices=indices)
    indices[2] = -1
    refused(r"indices\[2\] = -1 is out of range", indices=indices)
    refused("indptr", indptr=np.append(indptr, indptr[-1:]))
    indptr[2] = indptr[-1] + 1
    refused("indptr", indptr=indptr)
    refused("data", data=a.data[:-1])
    assert len(full) == 6


def test_small_matrices_that_are_unsorted_or_longer_are_computed():
    kernel, x = product(), np.arange(5.0)
    kernel(matrix(), x)
    a = matrix(seed=3)
    expected = a @ x
    unsorted = sp.csr_array((a.data.copy(), a.indices.copy(), a.indptr), a.shape)
    for begin, end in zip(a.indptr, a.indptr[1:], strict=False):
        unsorted.data[begin:end] = a.data[begin:end][::-1]
        unsorted.indices[begin:end] = a.indices[begin:end][::-1]
    surplus = sp.csr_array((a.data, a.indices, a.indptr), a.shape)
    surplus.data, surplus.indices = np.append(a.data, 7), np.append(a.indices, 99)
    twice = sp.csr_array(([1.0, 2.0], [3, 3], [0, 2, 2, 2, 2, 2, 2]), (6, 5))
    for _ in range(2):
        assert np.allclose(kernel(unsorted, x), expected)
        assert np.allclose(kernel(surplus, x), expected)
        assert np.allclose(kernel(twice, x), [9, 0, 0, 0, 0, 0])


def test_the_order_of_loops_is_that_of_the_sizes():
    """A product of sparse matrices is compiled for operands of about these sizes."""
    kernel = nacho.mlir.compile("Z[i,k] = A[i,j] * B[j,k]", dict.fromkeys("ABZ", "csr"))
    for seed, density in enumerate((0.1, 0.9, 0.05, 0.5, 0.12)):
        rng = np.random.default_rng(seed)
        a = sp.csr_array((rng.random((20, 20)) < density) * rng.random((20, 20)))
        assert np.allclose(kernel(a, a).toarray(), (a @ a).toarray())


@pytest.mark.parametrize("make", [sp.coo_array, sp.coo_matrix])
@pytest.mark.parametrize("width", [np.int32, np.int64])
def test_small_coos_of_scipy_are_checked_by_the_extension(full, make, width):
    """Their rows have no positions, which follow from how many entries there are."""
    kernel = nacho.mlir.compile(PRODUCT, formats={"A": "coo"})
    x, rng = np.arange(5.0), np.random.default_rng(1)
    for density in (0.4, 0.1, 0.9, 1.0, 0.0, 0.3):
        dense = (rng.random((6, 5)) < density) * rng.random((6, 5))
        coords = [each.astype(width) for each in np.nonzero(dense)]
        a = make((dense[np.nonzero(dense)], coords), shape=(6, 5))
        a.row, a.col = coords
        assert np.allclose(kernel(a, x), dense @ x)
    assert len(full) == 1
    a.row = a.row[::-1].copy()
    assert np.allclose(kernel(a, x), a.toarray() @ x)
    assert len(full) == 2
    a.col = np.full(a.nnz, 5, width)
    with pytest.raises(nacho.OperandError, match="out of range"):
        kernel(a, x)


def test_small_operands_of_products_share_a_kernel(seen):
    """How many entries they have decides no order of loops."""
    kernel = nacho.mlir.compile("Z[i,k] = A[i,j] * B[j,k]", dict.fromkeys("ABZ", "csr"))
    rng = np.random.default_rng(1)
    for density in (0.5, 0.1, 0.9, 0.3, 1.0, 0.2, 0.0):
        a = sp.csr_array((rng.random((4, 4)) < density) * rng.random((4, 4)))
        b = sp.csr_array((rng.random((4, 9)) < density) * rng.random((4, 9)))
        assert np.allclose(kernel(a, b).toarray(), (a @ b).toarray())
    assert len(seen) == 1


def test_evaluate_repeats_what_it_knows(full, seen):
    text = "y[i] = 3 * A[i,j] * x[j]"
    a, x = matrix(), np.arange(5.0)
    for _ in range(3):
        assert np.allclose(nacho.evaluate(text, A=a, x=x), 3 * (a @ x))
        assert np.allclose(nacho.evaluate(text, x=x, A=a), 3 * (a @ x))
    assert len(seen) == 2
    a.data[0] += 1
    assert np.allclose(nacho.evaluate(text, A=a, x=x), 3 * (a @ x))
    assert len(seen) == 2
    for options in ({"out": "dense"}, {"threads": 1}, {"out": np.zeros(6)}):
        for _ in range(2):
            found = nacho.evaluate(text, A=a, x=x, **options)
            assert np.allclose(found, 3 * (a @ x))
    assert found is options["out"]
    assert len(seen) == 5
    for options in ({"validate": "full"}, {"order": ["i", "j"]}, {"progress": False}):
        for _ in range(2):
            nacho.evaluate(text, A=a, x=x, **options)
    assert len(seen) == 11
    for options in ({"threads": True}, {"threads": 0}, {"out": np.zeros(7)}):
        with pytest.raises(nacho.NachoError):
            nacho.evaluate(text, A=a, x=x, **options)
    del seen[11:]
    for seed in range(5):
        a = matrix(seed=seed)
        assert np.allclose(nacho.evaluate(text, A=a, x=x), 3 * (a @ x))
    assert len(seen) == 11
    a.indices[0] = 99
    with pytest.raises(nacho.OperandError, match=r"indices\[0\] = 99"):
        nacho.evaluate(text, A=a, x=x)
    with pytest.raises(nacho.ArgumentError, match="missing operand 'x'"):
        nacho.evaluate(text, A=a)


def test_operands_in_mappings_and_expressions_are_repeated(seen):
    text = "y[i] = 4 * A[i,j] * x[j]"
    a, x, square = matrix(), np.arange(5.0), matrix(5, 5)
    for _ in range(3):
        assert np.allclose(nacho.evaluate(text, {"A": a, "x": x}), 4 * (a @ x))
        assert np.allclose(nacho.evaluate(text, {"A": a}, x=x), 4 * (a @ x))
    assert len(seen) == 1
    for _ in range(3):
        assert np.allclose(nacho.einsum("zj,j->z", a, x), a @ x)
        for b in (matrix(5, 5, seed=2), square):
            found = nacho.einsum("zj,jk->zk", square, b)
            assert np.allclose(found.toarray(), (square @ b).toarray())
    assert len(seen) == 4
    i, j = nacho.indices("i j")
    for _ in range(3):
        expr = 5 * nacho.access(a)[i, j] * nacho.access(x)[j]
        assert np.allclose(nacho.evaluate(expr, (i,)), 5 * (a @ x))
        assert np.allclose((7 * nacho.asarray(a) @ x).compute(), 7 * (a @ x))
    assert len(seen) == 6
    with pytest.raises(nacho.ArgumentError, match="'x'"):
        nacho.evaluate(text, {"A": a, "x": x}, x=x)


def test_plans_repeat_with_the_arrays_that_they_were_made_for():
    kernel, a, x = product(), matrix(), np.arange(5.0)
    plan = kernel.plan(a, x)
    for scale in (1.0, 2.0, 3.0):
        a.data *= scale
        x += scale
        assert np.allclose(plan.execute(), a @ x)
        assert np.allclose(plan.execute(a, x), a @ x)
    other = sp.csr_array((a.data * 2, a.indices.copy(), a.indptr.copy()), a.shape)
    for _ in range(2):
        assert np.allclose(plan.execute(other, x), other @ x)
    other.indices[:] = other.indices[::-1].copy()
    with pytest.raises(nacho.OperandError):
        plan.execute(other, x)
    with pytest.raises(nacho.OperandError, match="another pattern"):
        plan.execute(matrix(seed=4), x)
    into = np.empty(6)
    assert plan.execute(out=into) is into
    assert np.allclose(into, a @ x)


def test_matrices_of_no_rows_or_entries(full):
    kernel = product()
    for a in (sp.csr_array((0, 3)), sp.csr_array((3, 3)), sp.csr_array((3, 0))):
        for _ in range(2):
            assert kernel(a, np.ones(a.shape[1])).tolist() == [0.0] * a.shape[0]


def longer(a, x):
    return a, np.append(x, 1.0)


def narrower(a, x):
    return a, x.astype(np.float32)


def strided(a, x):
    return a, np.repeat(x, 2)[::2]


def swapped(a, x):
    return a, x.astype(x.dtype.newbyteorder())


def unaligned(a, x):
    moved = np.zeros(x.nbytes + 1, np.uint8)[1:].view(x.dtype)
    moved[:] = x
    return a, moved


def other_indices(a, x):
    a.indices = (a.indices + 1) % a.shape[1]
    a.has_canonical_format = a.has_sorted_indices = False
    return a, x


def other_values(a, x):
    a.data = a.data.astype(np.float32)
    return a, x


def spare_room(a, x):
    a.data = np.append(a.data, 0.0)
    return a, x


def as_list(a, x):
    return a, x.tolist()


CHANGES = [
    narrower,
    strided,
    swapped,
    unaligned,
    other_indices,
    other_values,
    spare_room,
]


@pytest.mark.parametrize("change", CHANGES)
def test_other_operands_are_checked_in_full(change, full):
    kernel, a, x = product(), matrix(), np.arange(5.0)
    kernel(a, x)
    kernel(a, x)
    a, x = change(a, x)
    assert np.allclose(kernel(a, x), a.toarray() @ x)
    assert len(full) == 2


def falling(a):
    a.indptr[2] = a.indptr[-1]


def beyond(a):
    a.indptr[-1] += 1


def shifted(a):
    a.indptr[0] = 1


def outside(a):
    a.indices[3] = 1 << 20


def negative(a):
    a.indices[0] = -3


@pytest.mark.parametrize("damage", [falling, beyond, shifted, outside, negative])
def test_damage_between_repeated_calls_is_found(damage):
    kernel, a, x = product(), matrix(), np.arange(5.0)
    expected = kernel(a, x)
    good = a.indptr.copy(), a.indices.copy()
    kernel(a, x)
    damage(a)
    for _ in range(2):
        with pytest.raises(nacho.OperandError, match="operand 'A'"):
            kernel(a, x)
    a.indptr[:], a.indices[:] = good
    assert np.array_equal(kernel(a, x), expected)


def test_values_of_two_dimensions_are_refused():
    kernel, a, x = product(), matrix(), np.arange(5.0)
    kernel(a, x)
    a.data = a.data.reshape(1, -1)
    with pytest.raises(nacho.OperandError, match="data has shape"):
        kernel(a, x)


@pytest.mark.parametrize("change", [longer, as_list])
def test_what_is_refused_is_refused_after_a_call(change):
    kernel, a, x = product(), matrix(), np.arange(5.0)
    kernel(a, x)
    with pytest.raises(nacho.NachoError):
        kernel(*change(a, x))
    with pytest.raises(nacho.ArgumentError):
        kernel(a)


def test_what_one_kernel_found_damaged_others_check_again():
    formats = {"A": "csr", "x": "dense", "y": "dense"}
    one = product()
    other = nacho.mlir.compile("y[j] = A[i,j] * x[i]", formats=formats)
    a, x, y = matrix(), np.arange(5.0), np.arange(6.0)
    for _ in range(2):
        one(a, x)
        other(a, y)
    first, end = a.indptr[:2]
    assert end - first > 1
    a.indices[first:end] = a.indices[first:end][::-1].copy()
    keep, a.indices[0] = a.indices[0], 1 << 20
    with pytest.raises(nacho.OperandError):
        one(a, x)
    a.indices[0] = keep
    assert np.allclose(other(a, y), a.toarray().T @ y)


@pytest.mark.parametrize("validate", ["full", "none"])
def test_other_checks_are_those_of_every_call(validate, full):
    kernel, a, x = product(validate=validate), matrix(), np.arange(5.0)
    for _ in range(3):
        assert np.allclose(kernel(a, x), a @ x)
    assert len(full) == 3


@pytest.mark.parametrize("format", ["csc", "coo", "dcsr", "coo-interleaved", "csr"])
def test_calls_in_all_formats_are_repeated(format, full):
    kernel = nacho.mlir.compile(SUM, formats=dict.fromkeys("ABZ", format))
    a, b = operands = [matrix(seed=seed) for seed in (1, 2)]
    if format in ("csc", "coo"):
        given = [each.asformat(format) for each in operands]
    else:
        given = [nacho.Tensor.from_dense(each.toarray(), format) for each in operands]
    for _ in range(3):
        z = kernel(*given)
        assert np.allclose(
            z.todense() if sp.issparse(z) else z.to_dense(), (a + b).todense()
        )
    assert len(full) == 1


def test_calls_on_tensors_are_repeated(full):
    rng = np.random.default_rng(5)
    dense = rng.random((4, 5, 6)) * (rng.random((4, 5, 6)) < 0.3)
    kernel = nacho.mlir.compile(
        "s = A[i,j,k] * B[i,j,k]", formats={"A": "csf", "B": "csf"}
    )
    a = nacho.Tensor.from_dense(dense, "csf")
    for _ in range(3):
        assert np.isclose(kernel(a, a), (dense**2).sum())
    assert len(full) == 1


def test_damaged_lists_are_found():
    kernel = nacho.mlir.compile(SUM, formats=dict.fromkeys("ABZ", "coo"))
    a, b = (matrix(seed=seed, make=sp.coo_array) for seed in (1, 2))
    for each in (a, b):
        each.sum_duplicates()
    kernel(a, b)
    kernel(a, b)
    a.coords[1][3] = 99
    with pytest.raises(nacho.OperandError, match="operand 'A'"):
        kernel(a, b)
    a.coords = (a.coords[0], a.coords[1][:-1])
    with pytest.raises(nacho.OperandError, match="operand 'A'"):
        kernel(a, b)


def test_blocks_are_checked_in_every_call(full):
    kernel, x = product(), np.arange(6.0)
    a = sp.bsr_array(np.kron(np.eye(3), np.ones((2, 2))), blocksize=(2, 2))
    for _ in range(3):
        assert np.allclose(kernel(a, x), a @ x)
    assert len(full) == 3


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_numbers_may_be_others_in_each_call(dtype, full):
    kernel = nacho.mlir.compile("Z[i,j] = s * A[i,j]", formats={"A": "csr"})
    a = matrix().astype(dtype)
    for count, kind in enumerate((float, int, np.float64), start=1):
        for s in map(kind, (2, 3, -(10**6), 0)):
            found = kernel(s, a)
            assert found.dtype == (s * a).dtype
            assert np.array_equal(found.toarray(), s * a.toarray())
        assert len(full) == count


def test_numbers_that_floats_cannot_hold_are_refused_after_a_call(full):
    kernel = nacho.mlir.compile("Z[i,j] = s * A[i,j]", formats={"A": "csr"})
    a = matrix()
    kernel(2, a)
    with pytest.raises(nacho.DTypeError, match="operand 's'"):
        kernel(10**400, a)
    assert np.isinf(kernel(np.inf, a).data).all()


@pytest.mark.parametrize(
    ("s", "dtype"),
    [(2, "i1"), (True, "f8"), (2j, "c16"), (np.float32(2), "f4")],
)
def test_other_numbers_are_checked_in_every_call(s, dtype, full):
    kernel = nacho.mlir.compile("Z[i,j] = s * A[i,j]", formats={"A": "csr"})
    a = (matrix() * 10).astype(dtype)
    for count in (1, 2, 3):
        assert np.allclose(kernel(s, a).toarray(), s * a.toarray())
        assert len(full) == count
    if dtype == "i1":
        with pytest.raises(nacho.DTypeError, match="300 is out of bounds"):
            kernel(300, a)


def test_options_of_a_call_are_those_of_that_call(full):
    kernel, a, x = product(), matrix(), np.arange(5.0)
    kernel(a, x)
    assert np.allclose(kernel(a, x, threads=2, parts=3), a @ x)
    assert np.allclose(kernel(a, x=x), a @ x)
    assert np.allclose(kernel(x=x, A=a), a @ x)
    assert len(full) == 2


def test_what_is_remembered_keeps_no_operand_alive():
    kernel, a, x = product(), matrix(), np.arange(5.0)
    kernel(a, x)
    arrays = [weakref.ref(array) for array in (a.indices, a.indptr, a.data, x)]
    del a, x
    gc.collect()
    assert [array() for array in arrays] == [None] * 4


@pytest.mark.parametrize("pair", [("csr", "csc"), ("dcsr", "dcsc"), ("coo", None)])
def test_tensors_of_other_formats_are_no_repetitions(pair):
    """Their arrays have the same types and sizes, but other meanings."""
    given, x = np.arange(16.0).reshape(4, 4), np.arange(4.0)
    tensors = [nacho.Tensor.from_dense(given, format) for format in pair if format]
    text = PRODUCT.replace("x[j]", f"x[j] * {len(pair[0])}")
    for _ in range(3):
        for tensor in (*tensors, *[each.T for each in tensors]):
            wanted = len(pair[0]) * (tensor.to_dense() @ x)
            np.testing.assert_array_equal(nacho.evaluate(text, A=tensor, x=x), wanted)
            np.testing.assert_array_equal(tensor @ x, tensor.to_dense() @ x)


def test_kernels_take_other_formats_after_calls():
    kernel, x = product(), np.arange(4.0)
    tensor = nacho.Tensor.from_dense(np.arange(16.0).reshape(4, 4), "csr")
    for _ in range(3):
        for each in (tensor, tensor.T):
            np.testing.assert_array_equal(kernel(each, x), each.to_dense() @ x)


CLASSES = """
import nacho, numpy as np, scipy.sparse as sp

class Vector:
    shape = (4,)

    def __array__(self, dtype=None, copy=None):
        return np.ones(4)

class Matrix(sp.csr_array):
    def double(self):
        return 2 * self

kernel = nacho.mlir.compile("y[i] = A[i,j] * x[j]", {"A": "csr"})
A, x = sp.csr_array(np.eye(4)), np.ones(4)
for given in ((A, Vector()), (Matrix(A), x), (A, x)) * 2:
    assert kernel(*given).tolist() == [1, 1, 1, 1]
    assert nacho.evaluate("y[i] = A[i,j] * x[j]", A=given[0], x=given[1]).shape == (4,)
    assert (nacho.asarray(A) @ given[1]).shape == (4,)
"""


def test_classes_of_a_script_keep_no_kernel_alive():
    """A class leads to the variables of its module; nanobind says what it leaks."""
    done = subprocess.run(
        [sys.executable, "-c", CLASSES], check=True, capture_output=True, text=True
    )
    assert done.stderr == ""
