"""Tensors in blocks: SciPy's bsr, and MLIR's maps with floordiv and mod."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp

import nacho
from checks import same
from nacho import Tensor
from nacho.errors import FormatError, ShapeError, UnsupportedError

EXPRESSIONS = (
    "Z[i,j] = A[i,j] + B[i,j]",
    "Z[i,j] = A[i,j] * B[i,j]",
    "Z[i,j] = A[i,j] * E[i,j]",
    "Z[i,j] = A[i,j] + E[i,j]",
    "Z[i,j] = s * A[i,j] ** 2",
    "Z[i,k] = A[i,j] * C[j,k]",
    "Z[i,k] = A[i,j] * D[j,k]",
    "y[i] = A[i,j] * x[j]",
    "y[j] = A[i,j] * u[i]",
    "y[i] max= A[i,j]",
    "y += A[i,j]",
)
SHAPES = ((12, 18, 8), (60, 36, 20), (2, 3, 2), (0, 6, 4), (4, 0, 0), (40, 3, 2))


def blocks(rng, shape, block, kind=sp.bsr_array):
    """Return a matrix in blocks, some elements of which are zeros."""
    grid = [extent // size for extent, size in zip(shape, block, strict=True)]
    pattern = np.kron(rng.random(grid) < 0.4, np.ones(block)) > 0
    dense = np.where(pattern, rng.integers(-4, 9, shape), 0).astype(float)
    if 0 in shape:
        return kind(shape, blocksize=block), dense
    made = kind(dense, blocksize=block)
    made.sort_indices()
    return made, dense


def operands(rng, shape):
    n, m, k = shape
    a, b = blocks(rng, (n, m), (2, 3)), blocks(rng, (n, m), (2, 3))
    c = blocks(rng, (m, k), (3, 2))
    plain = {
        "D": rng.random((m, 3)),
        "E": rng.random((n, m)),
        "x": rng.random(m),
        "u": rng.random(n),
        "s": 3,
    }
    given = {"A": a[0], "B": b[0], "C": c[0], **plain}
    return given, {"A": a[1], "B": b[1], "C": c[1], **plain}


def dense(result):
    return result.toarray() if sp.issparse(result) else np.asarray(result)


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_expressions(expression):
    rng = np.random.default_rng(len(expression))
    for shape in SHAPES:
        given, plain = operands(rng, shape)
        _, _, right = expression.partition("=")
        names = [name for name in given if name in right]
        if "max=" in expression and 0 in shape:
            continue
        wanted = nacho.evaluate(expression, {name: plain[name] for name in names})
        used = {name: given[name] for name in names}
        found = [
            nacho.evaluate(expression, used, threads=threads, parts=parts)
            for threads, parts in ((1, 1), (1, 7), (2, 7), (2, 100))
        ]
        for each in found:
            np.testing.assert_allclose(dense(each), wanted, rtol=1e-12)
        assert same(found[1], found[2])


def test_nothing_is_converted():
    rng = np.random.default_rng(1)
    given, _ = operands(rng, (12, 18, 8))
    told = nacho.explain("y[i] = A[i,j] * x[j]", A=given["A"], x=given["x"])
    assert "copies      none: every array is used in place" in str(told)
    assert "y[i0,i1] = sum(j0, j1, A[i0,j0,i1,j1] * x[j0,j1])" in str(told)


@pytest.mark.parametrize("kind", [sp.bsr_array, sp.bsr_matrix])
def test_results_are_in_blocks(kind):
    rng = np.random.default_rng(2)
    (a, _), (c, _) = (
        blocks(rng, (12, 18), (2, 3), kind),
        blocks(rng, (18, 8), (3, 4), kind),
    )
    for expression, operand, size in (
        ("Z[i,j] = A[i,j] + 2 * B[i,j]", a, (2, 3)),
        ("Z[i,k] = A[i,j] * B[j,k]", c, (2, 4)),
    ):
        made = nacho.evaluate(expression, A=a, B=operand)
        assert type(made) is kind
        assert made.blocksize == size
        assert made.has_canonical_format


@pytest.mark.parametrize("block", [(1, 1), (1, 2), (3, 1)])
@pytest.mark.parametrize(
    "text",
    [
        "y[i] = A[i,j] * x[j]",
        "Z[i,j] = A[i,j] + D[i,j]",
        "Z[i,k] = A[i,j] * A[j,k]",
        "z = A[i,i]",
    ],
)
def test_blocks_of_one_row_or_column(text, block):
    """They are read as csr; also beside operands in larger blocks."""
    rng = np.random.default_rng(6)
    a, wide = blocks(rng, (12, 12), block)
    d, plain = blocks(rng, (12, 12), (3, 2))
    given = {"A": (a, wide), "D": (d, plain), "x": (rng.random(12),) * 2}
    named = {name: each for name, each in given.items() if name + "[" in text}
    wanted = {
        "y": lambda: wide @ given["x"][1],
        "Z[i,j]": lambda: wide + plain,
        "Z[i,k]": lambda: wide @ wide,
        "z": lambda: np.trace(wide),
    }[text.partition(" ")[0].replace("y[i]", "y")]()
    made = nacho.evaluate(text, {name: each[0] for name, each in named.items()})
    np.testing.assert_allclose(dense(made), wanted)


def test_what_is_still_converted():
    """Operands in other blocks or in none, and results that SciPy has no bsr for."""
    rng = np.random.default_rng(3)
    (a, x), (b, y) = blocks(rng, (12, 18), (2, 3)), blocks(rng, (12, 18), (3, 2))
    for expression, operand, wanted in (
        ("Z[i,j] = A[i,j] + B[i,j]", sp.csr_array(y), x + y),
        ("Z[i,j] = A[i,j] + B[i,j]", b, x + y),
        ("Z[j,i] = A[i,j] * B[i,j]", a, (x * x).T),
        ("Z[i,j] = A[i,j] * sum(k, B[k,j])", a, x * x.sum(0)),
    ):
        made = nacho.evaluate(expression, A=a, B=operand)
        np.testing.assert_array_equal(dense(made), wanted)
        told = str(nacho.explain(expression, A=a, B=operand))
        assert "A: bsr converted to csr" in told


def test_unsorted_blocks():
    data = np.arange(12.0).reshape(3, 2, 2)
    a = sp.bsr_array((data, [1, 0, 1], [0, 2, 3]), shape=(4, 4))
    made = nacho.evaluate("Z[i,j] = A[i,j] * 2", A=a)
    np.testing.assert_array_equal(made.toarray(), 2 * a.toarray())
    assert made.indices.tolist() == [0, 1, 1]


# --- Tensors --------------------------------------------------------------------------

BSR = (
    "(i, j) -> (i floordiv 2 : {}, j floordiv 3 : compressed, i mod 2 : dense, "
    "j mod 3 : dense)"
)
FORMATS = (
    BSR.format("dense"),
    BSR.format("compressed"),
    "(i, j) -> (j floordiv 3 : dense, i : compressed, j mod 3 : dense)",
    "(i, j) -> (i floordiv 2 : compressed, i mod 2 : compressed, j : compressed)",
)


@pytest.mark.parametrize("format", FORMATS)
def test_tensors(format):
    rng = np.random.default_rng(4)
    _, a = blocks(rng, (8, 9), (2, 3))
    made = Tensor.from_dense(a, format)
    assert made.format == nacho.Format(format)
    assert made.shape == (8, 9)
    np.testing.assert_array_equal(made.to_dense(), a)
    np.testing.assert_array_equal(made.T.to_dense(), a.T)
    np.testing.assert_array_equal(made[1:3].to_dense(), a[1:3])
    np.testing.assert_array_equal(a[tuple(made.coords)], made.values)
    assert same(made.convert("csr"), Tensor.from_dense(a, "csr"))
    assert same(Tensor.from_dense(a, "csr").convert(format), made)
    again = pickle.loads(pickle.dumps(made))
    assert again.format == made.format
    again = Tensor.from_parts(format, a.shape, made.pos, made.crd, made.values)
    assert same(again, made)
    x = rng.random(9)
    y = nacho.evaluate("y[i] = A[i,j] * x[j]", A=made, x=x)
    np.testing.assert_allclose(y, a @ x)


@pytest.mark.parametrize(
    ("format", "wanted"),
    [*zip(FORMATS, ("csr", "dcsr", "csc", "dcsr"), strict=True)],
)
def test_results_of_compiled_kernels_are_sparse(format, wanted):
    """What is inferred has no blocks, but a level for each dimension."""
    rng = np.random.default_rng(6)
    _, a = blocks(rng, (8, 9), (2, 3))
    _, b = blocks(rng, (8, 9), (2, 3))
    A, B = Tensor.from_dense(a, format), Tensor.from_dense(b, wanted)
    for text, dense in (
        ("Z[i,j] = A[i,j] * 2", a * 2),
        ("Z[i,j] = A[i,j] + B[i,j]", a + b),
    ):
        operands = {"A": A, "B": B} if "B" in text else {"A": A}
        formats = {name: operand.format for name, operand in operands.items()}
        made = nacho.mlir.compile(text, formats)(**operands)
        assert made.format == nacho.Format(wanted)
        np.testing.assert_array_equal(made.to_dense(), dense)


def test_tensors_of_scipy():
    rng = np.random.default_rng(5)
    _, wanted = blocks(rng, (8, 9), (2, 3))
    made = Tensor.from_dense(wanted, FORMATS[0])
    assert type(made.to_scipy()) is sp.bsr_array
    assert same(made.to_scipy(), sp.bsr_array(wanted, blocksize=(2, 3)))
    doubled = nacho.evaluate("Z[i,j] = A[i,j] * 2", A=made)
    assert doubled.format == made.format
    np.testing.assert_array_equal(doubled.to_dense(), 2 * wanted)


def test_what_is_refused():
    with pytest.raises(ShapeError, match="extent 7 in dimension 1 is not a multiple"):
        Tensor.from_dense(np.ones((4, 7)), FORMATS[0])
    with pytest.raises(FormatError, match="exactly one level, or two"):
        nacho.Format("(i) -> (i mod 2 : dense, i floordiv 2 : compressed)")
    with pytest.raises(FormatError, match="exactly one level, or two"):
        nacho.Format("(i) -> (i floordiv 2 : dense, i mod 3 : compressed)")
    with pytest.raises(UnsupportedError, match="no tensor in blocks is dense"):
        Tensor.from_dense(np.ones(4), "(i) -> (i floordiv 2 : dense, i mod 2 : dense)")


# --- Modules --------------------------------------------------------------------------

HEAD = """
#BSR = #sparse_tensor.encoding<{
  map = (i, j) -> (i floordiv 2 : dense, j floordiv 3 : compressed,
                   i mod 2 : dense, j mod 3 : dense) }>
