"""The kernels of the benchmark, types and reductions on tensors in pieces.

All windows lie between pages that nobody may read, so that a read out of a window kills
the test.
"""

import sys
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st

import checks
import expressions
import nacho
import samples
from guarded_memory import guarded
from nacho._kernels.block_operands import plain_view
from nacho._kernels.options import Options
from nacho._notation.parser import parse
from nacho._pieces import given as given_operands
from nacho._pieces import named_rows, row_windows, tasks
from nacho._pieces.cutting import cut, has_windows
from nacho._pieces.evaluation import Evaluation
from nacho._pieces.tensor import Pieces
from test_pieces import GuardedEngine

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="guards memory as Linux does"),
    pytest.mark.filterwarnings("ignore::nacho.NachoWarning"),
]


def is_sparse(operand):
    return sp.issparse(operand) or isinstance(operand, nacho.Tensor)


def in_pieces(name, operand, count):
    """Return a container in pieces, or itself if it is not cut."""
    view = plain_view(name, operand, operand.ndim)
    if not has_windows(view.format):
        return operand
    pieces, windows = cut(view, count)
    return replace(pieces, handles=tuple(windows))


def evaluation_of(text, operands, pieces, engine, options):
    assignment = options.read(parse(text))
    given = {
        name: in_pieces(name, operand, pieces) if is_sparse(operand) else operand
        for name, operand in operands.items()
    }
    views = {
        name: each.skeleton()
        if isinstance(each, Pieces)
        else plain_view(name, each, assignment.ranks[name])
        for name, each in given.items()
        if assignment.ranks[name]
    }
    return Evaluation(assignment, options, given, views, engine)


def check(text, operands, pieces=3, slots=4, **options):
    """Compare cuts and results with those of one machine."""
    options.setdefault("cost", "time")
    # Short lists would be merged by keys, in a single task.
    options.setdefault("choices", {"merge-keys": False})
    cut = {"cost": options["cost"]}
    with guarded() as guard:
        engine = GuardedEngine(guard, slots)
        evaluation = evaluation_of(text, operands, pieces, engine, Options(**options))
        if evaluation.is_divided:
            # Of each step, sums depend on its number of parts.
            parts = options.get("parts") or evaluation.last_step.plan.parts
            options["parts"] = parts
            if not {"semiring", "out"} & options.keys():
                known = nacho.partition(text, parts, operands, **cut)
                check_cuts(evaluation.partition(parts), known, evaluation.program)
        result = evaluation.run()
        made = tasks.whole(result.known, result.handles)
        want = nacho.evaluate(text, **operands, **options)
        assert type(made) is type(want)
        assert np.shape(made) == np.shape(want)
        assert checks.same(made, want)


def check_cuts(found, known, program):
    if program.steps[-1].has_tables and found.total != known.total:
        # A list charges the entries of a row for a table, by those that a part has.
        return
    if len(found.nests) != len(known.nests):
        # One machine computes heavy rows of products apart, here or in what the last
        # step reads. What rows cost is listed first, and cut alike.
        if program.delta >= 0:
            require_equal(found, known)
        elif not program.steps[0].is_reordering:
            require_equal(found.nests[0], known.nests[0])
        return
    nests = zip(found.nests, known.nests, program.steps, strict=True)
    for one, other, step in nests:
        # Elements are sorted, wherever parts that list them are cut: inside of products
        # of two fibers, costs are those of what parts have of these. One machine brings
        # a matrix into another order by fewer parts.
        is_sorted = step.is_sorted and not step.lists_costs
        if len(one.costs) == len(other.costs) and not is_sorted:
            require_equal(one, other)
            assert one.positions.keys() == other.positions.keys()


def require_equal(found, known):
    """Compare the cuts of a nest."""
    assert np.array_equal(found.bounds, known.bounds)
    assert np.array_equal(found.costs, known.costs)
    pairs = zip(found.positions.values(), known.positions.values(), strict=True)
    for places, wanted in pairs:
        assert np.array_equal(places, wanted)


# --- Operands -------------------------------------------------------------------------

RNG = np.random.default_rng(0)
N = 120


def matrix(format="csr", density=0.05, dtype=np.float64, shape=(N, N)):
    made = sp.random_array(shape, density=density, rng=RNG)
    made.data = np.ceil(made.data * 9).astype(dtype)
    return nacho.Tensor.from_scipy(made.tocsr()).convert(format)


