"""The `assign` stage as Python writes it, and the types that go into it."""

import math

import pytest

import nacho
from nacho import Format
from nacho._kernels.pins import requested_pins
from nacho._kernels.statement import NotationSource
from nacho._kernels.types import typing_by_default
from nacho._mlir.emit import emit
from nacho._mlir.literals import literal
from nacho._notation.parser import parse
from nacho._notation.promotion import kinds_of
from nacho._storage.formats import TensorType

CSR32 = TensorType(Format("csr"), "f64")


def emitted(text, formats=None, dtype="f64", index="i32"):
    types = requested_types(text, formats or {}, dtype, index)
    return emit(parse(text), *types)


def requested_types(text, formats, dtype, index):
    """Return the types of the operands and of the result, by default f64 and i32."""
    assignment = parse(text)
    source = NotationSource(
        assignment, requested_pins(assignment, formats, dtype, index)
    )
    typing = typing_by_default(assignment, source.pins)
    names = assignment.operands
    types = dict(zip(names, typing.operands, strict=True))
    kinds = kinds_of(assignment, dict(zip(names, typing.kinds, strict=True)))
    return types, source.result_type(kinds, types, typing.index_width)


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
    %neg = nacho.unary neg %a : f64
    %constant = arith.constant 2.0 : f32
    %mul = nacho.binary mul %constant, %b : f32
    %mul_f64 = nacho.cast %mul : f32 to f64
    %mul_1 = nacho.binary mul %mul_f64, %s_1 : f64
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


SCALED = "Z[i] = 2 * (A[i] * 3)"


@pytest.mark.parametrize(
    ("dtype", "lines"),
    [
        (
            "u8",
            [
                "%constant = arith.constant 3 : i8",
                "%constant_u8 = nacho.cast %constant : i8 to ui8",
                "%mul = nacho.binary mul %a, %constant_u8 : ui8",
                "%constant_1 = arith.constant 2 : i8",
                "%constant_1_u8 = nacho.cast %constant_1 : i8 to ui8",
                "%mul_1 = nacho.binary mul %constant_1_u8, %mul : ui8",
                "nacho.yield %mul_1 : ui8",
            ],
        ),
        (
            "c64",
            [
                "%constant = arith.constant 3.0 : f64",
                "%constant_c64 = nacho.cast %constant : f64 to complex<f32>",
                "%mul = nacho.binary mul %a, %constant_c64 : complex<f32>",
                "%constant_1 = arith.constant 2.0 : f64",
                "%constant_1_c64 = nacho.cast %constant_1 : f64 to complex<f32>",
                "%mul_1 = nacho.binary mul %constant_1_c64, %mul : complex<f32>",
                "nacho.yield %mul_1 : complex<f32>",
            ],
        ),
        (
            "bool",
            [
                "%a_i64 = nacho.cast %a : i1 to i64",
                "%constant = arith.constant 3 : i64",
                "%mul = nacho.binary mul %a_i64, %constant : i64",
                "%constant_1 = arith.constant 2 : i64",
                "%mul_1 = nacho.binary mul %constant_1, %mul : i64",
                "nacho.yield %mul_1 : i64",
            ],
        ),
    ],
)
def test_literals_take_the_type_of_what_they_meet(dtype, lines):
    assert body(SCALED, dtype=dtype) == lines


def test_literals_are_folded():
    assert body("Z[i] = (2 - 3*2) * -A[i]", dtype="i16") == [
        "%neg = nacho.unary neg %a : i16",
        "%constant = arith.constant -4 : i16",
        "%mul = nacho.binary mul %constant, %neg : i16",
        "nacho.yield %mul : i16",
    ]


def test_functions():
    text = "Z[i] = where(A[i] >= 0.5, -min(A[i], B[i]), 2) / sqrt(abs(B[i]))"
    assert body(text, dtype={"A": "f32", "B": "i32"}) == [
        "%constant = arith.constant 0.5 : f32",
        "%ge = nacho.compare ge %a, %constant : f32",
        "%a_f64 = nacho.cast %a : f32 to f64",
        "%b_f64 = nacho.cast %b : i32 to f64",
        "%min = nacho.binary min %a_f64, %b_f64 : f64",
        "%neg = nacho.unary neg %min : f64",
        "%constant_1 = arith.constant 2.0 : f64",
        "%where = nacho.select %ge, %neg, %constant_1 : f64",
        "%abs = nacho.unary abs %b : i32",
        "%abs_f64 = nacho.cast %abs : i32 to f64",
        "%sqrt = nacho.unary sqrt %abs_f64 : f64",
        "%div = nacho.binary div %where, %sqrt : f64",
        "nacho.yield %div : f64",
    ]


def test_what_is_chosen_by_and_how_large_it_is():
    assert body("Z[i] = where(abs(C[i]), 1 < 2, C[i] == 1)", dtype="c64") == [
        "%abs = nacho.unary abs %c : complex<f32>",
        "%constant = arith.constant 1.0 : f64",
        "%constant_c64 = nacho.cast %constant : f64 to complex<f32>",
        "%eq = nacho.compare eq %c, %constant_c64 : complex<f32>",
        "%abs_bool = nacho.cast %abs : f32 to i1",
        "%constant_1 = arith.constant 1 : i1",
        "%where = nacho.select %abs_bool, %constant_1, %eq : i1",
        "nacho.yield %where : i1",
    ]


