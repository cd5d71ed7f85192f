"""Products of several factors are summed one sum after the other."""

from __future__ import annotations

import string

import numpy as np
import pytest
import scipy.sparse as sp

import nacho
from nacho import NachoError, Tensor, _nacho

pytestmark = pytest.mark.any_target

CHAIN = "y[i] = A[i,j] * B[j,k] * x[k]"


def matrix(shape, format, seed, density=0.3, dtype=np.float64):
    """Return a random tensor of small integers, so that sums are exact."""
    rng = np.random.default_rng(seed)
    values = rng.integers(-3, 4, shape) * (rng.random(shape) < density)
    dense = values.astype(dtype)
    if format == "dense":
        return dense
    coords = np.array(np.nonzero(dense), dtype=np.int32)
    return Tensor.from_coo(coords, dense[tuple(coords)], shape=shape, format=format)


def numbers(operand):
    return operand if isinstance(operand, np.ndarray) else operand.to_dense()


def entries(result):
    """Return the coordinates and values that a result stores."""
    if isinstance(result, Tensor):
        return result.coords, result.values
    return None, np.asarray(result)


def check_like_whole(text, operands, contract="auto", **options):
    """Compute as asked and whole; the same entries have the same values."""
    made = nacho.evaluate(text, operands, contract=contract, **options)
    whole = nacho.evaluate(text, operands, contract="none", **options)
    for one, other in zip(entries(made), entries(whole), strict=True):
        np.testing.assert_array_equal(one, other)
    return made


def loops(text, operands, **options):
    """Return the loops that a call runs one after the other."""
    return [nest.order for nest in nacho.partition(text, 2, operands, **options).nests]


# --- Values and patterns --------------------------------------------------------------


@pytest.mark.parametrize("format", ["csr", "csc", "dcsr", "coo", "dense"])
@pytest.mark.parametrize("contract", ["auto", ("j",), "k, j"])
def test_matrix_matrix_vector(format, contract):
    operands = {
        "A": matrix((5, 7), format, 1),
        "B": matrix((7, 6), format, 2),
        "x": matrix((6,), "dense", 3),
    }
    y = check_like_whole(CHAIN, operands, contract)
    wanted = numbers(operands["A"]) @ numbers(operands["B"]) @ operands["x"]
    np.testing.assert_array_equal(numbers(y), wanted)


FORMATS = (
    ("csr", "csr", "csr"),
    ("dcsr", "coo", "csr"),
    ("csc", "csc", "csr"),
    ("csr", "dense", "dcsr"),
    ("dense", "csr", "dense"),
    ("coo", "dcsr", "csc"),
)


@pytest.mark.sampled
@pytest.mark.parametrize("formats", FORMATS, ids="-".join)
@pytest.mark.parametrize("contract", ["auto", ("j",), ("k",)])
def test_three_matrices(formats, contract):
    first, second, third = formats
    out = {"csr": "dcsr", "dcsr": "coo", "coo": "csr"}.get(first, "csr")
    operands = {
        "A": matrix((5, 7), first, 1),
        "B": matrix((7, 4), second, 2),
        "C": matrix((4, 6), third, 3),
    }
    text = "Z[i,l] = A[i,j] * B[j,k] * C[k,l]"
    Z = check_like_whole(text, operands, contract, out=out)
    wanted = np.linalg.multi_dot([numbers(operand) for operand in operands.values()])
    np.testing.assert_array_equal(numbers(Z), wanted)


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("length", "end"),
    [
        *((length, "vector") for length in range(3, 9)),
        *((length, "trace") for length in (3, 4, 6, 8)),
        *((length, "matrix") for length in (4, 5, 8)),
    ],
)
def test_long_chains(length, end):
    names, indices = string.ascii_uppercase[:length], string.ascii_lowercase[8:]
    operands, factors = {}, []
    kinds = ("csr", "dcsr", "coo", "csr", "dense")
    for n, name in enumerate(names):
        last = n == length - 1
        if end == "vector" and last:
            operands[name] = matrix((4,), "dense", n)
            factors.append(f"{name}[{indices[n]}]")
            continue
        operands[name] = matrix((4, 4), kinds[n % len(kinds)], n, density=0.5)
        to = indices[0] if end == "trace" and last else indices[n + 1]
        factors.append(f"{name}[{indices[n]},{to}]")
    left = {"matrix": f"Z[i,{indices[length]}]", "vector": "Z[i]", "trace": "Z"}[end]
    dense = [numbers(operand) for operand in operands.values()]
    wanted = np.linalg.multi_dot(dense)
    out = "csr" if end == "matrix" else None
    text = f"{left} = {' * '.join(factors)}"
    Z = nacho.evaluate(text, operands, out=out)
    wanted = np.trace(wanted) if end == "trace" else wanted
    np.testing.assert_allclose(numbers(np.asarray(Z) if end == "trace" else Z), wanted)


