"""The order of loops by the sizes of operands."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import nacho
from nacho._kernels.given import views_of_operands
from nacho._kernels.options import Lowering
from nacho._kernels.sizes import is_skew_relevant, rough_sizes, with_skew
from nacho._kernels.specialisers import specialiser_for
from nacho._notation.parser import parse
from nacho._storage.extents import index_extents
from nacho._storage.formats import Format
from nacho._storage.views import View

MASKED = "Z[i,k] = M[i,k] * A[i,j] * B[j,k]"


def matrix(entries: int, extent: int = 3000, seed: int = 0) -> sp.csr_array:
    rng = np.random.default_rng(seed)
    at = rng.integers(0, extent, (2, entries))
    coo = sp.coo_array((rng.random(entries), tuple(at)), shape=(extent, extent))
    coo.sum_duplicates()
    return sp.csr_array(coo)


def with_hubs(entries: int, seed: int = 0) -> sp.csr_array:
    """Return a matrix of which a few columns have half of the entries."""
    rng = np.random.default_rng(seed)
    rows, columns = (rng.integers(0, extent, entries) for extent in (9000, 4000))
    columns[: entries // 2] %= 16
    at = np.unique([rows, columns], axis=1)
    coo = sp.coo_array((rng.random(at.shape[1]), tuple(at)), shape=(9000, 4000))
    return sp.csr_array(coo)


def skews(text: str, **operands: object) -> dict[str, tuple[int, ...]]:
    assignment = parse(text)
    views = views_of_operands(assignment, [operands[n] for n in assignment.operands])
    sizes = with_skew(assignment, views, rough_sizes(views))
    known = zip(views.items(), sizes, strict=True)
    return {name: size[len(view.shape) + 1 :] for (name, view), size in known}


def program(text: str, *operands: object, order: tuple[str, ...] = ()):
    assignment = parse(text)
    views = views_of_operands(assignment, operands)
    specialiser = specialiser_for(assignment, views, None, Lowering(order=order))
    extents = index_extents(assignment, views)
    return specialiser.of_call(operands, views, extents).program()


def test_a_sparse_mask_asks_for_its_entries_alone():
    """Unless it has so few rows that transposing B takes longer than their products."""
    A, B = matrix(200_000, seed=1), matrix(200_000, seed=2)
    chosen = {10: False, 3000: True, 200_000: False}
    for entries, is_asked in chosen.items():
        M = matrix(entries, seed=3)
        assert (program(MASKED, M, A, B).steps[-1].order == ("i", "k")) == is_asked
        got = nacho.evaluate(MASKED, M=M, A=A, B=B)
        expected = M.toarray() * (A.toarray() @ B.toarray())
        np.testing.assert_allclose(got.toarray(), expected)


def test_the_mask_is_asked_first_where_columns_of_many_entries_meet_such_rows():
    """There are then more products than entries of columns of B at those of M."""
    M, skewed, even = matrix(90_000, 9000), with_hubs(90_000), matrix(90_000, 9000)
    for A, is_asked in ((even[:, :4000], False), (skewed, True)):
        B = sp.csr_array(A.T)
        assert (program(MASKED, M, A, B).steps[-1].order == ("i", "k")) == is_asked
        got = nacho.evaluate(MASKED, M=M, A=A, B=B)
        expected = sp.csr_array(A @ B).multiply(M).tocsr()
        assert abs(got - expected).max() < 1e-9
        scattered = nacho.evaluate(MASKED, M=M, A=A, B=B, order=("i", "j", "k"))
        np.testing.assert_array_equal(got.data, scattered.data)


def test_matrices_of_like_skew_share_a_kernel():
    M = matrix(90_000, 9000)
    first, second = with_hubs(90_000, seed=1), with_hubs(88_000, seed=2)
    B = sp.csr_array(first.T)
    natives = [program(MASKED, M, A, B).native for A in (first, second)]
    assert natives[0] == natives[1]


def test_skew_is_that_of_the_entries_that_meet():
    A, M = with_hubs(90_000), matrix(90_000, 9000)
    B = sp.csr_array(A.T)
    found = skews(MASKED, M=M, A=A, B=B)
    assert found["M"] == (1, 1)
    assert found["A"] == (1, found["B"][0])
    assert found["B"][0] in (32, 64)
    # A full matrix meets hubs no more often than other columns, and of a small one
    # nothing is asked.
    full, small = sp.csr_array(np.ones((20, 4000))), matrix(30_000, 9000)[:, :20]
    found = skews("Z[i,j] = M[i,j] * A[k,j] * B[k,i]", M=full, A=A, B=small)
    assert found == {"M": (1, 1), "A": (1, 1), "B": ()}


def test_the_same_matrix_meets_itself_in_two_samples():
    """A sample of a diagonal would meet itself at each of its entries."""
    A = sp.csr_array(sp.eye_array(200_000))
    assert set(skews(MASKED, M=A, A=A, B=A).values()) == {(1, 1)}
    text = "Z[i,k] = A[i,k] * A[i,j] * A[j,k]"
    assert skews(text, A=A) == {"A": (1, 1)}
    assert skews(text, A=sp.csr_array(with_hubs(200_000)[:4000]))["A"][1] > 16


@pytest.mark.parametrize("format", ["csr", "csc", "dcsr", "coo"])
def test_skew_is_known_in_all_formats_of_matrices(format):
    A = with_hubs(90_000)
    T = nacho.Tensor.from_scipy(A).convert(format)
    found = skews(MASKED, M=matrix(90_000, 9000), A=T, B=sp.csr_array(A.T))
    assert found["A"][1] in (32, 64)


@pytest.mark.parametrize("format", ["csr", "csc", "coo"])
def test_operands_without_coordinates_are_refused(format):
    A = matrix(90_000).asformat(format)
    empty = np.zeros(0, np.int32)
    if format == "coo":
        A.coords = (empty, empty)
    else:
        A.indices = empty
    B = matrix(90_000)
    with pytest.raises(nacho.OperandError, match="operand 'A'"):
        nacho.evaluate(MASKED, M=B, A=A, B=B)


def test_skew_is_not_asked_where_it_decides_nothing():
    """Or where a result with other cuts would have other bits."""
    csr, dense = Format("csr"), Format("dense")
    cases = {
        MASKED: True,
        "Z[i,k] = A[i,j] * B[j,k]": False,
        "Z[i,l] = A[i,j] * B[j,k] * C[k,l]": False,
        "Z[i,k] = M[i,k] * A[i,j] * B[j,k] + C[i,k]": False,
        "Z[i,k] max= M[i,k] * A[i,j] * B[j,k]": False,
        "z[i] = M[i,k] * A[i,j] * B[j,k]": False,
    }
    for text, is_asked in cases.items():
        assignment = parse(text)
        formats = dict.fromkeys(assignment.operands, csr)
        result = assignment.result.name
        for format in (None, csr):
            known = {**formats, result: format}
            assert is_skew_relevant(assignment, known) == is_asked
        assert not is_skew_relevant(assignment, {**formats, result: dense})
    assert not is_skew_relevant(
        parse(MASKED), {"M": csr, "A": csr, "B": dense, "Z": None}
    )


def test_skew_of_arrays_that_nobody_has_checked():
    A, M = with_hubs(90_000), matrix(90_000, 9000)
    B = sp.csr_array(A.T)
    B.indices[::7] = -5
    B.indptr[3::5] = 2**30
    assert len(skews(MASKED, M=M, A=A, B=B)["B"]) == 2
    with pytest.raises(nacho.NachoError):
        nacho.evaluate(MASKED, M=M, A=A, B=B)


def test_skew_is_not_known_of_arrays_without_memory():
    """Those of a tensor in pieces have one element, which would meet itself always."""
    A = with_hubs(90_000)
    assignment = parse(MASKED)
    views = views_of_operands(assignment, (matrix(90_000, 9000), A, sp.csr_array(A.T)))
    whole = views["B"]
    arrays = [
        np.broadcast_to(np.zeros((), array.dtype), array.shape)
        for array in (whole.pos[1], whole.crd[1], whole.values)
    ]
    views["B"] = View(
        whole.format, whole.shape, (None, arrays[0]), (None, arrays[1]), arrays[2]
    )
    sizes = rough_sizes(views)
    assert with_skew(assignment, views, sizes)[2] == sizes[2]


def test_explain_tells_of_skew():
    M, A = matrix(90_000, 9000), with_hubs(90_000)
    for B, is_told in ((sp.csr_array(A.T), True), (matrix(90_000, 9000)[:4000], False)):
        *_, last = nacho.explain(MASKED, M=M, A=A, B=B).sections["order"]
        assert ("by factors of about" in last) == is_told


def test_an_order_that_is_asked_for_holds_for_all_sizes():
    A, B = matrix(30_000, seed=1), matrix(30_000, seed=2)
    order = ("i", "j", "k")
    tiny, large = matrix(10, seed=3), matrix(60_000, seed=4)
    asked = program(MASKED, tiny, A, B, order=order)
    assert asked.native == program(MASKED, large, A, B, order=order).native
    assert len(asked.steps) == 2


@pytest.mark.parametrize(
    "text", ["Z[i,j] = A[i,j] + B[i,j]", "Z[i,k] = A[i,j] * X[j,k]"]
)
def test_sizes_that_do_not_matter_are_not_asked_for(text):
    X = np.ones((3000, 2))
    small, large = matrix(10), matrix(60_000)
    other = small if "B" in text else X
    assert program(text, small, other).native == program(text, large, other).native


def test_operands_of_other_sizes_share_what_is_compiled():
    text = "Z[i,k] = A[i,j] * B[j,k]"
    first = program(text, matrix(3_000, seed=1), matrix(3_000, seed=2))
    second = program(text, matrix(60_000, seed=1), matrix(60_000, seed=2))
    assert first is not second
    assert first.native == second.native
