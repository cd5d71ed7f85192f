"""Indices as numbers, in any operator; and numbers as indices: ``A[3,j]``."""

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
    "Z[i,j] = keep(A[i,j], i == j)": DENSE * (I == J),
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


# --- Numbers as indices ---------------------------------------------------------------

PICKED = {
    "y[j] = A[3,j]": DENSE[3],
    "y[i] = A[i,2] * 2": 2 * DENSE[:, 2],
    "y[j] = A[3,j] * x[j] + A[0,j]": DENSE[3] * X + DENSE[0],
    "s = A[3,j] * A[5,j]": DENSE[3] @ DENSE[5],
    "Z[i,j] = A[3,j] * A[i,j]": DENSE[3] * DENSE,
    "Z[i,j] = A[i,j] / (1 + A[i,2])": DENSE / (1 + DENSE[:, 2:3]),
    "Z[i,k] = A[i,j] * B[j,k] * x[0] - A[i,4] * B[4,k]": (
        DENSE @ B.toarray() - np.outer(DENSE[:, 4], B.toarray()[4])
    ),
    "y[i] = max(j, A[i,j]) + A[i,3]": DENSE.max(1) + DENSE[:, 3],
    "y[i] = A[i,j] * x[8]": DENSE.sum(1) * X[8],
    "Z[i,j] = where(i < 3, A[i,j] * A[3,j], 0)": (I < 3) * DENSE * DENSE[3],
    "s = A[3,4]": DENSE[3, 4],
    "s = A[-1,8] + A[0,-9] - 2 * A[-6,-2]": (
        DENSE[-1, 8] + DENSE[0, -9] - 2 * DENSE[-6, -2]
    ),
    "y[j] = A[-1,j]": DENSE[-1],
    "y[i] = A[i,-2] * A[i,2]": DENSE[:, -2] * DENSE[:, 2],
    "Z[i,j] = max(A[i,j], A[i,4]) * exp(A[2,3] - A[-2,-1])": (
        np.maximum(DENSE, DENSE[:, 4:5]) * np.exp(DENSE[2, 3] - DENSE[-2, -1])
    ),
    "Z[i,k] = A[i,j] * B[j,k] * A[2,3]": DENSE @ B.toarray() * DENSE[2, 3],
}


@pytest.mark.filterwarnings("ignore:ind.* summed over")
@pytest.mark.parametrize("text", PICKED)
@pytest.mark.parametrize("format", ["csr", "csc", "dcsr", "coo", "dense"])
def test_numbers_as_indices(text, format):
    operands = {"A": nacho.Tensor.from_dense(DENSE, format), "B": B, "x": X}
    given = {n: o for n, o in operands.items() if f"{n}[" in text}
    found = [nacho.evaluate(text, given, parts=parts) for parts in (None, 1, 4)]
    for each in found:
        each = each.toarray() if sp.issparse(each) else each
        each = each.to_dense() if isinstance(each, nacho.Tensor) else each
        np.testing.assert_allclose(each, PICKED[text], rtol=1e-14)


@pytest.mark.parametrize("format", ["csr", "csc", "dcsr", "coo"])
def test_rows_columns_and_diagonals_are_arrays(format):
    """They are sparse vectors only if that is asked for."""
    T = nacho.Tensor.from_dense(DENSE, format)
    row, column = DENSE[3], DENSE[:, 2]
    for text, wanted in (
        ("y[j] = A[3,j]", row),
        ("y[j] = A[3,j] + A[2,2]", row + DENSE[2, 2]),
        ("y[j] = A[3,j] + 1", row + 1),
        ("y[i] = 2 * A[i,2]", 2 * column),
        ("y[i] = A[:4, :4][i,i]", DENSE[:4, :4].diagonal()),
    ):
        found = nacho.evaluate(text, A=T)
        assert isinstance(found, np.ndarray)
        np.testing.assert_array_equal(found, wanted)
    found = nacho.evaluate("y[j] = A[3,j]", A=T, out="sparse-vector")
    assert found.format == nacho.Format("sparse-vector")
    assert found.nnz == np.count_nonzero(row)


