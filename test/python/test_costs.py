"""The guarantee for every format: parts cost the same, counted entry by entry.

For element-wise expressions the cost ``nnz`` is tabulated by brute force. What scales
(broadcasts), and what counts the steps of loops, still has to add up, and to stay
within ``delta`` of an equal share.
"""

import numpy as np
import pytest

import nacho
import oracle
import samples
from selection import THOROUGH
from test_expressions import (
    ADDED,
    BIASED,
    BLOCKS,
    BROADCAST,
    EXTENTS,
    FIBRES,
    FUSED,
    GROUP,
    INNER,
    INNER3,
    MIXED,
    MTTKRP,
    OUTER,
    PRODUCT,
    PRODUCT3,
    QUADRATIC,
    ROWS,
    SDDMM,
    SIBLINGS,
    SPMM,
    SPMV,
    SUMS,
    TTV,
    UNION,
    UNION3,
    UNION4,
    VECTORS,
    levels_of,
    operands_of,
    shown,
)

PARTS = (1, 2, 7, 64, 1000)
COSTS = (
    "nnz",
    "nnz+loops",
    "flops",
    "time",
    "#nacho.cost_model<2 * entries, 3 * units>",
)
KINDS = (
    ("sparse",),
    ("row", "dense"),
    ("column", "row"),
    ("power", "one"),
    ("middle", "empty"),
    ("empty",),
)

COUNTED = [
    (UNION, "coo", "coo"),
    (UNION, "csr", "coo"),
    (UNION, "dcsr", "coo"),
    (UNION, "csc", "dcsc"),
    (PRODUCT, "coo", "coo"),
    (PRODUCT, "csr", "coo"),
    (PRODUCT, "dcsr", "csr"),
    (FUSED, "coo", "csr", "dcsr"),
    (SUMS, "coo", "dcsr", "coo", "csr"),
    (VECTORS, "sparse-vector", "coo"),
    (UNION3, "csf", "csf"),
    (UNION3, "coo", "csf"),
    (UNION3, INNER, GROUP),
    (PRODUCT3, "csf", "coo"),
    (PRODUCT3, GROUP, "csf"),
    (UNION4, "coo", MIXED),
    (UNION4, "csf", "csf"),
]

BOUNDED = [
    (UNION, "dcsr", BLOCKS),
    (UNION3, FIBRES, "csf"),
    (UNION, "csr", "dense"),
    (PRODUCT, "coo", "dense"),
    *[
        (BROADCAST, matrix, x, y)
        for matrix in ("csr", "coo", "dcsr")
        for x, y in (("dense", "sparse-vector"), ("sparse-vector", "dense"))
    ],
    (BROADCAST, "csr", "sparse-vector", "sparse-vector"),
    (OUTER, "sparse-vector", "sparse-vector"),
    (OUTER, "sparse-vector", "dense"),
    (ADDED, "csr", "sparse-vector"),
    (ROWS, "csr", "sparse-vector"),
    (SPMV, "csr", "dense"),
    (SPMV, "coo", "sparse-vector"),
    (SPMM, "csr", "dense"),
    (SDDMM, "csr", "dense", "dense"),
    (TTV, "csf", "dense"),
    (MTTKRP, "csf", "dense", "dense"),
    (INNER3, "csf", "coo"),
    (QUADRATIC, "sparse-vector", "csr", "sparse-vector"),
    (BIASED, "dense", "csr", "dense"),
    (SIBLINGS, "csr", "dense", "csr", "dense"),
]

# Loops are listed once, twice, and not at all.
REMAPPED = [
    (PRODUCT, "dcsr", "dcsr"),
    (PRODUCT, "csr", "coo"),
    (PRODUCT3, "csf", "csf"),
    (PRODUCT3, "coo", "csf"),
    (INNER3, "csf", "csf"),
    (FUSED, "dcsr", "csr", "coo"),
    (SUMS, "coo", "dcsr", "coo", "csr"),
]


def with_costs(cases):
    """Return pairs of cases and models: all or, for each case, the next model in turn.

    Each pair is a kernel that is compiled only for this file.
    """
    return [
        (case, cost)
        for n, case in enumerate(cases)
        for cost in (COSTS if THOROUGH else (COSTS[n % len(COSTS)],))
    ]