CYCLES = (
    "s = A[i,j] * B[j,k] * C[k,l] * D[l,i]",
    "Z[i,k] = M[i,k] * A[i,j] * B[j,l] * C[l,k]",
    "Z[i,k] = M[i,k] * A[i,j] * B[j,k]",
    "y[i] = A[i,j] * B[j,k] * B[j,l] * x[k] * x[l]",
    "y[i] = A[i,j] * B[k,j] * C[k,l]",
    "y[i] = A[i,j] * B[j,k] * x[k] - C[i,l] * A[l,k] * x[k] + x[i]",
    "y[i] = 2 * A[i,j] * abs(B[j,k]) * (x[k] + 1) + x[i]",
    "y[i] = (A[i,j] + M[i,j]) * (B[j,k] - C[j,k]) * x[k]",
    "Z[i,j] = A[i,j] * B[j,k] * C[k,k]",
    "Z[i,j] = A[j,i] * B[j,k]",
    "s = A[i,j] * B[k,l]",
    "y[i] = E[i,j] * E[i,k] * A[j,j]",
)


@pytest.mark.sampled
@pytest.mark.parametrize("text", CYCLES)
def test_other_products(text):
    format = ("csr", "dcsr", "coo")[CYCLES.index(text) % 3]
    operands = {
        name: matrix((5, 5), format, seed)
        for seed, name in enumerate("ABCDM")
        if f"{name}[" in text
    }
    if "x[" in text:
        operands["x"] = matrix((5,), "dense", 9)
    if "E[" in text:
        operands["E"] = matrix((5, 5), "dense", 9)
    out = format if text.startswith("Z") else None
    check_like_whole(text, operands, out=out)
    for contract in ("l", "k", "j,l"):
        left = text.partition("=")[0]
        asked = [index for index in contract.split(",") if f"{index}" not in left]
        asked = [index for index in asked if f"{index}]" in text or f"{index}," in text]
        if asked:
            check_like_whole(text, operands, asked, out=out)


TENSORS = (
    "Z[i,r] = T[i,j,k] * D[j,r] * E[k,r]",
    "Z[i,r] = T[i,j,k] * F[j,r] * G[k,r]",
    "Z[i,l] = T[i,j,k] * F[j,l] * v[k]",
    "Z[i,r,q] = T[i,j,k] * D[j,r] * E[k,q]",
)


@pytest.mark.sampled
@pytest.mark.parametrize("text", TENSORS)
@pytest.mark.parametrize(
    ("contract", "format"), [("auto", "csf"), (("k",), "csf"), (("j",), "coo")]
)
def test_tensors(text, contract, format):
    operands = {
        "T": matrix((4, 5, 6), format, 1),
        "D": matrix((5, 3), "dense", 2),
        "E": matrix((6, 3), "dense", 3),
        "F": matrix((5, 3), "csr", 4),
        "G": matrix((6, 3), "dcsr", 5),
        "v": matrix((6,), "dense", 6),
    }
    operands = {name: value for name, value in operands.items() if f"{name}[" in text}
    Z = check_like_whole(text, operands, contract)
    left, _, right = text.replace("]", "").replace(",", "").partition(" = ")
    inputs = ",".join(factor.partition("[")[2] for factor in right.split(" * "))
    wanted = np.einsum(
        f"{inputs}->{left.partition('[')[2]}",
        *(numbers(operands[factor[0]]) for factor in right.split(" * ")),
    )
    np.testing.assert_allclose(numbers(Z), wanted)


