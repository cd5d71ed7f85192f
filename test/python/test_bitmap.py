"""Levels with a bit for each coordinate (``structured[0, m]``)."""

import pickle
from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp

import nacho
from checks import same
from nacho import Tensor, mlir
from nacho.errors import OperandError, UnsupportedError

ROWS = "(d0, d1) -> (d0 : dense, d1 : structured[0, 32])"
COLUMNS = "(d0, d1) -> (d1 : dense, d0 : structured[0, 8])"
SHAPES = ((7, 9), (40, 70), (1, 64), (3, 1), (0, 4), (4, 0))
EXPRESSIONS = (
    "Z[i,j] = A[i,j] + B[i,j]",
    "Z[i,j] = A[i,j] * B[i,j]",
    "y[i] = A[i,j] * x[j]",
    "y[j] = A[i,j] * u[i]",
    "Z[i,k] = A[i,j] * B[k,j]",
)


def random(rng, shape):
    return np.where(rng.random(shape) < 0.3, rng.integers(1, 9, shape), 0).astype(float)


@pytest.mark.parametrize("format", (ROWS, COLUMNS))
@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_expressions(expression, format):
    rng = np.random.default_rng(len(expression) + len(format))
    for shape in SHAPES:
        a, b = random(rng, shape), random(rng, shape)
        dense = {"A": a, "B": b, "x": rng.random(shape[1]), "u": rng.random(shape[0])}
        dense = {name: dense[name] for name in dense if name in expression[1:]}
        wanted = nacho.evaluate(expression, dense)
        for other in (sp.csr_array, lambda b: Tensor.from_dense(b, format)):
            used = dense | {"A": Tensor.from_dense(a, format)}
            if "B" in used:
                used["B"] = other(b)
            found = [
                nacho.evaluate(expression, used, threads=threads, parts=parts)
                for threads, parts in ((1, 1), (2, 7), (1, 7), (2, 100))
            ]
            whole = found[0].to_dense() if isinstance(found[0], Tensor) else found[0]
            np.testing.assert_allclose(whole, wanted, rtol=1e-12)
            assert same(found[1], found[2])


def test_parts_cost_the_same():
    rng = np.random.default_rng(1)
    dense = random(rng, (50, 200))
    dense[3] = 1
    kernel = mlir.compile("y[i] = A[i,j] * x[j]", formats={"A": ROWS, "x": "dense"})
    operands = {"A": Tensor.from_dense(dense, ROWS), "x": np.ones(200)}
    plan = kernel.plan(**operands, parts=16)
    assert plan.balance < 1.1


def test_nnz_converts_nothing(monkeypatch):
    def converted(view):
        raise AssertionError("levels without gaps need not be converted")

    crd = np.array([0, 2, 1, 3, 0, 1], np.int32)
    two_of_four = "(d0, d1) -> (d0 : dense, d1 : structured[2, 4])"
    arrays = [None, None], [None, crd], np.arange(1.0, 7)
    structured = Tensor.from_parts(two_of_four, (3, 4), *arrays)
    bitmap = Tensor.from_dense(structured.to_dense(), ROWS)
    monkeypatch.setattr("nacho._storage.tensor_data.usual_view", converted)
    assert structured.nnz == bitmap.nnz == 6


@pytest.mark.parametrize("index", (np.int32, np.int64))
def test_tensors(index):
    rng = np.random.default_rng(2)
    for shape, format in product(SHAPES, (ROWS, COLUMNS)):
        dense = random(rng, shape)
        made = Tensor.from_dense(dense, format)
        pos, crd = (
            [array if array is None else array.astype(index) for array in arrays]
            for arrays in (made.pos, made.crd)
        )
        made = Tensor.from_parts(format, shape, pos, crd, made.values)
        csr = Tensor.from_dense(dense, "csr")
        assert made.nnz == csr.nnz
        np.testing.assert_array_equal(made.to_dense(), dense)
        np.testing.assert_array_equal(made.T.to_dense(), dense.T)
        np.testing.assert_array_equal(made.convert("coo").to_dense(), dense)
        assert same(csr.convert(format), Tensor.from_dense(dense, format))
        assert same(pickle.loads(pickle.dumps(made)), made)
        if format == ROWS and len(dense) > 2:
            np.testing.assert_array_equal(made[1:3].to_dense(), dense[1:3])


