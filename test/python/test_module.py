"""MLIR as an operand of ``compile``: text, or whatever is a module when printed."""

import numpy as np
import pytest
import scipy.sparse as sp

import nacho
from nacho import Format, _nacho
from nacho._mlir.module import is_module, tensor_type

CSR = (
    "#sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed), "
    "posWidth = 32, crdWidth = 32 }>"
)
VECTOR = "#sparse_tensor.encoding<{ map = (d0) -> (d0 : dense) }>"

# The bindings come in another order than the arguments.
SPMV = f"""
#CSR = {CSR}
#V = {VECTOR}
func.func @spmv(%A: tensor<?x?xf64, #CSR>, %x: tensor<?xf64, #V>)
    -> tensor<?xf64, #V> {{
  %y = nacho.assign (%b = %x[j] : tensor<?xf64, #V>,
                     %a = %A[i, j] : tensor<?x?xf64, #CSR>)
      -> [i] : tensor<?xf64, #V> {{
    %0 = nacho.binary mul %a, %b : f64
    %1 = nacho.reduce add %0 over [j] : f64
    nacho.yield %1 : f64
  }}
  return %y : tensor<?xf64, #V>
}}
"""

LINALG = f"""
#CSR = {CSR}
#map = affine_map<(i, j) -> (i, j)>
func.func @add(%A: tensor<?x4xf64, #CSR>, %B: tensor<?x4xf64, #CSR>,
               %C: tensor<?x4xf64, #CSR>) -> tensor<?x4xf64, #CSR> {{
  %0 = linalg.generic {{indexing_maps = [#map, #map, #map],
                       iterator_types = ["parallel", "parallel"]}}
      ins(%A, %B : tensor<?x4xf64, #CSR>, tensor<?x4xf64, #CSR>)
      outs(%C : tensor<?x4xf64, #CSR>) {{
    ^bb0(%a: f64, %b: f64, %c: f64):
      %1 = arith.mulf %a, %b : f64
      %2 = arith.addf %c, %1 : f64
      linalg.yield %2 : f64
  }} -> tensor<?x4xf64, #CSR>
  return %0 : tensor<?x4xf64, #CSR>
}}
"""


def operands():
    rng = np.random.default_rng(1)
    return sp.random_array((5, 6), density=0.5, format="csr", rng=rng), rng.random(6)


def test_what_is_a_module():
    assert is_module(SPMV)
    assert is_module('"builtin.module"() ({ "func.func"() ({}) : () -> () })')
    assert not is_module("Z[i,j] = A[i,j]")
    assert not is_module(3)


class Module:
    def __str__(self):
        return SPMV


@pytest.mark.parametrize("module", [SPMV, Module()], ids=["text", "object"])
def test_spmv(module):
    kernel = nacho.mlir.compile(module)
    assert kernel.operands == ("A", "x")
    assert kernel.order[0] == "i"
    assert kernel.expression == "Z[i] = spmv(A[i,j], x[j])"
    assert kernel.result_type.format.is_dense
    A, x = operands()
    for found in (kernel(A, x), kernel(x=x, A=A), kernel.plan(A, x, parts=3).execute()):
        np.testing.assert_allclose(found, A @ x)
    assert "spmv" in kernel.explain(A, x)
    assert kernel.mlir("assign").count("nacho.assign") == 1


def test_operands_without_names():
    text = SPMV.replace("%A", "%10").replace("%x", "%11").replace("%y", "%12")
    kernel = nacho.mlir.compile(text)
    A, x = operands()
    np.testing.assert_allclose(kernel(A, x), A @ x)
    named = dict(zip(kernel.operands, (A, x), strict=True))
    np.testing.assert_allclose(kernel(**named), A @ x)


def test_extents_must_agree():
    kernel = nacho.mlir.compile(SPMV)
    A, x = operands()
    message = (
        "index 'j' has extent 6 in operand 'A', but 5 in operand 'x'\n"
        "  Z[i] = spmv(A[i,j], x[j])\n"
        "                      ^^^^"
    )
    with pytest.raises(nacho.ShapeError) as caught:
        kernel(A, x[:5])
    assert str(caught.value) == message


def test_types_are_those_of_the_function():
    kernel = nacho.mlir.compile(SPMV)
    A, x = operands()
    with pytest.raises(nacho.DTypeError, match="operand 'x' is complex64"):
        kernel(A, x.astype(np.complex64))
    narrow = x.astype(np.float32)
    np.testing.assert_array_equal(kernel(A, narrow), kernel(A, narrow.astype("f8")))
    for option in ({"formats": {"A": "csr"}}, {"dtype": "f64"}, {"index": "i32"}):
        with pytest.raises(nacho.ArgumentError, match="are those of its function"):
            nacho.mlir.compile(SPMV, **option)


