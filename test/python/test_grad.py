"""Derivatives of expressions, which are expressions: nacho.grad."""

import re

import numpy as np
import pytest
import scipy.sparse as sp

import nacho
from differentiable import CASES, SPARSE, operands
from nacho._notation.operators import OPERATORS, REDUCERS
from nacho._notation.parser import parse, parse_as_written
from nacho._notation.partials import PARTIALS, REDUCED
from nacho._notation.rewriting import spelled
from nacho._notation.shorthands import OTHER_REDUCERS, SHORTHANDS

TEXTS = {
    # What it says of each operand.
    ("Z[i,k] = A[i,j] * B[j,k]", "A"): "dA[i,j] = dZ[i,k] * B[j,k]",
    ("Z[i,k] = A[i,j] * B[j,k]", "B"): "dB[j,k] = dZ[i,k] * A[i,j]",
    ("Z[i,j] = A[i,j] * A[j,i]", "A"): "dA[i,j] = dZ[i,j] * A[j,i] + dZ[j,i] * A[j,i]",
    ("Z[i,k] = A[i,j] * A[k,j]", "A"): "dA[i,j] = dZ[i,k] * A[k,j] + dZ[k,i] * A[k,j]",
    ("Z[i,j] = A[i,j] + b[i]", "A"): "dA[i,j] = dZ[i,j]",
    ("Z[i,j] = A[i,j] + b[i]", "b"): "db[i] = sum(j, dZ[i,j])",
    ("Z[i,j] = A[i,j] - 3 * b[i]", "b"): "db[i] = sum(j, -3 * dZ[i,j])",
    ("Z[i] = A[i]**3", "A"): "dA[i] = 3 * dZ[i] * A[i]**2",
    ("Z[i] = A[i] * A[i]", "A"): "dA[i] = 2 * dZ[i] * A[i]",
    ("Z[i] = A[i] / B[i]", "B"): "dB[i] = -dZ[i] * A[i] / B[i]**2",
    ("Z[i] = A[i] - A[i] * B[i]", "A"): "dA[i] = dZ[i] - dZ[i] * B[i]",
    ("Z[i] = relu(A[i])", "A"): "dA[i] = where(A[i] > 0, dZ[i], 0)",
    ("Z[i] = where(A[i] > 1, log(A[i]), B[i])", "A"): (
        "dA[i] = where(A[i] > 1, dZ[i] / A[i], 0)"
    ),
    ("Z[i] = where(A[i] > 1, log(A[i]), B[i])", "B"): (
        "dB[i] = where(A[i] > 1, 0, dZ[i])"
    ),
    ("Z[i] = sum(j, A[i,j])", "A"): "dA[i,j] = where(pattern(A)[i,j], dZ[i], dZ[i])",
    ("Z[i] = exp(sum(j, A[i,j] * x[j]))", "x"): (
        "dx[j] = dZ[i] * exp(sum(j1, A[i,j1] * x[j1])) * A[i,j]"
    ),
    # A sum that the next one does not depend on is taken before.
    ("Z[i,k] = sum(j, A[i,j] * sum(l, D[j,l] * F[l,k]))", "D"): (
        "dD[j,l] = sum(i, dZ[i,k] * A[i,j]) * F[l,k]"
    ),
    ("z = t * A[i]", "t"): "dt = sum(i, dz * A[i])",
    ("Z[i] = floor(A[i])", "A"): "dA[i] = 0.0 * pattern(A)[i]",
    ("Z[i] = A[i] - A[i]", "A"): "dA[i] = 0.0 * pattern(A)[i]",
    ("z = t > 0", "t"): "dt = where(t == t, 0.0, 0.0)",
    ("dZ[i] = A[i] * dA", "A"): "dA1[i] = ddZ[i] * dA",
}


@pytest.mark.parametrize("expr, operand", TEXTS)
def test_texts(expr, operand):
    assert nacho.grad(expr, operand) == TEXTS[expr, operand]