def tensor(format):
    coords, values = RNG.integers(0, 20, (3, 700)), RNG.random(700)
    made = nacho.Tensor.from_coo(coords, values, shape=(20,) * 3)
    return made.convert(format)


def heavy(format="csr"):
    """Return a matrix with one row that has most of its entries."""
    chosen = np.where(np.arange(N) == 7, 0.9, 0.01)[:, None]
    made = sp.csr_array((RNG.random((N, N)) < chosen) * RNG.random((N, N)))
    return nacho.Tensor.from_scipy(made).convert(format)


X, D, E = RNG.random(N), RNG.random((N, 8)), RNG.random((N, 8))
T = {format: (tensor(format), tensor(format)) for format in ("csf", "coo")}
M = {format: [matrix(format) for _ in "ABC"] for format in ("csr", "dcsr", "coo")}


def named(*operands, names="ABC"):
    return dict(zip(names, operands, strict=False))


KERNELS = {
    "csr-add": ("Z[i,j] = A[i,j] + B[i,j]", named(*M["csr"][:2])),
    "csr-add3": ("Z[i,j] = A[i,j] + B[i,j] + C[i,j]", named(*M["csr"])),
    "csr-mul": ("Z[i,j] = A[i,j] * B[i,j]", named(*M["csr"][:2])),
    "dcsr-add": ("Z[i,j] = A[i,j] + B[i,j]", named(*M["dcsr"][:2])),
    "dcsr-mul": ("Z[i,j] = A[i,j] * B[i,j]", named(*M["dcsr"][:2])),
    "coo-add": ("Z[i,j] = A[i,j] + B[i,j]", named(*M["coo"][:2])),
    "coo-mul": ("Z[i,j] = A[i,j] * B[i,j]", named(*M["coo"][:2])),
    "coo+csr": ("Z[i,j] = A[i,j] + B[i,j]", named(M["coo"][0], M["csr"][0])),
    "csf-add": ("Z[i,j,k] = A[i,j,k] + B[i,j,k]", named(*T["csf"])),
    "csf-inner": ("s = A[i,j,k] * B[i,j,k]", named(*T["csf"])),
    "coo3-add": ("Z[i,j,k] = A[i,j,k] + B[i,j,k]", named(*T["coo"])),
    "coo3-inner": ("s = A[i,j,k] * B[i,j,k]", named(*T["coo"])),
    "spmv": ("y[i] = A[i,j] * x[j]", {"A": M["csr"][0], "x": X}),
    "spmm": ("Z[i,k] = A[i,j] * D[j,k]", {"A": M["csr"][0], "D": D}),
    "sddmm": (
        "Z[i,j] = A[i,j] * D[i,k] * E[j,k]",
        {"A": M["csr"][0], "D": D, "E": E},
    ),
    "mttkrp": (
        "Z[i,r] = A[i,j,k] * D[j,r] * E[k,r]",
        {"A": T["csf"][0], "D": D[:20], "E": E[:20]},
    ),
    "csf-mul": ("Z[i,j,k] = A[i,j,k] * B[i,j,k]", named(*T["csf"])),
    "csf-fibers": ("Z[i,j] = A[i,j,k] * B[i,j,k]", named(*T["csf"])),
    "spgemm": ("Z[i,k] = A[i,j] * B[j,k]", named(*M["csr"][:2])),
    "spgemm-dcsr": ("Z[i,k] = A[i,j] * B[j,k]", named(*M["dcsr"][:2])),
    "masked": ("Z[i,k] = C[i,k] * A[i,j] * B[j,k]", named(*M["csr"])),
}


@pytest.mark.each_value
@pytest.mark.parametrize("parts", [1, 2, 16, 1000])
@pytest.mark.parametrize("kernel", KERNELS)
def test_kernels_of_the_bench(kernel, parts):
    text, operands = KERNELS[kernel]
    for cost, pieces in (("time", 3), ("nnz", 9), ("nnz+loops", 1)):
        check(text, operands, pieces, parts=parts, cost=cost)


def test_min_plus():
    operands = {"A": M["csr"][0], "x": X}
    check("y[i] = A[i,j] * x[j]", operands, parts=7, semiring="min_plus")


