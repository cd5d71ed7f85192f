"""Fixed expressions through compile and evaluate: every format, type and split."""

import itertools

import numpy as np
import pytest

import nacho
import oracle
import samples
from selection import THOROUGH

UNION = "Z[i,j] = A[i,j] + B[i,j]"
PRODUCT = "Z[i,j] = A[i,j] * B[i,j]"
PARTS = (1, 2, 3, 7, 64, 5000)


def pair(format_of_a, format_of_b, kinds=("sparse", "sparse"), shape=(11, 13), **types):
    rng = np.random.default_rng(11)
    formats = {"A": format_of_a, "B": format_of_b}
    return {
        name: samples.sample(rng, shape, kind, formats[name], **types)
        for name, kind in zip("AB", kinds, strict=True)
    }


@pytest.mark.parametrize("expression", [UNION, PRODUCT])
@pytest.mark.parametrize("family", [samples.ROWS, samples.COLUMNS])
def test_every_format(family, expression):
    for one, other, out in itertools.product(family, repeat=3):
        operands = pair(one, other)
        for parts in PARTS:
            result = nacho.evaluate(
                expression, **operands, out=out, parts=parts, threads=3
            )
            assert str(result.format) == out
            samples.check(result, expression, operands)


@pytest.mark.parametrize("expression", [UNION, PRODUCT])
def test_every_pair_of_patterns(expression):
    kernel = nacho.mlir.compile(expression, dict.fromkeys("ABZ", "dcsr"))
    for kinds in itertools.product(samples.PATTERNS, repeat=2):
        operands = pair("dcsr", "dcsr", kinds)
        reference = kernel(**operands)
        samples.check(reference, expression, operands)
        for parts in PARTS:
            result = kernel(**operands, parts=parts, threads=2)
            assert samples.same(result, reference)


@pytest.mark.parametrize("index", list(itertools.product(("i32", "i64"), repeat=2)))
@pytest.mark.parametrize("format", samples.ROWS)
def test_index_types(format, index):
    operands = pair(format, format, index=index)
    operands["B"] = pair("csr", "csr")["B"]
    formats = {"A": format, "B": "csr", "Z": format}
    kernel = nacho.mlir.compile(
        UNION, formats, index={"A": index, "B": "i32", "Z": index}
    )
    result = kernel(**operands, parts=5, threads=2)
    samples.check(result, UNION, operands)
    pos, crd = (samples.INDICES[width] for width in index)
    *levels, _ = samples.buffers(result)
    assert {array.dtype for array in levels[::2]} == {np.dtype(pos)}
    assert {array.dtype for array in levels[1::2]} == {np.dtype(crd)}


def test_element_types_promote():
    single, double = pair("csr", "csr", dtype="f32"), pair("csr", "csr")
    for one, other in itertools.product((single, double), repeat=2):
        operands = {"A": one["A"], "B": other["B"]}
        samples.check(nacho.evaluate(UNION, **operands), UNION, operands)


def test_result_of_another_type():
    operands = pair("csr", "csr")
    kernel = nacho.mlir.compile(UNION, dtype={"A": "f64", "B": "f64", "Z": "f32"})
    result = kernel(**operands)
    assert result.dtype == np.float32
    wanted = oracle.evaluate(UNION, operands)[0].astype(np.float32)
    np.testing.assert_array_equal(oracle.dense(result), wanted)


# --- Values ---------------------------------------------------------------------------


def one_row(*values):
    """Return a row with an entry for each value that is not None."""
    pattern = np.array([[value is not None for value in values]])
    return samples.tensor(pattern, np.array([v for v in values if v is not None]))


def row_of(result):
    """Return the entries of a result by their column."""
    return dict(zip(result.crd[1].tolist(), result.values.tolist(), strict=True))


INF, NAN = np.inf, np.nan


