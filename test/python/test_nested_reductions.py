"""Reductions that are written as such, ``sum(j, …)``, inside of expressions."""

import re
import warnings

import numpy as np
import pytest
import scipy.sparse as sp

import nacho

rng = np.random.default_rng(7)


def matrix(rows, columns, dtype=np.float64):
    """Return a matrix of small numbers, with an empty row and an empty column."""
    values = rng.integers(-4, 5, (rows, columns)) * (rng.random((rows, columns)) < 0.5)
    values[1], values[:, 2] = 0, 0
    return values.astype(dtype) / dtype(2)


D, E, x = matrix(6, 7), matrix(7, 5), rng.random(7)
ROOTS = np.sqrt(np.abs(D).sum(1))


def quotient():
    with np.errstate(all="ignore"):
        return np.where(D != 0, D / D.sum(1, keepdims=True), 0)


def scaled():
    with np.errstate(all="ignore"):
        return np.where(D != 0, D * D.sum(1, keepdims=True) / D.sum(0), 0)


def likeness():
    products, sums = abs(D) @ abs(D).T, abs(D).sum(1)
    with np.errstate(all="ignore"):
        quotients = products / (sums[:, None] + sums - products)
    return np.where(products != 0, quotients, 0)


LIKENESS = (
    "Z[i,j] = sum(k, abs(A[i,k])*abs(A[j,k])) / "
    "(sum(k, abs(A[i,k])) + sum(l, abs(A[j,l])) - sum(m, abs(A[i,m])*abs(A[j,m])))"
)

STATEMENTS = [
    ("y[i] = sqrt(sum(j, A[i,j]**2))", lambda: np.sqrt((D**2).sum(1))),
    ("y[i] = sum(j, A[i,j] * x[j])", lambda: D @ x),
    ("y[i] = max(j, A[i,j]) + min(j, A[i,j])", lambda: D.max(1) + D.min(1)),
    ("y[i] = 2 * max(j, A[i,j]) - sum(j, A[i,j])", lambda: 2 * D.max(1) - D.sum(1)),
    ("Z[i,j] = A[i,j] / sum(j, A[i,j])", quotient),
    ("Z[i,j] = A[i,j] / sum(k, A[i,k])", quotient),
    ("c[i] = count(j, A[i,j] > 0)", lambda: (D > 0).sum(1)),
    ("c = count(i, j, A[i,j])", lambda: (D != 0).sum()),
    ("c = sqrt(sum(i, j, A[i,j]**2))", lambda: np.sqrt((D**2).sum())),
    (
        "Z[i,k] = sqrt(sum(j, abs(A[i,j])*abs(B[j,k])))",
        lambda: (abs(D) @ abs(E)) ** 0.5,
    ),
    ("y[i] = prod(j, A[i,j] + 2)", lambda: (D + 2).prod(1)),
    (
        "y[i] = sum(k, max(j, A[i,j]*B[j,k]))",
        lambda: (D[:, :, None] * E[None]).max(1).sum(1),
    ),
    ("s = sum(i, max(j, A[i,j]))", lambda: D.max(1).sum()),
    (
        "s = max(i, sum(j, A[i,j])) / min(i, sum(j, A[i,j]))",
        lambda: D.sum(1).max() / D.sum(1).min(),
    ),
    ("y[i] = sum(j, A[i,j]) * x[k]", lambda: D.sum(1) * x.sum()),
    ("y[i] max= sqrt(sum(k, abs(A[i,k]))) * x[j]", lambda: ROOTS * x.max()),
    ("Z[i,j] = A[i,j] * sum(k, exp(A[i,k]))", lambda: D * np.exp(D).sum(1)[:, None]),
    (
        "y[i] = relu(sum(j, A[i,j])) + sigmoid(sum(j, A[i,j]))",
        lambda: np.maximum(D.sum(1), 0) + 1 / (1 + np.exp(-D.sum(1))),
    ),
    (LIKENESS, likeness),
    ("Z[i,j] = A[i,j] * sum(k, A[i,k]) / sum(k, A[k,j])", scaled),
]


