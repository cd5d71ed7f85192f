"""Rows of products on tensors in pieces that are too heavy for one part of them."""

import sys
from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import nacho
from nacho._kernels import sorting
from nacho._kernels.named_rows import named_by
from nacho._kernels.options import Options
from nacho._pieces import named_rows, row_windows, tasks
from nacho._pieces.engine import Here
from nacho._pieces.inputs import Input, RowCosts, Runs, with_row_costs
from nacho._pieces.row_windows import Stretches
from nacho._pieces.windows import Windows
from test_pieces_of_kernels import check, evaluation_of

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="guards memory as Linux does"),
    pytest.mark.filterwarnings("ignore::nacho.NachoWarning"),
]

PRODUCT = "Z[i,k] = A[i,j] * B[j,k]"


def matrix(rows, columns, seed, heavy=(), density=0.02):
    """Return a matrix in CSR, some of whose rows are almost full."""
    rng = np.random.default_rng(seed)
    chances = np.full(rows, density)
    chances[list(heavy)] = 0.9
    made = rng.random((rows, columns)) < chances[:, None]
    return sp.csr_array(np.where(made, rng.integers(1, 9, made.shape), 0).astype(float))


OPERANDS = {
    "one heavy row": (matrix(120, 120, 0, [7]), matrix(120, 120, 1)),
    "the first and the last row": (matrix(120, 90, 2, [0, 119]), matrix(90, 150, 3)),
    "neighbours": (matrix(60, 90, 4, [30, 31, 32]), matrix(90, 150, 5, [2])),
    "a single row": (matrix(1, 200, 6, [0]), matrix(200, 300, 7)),
    "no products": (matrix(40, 50, 8, [3]), matrix(50, 60, 9, density=0)),
    "one column": (matrix(90, 80, 10, [4]), matrix(80, 1, 11, density=0.5)),
}


@pytest.mark.each_pair
@pytest.mark.parametrize("choice", ["row-pieces", "fine-pieces"])
@pytest.mark.parametrize("parts", [1, 2, 7, 64, 1000])
@pytest.mark.parametrize("kind", OPERANDS)
def test_products_in_pieces_of_rows(kind, parts, choice, monkeypatch):
    monkeypatch.setattr(named_rows, "TASK", 0)
    A, B = OPERANDS[kind]
    choices = {"merge-keys": False, choice: True}
    for pieces in (1, 5):
        check(PRODUCT, {"A": A, "B": B}, pieces=pieces, parts=parts, choices=choices)


@pytest.mark.parametrize(
    "text",
    [
        "Z[i,k] = M[i,k] * A[i,j] * B[j,k]",
        "Z[i,k] = M[i,k] + A[i,j] * B[j,k]",
        "Z[k,i] = A[i,j] * B[j,k]",
    ],
)
def test_masked_and_other_products(text):
    A, B = matrix(80, 80, 0, [7]), matrix(80, 80, 1)
    operands = {"A": A, "B": B} | ({"M": matrix(80, 80, 2)} if "M" in text else {})
    for choice in ("row-pieces", "fine-pieces"):
        check(text, operands, parts=16, choices={"merge-keys": False, choice: True})


def test_masks_of_heavy_rows_are_divided(monkeypatch):
    """One machine computes such rows apart; parts that run alone have pieces."""
    monkeypatch.setattr(named_rows, "TASK", 0)
    M, A, B = (matrix(400, 400, n, [7], density=0.02) for n in range(3))
    M[8] = 0
    text, operands = "Z[i,k] = M[i,k] * A[i,j] * B[j,k]", {"M": M, "A": A, "B": B}
    options = Options(cost="time", parts=16)
    evaluation = evaluation_of(text, operands, 4, Here(), options)
    found = evaluation.partition(16)
    assert evaluation.is_divided
    assert evaluation.program.choices["row-pieces"]
    assert max(found.costs) * 16 <= 1.3 * found.total
    choices = {"merge-keys": False, "row-pieces": True}
    check(text, operands, pieces=4, parts=16, choices=choices)


