"""The oracle itself, against NumPy where NumPy has the same notion."""

import numpy as np
import pytest
import scipy.sparse as sp

import oracle

RNG = np.random.default_rng(5)


def arrays(**shapes):
    return {name: RNG.integers(-4, 5, shape) / 4 for name, shape in shapes.items()}


EINSUMS = [
    ("y[i] = A[i,j] * x[j]", "ij,j->i", {"A": (3, 4), "x": (4,)}),
    ("y[j] = A[i,j]", "ij->j", {"A": (3, 4)}),
    ("s = A[i,j] * B[i,j]", "ij,ij->", {"A": (3, 4), "B": (3, 4)}),
    ("C[k,i] = A[i,j] * B[j,k]", "ij,jk->ki", {"A": (2, 3), "B": (3, 4)}),
    ("Z[i,j] = M[i,j] * A[i,k] * B[k,j]", "ij,ik,kj->ij",
     {"M": (2, 3), "A": (2, 4), "B": (4, 3)}),
    ("M[i,r] = T[i,j,k] * B[j,r] * C[k,r]", "ijk,jr,kr->ir",
     {"T": (2, 3, 4), "B": (3, 5), "C": (4, 5)}),
    ("t = A[i,i]", "ii->", {"A": (3, 3)}),
    ("d[i] = A[i,j,i] * x[j]", "iji,j->i", {"A": (3, 2, 3), "x": (2,)}),
    ("Z[i,j] = x[i] * y[j]", "i,j->ij", {"x": (3,), "y": (0,)}),
    ("y[i] = A[i,j]", "ij->i", {"A": (3, 0)}),
    ("Z(l,i) = T(i,j,k,l) * x(j)", "ijkl,j->li", {"T": (2, 3, 1, 4), "x": (3,)}),
]  # fmt: skip


@pytest.mark.parametrize("text, subscripts, shapes", EINSUMS)
def test_as_einsum(text, subscripts, shapes):
    operands = arrays(**shapes)
    found = oracle.solve(text, operands)
    wanted = np.einsum(subscripts, *operands.values())
    np.testing.assert_array_equal(found.value, wanted)
    assert found.value.shape == wanted.shape
    assert found.value.dtype == wanted.dtype
    assert found.pattern.shape == wanted.shape
    assert found.sparse
    assert (found.error is None) == (not oracle.reduces(text))


def test_terms_sum_on_their_own():
    operands = arrays(A=(3, 4), x=(4,), b=(3,), B=(3, 5), z=(5,))
    A, x, b, B, z = operands.values()
    cases = {
        "y[i] = b[i] + A[i,j] * x[j]": b + A @ x,
        "y[i] = -(A[i,j] * x[j] - b[i]) + B[i,k] * z[k]": -(A @ x - b) + B @ z,
        "y[i] = 2 * (A[i,j] + b[i])": 2 * (A + b[:, None]).sum(1),
        "y[i] = (A[i,j] + b[i])": A.sum(1) + b,
        "y[i] += A[i,j] * x[j] + 1": A @ x + 1,
        "s = A[i,j] + b[i] - 3": A.sum() + b.sum() - 3,
    }
    for text, wanted in cases.items():
        np.testing.assert_allclose(oracle.evaluate(text, operands)[0], wanted)


def test_other_reductions():
    A = sp.coo_array(([1.0, -2.0, -3.0, -5.0], ([0, 1, 1, 1], [0, 0, 1, 2])), (3, 3))
    for text, wanted in {
        "y[i] max= A[i,j]": [1, -2, 0],
        "y[i] min= A[i,j]": [0, -5, 0],
        "y[i] *= A[i,j]": [0, -30, 0],
        "y[i] min= -A[i,j] * 2": [-2, 4, 0],
    }.items():
        value, pattern = oracle.evaluate(text, {"A": A})
        assert value.tolist() == wanted
        assert pattern.tolist() == [True, True, False]
    empty = {"A": np.zeros((2, 0))}
    assert oracle.evaluate("y[i] *= A[i,j]", empty)[0].tolist() == [1, 1]
    with pytest.raises(ValueError, match="zero-size"):
        oracle.evaluate("y[i] max= A[i,j]", empty)


