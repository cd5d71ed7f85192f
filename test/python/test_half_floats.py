"""Half floats (f16), which operands of modules may have."""

import numpy as np
import pytest

import nacho
from libraries import needed

MODULE = """
#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
#rows = {
  indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>,
                   affine_map<(i, j) -> (i)>],
  iterator_types = ["parallel", "reduction"]}

func.func @scaled(%A: tensor<?x?xf16, #CSR>, %x: tensor<?xf16>, %s: f16,
                  %y: tensor<?xf16>) -> tensor<?xf16> {
  %Z = linalg.generic #rows ins(%A, %x : tensor<?x?xf16, #CSR>, tensor<?xf16>)
      outs(%y : tensor<?xf16>) {
  ^bb0(%a: f16, %b: f16, %sum: f16):
    %0 = arith.mulf %a, %b : f16
    %1 = arith.mulf %0, %s : f16
    %2 = arith.addf %sum, %1 : f16
    linalg.yield %2 : f16
  } -> tensor<?xf16>
  return %Z : tensor<?xf16>
}

#each = {
  indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
  iterator_types = ["parallel", "parallel"]}

func.func @rounded(%A: tensor<?x?xf64, #CSR>) -> tensor<?x?xf16, #CSR> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %A, %c0 : tensor<?x?xf64, #CSR>
  %n = tensor.dim %A, %c1 : tensor<?x?xf64, #CSR>
  %empty = tensor.empty(%m, %n) : tensor<?x?xf16, #CSR>
  %Z = linalg.generic #each ins(%A : tensor<?x?xf64, #CSR>)
      outs(%empty : tensor<?x?xf16, #CSR>) {
  ^bb0(%a: f64, %z: f16):
    %0 = arith.truncf %a : f64 to f16
    linalg.yield %0 : f16
  } -> tensor<?x?xf16, #CSR>
  return %Z : tensor<?x?xf16, #CSR>
}
"""


def entries(dtype):
    rng = np.random.default_rng(3)
    dense = rng.integers(-8, 9, (30, 40)) * (rng.random((30, 40)) < 0.2)
    return dense.astype(dtype)


@pytest.mark.parametrize("parts", [1, 4])
@pytest.mark.parametrize("scale", [np.float16(0.5), 0.5])
def test_operands_and_results(parts, scale):
    """Numbers are small enough for all sums to be exact."""
    A = entries(np.float16)
    x, y = np.arange(40, dtype=np.float16), np.ones(30, np.float16)
    kernel = nacho.mlir.compile(MODULE, entry="scaled", parts=parts)
    found = kernel(nacho.Tensor.from_dense(A, "csr"), x / 4, scale, y)
    assert found.dtype == np.float16
    wanted = y + A.astype(float) @ (x / 4).astype(float) / 2
    np.testing.assert_array_equal(found, wanted.astype(np.float16))


def test_a_sparse_result():
    A = entries(float) / 3
    kernel = nacho.mlir.compile(MODULE, entry="rounded")
    found = kernel(nacho.Tensor.from_dense(A, "csr"))
    assert isinstance(found, nacho.Tensor)
    assert found.dtype == np.float16
    np.testing.assert_array_equal(found.to_dense(), A.astype(np.float16))


def test_half_floats_are_widened():
    kernel = nacho.mlir.compile(MODULE, entry="rounded")
    A = entries(np.float16)
    found = kernel(nacho.Tensor.from_dense(A, "csr"))
    np.testing.assert_array_equal(found.to_dense(), A)


def test_other_types_are_refused():
    kernel = nacho.mlir.compile(MODULE, entry="scaled")
    x, y = np.ones(40, np.float16), np.ones(30, np.float16)
    with pytest.raises(nacho.DTypeError, match="is float64, but the kernel"):
        kernel(nacho.Tensor.from_dense(entries(float), "csr"), x, 1.0, y)


def test_expressions_compute_with_single_floats():
    A = nacho.Tensor.from_dense(entries(np.float16), "csr")
    for made in (nacho.evaluate("Z[i,j] = 2 * A[i,j]", A=A), (A + A).compute()):
        assert made.dtype == np.float32
        np.testing.assert_array_equal(made.to_dense(), 2 * entries(np.float32))


def test_arrays_of_bfloat16():
    bfloat16 = needed("ml_dtypes").bfloat16
    D = (entries(float) / 4).astype(bfloat16)
    text = "Z[i,j] = A[i,j] * s"
    found = nacho.evaluate(text, A=D, s=bfloat16(2))
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, 2 * D.astype(np.float32))
    note = "A: values widened from bfloat16 to float32"
    assert note in nacho.explain(text, A=D, s=2)
    T = nacho.Tensor.from_dense(D, "csr")
    assert T.dtype == np.float32
    np.testing.assert_array_equal(T.to_dense(), D.astype(np.float32))
