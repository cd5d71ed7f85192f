"""Kernels of modules with several functions: nacho.mlir.compile(text, entry=name)."""

import numpy as np
import pytest
import scipy.sparse as sp

import nacho

MODULE = """
#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
#each = {
  indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>,
                   affine_map<(i, j) -> (i, j)>],
  iterator_types = ["parallel", "parallel"]}
#rows = {
  indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>,
                   affine_map<(i, j) -> (i)>],
  iterator_types = ["parallel", "reduction"]}

func.func private @add(%A: tensor<?x?xf64, #CSR>, %B: tensor<?x?xf64, #CSR>)
    -> tensor<?x?xf64, #CSR> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %A, %c0 : tensor<?x?xf64, #CSR>
  %n = tensor.dim %A, %c1 : tensor<?x?xf64, #CSR>
  %empty = bufferization.alloc_tensor(%m, %n) : tensor<?x?xf64, #CSR>
  %Z = linalg.generic #each
      ins(%A, %B : tensor<?x?xf64, #CSR>, tensor<?x?xf64, #CSR>)
      outs(%empty : tensor<?x?xf64, #CSR>) {
  ^bb0(%a: f64, %b: f64, %z: f64):
    %0 = arith.addf %a, %b : f64
    linalg.yield %0 : f64
  } -> tensor<?x?xf64, #CSR>
  return %Z : tensor<?x?xf64, #CSR>
}

func.func @sum_of(%A: tensor<?x?xf64, #CSR>, %B: tensor<?x?xf64, #CSR>)
    -> tensor<?x?xf64, #CSR> {
  %S = call @add(%A, %B)
      : (tensor<?x?xf64, #CSR>, tensor<?x?xf64, #CSR>) -> tensor<?x?xf64, #CSR>
  return %S : tensor<?x?xf64, #CSR>
}

func.func @unused(%x: f64) -> f64 {
  return %x : f64
}

func.func @sum_then_multiply(%A: tensor<?x?xf64, #CSR>, %B: tensor<?x?xf64, #CSR>,
                             %x: tensor<?xf64>, %y: tensor<?xf64>) -> tensor<?xf64> {
  %S = call @add(%A, %B)
      : (tensor<?x?xf64, #CSR>, tensor<?x?xf64, #CSR>) -> tensor<?x?xf64, #CSR>
  %Z = linalg.generic #rows ins(%S, %x : tensor<?x?xf64, #CSR>, tensor<?xf64>)
      outs(%y : tensor<?xf64>) {
  ^bb0(%s: f64, %b: f64, %sum: f64):
    %0 = arith.mulf %s, %b : f64
    %1 = arith.addf %sum, %0 : f64
    linalg.yield %1 : f64
  } -> tensor<?xf64>
  bufferization.dealloc_tensor %S : tensor<?x?xf64, #CSR>
  return %Z : tensor<?xf64>
}
"""


def operands():
    return tuple(
        sp.random_array(
            (40, 30), density=0.2, format="csr", rng=np.random.default_rng(n)
        )
        for n in (1, 2)
    )


def test_a_function_without_calls():
    A, B = operands()
    kernel = nacho.mlir.compile(MODULE, entry="add")
    np.testing.assert_array_equal(kernel(A, B).toarray(), (A + B).toarray())


@pytest.mark.parametrize("parts", [1, 7])
def test_a_function_that_calls_another_one(parts):
    A, B = operands()
    kernel = nacho.mlir.compile(MODULE, entry="sum_of", parts=parts)
    np.testing.assert_array_equal(kernel(A, B).toarray(), (A + B).toarray())


@pytest.mark.parametrize("parts", [1, 7])
def test_a_function_with_two_ops(parts):
    (A, B), x, y = operands(), np.arange(30.0), np.ones(40)
    function = nacho.mlir.compile(MODULE, entry="sum_then_multiply", parts=parts)
    np.testing.assert_allclose(function(A, B, x, y), y + (A + B) @ x, rtol=1e-14)


def test_an_unknown_function_is_named():
    with pytest.raises(nacho.CompilationError, match="no function 'missing'"):
        nacho.mlir.compile(MODULE, entry="missing")


def test_several_functions_need_an_entry():
    with pytest.raises(nacho.NachoError, match="one function"):
        nacho.mlir.compile(MODULE)


def test_an_expression_has_no_functions():
    with pytest.raises(nacho.ArgumentError, match="entry="):
        nacho.mlir.compile("y[i] = A[i,j]", entry="y")
