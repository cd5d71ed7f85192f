"""Indices as numbers: the coordinates of loops, in any operator."""

import numpy as np
import pytest
import scipy.sparse as sp

import nacho
import samples

pytestmark = pytest.mark.any_target

DENSE = np.where(np.random.default_rng(8).random((7, 9)) < 0.4, 2.5, 0)
A = sp.csr_array(DENSE)
B = sp.csr_array(np.where(np.random.default_rng(9).random((9, 7)) < 0.4, 0.5, 0))
X = np.linspace(1, 2, 9)
I, J = np.ogrid[:7, :9]  # noqa: E741

STATEMENTS = {
    "Z[i,j] = keep(A[i,j], i < j)": DENSE * (I < J),
    "Z[i,j] = A[i,j] * exp(-abs(i - j))": DENSE * np.exp(-np.abs(I - J)),
    "Z[i,j] = where(i == j, A[i,j], 0)": DENSE * (I == J),
    "Z[i,j] = where(i < j, A[i,j], 2 * A[i,j])": DENSE * np.where(I < J, 1, 2),
    "Z[j,i] = A[i,j] * (3 * i + j % 2)": (DENSE * (3 * I + J % 2)).T,
    "y[i] = A[i,j] * x[j] * j": (DENSE * X * J).sum(1),
    "y[i] = sum(j, A[i,j] * j) + i": (DENSE * J).sum(1) + I[:, 0],
    "y[j] = A[i,j] * (i + 1)": (DENSE * (I + 1)).sum(0),
    "y[i] = max(j, where(A[i,j] != 0, j, -1))": np.where(DENSE, J, -1).max(1),
    "y[i] max= where(A[i,j] != 0, j, -1)": np.where(DENSE, J, -1).max(1),
    "Z[i,k] = A[i,j] * B[j,k] * (j + k)": np.einsum(
        "ij,jk,jk->ik", DENSE, B.toarray(), np.add(*np.ogrid[:9, :7])
    ),
    "s = A[i,j] * (i < j)": (DENSE * (I < J)).sum(),
    "y[j] = x[j] + j": X + J[0],
    "Z[i,j] = sum(j, A[i,j] * j) * A[i,j]": (DENSE * J).sum(1)[:, None] * DENSE,
}


@pytest.mark.parametrize("text", STATEMENTS)
@pytest.mark.parametrize("parts", [None, 1, 5])
def test_as_numpy(text, parts):
    operands = {"A": A, "B": B, "x": X}
    given = {n: o for n, o in operands.items() if f"{n}[" in text}
    found = nacho.evaluate(text, given, parts=parts)
    found = found.toarray() if sp.issparse(found) else found
    np.testing.assert_allclose(found, STATEMENTS[text], rtol=1e-14)


@pytest.mark.parametrize("format", ["csr", "csc", "dcsr", "coo", "dense"])
def test_formats(format):
    T = nacho.Tensor.from_dense(DENSE, format)
    found = nacho.evaluate("Z[i,j] = A[i,j] * (i + 2 * j)", A=T)
    found = found if format == "dense" else found.to_dense()
    np.testing.assert_array_equal(found, DENSE * (I + 2 * J))


def test_blocks_are_no_other_coordinates():
    """What is stored in blocks is read as if it were not."""
    square = np.arange(16.0).reshape(4, 4)
    blocks = sp.bsr_array(square, blocksize=(2, 2))
    found = nacho.evaluate("Z[i,j] = A[i,j] * (i < j)", A=blocks)
    np.testing.assert_array_equal(found.toarray(), np.triu(square, 1))