def test_a_module_with_a_scatter():
    text = SPMV.replace("-> [i]", "-> [j]").replace("%b = %x[j]", "%b = %x[i]")
    text = text.replace("over [j]", "over [i]")
    A, x = sp.random_array((5, 4), density=0.5, format="csr", rng=1), np.arange(5.0)
    np.testing.assert_allclose(nacho.mlir.compile(text)(A, x), A.T @ x)


def test_what_is_not_one_assignment():
    with pytest.raises(nacho.NachoError):
        nacho.mlir.compile("func.func @f(%x: tensor<f64>) -> tensor<f64> { return }")
    with pytest.raises(nacho.NachoError):
        nacho.mlir.compile("func.func @f(%x: f64) -> f64 { return %x : f64 }")


def test_linalg():
    kernel = nacho.mlir.compile(LINALG)
    assert kernel.operands == ("A", "B", "C")
    A, B, C = (
        sp.random_array((5, 4), density=0.5, format="csr", rng=n) for n in (1, 2, 3)
    )
    np.testing.assert_allclose(kernel(A, B, C).toarray(), (A * B + C).toarray())
    wide = sp.csr_array((5, 5))
    with pytest.raises(
        nacho.ShapeError, match="dimension 1 of operand 'A' has extent 5"
    ):
        kernel(wide, wide, wide)


def test_refusals_name_the_operand():
    text = """
#SV = #sparse_tensor.encoding<{ map = (d0) -> (d0 : compressed) }>
func.func @third(%A: tensor<?xf64, #SV>, %x: tensor<?xf64>) -> tensor<?xi1> {
  %Z = nacho.assign (%a = %x[i] : tensor<?xf64>, %b = %A[m] : tensor<?xf64, #SV>)
      where (m = 2) -> [i] : tensor<?xi1> {
    %0 = nacho.compare lt %a, %b : f64
    %1 = nacho.stored %b : f64
    %2 = nacho.binary andbits %0, %1 : i1
    nacho.yield %2 : i1
  }
  return %Z : tensor<?xi1>
}
"""
    with pytest.raises(nacho.UnsupportedError) as caught:
        nacho.mlir.compile(text)(sp.coo_array(np.ones(3)), np.ones(4))
    assert str(caught.value) == (
        "operand 'A' is sparse and has no index, only numbers: not supported "
        "where it matters whether the element is stored\n"
        "  Z[i] = third(A[m], x[i])\n"
        "               ^^^^"
    )
    with pytest.raises(_nacho.CompileError) as caught:
        _nacho.Kernel(text).prepare()
    assert (caught.value.operand, caught.value.is_result) == (1, False)
    assert caught.value.reason.startswith("is sparse and has no index")


# --- Types ----------------------------------------------------------------------------


def read_type(text):
    """Return the type of a function's argument, and its extents."""
    function = f"""
      func.func @f(%A: {text}, %x: tensor<f64>) -> tensor<f64> {{
        return %x : tensor<f64>
      }}"""
    return tensor_type("A", _nacho.Module(function).describe().given[0])


@pytest.mark.parametrize(
    ("text", "format", "dtype", "widths", "shape"),
    [
        ("tensor<f64>", None, "f64", (32, 32), ()),
        ("f64", None, "f64", (32, 32), ()),
        ("tensor<?xf32>", "dense", "f32", (32, 32), (None,)),
        ("tensor<3x?xcomplex<f64>>", "dense", "c128", (32, 32), (3, None)),
        (f"tensor<?x?xui8, {CSR}>", "csr", "u8", (32, 32), (None, None)),
        (
            "tensor<?x4xi1, #sparse_tensor.encoding<{ map = (d0, d1) -> "
            "(d0 : compressed(nonunique), d1 : singleton(soa)), crdWidth = 32 }>>",
            "coo",
            "bool",
            (0, 32),
            (None, 4),
        ),
        (
            "tensor<?x?xi16, #sparse_tensor.encoding<{ map = (d0, d1) -> "
            "(d1 : compressed, d0 : compressed) }>>",
            "dcsc",
            "i16",
            (0, 0),
            (None, None),
        ),
    ],
)
def test_types(text, format, dtype, widths, shape):
    type, found = read_type(text)
    wanted = None if format is None else Format(format).for_rank(len(shape))
    assert (type.format, type.dtype) == (wanted, dtype)
    assert (type.pos_width, type.crd_width) == widths
    assert found == shape


@pytest.mark.parametrize(
    "text",
    ["index", "tensor<*xf64>", "tensor<?xbf16>", "tensor<?xindex>", "memref<?xf64>"],
)
def test_types_that_are_not_supported(text):
    with pytest.raises(nacho.UnsupportedError, match="'A' is of type"):
        read_type(text)
