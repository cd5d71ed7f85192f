"""Steps whose parts are cut, counted and computed alone, by groups of parts.

Every group has copies of the windows that it reads. What is around them is wrong:
whoever uses it finds other cuts or counts. The plan of all parts says what is right.
"""

import itertools
from functools import cached_property

import numpy as np
import pytest
import scipy.sparse as sp

import nacho
from nacho import _nacho
from nacho._kernels.parts import _window, _windowed, loops_of_levels

FORMATS = {"dcsr": {"A": "dcsr", "B": "dcsr", "Z": "dcsr"}}


def tensor(shape, seed, format):
    """Return a tensor with a tenth of all entries, but none in some slices."""
    rng = np.random.default_rng(seed)
    made = np.where(rng.random(shape) < 0.1, rng.random(shape), 0)
    made[::7] = 0
    crd = np.nonzero(made)
    entries = nacho.Tensor.from_coo(np.array(crd), made[crd], shape=shape)
    return entries.convert(format)


def matrix(shape, seed, format="csr"):
    return sp.csr_array(tensor(shape, seed, "csr").to_scipy()).asformat(format)


def matrices(format):
    return {name: tensor((60, 50), seed, format) for seed, name in enumerate("AB")}


A, B = matrix((60, 50), 0), matrix((60, 50), 1)
X = np.random.default_rng(3).random((60, 4))
SUM = "Z[i,j] = A[i,j] + B[i,j]"
CASES = {
    "CSR": (SUM, {"A": A, "B": B}, {}),
    "DCSR": (SUM, matrices("dcsr"), FORMATS["dcsr"]),
    "COO": (SUM, {"A": A.tocoo(), "B": B.tocoo()}, {}),
    "CSF": (
        "Z[i,j,k] = A[i,j,k] + B[i,j,k]",
        {name: tensor((15, 12, 9), seed, "csf") for seed, name in enumerate("AB")},
        {"A": "csf", "B": "csf", "Z": "csf"},
    ),
    "more rows than entries": (
        SUM,
        {"A": matrix((500, 9), 5)[:, :1], "B": matrix((500, 9), 6)[:, :1]},
        {},
    ),
    "CSR in a dense matrix": (SUM, {"A": A, "B": B}, {"Z": "dense"}),
    "matches": ("Z[i,j] = A[i,j] * B[i,j]", {"A": A, "B": B}, {}),
    "matches of listed rows": (
        "Z[i,j] = A[i,j] * B[i,j]",
        matrices("dcsr"),
        FORMATS["dcsr"],
    ),
    "SpMV": ("y[i] = A[i,j] * x[j]", {"A": A, "x": X[:50, 0]}, {"x": "dense"}),
    "SpMV in a sparse vector": (
        "y[i] = A[i,j] * x[j]",
        {"A": tensor((60, 50), 0, "dcsr"), "x": X[:50, 0]},
        {"A": "dcsr", "x": "dense", "y": "sparse-vector"},
    ),
    "SpMM": ("Z[i,k] = A[i,j] * X[j,k]", {"A": A, "X": X[:50]}, {"X": "dense"}),
}
PARTS = (1, 2, 7, 40)