@pytest.mark.each_value
@pytest.mark.any_target
@pytest.mark.parametrize("format", ["csr", "coo"])
@pytest.mark.parametrize(("text", "wanted"), STATEMENTS, ids=[s[0] for s in STATEMENTS])
@pytest.mark.filterwarnings("ignore::nacho.NachoWarning")
def test_reductions_are_numpys(text, wanted, format):
    known = {
        "A": nacho.Tensor.from_dense(D, format),
        "B": nacho.Tensor.from_dense(E, format),
        "x": x,
    }
    names = nacho.mlir.compile(text).operands
    found = nacho.evaluate(text, {name: known[name] for name in names})
    if isinstance(found, nacho.Tensor):
        assert not found.format.is_dense
        found = found.to_dense()
    np.testing.assert_allclose(found, wanted(), rtol=1e-12)


def test_what_is_written_twice_is_computed_once():
    kernel = nacho.mlir.compile(LIKENESS, {"A": "csr"})
    assert kernel.mlir("loops").count("reduce add") == 2


@pytest.mark.parametrize("format", ["dcsr", "csc", "dense"])
def test_any_format(format):
    A = nacho.Tensor.from_dense(D, format)
    found = nacho.evaluate("Z[i,j] = A[i,j] / max(i, j, A[i,j])", A=A)
    found = found.to_dense() if isinstance(found, nacho.Tensor) else found
    np.testing.assert_allclose(found, D / D.max())


@pytest.mark.parametrize("dtype", [np.int8, np.float32, np.bool_])
def test_types_are_those_of_the_terms(dtype):
    A = sp.csr_array(matrix(5, 6).astype(dtype))
    found = nacho.evaluate("y[i] = sum(j, A[i,j])", A=A)
    assert found.dtype == dtype
    np.testing.assert_array_equal(found, A.toarray().sum(1, dtype=dtype))
    number = nacho.evaluate("c[i] = count(j, A[i,j])", A=A)
    assert number.dtype == np.int64
    np.testing.assert_array_equal(number, (A.toarray() != 0).sum(1))


def test_a_sparse_sum_has_the_pattern_of_its_value():
    A, B = sp.csr_array(D), sp.csr_array(E)
    found = nacho.evaluate("Z[i,k] = sqrt(abs(sum(j, A[i,j] * B[j,k])))", A=A, B=B)
    product = nacho.evaluate("Z[i,k] = A[i,j] * B[j,k]", A=A, B=B)
    assert isinstance(found, sp.csr_array)
    np.testing.assert_array_equal(found.indptr, product.indptr)
    np.testing.assert_array_equal(found.indices, product.indices)


def test_a_dense_sum_of_several_indices():
    values = rng.random((3, 4, 5)) * (rng.random((3, 4, 5)) < 0.5)
    T = nacho.Tensor.from_dense(values, "csf")
    found = nacho.evaluate("Z[i,k] = log(sum(j, exp(T[i,j,k])))", T=T, out="dense")
    found = found.to_dense() if isinstance(found, nacho.Tensor) else found
    np.testing.assert_allclose(found, np.log(np.exp(values).sum(1)))
    E = nacho.asarray(sp.csr_array(rng.random((3, 4))))
    found = nacho.evaluate("Z[i,j] = E[i,j] * sum(k, exp(T[i,j,k]))", E=E, T=T)
    wanted = E.to_dense() * np.exp(values).sum(2)
    np.testing.assert_allclose(found.to_dense(), wanted)


def test_order_and_contract_are_for_all_statements():
    A, B = sp.csr_array(D), sp.csr_array(E)
    text = "y[i] = sqrt(sum(j, k, A[i,j] * B[j,k] * A[i,j]))"
    wanted = np.sqrt(np.maximum((D**2) @ E.sum(1), 0))
    A, B = abs(A), abs(B)
    wanted = np.sqrt((D**2) @ abs(E).sum(1))
    for options in ({"order": "ijk"}, {"contract": "none"}, {}):
        found = nacho.evaluate(text, A=A, B=B, **options)
        np.testing.assert_allclose(found, wanted)


