"""The `assign` stage as Python writes it, and the types that go into it."""

import math

import pytest

import nacho
from nacho import Format
from nacho.formats import TensorType
from nacho.inference import loop_order, requested_types, result_format
from nacho.mlir.emit import emit, literal
from nacho.parser import parse

CSR32 = TensorType(Format("csr"), "f64")


def emitted(text, formats=None, dtype="f64", index="i32"):
    assignment = parse(text)
    return emit(assignment, *requested_types(assignment, formats or {}, dtype, index))


def body(text, **options):
    """Return the lines inside of nacho.assign."""
    lines = [line.strip() for line in emitted(text, **options).splitlines()]
    first = next(n for n, line in enumerate(lines) if line.startswith("-> ["))
    return lines[first + 1 : lines.index("}")]


WHOLE_MODULE = """\
#A = #sparse_tensor.encoding<{ \
map = (d0, d1) -> (d0 : dense, d1 : compressed), posWidth = 32, crdWidth = 32 }>
#B = #sparse_tensor.encoding<{ \
map = (d0, d1) -> (d0 : compressed, d1 : compressed), posWidth = 64, crdWidth = 32 }>
#Z = #sparse_tensor.encoding<{ \
map = (d0, d1) -> (d0 : compressed, d1 : compressed), posWidth = 64, crdWidth = 64 }>
func.func @kernel(\
%A: tensor<?x?xf64, #A>, %B: tensor<?x?xf32, #B>, %s: tensor<f64>) \
-> tensor<?x?xf64, #Z> {
  %Z = nacho.assign (\
%a = %A[i, j] : tensor<?x?xf64, #A>, \
%b = %B[i, j] : tensor<?x?xf32, #B>, \
%s_1 = %s[] : tensor<f64>)
      -> [i, j] : tensor<?x?xf64, #Z> {
    %b_f64 = arith.extf %b : f32 to f64
    %neg = nacho.unary neg %a : f64
    %constant = arith.constant 2.0 : f64
    %mul = nacho.binary mul %constant, %b_f64 : f64
    %mul_1 = nacho.binary mul %mul, %s_1 : f64
    %add = nacho.binary add %neg, %mul_1 : f64
    nacho.yield %add : f64
  }
  return %Z : tensor<?x?xf64, #Z>
}
"""


def test_whole_module():
    text = "Z[i,j] = -A[i,j] + 2*B[i,j]*s"
    formats = {"A": "csr", "B": "dcsr", "Z": "dcsr"}
    dtype = {"A": "f64", "B": "f32", "s": "f64"}
    index = {"B": ("i64", "i32")}
    assert emitted(text, formats, dtype, index) == WHOLE_MODULE


def test_an_access_is_bound_once():
    assert body("Z[i,j] = A[i,j] * A[i,j]") == [
        "%mul = nacho.binary mul %a, %a : f64",
        "nacho.yield %mul : f64",
    ]


def test_narrow_result():
    dtype = {"A": "f64", "Z": "f32"}
    assert body("Z[i,j] = A[i,j]", dtype=dtype) == [
        "%a_f32 = arith.truncf %a : f64 to f32",
        "nacho.yield %a_f32 : f32",
    ]


def test_wide_result():
    dtype = {"A": "f32", "Z": "f64"}
    assert body("Z[i,j] = A[i,j]", dtype=dtype) == [
        "%a_f64 = arith.extf %a : f32 to f64",
        "nacho.yield %a_f64 : f64",
    ]


def test_names_that_clash_or_are_not_ascii():
    text = emitted("Z[i,ü] = a[i,ü] + A[i,ü] + mul[i,ü]*é")
    assert "%a: tensor" in text
    assert "%a_1 = %a[i, ufc]" in text
    assert "%a_2 = %A[i, ufc]" in text
    assert "%mul_2 = nacho.binary mul %mul_1, %ue9_1 : f64" in text
    assert text.isascii()


@pytest.mark.parametrize(
    ("value", "element", "text"),
    [
        (0.0, "f64", "0.0"),
        (2.0, "f32", "2.0"),
        (1e22, "f64", "1.0e+22"),
        (1.5e-300, "f64", "1.5e-300"),
        (math.inf, "f64", "0x7FF0000000000000"),
        (1e39, "f32", "0x7F800000"),
        (3.4028234663852886e38, "f32", "3.4028234663852886e+38"),
    ],
)
def test_literals(value, element, text):
    assert literal(value, element) == text