def test_masks_that_no_product_meets():
    """Parts begin in rows in which the result has nothing before."""
    A, B = matrix(80, 80, 0, [7]), matrix(80, 80, 1)
    B[:, ::2] = 0
    M = matrix(80, 80, 2, [7])
    M[:, 1:60:2] = 0
    operands = {"M": M, "A": A, "B": B}
    for choice in ("row-pieces", "fine-pieces"):
        choices = {"merge-keys": False, choice: True}
        text = "Z[i,k] = M[i,k] * A[i,j] * B[j,k]"
        check(text, operands, parts=64, choices=choices)


def csf(dense):
    where = np.nonzero(dense)
    made = nacho.Tensor.from_coo(np.array(where), dense[where], shape=dense.shape)
    return made.convert("csf")


def numbers(shape, density, seed):
    rng = np.random.default_rng(seed)
    return (rng.random(shape) < density) * rng.integers(1, 5, shape).astype(float)


@pytest.mark.each_value
@pytest.mark.parametrize("choice", [None, "row-pieces", "fine-pieces"])
@pytest.mark.parametrize("parts", [3, 8, 16])
def test_rows_of_several_loops(choice, parts):
    """A list has two loops inside of those over rows, which parts may divide."""
    choices = {"merge-keys": False} | ({choice: True} if choice else {})
    A = numbers((40, 20, 60), 0.01, 0)
    A[17] = numbers((20, 60), 0.9, 1)
    B, C = numbers((20, 400), 0.6, 2), numbers((400, 60), 0.3, 3).T
    operands = {"A": csf(A), "B": sp.csr_array(B), "C": sp.csr_array(C)}
    text = "Z[i,k] = A[i,j,l] * B[j,k] * C[l,k]"
    check(text, operands, pieces=2, parts=parts, choices=choices)
    operands = {"A": csf(A), "B": csf(numbers((20, 60, 400), 0.1, 4))}
    text = "Z[i,k] = A[i,j,l] * B[j,l,k]"
    check(text, operands, pieces=2, parts=parts, choices=choices)


def test_tables_of_pieces_that_begin_where_rows_do():
    """The last piece of row 0 has the begin of a row of B, and row 1 all of it."""
    A = np.zeros((40, 3, 50))
    A[0, 1, :40] = A[0, 2, 40:44] = A[1:, 2, 45] = 1
    B = np.zeros((3, 4096))
    B[1, :2048] = 1
    B[2, 2048:] = numbers(2048, 1, 0)
    C = np.zeros((50, 4096))
    C[:40, :2048:2] = 1
    C[40:44, 2048:2100] = 3
    C[45, [3000, 2060]] = 5, 2
    operands = {"A": csf(A), "B": sp.csr_array(B), "C": sp.csr_array(C)}
    text = "Z[i,k] = A[i,j,l] * B[j,k] * C[l,k]"
    wanted = np.einsum("ijl,jk,lk->ik", A, B, C)
    for parts in (2, 3, 4, 16):
        for choice in ({}, {"merge-keys": False, "row-pieces": True}):
            check(text, operands, pieces=1, parts=parts, choices=choice)
            made = nacho.evaluate(text, **operands, parts=parts, choices=choice)
            np.testing.assert_array_equal(made.toarray(), wanted)


def test_lists_of_pieces_of_pieces_have_more_levels_than_kernels_sort(monkeypatch):
    monkeypatch.setattr(sorting, "_SORTED_IN_NUMPY", 1)
    A, B = OPERANDS["one heavy row"]
    for choice in ("row-pieces", "fine-pieces"):
        choices = {"merge-keys": False, choice: True}
        check(PRODUCT, {"A": A, "B": B}, parts=16, choices=choices)