def test_bytes_are_compared_with_any_integer():
    assert body("Z[i] = A[i] > -1", dtype="u8") == [
        "%a_i64 = nacho.cast %a : ui8 to i64",
        "%constant = arith.constant -1 : i64",
        "%gt = nacho.compare gt %a_i64, %constant : i64",
        "nacho.yield %gt : i1",
    ]


def test_terms_are_split_above_functions():
    assert body("y[i] = sqrt(A[i,j]) + b[i]") == [
        "%sqrt = nacho.unary sqrt %a : f64",
        "%reduce = nacho.reduce add %sqrt over [j] : f64",
        "%add = nacho.binary add %reduce, %b_1 : f64",
        "nacho.yield %add : f64",
    ]


def test_every_term_is_reduced_by_itself():
    assert body("y[i] = b[i] - A[i,j]*x[j] + C[i,k]") == [
        "%mul = nacho.binary mul %a, %x_1 : f64",
        "%reduce = nacho.reduce add %mul over [j] : f64",
        "%sub = nacho.binary sub %b_1, %reduce : f64",
        "%reduce_1 = nacho.reduce add %c over [k] : f64",
        "%add = nacho.binary add %sub, %reduce_1 : f64",
        "nacho.yield %add : f64",
    ]


@pytest.mark.parametrize(
    ("operator", "dtype", "kind"),
    [
        ("max", "f32", "max"),
        ("min", "u8", "min"),
        ("*", "c128", "mul"),
        ("max", "bool", "add"),
        ("min", "bool", "mul"),
    ],
)
def test_other_reductions(operator, dtype, kind):
    lines = body(f"y[i] {operator}= A[i,j] * B[i,k]", dtype=dtype)
    assert lines[1].startswith(f"%reduce = nacho.reduce {kind} %mul over [j, k] : ")


def test_types_are_those_of_every_node():
    dtype = {"A": "u8", "B": "i8", "s": "f32", "Z": "c64"}
    assert body("Z[i,j] = s * (A[i,j] + B[i,j])", dtype=dtype) == [
        "%a_i16 = nacho.cast %a : ui8 to i16",
        "%b_i16 = nacho.cast %b : i8 to i16",
        "%add = nacho.binary add %a_i16, %b_i16 : i16",
        "%add_f32 = nacho.cast %add : i16 to f32",
        "%mul = nacho.binary mul %s_1, %add_f32 : f32",
        "%mul_c64 = nacho.cast %mul : f32 to complex<f32>",
        "nacho.yield %mul_c64 : complex<f32>",
    ]


def test_dense_operands_and_scalar_results():
    text = emitted("z = A[i,j] * x[j]", {"x": "dense"}, dtype={"x": "bool"})
    assert "#x = #sparse_tensor.encoding<{ map = (d0) -> (d0 : dense) }>" in text
    assert "%x: tensor<?xi1, #x>) -> tensor<f64>" in text
    assert "-> [] : tensor<f64>" in text


def test_narrow_result():
    dtype = {"A": "f64", "Z": "f32"}
    assert body("Z[i,j] = A[i,j]", dtype=dtype) == [
        "%a_f32 = nacho.cast %a : f64 to f32",
        "nacho.yield %a_f32 : f32",
    ]


def test_wide_result():
    dtype = {"A": "f32", "Z": "f64"}
    assert body("Z[i,j] = A[i,j]", dtype=dtype) == [
        "%a_f64 = nacho.cast %a : f32 to f64",
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
        (-2, "f64", "-2.0"),
        (-math.inf, "f32", "0xFF800000"),
        (math.nan, "f64", "0x7FF8000000000000"),
        (-3, "i8", "-3"),
        (2**40, "i64", "1099511627776"),
        (1, "bool", "1"),
    ],
)
def test_literals(value, element, text):
    assert literal(value, element) == text


def types_of(text, **options):
    given = {"formats": {}, "dtype": "f64", "index": "i32"} | options
    return requested_types(text, **given)


def test_types_by_default():
    operands, result = types_of("Z[i,j] = s*A[i,j]")
    assert operands == {"s": TensorType(None, "f64"), "A": CSR32}
    assert result == CSR32


def test_formats_by_default():
    operands, result = types_of("z = x[i]*A[i,j]*T[i,j,k]*s")
    found = {name: str(type.format) for name, type in operands.items()}
    vector = str(Format("dense").for_rank(1))
    assert found == {"x": vector, "A": "csr", "T": "csf", "s": "None"}
    assert result == TensorType(None, "f64")


def test_vectors_are_dense_by_default():
    """What has no format and at most one index is dense, whatever it is made of."""
    dense = Format("dense").for_rank(1)
    _, result = types_of("z[i] = x[i] * v[i]", formats=dict.fromkeys("xv", "coo"))
    assert result.format == dense
    _, result = types_of("z[i] = x[i]", formats=dict.fromkeys("xz", "coo"))
    assert result.format == Format("sparse-vector")


def test_one_type_for_all_is_that_of_the_operands():
    assert types_of("Z[i,j] = A[i,j] * 0.5", dtype="i32")[1].dtype == "f64"


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
        ({"formats": {"A": "sparse-vector"}}, nacho.FormatError, "operand 'A'"),
        ({"formats": {"A": "rcs"}}, nacho.FormatError, "of 'A': unknown format 'rcs'"),
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