SPARSE_TEXTS = {
    ("Z[i,k] = A[i,j] * B[j,k]", "A"): ("dA[i,j] = pattern(A)[i,j] * dZ[i,k] * B[j,k]"),
    ("Z[i] = sum(j, A[i,j])", "A"): "dA[i,j] = pattern(A)[i,j] * dZ[i]",
    ("Z[i,j,k] = A[i,j] + B[j,k]", "A"): (
        "dA[i,j] = pattern(A)[i,j] * sum(k, dZ[i,j,k])"
    ),
    ("z = t * A[i]", "t"): "dt = sum(i, dz * A[i])",
    ("Z[i] = B[i] - A[i] * B[i]", "A"): "dA[i] = pattern(A)[i] * -dZ[i] * B[i]",
    ("Z[i] = B[i] - A[i]**2", "A"): "dA[i] = pattern(A)[i] * -dZ[i] * 2 * A[i]",
    ("Z[i] = 2 * relu(A[i])", "A"): (
        "dA[i] = pattern(A)[i] * where(A[i] > 0, 2 * dZ[i], 0)"
    ),
    # The pattern is 0 where the divisor is, and makes the quotient 0.
    ("Z[i] = 2 / A[i]", "A"): "dA[i] = pattern(A)[i] * (-2 * dZ[i] / A[i]**2)",
    # Only the factor that may be infinite is chosen: B may be sparse.
    ("Z[i,j] = B[i,j] * log(max(A[i], 0))", "A"): (
        "dA[i] = pattern(A)[i] * where(A[i] > 0, dZ[i,j] / max(A[i], 0), 0) * B[i,j]"
    ),
}


@pytest.mark.parametrize("expr, operand", SPARSE_TEXTS)
def test_texts_of_sparse_derivatives(expr, operand):
    assert nacho.grad(expr, operand, sparse=True) == SPARSE_TEXTS[expr, operand]


def test_cotangents_have_names():
    expr = "Z[i,j] = A[i,j] * B[i,j]"
    assert nacho.grad(expr, "A", cotangent="G") == "dA[i,j] = G[i,j] * B[i,j]"
    assert nacho.grad("Z[i] = A[i] * dZ[i]", "A") == "dA[i] = dZ1[i] * dZ[i]"
    # The derivative has another name than its operand, too.
    assert nacho.grad(expr, "A", cotangent="dA") == "dA1[i,j] = dA[i,j] * B[i,j]"
    for taken in ("A", "Z", "i"):
        with pytest.raises(nacho.ArgumentError, match=f"the name '{taken}' already"):
            nacho.grad(expr, "A", cotangent=taken)
    with pytest.raises(nacho.ArgumentError, match="not the name of an operand"):
        nacho.grad(expr, "A", cotangent="d Z")


# --- Finite differences ---------------------------------------------------------------


def difference(text, name, given, cotangent, step=1e-6):
    """Return the derivative of sum(cotangent * Z) for each element of an operand."""
    found = np.zeros_like(given[name])
    for place in np.ndindex(found.shape):
        losses = []
        for sign in (1, -1):
            moved = given[name].copy()
            moved[place] += sign * step
            Z = nacho.evaluate(text, {**given, name: moved})
            losses.append(np.sum(cotangent * Z))
        found[place] = (losses[0] - losses[1]) / (2 * step)
    return found


@pytest.mark.sampled
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("text, kind", CASES)
def test_derivatives_are_those_of_differences(text, kind):
    rng = np.random.default_rng(len(text))
    given = operands(text, kind, rng)
    cotangent = rng.uniform(0.5, 1.5, np.shape(nacho.evaluate(text, given)))
    every = {**given, f"d{parse(text).result.name}": cotangent}
    for name in given:
        derivative = nacho.grad(text, name)
        used = parse(derivative).operands
        found = nacho.evaluate(derivative, {each: every[each] for each in used})
        wanted = difference(text, name, given, cotangent)
        assert np.shape(found) == wanted.shape, derivative
        np.testing.assert_allclose(
            found, wanted, rtol=1e-6, atol=1e-7, err_msg=derivative
        )