def test_a_plan_with_new_values():
    A = sp.csr_array(D)
    plan = nacho.mlir.compile("Z[i,j] = A[i,j] / count(j, A[i,j])").plan(A)
    other = A.copy()
    other.data = np.arange(1.0, A.nnz + 1)
    found = plan.execute(other).toarray()
    counts = (D != 0).sum(1, keepdims=True)
    wanted = np.divide(other.toarray(), counts, where=counts > 0, out=np.zeros_like(D))
    np.testing.assert_allclose(found, wanted)


def test_expressions_of_indices():
    i, j = nacho.indices("i j")
    a = nacho.access(sp.csr_array(D), i, j)
    found = nacho.evaluate(a**2 / nacho.sum(j, a**2), (i, j))
    sums = (D**2).sum(1, keepdims=True)
    wanted = np.divide(D**2, sums, where=sums > 0, out=np.zeros_like(D))
    np.testing.assert_allclose(found.toarray(), wanted)
    assert nacho.evaluate(nacho.count(i, j, a > 0), ()) == (D > 0).sum()
    with pytest.raises(nacho.ArgumentError, match="sum takes index variables and an"):
        nacho.sum(a)
    with pytest.raises(nacho.ArgumentError, match=r"nacho\.minimum is the"):
        nacho.min(a, 1.5)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("y[i] = sum(A[i,j])", "expected an index and an expression: sum"),
        ("y[i] = sum(k, A[i,j])", "index 'k' of the reduction is that of no operand"),
        ("y[i] = sum(j, j, A[i,j])", "index 'j' of the reduction is repeated"),
        ("y[j] = sum(j, A[i,j])", "index 'j' on the left is an index of no operand"),
        ("y[i] = sun(j, A[i,j])", r"'sun' is no function .*, did you mean 'sum'"),
        ("y[i] = xyz(A[i,j])", "'xyz' is no function of the notation$"),
        ("y = argmax(i, j, A[i,j])", "'argmax' has one index, of which its result is"),
        ("y[i] = argmin(k, A[i,j])", "index 'k' of the reduction is that of no oper"),
        ("Z[i,j] = topk(3, j, A[i,j])", r"notation: keep\(A\[i,j\], A\[i,j\] >= t"),
        ("y[i] = max(j)", "max' takes 2 argument"),
        ("y[i] = sum(", "expected an index and an expression"),
    ],
)
def test_refused(text, message):
    with pytest.raises(nacho.ParseError) as error:
        nacho.evaluate(text, A=sp.csr_array(D))
    first = str(error.value).splitlines()[0]
    assert re.search(message, first), first


def test_nothing_has_no_largest_value():
    A = sp.csr_array((3, 0))
    found = nacho.evaluate("y[i] = 1 + sum(j, A[i,j])", A=A)
    np.testing.assert_array_equal(found, np.ones(3))
    with pytest.raises(nacho.ReductionError, match="'max' over the empty index 'j'"):
        nacho.evaluate("y[i] = 1 + max(j, A[i,j])", A=A)


# --- Warnings -------------------------------------------------------------------------


def warnings_of(call):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        call()
    return [each for each in found if each.category is nacho.NachoWarning]


def test_an_index_that_only_one_operand_has_is_warned_of_once():
    A = sp.csr_array(D)

    def call():
        nacho.evaluate("lonely[i] = A[i,j] * x[k]", A=A, x=x)

    (warning,) = warnings_of(call)
    assert warning.filename == __file__
    shown = str(warning.message).splitlines()
    assert "indices 'j' and 'k' are summed over" in shown[0]
    assert "sum(j, …) and sum(k, …)" in shown[0]
    assert shown[2].strip() == "^^^^^^"
    assert not warnings_of(call)