def test_patterns_and_zeros():
    A = sp.csr_array(([np.inf, 0.0], [0, 2], [0, 1, 2]), shape=(2, 3))
    x = np.array([0.0, np.inf, np.nan])
    value, pattern = oracle.evaluate("Z[i,j] = A[i,j] * x[j]", {"A": A, "x": x})
    assert pattern.tolist() == [[True, False, False], [False, False, True]]
    np.testing.assert_array_equal(value, [[np.nan, 0, 0], [0, 0, np.nan]])
    value, pattern = oracle.evaluate("y[j] = A[i,j]", {"A": A})
    assert pattern.tolist() == [True, False, True]
    dense = oracle.solve("Z[i,j] = A[i,j] + x[j]", {"A": A, "x": x})
    assert dense.pattern.all()
    assert dense.sparse
    for text in ("Z[i,j] = A[i,j] + 1", "Z[i,j] = A[i,j] - s"):
        assert not oracle.solve(text, {"A": A, "s": 0}).sparse
    assert oracle.solve("Z[i,j] = (A[i,j] + s) * x[j]", {"A": A, "x": x, "s": 1}).sparse
    blocks = oracle.closed(pattern, ((0, "compressed"),))
    assert blocks.tolist() == pattern.tolist()
    entry = np.array([[False, True], [False, False]])
    block = oracle.closed(entry, ((0, "compressed"), (1, "dense")))
    assert block.tolist() == [[True, True], [False, False]]


def test_functions_are_those_of_numpy():
    a, b = RNG.normal(size=(2, 50))
    b[:2] = 0, -0.0
    operands = {"A": a, "B": b}
    with np.errstate(all="ignore"):
        for text, wanted in {
            "abs(A[i]) / B[i]": np.abs(a) / b,
            "min(A[i], B[i]) + max(A[i], 0)": np.minimum(a, b) + np.maximum(a, 0),
            "where(A[i] < B[i], A[i], 2)": np.where(a < b, a, 2),
            "(A[i] != B[i]) * sqrt(A[i])": (a != b) * np.sqrt(a),
            "1 / B[i]": 1 / b,
        }.items():
            found = oracle.evaluate(f"Z[i] = {text}", operands)[0]
            np.testing.assert_array_equal(found, wanted)
        for name in ("sqrt", "exp", "log", "sin", "cos", "tanh"):
            for kind in (np.float32, np.float64, np.complex64, np.complex128):
                given = (abs(a) + 0.25).astype(kind)
                wanted = getattr(np, name)(given)
                found = oracle.evaluate(f"Z[i] = {name}(A[i])", {"A": given})[0]
                assert found.dtype == kind
                np.testing.assert_array_almost_equal_nulp(found.real, wanted.real, 4)
        c, d = a + 1j * b, b[::-1] - 2j * a
        found = oracle.evaluate("Z[i] = C[i] / D[i]", {"C": c, "D": d})[0]
        np.testing.assert_array_equal(found, c / d)


