"""Levels with gaps between their fibers (``loose_compressed``), as operands."""

import numpy as np
import pytest
import scipy.sparse as sp

import nacho
from checks import same
from nacho import Tensor
from nacho.errors import OperandError, UnsupportedError

CSR = "(d0, d1) -> (d0 : dense, d1 : loose_compressed)"
CSC = "(d0, d1) -> (d1 : dense, d0 : loose_compressed)"
DCSR = "(d0, d1) -> (d0 : loose_compressed, d1 : loose_compressed)"
MIXED = "(d0, d1) -> (d0 : loose_compressed, d1 : compressed)"
ROWS = "(d0, d1) -> (d0 : loose_compressed, d1 : dense)"
FORMATS = (CSR, CSC, DCSR, MIXED, ROWS)
SHAPES = ((7, 9), (40, 30), (1, 5), (5, 1), (0, 4), (4, 0))
EXPRESSIONS = (
    "Z[i,j] = A[i,j] + B[i,j]",
    "Z[i,j] = A[i,j] * B[i,j]",
    "Z[i,j] = A[i,j] * 2",
    "y[i] = A[i,j] * x[j]",
    "y[j] = A[i,j] * u[i]",
    "y += A[i,j]",
    "Z[i,k] = A[i,j] * D[j,k]",
    "Z[i,k] = A[i,j] * B[k,j]",
)


def loosened(rng, dense, format):
    """Return a tensor with random gaps, in which nothing makes sense."""
    tight = Tensor.from_dense(dense, format.replace("loose_", ""))
    loose = nacho.Format(format)
    pos, crd = [None] * 2, [None] * 2
    # Per position, its position without gaps; None in a gap.
    kept = [0]
    for level, kind in enumerate(loose.kinds):
        if kind == "dense":
            extent = dense.shape[loose.order[level]]
            steps = range(extent)
            kept = [None if p is None else p * extent + x for p in kept for x in steps]
            continue
        ends, children = [], []
        gap = kind.startswith("loose")
        for parent in kept:
            children += [None] * (gap and rng.integers(3))
            ends.append(len(children))
            if parent is not None:
                children += range(*tight.pos[level][parent : parent + 2])
            ends.append(len(children))
        children += [None] * (gap and rng.integers(3))
        pos[level] = np.array(ends if gap else [0, *ends[1::2]], np.int32)
        stored = [-7 if p is None else tight.crd[level][p] for p in children]
        crd[level] = np.array(stored, np.int32)
        kept = children
    values = [np.nan if p is None else tight.values[p] for p in kept]
    return Tensor.from_parts(loose, dense.shape, pos, crd, np.array(values, float))


def random(rng, shape):
    return np.where(rng.random(shape) < 0.3, rng.integers(1, 9, shape), 0).astype(float)


@pytest.mark.each_value
@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_expressions(expression, format):
    rng = np.random.default_rng(len(expression) + len(format))
    for shape in SHAPES:
        a, b, d = random(rng, shape), random(rng, shape), rng.random((shape[1], 3))
        dense = {"A": a, "B": b, "x": rng.random(shape[1]), "D": d}
        dense["u"] = rng.random(shape[0])
        used = {name: dense[name] for name in dense if name in expression[1:]}
        wanted = nacho.evaluate(expression, used)
        used["A"] = loosened(rng, a, format)
        if "B" in used:
            used["B"] = sp.csr_array(b)
        found = [
            nacho.evaluate(expression, used, threads=threads, parts=parts)
            for threads, parts in ((1, 1), (1, 7), (2, 7), (2, 100))
        ]
        for each in found:
            whole = each.to_dense() if isinstance(each, Tensor) else each
            whole = whole.toarray() if sp.issparse(whole) else whole
            np.testing.assert_allclose(whole, wanted, rtol=1e-12)
        assert same(found[1], found[2])