@pytest.mark.parametrize("slots", [1, 2, 5, 40])
@pytest.mark.parametrize("format", ["csr", "dcsr", "coo"])
def test_heavy_row(format, slots):
    A, B = heavy(format), heavy(format)
    for cost in ("time", "nnz"):
        options = {"parts": 12, "slots": slots, "cost": cost}
        check("Z[i,j] = A[i,j] + B[i,j]", {"A": A, "B": B}, **options)
        check("y[i] = A[i,j] * x[j]", {"A": A, "x": X}, **options)
        check("y[i] max= A[i,j]", {"A": A}, **options)


@pytest.mark.parametrize("parts", [None, 1, 5, 64])
def test_more_pieces_than_entries(parts):
    A = matrix(density=3 / N**2)
    for other in (A, matrix(), matrix(density=0)):
        check("Z[i,j] = A[i,j] + B[i,j]", {"A": A, "B": other}, 9, parts=parts)
        check("Z[i,j] = A[i,j] * B[i,j]", {"A": A, "B": other}, 9, parts=parts)


@pytest.mark.parametrize("format", ["csr", "dcsr", "coo"])
@pytest.mark.parametrize("text", ["Z[i,j] = A[i,j] + B[i,j]", "y[i] = A[i,j] * x[j]"])
def test_empty_operands(text, format):
    nothing = matrix(format, density=0)
    operands = {"A": nothing, "B": nothing, "x": X}
    read = {name: operands[name] for name in parse(text).operands}
    for pieces in (1, 4):
        check(text, read, pieces, parts=3)


@pytest.mark.parametrize("shape", [(0, 5), (5, 0), (0, 0), (1, 1), (1, 40), (40, 1)])
@pytest.mark.parametrize("format", ["csr", "dcsr", "coo"])
def test_small_extents(format, shape):
    A, B = (matrix(format, 0.5, shape=shape) for _ in "AB")
    x = np.ones(shape[1])
    for pieces in (1, 3):
        check("Z[i,j] = A[i,j] + B[i,j]", {"A": A, "B": B}, pieces, parts=4)
        check("y[i] = A[i,j] * x[j]", {"A": A, "x": x}, pieces, parts=4)


@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.bool_, np.complex128])
def test_types(dtype):
    A, B = matrix(dtype=dtype), matrix("dcsr", dtype=dtype)
    check("Z[i,j] = A[i,j] + B[i,j]", {"A": A, "B": matrix(dtype=dtype)}, parts=5)
    check("Z[i,j] = A[i,j] * B[i,j]", {"A": A, "B": B}, parts=5)
    check("y[i] = A[i,j] * x[j]", {"A": A, "x": X.astype(dtype)}, parts=5)


def test_wide_indices():
    A, B = (matrix().to_scipy() for _ in "AB")
    for each in (A, B):
        each.indptr = each.indptr.astype(np.int64)
        each.indices = each.indices.astype(np.int64)
    check("Z[i,j] = A[i,j] + B[i,j]", {"A": A, "B": B}, parts=5)


def test_diagonals_in_another_order():
    """One worker brings the matrix that is one into the order of the result."""
    format = "(d0, d1, d2) -> (d0 : dense, d2 : dense, d1 : compressed)"
    A = T["csf"][0].convert(format)
    check("Z[i,j] = -A[i,j,i]", {"A": A}, parts=3)
    check("Z[i,j] = A[i,j,i] + B[i,j]", {"A": A, "B": matrix(shape=(20, 20))}, parts=3)


@pytest.mark.parametrize("parts", [1, 6])
def test_repeated_operands(parts):
    A = M["csr"][0]
    check("Z[i,j] = A[i,j] + A[i,j] * A[i,j]", {"A": A}, parts=parts)
    check("y[i] = A[i,j] * A[i,k] * x[j] * x[k]", {"A": A, "x": X}, parts=parts)


def test_scalars():
    A, B = M["csr"][:2]
    check("Z[i,j] = a * A[i,j] + 2 * B[i,j]", {"a": 3.5, "A": A, "B": B}, parts=5)


@pytest.mark.parametrize("operator", ["max", "min", "*"])
@pytest.mark.parametrize("target", ["m[i]", "m"])
def test_reductions(target, operator):
    check(f"{target} {operator}= A[i,j]", {"A": heavy()}, parts=6)


def test_scatters():
    A = M["csr"][0]
    check("y[j] = A[i,j] * x[i]", {"A": A, "x": X}, parts=6)


