"""Powers, and functions that are written in fewer words than the operators they are."""

import numpy as np
import pytest
import scipy.sparse as sp

import nacho

rng = np.random.default_rng(3)
D = rng.integers(-3, 4, (5, 6)) * (rng.random((5, 6)) < 0.6) / 2.0
A = sp.csr_array(D)

FUNCTIONS = {
    "relu(A[i,j])": lambda a: np.maximum(a, 0),
    "sign(A[i,j])": np.sign,
    "isnan(A[i,j])": np.isnan,
    "floor(A[i,j])": np.floor,
    "ceil(A[i,j])": np.ceil,
    "expm1(A[i,j])": np.expm1,
    "log1p(abs(A[i,j]))": lambda a: np.log1p(np.abs(a)),
    "A[i,j]**2": lambda a: a**2,
    "A[i,j]**7": lambda a: a**7,
    "-A[i,j]**2": lambda a: -(a**2),
    "abs(A[i,j])**0.5": lambda a: np.abs(a) ** 0.5,
    "abs(A[i,j])**1.5**1.0": lambda a: np.abs(a) ** 1.5,
}


@pytest.mark.any_target
@pytest.mark.parametrize("text", FUNCTIONS)
def test_functions_are_numpys_and_keep_zeros(text):
    found = nacho.evaluate(f"Z[i,j] = {text}", A=A)
    wanted = FUNCTIONS[text](D)
    assert isinstance(found, sp.csr_array)
    assert found.nnz == A.nnz
    assert found.dtype == wanted.dtype
    np.testing.assert_allclose(found.toarray(), wanted, rtol=1e-14)


DENSE = {
    "sigmoid(A[i,j])": lambda a: 1 / (1 + np.exp(-a)),
    "A[i,j]**0": lambda a: a**0,
    "A[i,j]**-2": lambda a: a**-2.0,
    "2**A[i,j]": lambda a: 2**a,
}


@pytest.mark.parametrize("text", DENSE)
def test_what_makes_zeros_other_numbers_is_refused(text):
    with pytest.raises(nacho.UnsupportedError, match="would make the result dense"):
        nacho.evaluate(f"Z[i,j] = {text}", A=A)
    found = nacho.evaluate(f"Z[i,j] = {text}", A=A, out="dense")
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(found, DENSE[text](D), rtol=1e-14)


@pytest.mark.parametrize("dtype", [np.float32, np.int32, np.uint8, np.int64])
def test_types(dtype):
    B = sp.csr_array(np.abs(D * 2).astype(dtype))

    def type_of(text):
        return nacho.evaluate(f"Z[i,j] = {text}", B=B).dtype

    for text in ("B[i,j]**2", "floor(B[i,j])", "relu(B[i,j])"):
        assert type_of(text) == dtype, text
    real = np.float32 if dtype == np.float32 else np.float64
    for text in ("expm1(B[i,j])", "B[i,j]**0.5"):
        assert type_of(text) == real, text
    assert type_of("isnan(B[i,j])") == np.bool_
    np.testing.assert_array_equal(
        nacho.evaluate("Z[i,j] = B[i,j]**3", B=B).toarray(), B.toarray() ** 3
    )


def test_integers_do_not_overflow():
    u = np.array([0, 1, 2, 200], np.uint8)
    found = nacho.evaluate("y[i] = sigmoid(u[i])", u=u)
    np.testing.assert_allclose(found, 1 / (1 + np.exp(-u.astype(float))))
    s = np.array([20, 4, -128], np.int8)
    found = nacho.evaluate("y[i] = s[i]**-2", s=s)
    np.testing.assert_allclose(found, s.astype(float) ** -2)
    flags = np.array([True, False])
    found = nacho.evaluate("y[i] = sigmoid(floor(flags[i]))", flags=flags)
    np.testing.assert_allclose(found, 1 / (1 + np.exp(-flags.astype(float))))


def test_nested_shorthands_take_no_longer():
    x = np.array([-2.0, 0, 3])
    text = "sign(" * 40 + "x[i]" + ")" * 40
    np.testing.assert_array_equal(nacho.evaluate(f"y[i] = {text}", x=x), np.sign(x))
    text = "(" * 8 + "x[i]" + "**2)" * 8
    np.testing.assert_allclose(nacho.evaluate(f"y[i] = {text}", x=x), x**256)


def test_small_numbers_keep_their_digits():
    """MLIR would compute exp(x) - 1 and log(1 + x)."""
    tiny = sp.csr_array(np.array([[1e-12, -3e-15, 0]]))
    for name in ("expm1", "log1p"):
        found = nacho.evaluate(f"Z[i,j] = {name}(T[i,j])", T=tiny).toarray()
        np.testing.assert_allclose(found, getattr(np, name)(tiny.toarray()), rtol=1e-15)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sums_of_functions_that_c_computes(dtype):
    """Several steps of a sum are taken at once, and C computes one at a time."""
    E, F = rng.random((9, 40)).astype(dtype), rng.random((40, 9)).astype(dtype)
    found = nacho.evaluate("y[i] = sum(j, log1p(E[i,j]))", E=E)
    np.testing.assert_allclose(found, np.log1p(E).sum(1), rtol=1e-6)
    B = sp.csr_array(E * (E > 0.5))
    found = nacho.evaluate("y[i] = sum(j, B[i,j] * expm1(F[j,i]))", B=B, F=F)
    wanted = (B.toarray() * np.expm1(F).T).sum(1)
    np.testing.assert_allclose(found, wanted, rtol=1e-5)


def test_a_power_binds_tighter_than_a_sign_and_is_of_its_right_side():
    assert nacho.evaluate("s = -x**2", x=3.0) == -9
    assert nacho.evaluate("s = x**y**2", x=2.0, y=3.0) == 512
    assert nacho.evaluate("s = x**-y", x=2.0, y=1.0) == 0.5
    a, i, j = nacho.access(A, *nacho.indices("i j")), *nacho.indices("i j")
    found = nacho.evaluate((a + a) ** 2, (i, j))
    np.testing.assert_allclose(found.toarray(), (2 * D) ** 2)
    found = nacho.evaluate(abs(a) ** 0.5, (i, j))
    np.testing.assert_allclose(found.toarray(), np.abs(D) ** 0.5)
    np.testing.assert_allclose(nacho.evaluate(2**-a, (i, j), out="dense"), 2**-D)
    np.testing.assert_allclose(
        nacho.evaluate(nacho.relu(a), (i, j)).toarray(), np.maximum(D, 0)
    )


def test_complex_numbers_have_no_such_powers():
    C = A.astype(complex)
    found = nacho.evaluate("Z[i,j] = C[i,j]**2", C=C)
    np.testing.assert_allclose(found.toarray(), C.toarray() ** 2)
    with pytest.raises(nacho.DTypeError, match="of complex numbers"):
        nacho.evaluate("Z[i,j] = C[i,j]**0.5", C=C)


@pytest.mark.parametrize("dtype", ["u1", "i1", "i8", "f4"])
def test_signs_keep_the_type(dtype):
    x = np.array([0, 3, 100], dtype)
    found = nacho.evaluate("y[i] = sign(x[i])", x=x)
    assert found.dtype == x.dtype
    np.testing.assert_array_equal(found, np.sign(x))