@pytest.mark.parametrize(
    "text",
    [
        "q1[i] += A[i,j]",
        "q2[i] = sum(j, A[i,j])",
        "q3[i] = A[i,j] * x[j]",
        "q4[i,j] = A[i,j]",
        "q5[i] max= A[i,j]",
    ],
)
def test_what_is_meant_is_not_warned_of(text):
    names = nacho.mlir.compile(text).operands
    given = {name: value for name, value in {"A": D, "x": x}.items() if name in names}
    assert not warnings_of(lambda: nacho.evaluate(text, given))


def test_einsum_and_indices_say_what_is_kept():
    A = sp.csr_array(D)
    i, j = nacho.indices("i j")
    assert not warnings_of(lambda: nacho.einsum("ij->i", A))
    assert not warnings_of(lambda: nacho.evaluate(nacho.access(A, i, j), (i,)))


# --- Coordinates of the largest and smallest values -----------------------------------

SMALL = rng.integers(-3, 4, (9, 12)) * (rng.random((9, 12)) < 0.5)
SMALL[4] = 0
SMALL[5] = -1


@pytest.mark.any_target
@pytest.mark.each_value
@pytest.mark.parametrize("format", ["csr", "csc", "dcsr", "coo", "dense"])
@pytest.mark.parametrize("dtype", [np.float64, np.int8, np.float32])
@pytest.mark.parametrize("name", ["argmax", "argmin"])
def test_coordinates_of_the_first_best_entries(name, dtype, format):
    """Of equal ones it is the first; -1 says that it is a 0 that is not stored."""
    values = SMALL.astype(dtype)
    A = nacho.Tensor.from_dense(values, format) if format != "dense" else values
    for axis, text in ((1, "y[i] = {}(j, A[i,j])"), (0, "y[j] = {}(i, A[i,j])")):
        wanted = getattr(values, name)(axis)
        best = np.take_along_axis(values, np.expand_dims(wanted, axis), axis)
        if format != "dense":
            wanted = np.where(best.ravel(), wanted, -1)
        for parts in (None, 1, 5):
            found = nacho.evaluate(text.format(name), A=A, parts=parts)
            found = found.to_dense() if isinstance(found, nacho.Tensor) else found
            assert found.dtype == np.int64
            np.testing.assert_array_equal(found, wanted)


@pytest.mark.any_target
@pytest.mark.parametrize("parts", [None, 1, 5, 8, 64])
@pytest.mark.parametrize("name", ["argmax", "argmin"])
def test_coordinates_in_rows_that_are_cut(name, parts):
    """A part has some entries of a row of sums, and for some of these sums, none."""
    values = np.random.default_rng(3).permutation(3 * 7 * 6).reshape(3, 7, 6) - 60.0
    for axis, text in (
        (1, "Z[i,k] = {}(j, A[i,j,k])"),
        (0, "Z[j,k] = {}(i, A[i,j,k])"),
    ):
        found = nacho.evaluate(text.format(name), A=values, parts=parts)
        np.testing.assert_array_equal(found, getattr(values, name)(axis))
    B, C = values[0] * (values[0] > 0), values[1]
    products = B.T[:, :, None] * C[None]  # [i, j, k]
    text = f"Z[i,k] = {name}(j, B[i,j] * C[j,k])"
    found = nacho.evaluate(text, B=sp.csr_array(B.T), C=C, out="dense", parts=parts)
    best = getattr(products, name.removeprefix("arg"))(1)
    wanted = np.where(best == 0, -1, getattr(products, name)(1))
    np.testing.assert_array_equal(found, wanted)


def test_coordinates_of_values_that_are_computed():
    A, B = sp.csr_array(D), sp.csr_array(E)
    for text, values in {
        "y[i] = argmax(j, A[i,j] * x[j])": D * x,
        "y[i] = argmin(j, A[i,j] + x[j])": D + x,
        "y[i] = argmax(k, sum(j, A[i,j] * B[j,k]))": D @ E,
    }.items():
        given = {n: o for n, o in {"A": A, "B": B, "x": x}.items() if f"{n}[" in text}
        found = nacho.evaluate(text, given)
        name = "argmin" if "argmin" in text else "argmax"
        best = getattr(values, name[3:])(1)
        np.testing.assert_array_equal(
            found, np.where(best, getattr(values, name)(1), found)
        )
        assert ((found >= 0) | (best == 0)).all()
    found = nacho.evaluate("Z[i,j] = keep(A[i,j], j == argmax(j, A[i,j]))", A=A)
    assert found.nnz == (D.max(1) > 0).sum()
    np.testing.assert_array_equal(found.toarray().max(1), np.maximum(D.max(1), 0))


