"""Ops of the sparse_tensor dialect on elements: unary, binary, select and reduce."""

import numpy as np
import pytest
import scipy.sparse as sp

import nacho

HEAD = """
#CSR = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
#CSC = #sparse_tensor.encoding<{ map = (d0, d1) -> (d1 : dense, d0 : compressed) }>
#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
#ij = affine_map<(i, j) -> (i, j)>
#i = affine_map<(i, j) -> (i)>
#none = affine_map<(i, j) -> ()>
"""
MATRIX = "tensor<?x?xf64, #CSR>"
SUM = """{
  ^bb0(%p: f64, %q: f64):
    %s = arith.addf %p, %q : f64
    sparse_tensor.yield %s : f64
}"""
NEGATIVE = """{
  ^bb0(%p: f64):
    %s = arith.negf %p : f64
    sparse_tensor.yield %s : f64
}"""
SEVEN = """{
  %c = arith.constant 7.0 : f64
  sparse_tensor.yield %c : f64
}"""


def elementwise(body, names="AB", element="f64"):
    """Return a module that computes a matrix from matrices, element by element."""
    result = f"tensor<?x?x{element}, #CSR>"
    arguments = ", ".join(f"%{name}: {MATRIX}" for name in names)
    inputs = ", ".join(f"%{name}" for name in names)
    elements = ", ".join(f"%{name.lower()}: f64" for name in names)
    types = ", ".join(MATRIX for _ in names)
    return f"""{HEAD}
func.func @f({arguments}) -> {result} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %A, %c0 : {MATRIX}
  %n = tensor.dim %A, %c1 : {MATRIX}
  %empty = tensor.empty(%m, %n) : {result}
  %Z = linalg.generic {{
      indexing_maps = [{", ".join(["#ij"] * (len(names) + 1))}],
      iterator_types = ["parallel", "parallel"]}}
      ins({inputs} : {types}) outs(%empty : {result}) {{
  ^bb0({elements}, %z: {element}):
    {body}
  }} -> {result}
  return %Z : {result}
}}
"""


def matrices(shape=(13, 17), density=0.3):
    made = [sp.random_array(shape, density=density, rng=seed) for seed in (1, 2)]
    for each in made:
        each.data -= 0.5
    return [each.tocsr() for each in made]


def compiled(text):
    return nacho.mlir.compile(text)


def require(result, expected, stored):
    """Compare a result with dense values, and its entries with a mask."""
    pattern = result.copy()
    pattern.data[:] = 1
    np.testing.assert_array_equal(pattern.toarray() != 0, stored)
    np.testing.assert_array_equal(result.toarray(), np.where(stored, expected, 0))


def run(text, *operands):
    """Run a kernel in one part and in many; the results are the same."""
    kernel = compiled(text)
    one = kernel(*operands)
    many = nacho.mlir.compile(text, parts=7, threads=2)(*operands)
    np.testing.assert_array_equal(one.toarray(), many.toarray())
    np.testing.assert_array_equal(one.indices, many.indices)
    return one


@pytest.mark.parametrize("overlap", [SUM, "{}"])
@pytest.mark.parametrize("left", ["identity", NEGATIVE, "{}"])
@pytest.mark.parametrize("right", ["identity", NEGATIVE, "{}"])
def test_binary_has_a_result_where_a_region_yields_one(overlap, left, right):
    body = f"""
    %r = sparse_tensor.binary %a, %b : f64, f64 to f64
      overlap={overlap} left={left} right={right}
    linalg.yield %r : f64"""
    A, B = matrices()
    result = run(elementwise(body), A, B)
    a, b = A.toarray(), B.toarray()
    both, only_a, only_b = (a != 0) & (b != 0), (a != 0) & (b == 0), (a == 0) & (b != 0)
    expected, stored = np.zeros_like(a), np.zeros(a.shape, bool)
    for region, where, value in (
        (overlap, both, a + b),
        (left, only_a, a if left == "identity" else -a),
        (right, only_b, b if right == "identity" else -b),
    ):
        if region != "{}":
            expected[where], stored = value[where], stored | where
    require(result, expected, stored)


