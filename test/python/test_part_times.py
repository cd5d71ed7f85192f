"""Parts that run alone. How long they take is up to the machine; not that they run."""

import numpy as np
import pytest
import scipy.sparse as sp

import nacho

CASES = {
    "union": ("Z[i,j] = A[i,j] + B[i,j]", {"A": "csr", "B": "csr", "Z": "csr"}),
    "lists": ("Z[i,j] = A[i,j] * B[i,j]", {"A": "coo", "B": "coo", "Z": "coo"}),
    "sums": ("z = A[i,j] * B[i,j]", {"A": "csr", "B": "csr"}),
    "rows": ("Z[i,k] = A[i,j] * B[j,k]", {"A": "csr", "B": "csr", "Z": "csr"}),
    "scatter": ("y[j] = A[i,j] * B[i,j]", {"A": "csr", "B": "csr", "y": "dense"}),
}


def operand(seed, format):
    matrix = sp.random_array((60, 60), density=0.2, rng=np.random.default_rng(seed))
    return matrix.asformat(format)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("parts", [1, 5])
def test_every_part_runs_alone(case, parts):
    text, formats = CASES[case]
    kernel = nacho.mlir.compile(text, formats)
    A, B = (operand(seed, formats[name]) for seed, name in enumerate("AB"))
    plan = kernel.plan(A, B, parts=parts, threads=2)
    before = plan.execute()
    times = plan.part_times(2)
    assert times.shape == (plan.parts,)
    assert (times > 0).all()
    assert np.isfinite(times).all()
    after = plan.execute()
    if sp.issparse(before):
        before, after = before.toarray(), after.toarray()
    np.testing.assert_array_equal(before, after)


def test_parts_that_were_not_counted_cannot_run_alone():
    """The call of a kernel may not know where its parts write."""
    text, formats = CASES["union"]
    kernel = nacho.mlir.compile(text, formats, choices={"drafts": True})
    plan = kernel.plan(*(operand(seed, "csr") for seed in range(2)))
    of_a_call = plan._call.plan("call")
    with pytest.raises(RuntimeError, match="only what was planned with counts"):
        of_a_call.time_parts(plan._call.args, 1)
