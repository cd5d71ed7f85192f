"""Statements on tensors in pieces: the cuts and the bits are those of one machine.

The engine runs every task here. What a task returns is copied between pages that cannot
be read, so that nobody reads what is not in a window.
"""

import re
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

import nacho
from guarded_memory import guarded
from nacho._kernels.options import Options
from nacho._notation.parser import parse
from nacho._pieces import cutting, groups, tasks
from nacho._pieces.engine import Here
from nacho._pieces.evaluation import Evaluation
from nacho._pieces.groups import Wanted
from nacho._pieces.inputs import Input
from nacho._pieces.places import Known, find
from nacho._pieces.tensor import Pieces
from nacho._pieces.windows import Windows, joined
from nacho._storage.containers import view_of

SIZE, SIDE, RANK = 120, 24, 8
LOOSE = "(d0, d1) -> (d0 : dense, d1 : loose_compressed)"
BITMAP = "(d0, d1) -> (d0 : dense, d1 : structured[0, 32])"
BLOCKS = (
    "(d0, d1) -> (d0 floordiv 2 : dense, d1 floordiv 2 : compressed, "
    "d0 mod 2 : dense, d1 mod 2 : dense)"
)
RUNS_IN_ROWS = (
    "(d0, d1, d2) -> (d0 : dense, d1 : compressed(nonunique), d2 : singleton(soa))"
)


class GuardedEngine(Here):
    """Runs tasks here, and copies what they return to guarded memory."""

    def __init__(self, guard, slots):
        self.guard = guard
        self.slots = slots
        self.rounds = 0

    def submit(self, name, function, *args, at=None, turn=0):
        return self._copied(function(*args))

    def fetch(self, handles):
        self.rounds += 1
        return super().fetch(handles)

    def _copied(self, made):
        if isinstance(made, Windows):
            return Windows(made.begins, tuple(map(self.guard.copy, made.arrays)))
        if isinstance(made, tasks.Made):
            sums = tuple(map(self.guard.copy, made.sums))
            return tasks.Made(self._copied(made.windows), sums)
        if isinstance(made, Input) and made.extents:
            return made._replace(windows=self._copied(made.windows))
        return made


def matrix(seed, density=0.1, heavy=None, rows=SIZE, columns=SIZE):
    """Return a matrix in CSR, with empty rows, and with a heavy one if asked for."""
    rng = np.random.default_rng(seed)
    made = sp.random_array((rows, columns), density=density, rng=rng, format="lil")
    made[::7] = 0
    if heavy is not None:
        made[heavy] = rng.random(columns)
    return sp.csr_array(made)


def in_format(given, format):
    coo = given.tocoo()
    coords = np.array(coo.coords)
    return nacho.Tensor.from_coo(coords, coo.data, shape=coo.shape, format=format)


