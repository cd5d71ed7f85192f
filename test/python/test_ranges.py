"""Ranges of coordinates in the notation: ``A[:, 2:10][i,j]``."""

import pickle
import random

import numpy as np
import pytest
import scipy.sparse as sp

import nacho

pytestmark = pytest.mark.any_target

RNG = np.random.default_rng(12)
A = np.where(RNG.random((7, 12)) < 0.4, RNG.integers(1, 9, (7, 12)), 0).astype(float)
B = np.where(RNG.random((8, 5)) < 0.6, RNG.integers(1, 9, (8, 5)), 0).astype(float)
T = np.where(RNG.random((4, 5, 6)) < 0.4, RNG.integers(1, 9, (4, 5, 6)), 0.0)
X = np.arange(1.0, 13)
I, J = np.ogrid[:5, :8]  # noqa: E741

STATEMENTS = {
    "Z[i,k] = A[:, 2:10][i,j] * B[j,k]": A[:, 2:10] @ B,
    "Z[i,j] = A[5:, :-2][i,j] * 2": A[5:, :-2] * 2,
    "Z[i,j] = A[1:][i,j] - A[:-1][i,j]": A[1:] - A[:-1],
    "Z[j,i] = A[2:, -8:][i,j] * (i + 2*j)": (A[2:, -8:] * (I + 2 * J)).T,
    "Z[i,j] = keep(A[:5, 4:][i,j], i < j)": A[:5, 4:] * (I < J),
    "y[j] = A[3][j] * x[j]": A[3] * X,
    "y[j] = A[3, 2:][j] + x[:-2][j]": A[3, 2:] + X[:-2],
    "y[i] = A[-4:, 3:99][i,j] * x[3:][j]": A[-4:, 3:] @ X[3:],
    "y[i] = max(j, A[:, 2:10][i,j]) + A[i,0]": A[:, 2:10].max(1) + A[:, 0],
    "s = A[:7, :7][i,i]": np.trace(A[:7, :7]),
    "Z[i,j] = A[4:2][i,j] * x[j]": A[4:2],
    "Z[i,j] = A[:, :0][i,j] * 2": A[:, :0],
    "y[i] += A[-1:-1, -2:][i,j]": A[-1:-1].sum(1),
    "Z[i,j] = T[1:, -3:, :4][i,j,k]": T[1:, -3:, :4].sum(2),
    "Z[i,k] = T[:, 2, 1:][i,k]": T[:, 2, 1:],
    "Z[i,k] = T[-1, 1:][i,k] - T[0, 1:, :][i,k]": T[-1, 1:] - T[0, 1:],
    "y[j] = T[-2,j,-1]": T[-2, :, -1],
    "Z[i,j] = A[:, 2:10][i,j] * A[i,3]": A[:, 2:10] * A[:, 3:4],
    "Z[i,j] = A[0:99999999999999999999][i,j] * 2": A * 2,
}


def given(text, format):
    containers = {"A": A, "B": B, "T": T, "x": X}
    made = {n: c for n, c in containers.items() if f"{n}[" in text}
    for name, container in made.items():
        if format != "dense" and container.ndim > 1:
            fits = format if container.ndim == 2 else {"coo": "coo"}.get(format, "csf")
            made[name] = nacho.Tensor.from_dense(container, fits)
    return made


def dense(found):
    if isinstance(found, nacho.Tensor):
        return found.to_dense()
    return found.toarray() if sp.issparse(found) else found


@pytest.mark.filterwarnings("ignore:ind.* summed over")
@pytest.mark.parametrize("text", STATEMENTS)
@pytest.mark.parametrize("format", ["csr", "csc", "dcsr", "coo", "dense"])
def test_as_numpy(text, format):
    """Extents and elements are those of NumPy's slices."""
    for parts in (None, 1, 4):
        found = nacho.evaluate(text, given(text, format), parts=parts)
        np.testing.assert_array_equal(dense(found), STATEMENTS[text])


