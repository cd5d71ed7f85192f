"""Matrices that are transposed by counting: entries go to a bucket for each column."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import nacho
from nacho import OperandError, Tensor, _nacho, mlir

pytestmark = pytest.mark.any_target

SHAPES = [(5, 7), (60, 40), (1, 5000), (5000, 1), (0, 4), (4, 0), (0, 0)]
TRANSPOSE = "Z[j,i] = A[i,j]"


def random(shape, seed=0, density=0.2, **options):
    return sp.random_array(shape, density=density, format="csr", rng=seed, **options)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("parts", [1, 2, 7, 1000])
def test_transposed(shape, parts):
    given = random(shape)
    found = nacho.evaluate(TRANSPOSE, A=given, out="csr", parts=parts, threads=2)
    found.check_format(full_check=True)
    assert found.has_canonical_format
    np.testing.assert_array_equal(found.toarray(), given.toarray().T)


@pytest.mark.sampled
@pytest.mark.parametrize("dtype", ["f4", "f8", "i1", "i2", "i4", "i8", "u1", "?", "c8"])
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_types(dtype, index):
    given = random((30, 20)).astype(dtype)
    given.indices, given.indptr = (
        given.indices.astype(index),
        given.indptr.astype(index),
    )
    found = nacho.evaluate(TRANSPOSE, A=given, out="csr", threads=2, parts=3)
    assert found.dtype == given.dtype
    np.testing.assert_array_equal(found.toarray(), given.toarray().T)


def test_rows_of_other_formats():
    levels = "(d0, d1) -> (d0 : compressed, d1 : dense)"
    dense = random((6, 9)).toarray()
    given = Tensor.from_dense(dense, levels)
    other = random((9, 6), 1)
    found = nacho.evaluate("Z[i,j] = A[j,i] * B[i,j]", A=given, B=other, out="csr")
    np.testing.assert_allclose(found.to_dense(), dense.T * other.toarray())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Z[i,j] = A[i,j] + A[j,i]", lambda A: A + A.T),
        ("Z[i,j] = A[i,j] * A[j,i]", lambda A: A * A.T),
        ("Z[i,k] = A[i,j] * A[k,j]", lambda A: A @ A.T),
    ],
)
@pytest.mark.parametrize("parts", [1, 5])
def test_expressions(text, expected, parts):
    given = random((40, 40))
    found = nacho.evaluate(text, A=given, parts=parts, threads=2)
    assert type(found) is sp.csr_array
    dense = given.toarray()
    np.testing.assert_allclose(found.toarray(), expected(dense))


def test_no_list_is_sorted():
    kernel = mlir.compile("Z[i,j] = A[i,j] + A[j,i]", formats={"A": "csr", "Z": "csr"})
    assert "collect<buckets>" in kernel.mlir("loops")
    assert "nacho.sort" not in kernel.mlir("scf")
    assert "sorted" not in kernel.explain(random((9, 9)))


def test_a_plan_is_executed_again():
    given = random((50, 50))
    kernel = mlir.compile("Z[i,j] = A[i,j] + A[j,i]", formats={"A": "csr", "Z": "csr"})
    plan = kernel.plan(given, parts=4, threads=2)
    for factor in (1, 2, 3):
        scaled = given * factor
        wanted = (scaled + scaled.T).toarray()
        np.testing.assert_array_equal(plan.execute(scaled).toarray(), wanted)


@pytest.mark.host_only
def test_work_does_not_grow_with_parts():
    """However many parts there are, their counts do not outnumber the entries."""
    given = random((10_000, 10_000), density=0.001)
    kernel = mlir.compile(
        TRANSPOSE, formats={"A": "csr", "Z": "csr"}, choices={"count-steps": True}
    )
    steps = []
    for parts in (1, 10, 1000):
        before = _nacho.counted_steps()
        kernel(given, parts=parts)
        steps.append(_nacho.counted_steps() - before)
    assert max(steps) < 1.5 * steps[0]


def test_edited_columns_are_noticed():
    """Columns that are exchanged after they were counted are in other buckets."""
    given = random((40, 40))
    kernel = mlir.compile("Z[i,j] = A[i,j] + A[j,i]", formats={"A": "csr", "Z": "csr"})
    plan = kernel.plan(given, parts=2, threads=2)
    given.indices[:] = given.indices[::-1].copy()
    with pytest.raises(OperandError):
        plan.execute(given)
