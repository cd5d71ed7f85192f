"""Sums of which several steps are taken at once, in the lanes of a vector."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from nacho import OperandError, Tensor, mlir

pytestmark = [
    pytest.mark.any_target,
    pytest.mark.optimized,
    # Sums of functions are what is tested here.
    pytest.mark.filterwarnings("ignore:index 'j' is summed over last"),
]

SPMV = "y[i] = A[i,j] * x[j]"
PATHS = [
    {"vector-bits": 256, "gathers": False},
    {"vector-bits": 256, "gathers": True},
    {"vector-bits": 512, "gathers": True},
]
LENGTHS = [*range(20), 100, 1000]


def compiled(text, choices=None, **formats):
    return mlir.compile(text, formats=formats, choices=choices)


def rows_of(lengths, columns=1200, dtype="f8"):
    """Return a matrix whose rows have these numbers of entries."""
    rng = np.random.default_rng(1)
    pos = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    crd = [np.sort(rng.choice(columns, n, replace=False)) for n in lengths]
    values = rng.integers(-50, 50, pos[-1]).astype(dtype)
    crd = np.concatenate(crd).astype(np.int32)
    return sp.csr_array((values, crd, pos), shape=(len(lengths), columns))


@pytest.mark.parametrize("choices", PATHS)
@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", "i8", "i2", "c8"])
def test_lengths_of_rows(choices, dtype):
    given = rows_of(LENGTHS, dtype=dtype)
    vector = np.arange(given.shape[1]).astype(dtype)
    kernel = compiled(SPMV, choices, A="csr", x="dense", y="dense")
    for parts in (1, 7):
        found = kernel(given, vector, parts=parts, threads=2)
        np.testing.assert_array_equal(found, given.toarray() @ vector)


@pytest.mark.parametrize(
    "text",
    [
        "y[i] = A[i,j]",
        "y[i] = A[i,j] * x[j] * 2 + A[i,j] * A[i,j]",
        "y[i] = exp(A[i,j] * x[j]) - 1",
        "y[i] = A[i,j] * (x[j] > 3)",
        "s = A[i,j]",
    ],
)
@pytest.mark.parametrize("choices", PATHS)
def test_terms(text, choices):
    given = rows_of(LENGTHS) / 100
    vector = np.linspace(-1, 9, given.shape[1])
    formats = {"A": "csr"} | ({"x": "dense"} if "x[" in text else {})
    operands = (given, vector) if "x[" in text else (given,)
    plain = compiled(text, {"vector-bits": 0}, **formats)(*operands)
    found = compiled(text, choices, **formats)(*operands)
    np.testing.assert_allclose(found, plain, rtol=1e-12, atol=1e-12)


def test_every_path_gives_the_same_bits():
    rng = np.random.default_rng(2)
    given = rows_of(LENGTHS)
    given.data = rng.standard_normal(given.nnz)
    vector = rng.standard_normal(given.shape[1])
    found = [
        compiled(SPMV, choices, A="csr", x="dense", y="dense")(given, vector)
        for choices in PATHS
    ]
    assert len({result.tobytes() for result in found}) == 1


@pytest.mark.parametrize("choices", PATHS)
def test_special_values(choices):
    """Lanes that are no steps add nothing, whatever they read."""
    given = rows_of([0, 1, 3, 9])
    given.data[:] = 1
    vector = np.full(given.shape[1], np.nan)
    vector[given.indices] = np.inf
    vector[0] = np.nan
    kernel = compiled(SPMV, choices, A="csr", x="dense", y="dense")
    found = kernel(given, vector)
    np.testing.assert_array_equal(found, [0, np.inf, np.inf, np.inf])


@pytest.mark.parametrize("choices", PATHS)
@pytest.mark.parametrize("wrong", [-1, 1200, 2**31 - 1])
def test_edited_coordinates_are_refused(choices, wrong):
    """A coordinate that is edited between calls is never read at."""
    given = rows_of([4, 9, 2])
    vector = np.ones(given.shape[1])
    kernel = compiled(SPMV, choices, A="csr", x="dense", y="dense")
    kernel(given, vector)
    given.indices[6] = wrong
    with pytest.raises(OperandError):
        kernel(given, vector)


def test_the_pass_is_used():
    shown = compiled(SPMV, PATHS[1], A="csr", x="dense", y="dense").mlir("scf")
    assert "vector.gather" in shown
    plain = compiled(SPMV, {"vector-bits": 0}, A="csr", x="sparse-vector")
    assert "vector.gather" not in plain.mlir("scf")


@pytest.mark.parametrize("columns", [0, 5])
def test_empty_rows(columns):
    kernel = compiled(SPMV, A="csr", x="dense", y="dense")
    found = kernel(sp.csr_array((3, columns)), np.ones(columns))
    np.testing.assert_array_equal(found, [0, 0, 0])


SHORT = {
    "short": [0, 3, 1, 7, 0, 2, 4, 5] * 40,
    "long between": [2, 0, 5, 9, 1, 3, 40, 6, 0] * 37,
    "few": [3, 1, 4],
    "octets": [*range(56), *[24, 0, 47] * 8, *[41] * 8, *[16] * 5, 8, 63, 0, 7],
    "many at once": [*[1] * 300, 700, *[2] * 130, 8, 1200, 0, 0, 7],
    "empty": [0] * 300,
}
"""Lengths of rows of which several are added up at once, or cannot be."""


@pytest.mark.each_value
@pytest.mark.parametrize("lengths", SHORT.values(), ids=SHORT)
@pytest.mark.parametrize(
    ("text", "formats"),
    [
        (SPMV, {"A": "csr", "x": "dense", "y": "dense"}),
        ("y[i] = A[i,j] * x[j] + b[i]", {"A": "csr", "x": "dense", "b": "dense"}),
        ("y[i] = abs(A[i,j])", {"A": "csr"}),
        ("y[i] = exp(A[i,j] * x[j] / 100)", {"A": "csr", "x": "dense"}),
    ],
    ids=["product", "sum", "one", "function"],
)
@pytest.mark.parametrize("dtype", ["f4", "f8", "i4"])
@pytest.mark.sampled
def test_short_rows_have_the_bits_of_each_alone(text, formats, lengths, dtype):
    rng = np.random.default_rng(3)
    given = rows_of(lengths)
    given.data = (rng.standard_normal(given.nnz) * 99).astype(dtype)
    dense = {
        "x": (rng.standard_normal(given.shape[1]) * 99).astype(dtype),
        "b": (rng.standard_normal(given.shape[0]) * 99).astype(dtype),
    }
    operands = {"A": given} | {name: dense[name] for name in formats if name in dense}
    alone = compiled(text, {"vector-bits": 0}, **formats)
    for parts in (1, 2, 9):
        expected = alone(**operands, parts=parts)
        for choices in PATHS[::2]:
            found = compiled(text, choices, **formats)(**operands, parts=parts)
            assert found.tobytes() == expected.tobytes()


@pytest.mark.parametrize("index", ["i4", "i8"])
def test_fibers_of_three_levels(index):
    rng = np.random.default_rng(4)
    coords = np.unique(rng.integers(0, 30, (3, 4000)), axis=1)
    given = Tensor.from_coo(
        coords.astype(index),
        rng.standard_normal(coords.shape[1]),
        shape=(30, 30, 30),
        format="csf",
    )
    vector = rng.standard_normal(30)
    text = "Z[i,j] = A[i,j,k] * x[k]"
    formats = {"A": "csf", "x": "dense", "Z": "dense"}
    found = [
        compiled(text, choices, **formats)(given, vector, parts=3)
        for choices in [{"vector-bits": 0}, *PATHS]
    ]
    np.testing.assert_allclose(found[0], given.to_dense() @ vector)
    assert len({result.tobytes() for result in found}) == 1


@pytest.mark.host_only
@pytest.mark.parametrize("index", ["i4", "i8"])
@pytest.mark.parametrize("wrong", [-1, -(2**31), 2**31 - 1, 0, 10, 5000])
def test_edited_positions_of_short_rows(index, wrong):
    """Positions that nobody checks lead to no place outside of the arrays."""
    given = rows_of(SHORT["short"])
    given.indptr, given.indices = (
        given.indptr.astype(index),
        given.indices.astype(index),
    )
    vector = np.ones(given.shape[1])
    kernel = mlir.compile(
        SPMV, formats={"A": "csr", "x": "dense", "y": "dense"}, validate="none"
    )
    for place in (1, 64, 100, 127, 128, 129, 200, 319):
        edited = given.copy()
        edited.indptr[place] = wrong
        assert kernel(edited, vector).shape == (given.shape[0],)


@pytest.mark.host_only
def test_short_rows_are_lanes():
    shown = compiled(SPMV, PATHS[0], A="csr", x="dense", y="dense").mlir("scf")
    assert "vector.reduction <maxsi>" in shown


BESIDE = [
    (
        "Z[i,c] = s*A[i,j]*G[j,c] + (1-s)*Y[i,c]",
        lambda A, G, Y, s: s * A @ G + (1 - s) * Y,
    ),
    ("Z[i,c] = Y[i,c] - s*A[i,j]*G[j,c]", lambda A, G, Y, s: Y - s * A @ G),
    (
        "Z[i,c] = Y[i,c] + A[i,j]*G[j,c] + s*Y[i,c]",
        lambda A, G, Y, s: Y + A @ G + s * Y,
    ),
    (
        "Z[i,c] = A[i,j]*G[j,c] + Y[i,c] + A[i,k]*Y[k,c]",
        lambda A, G, Y, s: A @ G + Y + A @ Y,
    ),
]


@pytest.mark.each_pair
@pytest.mark.filterwarnings("ignore::nacho.NachoWarning")
@pytest.mark.parametrize("choices", [{}, {"vector-bits": 256}, {"vector-bits": 0}])
@pytest.mark.parametrize("dtype", ["f8", "f4", "i8"])
@pytest.mark.parametrize(("text", "wanted"), BESIDE, ids=[text for text, _ in BESIDE])
def test_terms_beside_a_product_with_a_dense_matrix(text, wanted, dtype, choices):
    names = dict.fromkeys("GYZ", "dense")
    kernel = compiled(text, choices, A="csr", **names)
    rng = np.random.default_rng(3)
    A = rows_of([3, 0, 1, 20, 2, 0, 7, *[4] * 23], 30, dtype)
    for width in (0, 1, 5, 8, 9, 16, 17, 33, 40):
        G, Y = (rng.integers(-9, 9, (30, width)).astype(dtype) for _ in "GY")
        given = {"A": A, "G": G, "Y": Y, "s": A.dtype.type(3)}
        given = {name: given[name] for name in kernel.operands}
        for parts in (1, 5):
            found = kernel(**given, parts=parts, threads=2)
            np.testing.assert_array_equal(found, wanted(A.toarray(), G, Y, 3))


def test_terms_beside_a_product_with_a_matrix_of_no_rows():
    text = "Z[i,c] = A[i,j]*G[j,c] + Y[i,c]"
    kernel = compiled(text, A="csr", G="dense", Y="dense", Z="dense")
    for width in (3, 16, 40):
        Y = np.arange(4.0 * width).reshape(4, width)
        found = kernel(sp.csr_array((4, 0)), np.zeros((0, width)), Y)
        np.testing.assert_array_equal(found, Y)


MASKED = "Z[i,k] = M[i,k] * A[i,j] * B[j,k]"


def masked_operands():
    """Return a mask and two factors; rows of B have up to 600 entries."""
    rng = np.random.default_rng(4)
    found = {"M": rows_of([*range(19), 300, 1200], 1200), "A": rows_of([7] * 21, 40)}
    found["B"] = rows_of([*range(0, 600, 15)], 1200)
    for matrix in found.values():
        matrix.data = rng.standard_normal(matrix.nnz)
    return found


def masked(choices):
    return compiled(MASKED, choices, M="csr", A="csr", B="csr", Z="csr")


def test_masked_products_have_the_same_bits_on_every_path():
    operands = masked_operands()
    sums = {name: matrix.toarray() for name, matrix in operands.items()}
    wanted = sums["M"] * (sums["A"] @ sums["B"])
    results = [masked(choices)(**operands) for choices in PATHS]
    np.testing.assert_allclose(results[0].toarray(), wanted)
    assert len({result.data.tobytes() for result in results}) == 1


@pytest.mark.parametrize("choices", PATHS)
@pytest.mark.parametrize("length", [15, 285, 585])
@pytest.mark.parametrize("wrong", [1200, 2**31 - 1, -1, -(2**31)])
def test_masked_products_report_edited_coordinates(choices, length, wrong):
    operands = masked_operands()
    kernel = masked(choices)
    kernel(**operands)
    B = operands["B"]
    row = length // 15
    operands["A"].indices[-1] = row
    for place in (B.indptr[row], B.indptr[row + 1] - 1):
        before = B.indices[place]
        B.indices[place] = wrong
        with pytest.raises(OperandError):
            kernel(**operands)
        B.indices[place] = before
    kernel(**operands)


def product_operands():
    """Return two factors, of which most products are added to others."""
    rng = np.random.default_rng(5)
    found = {
        "A": rows_of([9, 40, 0, 3], 40),
        "B": rows_of([*range(20), *[100] * 20], 120),
    }
    for matrix in found.values():
        matrix.data = rng.standard_normal(matrix.nnz)
    return found


@pytest.mark.parametrize("semiring", [None, "min_plus"])
def test_products_have_the_same_bits_on_every_path(semiring):
    operands = product_operands()
    formats = {"A": "csr", "B": "csr", "Z": "csr"}
    results = [
        mlir.compile(
            "Z[i,k] = A[i,j] * B[j,k]", formats, semiring=semiring, choices=choices
        )(**operands)
        for choices in PATHS
    ]
    if semiring is None:
        wanted = operands["A"].toarray() @ operands["B"].toarray()
        np.testing.assert_allclose(results[0].toarray(), wanted)
    assert len({result.data.tobytes() for result in results}) == 1
    assert len({result.indices.tobytes() for result in results}) == 1


@pytest.mark.parametrize("choices", PATHS)
@pytest.mark.parametrize("more", [1, 2**20, -(2**31)])
@pytest.mark.parametrize("place", [0, 15, 16, 99])
def test_products_report_edited_coordinates(choices, more, place):
    """The last row of B meets places that are used, whatever is added to them."""
    operands = product_operands()
    B = operands["B"]
    kernel = compiled("Z[i,k] = A[i,j] * B[j,k]", choices, A="csr", B="csr", Z="csr")
    kernel(**operands)
    at = B.indptr[-2] + place
    before = B.indices[at]
    B.indices[at] = before + more if more != 1 else B.shape[1]
    with pytest.raises(OperandError):
        kernel(**operands)
    B.indices[at] = before
    kernel(**operands)