def test_absent_is_zero_whatever_it_meets():
    operands = {"A": one_row(INF, NAN, None, 2.0), "B": one_row(None, None, 1.0, 3.0)}
    assert row_of(nacho.evaluate(PRODUCT, **operands)) == {3: 6.0}
    added = "Z[i,j] = A[i,j] * B[i,j] + B[i,j]"
    assert row_of(nacho.evaluate(added, **operands)) == {2: 1.0, 3: 9.0}
    # The product is 0, and not NaN, where only B is absent.
    rest = "Z[i,j] = A[i,j] * B[i,j] + C[i,j]"
    operands["C"] = one_row(5.0, 5.0, None, None)
    assert row_of(nacho.evaluate(rest, **operands)) == {0: 5.0, 1: 5.0, 3: 6.0}


def test_infinite_factors():
    operands = {"A": one_row(1.0, None), "B": one_row(1.0, 1.0), "s": INF}
    scaled = "Z[i,j] = s * A[i,j] + B[i,j]"
    assert row_of(nacho.evaluate(scaled, **operands)) == {0: INF, 1: 1.0}
    literal = "Z[i,j] = 1e999 * A[i,j] + B[i,j]"
    del operands["s"]
    assert row_of(nacho.evaluate(literal, **operands)) == {0: INF, 1: 1.0}


@pytest.mark.parametrize("zero", ["0", "-0", "(2 - 2)", "(0 * s)"])
def test_zero_times_a_sum(zero):
    """What has no pattern is 0 where no operand has an entry, even 0 times infinity."""
    operands = {"A": one_row(1.0, None), "B": one_row(1.0, 1.0), "s": INF}
    result = nacho.evaluate(f"Z[i,j] = {zero} * (A[i,j] + s) + B[i,j]", **operands)
    values = row_of(result)
    assert values[1] == 1.0
    assert np.isnan(values[0])


def test_stored_zeros_stay_stored():
    operands = {"A": one_row(0.0, 1.0, -0.0), "B": one_row(3.0, -1.0, None)}
    assert row_of(nacho.evaluate(UNION, **operands)) == {0: 3.0, 1: 0.0, 2: 0.0}
    assert row_of(nacho.evaluate(PRODUCT, **operands)) == {0: 0.0, 1: -1.0}


def test_not_a_number_is_a_value():
    operands = {"A": one_row(NAN, NAN, INF), "B": one_row(1.0, None, -INF)}
    values = nacho.evaluate(UNION, **operands).values
    assert np.isnan(values).all()


def test_numbers_are_weak_and_scalars_are_not():
    single = pair("csr", "csr", dtype="f32")["A"]
    scaled = "Z[i,j] = s * A[i,j]"
    for scalar, dtype in (
        (2.5, np.float32),
        (3, np.float32),
        (np.float32(2), np.float32),
        (np.float64(2), np.float64),
        (np.array(2.0), np.float64),
    ):
        operands = {"s": scalar, "A": single}
        result = nacho.evaluate(scaled, **operands)
        assert result.dtype == dtype
        samples.check(result, scaled, operands)


def test_scalars_do_not_recompile():
    operand = pair("csr", "csr")["A"]
    kernel = nacho.mlir.compile("Z[i,j] = s * A[i,j]")
    for scalar in (0.0, 1.0, -2.5, INF, 7):
        result = kernel(scalar, operand)
        samples.check(result, kernel.expression, {"s": scalar, "A": operand})


# --- Many operands --------------------------------------------------------------------


@pytest.mark.parametrize("operator", ["+", "*", "-"])
@pytest.mark.parametrize("formats", [("csr",), ("dcsr",), ("csr", "dcsr")])
def test_ten_operands(formats, operator):
    rng = np.random.default_rng(12)
    names = "ABCDEFGHKL"
    text = "Z[i,j] = " + f" {operator} ".join(f"{name}[i,j]" for name in names)
    operands = {
        name: samples.sample(rng, (9, 9), "dense", formats[number % len(formats)])
        for number, name in enumerate(names)
    }
    for parts, threads in ((1, 1), (7, 2), (64, 3)):
        result = nacho.evaluate(text, **operands, parts=parts, threads=threads)
        samples.check(result, text, operands)


