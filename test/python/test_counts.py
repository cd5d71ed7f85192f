"""What the simulated GPU counts: ``choices={"count-accesses": True}``."""

import numpy as np
import pytest
import scipy.sparse as sp

import nacho
import samples
from nacho._kernels import gpu_model
from nacho._kernels.counts import counted, since, total

COUNTED = {"target": "cuda-sim", "choices": {"count-accesses": True}}


def matrix(seed, density=0.02):
    made = sp.random_array((200, 200), density=density, format="csr", rng=seed)
    made.sum_duplicates()
    return made


def counts_of(text, operands, parts, **options):
    """Return a result, and the counts of the kernels that have computed it."""
    before = counted()
    result = nacho.evaluate(text, operands, parts=parts, **COUNTED, **options)
    return result, since(before)


@pytest.mark.parametrize(
    "text",
    [
        "Z[i,j] = A[i,j] + B[i,j]",
        "Z[i,j] = A[i,j] * B[i,j]",
        "Z[i,k] = A[i,j] * B[j,k]",
        "y[i] = A[i,j] * x[j]",
        "s = A[i,j] * B[i,j]",
        "Z[j,i] = A[i,j]",
    ],
)
def test_results_are_the_same(text):
    given = {"A": matrix(1), "B": matrix(2), "x": np.arange(200.0)}
    operands = {name: each for name, each in given.items() if f"{name}[" in text}
    found, counts = counts_of(text, operands, parts=70)
    assert samples.same_numbers(found, nacho.evaluate(text, operands, parts=70))
    every = total(counts)
    assert every.launches >= 1
    assert 0 < every.ideal_sectors <= every.sectors
    assert 1 / 32 <= every.useful_lanes <= 1
    assert every.longest <= every.issued
    assert every.longest_far_waits <= every.far_waits
    assert every.blocks <= every.warps <= every.blocks * every.threads


def test_the_bytes_of_operands_and_result_are_moved():
    """A kernel reads all arrays of its operands, and writes all of its result."""
    A, B = matrix(1), matrix(2)
    Z, counts = counts_of("Z[i,j] = A[i,j] + B[i,j]", {"A": A, "B": B}, parts=190)
    run = next(counts[name] for name in counts if "run" in name)
    read = sum(each.nbytes for X in (A, B) for each in (X.indices, X.data, X.indptr))
    written = sum(each.nbytes for each in (Z.indices, Z.data, Z.indptr))
    assert read <= run.bytes_loaded <= read + 32 * 1024
    assert written <= run.bytes_stored <= written + 2048


@pytest.mark.parametrize(
    "text, most", [("y[i] = A[i,j] * x[j]", 2), ("Y[i,k] = A[i,j] * X[j,k]", 3)]
)
@pytest.mark.parametrize("parts", [70, 300, 9000])
def test_launches_of_repeated_calls(text, most, parts):
    """What parts share is combined in one launch, in groups of any size."""
    A = matrix(1).tolil()
    A[7] = 1
    given = {"A": sp.csr_array(A), "x": np.arange(200.0), "X": np.ones((200, 3))}
    operands = {name: each for name, each in given.items() if f"{name}[" in text}
    found = [counts_of(text, operands, parts=parts) for _ in range(2)]
    assert total(found[1][1]).launches == most
    expected = nacho.evaluate(text, operands, parts=parts)
    for result, _ in found:
        assert samples.same_numbers(result, expected)


def test_counts_are_the_same_in_every_run():
    operands = {"A": matrix(1), "B": matrix(2)}
    text = "Z[i,j] = A[i,j] + B[i,j]"
    counts_of(text, operands, parts=50)
    (_, one), (_, other) = (counts_of(text, operands, parts=50) for _ in range(2))
    fields = ("launches", "warps", "bytes_stored", "issued", "useful", "longest")
    fields += ("lines", "far_waits", "near_waits")
    assert list(one) == list(other)
    for name in one:
        for field in fields:
            assert getattr(one[name], field) == getattr(other[name], field)


def test_one_lane_of_a_warp():
    """A kernel of one part has one lane that merges, of 64; all compute values."""
    operands = {"A": matrix(1), "B": matrix(2)}
    _, counts = counts_of("Z[i,j] = A[i,j] + B[i,j]", operands, parts=1)
    compute = next(counts[name] for name in counts if "compute" in name)
    assert compute.useful_lanes < 0.1


def test_explain():
    A, B = matrix(1), matrix(2)
    text = "Z[i,j] = A[i,j] + B[i,j]"
    kernel = nacho.mlir.compile(text, **COUNTED)
    shown = kernel.explain(A, B)
    assert "counted " in shown
    assert "kernel_run_kernel_2: 1 launch(es)" in shown
    predicted = "\n".join(kernel.explain(A, B).sections["predicted"])
    assert "kernel_run_kernel_2: " in predicted
    assert "us on an H100 (predicted)" in predicted
    assert str(gpu_model.CHECKED) in predicted


def test_nothing_is_counted_unless_asked_for():
    A, B = matrix(1), matrix(2)
    before = counted()
    kernel = nacho.mlir.compile("Z[i,j] = A[i,j] + B[i,j]", target="cuda-sim")
    assert "counted" not in kernel.explain(A, B)
    assert since(before) == {}


def test_the_host_does_not_count():
    choices = {"count-accesses": True}
    with pytest.raises(nacho.NachoError, match="target='cpu' cannot count"):
        nacho.evaluate("Z[i,j] = 2 * A[i,j]", A=matrix(1), choices=choices)
    with pytest.raises(nacho.NachoError, match="expected True or False"):
        nacho.evaluate(
            "Z[i,j] = 2 * A[i,j]",
            A=matrix(1),
            target="cuda-sim",
            choices={"count-accesses": 1},
        )
