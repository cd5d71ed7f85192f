"""Slices of sparse tensors, which functions of MLIR make of their operands."""

import numpy as np
import pytest

import nacho
from checks import same
from nacho import Tensor
from nacho._kernels.nests import nests_of
from nacho.errors import NachoError, ShapeError
from test_loose import loosened

FORMATS = {
    "csr": "(d0, d1) -> (d0 : dense, d1 : compressed)",
    "csc": "(d0, d1) -> (d1 : dense, d0 : compressed)",
    "dcsr": "(d0, d1) -> (d0 : compressed, d1 : compressed)",
    "coo": "(d0, d1) -> (d0 : compressed(nonunique), d1 : singleton(soa))",
    "interleaved": "(d0, d1) -> (d0 : compressed(nonunique), d1 : singleton)",
    "rows": "(d0, d1) -> (d0 : compressed, d1 : dense)",
    "loose": "(d0, d1) -> (d0 : dense, d1 : loose_compressed)",
    "loose rows": "(d0, d1) -> (d0 : loose_compressed, d1 : compressed)",
    "dense": "(d0, d1) -> (d0 : dense, d1 : dense)",
}
SHAPE = 13, 11
# The offsets, sizes and strides of slices of a tensor of this shape.
NUMBERS = (
    ((0, 0), (13, 11), (1, 1)),
    ((2, 3), (5, 6), (1, 1)),
    ((4, 0), (9, 11), (1, 1)),
    ((0, 5), (13, 6), (1, 1)),
    ((1, 2), (4, 3), (3, 4)),
    ((0, 1), (13, 4), (1, 3)),
    ((12, 10), (1, 1), (1, 1)),
    ((3, 4), (0, 4), (1, 2)),
)
PARTS = ((1, 1), (1, 3), (2, 3), (2, 40))
HUGE = 2**62

ENCODING = "#sparse_tensor.encoding<{{ map = {} }}>"
MAPS = """
#Z = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
#each = {
  indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>,
                   affine_map<(i, j) -> (i, j)>],
  iterator_types = ["parallel", "parallel"]}
"""
ELEMENTWISE = """
  %empty = tensor.empty({extents}) : {type}
  %Z = linalg.generic #each ins(%S, %B : {sliced}, {type}) outs(%empty : {type}) {{
  ^bb0(%s: f64, %b: f64, %z: f64):
    %0 = arith.{op} %s, %b : f64
    linalg.yield %0 : f64
  }} -> {type}
  return %Z : {type}
"""


def random(rng, shape):
    return np.where(rng.random(shape) < 0.4, rng.integers(1, 9, shape), 0).astype(float)


def taken(array, numbers):
    """The slice of a NumPy array."""
    rows = zip(*numbers, strict=True)
    return array[
        tuple(slice(o, o + (n - 1) * s + 1 if n else o, s) for o, n, s in rows)
    ]


def operand(rng, dense, format):
    if "loose" in format:
        return loosened(rng, dense, format)
    return Tensor.from_dense(dense, format)


def sliced(name, source, numbers, dynamic=False):
    """A slice of a tensor, and the arguments that are its numbers."""
    lists, args = [], []
    for letter, row in zip(("o", "n", "s"), numbers, strict=True):
        named = [f"%{letter}{d}" for d in range(len(row))]
        args += [f"{number}: index" for number in named]
        lists.append(f"[{', '.join(named if dynamic else map(str, row))}]")
    shape = "".join("?x" if dynamic else f"{size}x" for size in numbers[1])
    type_ = f"tensor<{shape}xf64, #A>".replace("xx", "x")
    text = f"%{name} = tensor.extract_slice %A{''.join(lists)} : {source} to {type_}"
    return text, type_, args if dynamic else []


def elementwise(format, op, numbers, dynamic):
    """A module that combines a slice with a CSR tensor."""
    text, type_, args = sliced("S", "tensor<?x?xf64, #A>", numbers, dynamic)
    made = type_.replace("#A", "#Z")
    body = ELEMENTWISE.format(
        op=op, type=made, sliced=type_, extents="%n0, %n1" if dynamic else ""
    )
    params = ", ".join(["%A: tensor<?x?xf64, #A>", f"%B: {made}", *args])
    return (
        f"#A = {ENCODING.format(format)}{MAPS}"
        f"func.func @f({params}) -> {made} {{ {text} {body} }}"
    )


