"""The partition, against cost models that are tabulated coordinate by coordinate."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import nacho
import oracle
import samples
from nacho._storage.operands import arguments
from selection import THOROUGH

# What each model charges, and how much. The models without names are written out.
WEIGHTS = {
    "nnz": {"entries": 1, "steps": 1},
    "nnz+loops": {"entries": 1, "steps": 1, "units": 1},
    "flops": {"products": 1},
    "time": {"entries": 1, "steps": 1, "units": 4},
    "#nacho.cost_model<3 * entries, 5 * units>": {"entries": 3, "units": 5},
    "#nacho.cost_model<7 * products, 2 * entries>": {"entries": 2, "products": 7},
}
COSTS = tuple(WEIGHTS)
UNION = "Z[i,j] = A[i,j] + B[i,j]"
PRODUCT = "Z[i,j] = A[i,j] * B[i,j]"
MIXED = "Z[i,j] = A[i,j] * B[i,j] + C[i,j]"
NEGATION = "Z[i,j] = -A[i,j]"
EXPRESSIONS = (UNION, PRODUCT, MIXED, NEGATION)
# The operands without which there is nothing to compute: of each product, the first.
LEADING = {UNION: (0, 1), PRODUCT: (0,), MIXED: (0, 2), NEGATION: (0,)}


# --- The models -----------------------------------------------------------------------


class Model:
    """The cost of all that lies before each coordinate, by the models' definition."""

    def __init__(self, text, cost, operands):
        self.tensors = list(operands.values())
        self.extents = loop_extents(self.tensors[0])
        self.stored = [in_loop_order(t) for t in self.tensors]
        weights = {"entries": 0, "units": 0, "products": 0, **WEIGHTS[cost]}
        visits_all = visits_every_row(text, operands)
        leading = [self.stored[n] for n in LEADING[text]]
        self.entries = weights["entries"] * np.sum(self.stored, axis=0, dtype=np.int64)
        self.entries += weights["products"] * np.sum(leading, axis=0, dtype=np.int64)
        self.steps = steps(self.tensors, self.extents[0], visits_all)
        self.steps *= weights["units"]
        self.delta = weights["entries"] * len(self.tensors)
        self.delta += weights["products"] * len(leading)
        rows = 1 if visits_all else len(drivers(self.tensors))
        self.delta += weights["units"] * rows
        self.table = self.tabulated()

    def tabulated(self):
        """Return the cost before each coordinate, and after all, in loop order."""
        rows, columns = self.extents
        if not rows * columns:
            return np.zeros(1, np.int64)
        rises = self.entries.copy()
        # The step to a row is charged at the first column in it.
        rises[:, 0] += self.steps
        return np.concatenate([[0], np.cumsum(rises)])

    @property
    def total(self):
        return int(self.table[-1])

    def place(self, coordinates):
        """Return the number of coordinates before some, in loop order."""
        row, column = coordinates
        return int(row) * self.extents[1] + int(column)

    def cost(self, coordinates):
        return int(self.table[self.place(coordinates)])

    def cut(self, query, lower, upper):
        """Return the highest coordinate in an interval with no more before it."""
        last = min(self.place(upper), self.table.size - 2)
        place = int(np.searchsorted(self.table, query, "right")) - 1
        place = max(self.place(lower), min(place, last))
        return divmod(place, self.extents[1])

    def positions(self, coordinates):
        """Return the lower bounds of a coordinate: per level, in each operand."""
        row, column = map(int, coordinates)
        outer, inner = [], []
        for tensor, stored in zip(self.tensors, self.stored, strict=True):
            crd = tensor.crd[0]
            outer.append(row if crd is None else int((crd < row).sum()))
            here = stored[row, :column].sum() if row < stored.shape[0] else 0
            inner.append(int(stored[:row].sum() + here))
        return outer + inner


def loop_extents(tensor):
    return tensor.shape[:: -1 if str(tensor.format) in samples.COLUMNS else 1]


def in_loop_order(tensor):
    found = oracle.pattern(tensor)
    return found.T if str(tensor.format) in samples.COLUMNS else found


def visits_every_row(text, operands):
    """Return whether the outer loop can leave out no coordinate.

    An operand with a dense outer level has every one; the others may have none.
    """
    one = {}
    for name, tensor in operands.items():
        has = np.full((1, 1), tensor.crd[0] is None)
        one[name] = samples.tensor(has, np.ones(int(has.sum())))
    return bool(oracle.evaluate(text, one)[1].item())