@pytest.mark.parametrize("format", (ROWS, COLUMNS))
def test_results(format):
    rng = np.random.default_rng(4)
    for shape in SHAPES:
        a, b = random(rng, shape), random(rng, shape)
        operands = {"A": Tensor.from_dense(a, format), "B": sp.csr_array(b)}
        for expression, wanted in (
            ("Z[i,j] = A[i,j] + B[i,j]", a + b),
            ("Z[i,j] = A[i,j] * B[i,j]", a * b),
            ("Z[j,i] = A[i,j] * 2", 2 * a.T),
        ):
            kernel = mlir.compile(expression, formats={"Z": format, "A": format})
            used = {name: operands[name] for name in "AB" if name in expression}
            for parts in (1, 7):
                found = kernel(**used, parts=parts)
                assert same(found, Tensor.from_dense(wanted, format))
                again = nacho.evaluate("Y[i,j] = Z[i,j] + Z[i,j]", Z=found)
                np.testing.assert_array_equal(again.to_dense(), 2 * wanted)


def test_vectors_and_deep_tensors():
    rng = np.random.default_rng(3)
    for shape in ((100,), (3, 4, 40)):
        names = ", ".join(f"d{n}" for n in range(len(shape)))
        levels = [f"d{n} : dense" for n in range(len(shape) - 1)]
        levels.append(f"d{len(shape) - 1} : structured[0, 32]")
        dense, other = random(rng, shape), random(rng, shape)
        made = Tensor.from_dense(dense, f"({names}) -> ({', '.join(levels)})")
        indices = ",".join("ijk"[: len(shape)])
        expression = f"Z[{indices}] = A[{indices}] + B[{indices}]"
        for format in ("csf", made.format):
            operands = {"A": made, "B": Tensor.from_dense(other, format)}
            union = nacho.evaluate(expression, operands, parts=7)
            np.testing.assert_array_equal(union.to_dense(), dense + other)


@pytest.mark.parametrize(
    ("pos", "crd", "message"),
    [
        ([0, 1], [1, 2], r"pos\[1\] has shape \(2,\), expected \(3,\)"),
        ([0, 1, 2], [1], r"crd\[1\] has 1 entries, expected 2"),
        ([0, 2, 2], [1, 2], r"pos\[1\]\[1\] = 2, expected 1, the number of bits"),
        ([0, 1, 2], [1, 8], r"crd\[1\]\[1\] = 8 is out of range \[0, 3\)"),
    ],
)
def test_what_is_wrong(pos, crd, message):
    with pytest.raises(OperandError, match=message):
        Tensor.from_parts(ROWS, (2, 3), [None, pos], [None, crd], np.ones(2))


def test_words_are_not_too_wide():
    with pytest.raises(UnsupportedError, match="has 1 to 32 bits"):
        Tensor.from_dense(np.ones((2, 2)), ROWS.replace("32", "64"))


def test_modules():
    text = """
    #BITS = #sparse_tensor.encoding<{
      map = (i, j) -> (i : dense, j : structured[0, 32]) }>
    func.func @spmv(%A: tensor<?x?xf64, #BITS>, %x: tensor<?xf64>, %y: tensor<?xf64>)
        -> tensor<?xf64> {
      %0 = linalg.matvec ins(%A, %x : tensor<?x?xf64, #BITS>, tensor<?xf64>)
                         outs(%y : tensor<?xf64>) -> tensor<?xf64>
      return %0 : tensor<?xf64>
    }"""
    rng = np.random.default_rng(7)
    a, x, y = random(rng, (20, 30)), rng.random(30), rng.random(20)
    found = mlir.compile(text)(Tensor.from_dense(a, ROWS), x, y)
    np.testing.assert_allclose(found, y + a @ x)
