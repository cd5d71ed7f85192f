"""Expressions of Python operators: what they are written as, and what they compute."""

import math
import pickle
from itertools import islice

import numpy as np
import pytest
import scipy.sparse as sp

import nacho
from nacho._notation.parser import parse
from nacho._notation.symbols import fresh_names, index_tensor, statement

i, j, k = nacho.indices("i j k")
A = sp.random_array((5, 6), density=0.5, format="csr", rng=1)
B = sp.random_array((5, 6), density=0.5, format="csr", rng=2)
a, b = nacho.access(A, i, j), nacho.access(B, i, j)
MINUS = -a


def written(expr, left=(i, j)):
    return statement(expr, left)[0]


@pytest.mark.parametrize(
    ("expr", "text"),
    [
        (a, "A[i,j]"),
        (a + b, "A[i,j] + B[i,j]"),
        (a - (b - a), "A[i,j] - (B[i,j] - A[i,j])"),
        (a - b - a, "A[i,j] - B[i,j] - A[i,j]"),
        (a + (b + a), "A[i,j] + (B[i,j] + A[i,j])"),
        ((a + b) * -a, "(A[i,j] + B[i,j]) * -A[i,j]"),
        (a * (b * a), "A[i,j] * (B[i,j] * A[i,j])"),
        (-(a * b), "-(A[i,j] * B[i,j])"),
        (-MINUS, "--A[i,j]"),
        (2 * a, "2 * A[i,j]"),
        (a - 3, "A[i,j] - 3"),
        (-3 + a, "(-3) + A[i,j]"),
        (0.5 * a, "A * B[i,j]"),
        (np.float32(2) * a, "A * B[i,j]"),
        (a * np.array(2), "A[i,j] * B"),
        (a * 1j + True, "A[i,j] * B + C"),
        (sum([a, b]), "0 + A[i,j] + B[i,j]"),
        (a / 2, "A[i,j] / 2"),
        (1 / (a + 1), "1 / (A[i,j] + 1)"),
        (abs(a - b) * 2, "abs(A[i,j] - B[i,j]) * 2"),
        ((a < b) * a, "(A[i,j] < B[i,j]) * A[i,j]"),
        (a + 1 >= b, "A[i,j] + 1 >= B[i,j]"),
    ],
)
def test_text(expr, text):
    assert written(expr) == f"Z[i,j] = {text}"
    assert repr(expr) == f"<nacho.Expression: {text}>"
    parse(written(expr))


def test_operands_are_named_by_first_appearance():
    text, operands = statement(b * 2.5 + a * b, (j,))
    assert text == "Z[j] = A[i,j] * B + C[i,j] * A[i,j]"
    assert list(operands) == ["A", "B", "C"]
    assert operands["A"] is B
    assert operands["B"] == 2.5
    assert operands["C"] is A


def test_names_avoid_those_of_indices():
    one, other = nacho.indices("A, Z")
    text, operands = statement(nacho.access(A, one, other), (other,))
    assert text == "Z1[Z] = B[A,Z]"
    assert operands["B"] is A


def test_many_operands_have_different_names():
    total = sum(nacho.access(np.ones(2), i) for _ in range(80))
    text, operands = statement(total, i)
    assert len(operands) == 80
    assert parse(text).operands == tuple(operands)


def test_the_result_may_be_named_in_several_ways():
    for left in ((i, k), ["i", "k"], "i k", "i,k", [i, "k"]):
        assert written(a, left).startswith("Z[i,k] =")
    assert written(a, i).startswith("Z[i] =")
    assert written(a, ()).startswith("Z =")


