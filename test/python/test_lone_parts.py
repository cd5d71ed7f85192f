"""Parts of plans that run alone: their windows, and the results that they make."""

import pickle
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest
import scipy.sparse as sp

import nacho


def matrix(rows, columns, seed, density=0.1):
    """Return a matrix in CSR, some of whose rows are empty."""
    rng = np.random.default_rng(seed)
    made = sp.random_array((rows, columns), density=density, rng=rng, format="csr")
    keep = sp.diags_array((np.arange(rows) % 7 > 0).astype(float))
    made = sp.csr_array(keep @ made)
    made.eliminate_zeros()
    made.sort_indices()
    return made


def in_format(given, format):
    coo = given.tocoo()
    return nacho.Tensor.from_coo(
        np.array(coo.coords), coo.data, shape=coo.shape
    ).convert(format)


def arrays_of(result):
    """Return the bytes of all arrays of a result."""
    if isinstance(result, nacho.Tensor):
        return [
            array.tobytes()
            for array in (*result.pos, *result.crd, result.values)
            if array is not None
        ]
    if sp.issparse(result):
        index = (
            (result.indptr, result.indices)
            if hasattr(result, "indptr")
            else result.coords
        )
        return [array.tobytes() for array in (*index, result.data)]
    return [np.asarray(result).tobytes()]


def copied(value):
    return pickle.loads(pickle.dumps(value))


A, B = matrix(60, 50, 0), matrix(60, 50, 1)
C = matrix(50, 40, 2)
X = np.random.default_rng(3).random(60)
CASES = {
    "rows": ("Z[i,j] = A[i,j] + B[i,j]", {"A": A, "B": B}, {}),
    "list": ("Z[i,j] = A[i,j] + B[i,j]", {"A": A.tocoo(), "B": B.tocoo()}, {}),
    "tree": (
        "Z[i,j] = A[i,j] + B[i,j]",
        {"A": in_format(A, "dcsr"), "B": in_format(B, "dcsr")},
        {"formats": {"A": "dcsr", "B": "dcsr", "Z": "dcsr"}},
    ),
    "matches": ("Z[i,j] = A[i,j] * B[i,j]", {"A": A, "B": B}, {}),
    "steps": (
        "Z[i,j] = A[i,j] * B[i,j]",
        {"A": in_format(A, "dcsr"), "B": in_format(B, "dcsr")},
        {"formats": {"A": "dcsr", "B": "dcsr", "Z": "dcsr"}},
    ),
    "sums of rows": (
        "y[i] = A[i,j] * x[j]",
        {"A": A, "x": X[:50]},
        {"formats": {"A": "csr", "x": "dense"}},
    ),
    "a sparse vector": (
        "y[i] = A[i,j] * x[j]",
        {"A": in_format(A, "dcsr"), "x": X[:50]},
        {"formats": {"A": "dcsr", "x": "dense", "y": "sparse-vector"}},
    ),
    "a number": ("s = A[i,j] * B[i,j]", {"A": A, "B": B}, {}),
    "scattered sums": (
        "y[j] = A[i,j] * x[i]",
        {"A": A, "x": X},
        {"formats": {"A": "csr", "x": "dense"}},
    ),
    "a dense matrix": (
        "Z[i,k] = A[i,j] * D[j,k]",
        {"A": A, "D": np.random.default_rng(4).random((50, 5))},
        {"formats": {"A": "csr", "D": "dense"}},
    ),
    "sums of rows of rows": (
        "Z[i,k] = A[i,j] * C[j,k]",
        {"A": A, "C": C},
        {"formats": {"A": "csr", "C": "csr", "Z": "dense"}},
    ),
    "whole rows": ("Z[i,k] = A[i,j] * C[j,k]", {"A": A, "C": C}, {}),
    "a scalar": ("Z[i,j] = a * A[i,j] + B[i,j]", {"a": 0.3, "A": A, "B": B}, {}),
    "maxima": ("y[i] = max(j, A[i,j])", {"A": A}, {}),
}


@pytest.mark.parametrize("parts", [1, 5, 300])
@pytest.mark.parametrize("name", CASES)
def test_the_pieces_of_all_parts_make_the_result(name, parts):
    expression, operands, options = CASES[name]
    kernel = nacho.mlir.compile(expression, **options)
    plan = kernel.plan(parts=parts, **operands)
    pieces = [copied(copied(plan.part(n)).compute()) for n in range(plan.parts)]
    joined, whole = nacho.join(pieces[::-1]), plan.execute()
    assert type(joined) is type(whole)
    assert joined.shape == whole.shape
    assert arrays_of(joined) == arrays_of(whole)