@pytest.mark.parametrize("present", [NEGATIVE, "{}"])
@pytest.mark.parametrize("absent", [SEVEN, "{}"])
def test_unary_stores_what_its_regions_yield(present, absent):
    body = f"""
    %r = sparse_tensor.unary %a : f64 to f64 present={present} absent={absent}
    linalg.yield %r : f64"""
    A, _ = matrices()
    result = run(elementwise(body, "A"), A)
    a = A.toarray()
    stored = np.zeros(a.shape, bool)
    stored |= (a != 0) if present != "{}" else False
    stored |= (a == 0) if absent != "{}" else False
    require(result, np.where(a != 0, -a, 7), stored)


SELECT = """{
  ^bb0(%p: f64):
    %zero = arith.constant 0.0 : f64
    %keep = arith.cmpf oge, %p, %zero : f64
    sparse_tensor.yield %keep : i1
}"""


def test_select_drops_entries_by_their_values():
    body = f"""
    %r = sparse_tensor.select %a : f64 {SELECT}
    linalg.yield %r : f64"""
    A, _ = matrices()
    result = run(elementwise(body, "A"), A)
    a = A.toarray()
    require(result, a, (a != 0) & (a >= 0))


def test_ops_on_elements_feed_others():
    body = f"""
    %k = sparse_tensor.select %a : f64 {SELECT}
    %t = arith.addf %k, %b : f64
    %r = sparse_tensor.unary %t : f64 to f64 present={NEGATIVE} absent={{}}
    linalg.yield %r : f64"""
    A, B = matrices()
    result = run(elementwise(body), A, B)
    a, b = A.toarray(), B.toarray()
    kept = np.where(a >= 0, a, 0)
    require(result, -(kept + b), (kept != 0) | (b != 0))


# --- Reductions -----------------------------------------------------------------------


def rows(reduce, result="tensor<?xf64, #SV>", matrix="#CSR", over="#i"):
    """Return a module that reduces the rows of a matrix by ``sparse_tensor.reduce``."""
    empty = "tensor.empty()" if result == "tensor<f64>" else "tensor.empty(%m)"
    kinds = '"reduction", "reduction"' if over == "#none" else '"parallel", "reduction"'
    return f"""{HEAD}
func.func @f(%A: tensor<?x?xf64, {matrix}>) -> {result} {{
  %c0 = arith.constant 0 : index
  %m = tensor.dim %A, %c0 : tensor<?x?xf64, {matrix}>
  %infinity = arith.constant 0x7FF0000000000000 : f64
  %one = arith.constant 1.0 : f64
  %five = arith.constant 5.0 : f64
  %empty = {empty} : {result}
  %y = linalg.generic {{
      indexing_maps = [#ij, {over}], iterator_types = [{kinds}]}}
      ins(%A : tensor<?x?xf64, {matrix}>) outs(%empty : {result}) {{
  ^bb0(%a: f64, %z: f64):
    {reduce}
    linalg.yield %r : f64
  }} -> {result}
  return %y : {result}
}}
"""


LEAST = """
    %r = sparse_tensor.reduce %a, %z, %infinity : f64 {
    ^bb0(%p: f64, %q: f64):
      %less = arith.cmpf olt, %p, %q : f64
      %s = arith.select %less, %p, %q : f64
      sparse_tensor.yield %s : f64
    }"""
PRODUCT = """
    %r = sparse_tensor.reduce %a, %z, %one : f64 {
    ^bb0(%p: f64, %q: f64):
      %s = arith.mulf %p, %q : f64
      sparse_tensor.yield %s : f64
    }"""
EITHER = """
    %r = sparse_tensor.reduce %a, %z, %infinity : f64 {
    ^bb0(%p: f64, %q: f64):
      %less = arith.cmpf olt, %p, %q : f64
      %l = arith.select %less, %p, %q : f64
      %s = arith.maximumf %l, %one : f64
      sparse_tensor.yield %s : f64
    }"""