def test_the_cut_of_one_machine_is_chosen():
    """One machine cuts heavy rows into pieces, too, where shares are large."""
    A, B = matrix(400, 400, 0, [7], density=0.01), matrix(400, 400, 1)
    known = nacho.partition(PRODUCT, 16, A=A, B=B, cost="time")
    options = Options(cost="time", parts=16)
    evaluation = evaluation_of(PRODUCT, {"A": A, "B": B}, 4, Here(), options)
    assert not evaluation.program.choices["row-pieces"]
    found = evaluation.partition(16)
    assert evaluation.program.choices["row-pieces"]
    assert len(found.nests) == len(known.nests) == 3
    for one, other in zip(found.nests, known.nests, strict=True):
        assert np.array_equal(one.bounds, other.bounds)
        assert np.array_equal(one.costs, other.costs)
    assert max(found.costs) * 16 <= 1.3 * found.total


def test_rows_stay_whole_where_pieces_do_not_help():
    """Heavy rows of small shares are computed apart, which parts do not do alone."""
    A, B = matrix(120, 120, 0, [7]), matrix(120, 120, 1)
    options = Options(cost="time", parts=64)
    evaluation = evaluation_of(PRODUCT, {"A": A, "B": B}, 4, Here(), options)
    assert len(evaluation.partition(64).nests) == 2
    assert evaluation.is_divided


def test_choices_without_effect_are_not_made_again():
    """Where rows are no sums alone, they are not cut."""
    A, B = matrix(120, 120, 0, [7]), matrix(120, 120, 1)
    operands = {"A": A, "B": B, "M": matrix(120, 120, 2)}
    for parts in (16, 64, 300):
        check("Z[i,k] = min(A[i,j] * B[j,k], M[i,k])", operands, parts=parts)


class Counting(Here):
    """Counts the tasks that it runs, by the first word of their names."""

    def __init__(self):
        self.names = []

    def submit(self, name, function, *args, at=None, turn=0):
        self.names.append(name.partition("-")[0])
        return super().submit(name, function, *args, at=at, turn=turn)


def test_lists_are_made_once():
    A, B = matrix(400, 400, 0, [7], density=0.01), matrix(400, 400, 1)
    engine = Counting()
    options = Options(cost="time", parts=16)
    evaluation = evaluation_of(PRODUCT, {"A": A, "B": B}, 1, engine, options)
    evaluation.run()
    assert evaluation.program.choices["row-pieces"]
    # Those of both lists and of the result, and not of the first list again.
    assert engine.names.count("compute") == 3 * engine.slots


def test_entries_that_pieces_name(monkeypatch):
    """A list of pieces names entries of the second factor, and parts have no others."""
    A, B = matrix(400, 400, 0, [7], density=0.002), matrix(400, 400, 1, density=0.2)
    monkeypatch.setattr(named_rows, "TASK", 0)
    seen = []

    class Watching(Here):
        def submit(self, name, function, *args, at=None, turn=0):
            made = super().submit(name, function, *args, at=at, turn=turn)
            if function is tasks.compute:
                seen.append(tasks.all_gathered(args[1]))
            return made

    options = Options(parts=8, choices={"merge-keys": False, "row-pieces": True})
    evaluation = evaluation_of(PRODUCT, {"A": A, "B": B}, 4, Watching(), options)
    evaluation.run()
    last = [each for each in seen if len(each) == 3]
    assert len(last) == Here.slots
    assert all(inputs[1].windows.arrays[-1].size < 0.6 * B.nnz for inputs in last)
    # The step that lists pieces reads no values.
    lists = [each for each in seen if len(each) == 2][-Here.slots :]
    assert all(inputs[0].windows.arrays[1].size for inputs in lists)
    assert not any(inputs[0].windows.arrays[-1].size for inputs in lists)


# --- What names and moves them --------------------------------------------------------


