"""Parts of plans that run alone: their windows, and the results that they make."""

import pickle
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, reject
from hypothesis import strategies as st

import expressions
import nacho
import samples
from guarded_memory import guarded

on_linux = pytest.mark.skipif(
    sys.platform != "linux", reason="guards memory as Linux does"
)


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


def tensor(shape, seed, format, density=0.1):
    rng = np.random.default_rng(seed)
    made = np.where(rng.random(shape) < density, rng.random(shape), 0)
    made[::7] = 0
    crd = np.nonzero(made)
    return nacho.Tensor.from_coo(np.array(crd), made[crd], shape=shape).convert(format)


def tensors(shape, format, density=0.1):
    return {
        name: tensor(shape, seed, format, density) for seed, name in enumerate("AB")
    }


A, B = matrix(60, 50, 0), matrix(60, 50, 1)
C = matrix(50, 40, 2)
COLUMNS = "(d0, d1, d2) -> (d1 : dense, d0 : dense, d2 : compressed)"
T = tensors((15, 12, 9), "csf")
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
    "pairs": (
        "Z[i,j] = A[i,j] * B[i,j]",
        tensors((60, 50), "coo"),
        {"formats": {"A": "coo", "B": "coo", "Z": "coo"}},
    ),
    "steps to a tree": (
        "Z[i,j,k] = A[i,j,k] * B[i,j,k]",
        T,
        {"formats": {"A": "csf", "B": "csf", "Z": "csf"}},
    ),
    "sums of fibers": (
        "Z[i,j] = A[i,j,k] * B[i,j,k]",
        T,
        {"formats": {"A": "csf", "B": "csf", "Z": "dcsr"}},
    ),
    "a number of fibers": ("s = A[i,j,k] * B[i,j,k]", T, {}),
    "matches or others": (
        "Z[i,j] = A[i,j] * B[i,j] + C[i,j]",
        {**tensors((60, 50), "dcsr"), "C": tensor((60, 50), 2, "dcsr")},
        {"formats": {"A": "dcsr", "B": "dcsr", "C": "dcsr", "Z": "dcsr"}},
    ),
    "listed whole rows": (
        "Z[i,k] = A[i,j] * C[j,k]",
        {"A": in_format(A, "dcsr"), "C": in_format(C, "dcsr")},
        {"formats": {"A": "dcsr", "C": "dcsr", "Z": "dcsr"}},
    ),
    "masked": (
        "Z[i,k] = M[i,k] * A[i,j] * C[j,k]",
        {"M": matrix(60, 40, 5), "A": A, "C": C},
        {},
    ),
    "heavy rows": (
        "Z[i,k] = A[i,j] * C[j,k]",
        {"A": sp.vstack([sp.csr_array(np.ones((1, 50))), A]).tocsr(), "C": C},
        {},
    ),
    "fibers apart": (
        "Z[i,j,k] = A[i,k] * B[i,j,k]",
        {"A": tensor((15, 9), 3, "dcsr"), "B": T["B"]},
        {"formats": {"A": "dcsr", "B": "csf", "Z": "csf"}},
    ),
    "a list with loops apart": (
        "Z[i,j] = B[i] * x[j] + A[i,j] - D[i,j,m] * A[j,m]",
        {
            "A": tensor((12, 12), 0, "dcsc", 0.4),
            "B": tensor((12,), 2, "sparse-vector", 0.6),
            "D": tensor((12, 12, 12), 1, COLUMNS, 0.3),
            "x": X[:12],
        },
        {
            "formats": {
                "A": "dcsc",
                "B": "sparse-vector",
                "D": COLUMNS,
                "x": "dense",
                "Z": "csc",
            }
        },
    ),
    "whole rows": ("Z[i,k] = A[i,j] * C[j,k]", {"A": A, "C": C}, {}),
    "a scalar": ("Z[i,j] = a * A[i,j] + B[i,j]", {"a": 0.3, "A": A, "B": B}, {}),
    "maxima": ("y[i] = max(j, A[i,j])", {"A": A}, {}),
}


def planned(name, parts):
    expression, operands, options = CASES[name]
    return nacho.mlir.compile(expression, **options).plan(parts=parts, **operands)