def test_indices_are_values():
    assert nacho.indices("i") == (i,)
    assert nacho.indices(" i,j  k ") == (i, j, k)
    assert len({i, *nacho.indices("i j")}) == 2
    assert pickle.loads(pickle.dumps(i)) == i
    assert nacho.indices("\u00b5") == nacho.indices("\u03bc")
    with pytest.raises(AttributeError, match="immutable"):
        i.name = "j"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: nacho.indices("2"), "'2' is not the name of an index"),
        (lambda: nacho.indices(["i"]), "names in a string, not list"),
        (lambda: nacho.access(A, 1.5, 1), "1.5 is not an index variable"),
        (lambda: nacho.access(A, "0"), "'0' is not the name of an index"),
        (lambda: nacho.access(A)[True, 1], "True is not an index variable"),
        (lambda: index_tensor(A, (i, slice(None))), "is not an index variable"),
        (lambda: nacho.evaluate(a), "the indices of the result are missing"),
        (lambda: nacho.evaluate(a, {"A": A}), "a tuple, not dict"),
        (lambda: nacho.evaluate(a, (i, j), B=B), "what is 'B'"),
    ],
)
def test_refusals(call, message):
    with pytest.raises(nacho.ArgumentError) as caught:
        call()
    assert message in str(caught.value)


def test_functions_are_written_in_the_notation():
    x = nacho.where(nacho.maximum(a, -1) > 0.25, nacho.sqrt(a) / 2, -b)
    written = "where(max(A[i,j], (-1)) > 0.25, sqrt(A[i,j]) / 2, -B[i,j])"
    assert repr(x) == f"<nacho.Expression: {written}>"
    functions = (nacho.exp, nacho.log, nacho.sin, nacho.cos, nacho.tanh)
    assert repr(sum(f(a) for f in functions)).endswith(
        ": 0 + exp(A[i,j]) + log(A[i,j]) + sin(A[i,j]) + cos(A[i,j]) + tanh(A[i,j])>"
    )
    # What cannot be written is an operand.
    assert repr(nacho.minimum(np.inf, a)) == "<nacho.Expression: min(A, B[i,j])>"


def test_functions_take_expressions():
    for wrong in (A, "A", None):
        with pytest.raises(nacho.ArgumentError, match="takes expressions"):
            nacho.maximum(a, wrong)
    with pytest.raises(nacho.ArgumentError, match="takes an expression"):
        nacho.sqrt(2)
    for wrong in (lambda: np.sqrt(a), lambda: np.maximum(a, 1), lambda: math.exp(a)):
        with pytest.raises(TypeError):
            wrong()
    with pytest.raises(nacho.ArgumentError, match="where takes arrays"):
        np.where(a, 1, 2)


def test_containers_of_any_library_are_indexed():
    """Also by strings, which name one index or several."""
    wanted = "<nacho.Expression: A[i,j] + B[j,i]>"
    for left, right in (
        (nacho.access(A)[i, j], nacho.access(B)[j, i]),
        (nacho.access(A)["i,j"], nacho.access(B)["j i"]),
        (nacho.access(A)["i", j], nacho.access(B, "j", "i")),
        (nacho.access(A, "i,j"), nacho.access(B)["j", "i"]),
    ):
        assert repr(left + right) == wanted
    assert repr(nacho.access(2.5) * nacho.access(A)["i,j"]).endswith(": A * B[i,j]>")
    tensor = nacho.Tensor.from_dense(np.eye(3), "csr")
    assert repr(tensor["i,j"] * tensor["j", "i"]).endswith(": A[i,j] * A[j,i]>")
    assert written(nacho.sum("k", nacho.access(A)["i,k"]), "i") == (
        "Z[i] = sum(k, A[i,k])"
    )
    for each in (a, nacho.access(A)):
        with pytest.raises(TypeError, match="not iterable"):
            list(each)


def test_operands_of_other_types():
    with pytest.raises(TypeError, match="unsupported operand"):
        a + "b"
    with pytest.raises(TypeError, match="unsupported operand"):
        a * A


def test_tensors_are_indexed():
    assert repr(index_tensor(A, (i, j))) == repr(a)
    assert repr(index_tensor(A, i)) == "<nacho.Expression: A[i]>"
    tensor = nacho.Tensor.from_dense(np.eye(3), "csr")
    assert repr(tensor[i, j] + tensor[i, j]) == "<nacho.Expression: A[i,j] + A[i,j]>"


# --- Values ---------------------------------------------------------------------------