def shown_pair(part):
    return part if isinstance(part, str) else shown(part)


def extents_of(text, operands):
    return {
        index: extent
        for name, indices in oracle.accesses(text)
        for index, extent in zip(indices, operands[name].shape, strict=True)
    }


def check_bounds(cut, extents):
    """Check that cuts lie in order between the first coordinate and the end."""
    bounds = [tuple(bound) for bound in cut.bounds.tolist()]
    inner = (0,) * (len(cut.order) - 1)
    assert bounds[0] == (0, *inner)
    assert bounds[-1] == (extents[cut.order[0]], *inner)
    assert bounds == sorted(bounds)


def check_costs(cut, parts):
    """Check that each cut is less than delta below its share of the cost."""
    before = np.concatenate([[0], np.cumsum(cut.costs)])
    assert cut.costs.shape == (parts,)
    assert (cut.costs >= 0).all()
    assert before[-1] == cut.total
    shares = [part * cut.total // parts for part in range(parts + 1)]
    short = np.subtract(shares, before)
    delta = cut.total if cut.delta < 0 else cut.delta
    assert short.min() >= 0
    assert short.max() < max(delta, 1)


def entries_before(order, indices, operand, bounds):
    """Return how many entries an operand has before each cut, in loop order."""
    stored = oracle.pattern(operand).transpose([indices.index(i) for i in order])
    before = np.concatenate([[0], np.cumsum(stored)])
    places = np.zeros(len(bounds), np.int64)
    for coordinates, extent in zip(bounds.T, stored.shape, strict=True):
        places = places * extent + coordinates
    return before[places]


@pytest.mark.parametrize(("case", "cost"), with_costs(COUNTED), ids=shown_pair)
def test_costs_are_counted(case, cost):
    text, *formats = case
    accesses = dict(oracle.accesses(text))
    for seed, kinds in enumerate(KINDS):
        operands = operands_of(text, (*formats, "dense"), kinds=kinds, seed=seed)
        for parts in PARTS:
            cut = nacho.partition(text, parts, operands, cost=cost, remap=False)
            check_bounds(cut, extents_of(text, operands))
            check_costs(cut, parts)
            assert set(cut.order) == set(accesses["A" if "A" in accesses else "x"])
            before = np.zeros(parts + 1, np.int64)
            for name, indices in accesses.items():
                count = entries_before(cut.order, indices, operands[name], cut.bounds)
                np.testing.assert_array_equal(cut.positions[name][:, -1], count)
                # What is accessed twice with the same indices is still read once.
                before += count
            if cost == "nnz":
                assert cut.costs.tolist() == np.diff(before).tolist()


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("case", "cost"), with_costs([*REMAPPED, *BOUNDED]), ids=shown_pair
)
def test_costs_add_up(case, cost):
    text, *formats = case
    out = () if text.startswith("Z =") else ("dense",)
    for seed, kinds in enumerate(KINDS):
        operands = operands_of(text, (*formats, *out), kinds=kinds, seed=seed)
        for parts in PARTS:
            for remap in (True, False):
                cut = nacho.partition(text, parts, operands, cost=cost, remap=remap)
                for nest in cut.nests:
                    check_bounds(nest, extents_of(text, operands))
                    check_costs(nest, parts)


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("case", "cost"), with_costs([*COUNTED, *BOUNDED]), ids=shown_pair
)
def test_costs_without_coordinates(case, cost):
    text, *formats = case
    out = () if text.startswith("Z =") else ("dense",)
    for empty in {index for _, indices in oracle.accesses(text) for index in indices}:
        extents = {**EXTENTS, empty: 0}
        operands = operands_of(text, (*formats, *out), extents, ("dense",))
        for parts in (1, 3):
            cut = nacho.partition(text, parts, operands, cost=cost)
            check_bounds(cut, extents_of(text, operands))
            check_costs(cut, parts)