@pytest.mark.each_value
@pytest.mark.parametrize("parts", [1, 5, 300])
@pytest.mark.parametrize("name", CASES)
def test_the_pieces_of_all_parts_make_the_result(name, parts):
    plan = planned(name, parts)
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


def check_reads(plan):
    """Compute parts whose windows lie between pages that nobody may read."""
    pieces = []
    with guarded() as guard:
        for part in map(plan.part, range(plan.parts)):
            part._arguments = [
                (guard.copy(each[0]), *each[1:])
                if isinstance(each, tuple) and each[0].ndim
                else each
                for each in part._arguments
            ]
            pieces.append(part.compute())
        joined = nacho.join(pieces)
    assert arrays_of(joined) == arrays_of(plan.execute())


@pytest.mark.each_value
@on_linux
@pytest.mark.parametrize("parts", [5, 40])
@pytest.mark.parametrize("name", CASES)
def test_parts_read_their_windows_only(name, parts):
    check_reads(planned(name, parts))


@st.composite
def drawn_plans(draw):
    case = draw(st.one_of(expressions.elementwise(3), expressions.contractions(3)))
    extents = draw(st.lists(samples.extents, min_size=7, max_size=7))
    rng = np.random.default_rng(draw(samples.seeds))
    operands = case.sample(rng, extents, draw(samples.kinds))
    parts = draw(st.sampled_from((1, 2, 7, 16)))
    try:
        # Short lists would be merged by keys, in a single step.
        return case.compile(choices={"merge-keys": False}).plan(**operands, parts=parts)
    except nacho.NachoError:
        reject()


@on_linux
@pytest.mark.filterwarnings("ignore::nacho.NachoWarning")
@given(drawn_plans())
def test_parts_of_random_expressions_read_their_windows_only(plan):
    try:
        check_reads(plan)
    except nacho.UnsupportedError as error:
        assert "cannot run alone" in str(error)


def bytes_of(operand):
    if sp.issparse(operand):
        return operand.indptr.nbytes + operand.indices.nbytes + operand.data.nbytes
    arrays = (*operand.pos, *operand.crd, operand.values)
    return sum(array.nbytes for array in arrays if array is not None)


LISTED = {
    "steps": ("Z[i,j] = A[i,j] * B[i,j]", tensors((1000, 200), "dcsr"), "AB"),
    "pairs": ("Z[i,j] = A[i,j] * B[i,j]", tensors((1000, 200), "coo"), "AB"),
    "fibers": ("Z[i,j] = A[i,j,k] * B[i,j,k]", tensors((200, 40, 30), "csf"), "AB"),
    "a number": ("s = A[i,j,k] * B[i,j,k]", tensors((200, 40, 30), "csf"), "AB"),
    "products": (
        "Z[i,k] = A[i,j] * B[j,k]",
        {"A": matrix(2000, 500, 0), "B": matrix(500, 50, 1)},
        "A",
    ),
    "products of rows that parts name": (
        "Z[i,k] = A[i,j] * B[j,k]",
        {"A": matrix(2000, 20000, 0, 1e-4), "B": matrix(20000, 2000, 1, 0.01)},
        "AB",
    ),
    "products of few rows": (
        "Z[i,k] = A[i,j] * B[j,k]",
        {"A": sp.diags_array(np.ones(2000)).tocsr(), "B": matrix(2000, 200, 1)},
        "AB",
    ),
}


@pytest.mark.parametrize("name", LISTED)
def test_parts_have_windows_of_operands_that_lists_find(name):
    expression, operands, windowed = LISTED[name]
    result = {} if name in ("a number", "products") else {"Z": "dcsr"}
    formats = {n: x.format for n, x in operands.items() if not sp.issparse(x)}
    kernel = nacho.mlir.compile(expression, formats=formats | result)
    plan = kernel.plan(**operands, parts=50)
    assert any(is_step for is_step, _ in plan._program.steps[-1].inputs)
    sizes = {name: bytes_of(operand) for name, operand in operands.items()}
    whole = sum(size for name, size in sizes.items() if name not in windowed)
    for number in (0, 25, 49):
        part = plan.part(number)
        # An entry takes twice as many bytes in a list as in an operand.
        assert part.nbytes < whole + 3.5 * sum(sizes.values()) / plan.parts
        assert len(pickle.dumps(part)) < part.nbytes + 8000


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
    rows, columns, limit = 1 << 10, 1 << 17, 960 << 20
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