def test_a_row_split_everywhere():
    """Every part but the last ends inside the row, and none owns it alone."""
    operands = pair("dcsr", "dcsr", ("row", "row"), shape=(5, 200))
    operands["B"] = operands["A"]
    for out in samples.ROWS:
        kernel = nacho.mlir.compile(
            PRODUCT, {"A": "dcsr", "B": "dcsr", "Z": out}, cost="nnz"
        )
        reference = kernel(**operands)
        samples.check(reference, PRODUCT, operands)
        for parts in range(1, 50):
            result = kernel(**operands, parts=parts, threads=2)
            assert samples.same(result, reference)


@pytest.mark.parametrize(
    "expression",
    [
        "Z[i,j,k] = A[i,m,j] * D[m,k]",
        pytest.param("Z[i,j,k] = (A[i,m,j] + 1) * D[m,k]", marks=pytest.mark.slow),
        pytest.param("Z[j,k] = A[i,m,j] * D[m,k]", marks=pytest.mark.slow),
    ],
)
def test_every_order_of_the_loops(expression):
    """Rows of sums may be those of any loops, around or inside of those that reduce."""
    rng = np.random.default_rng(7)
    kernels = list(itertools.product(("csf", "coo"), itertools.permutations("imjk")))
    for form, order in kernels if THOROUGH else kernels[::5]:
        A = samples.sample(rng, (4, 3, 5), "sparse", form, special=False)
        operands = {"A": A, "D": rng.normal(size=(3, 2))}
        for parts in (1, 3, 16):
            result = nacho.evaluate(
                expression, operands, out="dense", order=order, parts=parts
            )
            samples.check(result, expression, operands)


def test_terms_that_share_an_operand():
    """Each term has its own loops, also where one is a factor of another."""
    rng = np.random.default_rng(8)
    shapes = {"A": (4, 3, 5), "B": (4, 5), "E": (4,)}
    formats = {"A": "csf", "B": "csr", "E": "sparse-vector"}
    operands = {
        name: samples.sample(rng, shape, "sparse", formats[name], special=False)
        for name, shape in shapes.items()
    }
    operands["C"] = rng.normal(size=(4, 3))
    expression = "Z[i,j] = B[i,m] * A[i,j,m] + C[i,j] - C[i,j] * E[i] - C[i,j]"
    for order in (None, *itertools.permutations("ijm")):
        result = nacho.evaluate(expression, operands, out="dense", order=order)
        samples.check(result, expression, operands)


def test_rows_that_come_out_empty():
    """Rows that both operands store, but without a column in common."""
    left, right = np.zeros((2, 12, 10), bool)
    left[:, ::2] = right[:, 1::2] = True
    left[7, 3] = right[2, 4] = True
    operands = {
        "A": samples.tensor(left, np.ones(left.sum()), "dcsr"),
        "B": samples.tensor(right, np.ones(right.sum()), "dcsr"),
    }
    for parts in range(1, 130):
        result = nacho.evaluate(PRODUCT, **operands, parts=parts, threads=2)
        assert result.crd[0].tolist() == [2, 7]
        assert result.pos[1].tolist() == [0, 1, 2]


def test_column_major_operands():
    operands = pair("csc", "dcsc", ("power", "column"))
    for parts in PARTS:
        result = nacho.evaluate(UNION, **operands, parts=parts, threads=2)
        assert str(result.format) == "csc"
        samples.check(result, UNION, operands)


@pytest.mark.slow
def test_many_entries():
    rng = np.random.default_rng(13)
    rows, columns = np.sort(rng.choice(10**9, (2, 10**6), replace=False), axis=1)
    for out in ("csr", "dcsr"):
        tensors = [
            nacho.Tensor.from_coo(
                np.stack(np.divmod(places, 10**4)), np.ones(10**6), shape=(10**5, 10**4)
            )
            for places in (rows, columns)
        ]
        operands = dict(zip("AB", tensors, strict=True))
        result = nacho.evaluate(UNION, **operands, out=out)
        samples.check_structure(result)
        wanted = tensors[0].to_scipy() + tensors[1].to_scipy()
        difference = result.to_scipy() != wanted
        assert difference.nnz == 0
        assert result.nnz == wanted.nnz
