"""Levels of fibers that all have n of m entries (``structured[n, m]``), as operands."""

import numpy as np
import pytest

import nacho
from nacho import Tensor
from nacho.errors import OperandError, UnsupportedError

TWO_OF_FOUR = "(i, j) -> (i : dense, j floordiv 4 : dense, j mod 4 : structured[2, 4])"
HEAD = f"""
#S = #sparse_tensor.encoding<{{ map = {TWO_OF_FOUR}, crdWidth = 32 }}>
#CSR = #sparse_tensor.encoding<{{ map = (i, j) -> (i : dense, j : compressed) }}>
#ij = affine_map<(i, j) -> (i, j)>
"""
SPMV = f"""{HEAD}
func.func @f(%A: tensor<?x?xf64, #S>, %x: tensor<?xf64>, %y: tensor<?xf64>)
    -> tensor<?xf64> {{
  %0 = linalg.matvec ins(%A, %x : tensor<?x?xf64, #S>, tensor<?xf64>)
                     outs(%y : tensor<?xf64>) -> tensor<?xf64>
  return %0 : tensor<?xf64>
}}"""
SPMM = f"""{HEAD}
func.func @f(%A: tensor<?x?xf64, #S>, %B: tensor<?x?xf64>, %C: tensor<?x?xf64>)
    -> tensor<?x?xf64> {{
  %0 = linalg.matmul ins(%A, %B : tensor<?x?xf64, #S>, tensor<?x?xf64>)
                     outs(%C : tensor<?x?xf64>) -> tensor<?x?xf64>
  return %0 : tensor<?x?xf64>
}}"""
ELEMENTWISE = f"""{HEAD}
func.func @f(%A: tensor<?x?xf64, #S>, %B: tensor<?x?xf64, #S>, %C: tensor<?x?xf64>)
    -> tensor<?x?xf64> {{
  %0 = linalg.generic {{indexing_maps = [#ij, #ij, #ij],
                       iterator_types = ["parallel", "parallel"]}}
      ins(%A, %B : tensor<?x?xf64, #S>, tensor<?x?xf64, #S>)
      outs(%C : tensor<?x?xf64>) {{
    ^bb0(%a: f64, %b: f64, %c: f64):
      %1 = arith.OPERATOR %a, %b : f64
      linalg.yield %1 : f64
  }} -> tensor<?x?xf64>
  return %0 : tensor<?x?xf64>
}}"""


def two_of_four(rng, rows, groups):
    """Return a tensor with two entries of each four, and the array of its elements."""
    count = rows * groups
    crd = np.array([sorted(rng.permutation(4)[:2]) for _ in range(count)], np.int32)
    values = rng.integers(0, 5, 2 * count).astype(float)
    dense = np.zeros((count, 4))
    np.put_along_axis(dense, crd.reshape(count, 2), values.reshape(count, 2), 1)
    crds = [None, None, crd.reshape(-1)]
    made = Tensor.from_parts(TWO_OF_FOUR, (rows, 4 * groups), [None] * 3, crds, values)
    return made, dense.reshape(rows, 4 * groups)


SHAPES = ((5, 3), (20, 16), (1, 1), (0, 2), (3, 0))


@pytest.mark.parametrize("text", [SPMV, SPMM])
def test_products(text):
    rng = np.random.default_rng(1)
    kernel = nacho.mlir.compile(text)
    for rows, groups in SHAPES:
        a, wanted = two_of_four(rng, rows, groups)
        width = (3,) if text is SPMM else ()
        x, y = rng.random((4 * groups, *width)), rng.random((rows, *width))
        found = [
            kernel(a, x, y, parts=p, threads=t) for p, t in ((1, 1), (7, 1), (7, 2))
        ]
        for each in found:
            np.testing.assert_allclose(each, y + wanted @ x)
        assert found[1].tobytes() == found[2].tobytes()