def test_both_operands_have_gaps():
    rng = np.random.default_rng(3)
    for shape in SHAPES:
        a, b = random(rng, shape), random(rng, shape)
        for one, two in ((CSR, CSR), (DCSR, CSR), (MIXED, DCSR)):
            operands = {"A": loosened(rng, a, one), "B": loosened(rng, b, two)}
            union = nacho.evaluate("Z[i,j] = A[i,j] + B[i,j]", operands, parts=5)
            both = nacho.evaluate("Z[i,j] = A[i,j] * B[i,j]", operands, parts=5)
            np.testing.assert_array_equal(union.to_dense(), a + b)
            np.testing.assert_array_equal(both.to_dense(), a * b)


def test_tensors_with_gaps():
    rng = np.random.default_rng(5)
    dense = random(rng, (6, 8))
    for format in FORMATS:
        made = loosened(rng, dense, format)
        tight = Tensor.from_dense(dense, format.replace("loose_", ""))
        np.testing.assert_array_equal(made.to_dense(), dense)
        np.testing.assert_array_equal(made.coords, tight.coords)
        if format != CSC:
            np.testing.assert_array_equal(made[2:5].to_dense(), dense[2:5])
        np.testing.assert_array_equal(made.T.to_dense(), dense.T)
        assert made.nnz == tight.nnz
        assert same(made.convert("coo"), Tensor.from_dense(dense, "coo"))
        back = tight.convert(format)
        assert same(back, Tensor.from_dense(dense, format))
        assert same(back.convert(tight.format), tight)


def test_results_have_no_gaps():
    rng = np.random.default_rng(6)
    made = loosened(rng, random(rng, (4, 5)), CSR)
    assert nacho.evaluate("Z[i,j] = A[i,j] * 2", A=made).format == nacho.Format("csr")
    with pytest.raises(UnsupportedError, match="results have no gaps"):
        nacho.evaluate("Z[i,j] = A[i,j] * 2", A=made, out=CSR)


@pytest.mark.parametrize(
    ("pos", "crd", "message"),
    [
        ([1, 3], [9, 0, 1], r"pos\[1\] has shape \(2,\), expected \(4,\)"),
        ([0, 2, 1, 3], [0, 1, 2], r"pos\[1\]\[2\] = 1, below pos\[1\]\[1\] = 2"),
        ([0, 2, 2, 4], [0, 1, 2], r"pos\[1\]\[3\] = 4, expected a position in \[0, 3"),
        ([-1, 2, 2, 3], [0, 1, 2], r"pos\[1\]\[0\] = -1, expected a position"),
        ([0, 1, 2, 3], [5, 1, 2], r"crd\[1\]\[0\] = 5 is out of range"),
        ([0, 2, 2, 3], [1, 0, 2], r"crd\[1\]\[1\] = 0 is not sorted after"),
        ([0, 2, 2, 3], [1, 1, 2], r"crd\[1\]\[1\] = 1 is a duplicate of"),
    ],
)
def test_what_is_wrong(pos, crd, message):
    values = np.ones(len(crd))
    with pytest.raises(OperandError, match=message):
        Tensor.from_parts(CSR, (2, 3), [None, pos], [None, crd], values)


def test_modules():
    text = """
    #LOOSE = #sparse_tensor.encoding<{
      map = (i, j) -> (i : dense, j : loose_compressed) }>
    func.func @spmv(%A: tensor<?x?xf64, #LOOSE>, %x: tensor<?xf64>, %y: tensor<?xf64>)
        -> tensor<?xf64> {
      %0 = linalg.matvec ins(%A, %x : tensor<?x?xf64, #LOOSE>, tensor<?xf64>)
                         outs(%y : tensor<?xf64>) -> tensor<?xf64>
      return %0 : tensor<?xf64>
    }"""
    rng = np.random.default_rng(7)
    a, x, y = random(rng, (20, 30)), rng.random(30), rng.random(20)
    found = nacho.mlir.compile(text)(loosened(rng, a, CSR), x, y)
    np.testing.assert_allclose(found, y + a @ x)