@pytest.mark.parametrize("kernel", ["csf-inner", "coo-add", "spgemm", "csr-add"])
def test_the_default_number_of_parts_is_that_of_one_machine(kernel):
    text, operands = KERNELS[kernel]
    with guarded() as guard:
        engine = GuardedEngine(guard, 3)
        evaluation = evaluation_of(text, operands, 3, engine, Options())
        result = evaluation.run()
        made = tasks.whole(result.known, result.handles)
        assert checks.same(made, nacho.evaluate(text, **operands))


def test_heavy_rows_of_products():
    for format in ("csr", "dcsr"):
        A, B = heavy(format), matrix(format)
        for one, other in ((A, B), (B, A), (A, A)):
            for parts in (3, 40):
                operands = {"A": one, "B": other}
                check("Z[i,k] = A[i,j] * B[j,k]", operands, parts=parts)
                check("Z[i,j] = A[i,j] * B[i,j]", operands, parts=parts)


def test_parts_that_begin_in_rows_of_the_second_factor():
    A, B = matrix(density=0.05, shape=(40, 3000)), matrix(density=0.9, shape=(3000, 20))
    for slots in (2, 4):
        options = {"parts": 40, "slots": slots, "out": "dense"}
        check("Z[i,k] = A[i,j] * B[j,k]", {"A": A, "B": B}, **options)


@pytest.mark.parametrize("format", ["csr", "dcsr"])
def test_rows_that_parts_name(monkeypatch, format):
    """Few rows come to a task that needs few; else, the whole operand does."""
    asked = []

    def counted(*given):
        found = some_rows(*given)
        asked.append(found.crd.size)
        return found

    some_rows = row_windows.some_rows
    monkeypatch.setattr(row_windows, "some_rows", counted)
    monkeypatch.setattr(named_rows, "TASK", 0)
    band = sp.diags_array([1.0, 2.0, 3.0], offsets=[-1, 0, 1], shape=(N, N))
    A, B = nacho.Tensor.from_scipy(band.tocsr()).convert(format), heavy()
    for pieces, slots, parts in ((3, 4, 8), (7, 4, 4), (1, 2, 2)):
        asked.clear()
        check("Z[i,k] = A[i,j] * B[j,k]", named(A, B), pieces, slots, parts=parts)
        assert B.nnz <= sum(asked) < 2 * B.nnz
        assert len(asked) <= pieces + 2 * slots
    asked.clear()
    # What a message takes is more than what the rows that are left out would take.
    monkeypatch.setattr(named_rows, "TASK", 1 << 16)
    check("Z[i,k] = A[i,j] * B[j,k]", named(matrix(format, 0.5), B), parts=4)
    assert not asked


TRANSPOSED = {
    "sum": "Z[i,j] = A[i,j] + B[j,i]",
    "itself": "Z[i,j] = A[i,j] + A[j,i]",
    "product": "Z[i,j] = A[i,j] * B[j,i]",
    "first factor": "Z[i,k] = A[j,i] * B[j,k]",
    "second factor": "Z[i,k] = A[i,j] * B[k,j]",
    "both": "Z[i,k] = A[j,i] * B[k,j]",
    "alone": "Z[i,j] = 2 * A[j,i]",
}


@pytest.mark.parametrize("kinds", [("csr", "csr"), ("csr", "csc"), ("csr", "dcsr")])
@pytest.mark.parametrize("kernel", TRANSPOSED)
def test_transposed_operands(kernel, kinds):
    """A matrix is sorted where its pieces are before the parts read it."""
    text = TRANSPOSED[kernel]
    operands = {name: heavy(kind) for name, kind in zip("AB", kinds, strict=True)}
    for pieces, slots, parts in ((3, 4, 9), (1, 2, 2), (9, 7, 40)):
        given = {name: operands[name] for name in parse(text).operands}
        check(text, given, pieces, slots, parts=parts)


def test_transposed_operands_are_divided():
    A, B = M["csr"][:2]
    with guarded() as guard:
        engine = GuardedEngine(guard, 5)
        for text in TRANSPOSED.values():
            given = {name: named(A, B)[name] for name in parse(text).operands}
            options = Options(parts=5, choices={"merge-keys": False})
            assert evaluation_of(text, given, 4, engine, options).why_whole == ""