@pytest.mark.sampled
@pytest.mark.parametrize("seed", range(30))
def test_any_bounds(seed):
    """They are counted from the end if they are negative, and clipped, as in Python."""
    choose = random.Random(seed)
    shape = [choose.choice([0, 1, 2, 7]) for _ in range(2)]
    a = np.where(RNG.random(shape) < 0.5, RNG.integers(1, 9, shape), 0).astype(float)
    slices = tuple(
        slice(*(choose.choice([None, choose.randint(-n - 2, n + 2)]) for _ in "ab"))
        for n in shape
    )
    part = ", ".join(
        f"{'' if s.start is None else s.start}:{'' if s.stop is None else s.stop}"
        for s in slices
    )
    wanted = a[slices]
    b = sp.csr_array(np.where(RNG.random(wanted.shape) < 0.5, 2.0, 0))
    format = choose.choice(["csr", "csc", "dcsr", "coo"])
    operand = nacho.Tensor.from_dense(a, format)
    for sign, combine in (("+", np.add), ("*", np.multiply)):
        text = f"Z[i,j] = A[{part}][i,j] {sign} B[i,j]"
        found = nacho.evaluate(text, A=operand, B=b, parts=choose.choice([1, 3]))
        np.testing.assert_array_equal(dense(found), combine(wanted, b.toarray()))


@pytest.mark.parametrize("format", ["csr", "coo", "dense"])
def test_kernels(format):
    """A kernel fits operands of other shapes; its bounds are those of each call."""
    text = "Z[i,k] = A[1:, -8:][i,j] * B[j,k]"
    kernel = nacho.mlir.compile(text, {"A": format, "B": "dense"})
    for a in (A, np.hstack([A, A[:, :5]]), A[:1]):
        operand = a if format == "dense" else nacho.Tensor.from_dense(a, format)
        np.testing.assert_array_equal(dense(kernel(operand, B)), a[1:, -8:] @ B)
        np.testing.assert_array_equal(
            dense(kernel.plan(operand, B).execute()), a[1:, -8:] @ B
        )


@pytest.mark.host_only
def test_parts_of_plans_and_files(tmp_path):
    kernel = nacho.mlir.compile("Z[i,j] = A[2:][i,j] + B[i,j]", {"A": "csr"})
    a, b = sp.csr_array(A), sp.csr_array(A[:5])
    plan = kernel.plan(a, b, parts=3)
    pieces = [
        pickle.loads(pickle.dumps(plan.part(number))).compute()
        for number in range(plan.parts)
    ]
    np.testing.assert_array_equal(nacho.join(pieces).toarray(), A[2:] + A[:5])
    kernel.export(str(tmp_path / "kernel.so"))
    loaded = nacho.load(str(tmp_path / "kernel.so"))
    np.testing.assert_array_equal(loaded(a, b).toarray(), A[2:] + A[:5])
    explained = str(kernel.explain(a, b))
    assert "Z[i,j] = A[2:][i,j] + B[i,j]" in explained
    assert "makes list 0" in explained


@pytest.mark.host_only
@pytest.mark.parametrize(
    ("text", "lists"),
    [("A[2:][i,j]", 1), ("A[:-3, :][i,j]", 1), ("A[2:, 1:][i,j]", 2)],
)
def test_rows_are_listed_only_if_columns_are_left_out(text, lists):
    explained = nacho.explain(f"Z[i,j] = 2 * {text}", A=sp.csr_array(A))
    assert " ".join(explained.sections["order"]).count("makes list") == lists


@pytest.mark.host_only
def test_only_what_is_in_the_range_is_read():
    """Bounds are searched for, so that the list has no more entries than the range."""
    matrix = sp.csr_array(np.ones((400, 400)))
    kernel = nacho.mlir.compile(
        "y[i] = A[7:9, 100:103][i,j] * x[j]", {"A": "csr"}, cost="nnz"
    )
    text = str(kernel.explain(matrix, np.ones(3)))
    assert "list 0: 6 entries" in text or "list 1: 6 entries" in text
    np.testing.assert_array_equal(kernel(matrix, np.ones(3)), [3, 3])


def test_added_to_a_tensor():
    z = np.ones((5, 12))
    found = nacho.evaluate("Z[i,j] += A[2:][i,j]", A=sp.csr_array(A), Z=z)
    np.testing.assert_array_equal(dense(found), A[2:] + 1)
    np.testing.assert_array_equal(z, 1)