@pytest.mark.parametrize("operator", ["addf", "mulf"])
def test_elementwise(operator):
    rng = np.random.default_rng(2)
    kernel = nacho.mlir.compile(ELEMENTWISE.replace("OPERATOR", operator))
    for rows, groups in SHAPES:
        (a, x), (b, y) = two_of_four(rng, rows, groups), two_of_four(rng, rows, groups)
        wanted = x + y if operator == "addf" else x * y
        for parts, threads in ((1, 1), (7, 2)):
            made = kernel(a, b, np.zeros_like(x), parts=parts, threads=threads)
            np.testing.assert_array_equal(made, wanted)


def test_tensors():
    a, dense = two_of_four(np.random.default_rng(3), 4, 3)
    np.testing.assert_array_equal(a.to_dense(), dense)
    np.testing.assert_array_equal(dense[tuple(a.coords)], a.values)
    np.testing.assert_array_equal(a.convert("csr").to_dense(), dense)
    x = np.arange(12.0)
    y = nacho.evaluate("y[i] = A[i,j] * x[j]", A=a, x=x)
    np.testing.assert_allclose(y, dense @ x)


def test_what_is_wrong():
    none, values = [None] * 3, np.ones(4)

    def made(crd):
        return Tensor.from_parts(TWO_OF_FOUR, (2, 4), none, [None, None, crd], values)

    with pytest.raises(OperandError, match="has 3 entries, expected 4"):
        made([0, 1, 2])
    with pytest.raises(OperandError, match=r"\[2\]\[1\] = 4 is out of range"):
        made([0, 4, 0, 1])
    with pytest.raises(OperandError, match="is not sorted after"):
        made([1, 0, 0, 1])
    with pytest.raises(UnsupportedError, match="'structured'"):
        Tensor.from_dense(np.ones((2, 4)), TWO_OF_FOUR)


@pytest.mark.parametrize(
    ("levels", "message"),
    [
        ("d0 : structured[2, 4], d1 : dense", "has to be the last level"),
        ("d0 : compressed, d1 : structured[2, 4]", "has to be below dense levels only"),
        ("d0 : compressed, d1 : structured[0, 8]", "has to be below dense levels only"),
        ("d0 : dense, d1 : structured[4, 2]", "cannot have 4 of 2 coordinates"),
        (
            "d0 : dense, d1 floordiv 8 : dense, d1 mod 8 : structured[2, 4]",
            "has to be in blocks of 4, not of 8",
        ),
    ],
)
def test_formats_that_mlir_forbids(levels, message):
    with pytest.raises(nacho.FormatError, match=message) as error:
        nacho.Format(f"(d0, d1) -> ({levels})")
    assert "structured" in str(error.value)


def test_conversions_are_refused():
    """No conversion counts what a fiber has, so its arrays would be cut wrongly."""
    rows = "(d0, d1) -> (d0 : dense, d1 : structured[2, 4])"
    message = "only from_parts makes a level that is 'structured'"
    matrix = Tensor.from_dense(np.array([[1.0, 1, 2, 0], [0, 0, 0, 3]]), "csr")
    for format in (rows, TWO_OF_FOUR):
        with pytest.raises(UnsupportedError, match=f"^Tensor: .*{message}"):
            matrix.convert(format)
    kernel = nacho.mlir.compile("y[i] = A[i,j] * x[j]", {"A": rows})
    with pytest.raises(UnsupportedError, match=f"^operand 'A': .*{message}"):
        kernel(matrix, np.ones(4))


def test_rows_without_blocks():
    crd = np.array([0, 2, 1, 3, 0, 1], np.int32)
    format = "(d0, d1) -> (d0 : dense, d1 : structured[2, 4])"
    made = Tensor.from_parts(format, (3, 4), [None] * 2, [None, crd], np.arange(1.0, 7))
    dense = np.array([[1.0, 0, 2, 0], [0, 3, 0, 4], [5, 6, 0, 0]])
    np.testing.assert_array_equal(made.to_dense(), dense)
    np.testing.assert_array_equal(made[1:].to_dense(), dense[1:])
    doubled = nacho.evaluate("Z[i,j] = A[i,j] * 2", A=made)
    assert doubled.format == nacho.Format("csr")
    np.testing.assert_array_equal(doubled.to_dense(), 2 * dense)