def test_a_transposed_operand_that_is_not_in_pieces():
    A, B = M["csr"][:2]
    with guarded() as guard:
        engine = GuardedEngine(guard, 5)
        given = {"A": in_pieces("A", A, 3), "B": B.to_scipy()}
        views = {"A": given["A"].skeleton(), "B": plain_view("B", given["B"], 2)}
        text = TRANSPOSED["sum"]
        options = Options(parts=5, choices={"merge-keys": False})
        made = Evaluation(parse(text), options, given, views, engine).run()
        want = nacho.evaluate(text, A=A, B=B, parts=5)
        assert checks.same(tasks.whole(made.known, made.handles), want)


def test_transposed_operands_of_other_shapes():
    for shape in ((40, 90), (90, 40), (1, 30), (30, 1), (0, 5), (5, 0)):
        for density in (0.2, 0):
            A = matrix(density=density, shape=shape)
            B = matrix(density=0.1, shape=shape[::-1])
            check("Z[i,j] = A[i,j] + B[j,i]", {"A": A, "B": B}, parts=5)
    A, B = (matrix().to_scipy() for _ in "AB")
    B.indptr, B.indices = B.indptr.astype(np.int64), B.indices.astype(np.int64)
    check("Z[i,j] = A[i,j] + B[j,i]", {"A": A, "B": B}, parts=5)
    for dtype in (np.float32, np.int64, np.bool_, np.complex128):
        A, B = matrix(dtype=dtype), matrix(dtype=dtype)
        check("Z[i,j] = A[i,j] + B[j,i]", {"A": A, "B": B}, parts=5)


OF_DENSE = {
    "spmv": KERNELS["spmv"],
    "spmm": KERNELS["spmm"],
    "sddmm": KERNELS["sddmm"],
    "mttkrp": KERNELS["mttkrp"],
    "sum": (
        "y[i] = (A[i,j] + B[i,j]) * x[j]",
        {"A": M["csr"][0], "B": M["csr"][1], "x": X},
    ),
    "twice": (
        "y[i] = A[i,j] * x[j] + B[i,j] * x[j]",
        {"A": M["csr"][0], "B": M["csr"][1], "x": X},
    ),
    "list": (
        "y[i] = A[i,j] * B[i,j] * x[j]",
        {"A": M["dcsr"][0], "B": M["dcsr"][1], "x": X},
    ),
    "masked": (
        "Z[i,k] = C[i,k] * A[i,j] * B[j,k] * x[j]",
        {**KERNELS["masked"][1], "x": X},
    ),
    "all": ("y[i] = sum(j, max(A[i,j], x[j]))", {"A": M["csr"][0], "x": X}),
    "both": ("y[i] = x[i] * A[i,j] * x[j]", {"A": M["csr"][0], "x": X}),
    "columns": ("y[i] = A[i,j] * D[k,j]", {"A": M["csr"][0], "D": D.T.copy()}),
}


@pytest.mark.parametrize("parts", [2, 9])
@pytest.mark.parametrize("kernel", OF_DENSE)
def test_rows_of_dense_operands(monkeypatch, kernel, parts):
    """Parts have what they read of dense operands, whatever the loops visit."""
    monkeypatch.setattr(given_operands, "_SMALL", 1)
    monkeypatch.setattr(named_rows, "TASK", 0)
    text, operands = OF_DENSE[kernel]
    for pieces, slots in ((1, 2), (3, 7), (9, 40)):
        check(text, operands, pieces, slots, parts=parts)


def test_rows_of_dense_operands_that_parts_name(monkeypatch):
    """Each row comes to a task that needs it; a few rows are needed by two."""
    monkeypatch.setattr(given_operands, "_SMALL", 1)
    asked = []

    def counted(*given):
        found = some_rows(*given)
        asked.append(found.values.size)
        return found

    some_rows = row_windows.some_rows
    monkeypatch.setattr(row_windows, "some_rows", counted)
    monkeypatch.setattr(named_rows, "TASK", 0)
    band = sp.diags_array([1.0, 2.0, 3.0], offsets=[-1, 0, 1], shape=(N, N)).tocsr()
    for text, x in (("y[i] = A[i,j] * x[j]", X), ("Z[i,k] = A[i,j] * x[j,k]", D)):
        asked.clear()
        check(text, {"A": band, "x": x}, pieces=3, slots=4, parts=8)
        assert x.size <= sum(asked) < 1.2 * x.size
    asked.clear()
    # A loop visits all columns.
    check("y[i] = sum(j, max(A[i,j], x[j]))", {"A": band, "x": X}, parts=8)
    assert not asked