def test_a_cut_of_a_group_is_inside_of_it():
    """Positions of a COO operand are the same at every level of the group."""
    levels = levels_of("coo", 3)
    operand = samples.sample(np.random.default_rng(0), (4, 3, 50), "dense", levels)
    cut = nacho.partition("Z[i,j,k] = A[i,j,k]", 9, A=operand)
    assert cut.order == ("i", "j", "k")
    inner = cut.positions["A"][:, -1]
    assert (np.diff(inner) >= 0).all()
    assert inner[-1] == operand.values.size
    shares = np.arange(10) * operand.values.size // 9
    assert inner.tolist() == shares.tolist()


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("nnz", "#nacho.cost_model<entries, steps>"),
        ("nnz+loops", "#nacho.cost_model<entries, steps, units>"),
        ("flops", "#nacho.cost_model<products>"),
        ("time", "#nacho.cost_model<entries, steps, 4 * units>"),
    ],
)
def test_a_model_may_be_written_out(name, written):
    operands = operands_of(UNION, ("csr", "coo", "csr"), kinds=("power",), seed=3)
    named = nacho.partition(UNION, 7, operands, cost=name)
    found = nacho.partition(UNION, 7, operands, cost=written)
    assert found.costs.tolist() == named.costs.tolist()
    np.testing.assert_array_equal(found.bounds, named.bounds)


def test_weights_are_counted():
    operands = operands_of(UNION, ("csr", "csr", "csr"), kinds=("power",), seed=3)
    plain = nacho.partition(UNION, 7, operands, cost="#nacho.cost_model<entries>")
    heavy = nacho.partition(UNION, 7, operands, cost="#nacho.cost_model<3 * entries>")
    assert heavy.total == 3 * plain.total
    np.testing.assert_array_equal(heavy.bounds, plain.bounds)


def test_products_are_counted():
    """Every entry of B is multiplied once for each entry of A in its column."""
    rng = np.random.default_rng(1)
    A = samples.sample(rng, (30, 20), "power", "csr")
    B = samples.sample(rng, (20, 40), "sparse", "csr")
    found = nacho.partition("Z[i,k] = A[i,j] * B[j,k]", 5, cost="flops", A=A, B=B)
    columns, rows = oracle.pattern(A).sum(axis=0), oracle.pattern(B).sum(axis=1)
    # The products of heavy rows are listed, and those of other rows collected.
    totals = {nest.order: nest.total for nest in found.nests[:-1]}
    assert totals["i", "j", "k"] + totals.get(("i",), 0) == columns @ rows


def test_costs_that_do_not_fit_into_64_bits():
    """Each entry of x meets all columns, of which there are too many."""
    where = np.arange(8)
    x = nacho.Tensor.from_coo([where], np.ones(8), shape=(8,))
    for columns in (1 << 55, 1 << 60, (1 << 61) + 1, (1 << 62) + 1):
        A = nacho.Tensor.from_coo([where, where], np.ones(8), shape=(8, columns))
        with pytest.raises(nacho.CostOverflowError, match="costs more than 2\\^56"):
            nacho.partition("Z[i,j] = A[i,j] + x[i]", 3, A=A, x=x)
    A = nacho.Tensor.from_coo([where, where], np.ones(8), shape=(8, 1 << 50))
    cut = nacho.partition("Z[i,j] = A[i,j] + x[i]", 3, A=A, x=x)
    check_costs(cut, 3)


@pytest.mark.parametrize(
    ("cost", "reason"),
    [
        ("#nacho.cost_model<rows>", "nothing is called 'rows'"),
        ("#nacho.cost_model<0 * units>", "the weight of units must be positive"),
        ("#nacho.cost_model<entries> nnz", "found trailing characters"),
        ("#nacho.cost_model<", "unbalanced '<'"),
    ],
)
def test_the_compiler_says_what_is_wrong_with_a_model(cost, reason):
    operands = operands_of(UNION, ("csr", "csr", "csr"))
    with pytest.raises(nacho.NachoError, match=reason):
        nacho.partition(UNION, 7, operands, cost=cost)


@pytest.mark.parametrize("cost", ["rows", "", "#nacho.merge<0>"])
def test_unknown_names_of_models(cost):
    operands = operands_of(UNION, ("csr", "csr", "csr"))
    with pytest.raises(nacho.NachoError, match=r"expected 'nnz', 'nnz\+loops'"):
        nacho.partition(UNION, 7, operands, cost=cost)
