"""Sums that are not written: where they are, and the warning of those in doubt."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp

import nacho
from nacho._notation.parser import parse
from nacho._notation.written_out import doubt, with_added, with_sums

rng = np.random.default_rng(5)
A = sp.random_array((6, 5), density=0.5, format="csr", rng=rng)
G = sp.random_array((6, 6), density=0.5, format="csr", rng=rng)
OPERANDS = {
    "A": A,
    "G": G,
    "X": rng.random((6, 4)),
    "Y": rng.random((5, 4)),
    "x": rng.random(5),
    "z": rng.random(4) - 0.5,
    "b": -rng.random(6),
    "r": rng.random(6),
    "o": 1 + rng.random(6),
    "s": 0.25,
}

IN_DOUBT = {
    "y[i] = relu(A[i,j]*x[j] + b[i])": "y[i] = relu(sum(j, A[i,j]*x[j]) + b[i])",
    "y[i] = 2*(A[i,j]*x[j] + b[i])": "y[i] = 2*(sum(j, A[i,j]*x[j]) + b[i])",
    "y[j] = 0.85*(G[i,j]*r[i]/o[i] + s/6)": (
        "y[j] = 0.85*(sum(i, G[i,j]*r[i]/o[i]) + s/6)"
    ),
    "y[i] = tanh(A[i,j]*x[j])": "y[i] = tanh(sum(j, A[i,j]*x[j]))",
    "y[i] = max(A[i,j]*x[j]+b[i], 0)": "y[i] = max(sum(j, A[i,j]*x[j])+b[i], 0)",
    "y[i] = (A[i,j]*x[j])**2": "y[i] = sum(j, A[i,j]*x[j])**2",
    "y[i] = sqrt(A[i,j]**2)": "y[i] = sqrt(sum(j, A[i,j]**2))",
    "y[i] = 1/(A[i,j]*x[j] + b[i])": "y[i] = 1/(sum(j, A[i,j]*x[j]) + b[i])",
    "y[i] = where(b[i] > -0.5, A[i,j]*x[j], 1)": (
        "y[i] = where(b[i] > -0.5, sum(j, A[i,j]*x[j]), 1)"
    ),
    "y[i] = A[i,j]*x[j] > -b[i]": "y[i] = sum(j, A[i,j]*x[j]) > -b[i]",
    "y[i] = 2*(A[i,j] + b[i])": "y[i] = 2*(sum(j, A[i,j]) + b[i])",
    "y[i] += relu(A[i,j]*x[j] + b[i])": "y[i] += relu(sum(j, A[i,j]*x[j]) + b[i])",
    "y[i] = b[i] + r[i]*tanh(A[i,j]*x[j])": (
        "y[i] = b[i] + r[i]*tanh(sum(j, A[i,j]*x[j]))"
    ),
    # Only the sum over k is in doubt, that over j is one of products.
    "y[i] = A[i,j]*relu(Y[j,k]*z[k] + x[j])": (
        "y[i] = sum(j, A[i,j]*relu(sum(k, Y[j,k]*z[k]) + x[j]))"
    ),
    "y[i] = relu(A[i,j]*Y[j,k]*z[k])": "y[i] = relu(sum(j, k, A[i,j]*Y[j,k]*z[k]))",
    "K[i,j] = exp(-(X[i,k] - Y[j,k])**2)": (
        "K[i,j] = exp(-sum(k, (X[i,k] - Y[j,k])**2))"
    ),
    "Z[i,j] = A[i,j]*sigmoid(X[i,k]*Y[j,k])": (
        "Z[i,j] = A[i,j]*sigmoid(sum(k, X[i,k]*Y[j,k]))"
    ),
}
"""Statements, and what may be meant instead."""

CLEAR = [
    "y[i] = A[i,j]*x[j] + b[i]",
    "y[i] = b[i] - 2*A[i,j]*x[j]",
    "y[i] = -(A[i,j]*x[j] + b[i])",
    "y[i] = abs(A[i,j])",
    "y[i] = abs(A[i,j] - b[i])",
    "y[i] = (A[i,j] - b[i])**2",
    "y[i] = sum(j, relu(A[i,j]*x[j] + b[i]))",
    "y[i] = relu(sum(j, A[i,j]*x[j]) + b[i])",
    "y[i] = A[i,j]*(x[j] + b[i])",
    "y[i] = A[i,j]*log(A[i,j]/x[j])",
    "y[i] = where(A[i,j] > 0, A[i,j]*x[j], 0)",
    "y[i] = where(b[i] > -0.5, A[i,j]*x[j], 0)",
    "y[i] = keep(A[i,j]*x[j], b[i] > -0.5)",
    "y[i] = pattern(A)[i,j]*x[j]",
    "y[i] max= relu(A[i,j]*x[j])",
    "Z[i,j] = relu(A[i,j]*x[j] + b[i])",
]


def used(text):
    return {name: OPERANDS[name] for name in parse(text).operands}


def warned(call):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        call()
    return [each for each in found if each.category is nacho.NachoWarning]


def same(one, other):
    return np.allclose(*(e.toarray() if sp.issparse(e) else e for e in (one, other)))


@pytest.mark.parametrize(("text", "alternative"), IN_DOUBT.items())
def test_what_is_in_doubt(text, alternative):
    found = doubt(text)
    assert found.alternative == alternative
    assert found.meaning == with_sums(text)
    assert doubt(found.meaning) is doubt(alternative) is None
    result = {"out": "dense"}
    with pytest.warns(nacho.NachoWarning, match="summed over last"):
        made = nacho.evaluate(text, used(text), **result)
    assert same(made, nacho.evaluate(found.meaning, used(text), **result))
    assert not same(made, nacho.evaluate(alternative, used(text), **result))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            # A process warns once of each statement, and others of these tests
            # have A[i,j].
            "all = A[row,col]",
            "indices 'row' and 'col' are summed over, and nothing else has them: write "
            "sum(row, col, …), or += in place of =, if that is meant\n"
            "  all = A[row,col]\n        ^^^^^^^^^^",
        ),
        (
            "y[i] = A[i,j] * x[j] + G[i,k] - b[m]",
            "indices 'k' and 'm' are summed over, and nothing else has them: write "
            "sum(k, …) and sum(m, …), or",
        ),
        (
            "s = b[i] + A[j,k]",
            "indices 'i', 'j' and 'k' are summed over, and nothing else has them: "
            "write sum(i, …) and sum(j, k, …), or",
        ),
        (
            "y[i] = relu(A[i,j]*Y[j,k]*z[k]*2)",
            "indices 'j' and 'k' are summed over last, after everything else in this "
            "term: write sum(j, k, …) where they are meant\n"
            "  y[i] = relu(A[i,j]*Y[j,k]*z[k]*2)\n"
            "         ^^^^^^^^^^^^^^^^^^^^^^^^^^\n"
            "So it is computed for each 'j' and 'k', and",
        ),
    ],
)
def test_warnings_name_all_indices(text, message):
    with pytest.warns(nacho.NachoWarning) as caught:
        nacho.evaluate(text, used(text), out="dense")
    (warning,) = caught
    assert str(warning.message).startswith(message)


@pytest.mark.filterwarnings("ignore:ind.* summed over, and nothing else")
@pytest.mark.parametrize("text", CLEAR)
def test_what_is_clear(text):
    assert doubt(text) is None
    result = {"out": "dense"}
    made = nacho.evaluate(text, used(text), **result)
    assert same(made, nacho.evaluate(with_sums(text), used(text), **result))


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("y[i] = A[i,j]*x[j] + b[i]", "y[i] = sum(j, A[i,j]*x[j]) + b[i]"),
        ("y[i] = -(A[i,j]*x[j] + b[i])", "y[i] = -(sum(j, A[i,j]*x[j]) + b[i])"),
        ("y[i] += (A[i,j]*B[j,k])*x[k]", "y[i] += sum(j, k, (A[i,j]*B[j,k])*x[k])"),
        ("y[i] = (A[i,j]*x[j])", "y[i] = sum(j, A[i,j]*x[j])"),
        ("s += A[i,j]", "s += sum(i, j, A[i,j])"),
        ("y(i) += A(i,j)*sum(j, B(i,j))", "y(i) += sum(j, A(i,j)*sum(j, B(i,j)))"),
        ("y[i] max= A[i,j]", "y[i] max= A[i,j]"),
        ("Z[i,j] = A[i,j]", "Z[i,j] = A[i,j]"),
    ],
)
def test_all_sums(text, written):
    assert with_sums(text) == with_sums(written) == written
    assert written in repr(nacho.mlir.compile(text))
    assert nacho.mlir.compile(text).expression == text


def test_explain_and_explore_show_all_sums():
    text, written = "y[i] = A[i,j]*x[j]", "y[i] = sum(j, A[i,j]*x[j])"
    found = nacho.explain(text, **used(text))
    assert found.sections["expression"] == (written,)
    from nacho._pages.explore import explored
    from nacho._pages.page import page_of

    assert written in page_of(explored(text, {}))


def test_a_doubt_is_told_once_with_both_spellings():
    text = "told[i] = relu(A[i,j]*x[j] + b[i])"

    def call():
        nacho.evaluate(text, used(text))

    (warning,) = warned(call)
    assert warning.filename == __file__
    lines = str(warning.message).splitlines()
    assert lines[1] == f"  {text}"
    assert lines[2] == " " * 12 + "^" * len("relu(A[i,j]*x[j] + b[i])")
    assert lines[4] == "  told[i] = sum(j, relu(A[i,j]*x[j] + b[i]))"
    assert lines[6] == "  told[i] = relu(sum(j, A[i,j]*x[j]) + b[i])"
    assert not warned(call)


CALLS = {
    "compile": lambda text: nacho.mlir.compile(text),
    "explain": lambda text: nacho.explain(text, used(text)),
    "partition": lambda text: nacho.partition(text, 2, used(text)),
}


@pytest.mark.parametrize("name", CALLS)
def test_all_functions_tell(name):
    text = f"by_{name}[i] = tanh(A[i,j]*x[j])"
    assert len(warned(lambda: CALLS[name](text))) == 1


def test_operators_tell():
    i, j = nacho.indices("i j")
    a, v, c = (nacho.access(OPERANDS[name]) for name in ("A", "x", "b"))
    whole = nacho.relu(3 * a[i, j] * v[j] + c[i])
    summed = nacho.relu(nacho.sum(j, 3 * a[i, j] * v[j]) + c[i])
    (warning,) = warned(lambda: nacho.evaluate(whole, i))
    assert "relu(sum(j, 3 * A[i,j] * B[j]) + C[i])" in str(warning.message)
    assert not warned(lambda: nacho.evaluate(summed, i))
    assert not warned(lambda: nacho.evaluate(3 * a[i, j] * v[j] + c[i], i))


def test_semirings_have_no_doubts():
    text = "paths[i] = 2 * (A[i,j]*x[j] + b[i])"
    assert not warned(lambda: nacho.evaluate(text, used(text), semiring="min_plus"))


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("Z[i,j] += A[i,j]", "new_Z[i,j] = A[i,j] + Z[i,j]"),
        ("s += x[i]", "new_s = x[i] + s"),
        ("y[i] += -A[i,j] * x[j]", "new_y[i] = -A[i,j] * x[j] + y[i]"),
        ("y[i] += A[i,j] > 0", "new_y[i] = (A[i,j] > 0) + y[i]"),
        ("y[i] += n[i] | m[i]", "new_y[i] = (n[i] | m[i]) + y[i]"),
        ("y[i] += new_y[i]", "new_y_[i] = new_y[i] + y[i]"),
    ],
)
def test_what_is_added_to(text, written):
    assert with_added(parse(text)).text == written
