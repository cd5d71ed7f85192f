"""Modules whose function has several ops of linalg, each of which is a kernel."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp

import nacho

ATTRIBUTES = """
#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
#CSC = #sparse_tensor.encoding<{ map = (d0, d1) -> (d1 : dense, d0 : compressed) }>
#each = {
  indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>,
                   affine_map<(i, j) -> (i, j)>],
  iterator_types = ["parallel", "parallel"]}
#one = {
  indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
  iterator_types = ["parallel", "parallel"]}
#dot = {
  indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>,
                   affine_map<(i) -> ()>],
  iterator_types = ["reduction"]}
"""

CHAIN = (
    ATTRIBUTES
    + """
func.func @chain(%A: tensor<?x?xf64, #CSR>, %B: tensor<?x?xf64, #CSR>,
                 %x: tensor<?xf64>) -> tensor<?xf64> {
  %zero = arith.constant 0.0 : f64
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %A, %c0 : tensor<?x?xf64, #CSR>
  %n = tensor.dim %B, %c1 : tensor<?x?xf64, #CSR>
  %T0 = bufferization.alloc_tensor(%m, %n) : tensor<?x?xf64, #CSR>
  %T = linalg.matmul ins(%A, %B : tensor<?x?xf64, #CSR>, tensor<?x?xf64, #CSR>)
      outs(%T0 : tensor<?x?xf64, #CSR>) -> tensor<?x?xf64, #CSR>
  %y0 = tensor.empty(%m) : tensor<?xf64>
  %y1 = linalg.fill ins(%zero : f64) outs(%y0 : tensor<?xf64>) -> tensor<?xf64>
  %y = linalg.matvec ins(%T, %x : tensor<?x?xf64, #CSR>, tensor<?xf64>)
      outs(%y1 : tensor<?xf64>) -> tensor<?xf64>
  bufferization.dealloc_tensor %T : tensor<?x?xf64, #CSR>
  return %y : tensor<?xf64>
}
"""
)

NORMALISED = (
    ATTRIBUTES
    + """
func.func private @square(%x: tensor<?xf64>) -> tensor<f64> {
  %zero = arith.constant 0.0 : f64
  %empty = tensor.empty() : tensor<f64>
  %zeros = linalg.fill ins(%zero : f64) outs(%empty : tensor<f64>) -> tensor<f64>
  %s = linalg.generic #dot ins(%x, %x : tensor<?xf64>, tensor<?xf64>)
      outs(%zeros : tensor<f64>) {
  ^bb0(%a: f64, %b: f64, %sum: f64):
    %0 = arith.mulf %a, %b : f64
    %1 = arith.addf %sum, %0 : f64
    linalg.yield %1 : f64
  } -> tensor<f64>
  return %s : tensor<f64>
}

func.func @scaled(%A: tensor<?x?xf64, #CSR>, %x: tensor<?xf64>, %t: f64)
    -> (tensor<?x?xf64, #CSR>, tensor<f64>, tensor<?x?xf64, #CSR>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %A, %c0 : tensor<?x?xf64, #CSR>
  %n = tensor.dim %A, %c1 : tensor<?x?xf64, #CSR>
  %square = call @square(%x) : (tensor<?xf64>) -> tensor<f64>
  %s = tensor.extract %square[] : tensor<f64>
  %Z0 = tensor.empty(%m, %n) : tensor<?x?xf64, #CSR>
  %Z = linalg.generic #one ins(%A : tensor<?x?xf64, #CSR>)
      outs(%Z0 : tensor<?x?xf64, #CSR>) {
  ^bb0(%a: f64, %z: f64):
    %0 = arith.divf %a, %s : f64
    %1 = arith.mulf %0, %t : f64
    linalg.yield %1 : f64
  } -> tensor<?x?xf64, #CSR>
  return %Z, %square, %A : tensor<?x?xf64, #CSR>, tensor<f64>, tensor<?x?xf64, #CSR>
}
"""
)

CONVERTED = (
    ATTRIBUTES
    + """
func.func @mixed(%A: tensor<?x?xf64, #CSR>, %D: tensor<?x?xf64>)
    -> (tensor<?x?xf64, #CSC>, tensor<?x?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %D, %c0 : tensor<?x?xf64>
  %n = tensor.dim %D, %c1 : tensor<?x?xf64>
  %C = sparse_tensor.convert %A : tensor<?x?xf64, #CSR> to tensor<?x?xf64, #CSC>
  %E0 = tensor.empty(%m, %n) : tensor<?x?xf64>
  %E = linalg.add ins(%D, %D : tensor<?x?xf64>, tensor<?x?xf64>)
      outs(%E0 : tensor<?x?xf64>) -> tensor<?x?xf64>
  %Z0 = tensor.empty(%m, %n) : tensor<?x?xf64>
  %Z = linalg.generic #each ins(%E, %C : tensor<?x?xf64>, tensor<?x?xf64, #CSC>)
      outs(%Z0 : tensor<?x?xf64>) {
  ^bb0(%e: f64, %c: f64, %z: f64):
    %0 = arith.addf %e, %c : f64
    linalg.yield %0 : f64
  } -> tensor<?x?xf64>
  return %C, %Z : tensor<?x?xf64, #CSC>, tensor<?x?xf64>
}
"""
)


def matrix(rows, columns, seed):
    rng = np.random.default_rng(seed)
    return sp.random_array((rows, columns), density=0.2, format="csr", rng=rng)


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("parts", [1, 7])
def test_a_result_that_is_an_operand(parts, index):
    A, B, x = matrix(40, 30, 1), matrix(30, 20, 2), np.arange(20.0)
    for operand in (A, B):
        operand.indices = operand.indices.astype(index)
        operand.indptr = operand.indptr.astype(index)
    function = nacho.mlir.compile(CHAIN, parts=parts)
    assert function.operands == ("A", "B", "x")
    found = function(A, B, x)
    np.testing.assert_allclose(found, A @ B @ x, rtol=1e-14)
    for threads in (1, 2):
        again = function(A, x=x, B=B, threads=threads)
        np.testing.assert_array_equal(again, found)


def test_kernels_are_kernels():
    function = nacho.mlir.compile(CHAIN)
    assert repr(function) == ("<nacho.mlir.Function @chain(A, B, x): 2 kernels on cpu>")
    first, second = function.kernels
    assert (first.operands, second.operands) == (("A", "B"), ("T", "x"))
    A, B = matrix(5, 6, 1), matrix(6, 7, 2)
    assert first.count(A, B) == ((A != 0).astype(int) @ (B != 0).astype(int)).nnz
    calls = function.mlir().partition("func.func @chain")[2]
    assert calls.count("call @chain_") == 2
    assert "linalg" not in calls


def test_several_results_and_elements_of_tensors():
    A, x = matrix(12, 9, 3), np.arange(1.0, 10)
    function = nacho.mlir.compile(NORMALISED, entry="scaled")
    Z, square, same = function(A, x, 2)
    assert same is A
    assert square == x @ x
    np.testing.assert_allclose(Z.toarray(), A.toarray() / (x @ x) * 2, rtol=1e-15)


def test_conversions_and_dense_ops():
    A, D = matrix(8, 6, 4), np.arange(48.0).reshape(8, 6)
    C, Z = nacho.mlir.compile(CONVERTED)(A, D)
    assert C.format == "csc"
    np.testing.assert_array_equal(C.toarray(), A.toarray())
    np.testing.assert_array_equal(Z, D + D + A.toarray())


def test_a_conversion_alone_is_a_kernel():
    text = ATTRIBUTES + (
        "func.func @f(%A: tensor<?x?xf64, #CSR>) -> tensor<?x?xf64, #CSC> {\n"
        "  %C = sparse_tensor.convert %A\n"
        "      : tensor<?x?xf64, #CSR> to tensor<?x?xf64, #CSC>\n"
        "  return %C : tensor<?x?xf64, #CSC>\n"
        "}"
    )
    kernel, A = nacho.mlir.compile(text), matrix(7, 5, 5)
    assert isinstance(kernel, nacho.mlir.Kernel)
    np.testing.assert_array_equal(kernel(A).toarray(), A.toarray())


def test_pickled_functions():
    A, B, x = matrix(9, 8, 1), matrix(8, 7, 2), np.arange(7.0)
    function = nacho.mlir.compile(CHAIN)
    again = pickle.loads(pickle.dumps(function))
    np.testing.assert_array_equal(again(A, B, x), function(A, B, x))


def test_no_memory():
    function = nacho.mlir.compile(CHAIN)
    with pytest.raises(nacho.OutOfMemoryError):
        function(matrix(99, 99, 1), matrix(99, 99, 2), np.ones(99), memory_limit=64)


def test_wrong_calls():
    function = nacho.mlir.compile(CHAIN)
    with pytest.raises(nacho.ArgumentError, match="missing operand 'x'"):
        function(matrix(3, 4, 1), matrix(4, 5, 2))
    with pytest.raises(nacho.ShapeError, match="extent"):
        function(matrix(3, 4, 1), matrix(5, 5, 2), np.ones(5))


@pytest.mark.parametrize(
    "op, name",
    [
        ("arith.addf %s, %s : f64", "arith.addf"),
        ("math.sqrt %s : f64", "math.sqrt"),
    ],
)
def test_ops_that_are_not_supported(op, name):
    """The message says where in the user's text they are."""
    text = NORMALISED.replace("%t: f64)", "%c: f64)").replace(
        "  %Z0 = tensor.empty", f"  %t = {op}\n  %Z0 = tensor.empty"
    )
    line = 1 + text.partition(f"%t = {op}")[0].count("\n")
    with pytest.raises(nacho.UnsupportedError, match=f"{line}:.*'{name}' op"):
        nacho.mlir.compile(text, entry="scaled")