def steps(tensors, rows, visits_all):
    """Return what it costs to get to each outer coordinate.

    A loop that visits all coordinates steps once to each; one that merges has every
    operand step through what it stores. What has all coordinates is looked up.
    """
    if visits_all:
        return np.ones(rows, np.int64)
    count = np.zeros(rows, np.int64)
    for tensor in drivers(tensors):
        count[tensor.crd[0]] += 1
    return count


def drivers(tensors):
    """Return the operands that do not have every outer coordinate."""
    return [tensor for tensor in tensors if tensor.crd[0] is not None]


@pytest.mark.each_pair
@pytest.mark.parametrize("cost", COSTS)
@pytest.mark.parametrize("formats", [("csr", "csr"), ("csr", "dcsr"), ("dcsr", "dcsr")])
@pytest.mark.parametrize("text", [UNION, PRODUCT])
def test_models_are_monotone_and_consistent(text, formats, cost):
    rng = np.random.default_rng(7)
    for kind in samples.PATTERNS:
        operands = {
            name: samples.sample(rng, (6, 5), kind, format)
            for name, format in zip("AB", formats, strict=True)
        }
        model = Model(text, cost, operands)
        assert (np.diff(model.table) >= 0).all()
        assert np.diff(model.table).max() <= model.delta
        assert model.cost((0, 0)) == 0
        # What an outer coordinate costs is what its inner loop costs in all.
        inner = model.entries.sum(axis=1) + model.steps
        outer = [model.cost((row, 0)) for row in range(7)]
        np.testing.assert_array_equal(np.diff(outer), inner)


# --- The guarantee --------------------------------------------------------------------


def check_cut(model, query, bounds, positions, cost, interval):
    """Check one cut: its cost, that it is the highest, and where operands stand."""
    assert cost == model.cost(bounds)
    assert 0 <= query - cost < max(model.delta, 1)
    assert tuple(bounds) == model.cut(query, *interval)
    assert positions.tolist() == model.positions(bounds)


def check_within(model, plan, rows):
    """Check the cuts between the first row and the last: they cost equally much."""
    begin, *inside, end = rows
    low, high = int(plan.costs[begin]), int(plan.costs[end])
    interval = [tuple(map(int, plan.bounds[row])) for row in (begin, end)]
    for number, row in enumerate(inside, 1):
        bounds, positions = plan.bounds[row], plan.positions[row]
        if high == low:
            # What costs nothing is left whole.
            assert tuple(bounds) == interval[0]
            assert plan.costs[row] == low
            continue
        query = low + number * (high - low) // (len(rows) - 1)
        check_cut(model, query, bounds, positions, plan.costs[row], interval)


def check_partition(model, plan, parts, inner=1):
    rows = model.extents[0]
    assert plan.parts == parts
    assert plan.bounds.shape == (parts + 1, 2)
    assert plan.positions.shape == (parts + 1, 2 * len(model.tensors))
    assert plan.bounds[0].tolist() == [0, 0]
    assert plan.bounds[parts].tolist() == [rows, 0]
    assert plan.total == plan.costs[parts] == model.total
    assert plan.costs[0] == 0
    assert (np.diff([model.place(row) for row in plan.bounds]) >= 0).all()
    assert (np.diff(plan.positions, axis=0) >= 0).all()
    for end in (0, parts):
        assert plan.positions[end].tolist() == model.positions(plan.bounds[end])
    # The cuts of the outer parts divide the whole, and those inside each of them.
    cuts = range(0, parts + 1, inner)
    if 1 < inner < parts:
        check_within(model, plan, cuts)
        for outer in cuts[:-1]:
            check_within(model, plan, range(outer, outer + inner + 1))
    else:
        check_within(model, plan, range(parts + 1))


def kernel_of(text, formats, cost):
    operands = dict(zip("ABC", formats, strict=False))
    column_major = formats[0] in samples.COLUMNS
    return nacho.mlir.compile(
        text,
        {**operands, "Z": "csc" if column_major else "csr"},
        cost=cost,
        remap=False,
    )


def native_arguments(tensors):
    return [argument for tensor in tensors for argument in arguments(tensor._view)]


def cut(kernel, operands, parts, inner=1, threads=2):
    args = native_arguments(operands.values())
    return kernel._default.native.partition(args, parts, threads, inner=inner)