@pytest.mark.parametrize(
    "dtype", [np.float32, np.int8, np.uint8, np.int32, np.bool_, np.complex128]
)
def test_types(dtype):
    """Integers wrap around, and Booleans are or and and: both are exact."""
    rng = np.random.default_rng(5)
    dense = [rng.integers(0, 100, (9, 9)).astype(dtype) for _ in "AB"]
    masks = [rng.random((9, 9)) < 0.4 for _ in "AB"]
    A, B = (sp.csr_array(d * m) for d, m in zip(dense, masks, strict=True))
    x = rng.integers(0, 100, 9).astype(dtype)
    operands = {"A": A, "B": B, "x": x}
    y = check_like_whole(CHAIN, operands, ("k",))
    assert y.dtype == dtype
    if dtype != np.float32:
        wanted = (A.toarray() @ B.toarray()) @ x
        np.testing.assert_array_equal(y, wanted)


def test_mixed_types():
    A = matrix((6, 6), "csr", 1, dtype=np.float32)
    B = matrix((6, 6), "csr", 2, dtype=np.int32)
    x = matrix((6,), "dense", 3)
    check_like_whole(CHAIN, {"A": A, "B": B, "x": x}, ("k",))


# --- Absent entries -------------------------------------------------------------------


def test_an_absent_sum_annihilates_infinity():
    """A row of B without entries makes no product, whatever A has there."""
    A = sp.csr_array(np.array([[np.inf, 1.0], [np.nan, 0.0]]))
    B = sp.csr_array(np.array([[0.0, 0.0], [2.0, 3.0]]))
    x = np.array([1.0, 1.0])
    operands = {"A": A, "B": B, "x": x}
    y = check_like_whole(CHAIN, operands, ("k",))
    np.testing.assert_array_equal(y, [5.0, 0.0])
    D = np.ones((2, 2))
    text = "Z[i,r] = A[i,j] * B[j,k] * D[k,r]"
    Z = check_like_whole(text, {"A": A, "B": B, "D": D}, ("k",))
    np.testing.assert_array_equal(Z, [[5.0, 5.0], [0.0, 0.0]])


def test_a_sum_over_no_entries_is_absent_everywhere():
    """Where C has no entry, there is no product, although A has every entry."""
    operands = {
        "A": np.ones((3, 4)),
        "B": matrix((3, 5), "csr", 1),
        "C": Tensor.from_coo(np.zeros((1, 0), np.int32), np.zeros(0), shape=(4,)),
    }
    text = "y[j] = A[j,i] * B[j,k] * C[i]"
    y = check_like_whole(text, operands, ("i",), out="sparse-vector")
    assert y.nnz == 0


def test_entries_that_cancel_stay_entries():
    A = sp.csr_array(np.array([[1.0, 0.0], [0.0, 1.0]]))
    B = sp.csr_array(np.array([[1.0, -1.0], [0.0, 0.0]]))
    operands = {"A": A, "B": B, "x": np.array([1.0, 1.0])}
    y = nacho.evaluate(CHAIN, operands, contract=("k",), out="sparse-vector")
    np.testing.assert_array_equal(y.coords, [[0]])
    np.testing.assert_array_equal(y.data, [0.0])


