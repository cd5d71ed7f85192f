"""Lists and trees are merged by keys, where these have few bits and rows are short.

Calls are compared with plans, which have a loop for every index.
"""

from __future__ import annotations

import contextlib

import numpy as np
import pytest

import nacho
import nacho.mlir
from checks import check, same

pytestmark = pytest.mark.any_target

UNION, PRODUCT = "Z[i,j,k] = A[i,j,k] + B[i,j,k]", "Z[i,j,k] = A[i,j,k] * B[i,j,k]"
INNER = "z = A[i,j,k] * B[i,j,k]"
TWO = (UNION, PRODUCT, INNER, "Z[i,j,k] = A[i,j,k] - 2 * B[i,j,k] * A[i,j,k]")
THREE = (
    "Z[i,j,k] = A[i,j,k] + B[i,j,k] + C[i,j,k]",
    "Z[i,j,k] = A[i,j,k] * B[i,j,k] + C[i,j,k]",
    "Z[i,j,k] = (A[i,j,k] + B[i,j,k]) * C[i,j,k]",
    "Z[i,j,k] = A[i,j,k] * B[i,j,k] * C[i,j,k]",
    "z = (A[i,j,k] - B[i,j,k]) * C[i,j,k] + A[i,j,k]",
)


def compiled(expr, *operands, **options):
    formats = {name: "coo" for name in "ABCZ" if f"{name}[" in expr}
    formats |= {
        name: tensor.format for name, tensor in zip("ABC", operands, strict=False)
    }
    return nacho.mlir.compile(expr, formats=formats, **options)


def merges_by_keys(kernel, *operands):
    return "lists merged by keys" in kernel.explain(*operands)


def may_merge_by_keys(kernel):
    return "nacho.flatten" in kernel.mlir("loops", choices={"merge-keys": True})


def entries_at(numbers, shape, seed=0):
    """Make a list of the entries with these numbers, in row-major order."""
    numbers = np.asarray(numbers, np.int64)
    values = np.random.default_rng(seed).integers(1, 9, len(numbers)).astype(float)
    coords = np.array(np.unravel_index(numbers, shape)).reshape(len(shape), -1)
    return nacho.Tensor.from_coo(coords, values, shape=shape, format="coo")


def scattered(nnz, shape, seed):
    rng = np.random.default_rng(seed)
    coords = np.array([rng.integers(0, extent, nnz) for extent in shape])
    values = rng.integers(1, 9, nnz).astype(float)
    return nacho.Tensor.from_coo(coords, values, shape=shape, format="coo")


def compare(expr, *operands):
    kernel = compiled(expr, *operands)
    assert merges_by_keys(kernel, *operands)
    for parts in (1, 2, 7):
        expected = kernel.plan(*operands, parts=parts).execute()
        found = kernel(*operands, threads=2, parts=parts)
        assert same(found, expected)
    assert kernel.count(*operands) == getattr(found, "nnz", 1)


@pytest.mark.parametrize("is_wide", [False, True])
@pytest.mark.parametrize("expr", ["Z[i,j] = A[i,j] * B[i,j]", "s = A[i,j] * B[i,j]"])
def test_registers_of_each_width_make_the_same_result(expr, is_wide):
    A, B = (scattered(9000, (500, 60), seed) for seed in (1, 2))
    choices = {"merge-keys": True, "vector-bits": 256, "wide-keys": is_wide}
    kernel = compiled(expr, A, B, choices=choices)
    vectors = f"vector<{8 if is_wide else 4}xi64>"
    assert vectors in kernel.mlir("scf", choices={"merge-keys": True})
    plain = compiled(expr, A, B, choices={"merge-keys": True, "vector-bits": 0})
    for parts in (1, 3):
        found, expected = (k(A, B, parts=parts) for k in (kernel, plain))
        assert same(found, expected)


@pytest.mark.parametrize("expr", TWO + THREE)
def test_against_numpy(expr):
    names = [name for name in "ABC" if f"{name}[" in expr]
    for shape in ((7, 8, 9), (1, 1, 64), (33, 2, 1), (16, 16, 16)):
        operands = [scattered(60, shape, seed) for seed in range(len(names))]
        named = dict(zip(names, operands, strict=True))
        check(compiled(expr)(**named), expr, named)
        check(nacho.evaluate(expr, named), expr, named)