@st.composite
def kernels(draw):
    """One of few kernels, so that not every example compiles."""
    text = draw(st.sampled_from(EXPRESSIONS))
    operands = sum(f"{name}[" in text for name in "ABC")
    formats = draw(
        st.sampled_from(
            (
                ("csr", "csr", "csr"),
                ("dcsr", "csr", "dcsr"),
                ("dcsr", "dcsr", "dcsr"),
                ("csc", "dcsc", "csc"),
            )
        )
    )
    return text, formats[:operands], draw(st.sampled_from(COSTS))


compiled = {}


@given(kernels(), samples.seeds, samples.shapes, samples.kinds, st.integers(1, 70))
@settings(max_examples=5000 if THOROUGH else 40)
def test_every_part_costs_the_same(chosen, seed, shape, kinds, parts):
    if chosen not in compiled:
        compiled[chosen] = kernel_of(*chosen)
    kernel, (text, formats, cost) = compiled[chosen], chosen
    rng = np.random.default_rng(seed)
    operands = {
        name: samples.sample(rng, shape, kinds[n % len(kinds)], formats[n])
        for n, name in enumerate("ABC"[: len(formats)])
    }
    model = Model(text, cost, operands)
    assert kernel.delta == model.delta
    check_partition(model, cut(kernel, operands, parts), parts)
    for inner in (2, 3):
        plan = cut(kernel, operands, parts * inner, inner)
        check_partition(model, plan, parts * inner, inner)


def powers(rng, rows, columns):
    share = np.minimum(1, 2.0 / (1 + np.arange(rows)))
    return rng.random((rows, columns)) < share[:, None]


def adversaries():
    """Pairs of patterns on which a division by rows, or by operand, is unfair."""
    rng = np.random.default_rng(3)
    shape = rows, columns = 12, 16
    nothing = np.zeros(shape, bool)

    def only(*where):
        made = nothing.copy()
        made[where] = True
        return made

    row, column = only(7), only(slice(None), 11)
    some = rng.random(shape) < 0.2
    even, odd = some.copy(), some.copy()
    even[1::2], odd[::2] = False, False
    middle = only(slice(7, 9)) & some
    return {
        "one full row": (row, row),
        "one full row, and little": (row, some),
        "one full column": (column, column),
        "a row and a column": (row, column),
        "power laws": (powers(rng, *shape), powers(rng, *shape)[::-1]),
        "disjoint rows": (even, odd),
        "disjoint columns": (only(slice(None), 3), only(slice(None), 4)),
        "empty leading and trailing rows": (middle, middle),
        "first and last row": (only(0), only(rows - 1)),
        "one operand is empty": (nothing, some),
        "all operands are empty": (nothing, nothing),
        "one entry": (only(9, 14), nothing),
        "last entry": (nothing, only(rows - 1, columns - 1)),
        "everything": (~nothing, ~nothing),
    }


@pytest.mark.each_value
@pytest.mark.parametrize("cost", COSTS)
@pytest.mark.parametrize("text", [UNION, PRODUCT])
@pytest.mark.parametrize("formats", [("csr", "csr"), ("dcsr", "csr"), ("dcsr", "dcsr")])
@pytest.mark.sampled
def test_adversaries(formats, text, cost):
    kernel = kernel_of(text, formats, cost)
    for patterns in adversaries().values():
        operands = {
            operand: samples.tensor(p, np.arange(1.0, p.sum() + 1), format)
            for operand, p, format in zip("AB", patterns, formats, strict=True)
        }
        model = Model(text, cost, operands)
        for parts in (1, 2, 3, 7, 64, model.total or 1, 2 * model.total + 1):
            plan = cut(kernel, operands, parts, threads=3)
            check_partition(model, plan, parts)
            result = kernel(**operands, parts=parts, threads=2)
            samples.check(result, text, operands)
        for outer, inner in ((2, 2), (3, 7), (8, 8), (64, 3)):
            plan = cut(kernel, operands, outer * inner, inner)
            check_partition(model, plan, outer * inner, inner)


@pytest.mark.sampled
@pytest.mark.parametrize("cost", COSTS)
@pytest.mark.parametrize("formats", [("csr", "csr"), ("dcsr", "csr"), ("dcsr", "dcsr")])
def test_many_parts(formats, cost):
    """From a thousand parts on, the first cut of every few comes before the others."""
    kernel = kernel_of(UNION, formats, cost)
    rng = np.random.default_rng(4)
    for kind in ("power", "dense"):
        operands = {
            name: samples.sample(rng, (20, 30), kind, format)
            for name, format in zip("AB", formats, strict=True)
        }
        model = Model(UNION, cost, operands)
        for outer, inner in ((1100, 1), (2, 600), (200, 7)):
            plan = cut(kernel, operands, outer * inner, inner, threads=3)
            check_partition(model, plan, outer * inner, inner)