class Lone:
    """The last step of a plan of all parts, and what groups of its parts read."""

    def __init__(self, expression, operands, formats, parts):
        self.kernel = nacho.mlir.compile(expression, formats=formats)
        self.operands = operands
        plan = self.kernel.plan(parts=parts, **operands)
        self.parts = plan.parts
        self.args = plan._call.args
        self.native, self.program = plan._native, plan._program.native
        self.step = len(self.program.steps) - 1
        self.described = plan._program.steps[-1]
        self.are_windows = _windowed(plan._program)
        self.loops = loops_of_levels(plan._program)
        self.cuts = cuts_of(plan)
        self.arrays = self.native.last_arguments(self.args)
        self.total = self.native.total

    @property
    def whole(self):
        return [
            (each, 0, each.size) if hasattr(each, "size") else each
            for each in self.arrays
        ]

    @property
    def scalars(self):
        return [
            (each[:0], 0, each.size) if np.ndim(each) else given
            for each, given in zip(self.arrays, self.whole, strict=True)
        ]

    @cached_property
    def hold_positions(self):
        """Whether each argument is an array of positions."""
        found = []
        for layout in self.described.layouts[:-1]:
            arrays = [array for level in layout.levels for array in level.arrays]
            found += [array.holds_positions for array in arrays]
            found += [False] * (1 + len(layout.levels))
        return found

    @cached_property
    def described_parts(self):
        return [
            self.native.part(self.args, number, self.are_windows, self.loops)
            for number in range(self.parts)
        ]

    @cached_property
    def every_cut(self):
        """The cut for each query: with as many parts as cost, each cut has its own."""
        return cuts_of(self.kernel.plan(parts=self.total, **self.operands))

    def queries(self, begin, end):
        """Return those whose cuts are searched for between two cuts or at them.

        The first cut and the last are not: they are the ends of everything.
        """
        first, last = (number * self.total // self.parts for number in (begin, end))
        return np.arange(max(first, 1), min(last, self.total - 1) + 1)

    def windows(self, begin, end, wrong, are_cut=False):
        """Return what the parts from ``begin`` to ``end`` - 1 read of the operands.

        When they ``are_cut``, costs count from the first position, and from that of the
        row of the first cut: positions in front of the windows are 0, not too large.
        """
        arguments = self.whole
        read = [part[1] for part in self.described_parts[begin:end]]
        for number, array in enumerate(self.arrays):
            if np.ndim(array) == 0:
                continue
            first = min(windows[number][0] for windows in read)
            last = max(windows[number][1] for windows in read)
            around = np.full_like(array, wrong(array))
            if are_cut and self.hold_positions[number]:
                around[:first] = 0
            around[first:last] = array[first:last]
            arguments[number] = around[first:last], first, array.size
        return arguments

    def record(self, begin, end, offsets=(), sizes=()):
        cuts = self.cuts[begin : end + 1].ravel().tolist()
        return begin, self.parts, cuts, np.ravel(offsets).tolist(), sizes

    @property
    def offsets(self):
        """The scanned counts that the plan has for each cut."""
        columns = self.described.count_columns
        rows = [part[0][3][:columns] for part in self.described_parts]
        return np.array([*rows, self.described_parts[-1][0][3][columns:]])

    @property
    def sizes(self):
        return self.described_parts[0][0][4]


def cuts_of(plan):
    cost, crd, pos = plan._native.cuts(len(plan._program.steps) - 1)
    return np.column_stack([cost, crd, pos])


def smallest(array):
    """Return what makes searches go too far."""
    return array.dtype.type(0)


def largest(array):
    """Return what makes searches stop too early."""
    return array.max(initial=0)


@pytest.fixture(scope="module", params=itertools.product(CASES, PARTS), ids=str)
def lone(request):
    name, parts = request.param
    return Lone(*CASES[name], parts)


def groups(parts):
    """Return groups that all parts are divided into: of one, two, four, ... parts."""
    ends = [min(2**n - 1, parts) for n in range(parts.bit_length() + 1)]
    return list(itertools.pairwise(ends))


def brackets(parts):
    """Return pairs of cuts with one, two, five, or many parts between them."""
    pairs = itertools.combinations(range(parts + 1), 2)
    return [(a, b) for a, b in pairs if b - a in (1, 2, 5, parts - 1, parts)]


def test_the_limit_is_the_last_cut(lone):
    assert list(lone.program.limit(lone.step, lone.whole)) == list(lone.cuts[-1])
    assert lone.cuts[-1, 0] == lone.total


def test_a_step_cuts_as_the_plan_does(lone):
    queries = [number * lone.total // lone.parts for number in range(1, lone.parts)]
    found = lone.program.cut(
        lone.step, lone.whole, lone.cuts[0], lone.cuts[-1], queries
    )
    np.testing.assert_array_equal(found, lone.cuts[1:-1])


@pytest.mark.parametrize("wrong", [smallest, largest])
def test_cuts_between_two_cuts_need_the_windows_between_them(lone, wrong):
    for begin, end in brackets(lone.parts):
        queries = lone.queries(begin, end)
        lower, upper = lone.cuts[[begin, end]]
        # The costs of the given cuts are not used.
        lower[0] = upper[0] = -1
        windows = lone.windows(begin, end, wrong, are_cut=True)
        found = lone.program.cut(lone.step, windows, lower, upper, queries)
        np.testing.assert_array_equal(found, lone.every_cut[queries])


def rebased(lone, read):
    """Return windows whose positions begin at 0."""
    return [
        _window(each, how) if hasattr(each, "size") else each
        for each, how in zip(lone.arrays, read, strict=True)
    ]


def counted(lone, arguments_of):
    """Return the counts of all parts, which groups of parts find."""
    if lone.described.count_columns == 0:
        with pytest.raises(ValueError, match="no part of this step is counted alone"):
            lone.program.count(lone.step, lone.record(0, 1), lone.whole)
        return np.empty((lone.parts, 0), np.int64)
    rows = [
        lone.program.count(lone.step, lone.record(*group), arguments_of(*group))
        for group in groups(lone.parts)
    ]
    return np.concatenate(rows)


@pytest.mark.parametrize("wrong", [smallest, largest])
def test_groups_count_and_a_scan_finds_the_offsets_of_the_plan(lone, wrong):
    counts = counted(lone, lambda *group: lone.windows(*group, wrong))
    assert counts.shape == (lone.parts, lone.described.count_columns)
    offsets, sizes, whole = lone.program.scan(
        lone.step, lone.parts, lone.scalars, counts.ravel()
    )
    np.testing.assert_array_equal(offsets.reshape(lone.offsets.shape), lone.offsets)
    assert sizes == lone.sizes
    assert whole == lone.native.whole


def test_parts_count_the_same_in_windows_with_positions_of_their_own(lone):
    whole = counted(lone, lambda *_: lone.whole)
    parts = lone.described_parts if whole.size else ()
    for number, (record, read, _) in enumerate(parts):
        alone = (*record[:3], (), ())
        found = lone.program.count(lone.step, alone, rebased(lone, read))
        np.testing.assert_array_equal(found, whole[number : number + 1])


def written(lone, begin, end):
    offsets = lone.offsets[begin : end + 1]
    record = lone.record(begin, end, offsets, lone.sizes)
    return record, lone.program.written(lone.step, record, lone.loops)


def test_groups_write_the_windows_of_their_parts(lone):
    parts = [windows for _, _, windows in lone.described_parts]
    assert [written(lone, n, n + 1)[1] for n in range(lone.parts)] == parts
    for begin, end in groups(lone.parts):
        joined = zip(parts[begin], parts[end - 1], strict=True)
        expected = tuple((first[0], last[1]) for first, last in joined)
        assert written(lone, begin, end)[1] == expected


def joined(lone, division, compute):
    """Return the arrays of the result, of which ``compute`` fills windows and sums."""
    arrays, sums, is_combined = lone.native.whole
    whole = [np.empty(size, name) for name, size in arrays]
    records, rows = [], []
    for begin, end in division:
        record, windows = written(lone, begin, end)
        made = [
            np.empty(last - first, name)
            for (name, _), (first, last) in zip(arrays, windows, strict=True)
        ]
        results = [
            (array, first, size)
            for array, (first, _), (_, size) in zip(made, windows, arrays, strict=True)
        ]
        own = [np.empty(size * (end - begin), name) for name, size in sums]
        compute(lone.step, record, lone.windows(begin, end, smallest), results, own)
        for array, part, (first, last) in zip(whole, made, windows, strict=True):
            array[first:last] = part
        records.append(record)
        rows.append(own)
    first_level = lone.described.layouts[-1].levels[0]
    if any(array.holds_positions for array in first_level.arrays):
        whole[0][:] = 0, lone.sizes[0]
    if is_combined:
        everything = [np.concatenate(each) for each in zip(*rows, strict=True)]
        results = [(array, 0, array.size) for array in whole]
        lone.program.combine(lone.step, records, lone.scalars, results, everything)
    return whole


def check_executed(lone, whole):
    """Compare the arrays of a result with those of the plan."""
    expected = lone.native.execute(lone.args, planned=True)
    for made, right in zip(whole, expected, strict=True):
        assert made.tobytes() == right.tobytes()


def test_groups_compute_what_the_plan_executes(lone):
    check_executed(lone, joined(lone, groups(lone.parts), lone.program.compute))


def test_the_number_of_parts_that_a_step_fixes_is_known_from_its_cost():
    expression, formats = "y[j] = A[i,j] * x[i]", {"x": "dense"}
    scattered = Lone(expression, {"A": A, "x": X[:, 0]}, formats, parts=7)
    row_size = scattered.sizes[1]
    program, cost = scattered.program, scattered.total
    known = program.num_parts(scattered.step, 7, 7, cost, row_size)
    assert known == scattered.parts != 7
    more = program.num_parts(scattered.step, 7, 7, 10**9, row_size)
    assert more > scattered.parts


def test_rows_of_sums_limit_the_parts_that_nobody_asked_for():
    program = Lone(*CASES["CSR"], 7).program
    assert program.num_parts(0, 7, 512, 10**9, 1) == 7
    assert program.num_parts(0, 0, 512, 10**9, 1) == 512
    dense = Lone("y[i] = A[i,j] * x[j]", {"A": A, "x": X[:50, 0]}, {"x": "dense"}, 7)
    assert dense.program.num_parts(dense.step, 512, 7, 1000, 10) == 512
    assert dense.program.num_parts(dense.step, 0, 512, 1000, 10) < 512


def test_coordinates_outside_of_a_tensor_are_refused_by_counts():
    lone = Lone(*CASES["DCSR"], 2)
    arguments = lone.whole
    rows = lone.described.layouts[0].levels[0].arrays
    number = [array.holds_positions for array in rows].index(False)
    outside = np.full_like(lone.arrays[number], 60)
    arguments[number] = outside, 0, outside.size
    with pytest.raises(_nacho.CoordinateOutOfRange):
        lone.program.count(lone.step, lone.record(0, 2), arguments)


def test_lists_say_whose_positions_they_keep():
    def steps(expression, **formats):
        kernel = nacho.mlir.compile(expression, formats=formats)
        operands = [tensor((50, 50), seed, formats[name]) for seed, name in pairs]
        return kernel.plan(*operands)._program.steps

    pairs = (0, "A"), (1, "B")
    first, last = steps("Z[i,j] = A[i,j] * B[i,j]", A="dcsr", B="dcsr")
    assert first.kept == ((False, 0, 0, False), (False, 1, 0, False))
    assert last.kept == ()
    assert first.runs_alone
    # Of A, the entry is kept, and of B the row.
    first, _ = steps("Z[i,k] = A[i,j] * B[j,k]", A="csr", B="csr")
    assert first.kept == ((False, 0, 1, False), (False, 1, 0, False))


def test_there_is_no_step_behind_the_last():
    lone = Lone(*CASES["CSR"], 2)
    with pytest.raises(IndexError, match="no such step"):
        lone.program.limit(lone.step + 1, lone.whole)


def test_steps_say_what_their_loops_are_over():
    """Per step, the indices of each access to an input, and of what is made."""
    wanted = {
        "y[i] = A[i,j] * B[j,k] * x[k]": [
            ([[("j", "k")], [("k",)]], "j"),
            ([[("j", "k")]], "j"),
            ([[("i", "j")], [("j",)], [("j",)]], "i"),
        ],
        "Z[i,j] = A[i,j] / sum(k, A[i,k])": [
            ([[("i", "k")]], "i"),
            ([[("i", "j")], [("i",)]], "ij"),
        ],
        "Z[i,l] = A[i,j] * D[i,k] * D[j,k] * E[j,l]": [
            ([[("i", "j")], [("i", "k"), ("j", "k")], [("j", "l")]], "il")
        ],
        "y[i] = A[i,Ω] * x[Ω]": [([[("i", "Ω")], [("Ω",)]], "i")],
    }
    for text, steps in wanted.items():
        dense = {name: "dense" for name in "xDE" if f"{name}[" in text}
        found = [
            ([list(read) for read in step.indices_read], "".join(step.indices_made))
            for step in nacho.mlir.compile(text, formats=dense).steps
        ]
        assert found == steps