@pytest.mark.each_value
@pytest.mark.parametrize("format", [sp.csr_array, sp.csc_array, sp.coo_array])
@pytest.mark.parametrize("text, names", SPARSE)
@pytest.mark.sampled
def test_derivatives_for_entries(text, names, format):
    """Each entry has a derivative, that of its value; where there is none, nothing is.

    Differences of a sparse operand move its entries only.
    """
    rng = np.random.default_rng(len(text))
    given = operands(text, "smooth", rng)
    for name in names:
        kept = given[name] * (rng.random(given[name].shape) < 0.6)
        given[name] = format(kept)
    Z = nacho.evaluate(text, given, out="dense")
    cotangent = rng.uniform(0.5, 1.5, Z.shape)
    every = {**given, f"d{parse(text).result.name}": cotangent}
    for name in names:
        derivative = nacho.grad(text, name, sparse=True)
        used = parse(derivative).operands
        found = nacho.evaluate(derivative, {each: every[each] for each in used})
        operand = given[name]
        assert isinstance(found, sp.sparray), derivative
        assert ((found != 0).toarray() <= (operand != 0).toarray()).all()
        wanted = operand.copy()
        wanted.data[:] = entry_differences(text, name, given, cotangent)
        np.testing.assert_allclose(
            found.toarray(), wanted.toarray(), rtol=1e-6, atol=1e-7, err_msg=derivative
        )


def test_divisors_may_be_sparse():
    B = sp.csr_array([[0, 2.0, 0], [4, 0, 0]])
    text = nacho.grad("Z[i,j] = x[i] / B[i,j]", "B", sparse=True)
    found = nacho.evaluate(text, B=B, x=np.ones(2), dZ=np.ones((2, 3)))
    assert isinstance(found, sp.csr_array)
    assert found.toarray().tolist() == [[0, -0.25, 0], [-0.0625, 0, 0]]


def entry_differences(text, name, given, cotangent, step=1e-6):
    """Return the derivatives of sum(cotangent * Z) for the entries of an operand."""
    found = []
    for place in range(given[name].nnz):
        losses = []
        for sign in (1, -1):
            moved = given[name].copy()
            moved.data[place] += sign * step
            Z = nacho.evaluate(text, {**given, name: moved}, out="dense")
            losses.append(np.sum(cotangent * Z))
        found.append((losses[0] - losses[1]) / (2 * step))
    return found


# --- Places without a derivative ------------------------------------------------------


def derivative_at(text, **given):
    """Return the derivative for x, where that for the result is 1."""
    names = parse(nacho.grad(text, "x", cotangent="g")).operands
    every = {**given, "g": np.ones(np.shape(nacho.evaluate(text, given)))}
    return nacho.evaluate(
        nacho.grad(text, "x", cotangent="g"), {n: every[n] for n in names}
    )


@pytest.mark.parametrize(
    "text, x, wanted",
    [
        ("z[i] = abs(x[i])", [0.0, -1], [0, -1]),
        ("z[i] = relu(x[i])", [0.0, 1], [0, 1]),
        ("z[i] = max(x[i], 0)", [0.0, 1], [0, 1]),
        ("z[i] = max(0, x[i])", [0.0, 1], [0, 1]),
        ("z[i] = min(x[i], -1)", [-1.0, -2], [0, 1]),
        ("z[i] = min(-1, x[i])", [-1.0, -2], [0, 1]),
        ("z = max(i, x[i])", [3.0, 1, 3], [0.5, 0, 0.5]),
        ("z = min(i, x[i])", [3.0, 1, 3], [0, 1, 0]),
        ("z = prod(i, x[i])", [3.0, 0, 2], [0, 6, 0]),
        ("z = prod(i, x[i])", [3.0, 0, 0], [0, 0, 0]),
        ("z[i] = x[i]**0.5 + x[i]**1", [4.0], [1.25]),
        ("z[i] = where(x[i] > 0, sqrt(x[i]), 0)", [0.0, 4], [0, 0.25]),
        ("z[i] = x[i]**x[i]", [0.0, 1], [0, 1]),
        ("z[i] = sigmoid(x[i])", [-1000.0, 0], [0, 0.25]),
    ],
)
def test_edges(text, x, wanted):
    np.testing.assert_allclose(derivative_at(text, x=np.array(x)), wanted)