@pytest.mark.sampled
@pytest.mark.each_value
@pytest.mark.parametrize("expr", TWO)
@pytest.mark.parametrize("nnz", [0, 1, 2, 511, 512, 513, 1024, 1500])
def test_windows_end_anywhere(expr, nnz):
    """Coordinates are computed some hundred at a time, of which all may be merged."""
    shape = (40, 50, 30)
    A = entries_at(np.arange(nnz) * 3, shape, seed=1)
    for numbers in (
        np.arange(nnz) * 3,
        np.arange(nnz) * 3 + 1,
        np.arange(700),
        np.arange(20_000, 20_000 + nnz),
        np.arange(0, 60_000, 7),
        [],
    ):
        compare(expr, A, entries_at(numbers, shape, seed=2))


@pytest.mark.sampled
@pytest.mark.each_pair
@pytest.mark.parametrize("formats", [("csf", "csf"), ("csf", "coo"), ("coo", "csf")])
@pytest.mark.parametrize("nnz", [0, 1, 2, 511, 512, 513, 1024, 1500])
@pytest.mark.parametrize("shape", [(40, 50, 30), (1, 60_000, 1), (60, 1, 1000)])
def test_trees_are_intersected(formats, nnz, shape):
    """Windows begin and end inside of fibers, and of those above."""
    A = entries_at(np.arange(nnz) * 3, shape, seed=1).convert(formats[0])
    for numbers in (
        np.arange(nnz) * 3,
        np.arange(700),
        np.arange(20_000, 20_000 + nnz),
        np.arange(0, 60_000, 7),
        [],
    ):
        B = entries_at(numbers, shape, seed=2).convert(formats[1])
        kernel = compiled(INNER, A, B)
        expected = kernel.plan(A, B).execute()
        for parts in (1, 2, 7):
            found = compiled(INNER, A, B)(A, B, parts=parts, threads=2)
            np.testing.assert_allclose(found, expected, rtol=1e-12)
        if nnz > 500 and shape[2] < 100 and may_merge_by_keys(kernel):
            assert merges_by_keys(kernel, A, B)


@pytest.mark.parametrize("expr", TWO)
def test_interleaved_lists(expr):
    """Keys are made of coordinates that lie behind one another."""
    formats = dict.fromkeys("ABZ" if "Z[" in expr else "AB", "coo-interleaved")
    kernel = nacho.mlir.compile(expr, formats)
    for nnz in (0, 1, 511, 513, 1500):
        A, B = (
            scattered(nnz, (40, 50, 30), seed).convert("coo-interleaved")
            for seed in (1, 2)
        )
        assert merges_by_keys(kernel, A, B)
        check(kernel(A, B, parts=3, threads=2), expr, {"A": A, "B": B})


@pytest.mark.parametrize("rank", [2, 3, 5, 8])
@pytest.mark.sampled
def test_trees_of_any_rank(rank):
    rng = np.random.default_rng(rank)
    indices = ",".join("abcdefgh"[:rank])
    expr = f"z = A[{indices}] * B[{indices}]"
    for _ in range(20):
        shape = tuple(rng.integers(1, 9, rank))
        A, B = (scattered(int(rng.integers(0, 2000)), shape, seed) for seed in (1, 2))
        expected = float((A.to_dense() * B.to_dense()).sum())
        for format in ("csf", "coo"):
            kernel = nacho.mlir.compile(expr, dict.fromkeys("AB", format))
            found = kernel(A.convert(format), B.convert(format), parts=3, threads=2)
            np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_fibers_may_be_empty():
    """And be the first, or the last, of what is above."""
    format = nacho.Format("csf").for_rank(3)
    pos = [[0, 4], [0, 0, 2, 5, 5], [0, 0, 1, 1, 3, 3]]
    crd = [[0, 2, 5, 9], [3, 4, 0, 7, 8], [6, 2, 5]]
    A = nacho.Tensor.from_parts(
        format,
        (10, 10, 10),
        pos=[np.array(level, np.int32) for level in pos],
        crd=[np.array(level, np.int32) for level in crd],
        values=np.array([2.0, 3.0, 5.0]),
    )
    B = nacho.Tensor.from_coo(
        np.array([[2, 2, 5, 5, 9], [3, 4, 7, 8, 9], [6, 6, 2, 5, 9]]),
        np.array([1.0, 10.0, 100.0, 1000.0, 1e4]),
        shape=(10, 10, 10),
        format="csf",
    )
    expected = float((A.to_dense() * B.to_dense()).sum())
    assert expected == 2 * 10 + 3 * 100
    for parts in (1, 2, 3):
        assert compiled(INNER, A, B)(A, B, parts=parts) == expected