def test_parts_have_windows_of_operands_only():
    kernel = nacho.mlir.compile("Z[i,j] = A[i,j] + B[i,j]")
    one, other = matrix(2000, 2000, 5, 0.01), matrix(2000, 2000, 6, 0.01)
    plan = kernel.plan(one, other, parts=50)
    everything = sum(
        array.nbytes
        for each in (one, other)
        for array in (each.indptr, each.indices, each.data)
    )
    for number in (0, 25, 49):
        part = plan.part(number)
        assert part.number == number
        assert part.nbytes < everything / 40
        assert len(pickle.dumps(part)) < part.nbytes + 8000
        assert "nacho.mlir" not in repr(part)
        assert len(pickle.dumps(part.compute())) < everything / 30


def computed(part):
    return part.compute()


def test_a_pool_of_processes_computes_parts():
    kernel = nacho.mlir.compile(
        "y[i] = A[i,j] * x[j]", formats={"A": "csr", "x": "dense"}
    )
    plan = kernel.plan(A, X[:50], parts=6)
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        pieces = list(pool.map(computed, map(plan.part, range(6))))
    assert nacho.join(pieces).tobytes() == plan.execute().tobytes()


def test_wrong_parts_and_pieces_are_refused():
    plan = nacho.mlir.compile("Z[i,j] = A[i,j] + B[i,j]").plan(A, B, parts=3)
    for number in (-1, 3):
        with pytest.raises(nacho.OptionError, match=f"part {number}.* 0 to 2"):
            plan.part(number)
    with pytest.raises(nacho.ArgumentError, match="number, got str"):
        plan.part("0")
    pieces = [plan.part(n).compute() for n in range(3)]
    with pytest.raises(nacho.OperandError, match="1 of 3 pieces are missing: 1"):
        nacho.join([pieces[0], pieces[2]])
    with pytest.raises(nacho.OperandError, match="piece 1 of 3 is given 2 times"):
        nacho.join([*pieces, pieces[1]])
    with pytest.raises(nacho.ArgumentError, match="got none"):
        nacho.join([])
    with pytest.raises(nacho.ArgumentError, match="got int"):
        nacho.join([1])
    again = nacho.mlir.compile("Z[i,j] = A[i,j] + B[i,j]").plan(A, B, parts=3)
    with pytest.raises(nacho.OperandError, match="different plans"):
        nacho.join([*pieces[:2], again.part(2).compute()])


def test_parts_that_cannot_run_alone_are_refused():
    kernel = nacho.mlir.compile("Z[j,i] = A[i,j]", formats={"A": "csr", "Z": "dense"})
    plan = kernel.plan(A, parts=3)
    with pytest.raises(nacho.UnsupportedError, match="cannot run alone"):
        plan.part(0)


LIMITED = """
import pickle, resource, sys
resource.setrlimit(resource.RLIMIT_AS, 2 * (int(sys.argv[1]),))
while True:
    try:
        part = pickle.load(sys.stdin.buffer)
    except EOFError:
        break
    pickle.dump(part.compute(), sys.stdout.buffer)
    sys.stdout.flush()
"""


def test_operands_may_be_larger_than_the_memory_that_computes(tmp_path):
    rows, columns, limit = 1 << 10, 1 << 17, 800 << 20
    values = np.memmap(tmp_path / "values", "f8", "w+", shape=rows * columns)
    assert values.nbytes > limit
    values[:: 1 << 14] = 0.1
    pos, crd = np.array([0, rows], np.int32), np.arange(rows, dtype=np.int32)
    tensor = nacho.Tensor.from_parts(
        "(d0, d1) -> (d0 : compressed, d1 : dense)",
        (2 * rows, columns),
        [pos, None],
        [crd, None],
        values,
    )
    kernel = nacho.mlir.compile("y[i] = sum(j, A[i,j])", formats={"A": tensor.format})
    plan = kernel.plan(tensor, parts=16)
    command = [sys.executable, "-c", LIMITED, str(limit)]
    pieces = []
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for number in range(plan.parts):
            pickle.dump(plan.part(number), process.stdin)
            process.stdin.flush()
            pieces.append(pickle.load(process.stdout))
        process.stdin.close()
    assert nacho.join(pieces).tobytes() == plan.execute().tobytes()