def tensor(seed, format, entries=700):
    rng = np.random.default_rng(seed)
    coords = rng.integers(0, SIDE, (3, entries))
    coords[0, : entries // 3] = 5
    values = rng.random(entries)
    shape = (SIDE,) * 3
    return nacho.Tensor.from_coo(coords, values, shape=shape, format=format)


RNG = np.random.default_rng(1)
T = tensor(1, "csf")
A, B, HEAVY = matrix(1), matrix(2), matrix(3, 0.01, heavy=9)
LAST = matrix(4, 0.01, heavy=SIZE - 1)
X, D = RNG.random(SIZE), RNG.random((SIZE, RANK))
F = RNG.random((SIDE, RANK))

ADD = "Z[i,j] = A[i,j] + B[i,j]"
CASES = {
    "csr-add": (ADD, {"A": A, "B": B}),
    "a heavy row": (ADD, {"A": HEAVY, "B": B}),
    "heavy rows": (ADD, {"A": HEAVY, "B": LAST}),
    "the same heavy row": (ADD, {"A": HEAVY, "B": HEAVY}),
    "csr-add3": ("Z[i,j] = A[i,j] + B[i,j] + C[i,j]", {"A": A, "B": B, "C": LAST}),
    "csr-mul": ("Z[i,j] = A[i,j] * B[i,j]", {"A": A, "B": HEAVY}),
    "dcsr-add": (
        ADD,
        {"A": in_format(A, "dcsr"), "B": in_format(HEAVY, "dcsr")},
    ),
    "coo-add": (ADD, {"A": A.tocoo(), "B": HEAVY.tocoo()}),
    "different formats": (ADD, {"A": A, "B": in_format(HEAVY, "dcsr")}),
    "csf-add": (
        "Z[i,j,k] = A[i,j,k] + B[i,j,k]",
        {"A": tensor(1, "csf"), "B": tensor(2, "csf")},
    ),
    "coo3-add": (
        "Z[i,j,k] = A[i,j,k] + B[i,j,k]",
        {"A": tensor(1, "coo"), "B": tensor(2, "coo")},
    ),
    "spmv": ("y[i] = A[i,j] * x[j]", {"A": HEAVY, "x": X}),
    "spmv of a list": ("y[i] = A[i,j] * x[j]", {"A": HEAVY.tocoo(), "x": X}),
    "spmv of columns": ("y[j] = A[i,j] * x[i]", {"A": HEAVY, "x": X}),
    "spmm": ("Y[i,k] = A[i,j] * D[j,k]", {"A": HEAVY, "D": D}),
    "sddmm": ("Z[i,j] = A[i,j] * U[i,k] * V[j,k]", {"A": HEAVY, "U": D, "V": D}),
    "mttkrp": (
        "Y[i,r] = T[i,j,k] * C[j,r] * D[k,r]",
        {"T": T, "C": F, "D": F + 1},
    ),
    "fibers": (
        "Y[i,j] = T[i,j,k] * c[k]",
        {"T": tensor(1, "csf"), "c": F[:, 0].copy()},
    ),
    "a sum": ("s += A[i,j]", {"A": HEAVY}),
    "an inner product": ("s += A[i,j] * B[i,j]", {"A": A, "B": HEAVY}),
    "sums of rows": ("y[i] += A[i,j]", {"A": HEAVY}),
    "the largest of rows": ("y[i] max= A[i,j]", {"A": HEAVY}),
    "products of rows": ("y[i] *= A[i,j]", {"A": HEAVY}),
    "coordinates": ("Z[i,j] = A[i,j] * (i < j) - B[i,j] * i", {"A": A, "B": B}),
    "sums of coordinates": ("y[i] = A[i,j] * x[j] * (j + 1)", {"A": HEAVY, "x": X}),
    "a row": ("Z[i,j] = A[3,j] * B[i,j]", {"A": A, "B": B}),
    "a column": ("y[i] = A[i,5] + A[i,j] * x[j]", {"A": HEAVY, "x": X}),
    "ranges": ("Z[i,k] = A[2:, 1:-1][i,j] * B[1:-1][j,k]", {"A": A, "B": B}),
    "a range of rows": ("Z[i,j] = A[9:][i,j] + B[:-9][i,j]", {"A": HEAVY, "B": LAST}),
    "shifted rows": ("y[i] = A[1:][i,j] * x[j] - A[:-1][i,j]", {"A": HEAVY, "x": X}),
    "dense ranges": ("Z[i,k] = A[:, 9:][i,j] * D[:-9][j,k]", {"A": A, "D": D}),
    "a number": ("Z[i,j] = c * A[i,j]", {"A": A, "c": 0.5}),
    "the same twice": ("Z[i,j] = A[i,j] + A[i,j] * A[i,j]", {"A": A}),
    "small types": (
        ADD,
        {"A": A.astype(np.float32), "B": (HEAVY * 9).astype(np.int8)},
    ),
    "complex": ("y[i] = A[i,j] * x[j]", {"A": HEAVY * 1j, "x": X}),
    "no entries": (ADD, {"A": matrix(1, 0.0), "B": matrix(1, 0.0)}),
    "no rows": (ADD, {"A": matrix(1, rows=0), "B": matrix(1, rows=0)}),
    "one row": (ADD, {"A": matrix(1, 0.5, 0, 1, 40), "B": matrix(2, 0.5, 0, 1, 40)}),
    "fewer levels than loops": (
        "Z[i,j] = a[i] - B[i,j,m]",
        {
            "a": nacho.Tensor.from_coo([[1, 4]], [0.6, 0.3], shape=(7,)),
            "B": RNG.random((7, 7, 7)),
        },
    ),
    "two accesses": ("Z[i,j] = A[i,k] * A[j,k]", {"A": A}),
    "whole rows": ("Z[i,k] = A[i,j] * B[j,k]", {"A": A, "B": B}),
    "lists": (
        "Z[i,j] = A[i,j] * B[i,j]",
        {"A": in_format(A, "dcsr"), "B": in_format(HEAVY, "dcsr")},
    ),
}


def is_sparse(value):
    return sp.issparse(value) or isinstance(value, nacho.Tensor)


def in_pieces(value, count):
    known, windows = cutting.cut(view_of("A", value, value.ndim), count)
    return replace(known, handles=tuple(windows))


def evaluation(guard, expr, operands, slots, pieces, **options):
    given = {
        name: in_pieces(value, pieces) if is_sparse(value) else value
        for name, value in operands.items()
    }
    views = {
        name: value.skeleton()
        if isinstance(value, Pieces)
        else view_of(name, value, value.ndim)
        for name, value in given.items()
        if isinstance(value, Pieces) or np.ndim(value)
    }
    engine = GuardedEngine(guard, slots)
    return Evaluation(parse(expr), Options(**options), given, views, engine)


def arrays_of(value):
    """Return the arrays of a container, level by level, and then the values."""
    if not np.ndim(value):
        return [np.asarray(value).reshape(1)]
    view = view_of("Z", value, value.ndim)
    levels = [
        array
        for pair in zip(view.pos, view.crd, strict=True)
        for array in pair
        if array is not None
    ]
    return [*levels, view.values.reshape(-1)]


def check(name, slots, pieces, **options):
    expr, operands = CASES[name]
    with guarded() as guard:
        made = evaluation(guard, expr, operands, slots, pieces, **options)
        parts = options["parts"]
        if made.is_divided:
            plan = made.last_step.plan
            parts = plan.parts
            cost = options.get("cost", "time")
            known = nacho.partition(expr, parts, operands, cost=cost)
            cuts = evaluation(guard, expr, operands, slots, pieces, **options)
            found = cuts.partition(parts)
            is_chosen = made.program.delta >= 0 or found.total == known.total
        if made.is_divided and is_chosen:
            np.testing.assert_array_equal(found.bounds, known.bounds)
            np.testing.assert_array_equal(found.costs, known.costs)
            assert found.positions.keys() == known.positions.keys()
            for operand, places in known.positions.items():
                np.testing.assert_array_equal(found.positions[operand], places)
        result = made.run()
        whole = [(0, length) for length in result.lengths]
        found = joined(whole, result.handles).arrays
        wanted = arrays_of(
            nacho.evaluate(expr, operands, **{**options, "parts": parts})
        )
        assert len(found) == len(wanted)
        for one, other in zip(found, wanted, strict=True):
            assert one.dtype == other.dtype
            assert one.tobytes() == other.tobytes()


@pytest.mark.each_value
@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("parts, pieces", [(2, 3), (16, 5), (1, 1), (40, 60)])
def test_the_result_is_that_of_one_machine(name, parts, pieces):
    check(name, min(parts, 7), pieces, parts=parts)


@pytest.mark.sampled
@pytest.mark.parametrize("cost", ["nnz", "nnz+loops", "flops"])
@pytest.mark.parametrize("name", CASES)
def test_cuts_of_all_cost_models(name, cost):
    check(name, 4, 6, parts=13, cost=cost)


RUNS = {
    "sums": (ADD, {"A": HEAVY.tocoo(), "B": LAST.tocoo()}),
    "products": ("Z[i,j] = A[i,j] * B[i,j]", {"A": HEAVY.tocoo(), "B": HEAVY.tocoo()}),
    "a product with rows": (
        "s += A[i,j] * B[i,j]",
        {"A": HEAVY.tocoo(), "B": in_format(HEAVY, "dcsr")},
    ),
    "sums of three dimensions": (
        "Z[i,j,k] = A[i,j,k] + B[i,j,k]",
        {"A": tensor(1, "coo"), "B": tensor(2, "coo")},
    ),
    "products of three dimensions": (
        "Z[i,j,k] = A[i,j,k] * B[i,j,k]",
        {"A": tensor(1, "coo"), "B": tensor(2, "coo")},
    ),
    "runs in rows": (
        "Y[i,j] = A[i,j,k] * B[i,j,k]",
        {"A": tensor(1, RUNS_IN_ROWS), "B": tensor(2, "coo")},
    ),
}


@pytest.mark.each_value
@pytest.mark.parametrize("name", RUNS)
@pytest.mark.parametrize("parts, pieces", [(2, 3), (16, 5), (40, 25)])
def test_cuts_divide_runs_of_equal_coordinates(monkeypatch, name, parts, pieces):
    monkeypatch.setitem(CASES, name, RUNS[name])
    choices = {"merge-keys": False}
    for cost in ("time", "nnz+loops"):
        check(name, min(parts, 7), pieces, parts=parts, cost=cost, choices=choices)


def test_pieces_of_a_run_have_no_more_than_their_entries():
    """However many pieces a heavy row is in, none has what others have of it."""
    columns = np.arange(6000)
    row = nacho.Tensor.from_coo([columns * 0 + 1, columns], columns + 0.5)
    pieces = 30
    sizes = [each.nbytes for each in in_pieces(row, pieces).handles]
    entry = in_pieces(row, 1).nbytes // row.nnz
    assert max(sizes) <= entry * (row.nnz // pieces + 2)


def test_searches_see_the_entry_before_a_cut_in_a_run():
    """Else, a cut between two runs of an inner level would not divide the outer one."""
    expr, operands = RUNS["products of three dimensions"]
    with guarded() as guard:
        made = evaluation(guard, expr, operands, 4, 5, choices={"merge-keys": False})
        operand, *_ = made._steps(Wanted(4, 4))[1].operands
    assert operand.depth == 2
    _, (_, *coordinates), _ = operand.windows([4, 6, 6], [9, 9, 9], values=False)
    assert [begin for begin, _ in coordinates[:3]] == [5, 5, 5]


def test_places_in_a_run_that_ends_where_a_piece_begins():
    known = in_pieces(
        nacho.Tensor.from_coo([[1, 1, 1, 3], [0, 2, 4, 5]], np.ones(4)), 1
    )
    windows = known.handles[0].cut([(0, 2), (3, 4), (3, 4), (3, 4)])
    run = Known(known.layout, known.extents, (0, 3), (4, 4), (1, 5))
    assert find(run, windows, [1, 5]) == [0, 3]
    assert find(run, windows, [1, 6]) == [0, 3]
    assert find(run, windows, [2, 0]) == [3, 3]


@pytest.mark.parametrize("name", ["heavy rows", "dcsr-add", "spmv", "csf-add"])
def test_many_parts(name):
    check(name, 10, 4, parts=1000)


@pytest.mark.sampled
@pytest.mark.parametrize("name", CASES)
def test_more_groups_than_tasks_that_run_at_a_time(monkeypatch, name):
    monkeypatch.setattr(groups, "_LARGEST", 1000)
    check(name, 2, 5, parts=30)


def test_tasks_bring_few_bytes_together(monkeypatch):
    monkeypatch.setattr(groups, "_LARGEST", 1000)
    assert groups.most_groups(10_001, slots=2) == 11
    assert groups.most_groups(10_001, slots=16) == 16
    assert groups.groups_of(7, most=3) == [0, 2, 4, 7]
    assert groups.groups_of(2, most=3) == [0, 1, 2]


def test_pieces_have_equally_many_entries_and_no_entry_twice():
    known = in_pieces(HEAVY, 5)
    sizes = [own[-1][1] - own[-1][0] for own in map(known.own_ranges_of, range(5))]
    assert sum(sizes) == HEAVY.nnz
    assert max(sizes) - min(sizes) <= 1


@pytest.mark.parametrize("format", ["csr", "dcsr", "coo"])
@pytest.mark.parametrize("count", [1, 5, 60])
def test_pieces_that_have_elements_are_found(format, count):
    """In a heavy row, many pieces have neither its begin nor its end."""
    known = in_pieces(in_format(HEAVY, format), count)
    all = range(count)
    for ranges in (*map(known.ranges_of, all), [(0, n) for n in known.lengths]):
        owners, needed = set(), set()
        for array, (first, last) in enumerate(ranges):
            had = first
            for piece in all:
                begin, end = known.own_ranges_of(piece)[array]
                if max(begin, first) < min(end, last):
                    owners.add(piece)
                end = min(known.ranges_of(piece)[array][1], last)
                if end > had:
                    needed.add(piece)
                    had = end
        assert known.owners(ranges) == sorted(owners)
        assert known.overlapping(ranges) == sorted(needed)


def test_parts_are_searched_for_in_few_rounds():
    """However many pieces there are, all are asked at once."""
    rounds = set()
    for pieces in (2, 20):
        with guarded() as guard:
            made = evaluation(guard, *CASES["heavy rows"], 4, pieces, parts=9)
            assert made.last_step.plan.parts == 9
            rounds.add(made.engine.rounds)
    (count,) = rounds
    assert count <= 5


@pytest.mark.parametrize("format", [LOOSE, BITMAP, "coo-interleaved"])
def test_levels_without_windows_are_others_in_pieces(format):
    given = nacho.Tensor.from_scipy(HEAVY).convert(format)
    known = in_pieces(given, 3)
    assert cutting.has_windows(known.format)
    assert known.format_of_whole == given.format
    whole = tasks.whole(known.known, known.handles)
    assert whole.format == given.format
    for one, other in zip(arrays_of(whole), arrays_of(given), strict=True):
        np.testing.assert_array_equal(one, other)


def test_blocks_are_refused():
    blocks = nacho.Tensor.from_scipy(A).convert(BLOCKS)
    with pytest.raises(nacho.UnsupportedError, match="is not cut into pieces"):
        in_pieces(blocks, 2)


@pytest.mark.parametrize(
    "expr, options, why",
    [
        ("Z[i,j] = A[i,j] + A[i,j]", {}, ""),
        ("y[i] = A[i,j] * B[j,k] * x[k]", {}, ""),
        ("Z[i,j] = C[i,j] + E[i,j]", {}, "its operands have few entries, which"),
        ("Z[i,j] = L[i,j] + B[i,j]", {}, "the operand 'L' is in the format '.*loose"),
    ],
)
def test_statements_that_are_not_divided_know_why(expr, options, why):
    names = parse(expr).operands
    made = {"A": A, "B": A, "C": A.tocoo(), "E": A.tocoo()}
    given = {name: in_pieces(made[name], 3) for name in names if name in made}
    if "L" in names:
        given["L"] = nacho.Tensor.from_scipy(A).convert(LOOSE)
    if "x" in names:
        given["x"] = np.ones(A.shape[1])
    views = {
        name: each.skeleton() if name in made else view_of(name, each, each.ndim)
        for name, each in given.items()
    }
    with guarded() as guard:
        engine = GuardedEngine(guard, 4)
        found = Evaluation(parse(expr), Options(**options), given, views, engine)
        assert found.is_divided == (not why)
        assert re.match(f"^{why}", found.why_whole)
        assert why or not found.why_whole