#ij = affine_map<(i, j) -> (i, j)>
"""
SPMM = (
    HEAD
    + """
func.func @spmm(%A: tensor<?x?xf64, #BSR>, %B: tensor<?x?xf64>, %C: tensor<?x?xf64>)
    -> tensor<?x?xf64> {
  %0 = linalg.matmul ins(%A, %B : tensor<?x?xf64, #BSR>, tensor<?x?xf64>)
                     outs(%C : tensor<?x?xf64>) -> tensor<?x?xf64>
  return %0 : tensor<?x?xf64>
}"""
)
ADD = (
    HEAD
    + """
func.func @add(%A: tensor<8x?xf64, #BSR>, %B: tensor<8x?xf64, #BSR>)
    -> tensor<8x?xf64, #BSR> {
  %c1 = arith.constant 1 : index
  %n = tensor.dim %A, %c1 : tensor<8x?xf64, #BSR>
  %e = tensor.empty(%n) : tensor<8x?xf64, #BSR>
  %0 = linalg.generic {indexing_maps = [#ij, #ij, #ij],
                       iterator_types = ["parallel", "parallel"]}
      ins(%A, %B : tensor<8x?xf64, #BSR>, tensor<8x?xf64, #BSR>)
      outs(%e : tensor<8x?xf64, #BSR>) {
    ^bb0(%a: f64, %b: f64, %c: f64):
      %1 = arith.addf %a, %b : f64
      linalg.yield %1 : f64
  } -> tensor<8x?xf64, #BSR>
  return %0 : tensor<8x?xf64, #BSR>
}"""
)


def test_module_with_dense_result():
    rng = np.random.default_rng(6)
    kernel = nacho.mlir.compile(SPMM)
    for n, m in ((8, 9), (2, 3), (0, 3), (4, 0)):
        a, wanted = blocks(rng, (n, m), (2, 3))
        b, c = rng.random((m, 4)), rng.random((n, 4))
        np.testing.assert_allclose(kernel(a, b, c), wanted @ b + c)
        np.testing.assert_allclose(kernel(sp.csr_array(wanted), b, c), wanted @ b + c)
        b = np.asfortranarray(b)
        np.testing.assert_allclose(kernel(a, b, c), wanted @ b + c)


@pytest.mark.parametrize("widths", ["", ", posWidth = 32, crdWidth = 32"])
def test_module_with_result_in_blocks(widths):
    rng = np.random.default_rng(7)
    text = ADD.replace("j mod 3 : dense) }>", f"j mod 3 : dense){widths} }}>")
    assert widths in text
    kernel = nacho.mlir.compile(text)
    (a, x), (b, y) = blocks(rng, (8, 9), (2, 3)), blocks(rng, (8, 9), (2, 3))
    made = kernel(a, b)
    assert type(made) is sp.bsr_array
    np.testing.assert_array_equal(made.toarray(), x + y)
    tensors = [Tensor.from_dense(each, FORMATS[0]) for each in (x, y)]
    made = kernel(*tensors, parts=5, threads=2)
    assert made.format == nacho.Format(FORMATS[0])
    np.testing.assert_array_equal(made.to_dense(), x + y)
    again = pickle.loads(pickle.dumps(kernel))(a, b)
    np.testing.assert_array_equal(again.toarray(), x + y)
    with pytest.raises(ShapeError, match="extent 10 in dimension 1 is not a multiple"):
        kernel(sp.csr_array((8, 10)), sp.csr_array((8, 10)))
    with pytest.raises(ShapeError):
        kernel(*[blocks(rng, (6, 9), (2, 3))[0]] * 2)


def test_module_with_another_sparse_operand():
    """In Z[i,k] += A[i,j] * B[k,l], B is csr, and has no index in blocks."""
    text = (
        HEAD
        + """
    #CSR = #sparse_tensor.encoding<{ map = (i, j) -> (i : dense, j : compressed) }>
    func.func @f(%A: tensor<?x?xf64, #BSR>, %B: tensor<?x?xf64, #CSR>,
                 %Z: tensor<?x?xf64>)
        -> tensor<?x?xf64> {
      %0 = linalg.generic {
          indexing_maps = [affine_map<(i, k, j, l) -> (i, j)>,
                           affine_map<(i, k, j, l) -> (k, l)>,
                           affine_map<(i, k, j, l) -> (i, k)>],
          iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
          ins(%A, %B : tensor<?x?xf64, #BSR>, tensor<?x?xf64, #CSR>)
          outs(%Z : tensor<?x?xf64>) {
        ^bb0(%a: f64, %b: f64, %z: f64):
          %1 = arith.mulf %a, %b : f64
          %2 = arith.addf %z, %1 : f64
          linalg.yield %2 : f64
      } -> tensor<?x?xf64>
      return %0 : tensor<?x?xf64>
    }"""
    )
    rng = np.random.default_rng(10)
    a, wanted = blocks(rng, (8, 9), (2, 3))
    b, z = (
        sp.random_array((5, 7), density=0.4, format="csr", rng=rng),
        rng.random((8, 5)),
    )
    made = nacho.mlir.compile(text)(a, b, z)
    np.testing.assert_allclose(made, z + np.outer(wanted.sum(1), b.sum(1)))


def test_module_with_three_dimensions():
    levels = (
        "i floordiv 2 : compressed, j : compressed, k floordiv 2 : compressed, "
        "i mod 2 : dense, k mod 2 : dense"
    )
    text = f"""
    #B = #sparse_tensor.encoding<{{ map = (i, j, k) -> ({levels}) }}>
    #ijk = affine_map<(i, j, k) -> (i, j, k)>
    func.func @f(%A: tensor<?x?x?xf64, #B>, %x: tensor<?xf64>,
                 %e: tensor<?x?x?xf64, #B>)
        -> tensor<?x?x?xf64, #B> {{
      %0 = linalg.generic {{
          indexing_maps = [#ijk, affine_map<(i, j, k) -> (k)>, #ijk],
          iterator_types = ["parallel", "parallel", "parallel"]}}
          ins(%A, %x : tensor<?x?x?xf64, #B>, tensor<?xf64>)
          outs(%e : tensor<?x?x?xf64, #B>) {{
        ^bb0(%a: f64, %b: f64, %c: f64):
          %1 = arith.mulf %a, %b : f64
          linalg.yield %1 : f64
      }} -> tensor<?x?x?xf64, #B>
      return %0 : tensor<?x?x?xf64, #B>
    }}"""
    rng = np.random.default_rng(8)
    a = np.where(rng.random((4, 5, 6)) < 0.2, rng.random((4, 5, 6)), 0)
    x, format = rng.random(6), nacho.Format(f"(i, j, k) -> ({levels})")
    kernel = nacho.mlir.compile(text)
    given = Tensor.from_dense(a, format)
    np.testing.assert_array_equal(given.to_dense(), a)
    made = kernel(given, x, given)
    assert made.format == format
    np.testing.assert_array_equal(made.to_dense(), a * x)


MIXED = (
    HEAD
    + """
#CSC = #sparse_tensor.encoding<{ map = (i, j) -> (j : dense, i : compressed) }>
func.func @f(%A: tensor<?x?xf64, #BSR>, %B: tensor<?x?xf64, #CSC>,
             %Z: tensor<?x?xf64$OUT>) -> tensor<?x?xf64$OUT> {
  %0 = linalg.generic {
      indexing_maps = [$MAPS, affine_map<(i, j, k) -> (i, k)>],
      iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%A, %B : tensor<?x?xf64, #BSR>, tensor<?x?xf64, #CSC>)
      outs(%Z : tensor<?x?xf64$OUT>) {
    ^bb0(%a: f64, %b: f64, %z: f64):
      %1 = arith.mulf %a, %b : f64
      %2 = arith.addf %z, %1 : f64
      linalg.yield %2 : f64
  } -> tensor<?x?xf64$OUT>
  return %0 : tensor<?x?xf64$OUT>
}"""
)
PRODUCTS = {
    "Z[i,k] += A[i,j] * B[j,k]": ("(i, j)", "(j, k)", (18, 9)),
    "Z[i,k] += B[i,j] * A[j,k]": ("(j, k)", "(i, j)", (8, 12)),
}


@pytest.mark.parametrize("out", ["", ", #BSR", ", #CSC"])
@pytest.mark.parametrize("product", PRODUCTS)
def test_module_with_a_tensor_without_blocks(product, out):
    """A is in blocks, and B in csc."""
    of_a, of_b, shape = PRODUCTS[product]
    maps = ", ".join(f"affine_map<(i, j, k) -> {access}>" for access in (of_a, of_b))
    text = MIXED.replace("$MAPS", maps).replace("$OUT", out)
    rng = np.random.default_rng(11)
    a, x = blocks(rng, (12, 18), (2, 3))
    y = np.where(rng.random(shape) < 0.3, rng.integers(1, 9, shape), 0.0)
    product = x @ y if of_a == "(i, j)" else y @ x
    z, start = blocks(rng, product.shape, (2, 3))
    given = {"": start, ", #BSR": z, ", #CSC": sp.csc_array(start)}[out]
    kernel = nacho.mlir.compile(text)
    for choice in ({}, {"parts": 3, "threads": 1}, {"parts": 3, "threads": 2}):
        made = kernel(a, sp.csc_array(y), given, **choice)
        np.testing.assert_array_equal(dense(made), start + product)


# --- Devices --------------------------------------------------------------------------


def test_simulated_gpu():
    rng = np.random.default_rng(9)
    a, wanted = blocks(rng, (8, 9), (2, 3))
    x, y = rng.random((9, 4)), rng.random((8, 4))
    made = nacho.mlir.compile(SPMM, target="cuda-sim")(a, x, y)
    np.testing.assert_allclose(made, wanted @ x + y)
    made = nacho.mlir.compile(ADD, target="cuda-sim")(a, a)
    np.testing.assert_array_equal(made.toarray(), 2 * wanted)


def test_operands_on_devices():
    there = Tensor.from_dense(np.eye(6), FORMATS[0]).to("cuda-sim")
    with pytest.raises(
        UnsupportedError, match=r"it lies on 'cuda-sim', .* \.to\(\"cpu"
    ):
        nacho.evaluate("Z[i,j] = A[i,j] * 2", A=there)
