"""Results: in the library of the operands, as that library would have made them."""

import numpy as np
import pytest
import scipy.sparse as sp

from nacho import Format, Tensor
from nacho._storage.containers import view_of
from nacho._storage.results import holds, library_of, make_result, result_class
from nacho._storage.views import NACHO, NUMPY, SCIPY_ARRAY, SCIPY_MATRIX

INT = np.int32
DENSE = np.array([[1.0, 0, 2, 0], [0, 0, 0, 0], [0, 3, 0, 4]])
CUBE = np.arange(24.0).reshape(2, 3, 4) % 5
ROWS = "(i, j) -> (i : compressed, j : dense)"


def views(*kinds):
    """Return views of operands; a number stands for a scalar."""
    made = [Tensor.from_dense(DENSE) if k is Tensor else k(DENSE) for k in kinds]
    return [view_of("A", each, 2) for each in made]


def csr_array(_):
    return sp.csr_array(DENSE)


@pytest.mark.parametrize(
    ("format", "kinds", "expected"),
    [
        ("csr", [sp.csr_array], sp.csr_array),
        ("csr", [sp.csr_matrix, sp.csr_matrix], sp.csr_matrix),
        ("csr", [sp.csr_matrix, sp.csr_array], sp.csr_array),
        ("csc", [sp.csc_matrix], sp.csc_matrix),
        ("coo", [sp.csr_matrix], sp.coo_matrix),
        ("coo", [sp.coo_array], sp.coo_array),
        ("csr", [sp.bsr_array], sp.csr_array),
        ("csr", [np.array, sp.csr_matrix], sp.csr_matrix),
        ("csr", [sp.csr_matrix, Tensor, sp.coo_array], sp.csr_array),
        ("dcsr", [sp.csr_array], Tensor),
        (ROWS, [sp.csr_array], Tensor),
        ("csr", [Tensor], Tensor),
        ("csr", [Tensor, sp.csr_array], Tensor),
        ("csr", [sp.csr_matrix, Tensor], sp.csr_matrix),
        ("csr", [np.array], Tensor),
        ("dense", [sp.csr_array], np.ndarray),
        ("dense", [Tensor], np.ndarray),
        ("(i, j) -> (j : dense, i : dense)", [np.array], np.ndarray),
    ],
)
def test_library_of_the_result(format, kinds, expected):
    concrete = Format(format).for_rank(2)
    assert result_class(concrete, views(*kinds)) is expected
    assert result_class(concrete, [None, *views(*kinds)]) is expected


@pytest.mark.parametrize("kind", [sp.csr_array, sp.csr_matrix, sp.coo_array])
def test_other_ranks_than_the_operands(kind):
    """SciPy's matrices are of rank 2, its arrays in coo of any."""
    for rank in (1, 3, 4):
        assert result_class(Format("coo").for_rank(rank), views(kind)) is sp.coo_array
    assert result_class(Format("csf").for_rank(3), views(kind)) is Tensor
    assert result_class(None, views(kind)) is np.generic


def test_libraries():
    assert library_of([]) == library_of(views(np.array)) == NACHO
    assert library_of(views(np.array, sp.csr_matrix)) == SCIPY_MATRIX
    assert library_of([None, *views(sp.csr_matrix, sp.coo_array)]) == SCIPY_ARRAY
    assert library_of(views(Tensor, sp.coo_array)) == NACHO


@pytest.mark.parametrize(
    ("format", "rank", "by_scipy"),
    [
        ("csr", 2, True),
        ("csc", 2, True),
        ("coo", 1, True),
        ("coo", 2, True),
        ("coo", 5, True),
        ("sparse-vector", 1, True),
        ("csr", 3, False),
        ("dcsr", 2, False),
        ("csf", 3, False),
        ("csf", 2, False),
        (ROWS, 2, False),
        (
            "(i, j) -> (j : compressed(nonunique), i : singleton(soa))",
            2,
            True,
        ),
    ],
)
def test_what_libraries_hold(format, rank, by_scipy):
    format = Format(format)
    assert holds(SCIPY_ARRAY, format, rank) is by_scipy
    assert holds(SCIPY_MATRIX, format, rank) is by_scipy
    assert not holds(NUMPY, format, rank)
    assert holds(NACHO, format, rank)


@pytest.mark.parametrize("library", [NACHO, NUMPY, SCIPY_ARRAY, SCIPY_MATRIX])
def test_all_libraries_hold_dense_results(library):
    assert holds(library, Format("dense"), 3)
    assert holds(library, None, 0)


