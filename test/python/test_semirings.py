"""Expressions under semirings, compared with loops over dense arrays and masks."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp

import nacho
from nacho._notation.monoids import semiring_of
from nacho._notation.parser import parse
from nacho._notation.semirings import under

MONOIDS = {
    "plus": (np.add, 0),
    "times": (np.multiply, 1),
    "min": (np.minimum, np.inf),
    "max": (np.maximum, -np.inf),
    "any": (np.maximum, -np.inf),
}
OPS = {
    "plus": np.add,
    "minus": np.subtract,
    "times": np.multiply,
    "min": np.minimum,
    "max": np.maximum,
    "first": lambda a, b: a + 0 * b,
    "second": lambda a, b: b + 0 * a,
    "pair": lambda a, b: np.ones(np.broadcast(a, b).shape),
    "gt": np.greater,
}
LOOPED = [
    "min_plus",
    "max_plus",
    "max_times",
    "min_max",
    "any_pair",
    "plus_pair",
    "min_first",
    "min_second",
    "plus_times",
    "times_plus",
    "max_minus",
]


def matrix(seed, shape=(11, 13), density=0.25, format="csr"):
    """Return whole numbers, so that sums do not depend on their order; some are 0."""
    made = sp.random_array(shape, density=density, rng=seed, format="coo")
    made.data = np.round(8 * made.data - 4)
    return made.asformat(format)


def masked(array):
    """Return the values of a sparse array and where it has entries."""
    coo = array.tocoo()
    mask = np.zeros(coo.shape, bool)
    mask[coo.coords] = True
    return coo.toarray(), mask


def product(name, left, right):
    """Return C[i,j] = A[i,k] * B[k,j] under a semiring, and where it is stored."""
    add, mul = name.split("_")
    combine, identity = MONOIDS[add]
    (a, in_a), (b, in_b) = left, right
    stored = in_a[:, :, None] & in_b[None]
    values = OPS[mul](a[:, :, None], b[None]).astype(float)
    reduced = combine.reduce(np.where(stored, values, identity), axis=1)
    return reduced, stored.any(1)


def require(result, expected):
    values, stored = expected
    found, pattern = masked(result)
    np.testing.assert_array_equal(pattern, stored)
    np.testing.assert_array_equal(found[stored], values[stored])


@pytest.mark.each_value
@pytest.mark.parametrize("formats", [("csr", "csr"), ("csr", "csc"), ("coo", "csr")])
@pytest.mark.parametrize("name", LOOPED)
def test_products_of_matrices(name, formats):
    A = matrix(1, (11, 12), format=formats[0])
    B = matrix(2, (12, 13), format=formats[1])
    result = nacho.evaluate(
        "C[i,j] = A[i,k] * B[k,j]", A=A, B=B, semiring=name, out="csr"
    )
    require(result, product(name, masked(A), masked(B)))


@pytest.mark.parametrize("name", ["min_plus", "max_times", "plus_pair"])
@pytest.mark.parametrize("options", [{"parts": 5, "threads": 2}, {"parts": 1}])
def test_parts_make_no_difference(name, options):
    A, B = matrix(1, (40, 30)), matrix(2, (30, 50))
    text = "C[i,j] = A[i,k] * B[k,j]"
    result = nacho.evaluate(text, A=A, B=B, semiring=name, **options)
    require(result, product(name, masked(A), masked(B)))


@pytest.mark.parametrize("choices", [{"whole-rows": False}, {"sort-products": True}])
def test_every_way_to_collect_combines(choices):
    A, B = matrix(1, (20, 30)), matrix(2, (30, 25))
    for name in ("min_plus", "max_plus"):
        result = nacho.evaluate(
            "C[i,j] = A[i,k] * B[k,j]",
            A=A,
            B=B,
            semiring=name,
            choices=choices,
            parts=4,
        )
        require(result, product(name, masked(A), masked(B)))


@pytest.mark.parametrize("name", ["min_plus", "max_times", "times_plus"])
def test_a_dense_result_has_the_zero_where_nothing_is_stored(name):
    A, x = matrix(3, density=0.1), np.arange(13.0)
    result = nacho.evaluate("y[i] = A[i,j] * x[j]", A=A, x=x, semiring=name)
    ones = np.ones((13, 1), bool)
    values, _ = product(name, masked(A), (x[:, None], ones))
    np.testing.assert_array_equal(result, values[:, 0])
    turned = nacho.evaluate("y[j] = A[i,j] * x[i]", A=A, x=x[:11], semiring=name)
    turned_a = tuple(each.T for each in masked(A))
    values, _ = product(name, turned_a, (x[:11, None], ones[:11]))
    np.testing.assert_array_equal(turned, values[:, 0])


@pytest.mark.parametrize("name", ["min_plus", "max_times"])
@pytest.mark.parametrize("out", ["csr", "dense"])
def test_sums_and_products_of_elements(name, out):
    A, B = matrix(1), matrix(2)
    add, mul = name.split("_")
    combine, identity = MONOIDS[add]
    (a, in_a), (b, in_b) = masked(A), masked(B)
    either = in_a | in_b
    summed = combine(np.where(in_a, a, identity), np.where(in_b, b, identity))
    made = np.where(in_a & in_b, OPS[mul](a, b), identity)
    for text, values, stored in (
        ("Z[i,j] = A[i,j] + B[i,j]", summed, either),
        ("Z[i,j] = A[i,j] * B[i,j]", made, in_a & in_b),
        ("Z[i,j] = A[i,j] + A[i,j] * B[i,j]", None, in_a),
    ):
        if values is None:
            values = combine(np.where(in_a, a, identity), made)
        result = nacho.evaluate(text, A=A, B=B, semiring=name, out=out)
        if out == "dense":
            np.testing.assert_array_equal(result, values)
        else:
            require(result, (values, stored))


def test_each_term_is_reduced_on_its_own():
    A, d = matrix(4, (9, 9)), np.arange(9.0)
    a, stored = masked(A)
    paths = np.where(stored, a + d[:, None], np.inf).min(0)
    result = nacho.evaluate(
        "e[j] = d[j] + d[i] * A[i,j]", A=A, d=d, semiring="min_plus"
    )
    np.testing.assert_array_equal(result, np.minimum(d, paths))
    B = matrix(5, (9, 9))
    result = nacho.evaluate(
        "Z[i,j] = B[i,j] + A[i,k] * B[k,j]", A=A, B=B, semiring="min_plus"
    )
    values, some = product("min_plus", masked(A), masked(B))
    b, in_b = masked(B)
    both = np.minimum(np.where(in_b, b, np.inf), np.where(some, values, np.inf))
    require(result, (both, in_b | some))


def test_a_sign_names_operators_as_they_are():
    A, d = matrix(4, (9, 9)), np.arange(9.0)
    written = nacho.evaluate("e[j] min= d[i] + A[i,j]", A=A, d=d, semiring="min_plus")
    same = nacho.evaluate("e[j] = d[i] * A[i,j]", A=A, d=d, semiring="min_plus")
    np.testing.assert_array_equal(written, same)
    zeros = nacho.evaluate("e[j] min= d[i] + A[i,j]", A=A, d=d)
    np.testing.assert_array_equal(zeros, (d[:, None] + A.toarray()).min(0))


def test_logical_semirings():
    A, B = matrix(1, (11, 12)), matrix(2, (12, 13))
    a, b = A.toarray() != 0, B.toarray() != 0
    counts = a.astype(int) @ b.astype(int)
    found = nacho.evaluate("C[i,j] = A[i,k] * B[k,j]", A=A, B=B, semiring="lor_land")
    assert found.dtype == bool
    np.testing.assert_array_equal(found.toarray(), counts > 0)
    found = nacho.evaluate("C[i,j] = A[i,k] * B[k,j]", A=A, B=B, semiring="plus_land")
    np.testing.assert_array_equal(found.toarray(), counts)
    found = nacho.evaluate("C[i,j] = A[i,k] * B[k,j]", A=A, B=B, semiring="lxor_land")
    np.testing.assert_array_equal(found.toarray(), counts % 2 == 1)


@pytest.mark.parametrize("dtype", ["i4", "i8", "f4", "u1"])
def test_types(dtype):
    A = matrix(1, (11, 12)).astype(dtype)
    x = np.arange(12).astype(dtype)
    result = nacho.evaluate("y[i] = A[i,j] * x[j]", A=A, x=x, semiring="min_max")
    a, stored = masked(A)
    identity = np.inf if dtype == "f4" else np.iinfo(dtype).max
    values = np.where(stored, np.maximum(a, x), np.array(identity, dtype))
    np.testing.assert_array_equal(result, values.min(1, initial=identity))
    assert result.dtype == np.dtype(dtype)


def test_operators_are_expressions():
    A, x = matrix(1), np.arange(13.0)
    a, stored = masked(A)
    monus = nacho.op("a, b -> where(a > b, a - b, 0)")
    result = nacho.evaluate(
        "y[i] = A[i,j] * x[j]", A=A, x=x, semiring=nacho.Semiring("plus", monus)
    )
    values = np.where(stored, np.where(a > x, a - x, 0), 0).sum(1)
    np.testing.assert_array_equal(result, values)


@pytest.mark.parametrize("out", ["dense", "sparse-vector"])
@pytest.mark.parametrize("text", ["y[i] = A[i,j] * x[j]", "y[j] = A[i,j] * z[i]"])
def test_monoids_are_expressions(text, out):
    A = matrix(1)
    A.data = np.abs(A.data) / 8
    chance = nacho.Monoid(nacho.op("p, q -> p + q - p * q"), identity=0)
    semiring = nacho.Semiring(chance, "times")
    given = {"x": np.full(13, 0.5)} if "x" in text else {"z": np.full(11, 0.5)}
    results = [
        nacho.evaluate(text, {"A": A, **given}, semiring=semiring, out=out, parts=parts)
        for parts in (1, 6)
    ]
    values = 1 - np.prod(1 - A.toarray() / 2, axis=1 if "x" in text else 0)
    for result in results:
        dense = result if out == "dense" else result.toarray()
        np.testing.assert_allclose(dense, values, atol=1e-14)


def test_matrices_under_monoids_that_are_expressions():
    A, B = matrix(1, (40, 30)), matrix(2, (30, 50))
    largest = nacho.Monoid(nacho.op("p, q -> where(p > q, p, q)"), identity=-np.inf)
    text = "C[i,j] = A[i,k] * B[k,j]"
    result = nacho.evaluate(
        text, A=A, B=B, semiring=nacho.Semiring(largest, "plus"), parts=4
    )
    require(result, product("max_plus", masked(A), masked(B)))


def test_a_reduction_begins_from_the_identity_once():
    A = matrix(1)
    a, stored = masked(A)
    capped = nacho.Semiring(nacho.Monoid("min", identity=2), "first")
    for parts in (1, 7):
        result = nacho.evaluate("y[i] += A[i,j]", A=A, semiring=capped, parts=parts)
        np.testing.assert_array_equal(
            result, np.where(stored, a, np.inf).min(1, initial=2)
        )
        five = nacho.Semiring(nacho.Monoid("plus", identity=5), "times")
        result = nacho.evaluate("s += A[i,j]", A=A, semiring=five, parts=parts)
        assert result == 5 + a.sum()


def test_einsum_and_operators_of_tensors():
    A, B = matrix(1, (11, 12)), matrix(2, (12, 13))
    expected = product("min_plus", masked(A), masked(B))
    require(nacho.einsum("ij,jk->ik", A, B, semiring="min_plus"), expected)
    lazy = nacho.asarray(A) @ nacho.asarray(B)
    require(nacho.evaluate(lazy, semiring="min_plus").to_scipy(), expected)
    k = nacho.mlir.compile(
        "C[i,j] = A[i,k] * B[k,j]", {"A": "csr", "B": "csr"}, semiring="min_plus"
    )
    require(k(A, B), expected)
    require(pickle.loads(pickle.dumps(k))(A, B), expected)


def test_kernels_of_semirings_are_told_apart():
    A, B = matrix(1, (11, 12)), matrix(2, (12, 13))
    for name in ("min_plus", "plus_times", "max_plus", None, "min_plus"):
        result = nacho.evaluate("C[i,j] = A[i,k] * B[k,j]", A=A, B=B, semiring=name)
        require(result, product(name or "plus_times", masked(A), masked(B)))


def test_explain_tells_of_a_semiring():
    A, x = matrix(1), np.ones(13)
    text = "y[i] = A[i,j] * x[j]"
    told = str(nacho.explain(text, A=A, x=x, semiring="min_plus"))
    assert "y[i] = sum(j, A[i,j] * x[j])" in told


# --- keep -----------------------------------------------------------------------------


def test_keep_stores_what_a_condition_holds_for():
    A, B = matrix(1), matrix(2)
    a, in_a = masked(A)
    b, in_b = masked(B)
    result = nacho.evaluate("Z[i,j] = keep(A[i,j], A[i,j] != 0)", A=A)
    require(result, (a, in_a & (a != 0)))
    result = nacho.evaluate("Z[i,j] = keep(A[i,j], B[i,j] > 0)", A=A, B=B)
    require(result, (a, in_a & in_b & (b > 0)))
    result = nacho.evaluate("Z[i,j] = keep(A[i,j] + B[i,j], A[i,j] > B[i,j])", A=A, B=B)
    require(result, (a + b, (in_a | in_b) & (a > b)))


def test_other_values_may_be_kept_than_before():
    A = matrix(1)
    for sign in (1, -1):
        A.data *= sign
        a, in_a = masked(A)
        result = nacho.evaluate("Z[i,j] = keep(A[i,j], A[i,j] > 0)", A=A)
        require(result, (a, in_a & (a > 0)))
    plan = nacho.mlir.compile(
        "Z[i,j] = keep(A[i,j], A[i,j] > 0)", {"A": "csr", "Z": "csr"}
    ).plan(A)
    require(plan.execute(), (a, in_a & (a > 0)))
    A.data = np.ones_like(A.data)
    with pytest.raises(nacho.NachoError, match="changed"):
        plan.execute(A)


def test_a_reduction_takes_what_is_kept():
    A = matrix(1)
    a = A.toarray()
    result = nacho.evaluate("y[i] += keep(A[i,j], A[i,j] > 1)", A=A)
    np.testing.assert_array_equal(result, np.where(a > 1, a, 0).sum(1))
    result = nacho.evaluate("Z[i,j] = keep(A[i,j], A[i,j] > 1)", A=A, parts=5)
    assert result.nnz == (a > 1).sum()
    i, j = nacho.indices("i j")
    kept = nacho.keep(nacho.access(A)[i, j], nacho.access(A)[i, j] > 1)
    assert nacho.evaluate(kept, (i, j)).nnz == (a > 1).sum()


# --- Refusals -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: nacho.Semiring("most", "plus"), "monoid 'most': expected plus, times"),
        (lambda: nacho.Semiring("min", "most"), "mul='most': expected pair, plus"),
        (lambda: nacho.Semiring(3, "plus"), "add is a nacho.Monoid"),
        (lambda: nacho.Semiring.named("min-plus"), "expected a monoid and an operator"),
        (lambda: nacho.Monoid("min", identity="big"), "is no number"),
        (lambda: nacho.Monoid(nacho.op("a, b -> a")), "needs an identity"),
        (lambda: nacho.op("a -> a"), "is written as"),
        (lambda: nacho.op("a, b -> c"), "'c' is no operand"),
        (lambda: nacho.op("a, b -> a[i]"), "is no operand"),
        (lambda: nacho.op("a, b -> 1"), "has no operand in it"),
        (lambda: semiring_of(3), "takes a nacho.Semiring"),
    ],
)
def test_what_is_no_semiring_is_refused(make, message):
    with pytest.raises(nacho.ArgumentError, match=message):
        make()


def test_what_has_no_meaning_is_refused():
    A = matrix(1)
    with pytest.raises(nacho.UnsupportedError, match="no meaning under"):
        nacho.evaluate("Z[i,j] = A[i,j] - A[i,j]", A=A, semiring="min_plus")
    with pytest.raises(nacho.ArgumentError, match="does not reduce by"):
        nacho.evaluate("y[i] max= A[i,j]", A=A, semiring="min_plus")
    with pytest.raises(nacho.UnsupportedError, match="no derivatives are known"):
        nacho.grad("y[i] = A[i,j] * x[j]", "A", semiring="min_plus")
    assert nacho.grad("y[i] = A[i,j] * x[j]", "A", semiring="plus_times")


def test_the_usual_semiring_changes_nothing():
    assignment = parse("y[i] = A[i,j] * x[j]")
    assert under(assignment, semiring_of("plus_times")) is assignment