@pytest.mark.parametrize(
    ("text", "formats", "expected"),
    [
        ("A[i,j] + B[i,j]", ("csr", "csr"), "csr"),
        ("A[i,j] + B[i,j]", ("dcsr", "dcsr"), "dcsr"),
        ("A[i,j] - B[i,j]", ("csr", "dcsr"), "csr"),
        ("A[i,j] + B[i,j]", ("csc", "dcsc"), "csc"),
        ("A[i,j] * B[i,j]", ("csr", "dcsr"), "csr"),
        ("A[i,j] * B[i,j]", ("dcsr", "csr"), "dcsr"),
        ("s * -A[i,j] + s * B[i,j]", ("dcsc", "dcsc"), "dcsc"),
        ("A[i,j] * B[i,j] + A[i,j]", ("dcsr", "csr"), "dcsr"),
        ("A[j,i] * B[i,j]", ("csc", "csr"), "csr"),
        ("A[j,i] * B[i,j]", ("dcsc", "csr"), "dcsr"),
        ("A[j,i] + B[i,j]", ("csr", "csc"), "csc"),
        ("A[j,i] + B[i,j]", ("csr", "dcsc"), "csc"),
        ("A[j,i] - A[j,i]", ("csr",), "csc"),
    ],
)
def test_format_of_the_result(text, formats, expected):
    given = dict(zip("AB", map(Format, formats), strict=False))
    assert result_format(parse(f"Z[i,j] = {text}"), given) == Format(expected)


def order_of(text, **formats):
    return loop_order(parse(text), {k: Format(v) for k, v in formats.items()})


def test_loop_order():
    assert order_of("Z[i,j] = A[i,j]", A="csr", Z="dcsr") == ("i", "j")
    assert order_of("Z[i,j] = A[i,j]", A="csc", Z="csc") == ("j", "i")


@pytest.mark.parametrize(
    ("text", "formats", "message"),
    [
        ("A[i,j] + B[i,j]", {"B": "csc"}, "operand 'B' (csc) stores index 'j'"),
        ("A[i,j] + A[j,i]", {}, "operand 'A' (csr) stores index 'j'"),
        ("A[i,j]", {"Z": "csc"}, "result 'Z' (csc) stores index 'j'"),
    ],
)
def test_transposition_is_refused(text, formats, message):
    formats = {"A": "csr", "Z": "csr"} | formats
    with pytest.raises(nacho.UnsupportedError) as caught:
        order_of(f"Z[i,j] = {text}", **formats)
    assert message in str(caught.value)
    assert "^" in str(caught.value)


def types_of(text, **options):
    given = {"formats": {}, "dtype": "f64", "index": "i32"} | options
    return requested_types(parse(text), **given)


def test_types_by_default():
    operands, result = types_of("Z[i,j] = s*A[i,j]")
    assert operands == {"s": TensorType(None, "f64"), "A": CSR32}
    assert result == CSR32


def test_types_of_the_result_are_the_widest():
    _, result = types_of(
        "Z[i,j] = A[i,j] + B[i,j]", dtype={"A": "f32", "B": "f32"}, index={"A": "i64"}
    )
    assert result == TensorType(Format("csr"), "f32", 64, 64)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"formats": {"B": "csr"}}, nacho.ArgumentError, "no tensor 'B'"),
        ({"formats": {"s": "csr"}}, nacho.ArgumentError, "no tensor 's'"),
        ({"formats": {"A": "coo"}}, nacho.UnsupportedError, "operand 'A'"),
        ({"formats": {"A": "rcs"}}, nacho.FormatError, "unknown format"),
        ({"dtype": {"B": "f64"}}, nacho.ArgumentError, "no tensor 'B'"),
        ({"dtype": "f16"}, nacho.NachoError, "expected 'f32', 'f64'"),
        ({"dtype": object()}, nacho.NachoError, "expected 'f32', 'f64'"),
        ({"index": "i16"}, nacho.NachoError, "expected 'i32', 'i64'"),
        ({"index": {"A": ["i32"]}}, nacho.NachoError, "expected 'i32', 'i64'"),
    ],
)
def test_types_that_do_not_exist(options, error, message):
    with pytest.raises(error) as caught:
        types_of("Z[i,j] = s*A[i,j]", **options)
    assert message in str(caught.value)


def test_numpy_names_of_types():
    operands, _ = types_of("Z[i,j] = A[i,j]", dtype="float32")
    assert operands["A"].dtype == "f32"