def test_one_row_is_split():
    row = samples.tensor(np.ones((1, 1000), bool), np.ones(1000))
    plan = cut(kernel_of(UNION, ("csr", "csr"), "nnz"), {"A": row, "B": row}, 8)
    assert (np.diff(plan.costs) == 250).all()
    assert (plan.bounds[1:-1, 0] == 0).all()


def test_empty_fibres_of_an_operand():
    """A DCSR operand may list rows without entries: they cost their steps."""
    parts = ([[0, 4], [0, 0, 2, 2, 3]], [[0, 2, 3, 5], [1, 4, 0]], [1.0, 2, 3])
    tensor = nacho.Tensor.from_parts("dcsr", (6, 5), *parts)
    for text, cost in ((UNION, "nnz+loops"), (PRODUCT, "nnz")):
        operands = {"A": tensor, "B": tensor}
        kernel = nacho.mlir.compile(
            text, dict.fromkeys("ABZ", "dcsr"), index="i64", cost=cost, remap=False
        )
        model = Model(text, cost, operands)
        for parts_of in range(1, 20):
            check_partition(model, cut(kernel, operands, parts_of), parts_of)
            result = kernel(tensor, tensor, parts=parts_of, threads=2)
            samples.check(result, text, operands)


@pytest.mark.parametrize("shape", [(0, 0), (0, 5), (5, 0), (1, 1)])
@pytest.mark.parametrize("format", ["csr", "dcsr", "csc", "dcsc"])
def test_degenerate_shapes(shape, format):
    operands = dict.fromkeys("AB", samples.tensor(np.zeros(shape, bool), [], format))
    for cost in COSTS:
        found = nacho.partition(UNION, 5, cost=cost, **operands)
        model = Model(UNION, cost, operands)
        assert found.total == model.total
        assert found.bounds[0].tolist() == [0, 0]
        assert found.bounds[-1].tolist() == [model.extents[0], 0]


# --- The interface --------------------------------------------------------------------


def test_fields():
    rng = np.random.default_rng(5)
    operands = {name: samples.sample(rng, (9, 8), format="csc") for name in "AB"}
    found = nacho.partition(UNION, 4, cost="nnz", **operands)
    model = Model(UNION, "nnz", operands)
    assert found.order == ("j", "i")
    assert found.total == model.total
    assert found.delta == 2
    assert found.bounds.shape == (5, 2)
    assert found.costs.shape == (4,)
    assert found.costs.sum() == found.total
    assert set(found.positions) == {"A", "B"}
    for row in range(5):
        at = [found.positions[name][row].tolist() for name in "AB"]
        wanted = model.positions(found.bounds[row])
        assert at == [wanted[0::2], wanted[1::2]]


@pytest.mark.parametrize("name", ["operands", "parts", "expr", "out", "threads"])
def test_operands_of_any_name(name):
    text, eye = (
        f"Z[i,j] = {name}[i,j] * s",
        samples.tensor(np.eye(3, dtype=bool), [1.0] * 3),
    )
    assert nacho.partition(text, 2, **{name: eye}, s=2, cost="nnz").total == 3
    assert nacho.partition(text, 2, {name: eye}, s=2, cost="nnz").total == 3


def test_an_operand_named_cost():
    text, eye = (
        "Z[i,j] = cost[i,j] * 2",
        samples.tensor(np.eye(3, dtype=bool), [1.0] * 3),
    )
    advice = r'partition\(expr, parts, {"cost": cost}\)'
    with pytest.raises(nacho.ArgumentError, match=advice):
        nacho.partition(text, 2, cost=eye)
    assert nacho.partition(text, 2, {"cost": eye}, cost="nnz").total == 3


def test_inner_must_divide_parts():
    kernel = kernel_of("Z[i,j] = -A[i,j]", ("csr",), "nnz")
    tensor = samples.tensor(np.eye(3, dtype=bool), np.ones(3))
    for parts, inner in ((4, 3), (4, 0), (4, -2)):
        with pytest.raises(ValueError, match="inner must divide parts"):
            cut(kernel, {"A": tensor}, parts, inner)