def test_patterns_of_functions():
    A = sp.csr_array(([3.0, 0.0, 1.0], [0, 1, 3], [0, 2, 3]), shape=(2, 4))
    B = sp.csr_array(([2.0, 5.0], [0, 2], [0, 1, 2]), shape=(2, 4))
    a, b = (oracle.pattern(each) for each in (A, B))
    operands = {"A": A, "B": B, "D": np.zeros((2, 4)), "s": 0.0}
    for text, wanted in {
        "max(A[i,j], B[i,j])": a | b,
        "A[i,j] != B[i,j]": a | b,
        "A[i,j] / D[i,j]": a,
        "A[i,j] / s": a,
        "where(A[i,j], B[i,j], 0)": a & b,
        "where(A[i,j] > 1, B[i,j], A[i,j])": a,
        "where(A[i,j], 0, B[i,j])": a | b,
        "where(A[i,j] == 0, B[i,j], A[i,j])": b | a,
        "where(A[i,j] == 0, B[i,j], 1)": b | a,
        "where(s, A[i,j], B[i,j])": a | b,
        "where(A[i,j] / B[i,j], B[i,j], 0)": b,
        "where(D[i,j] > s, 0, B[i,j])": b,
    }.items():
        found = oracle.solve(f"Z[i,j] = {text}", operands)
        assert found.sparse, text
        np.testing.assert_array_equal(found.pattern, wanted, text)
        assert np.isfinite(found.value[~wanted]).all()
    for text in (
        "A[i,j] / B[i,j]",
        "exp(A[i,j])",
        "A[i,j] <= 0",
        "min(A[i,j], s)",
        "where(s, A[i,j], 1)",
        "B[i,j] / B[i,j] > 2",
        "cos(D[i,j])",
    ):
        assert not oracle.solve(f"Z[i,j] = {text}", operands).sparse
    quotient = oracle.evaluate("Z[i,j] = A[i,j] / D[i,j]", operands)[0]
    np.testing.assert_array_equal(quotient[~a], 0)


def test_broadcast_of_a_confined_factor():
    """A reduced range without coordinates has no entry, whatever confines the term."""
    x = sp.coo_array(([2.0], ([1],)), (3,))
    for extent, stored in ((2, True), (0, False)):
        operands = {"x": x, "D": np.ones((3, extent))}
        value, pattern = oracle.evaluate("y[i] = x[i] * (D[i,j] + 1)", operands)
        assert pattern.tolist() == [False, stored, False]
        assert value.tolist() == [0, 4.0 * extent, 0]


@pytest.mark.parametrize(
    "text, types, wanted",
    [
        ("Z[i] = A[i] + B[i]", "bB", "int16"),
        ("Z[i] = A[i] * 2", "?", "int64"),
        ("Z[i] = A[i] * 0.5", "f", "float32"),
        ("Z[i] = A[i] * 0.5", "h", "float64"),
        ("Z[i] = A[i] * s + B[i]", "fdB", "float64"),
        ("z = A[i]", "b", "int8"),
        ("z = A[i] * B[i]", "?", "bool"),
        ("z = A[i] * B[i]", "lF", "complex128"),
        ("Z[i] = A[i] * B[i] + C[i]", "bbF", "complex64"),
    ],
)
def test_types_are_those_of_numpy(text, types, wanted):
    names = [name for name in "AsBC" if name in text]
    given = {
        name: (0 if name == "s" else 1, types[n % len(types)])
        for n, name in enumerate(names)
    }
    assert oracle.result_dtype(text, given) == wanted


def test_arithmetic_is_that_of_numpy():
    one = np.array([100, 100, 100], np.int8)
    assert oracle.evaluate("z = A[i]", {"A": one})[0] == np.int8(44)
    mixed = {"A": one, "B": np.ones(3, np.int16)}
    assert oracle.evaluate("z = A[i] * B[i]", mixed)[0] == 300
    assert oracle.evaluate("z = (2 - 3) * A[i]", {"A": one})[0] == np.int8(-44)
    flags = {"A": np.array([True, True, False])}
    assert oracle.evaluate("z = A[i]", flags)[0].item() is True
    assert oracle.evaluate("z *= A[i]", flags)[0].item() is False
    for text in ("z = -A[i]", "Z[i] = A[i] - A[i]"):
        with pytest.raises(TypeError):
            oracle.evaluate(text, flags)
    with pytest.raises(OverflowError):
        oracle.evaluate("Z[i] = A[i] + 300", {"A": one})