def test_rows_of_dense_results(monkeypatch):
    """Cuts divide rows of dense results, which are operands of other statements."""
    matrix = M["csr"][0]
    monkeypatch.setattr(named_rows, "TASK", 0)
    with guarded() as guard:
        engine = GuardedEngine(guard, 5)
        options = Options(parts=7)
        operands = {"D": D, "E": E}
        first = evaluation_of("Z[j,k] = D[j,k] + E[j,k]", operands, 3, engine, options)
        made = first.run()
        cuts = made.positions[1:-1, -1]
        assert (cuts % D.shape[1] != 0).any()
        operands = {"A": in_pieces("A", matrix, 3), "Z": made}
        views = {name: each.skeleton() for name, each in operands.items()}
        text = "Y[i,k] = A[i,j] * Z[j,k]"
        second = Evaluation(parse(text), options, operands, views, engine)
        found = second.run()
        want = nacho.evaluate(text, A=matrix, Z=D + E, parts=7)
        assert checks.same(tasks.whole(found.known, found.handles), want)


def test_many_tasks_are_not_worth_few_rows(monkeypatch):
    asked = []
    monkeypatch.setattr(row_windows, "some_rows", lambda *args: asked.append(args))
    band = sp.diags_array([1.0, 2.0, 3.0], offsets=[-1, 0, 1], shape=(N, N)).tocsr()
    check("Z[i,k] = A[i,j] * B[j,k]", named(band, heavy()), 3, 4, parts=8)
    assert not asked


def test_pieces_are_asked_for_rows_that_they_may_have():
    known = in_pieces("B", heavy(), 9)
    lower, upper = known.positions[:-1, 0], known.positions[1:, 0]
    rng = np.random.default_rng(1)
    for size in (0, 1, 3, N):
        rows = np.sort(rng.choice(N, size, replace=False))
        found = named_rows.names_by_piece(known, rows)
        for piece, (low, high) in enumerate(zip(lower, upper, strict=True)):
            wanted = rows[(low <= rows) & (rows <= high)]
            assert (piece in found) == (wanted.size > 0)
            if wanted.size:
                np.testing.assert_array_equal(found[piece].rows, wanted)
        count, asked = named_rows.counts_of(found)
        assert count == sum(names.size for names in found.values())
        assert asked == sorted(found)


def test_lists_are_made_by_all_machines():
    """Steps that list coordinates are divided, as those that read the lists are."""
    for kernel in ("dcsr-mul", "coo-mul", "csf-mul", "csf-inner", "spgemm", "masked"):
        text, operands = KERNELS[kernel]
        with guarded() as guard:
            options = Options(parts=5, choices={"merge-keys": False})
            engine = GuardedEngine(guard, 5)
            evaluation = evaluation_of(text, operands, 4, engine, options)
            assert evaluation.why_whole == ""
            assert len(evaluation.program.steps) > 1


@pytest.mark.parametrize("pieces", [2, 3, 9])
def test_lists_without_entries_between_two_pieces(pieces):
    """The next entry of the list stands for a row that lies behind both."""
    rows, columns = [13, 46, 100], [5, 6, 7]
    A = sp.csr_array((np.ones(3), (rows, columns)), shape=(N, N))
    for listed in ([13], [13, 100], [46], [100]):
        v = nacho.Tensor.from_coo(np.array([listed]), np.ones(len(listed)), shape=(N,))
        check("y[k] = A[i,k] * v[i]", {"A": A, "v": v}, pieces, parts=64)


# --- Random expressions ---------------------------------------------------------------


@st.composite
def fuzzed(draw):
    case = draw(st.one_of(expressions.elementwise(3), expressions.contractions(3)))
    extents = draw(st.lists(samples.extents, min_size=7, max_size=7))
    rng = np.random.default_rng(draw(samples.seeds))
    operands = case.sample(rng, extents, draw(samples.kinds))
    pieces, slots = draw(st.sampled_from((1, 3, 9))), draw(st.sampled_from((1, 2, 7)))
    return case, operands, pieces, slots, draw(st.sampled_from((1, 2, 16)))


@given(fuzzed())
def test_random_expressions(drawn):
    case, operands, pieces, slots, parts = drawn
    try:
        nacho.evaluate(case.text, operands, parts=parts, cost=case.cost)
    except nacho.NachoError:
        assume(False)
    check(case.text, operands, pieces, slots, parts=parts, cost=case.cost)