@pytest.mark.parametrize("contract", ["auto", "none"])
def test_an_index_without_coordinates(contract):
    """A sum over nothing is absent, also if the factors are dense."""
    A = sp.csr_array(np.full((3, 4), np.inf))
    operands = {"A": A, "D": np.ones((4, 0)), "x": np.ones(0)}
    text = "y[i] = A[i,j] * D[j,k] * x[k]"
    y = nacho.evaluate(text, operands, contract=contract)
    np.testing.assert_array_equal(y, np.zeros(3))
    big = {"A": A, "D": np.ones((4, 500)), "x": np.zeros(500)}
    assert np.isnan(nacho.evaluate(text, big, contract=contract)).all()


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.complex128])
@pytest.mark.parametrize(
    ("text", "contract", "empty"),
    [
        ("y[i] = A[i,j] * B[j,k] * x[k]", "k", [1, 4]),
        ("Y[i,c] = A[i,j] * B[j,k] * X[k,c]", "k", [1, 4]),
        # The only entry of the first row of B meets an empty one.
        ("y[i] = A[i,j] * B[j,l] * B[l,k] * x[k]", "k,l", [0, 1, 4]),
        ("Y[i,c] = A[i,j] * B[j,l] * B[l,k] * X[k,c]", "k,l", [0, 1, 4]),
    ],
)
def test_rows_of_dense_sums_without_entries_count_nowhere(text, contract, empty, dtype):
    """Infinity times an absent sum is 0, and times a sum that is 0 is not."""
    B = np.diag([0.0, 0, 3, 1, 0, 2])
    B[0, 1], B[3, 5] = 2, -1
    A = np.zeros((7, 6))
    A[range(6), range(6)] = np.inf
    A[6] = [1, 2, 3, 4, 5, 6]
    arrays = {"A": sp.csr_array(A.astype(dtype)), "B": sp.csr_array(B.astype(dtype))}
    dense = {"x": np.ones(6, dtype), "X": np.ones((6, 3), dtype)}
    operands = arrays | {name: dense[name] for name in "xX" if f"{name}[" in text}
    y = nacho.evaluate(text, operands, contract=contract)
    assert not y[empty].any()
    assert not np.isfinite(np.delete(y[:6], empty, axis=0)).any()
    np.testing.assert_array_equal(
        y[6], nacho.evaluate(text, operands, contract="none")[6]
    )


@pytest.mark.parametrize("format", ["csf", "coo"])
def test_sums_with_several_dense_levels(format):
    """Four factors change the basis of a tensor, one index after the other."""
    rng = np.random.default_rng(0)
    shape = (12,) * 4
    dense = np.where(rng.random(shape) < 0.2, rng.integers(1, 9, shape), 0)
    T = Tensor.from_coo(
        np.array(dense.nonzero()), dense[dense != 0], shape=shape, format=format
    )
    factors = [rng.integers(-3, 4, (12, 12)) for _ in shape]
    subscripts = "pqrs,pa,qb,rc,sd->abcd"
    found = nacho.einsum(subscripts, T, *factors, out="dense")
    expected = np.einsum(subscripts, dense, *factors, optimize=True)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("shape", [(0, 4, 4), (4, 0, 4), (4, 4, 0), (0, 0, 0)])
def test_empty_operands(shape):
    i, j, k = shape
    operands = {
        "A": matrix((i, j), "csr", 1),
        "B": matrix((j, k), "csr", 2),
        "x": np.ones(k),
    }
    for contract in ("auto", ("k",), ("j",)):
        check_like_whole(CHAIN, operands, contract)


@pytest.mark.host_only
def test_other_reductions_stay_whole():
    A, B, x = (matrix(s, "csr", 1) for s in ((5, 5), (5, 5), (5, 5)))
    text = "y[i] max= A[i,j] * B[j,k] * C[k,l]"
    operands = {"A": A, "B": B, "C": x}
    assert loops(text, operands) == loops(text, operands, contract="none")


# --- Cost -----------------------------------------------------------------------------


def steps(text, operands, contract):
    before = _nacho.counted_steps()
    choices = {"count-steps": True, "drafts": False}
    nacho.evaluate(
        text, operands, threads=1, parts=2, choices=choices, contract=contract
    )
    return _nacho.counted_steps() - before


def star(extent):
    """Return a matrix whose first column and first row are full."""
    line = np.arange(extent, dtype=np.int32)
    coords = np.block([[line, 0 * line[1:]], [0 * line, line[1:]]])
    values = np.ones(coords.shape[1])
    return Tensor.from_coo(coords, values, shape=(extent, extent), format="csr")


@pytest.mark.host_only
@pytest.mark.parametrize("extent", [500, 1000])
def test_a_chain_is_linear(extent):
    """Every row meets a row that is full: as a whole, there are extent² products."""
    A = star(extent)
    operands = {"A": A, "B": A, "x": np.ones(extent)}
    assert steps(CHAIN, operands, "auto") < 25 * extent
    assert steps(CHAIN, operands, "none") > extent**2


@pytest.mark.host_only
def test_long_chains_are_linear():
    A = star(300)
    text = "y[i] = A[i,j] * A[j,k] * A[k,l] * A[l,m] * x[m]"
    assert steps(text, {"A": A, "x": np.ones(300)}, "auto") < 90 * 300