@pytest.mark.parametrize(
    ("dtype", "text", "wanted"),
    [
        ("f32", "A[i] * i", "f32"),
        ("f32", "A[i] * (i + 0.5)", "f32"),
        ("f32", "A[i] * sqrt(i)", "f32"),
        ("c64", "A[i] * i", "c64"),
        ("u8", "A[i] * i", "i64"),
        ("u8", "A[i] * (2 * i)", "i64"),
        ("bool", "A[i] * i", "i64"),
        ("i32", "A[i] / (i + 1)", "f64"),
        ("i8", "(A[i] < i) * A[i]", "i8"),
        ("f64", "(i % 2 == 0) * (A[i] != 0)", "bool"),
        ("u8", "(A[i] != 0) * (i | 1)", "i64"),
    ],
)
def test_types(dtype, text, wanted):
    """They are weak among floats; among integers they are as wide as is needed."""
    values = np.ones(300, samples.DTYPES[dtype])
    found = nacho.evaluate(f"Z[i] = {text}", A=values)
    assert found.dtype == samples.DTYPES[wanted]
    names = {"A": values, "i": np.arange(300), "sqrt": np.sqrt}
    in_numpy = eval(text.replace("[i]", ""), {}, names)
    np.testing.assert_allclose(found, in_numpy, rtol=1e-6)


def test_operators_of_index_variables():
    i, j = nacho.indices("i j")
    a = nacho.access(A)[i, j]
    for expr, wanted in {
        nacho.keep(a, i < j): DENSE * (I < J),
        a * nacho.exp(-abs(i - j)): DENSE * np.exp(-np.abs(I - J)),
        nacho.where(i - j == 0, a, 0): DENSE * (I == J),
        np.float64(2) * i * a: 2 * I * DENSE,
        nacho.sqrt(i) * a: np.sqrt(I) * DENSE,
        a * nacho.maximum(i, 3) * (7 - j // 2): DENSE * np.maximum(I, 3) * (7 - J // 2),
    }.items():
        found = nacho.evaluate(expr, (i, j))
        np.testing.assert_allclose(found.toarray(), wanted, rtol=1e-14)
    assert repr(2 * -i < j) == "<nacho.Expression: 2 * -i < j>"
    assert i == nacho.Index("i") != j
    assert {i: 1}[nacho.Index("i")] == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "Z[i,j] = A[i] * j",
            "index 'j' on the left is an index of no operand, so that nothing says how "
            "many coordinates it has\n  Z[i,j] = A[i] * j\n  ^^^^^^",
        ),
        (
            "Z[i,j] = i + j",
            "index 'i' on the left is an index of no operand, so that nothing says how "
            "many coordinates it has\n  Z[i,j] = i + j\n  ^^^^^^",
        ),
        (
            "y = sum(k, k * A[i])",
            "index 'k' of the reduction is that of no operand in it\n"
            "  y = sum(k, k * A[i])\n      ^^^^^^^^^^^^^^^^",
        ),
    ],
)
@pytest.mark.host_only
def test_no_operand_has_the_index(text, message):
    with pytest.raises(nacho.ParseError) as error:
        nacho.evaluate(text, A=np.ones(3))
    assert str(error.value) == message


@pytest.mark.host_only
def test_coordinates_are_not_sparse():
    with pytest.raises(nacho.UnsupportedError) as error:
        nacho.evaluate("Z[i,j] = A[i,j] + (i < j)", A=A)
    assert str(error.value).startswith(
        "the term '(i < j)' is not zero where the operands have no entries"
    )
    with pytest.raises(nacho.DTypeError, match="'<' of complex numbers"):
        nacho.evaluate("y[i] = A[i] * (A[i] < i)", A=np.ones(3, complex))
    with pytest.raises(nacho.NachoError, match="'i'"):
        nacho.evaluate("y[i] = A[i] * i", {"A": np.ones(3), "i": 2.0})


@pytest.mark.host_only
def test_derivatives():
    """What depends on indices only is constant."""
    assert nacho.grad("y[i] = A[i,j] * j * x[j]", "x") == "dx[j] = dy[i] * A[i,j] * j"
    text = nacho.grad("z = sum(i, x[i] * i)", "x")
    found = nacho.evaluate(text, x=X, dz=2.0)
    np.testing.assert_array_equal(found, 2 * np.arange(9))


@pytest.mark.host_only
def test_plans_and_parts():
    """A part that is computed alone has the coordinates of the whole."""
    kernel = nacho.mlir.compile("Z[i,j] = A[i,j] * (9 * i + j)", {"A": "csr"})
    plan = kernel.plan(A, parts=4)
    pieces = [plan.part(number).compute() for number in range(4)]
    whole = nacho.join(pieces).toarray()
    np.testing.assert_array_equal(whole, DENSE * (9 * I + J))