def test_both_sides_share_the_derivative_of_equal_values():
    x = np.array([1.0, 2])
    parts = [
        nacho.evaluate(nacho.grad("z[i] = max(x[i], y[i])", n), x=x, y=x, dz=x + 1)
        for n in "xy"
    ]
    np.testing.assert_allclose(sum(parts), x + 1)


# --- What is refused ------------------------------------------------------------------


def test_diagonals_are_refused():
    with pytest.raises(nacho.UnsupportedError, match="on a diagonal") as caught:
        nacho.grad("z[i] = x[i] * A[i,i]", "A")
    assert str(caught.value).endswith("^^^^^^")
    assert nacho.grad("z[i] = x[i] * A[i,i]", "x") == "dx[i] = dz[i] * A[i,i]"


def test_counts_of_nothing_are_refused():
    text = "z[i] = sum(j, sum(k, A[j,k]) + b[i])"
    with pytest.raises(nacho.UnsupportedError, match="added once for each 'j'"):
        nacho.grad(text, "b")


def test_wrong_arguments():
    with pytest.raises(
        nacho.ArgumentError, match="'B' is no operand of the expression"
    ):
        nacho.grad("z[i] = A[i]", "B")
    with pytest.raises(nacho.ArgumentError, match="must be a string"):
        nacho.grad(3, "B")
    with pytest.raises(nacho.ParseError):
        nacho.grad("z[i] = A[i", "A")


# --- Trees and tables -----------------------------------------------------------------


def test_every_operator_has_a_rule():
    arities = {operator.name: operator.arity for operator in OPERATORS.values()}
    arities |= {name: shorthand.arity for name, shorthand in SHORTHANDS.items()}
    assert {name: len(texts) for name, texts in PARTIALS.items()} == arities
    assert set(REDUCED) == {
        *(each.name for each in REDUCERS.values()),
        *OTHER_REDUCERS,
    }


@pytest.mark.parametrize(
    "text",
    [
        *(text for text, _ in CASES),
        "Z[i] = -A[i]**-2**B[i] / (A[i] / B[i]) - (A[i] - B[i])",
        "Z[i] = (A[i] & B[i]) == (A[i] | B[i]) ^ ~A[i]",
        "Z[i] = 1e999 * A[i] + 0.1 - (-A[i])**2",
    ],
)
def test_trees_are_written_as_they_are_read(text):
    expr = parse_as_written(text).expr
    again = parse_as_written(f"{text.split('=')[0]}= {spelled(expr)}").expr
    assert spelled(again) == spelled(expr)
    assert nodes(again) == nodes(expr)


def nodes(root):
    """Return the nodes of a tree as text, without the columns they stand in."""
    return re.sub(r"span=\(\d+, \d+\)", "", repr(root))


def test_long_sums_and_high_powers():
    terms = " + ".join(f"x[i]**{n % 60 + 2} * y[i]" for n in range(2000))
    text = nacho.grad(f"z[i] = {terms}", "y")
    assert text.count("+") == 59
    assert nacho.grad("z[i] = x[i]**64", "x") == "dx[i] = 64 * dz[i] * x[i]**63"


def test_derivatives_of_derivatives():
    first = nacho.grad("z[i] = x[i]**3", "x")
    assert first == "dx[i] = 3 * dz[i] * x[i]**2"
    assert nacho.grad(first, "x") == "dx1[i] = 6 * ddx[i] * dz[i] * x[i]"


def test_types_are_kept():
    A = sp.csr_array(np.eye(3, dtype=np.float32))
    x = np.ones(3, np.float32)
    text = nacho.grad("z[i] = 2 * A[i,j] * x[j] + relu(A[i,j])", "A", sparse=True)
    assert nacho.evaluate(text, A=A, x=x, dz=x).dtype == np.float32