@pytest.mark.host_only
def test_a_mask_stays_in_the_product():
    """The whole product takes fewer steps than the product without its mask."""
    rng = np.random.default_rng(0)
    A = sp.random_array((400, 400), density=0.05, format="csr", rng=rng)
    M = sp.random_array((400, 400), density=0.01, format="csr", rng=rng)
    text = "Z[i,k] = M[i,k] * A[i,j] * B[j,k]"
    operands = {"M": M, "A": A, "B": A}
    assert loops(text, operands) == loops(text, operands, contract="none")


# --- Options --------------------------------------------------------------------------


FACTORED = [("j", "k"), ("j", "k"), ("i", "j")]
"""The loops of ``T = Bx``, of the flags of its rows, and of ``AT``."""


@pytest.mark.host_only
def test_contract_says_which_sums_there_are():
    operands = {
        "A": matrix((50, 50), "csr", 1),
        "B": matrix((50, 50), "csr", 2),
        "x": np.ones(50),
    }
    assert loops(CHAIN, operands, contract=("k",)) == FACTORED
    assert loops(CHAIN, operands, contract=("j",))[-1] == ("i", "k")
    assert "k" in loops(CHAIN, operands, contract="none")[-1]


def test_an_order_keeps_products_whole_unless_sums_are_asked_for():
    operands = {
        "A": matrix((50, 50), "csr", 1),
        "B": matrix((50, 50), "csr", 2),
        "x": np.ones(50),
    }
    order = ("i", "j", "k")
    assert "k" in loops(CHAIN, operands, order=order)[-1]
    assert loops(CHAIN, operands, order=order, contract=("k",)) == FACTORED
    check_like_whole(CHAIN, operands, ("k",), order=order)


@pytest.mark.parametrize("contract", [("i",), ("z",), ("k", "k"), (), 3, "i", "all"])
def test_contract_lists_indices_that_are_summed_over(contract):
    A, x = matrix((5, 5), "csr", 1), np.ones(5)
    with pytest.raises(NachoError, match=r"contract=.*expected 'auto', 'none', or"):
        nacho.evaluate(CHAIN, A=A, B=A, x=x, contract=contract)


def test_kernels_and_einsum():
    A, B, x = matrix((5, 7), "csr", 1), matrix((7, 6), "csr", 2), np.ones(6)
    wanted = numbers(A) @ numbers(B) @ x
    for contract in ("auto", "none", ("k",)):
        kernel = nacho.mlir.compile(
            CHAIN, formats={"x": "dense", "y": "dense"}, contract=contract
        )
        assert ("k" in kernel.order) == (contract == "none")
        np.testing.assert_array_equal(kernel(A, B, x), wanted)
        y = nacho.einsum("ij,jk,k->i", A, B, x, contract=contract)
        np.testing.assert_array_equal(y, wanted)


def test_a_plan_of_several_statements():
    A, B, x = matrix((50, 70), "csr", 1), matrix((70, 60), "csr", 2), np.ones(60)
    kernel = nacho.mlir.compile(CHAIN, formats={"x": "dense", "y": "dense"})
    plan = kernel.plan(A, B, x)
    np.testing.assert_array_equal(plan.execute(), numbers(A) @ numbers(B) @ x)
    np.testing.assert_array_equal(
        plan.execute(A, B, 2 * x), numbers(A) @ numbers(B) @ (2 * x)
    )
    assert plan.balance >= 1


def test_explain_says_which_sums_come_first():
    A, B, x = matrix((50, 70), "csr", 1), matrix((70, 60), "csr", 2), np.ones(60)
    formats = {"x": "dense", "y": "dense"}
    text = nacho.mlir.compile(CHAIN, formats=formats).explain(A, B, x)
    assert "contract    T0[j] = sum over [k] of B[j, k] * x[k]; expected to" in text
    assert "; flags tell which j of T0 have entries" in text
    kernel = nacho.mlir.compile(CHAIN, formats=formats, contract="none")
    assert "contract    products stay whole" in kernel.explain(A, B, x)


def test_modules_say_themselves_what_is_summed_first():
    kernel = nacho.mlir.compile(CHAIN, formats={"x": "dense", "y": "dense"})
    module = kernel.mlir("assign")
    assert "contract" not in module
    with pytest.raises(NachoError, match="contract= of a module"):
        nacho.mlir.compile(module, contract="none")