def test_unions_of_trees_are_not_merged_by_keys():
    A, B = (scattered(500, (20, 30, 40), seed).convert("csf") for seed in (1, 2))
    expr = "z = A[i,j,k] - B[i,j,k]"
    kernel = compiled(expr, A, B)
    assert not may_merge_by_keys(kernel)
    check(kernel(A, B), expr, {"A": A, "B": B})


@pytest.mark.host_only
@pytest.mark.parametrize("level", [0, 1, 2])
@pytest.mark.parametrize("array", ["pos", "crd"])
def test_trees_that_were_edited_are_read_inside_of_their_arrays(level, array):
    A, B = (scattered(3000, (60, 60, 60), seed).convert("csf") for seed in (1, 2))
    kernel = compiled(INNER, A, B, validate="none")
    kernel(A, B)
    stored = getattr(A, array)[level]
    for bad in (2**31 - 1, 2**30, 0, 61):
        for at in (len(stored) // 2, len(stored) - 1):
            before, stored[at] = stored[at], bad
            with contextlib.suppress(nacho.OperandError):
                kernel(A, B, parts=5, threads=2)
            stored[at] = before
    kernel(A, B)


@pytest.mark.parametrize("expr", THREE)
def test_three_operands(expr):
    shape = (60, 70, 80)
    for sizes in ((3000, 3000, 3000), (3000, 10, 0), (0, 2000, 2000), (1, 1, 3000)):
        compare(expr, *(scattered(nnz, shape, n) for n, nnz in enumerate(sizes)))


@pytest.mark.parametrize(
    "shape",
    [
        (2**31 - 1, 2**15, 2**16),  # 62 bits
        (1 << 20, 1, 1 << 30),
        (3, 2**29 + 1, 2**30),
        (2**31 - 1, 3, 2**29),
    ],
)
@pytest.mark.sampled
def test_large_extents(shape):
    A, B = (scattered(2000, shape, seed) for seed in (1, 2))
    last = np.array(shape)[:, None] - 1
    C = nacho.Tensor.from_coo(last, np.array([5.0]), shape=shape, format="coo")
    for expr in TWO:
        compare(expr, A, B)
        compare(expr, A, C)
        compare(expr, A, nacho.evaluate("Z[i,j,k] = A[i,j,k] + B[i,j,k]", A=A, B=C))


@pytest.mark.parametrize("shape", [(2**31 - 1, 2**16, 2**16), (2**31 - 1,) * 3])
def test_keys_of_more_bits_are_not_to_be_had(shape):
    A, B = (scattered(500, shape, seed) for seed in (1, 2))
    both = nacho.evaluate(UNION, A=A, B=B)
    for expr in TWO:
        kernel = compiled(expr)
        assert not merges_by_keys(kernel, A, both)
        assert same(kernel(A, both), kernel.plan(A, both).execute())


def test_coordinates_of_64_bits():
    shape = (2**40, 2**10, 2**12)
    A, B = (scattered(3000, shape, seed) for seed in (1, 2))
    kernel = compiled(UNION, index="i64")
    for other in (B, nacho.evaluate(UNION, A=A, B=B)):
        assert merges_by_keys(kernel, A, other)
        assert same(kernel(A, other), kernel.plan(A, other).execute())


def test_an_extent_of_zero():
    for shape in ((0, 3, 4), (3, 0, 4), (3, 4, 0)):
        empty = entries_at([], shape)
        result = compiled(UNION)(empty, empty)
        assert result.nnz == 0
        assert result.shape == shape
        assert compiled(INNER)(empty, empty) == 0


REDUCTIONS = (
    "z min= A[i,j,k] * B[i,j,k]",
    "z max= -(A[i,j,k] * B[i,j,k])",
    "z *= A[i,j,k] + B[i,j,k]",
    "z max= A[i,j,k] - B[i,j,k]",
)


@pytest.mark.parametrize("expr", REDUCTIONS)
@pytest.mark.parametrize("shape", [(1, 3, 1), (3, 3, 3), (2, 5, 7), (4, 4, 4)])
def test_what_no_operand_stores_takes_part_in_a_minimum(expr, shape):
    """There are as many places as the shape has, not as many as there are keys."""
    size = int(np.prod(shape))
    for missing in (0, 1, size):
        A, B = (entries_at(np.arange(size - missing), shape, n) for n in (1, 2))
        for format in ("coo", "csf"):
            named = {"A": A.convert(format), "B": B.convert(format)}
            check(compiled(expr, *named.values())(**named, parts=3), expr, named)


MODULE = """
#COO = #sparse_tensor.encoding<{
  map = (d0, d1, d2, d3) -> (d0 : compressed(nonunique), d1 : singleton(nonunique, soa),
                             d2 : singleton(nonunique, soa), d3 : singleton(soa)),
  posWidth = 32, crdWidth = 32 }>
func.func @f(%A: tensor<4x5x6x7xf64, #COO>, %B: tensor<4x5x6x7xf64, #COO>)
    -> tensor<4x5x6x7xf64, #COO> {
  %Z = nacho.assign (%a = %A[i, j, k, l] : tensor<4x5x6x7xf64, #COO>,
                     %b = %B[i, j, k, l] : tensor<4x5x6x7xf64, #COO>)
      -> [i, j, k, l] : tensor<4x5x6x7xf64, #COO> {
    %0 = nacho.binary mul %a, %b : f64
    nacho.yield %0 : f64
  }
  return %Z : tensor<4x5x6x7xf64, #COO>
}
"""


def test_modules_are_merged_by_keys_as_expressions_are():
    A, B = (scattered(300, (4, 5, 6, 7), seed) for seed in (1, 2))
    kernel = nacho.mlir.compile(MODULE)
    plan = kernel.plan(A, B, parts=5)
    assert plan.bounds.shape == (6, 4)
    assert same(plan.execute(), kernel(A, B, parts=3))
    assert merges_by_keys(kernel, A, B)
    assert not kernel.choices["merge-keys"]


@pytest.mark.host_only
def test_another_variant_is_compiled_where_it_may_pay():
    kernel = nacho.mlir.compile(
        "z = A[i,j] * B[i,j]", formats=dict.fromkeys("AB", "coo")
    )
    few, many = (scattered(nnz, (100, 1 << 20), 1) for nnz in (1000, 600_000))
    assert merges_by_keys(kernel, few, few)
    assert not merges_by_keys(kernel, many, many)
    assert merges_by_keys(kernel, few, few)
    assert kernel(few, few) == nacho.evaluate("z = A[i,j] * B[i,j]", A=few, B=few)


def test_unions_of_few_entries_are_merged_by_keys():
    """Most rows are empty or short: there is nothing in them to be skipped."""
    kernel = nacho.mlir.compile(
        "Z[i,j] = A[i,j] + B[i,j]", formats=dict.fromkeys("ABZ", "coo")
    )
    A, B = (scattered(1000, (5000, 100), seed) for seed in (1, 2))
    assert merges_by_keys(kernel, A, B)
    assert same(kernel(A, B), kernel.plan(A, B).execute())


@pytest.mark.host_only
def test_variants_have_the_options_of_their_kernel():
    A, B = (scattered(300, (20, 30, 40), seed) for seed in (1, 2))
    kernel = compiled(UNION)
    kernel.plan(A, B)
    kernel.validate, kernel.parts = "none", 9
    assert kernel.plan(A, B).parts == 9
    assert kernel.plan(A, B)._call.running.validate == "none"


@pytest.mark.host_only
def test_rows_decide_where_there_are_two_indices():
    """Short rows: keys. Long ones are taken, or skipped, as a whole."""
    kernel = nacho.mlir.compile(
        "Z[i,j] = A[i,j] * B[i,j]", formats=dict.fromkeys("ABZ", "coo")
    )
    for shape, nnz, expected in (
        ((1 << 17, 1000), 700_000, True),
        ((1000, 100_000), 700_000, False),
    ):
        A, B = (scattered(nnz, shape, seed) for seed in (1, 2))
        assert merges_by_keys(kernel, A, B) is expected
        assert same(kernel(A, B), kernel.plan(A, B).execute())


@pytest.mark.parametrize(
    ("expr", "formats"),
    [
        ("Z[i,j,k] = A[i,j,k] + B[i,j,k]", {"A": "csf", "B": "coo", "Z": "coo"}),
        ("z = A[i,j] * B[i,j]", {"A": "csr", "B": "csr"}),
        ("Z[i,j,k] = A[i,j,k] + B[i,j,k]", {"A": "coo", "B": "coo", "Z": "csf"}),
        ("Z[i,j,k] = A[i,j,k] + B[j,k,i]", {"A": "coo", "B": "coo", "Z": "coo"}),
        ("Z[i,j] = A[i,j,k] * B[i,j,k]", {"A": "coo", "B": "coo", "Z": "coo"}),
        ("Z[i,j,k] = 2 * A[i,j,k]", {"A": "coo", "Z": "coo"}),
    ],
)
def test_all_must_be_lists_in_the_same_order(expr, formats):
    kernel = nacho.mlir.compile(expr, formats)
    given = [
        scattered(300, (20,) * len(type.format.levels), 1).convert(formats[name])
        for name, type in kernel.types.items()
    ]
    assert not merges_by_keys(kernel, *given)


def test_the_order_of_the_loops_can_be_asked_for():
    kernel = compiled(UNION)
    assert kernel.order == ("i", "j", "k")
    assert compiled(INNER).order == ("i", "j", "k")
    A, B = (scattered(300, (20, 30, 40), seed) for seed in (1, 2))
    assert merges_by_keys(kernel, A, B)
    asked = compiled(UNION, order="i,j,k")
    assert asked.order == ("i", "j", "k")
    assert not merges_by_keys(asked, A, B)


def test_plans_have_a_coordinate_for_every_index():
    A, B = (scattered(3000, (60, 70, 80), seed) for seed in (1, 2))
    plan = compiled(UNION).plan(A, B, parts=5)
    assert plan.bounds.shape == (6, 3)
    assert (plan.bounds[1:-1] < A.shape).all()
    assert nacho.partition(UNION, 5, A=A, B=B).bounds.shape == (6, 3)


@pytest.mark.parametrize("expr", [UNION, PRODUCT])
@pytest.mark.parametrize("level", [0, 1, 2])
@pytest.mark.parametrize("bad", [60, -1, 2**31 - 1, 2**6])
def test_coordinates_that_were_edited_are_refused(expr, level, bad):
    """They have the largest of all keys, which is in nobody's result."""
    shape = (60, 60, 60)
    A, B = (scattered(3000, shape, seed) for seed in (1, 2))
    both = nacho.evaluate(UNION, A=A, B=B)
    kernel = compiled(expr)
    kernel(both, both)
    both.crd[level][1000] = bad
    with pytest.raises(nacho.OperandError):
        kernel(both, both)


@pytest.mark.host_only
@pytest.mark.parametrize("format", ["coo", "csf"])
@pytest.mark.parametrize("expr", [INNER, PRODUCT])
@pytest.mark.parametrize("shift", [0, 50, 95, 100])
def test_intersections_that_skip_most_entries_are_done_level_by_level(
    format, expr, shift
):
    """Of 100 first coordinates, the operands have all but `shift` in common."""
    shape = (200, 90, 80)
    A = scattered(20_000, (100, *shape[1:]), 1)
    B = scattered(20_000, (100, *shape[1:]), 2)
    moved = np.array(B.coords)
    moved[0] += shift
    A = nacho.Tensor.from_coo(A.coords, A.values, shape=shape, format=format)
    B = nacho.Tensor.from_coo(moved, B.values, shape=shape, format=format)
    kernel = compiled(expr, A, B)
    assert merges_by_keys(kernel, A, B) == (shift <= 50)
    assert same(kernel(A, B, parts=3), kernel.plan(A, B, parts=3).execute())