@pytest.mark.sampled
@pytest.mark.each_value
@pytest.mark.parametrize("dynamic", (False, True))
@pytest.mark.parametrize("format", FORMATS)
def test_elementwise(format, dynamic):
    rng = np.random.default_rng(len(format))
    dense = random(rng, SHAPE)
    A = operand(rng, dense, FORMATS[format])
    for op, combine in (("addf", np.add), ("mulf", np.multiply)):
        kernel = None
        for numbers in NUMBERS if dynamic else NUMBERS[1::3]:
            if kernel is None or not dynamic:
                text = elementwise(FORMATS[format], op, numbers, dynamic)
                kernel = nacho.mlir.compile(text)
            b = random(rng, numbers[1])
            B = Tensor.from_dense(b, "csr")
            given = [int(n) for row in numbers for n in row] if dynamic else []
            found = [
                kernel(A, B, *given, threads=threads, parts=parts)
                for threads, parts in PARTS
            ]
            for each in found:
                assert same(each, found[0])
            wanted = combine(taken(dense, numbers), b)
            np.testing.assert_array_equal(found[0].to_dense(), wanted)


def product(format):
    """A module that multiplies two slices of one tensor."""
    source = "tensor<?x?xf64, #A>"
    left, left_type, _ = sliced("L", source, ((0, 1), (5, 4), (1, 2)))
    right, right_type, _ = sliced("R", source, ((2, 0), (4, 11), (3, 1)))
    type_ = "tensor<5x11xf64, #Z>"
    return f"""
#A = {ENCODING.format(format)}{MAPS}
func.func @f(%A: {source}) -> {type_} {{
  {left}
  {right}
  %empty = tensor.empty() : {type_}
  %Z = linalg.matmul ins(%L, %R : {left_type}, {right_type}) outs(%empty : {type_})
      -> {type_}
  return %Z : {type_}
}}
"""


@pytest.mark.sampled
@pytest.mark.parametrize("format", FORMATS)
def test_product_of_two_slices_of_one_tensor(format):
    rng = np.random.default_rng(2)
    dense = random(rng, SHAPE)
    A = operand(rng, dense, FORMATS[format])
    kernel = nacho.mlir.compile(product(FORMATS[format]))
    found = [kernel(A, threads=threads, parts=parts) for threads, parts in PARTS]
    for each in found:
        assert same(each, found[0])
    wanted = dense[:5, 1:8:2] @ dense[2:12:3]
    np.testing.assert_array_equal(found[0].to_dense(), wanted)


ORDER_3 = {
    "csf": "(d0, d1, d2) -> (d0 : compressed, d1 : compressed, d2 : compressed)",
    "dense first": "(d0, d1, d2) -> (d0 : dense, d1 : dense, d2 : compressed)",
    "dense inside": "(d0, d1, d2) -> (d0 : compressed, d1 : dense, d2 : compressed)",
    "coo": "(d0, d1, d2) -> (d0 : compressed(nonunique), "
    "d1 : singleton(nonunique, soa), d2 : singleton(soa))",
    "backward": "(d0, d1, d2) -> (d2 : compressed, d1 : compressed, d0 : compressed)",
}


@pytest.mark.parametrize("format", ORDER_3)
def test_order_3(format):
    """Levels below others are cut off, too: the nest lists what is outside of them."""
    rng = np.random.default_rng(3)
    dense = random(rng, (6, 7, 8))
    A = Tensor.from_dense(dense, ORDER_3[format])
    text, type_, args = sliced("S", "tensor<?x?x?xf64, #A>", ((0,) * 3,) * 3, True)
    maps = "affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i, k)>"
    kernel = nacho.mlir.compile(
        f"""
#A = {ENCODING.format(ORDER_3[format])}
#sum = {{ indexing_maps = [{maps}],
         iterator_types = ["parallel", "reduction", "parallel"] }}
func.func @f(%A: tensor<?x?x?xf64, #A>, %y: tensor<?x?xf64>, {", ".join(args)})
    -> tensor<?x?xf64> {{
  {text}
  %Z = linalg.generic #sum ins(%S : {type_}) outs(%y : tensor<?x?xf64>) {{
  ^bb0(%s: f64, %old: f64):
    %0 = arith.addf %old, %s : f64
    linalg.yield %0 : f64
  }} -> tensor<?x?xf64>
  return %Z : tensor<?x?xf64>
}}
"""
    )
    for numbers in (
        ((0, 0, 0), (6, 7, 8), (1, 1, 1)),
        ((1, 2, 3), (4, 3, 4), (1, 1, 1)),
        ((1, 0, 1), (3, 4, 3), (2, 2, 3)),
        ((5, 6, 7), (1, 1, 1), (1, 1, 1)),
    ):
        y = rng.random((numbers[1][0], numbers[1][2]))
        given = [int(n) for row in numbers for n in row]
        found = [
            kernel(A, y, *given, threads=threads, parts=parts)
            for threads, parts in PARTS
        ]
        for each in found:
            assert same(each, found[0])
        wanted = y + taken(dense, numbers).sum(axis=1)
        np.testing.assert_allclose(found[0], wanted)