def test_expressions_of_indices():
    i, j, k = nacho.indices("i j k")
    a = nacho.access(sp.csr_array(A))
    found = nacho.evaluate(a[:, 2:10][i, j] * nacho.access(B)[j, k], (i, k))
    np.testing.assert_array_equal(dense(found), A[:, 2:10] @ B)
    found = nacho.evaluate(a[1:][i, j] - a[:-1][i, j], (i, j))
    np.testing.assert_array_equal(dense(found), A[1:] - A[:-1])
    found = nacho.evaluate(a[3, 2:][j] * 1, j, out="dense")
    np.testing.assert_array_equal(found, A[3, 2:])
    found = nacho.evaluate(a[-4, 2:][j] * 1, j, out="dense")
    np.testing.assert_array_equal(found, A[3, 2:])
    found = nacho.evaluate(a[np.int64(3), np.int32(1) : np.int64(9)][j] * 1, j)
    np.testing.assert_array_equal(dense(found), A[3, 1:9])
    assert repr(a[1:][i, j]) == "<nacho.Expression: A[1:][i,j]>"


@pytest.mark.host_only
def test_wrong_ranges_of_expressions():
    i, j = nacho.indices("i j")
    a = nacho.access(A)
    with pytest.raises(nacho.ArgumentError, match="ranges come before indices: acc"):
        a[i, 2:10]
    with pytest.raises(nacho.ArgumentError, match="ranges have no steps"):
        a[::2]
    with pytest.raises(nacho.ArgumentError, match="bounds of a range are integers"):
        a[1.5:]
    with pytest.raises(nacho.ArgumentError, match="ranges come before indices: acc"):
        a[..., 2:]
    with pytest.raises(nacho.ParseError, match=r"write A\[:, 2:10\]\[i,j\]"):
        nacho.evaluate(a[:, 2:10], (i, j))


@pytest.mark.host_only
@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "y[i] = A[i, 2:10]",
            "ranges come before indices: write A[:, 2:10][i,j]\n"
            "  y[i] = A[i, 2:10]\n         ^^^^^^^^^^",
        ),
        ("y[i] = A(i, 2:10)", "ranges come before indices: write A[:, 2:10][i,j]\n"),
        ("y[i] = A[:,i]", "ranges come before indices: write A[:, :][j,i]\n"),
        ("y[i] = A[2:, :]", "ranges come before indices: write A[2:, :][i,j]\n"),
        ("y[i] = A[2:, :][i]", "ranges come before indices: write A[2:, :][i,j]\n"),
        ("y[i] = A[3, -2:]", "ranges come before indices: write A[3, -2:][i]\n"),
        (
            "Z[i,j] = A[::2][i,j]",
            "ranges have no steps: slice the operand before, as A[::2]\n",
        ),
        (
            "Z[i,j] = A[:n][i,j]",
            "expected an integer: bounds of ranges are written as such, found 'n'\n",
        ),
        (
            "Z[i,j] = A[i,j] + A[:, 3:][i,j]",
            "index 'j' has extent 12 in operand 'A', but 9 in A[:, 3:][i,j] of operand "
            "'A'\n  Z[i,j] = A[i,j] + A[:, 3:][i,j]\n"
            "                    ^^^^^^^^^^^^^",
        ),
        ("Z[i,j] = A[2:][i,j] + A[3][j] * A[2:]", "ranges come before indices: write "),
        ("y[:3][i] = A[i,j]", "the left has a range: a result has all elements of "),
        (
            "z = A[2:][i,j,k] + A[:2][i,j,k]",
            "operand 'A' has rank 2, but is written with 3 ",
        ),
        ("y[j] = A[9][j]", "coordinate 9 is out of bounds in dimension 0 of operand"),
    ],
)
def test_wrong_ranges(text, message):
    with pytest.raises(nacho.NachoError) as error:
        nacho.evaluate(text, A=A)
    assert str(error.value).startswith(message)


@pytest.mark.host_only
def test_derivatives():
    text = "Z[i,k] = A[:, 2:10][i,j] * B[j,k]"
    assert nacho.grad(text, "B") == "dB[j,k] = dZ[i,k] * A[:, 2:10][i,j]"
    with pytest.raises(
        nacho.UnsupportedError, match="for 'A' is that for a part of it"
    ):
        nacho.grad(text, "A")