@pytest.mark.any_target
def test_element_wise():
    for options in ({}, {"parts": 3, "threads": 2, "out": "dcsr"}):
        result = nacho.evaluate(2 * a - b * a, (i, j), **options)
        dense = result.to_dense() if options else result.toarray()
        wanted = 2 * A.toarray() - B.toarray() * A.toarray()
        np.testing.assert_array_equal(dense, wanted)
    same = nacho.evaluate(nacho.access(A)["i,j"] - b, indices="i j")
    np.testing.assert_array_equal(same.toarray(), (A - B).toarray())


@pytest.mark.any_target
def test_products():
    x = np.arange(6.0)
    y = nacho.evaluate(a * nacho.access(x, j), (i,))
    assert type(y) is np.ndarray
    np.testing.assert_allclose(y, A @ x)
    X = np.arange(12.0).reshape(6, 2)
    Y = nacho.evaluate(a * nacho.access(X, j, k), (i, k))
    np.testing.assert_allclose(Y, A @ X)
    np.testing.assert_allclose(nacho.evaluate(a * b, ()), (A * B).sum())


@pytest.mark.any_target
def test_numbers_do_not_recompile(monkeypatch):
    from nacho._kernels.specialisation import Specialisation

    nacho.evaluate(a * 1.5, (i, j))
    monkeypatch.setattr(Specialisation, "__init__", None)
    for factor in (2.5, 3.5):
        found = nacho.evaluate(a * factor, (i, j))
        np.testing.assert_array_equal(found.toarray(), A.toarray() * factor)


@pytest.mark.any_target
def test_functions():
    dense, other = A.toarray(), B.toarray()
    for expr, wanted in (
        (a * (a == b), dense * (dense == other)),
        (a * (a != 1), dense * (dense != 1)),
        (nacho.where(a > 0.5, nacho.sqrt(a), 0), np.sqrt(dense) * (dense > 0.5)),
        (nacho.minimum(abs(-a), b) / 2, np.minimum(abs(dense), other) / 2),
    ):
        found = nacho.evaluate(expr, (i, j))
        np.testing.assert_array_equal(found.toarray(), wanted)


def test_comparisons_are_no_python_comparisons():
    for use in (lambda: 0 < a < 5, lambda: a and b):
        with pytest.raises(nacho.ArgumentError, match="has no truth value"):
            use()


def test_operands_have_as_many_names_as_needed():
    names = [*islice(fresh_names("BCk"), 50)]
    assert names[:3] == ["A", "D", "E"]
    assert "Z" not in names
    assert names[22:26] == ["Y", "A1", "B1", "C1"]
    assert names[-2:] == ["Z1", "A2"]


def test_rounding_to_digits():
    i, j = nacho.indices("i j")
    values = np.array([[0.125, -2.345, 0.0], [1234.5, -0.005, 7.0]])
    T = nacho.Tensor.from_dense(values, "csr")
    a = nacho.access(values)[i, j]
    for digits in (0, 1, 2, -2):
        wanted = np.round(values, digits)
        for made in (
            round(a, digits),
            np.round(a, digits),
            np.round(a, decimals=digits),
        ):
            np.testing.assert_array_equal(nacho.evaluate(made, (i, j)), wanted)
        np.testing.assert_array_equal(np.asarray(round(T * 1, digits)), wanted)


def test_other_functions_of_numpy_are_refused():
    i, j = nacho.indices("i j")
    for function in (np.median, np.sort, np.cumsum, np.mean):
        name = f"numpy.{function.__name__} takes arrays"
        with pytest.raises(nacho.ArgumentError, match=name):
            function(nacho.access(A)[i, j])


def test_nothing_is_assigned_to_an_expression():
    i, j = nacho.indices("i j")
    place = np.ones(A.shape[0])
    y = nacho.access(place)
    with pytest.raises(nacho.ArgumentError, match="writes the result to y"):
        y[i] -= nacho.sum(j, nacho.access(A)[i, j])
    with pytest.raises(nacho.ArgumentError, match="nothing is assigned"):
        y[i] = 2
    lessened = y[i]
    lessened -= nacho.sum(j, nacho.access(A)[i, j])
    nacho.evaluate(lessened, i, out=place)
    wanted = 1 - nacho.evaluate("y[i] = sum(j, A[i,j])", A=A)
    np.testing.assert_array_equal(place, wanted)