def test_whole_tensor_for_an_argument_that_is_a_slice():
    kernel = nacho.mlir.compile(argument("1, 4, 2", "2, 3, 1"))
    assert kernel.operands == ("S",)
    dense = random(np.random.default_rng(4), SHAPE)
    found = kernel(Tensor.from_dense(dense, "csr"))
    np.testing.assert_array_equal(found.to_dense(), -dense[1:8:2, 2:5])


def argument(rows, columns):
    """A module that negates its argument, which is a slice."""
    return f"""{MAPS}
#S = #sparse_tensor.encoding<{{
  map = (d0 : #sparse_tensor<slice({rows})>, d1 : #sparse_tensor<slice({columns})>) ->
        (d0 : dense, d1 : compressed) }}>
#unary = {{
  indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
  iterator_types = ["parallel", "parallel"]}}
func.func @f(%S: tensor<4x3xf64, #S>) -> tensor<4x3xf64, #Z> {{
  %empty = tensor.empty() : tensor<4x3xf64, #Z>
  %Z = linalg.generic #unary ins(%S : tensor<4x3xf64, #S>)
      outs(%empty : tensor<4x3xf64, #Z>) {{
  ^bb0(%s: f64, %z: f64):
    %0 = arith.negf %s : f64
    linalg.yield %0 : f64
  }} -> tensor<4x3xf64, #Z>
  return %Z : tensor<4x3xf64, #Z>
}}
"""


def test_argument_of_which_the_type_does_not_tell_all():
    with pytest.raises(NachoError, match=r"slice it by tensor\.extract_slice"):
        nacho.mlir.compile(argument("1, 4, 2", "?, 3, 1"))


@pytest.mark.parametrize("stride", [1, 2, 0, -1, HUGE])
@pytest.mark.parametrize("offset", [11, 12, 13, 14, HUGE, -1, -HUGE])
def test_slices_have_to_be_inside_of_the_tensor(offset, stride):
    rng = np.random.default_rng(5)
    kernel = nacho.mlir.compile(elementwise(FORMATS["csr"], "mulf", NUMBERS[0], True))
    A = Tensor.from_dense(random(rng, SHAPE), "csr")
    B = Tensor.from_dense(np.ones((3, 2)), "csr")
    with pytest.raises(ShapeError, match="a slice has 3 coordinates from"):
        kernel(A, B, offset, 0, 3, 2, stride, 1, parts=3)


def test_cost_is_that_of_the_slice():
    """What lies outside of a slice counts for nothing."""
    rng = np.random.default_rng(6)
    dense = rng.random((200, 300))
    A = Tensor.from_dense(dense, "csr")
    text = elementwise(FORMATS["csr"], "addf", ((90, 200), (20, 10), (1, 1)), False)
    kernel = nacho.mlir.compile(text, cost="nnz")
    B = Tensor.from_dense(np.zeros((20, 10)), "csr")
    plan = kernel.plan(A, B, parts=7)
    nests = nests_of(plan._program, plan._native, {})
    # 20 rows are listed, at the cost of an entry and a step each, then 200 entries.
    assert [nest.total for nest in nests[:2]] == [40, 200]
    assert nests[1].costs.max() - nests[1].costs.min() <= 2 * nests[1].delta + 1


def test_slice_as_an_equation():
    """A shorter result of every second row, written with the equation of an index."""
    kernel = nacho.mlir.compile(
        f"""{MAPS}
func.func @f(%A: tensor<?x?xf64, #Z>) -> tensor<4x?xf64, #Z> {{
  %I = nacho.coordinates : tensor<4xi64>
  %Z = nacho.assign (%a = %A[m, j] : tensor<?x?xf64, #Z>, %i = %I[i] : tensor<4xi64>)
      where (m = 2 * i + 1) -> [i, j] : tensor<4x?xf64, #Z> {{
    nacho.yield %a : f64
  }}
  return %Z : tensor<4x?xf64, #Z>
}}
"""
    )
    dense = random(np.random.default_rng(7), SHAPE)
    found = kernel(Tensor.from_dense(dense, "csr"), parts=3)
    np.testing.assert_array_equal(found.to_dense(), dense[1:8:2])