def test_errors_cover_other_orders_of_sums():
    for dtype in (np.float32, np.float64, np.complex64):
        A = RNG.normal(size=(4, 1000)).astype(dtype)
        b = RNG.normal(size=4).astype(dtype)
        found = oracle.solve("y[i] = b[i] + A[i,j]", {"A": A, "b": b})
        for order in (A, A[:, ::-1]):
            summed = b.copy()
            for column in order.T:
                summed += column
            assert (np.abs(summed - found.value) <= found.error).all()
        assert (found.error < 1000 * 1000 * np.finfo(dtype).eps * 8).all()


@pytest.mark.parametrize(
    "text, orders, wanted",
    [
        ("Z[i,j] = A[i,j] + B[i,j]", {"A": (0, 1), "B": (0, 1), "Z": (0, 1)}, False),
        ("Z[i,j] = A[i,j] + B[i,j]", {"A": (0, 1), "B": (1, 0), "Z": (0, 1)}, True),
        ("Z[i,j] = A[i,j] + B[j,i]", {"A": (0, 1), "B": (1, 0), "Z": (0, 1)}, False),
        ("Z[i,j] = A[i,j]", {"A": (0, 1), "Z": (1, 0)}, True),
        ("Z[i,j] = A[i,j]", {"A": (0, 1), "Z": None}, False),
        ("y[i] = A[i,j] * x[j]", {"A": (0, 1), "x": None, "y": None}, False),
        ("y[j] = A[i,j] * x[i]", {"A": (0, 1), "x": None, "y": None}, True),
        ("Z[i,k] = A[i,j] * B[j,k]", {"A": (0, 1), "B": (0, 1), "Z": (0, 1)}, True),
        ("Z[i,k] = A[i,j] * B[j,k]", {"A": (0, 1), "B": (1, 0), "Z": (0, 1)}, False),
        ("Z[i,k] = A[i,j] * B[j,k]", {"A": (0, 1), "B": None, "Z": None}, False),
        ("y[i] = A[i,i]", {"A": (0, 1), "y": None}, True),
        ("y[i] = A[i,i]", {"A": None, "y": None}, False),
        ("s = A[i,j] * B[j,i]", {"A": (0, 1), "B": (0, 1)}, True),
    ],
)
def test_orders(text, orders, wanted):
    assert oracle.is_scatter_or_transposition(text, orders) is wanted


def test_containers():
    where, values = np.array([[0, 1, 1], [2, 0, 2]]), np.array([1.0, 0.0, 3.0])
    wanted = np.zeros((2, 4))
    wanted[tuple(where)] = values
    entries = wanted.astype(bool)
    entries[1, 0] = True
    coo = sp.coo_array((values, tuple(where)), (2, 4))
    csr = sp.csr_array((values, where[1], [0, 1, 3]), shape=(2, 4))
    csc = sp.csc_matrix((values[[1, 0, 2]], [1, 0, 1], [0, 1, 1, 3, 3]), shape=(2, 4))
    for container in (coo, sp.coo_matrix(coo), csr, csc):
        value, pattern = oracle.entries(container)
        np.testing.assert_array_equal(value, wanted)
        np.testing.assert_array_equal(pattern, entries)
    blocks = sp.bsr_array((np.arange(8.0).reshape(2, 2, 2), [0, 1], [0, 2]), (2, 4))
    value, pattern = oracle.entries(blocks)
    np.testing.assert_array_equal(value, blocks.toarray())
    assert pattern.all()
    twice = sp.coo_array(([1.0, 2.0], ([1, 1],)), (3,))
    assert oracle.dense(twice).tolist() == [0, 3, 0]
    line = sp.csr_array(([1.0, 2.0], [0, 2], [0, 2]), shape=(3,))
    assert oracle.dense(line).tolist() == [1, 0, 2]
    assert oracle.pattern(np.zeros((2, 2))).all()