def test_numbers_of_index_variables():
    i, j = nacho.indices("i j")
    a = nacho.access(A)
    found = nacho.evaluate(a[3, j] * a[i, j] * a[i, 2], (i, j))
    np.testing.assert_array_equal(found.toarray(), DENSE[3] * DENSE * DENSE[:, 2:3])
    found = nacho.evaluate(a[np.int64(3), j] * 1, "j", out="dense")
    np.testing.assert_array_equal(found, DENSE[3])
    T = nacho.asarray(A)
    found = nacho.evaluate(T[3, j] * T[4, j], "j")
    np.testing.assert_array_equal(found, DENSE[3] * DENSE[4])
    found = nacho.evaluate(a[-2, j] * a[i, -1] * a[-1, -1], (i, j))
    wanted = DENSE[-2] * DENSE[:, -1:] * DENSE[-1, -1]
    np.testing.assert_array_equal(found.toarray(), wanted)
    with pytest.raises(nacho.ArgumentError, match="True is not an index variable"):
        a[i, True]


@pytest.mark.host_only
@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        (
            "y[i] = A[i,9]",
            nacho.ShapeError,
            "coordinate 9 is out of bounds in dimension 1 of operand 'A', whose extent "
            "is 9\n  y[i] = A[i,9]\n         ^^^^^^",
        ),
        (
            "y[i] = A[i,-10]",
            nacho.ShapeError,
            "coordinate -10 is out of bounds in dimension 1 of operand 'A', whose "
            "extent is 9\n  y[i] = A[i,-10]\n         ^^^^^^^^",
        ),
        (
            "y[i] = A[i,1.5]",
            nacho.ParseError,
            "expected the name of an index, or a coordinate, found '1.5'",
        ),
        (
            "y[3] = A[i,j]",
            nacho.ParseError,
            "the left has a coordinate: a result has all elements of its indices\n"
            "  y[3] = A[i,j]\n  ^^^^",
        ),
        (
            "y[-3] = A[i,j]",
            nacho.ParseError,
            "the left has a coordinate: a result has all elements of its indices\n"
            "  y[-3] = A[i,j]\n  ^^^^^",
        ),
        (
            "z = pattern(A)[3,2]",
            nacho.UnsupportedError,
            "operand 'A' is sparse and has no index, only numbers: not supported where "
            "it matters whether the element is stored\n  z = pattern(A)[3,2]\n",
        ),
    ],
)
def test_what_is_no_number_of_an_index(text, kind, message):
    with pytest.raises(kind) as error:
        nacho.evaluate(text, A=A)
    assert str(error.value).startswith(message)


@pytest.mark.parametrize("format", ["csr", "csc", "dcsr", "coo", "dense"])
def test_elements(format):
    """Each is a sum of at most one entry, whichever levels the operand has."""
    T = nacho.Tensor.from_dense(DENSE, format)
    for row, column in np.ndindex(*DENSE.shape):
        text = f"s = A[{row},{column - DENSE.shape[1]}]"
        assert nacho.evaluate(text, A=T) == DENSE[row, column]


@pytest.mark.host_only
def test_the_last_coordinate_of_other_shapes():
    kernel = nacho.mlir.compile("y[j] = A[-1,j] * A[-1,-2]", {"A": "csr", "y": "dense"})
    for matrix in (DENSE, DENSE[:3], DENSE[:, :4]):
        wanted = matrix[-1] * matrix[-1, -2]
        np.testing.assert_array_equal(kernel(sp.csr_array(matrix)), wanted)


@pytest.mark.host_only
def test_a_row_is_read_once():
    """It is not searched for again in each row of the other access."""
    square = sp.eye_array(900, format="csr")
    kernel = nacho.mlir.compile("Z[i,j] = A[i,j] * A[3,j]", {"A": "csr"}, cost="nnz")
    plan = kernel.plan(square, parts=3)
    assert "makes list 0" in str(kernel.explain(square))
    assert plan.nnz == 1
    np.testing.assert_array_equal(plan.execute().toarray()[3, 3], 1)


@pytest.mark.host_only
def test_derivatives_beside_numbers():
    assert nacho.grad("z[j] = x[j] * A[3,j]", "x") == "dx[j] = dz[j] * A[3,j]"
    with pytest.raises(
        nacho.UnsupportedError, match="for 'A' is that for a part of it"
    ):
        nacho.grad("z[j] = x[j] * A[3,j]", "A")