def test_parts_do_not_depend_on_threads():
    rng = np.random.default_rng(6)
    kernel = kernel_of(MIXED, ("csr", "dcsr", "csr"), "nnz+loops")
    operands = {
        name: samples.sample(rng, (30, 30), format=format)
        for name, format in zip("ABC", ("csr", "dcsr", "csr"), strict=True)
    }
    plans = [cut(kernel, operands, 24, 4, threads) for threads in (1, 2, 3, 7)]
    for plan in plans[1:]:
        assert plan.bounds.tobytes() == plans[0].bounds.tobytes()
        assert plan.positions.tobytes() == plans[0].positions.tobytes()


def test_balance_of_a_plan():
    rng = np.random.default_rng(8)
    kernel = kernel_of(UNION, ("csr", "csr"), "nnz+loops")
    operands = {name: samples.sample(rng, (50, 60), "power") for name in "AB"}
    plan = kernel.plan(**operands, parts=8, threads=2)
    assert plan.costs.sum() == plan.total
    assert abs(plan.costs - plan.total / 8).max() <= kernel.delta
    assert plan.balance == plan.costs.max() * 8 / plan.total


def test_the_ways_to_call_partition() -> None:
    A = samples.sample(np.random.default_rng(0), (20, 20), "sparse", "csr")
    text = "Z[i,j] = A[i,j]"
    expected = nacho.partition(text, 4, cost="nnz+loops", A=A)
    for other in (
        nacho.partition(text, parts=4, cost="nnz+loops", A=A),
        nacho.partition(text, 4, "nnz+loops", A=A),
        nacho.partition(text, 4, {"A": A}, cost="nnz+loops"),
        nacho.partition("Z[i,j] = parts[i,j]", 4, "nnz+loops", {"parts": A}),
    ):
        assert np.array_equal(other.bounds, expected.bounds)
        assert np.array_equal(other.costs, expected.costs)
    with pytest.raises(nacho.ArgumentError, match="needs the number of parts"):
        nacho.partition(text, A=A)


def test_operands_that_are_accessed_twice():
    rng = np.random.default_rng(9)
    A = samples.sample(rng, (12, 12), "sparse", "dcsr")
    text = "Z[i,j,k] = A[i,j] * A[j,k]"
    for remap in (True, False):
        found = nacho.partition(text, 5, A=A, remap=remap)
        # Of the first access, the list has what is needed.
        names = ["#0", "A"] if remap else ["A", "A[j,k]"]
        assert list(found.positions) == names
        assert all(len(table) == 6 for table in found.positions.values())


def test_operands_that_are_not_cut():
    A = samples.sample(np.random.default_rng(2), (20, 30))
    found = nacho.partition(
        "Y[i,k] = s * A[i,j] * X[j,k]", 4, A=A, X=np.ones((30, 3)), s=2
    )
    assert list(found.positions) == ["A"]
    depth = len(found.order)
    assert found.bounds.shape == (5, depth)
    assert found.positions["A"].shape == (5, depth)
    assert found.costs.sum() == found.total
    assert abs(found.costs - found.total / 4).max() <= found.delta


def test_delta_is_known_for_every_partition():
    """Where the compiler has no bound, it is what the cuts are off."""
    vector = samples.tensor(np.ones(9, bool), np.ones(9), "sparse-vector")
    for text in ("Z[i,j] = x[i] * y[j]", "z = x[i] * y[i]", "Z[i,j] = x[i] + y[j]"):
        found = nacho.partition(text, 3, x=vector, y=vector)
        assert 0 <= found.delta <= max(found.total, 2)
        assert abs(found.costs - found.total / 3).max() <= max(found.delta, 1)


def test_delta_of_whole_rows_is_what_the_cuts_are_off():
    """A part is as far off its share as the row at its end is heavy."""
    lengths = 1 + np.arange(1000) % 9
    starts = np.concatenate([[0], np.cumsum(lengths)])
    columns = np.concatenate([np.arange(length) for length in lengths])
    A = sp.csr_array((np.ones(columns.size), columns, starts), (1000, 1000))
    kernel = nacho.mlir.compile("Z[i,k] = A[i,j] * B[j,k]", parts=2)
    plan = kernel.plan(A, sp.identity(1000, format="csr"))
    assert kernel.delta == -1
    short = plan.total // 2 - plan.costs[0]
    assert 0 < short < 9 * 8
    assert plan.delta == short + 1