@given(st.lists(st.tuples(st.integers(0, 60), st.integers(1, 9)), max_size=20))
def test_stretches(given):
    begins = np.array([begin for begin, _ in given], np.int32)
    ends = begins + np.array([size for _, size in given], np.int32)
    made = Stretches.around(begins, ends)
    wanted = set()
    for begin, end in zip(begins.tolist(), ends.tolist(), strict=True):
        wanted |= set(range(begin, end))
    pairs = list(zip(made.begins.tolist(), made.ends.tolist(), strict=True))
    assert [p for begin, end in pairs for p in range(begin, end)] == sorted(wanted)
    assert all(end < begin for (_, end), (begin, _) in pairwise(pairs))
    assert made.size == len(wanted)
    found = made.by_piece(np.array([0, 10, 10, 35, 100]))
    assert sum(each.size for each in found.values()) == len(wanted)
    for piece, (low, high) in enumerate([(0, 10), (10, 10), (10, 35), (35, 100)]):
        mine = [p for p in sorted(wanted) if low <= p < high]
        assert (piece in found) == bool(mine)
        if mine:
            assert found[piece].size == len(mine)


@given(st.lists(st.integers(-1, 40), max_size=30))
def test_positions_are_named_once(kept):
    kept = np.array(kept, np.int32)
    wanted = sorted({each for each in kept.tolist() if 0 <= each < 35})
    assert named_by(np.append(kept, 0), 35).tolist() == sorted({0, *wanted})
    assert named_by(kept[kept < 35]).tolist() == wanted


def test_runs_say_where_positions_are_in_a_window():
    runs = Runs(np.array([3, 10, 20]), np.array([0, 2, 5, 9]))
    positions = np.array([3, 4, 10, 12, 20, 23], np.int32)
    places = runs.in_window(positions)
    assert places.tolist() == [0, 1, 2, 4, 5, 8]
    assert places.dtype == positions.dtype
    assert runs.in_tensor(places, are_ends=False).tolist() == positions.tolist()
    # A run ends where the next one begins in the window, and not in the tensor.
    ends = np.array([5, 13, 24], np.int32)
    assert runs.in_tensor(np.array([2, 5, 9]), are_ends=True).tolist() == ends.tolist()


def listed(rows, sums, begin=4):
    """Return a window of a list of rows, with coordinates that nobody looks at."""
    crd = np.array(rows, np.int32)
    arrays = (np.array([begin, begin + crd.size]), crd, 0 * crd, np.array(sums))
    return Input(Windows((0, *[begin] * 3), arrays), (9, 9), None)


def test_entries_tell_what_the_rows_of_a_list_cost():
    costs = RowCosts((1,), 10, (2,), 50, 90)
    made = with_row_costs(listed([1, 2], [30, 37])._replace(row_costs=costs))
    assert made.windows.arrays[1].tolist() == [0, 1, 2, 2, 3]
    assert made.windows.arrays[-1].tolist() == [10, 30, 37, 50, 90]
    assert made.windows.begins[1:] == (3, 3, 3)
    assert made.front == 1
    # The windows end in another row than the part: of that, nothing is asked.
    other = with_row_costs(made._replace(windows=listed([0, 3], [5, 37]).windows))
    assert other.windows.arrays[1].tolist() == [0, 3, 3, 4]
    assert other.windows.arrays[-1].tolist() == [5, 37, 37, 90]
    assert other.front == 0
    nothing = listed([], [])._replace(row_costs=costs)
    assert with_row_costs(nothing) is nothing


def test_operands_without_named_entries_have_none():
    layout = (
        evaluation_of(
            PRODUCT,
            dict(zip("AB", OPERANDS["neighbours"], strict=True)),
            1,
            Here(),
            Options(),
        )
        .program.steps[0]
        .layouts[1]
    )
    arrays = (np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros(0))
    empty = Input(Windows((0, 0, 0), arrays), (4, 5), layout)
    made = row_windows.with_rows(empty, [])
    assert made.windows.arrays[0].tolist() == [0] * 5
    assert made.runs.in_window(np.array([], np.int32)).size == 0
