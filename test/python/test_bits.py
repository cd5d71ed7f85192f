"""``& | ^ ~`` of integers and bools, and ``pattern``: where an operand has entries."""

import numpy as np
import pytest
import scipy.sparse as sp

import nacho

rng = np.random.default_rng(11)


def matrix(dtype=np.int64):
    values = rng.integers(-4, 5, (6, 6)) * (rng.random((6, 6)) < 0.5)
    made = sp.csr_array(values.astype(dtype))
    made.data[0] = 0  # an entry that is zero
    return made


A, B = matrix(), matrix()
D, E = A.toarray(), B.toarray()


def stored(array):
    where = np.zeros(array.shape, bool)
    where[array.tocoo().coords] = True
    return where


P, Q = stored(A), stored(B)

SPARSE = {
    "A[i,j] & B[i,j]": (D & E, P & Q),
    "A[i,j] | B[i,j]": (D | E, P | Q),
    "A[i,j] ^ B[i,j]": (D ^ E, P | Q),
    "A[i,j] & 3": (D & 3, P),
    "(A[i,j] > 0) & ~(B[i,j] > 0)": ((D > 0) & ~(E > 0), P),
    "(A[i,j] > 0) | (B[i,j] < 0)": ((D > 0) | (E < 0), P | Q),
    "~~(A[i,j] > 0)": (D > 0, P),
    "A[i,j] | A[i,j] & B[i,j] ^ A[i,j]": (D | D & E ^ D, P | Q),
    "pattern(A)[i,j]": (P, P),
    "pattern(A[i,j])": (P, P),
    "pattern(A)[i,j] * B[i,j]": (P * E, P & Q),
    "pattern(A)[i,j] + B[i,j]": (P + E, P | Q),
    "pattern(A)[j,i] & ~pattern(B)[i,j]": (P.T & ~Q, P.T),
}


@pytest.mark.any_target
@pytest.mark.parametrize("text", SPARSE)
def test_numpys_bits_and_patterns(text):
    value, where = SPARSE[text]
    names = nacho.mlir.compile(f"Z[i,j] = {text}").operands
    given = {name: {"A": A, "B": B}[name] for name in names}
    found = nacho.evaluate(f"Z[i,j] = {text}", given)
    assert isinstance(found, sp.csr_array)
    assert found.dtype == value.dtype
    np.testing.assert_array_equal(found.toarray(), value)
    if not {"|", "^"} & set(text):
        np.testing.assert_array_equal(stored(found), where)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.bool_])
def test_types(dtype):
    C = sp.csr_array(np.abs(D).astype(dtype))
    inverted = nacho.evaluate("Z[i,j] = ~C[i,j]", C=C, out="dense")
    assert inverted.dtype == dtype
    np.testing.assert_array_equal(inverted, ~C.toarray())
    both = nacho.evaluate("Z[i,j] = C[i,j] & C[j,i]", C=C)
    assert both.dtype == dtype
    np.testing.assert_array_equal(both.toarray(), C.toarray() & C.toarray().T)


def test_a_pattern_in_sums_and_products():
    X = sp.csr_array(rng.random((6, 6)) * P)
    text = "exp(X[i,j]) * pattern(X)[i,j]"
    found = nacho.evaluate(f"Z[i,j] = {text} / sum(j, {text})", X=X)
    powers = np.where(stored(X), np.exp(X.toarray()), 0)
    sums = powers.sum(1, keepdims=True)
    wanted = np.divide(powers, sums, where=sums > 0, out=np.zeros_like(powers))
    np.testing.assert_allclose(found.toarray(), wanted)
    assert found.nnz == X.nnz
    degrees = nacho.evaluate("d[i] = count(j, pattern(A)[i,j])", A=A)
    np.testing.assert_array_equal(degrees, P.sum(1))
    common = nacho.evaluate(
        "Z[i,k] = sum(j, where(pattern(A)[i,j] & pattern(A)[k,j], 1, 0))", A=A
    )
    np.testing.assert_array_equal(common.toarray(), P.astype(int) @ P.T.astype(int))


def test_everything_of_a_dense_operand_is_stored():
    np.testing.assert_array_equal(
        nacho.evaluate("Z[i,j] = pattern(D)[i,j]", D=D), np.ones_like(P)
    )


def test_expressions_of_indices():
    i, j = nacho.indices("i j")
    a, b = nacho.access(A, i, j), nacho.access(B, i, j)
    found = nacho.evaluate((a > 0) & ~(b > 0), (i, j))
    np.testing.assert_array_equal(found.toarray(), (D > 0) & ~(E > 0))
    found = nacho.evaluate((a | b) ^ (a & 3), (i, j))
    np.testing.assert_array_equal(found.toarray(), (D | E) ^ (D & 3))
    found = nacho.evaluate(nacho.pattern(a) * b, (i, j))
    np.testing.assert_array_equal(found.toarray(), P * E)


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("A[i,j] & 1.5", nacho.DTypeError, "'&' is for integers and bools only"),
        ("~(A[i,j] * 0.5)", nacho.DTypeError, "'~' is for integers and bools only"),
        ("~A[i,j]", nacho.UnsupportedError, "would make the result dense"),
        ("pattern(A)", nacho.ParseError, "expected the indices of 'A'"),
        ("pattern(2)", nacho.ParseError, "expected the name of a tensor"),
    ],
)
def test_refused(text, error, message):
    with pytest.raises(error, match=message):
        nacho.evaluate(f"Z[i,j] = {text}", A=A)
