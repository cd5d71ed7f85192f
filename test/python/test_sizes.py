"""The order of loops by the sizes of operands."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import nacho
from nacho._kernels.given import views_of_operands
from nacho._kernels.options import Lowering
from nacho._kernels.specialisers import specialiser_for
from nacho._notation.parser import parse
from nacho._storage.extents import index_extents

MASKED = "Z[i,k] = M[i,k] * A[i,j] * B[j,k]"


def matrix(entries: int, extent: int = 3000, seed: int = 0) -> sp.csr_array:
    rng = np.random.default_rng(seed)
    at = rng.integers(0, extent, (2, entries))
    coo = sp.coo_array((rng.random(entries), tuple(at)), shape=(extent, extent))
    coo.sum_duplicates()
    return sp.csr_array(coo)


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