def whole(shape=(13, 17), density=0.3):
    """Return a matrix of whole numbers, some rows of which have no entries."""
    made = sp.random_array(shape, density=density, rng=3, format="lil")
    made[2:4] = 0
    made = made.tocsr()
    made.data = np.ceil(4 * made.data)
    return made


@pytest.mark.parametrize("matrix", ["#CSR", "#CSC"])
@pytest.mark.parametrize("reduce", [LEAST, PRODUCT, EITHER])
@pytest.mark.parametrize("result", ["tensor<?xf64, #SV>", "tensor<?xf64>"])
def test_rows_are_reduced_over_their_entries(reduce, result, matrix):
    A = whole()
    a = A.toarray()
    if reduce is PRODUCT:
        values, nothing = np.where(a != 0, a, 1).prod(1), 1
    else:
        values, nothing = np.where(a != 0, a, np.inf).min(1), np.inf
    operand = A if matrix == "#CSR" else A.tocsc()
    text = rows(reduce, result, matrix)
    for options in ({}, {"parts": 6, "threads": 2}):
        found = nacho.mlir.compile(text, **options)(operand)
        if "#SV" in result:
            np.testing.assert_array_equal(found.coords[0], np.flatnonzero(a.any(1)))
            np.testing.assert_array_equal(found.data, values[a.any(1)])
        else:
            np.testing.assert_array_equal(found, np.where(a.any(1), values, nothing))


@pytest.mark.parametrize(("present", "absent"), [(0, 0), (2, 0), (0, 3), (2, 3)])
def test_a_sum_begins_from_its_identity_once(present, absent):
    """The sum of what the regions of a unary op yield, beginning from 5."""

    def region(value, argument):
        if not value:
            return "{}"
        return f"""{{
        {argument}
          %c = arith.constant {value}.0 : f64
          sparse_tensor.yield %c : f64
        }}"""

    reduce = f"""
    %u = sparse_tensor.unary %a : f64 to f64
      present={region(present, "^bb0(%p: f64):")} absent={region(absent, "")}
    %r = sparse_tensor.reduce %u, %z, %five : f64 {{
    ^bb0(%p: f64, %q: f64):
      %s = arith.addf %p, %q : f64
      sparse_tensor.yield %s : f64
    }}"""
    A = whole()
    stored = np.count_nonzero(A.toarray())
    text = rows(reduce, "tensor<f64>", over="#none")
    for parts in (1, 5):
        found = nacho.mlir.compile(text, parts=parts)(A)
        assert found == 5 + present * stored + absent * (13 * 17 - stored)


def test_products_take_the_smallest_sum():
    text = f"""{HEAD}
func.func @f(%A: {MATRIX}, %B: {MATRIX}) -> {MATRIX} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %infinity = arith.constant 0x7FF0000000000000 : f64
  %m = tensor.dim %A, %c0 : {MATRIX}
  %n = tensor.dim %B, %c1 : {MATRIX}
  %empty = tensor.empty(%m, %n) : {MATRIX}
  %Z = linalg.generic {{
      indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>,
                       affine_map<(i, j, k) -> (i, j)>],
      iterator_types = ["parallel", "parallel", "reduction"]}}
      ins(%A, %B : {MATRIX}, {MATRIX}) outs(%empty : {MATRIX}) {{
  ^bb0(%a: f64, %b: f64, %z: f64):
    %sum = sparse_tensor.binary %a, %b : f64, f64 to f64
      overlap={SUM} left={{}} right={{}}
    {LEAST.replace("%a", "%sum")}
    linalg.yield %r : f64
  }} -> {MATRIX}
  return %Z : {MATRIX}
}}
"""
    A, B = whole((20, 30)), whole((30, 25))
    a, b = A.toarray(), B.toarray()
    result = run(text, A, B)
    stored = (a != 0)[:, :, None] & (b != 0)[None]
    sums = np.where(stored, a[:, :, None] + b[None], np.inf).min(1)
    require(result, sums, stored.any(1))