def test_coordinates_of_what_is_no_number():
    values = np.array([[1.0, np.nan, 3.0, np.nan], [-1.0, 0, -2, 0]])
    for name in ("argmax", "argmin"):
        found = nacho.evaluate(f"y[i] = {name}(j, A[i,j])", A=values)
        np.testing.assert_array_equal(found, getattr(values, name)(1))
    with pytest.raises(nacho.DTypeError, match="'argmax' of complex numbers"):
        nacho.evaluate("y[i] = argmax(j, A[i,j])", A=values + 0j)
    with pytest.raises(nacho.ReductionError, match="'argmax' over the empty index"):
        nacho.evaluate("y[i] = argmax(j, A[i,j])", A=values[:, :0])


def test_coordinates_in_other_places():
    i, j = nacho.indices("i j")
    found = nacho.evaluate(nacho.argmin(j, nacho.access(D)[i, j]), i)
    np.testing.assert_array_equal(found, D.argmin(1))
    text = "y[i] = x[i] * argmax(j, A[i,j])"
    assert nacho.grad(text, "x") == "dx[i] = dy[i] * argmax(j, A[i,j])"
    assert nacho.grad(text, "A") == "dA[i,j] = 0.0 * pattern(A)[i,j]"
    T = nacho.Tensor.from_dense(rng.random((3, 4, 5)), "csf")
    text = "Z[i,k] = argmax(j, T[i,j,k])"
    with pytest.raises(nacho.UnsupportedError, match="no entries, but -1: it would"):
        nacho.evaluate(text, T=T)
    found = nacho.evaluate(text, T=T, out="dense")
    np.testing.assert_array_equal(found, T.to_dense().argmax(1))


def test_the_work_is_that_of_the_entries():
    """Rows are as long as one likes."""
    A = sp.coo_array(([2.0, 3.0], ([0, 1], [7, 10**9])), shape=(3, 2 * 10**9)).tocsr()
    found = nacho.evaluate("y[i] = argmax(j, A[i,j])", A=A)
    np.testing.assert_array_equal(found, [7, 10**9, -1])
    explained = nacho.explain("y[i] = argmax(j, A[i,j])", A=A)
    assert "argmax(j, A[i,j])" in str(explained)


def test_the_largest_entries_of_rows():
    """What the message says of topk computes them."""
    with pytest.raises(nacho.ParseError) as error:
        nacho.evaluate("Z[i,j] = topk(2, j, A[i,j])", A=D)
    code = re.search(r"for t = (np\.array\(.*\))\n", str(error.value))
    values = rng.permutation(60).reshape(6, 10) * (rng.random((6, 10)) < 0.5)
    A = sp.csr_array(values)
    t = eval(code[1], {"np": np, "A": A, "k": 2})
    found = nacho.evaluate("Z[i,j] = keep(A[i,j], A[i,j] >= t[i])", A=A, t=t)
    wanted = np.where(values >= np.sort(values, 1)[:, -2:-1], values, 0)
    np.testing.assert_array_equal(found.toarray(), wanted)


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("s = sum(j, x[j])", 7),
        ("s = sum(j, x[j] / sum(k, x[k]))", 7),
        ("Z[i,j] = D[i,j] / sum(k, D[i,k])", 42),
        ("y[i] = argmax(j, D[i,j])", 42),
        ("y[i] = sum(j, D[i,j] * sum(k, E[j,k]))", 42),
    ],
)
def test_loops_one_after_the_other_do_not_multiply(text, steps):
    operands = {name: globals()[name] for name in "DEx" if f"{name}[" in text}
    explained = str(nacho.explain(text, **operands))
    assert f"reads about {steps} entries" in explained