# --- Made of the buffers of a kernel --------------------------------------------------


@pytest.mark.parametrize("kind", [sp.csr_array, sp.csr_matrix, sp.csc_array])
def test_results_are_like_those_of_scipy(kind):
    known = kind(DENSE)
    known.sum_duplicates()
    _ = known.has_canonical_format
    format = Format(known.format)
    buffers = [known.indptr, known.indices, known.data]
    made = make_result(format, known.shape, buffers, kind)
    assert type(made) is kind
    assert vars(made).keys() == vars(known).keys()
    assert made.data is known.data
    np.testing.assert_array_equal((2 * made).toarray(), 2 * DENSE)


@pytest.mark.parametrize(
    ("kind", "dense"),
    [
        (sp.coo_matrix, DENSE),
        (sp.coo_array, DENSE),
        (sp.coo_array, DENSE[2]),
        (sp.coo_array, CUBE),
    ],
)
@pytest.mark.parametrize("canonical", [True, False])
def test_coo_is_like_that_of_scipy(kind, dense, canonical):
    known = kind(dense)
    known.has_canonical_format = canonical
    pos = np.array([0, known.nnz], INT)
    format = Format("coo").for_rank(dense.ndim)
    buffers = [pos, *known.coords, known.data]
    made = make_result(format, dense.shape, buffers, kind, canonical)
    assert type(made) is kind
    assert vars(made).keys() == vars(known).keys()
    assert made.has_canonical_format is canonical
    assert made.data is known.data
    assert made.coords[0] is known.coords[0]
    assert made.shape == dense.shape
    np.testing.assert_array_equal((2 * made).toarray(), 2 * dense)


def test_results_with_two_index_types():
    pos, crd = np.array([0, 1], np.int64), np.array([0], INT)
    made = make_result(Format("csr"), (1, 1), [pos, crd, np.ones(1)], sp.csr_array)
    assert made.has_canonical_format
    assert made.toarray() == [[1.0]]


def test_results_that_claim_nothing():
    pos, crd = np.array([0, 2], INT), np.array([1, 0], INT)
    buffers = [pos, crd, np.array([1.0, 2])]
    made = make_result(Format("csr"), (1, 2), buffers, sp.csr_array, False)
    assert not made.has_sorted_indices
    assert not made.has_canonical_format


@pytest.mark.parametrize("format", ["dcsr", "csr", "coo", ROWS])
def test_results_as_tensors(format):
    tensor = Tensor.from_dense(DENSE, format)
    levels = zip(tensor.pos, tensor.crd, strict=True)
    arrays = [array for level in levels for array in level if array is not None]
    made = make_result(tensor.format, (3, 4), [*arrays, tensor.values], Tensor)
    assert type(made) is Tensor
    assert made.format == tensor.format
    np.testing.assert_array_equal(made.to_dense(), DENSE)


def test_dense_results():
    flat = np.arange(24.0)
    rows = make_result(Format("dense").for_rank(3), (2, 3, 4), [flat], np.ndarray)
    assert rows.flags.c_contiguous
    assert np.shares_memory(rows, flat)
    np.testing.assert_array_equal(rows.reshape(-1), flat)
    format = Format("(i, j) -> (j : dense, i : dense)")
    columns = make_result(format, (3, 8), [flat], np.ndarray)
    assert columns.shape == (3, 8)
    assert columns.flags.f_contiguous
    assert columns[:, 0].tolist() == [0, 1, 2]


@pytest.mark.parametrize("dtype", ["f4", "i8", "?", "c16"])
def test_scalar_results(dtype):
    made = make_result(None, (), [np.ones(1, dtype)], np.generic)
    assert type(made) is np.dtype(dtype).type
    assert made == 1


def test_results_are_not_checked_again(monkeypatch):
    from nacho._kernels import canonical
    from nacho._kernels.loading import load
    from nacho._storage.operand_types import tensor_type

    checked = []
    monkeypatch.setattr(
        canonical, "has_canonical_entries", lambda *of: checked.append(of[0]) or True
    )
    for is_canonical, times in ((True, 0), (False, 1)):
        checked.clear()
        known = sp.coo_array(CUBE)
        buffers = [np.array([0, known.nnz], INT), *known.coords, known.data]
        format = Format("coo").for_rank(3)
        made = make_result(format, CUBE.shape, buffers, sp.coo_array, is_canonical)
        view = view_of("A", made, 3)
        load("A", made, view, tensor_type("A", view), "safe")
        assert len(checked) == times
