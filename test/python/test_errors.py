"""Errors: what they derive from, how they point into an expression, what they say."""

import builtins
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

import nacho
from nacho import evaluate, partition
from nacho.errors import pointed
from nacho.mlir import compile

PARENTS = {
    "ParseError": "ValueError",
    "ShapeError": "ValueError",
    "FormatError": "ValueError",
    "OperandError": "ValueError",
    "OptionError": "ValueError",
    "FileError": "ValueError",
    "CompilationError": "ValueError",
    "ReductionError": "ValueError",
    "DTypeError": "TypeError",
    "ArgumentError": "TypeError",
    "UnsupportedError": "NotImplementedError",
    "OutOfMemoryError": "MemoryError",
    "IndexOverflowError": "OverflowError",
    "CostOverflowError": "OverflowError",
    "RowError": "IndexError",
    "DeviceError": "RuntimeError",
}


@pytest.mark.parametrize("name", PARENTS)
def test_every_error_is_also_what_python_users_expect(name):
    error = getattr(nacho, name)
    assert issubclass(error, nacho.NachoError)
    assert issubclass(error, getattr(builtins, PARENTS[name]))
    assert name in nacho.__all__


def test_what_is_not_supported_is_caught_as_python_users_do():
    with pytest.raises(ValueError, match="ranges have no steps"):
        evaluate("y[i] = A[::2][i]", A=np.ones(3))
    with pytest.raises(TypeError, match="is not supported"):
        evaluate("y[i] = A[i]", A=object())
    with pytest.raises(TypeError, match="is not a number"):
        evaluate("y[i] = s * A[i]", A=np.ones(3), s="2")
    assert issubclass(nacho.UnsupportedOperandError, nacho.UnsupportedError)


def test_no_error_is_only_one_of_nacho():
    assert {each.__name__ for each in nacho.NachoError.__subclasses__()} == {*PARENTS}
    package = Path(nacho.__file__).parent
    for path in package.rglob("*.py"):
        assert "raise NachoError" not in path.read_text(), path


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"threads": 0}, ValueError),
        ({"threads": "2"}, TypeError),
        ({"parts": 1.5}, TypeError),
        ({"cost": "n"}, ValueError),
        ({"cost": 3}, TypeError),
        ({"validate": "yes"}, ValueError),
        ({"validate": 1}, TypeError),
        ({"order": "i,k"}, ValueError),
        ({"contract": "i"}, ValueError),
        ({"remap": "no"}, ValueError),
        ({"target": "tpu"}, ValueError),
        ({"choices": {"draft": True}}, ValueError),
        ({"choices": 3}, TypeError),
        ({"memory_limit": -1}, ValueError),
        ({"out": "crs"}, ValueError),
    ],
)
def test_options_that_are_wrong(options, error):
    with pytest.raises(error) as caught:
        evaluate("Z[i,j] = A[i,j] * 2", A=CSR, **options)
    assert isinstance(caught.value, nacho.NachoError)


def test_options_as_they_may_be_spelled():
    for options in ({"out": "DCSR", "order": "ji"}, {"validate": False}):
        found = evaluate("Z[i,j] = A[i,j] * 2", A=CSR, **options)
        dense = found.to_dense() if "out" in options else found.toarray()
        np.testing.assert_array_equal(dense, CSR.toarray() * 2)
    kernel = compile("Z[i,j] = A[i,j] * 2", {"A": "CSR"}, validate=False, order="ji")
    assert (kernel.validate, kernel.types["A"].format.name) == ("none", "csr")
    assert compile("Z[i,j] = A[i,j] * 2", validate=True).validate == "safe"


def test_caret_is_under_the_span():
    assert pointed("no", "Z = A + B", (4, 5)) == "no\n  Z = A + B\n      ^"
    assert pointed("no", "Z = A + B", (4, 9)).endswith("\n      ^^^^^")


def test_caret_behind_the_end():
    assert pointed("no", "Z =", (3, 4)) == "no\n  Z =\n     ^"


def test_caret_in_the_line_that_holds_the_span():
    assert pointed("no", "Z =\n\tA + B\n + C", (9, 10)) == "no\n   A + B\n       ^"


def test_caret_stays_in_its_line():
    assert pointed("no", "Z = A +\n B", (4, 10)) == "no\n  Z = A +\n      ^^^"


# --- Every refusal --------------------------------------------------------------------

CSR = sp.csr_array(np.arange(12.0).reshape(3, 4))
SQUARE = sp.csr_array(np.eye(3))
EMPTY = sp.csr_array((3, 0))
X = np.arange(4.0)
U8 = sp.csr_array(np.ones((3, 4), np.uint8))
BOOL = sp.csr_array(np.ones((3, 4), np.bool_))
C128 = sp.csr_array(np.ones((3, 4), np.complex128))


REFUSALS = [
    # The notation.
    (
        lambda: evaluate("Z[i,j] = A[i,j] +", A=CSR),
        nacho.ParseError,
        "expected an operand, found the end of the text\n"
        "  Z[i,j] = A[i,j] +\n"
        "                   ^",
    ),
    (
        lambda: evaluate("Z[i,i] = A[i,j]", A=CSR),
        nacho.ParseError,
        "index 'i' is repeated on the left: a diagonal is written "
        "Z[i,k] = keep(…, i == k), of a value with both indices\n"
        "  Z[i,i] = A[i,j]\n  ^^^^^^",
    ),
    (
        lambda: evaluate("Z[i,j] = Z[i,j] * 2", Z=CSR),
        nacho.ParseError,
        "the result 'Z' is also read\n  Z[i,j] = Z[i,j] * 2\n           ^^^^^^",
    ),
    (
        lambda: evaluate("Z[i,k] = A[i,j]", A=CSR),
        nacho.ParseError,
        "index 'k' on the left is an index of no operand\n  Z[i,k] = A[i,j]\n  ^^^^^^",
    ),
    (
        lambda: evaluate("y[i] = A[i,j] * A[i]", A=CSR),
        nacho.ParseError,
        "operand 'A' is used with 1 and with 2 indices\n"
        "  y[i] = A[i,j] * A[i]\n"
        "                  ^^^^",
    ),
    (
        lambda: evaluate(3),
        nacho.ArgumentError,
        "the expression must be a string, not int",
    ),
    # What is not compiled.
    (
        lambda: evaluate("z = 2 * 3"),
        nacho.UnsupportedError,
        "an expression without an operand is not supported\n  z = 2 * 3\n      ^^^^^",
    ),
    (
        lambda: evaluate("z = A[a,b,c,d,e,f,g,h,i]", A=np.ones((1,) * 9)),
        nacho.UnsupportedError,
        "operand 'A' has 9 indices: more than 8 are not supported\n"
        "  z = A[a,b,c,d,e,f,g,h,i]\n"
        "      ^^^^^^^^^^^^^^^^^^^^",
    ),
    (
        lambda: nacho.einsum("...->", X),
        nacho.ParseError,
        "einsum: the result lacks the ellipsis\n  ...->\n     ^",
    ),
    (
        lambda: evaluate("Z[i,j] = A[i,j]", A=CSR, target="gpu"),
        nacho.UnsupportedError,
        "target 'gpu' is not supported (supported: cpu, cuda, cuda-sim)",
    ),
    (
        lambda: compile("Z[i,j] = A[i,j]", remap=2),
        nacho.NachoError,
        "remap=2: expected True, False or None",
    ),
    # Results that would be dense.
    (
        lambda: evaluate("Z[i,j] = A[i,j] + 1", A=CSR),
        nacho.UnsupportedError,
        "the term '1' is not zero where the operands have no entries: it would make "
        'the result dense; ask for that with out="dense"\n'
        "  Z[i,j] = A[i,j] + 1\n"
        "                    ^",
    ),
    (
        lambda: evaluate("Z[i,j] = A[i,j] - s * (A[i,j] + 2)", A=CSR, s=2),
        nacho.UnsupportedError,
        "the term 's * (A[i,j] + 2)' is not zero where the operands have no entries, "
        "since '(A[i,j] + 2)' is 2 there: it would make the result dense; ask for that "
        'with out="dense"\n'
        "  Z[i,j] = A[i,j] - s * (A[i,j] + 2)\n"
        "                    ^^^^^^^^^^^^^^^^",
    ),
    (
        lambda: evaluate("Z[i,j] = exp(A[i,j])", A=CSR),
        nacho.UnsupportedError,
        "the term 'exp(A[i,j])' is not zero where the operands have no entries, but 1: "
        'it would make the result dense; ask for that with out="dense"\n'
        "  Z[i,j] = exp(A[i,j])\n"
        "           ^^^^^^^^^^^",
    ),
    (
        lambda: evaluate("Z[i,j] = A[i,j] < 0.5", A=CSR),
        nacho.UnsupportedError,
        "the term 'A[i,j] < 0.5' is not zero where the operands have no entries, but "
        'true: it would make the result dense; ask for that with out="dense"\n'
        "  Z[i,j] = A[i,j] < 0.5\n"
        "           ^^^^^^^^^^^^",
    ),
    (
        lambda: evaluate("Z[i,j] = A[i,j] + 2 / abs(A[i,j])", A=CSR),
        nacho.UnsupportedError,
        "the term '2 / abs(A[i,j])' is not zero where the operands have no entries, "
        'but inf: it would make the result dense; ask for that with out="dense"\n'
        "  Z[i,j] = A[i,j] + 2 / abs(A[i,j])\n"
        "                    ^^^^^^^^^^^^^^^",
    ),
    (
        lambda: evaluate("Z[i,j] = min(A[i,j], s)", A=CSR, s=1),
        nacho.UnsupportedError,
        "the term 'min(A[i,j], s)' is not zero where the operands have no entries: it "
        'would make the result dense; ask for that with out="dense"\n'
        "  Z[i,j] = min(A[i,j], s)\n"
        "           ^^^^^^^^^^^^^^",
    ),
    (
        lambda: evaluate("Z[i,j] = A[i,j] / A[i,j] - A[i,j]", A=CSR),
        nacho.UnsupportedError,
        "a quotient of sparse operands is not zero where both have no entries, but "
        '0 / 0: it would make the result dense; ask for that with out="dense", or '
        "compute it only where there are entries: "
        "keep(A[i,j] / A[i,j], pattern(A[i,j]))\n"
        "  Z[i,j] = A[i,j] / A[i,j] - A[i,j]\n"
        "           ^^^^^^^^^^^^^^^",
    ),
    (
        lambda: evaluate("y[j] = A[1,j] + A[0,0]", A=CSR, out="sparse-vector"),
        nacho.UnsupportedError,
        "the term 'A[0,0]' is not zero where the operands have no entries: it would "
        'make the result dense; ask for that with out="dense"\n'
        "  y[j] = A[1,j] + A[0,0]\n"
        "                  ^^^^^^",
    ),
    # Types.
    (
        lambda: evaluate("Z[i,j] = max(A[i,j], s * A[i,j])", A=CSR, s=1j),
        nacho.DTypeError,
        "'max' of complex numbers, which have no order\n"
        "  Z[i,j] = max(A[i,j], s * A[i,j])\n"
        "           ^^^^^^^^^^^^^^^^^^^^^^^",
    ),
    (
        lambda: evaluate("Z[i,j] = A[i,j] * (A[i,j] <= s)", A=CSR, s=1j),
        nacho.DTypeError,
        "'<=' of complex numbers, which have no order\n"
        "  Z[i,j] = A[i,j] * (A[i,j] <= s)\n"
        "                    ^^^^^^^^^^^^^",
    ),
    (
        lambda: evaluate("Z[i,j] = -(A[i,j] > 0)", A=CSR),
        nacho.DTypeError,
        "the negative of a bool\n  Z[i,j] = -(A[i,j] > 0)\n           ^^^^^^^^^^^^^",
    ),
    (
        lambda: evaluate("Z[i,j] = A[i,j] - A[i,j]", A=BOOL),
        nacho.DTypeError,
        "the difference of bools\n"
        "  Z[i,j] = A[i,j] - A[i,j]\n"
        "           ^^^^^^^^^^^^^^^",
    ),
    (
        lambda: evaluate("Z[i,j] = -A[i,j]", A=BOOL),
        nacho.DTypeError,
        "the negative of a bool\n  Z[i,j] = -A[i,j]\n           ^^^^^^^",
    ),
    (
        lambda: evaluate("Z[i,j] = 300 * A[i,j]", A=U8),
        nacho.DTypeError,
        "the integer 300 is out of bounds for u8\n"
        "  Z[i,j] = 300 * A[i,j]\n"
        "           ^^^",
    ),
    (
        lambda: evaluate("z max= A[i,j]", A=C128),
        nacho.DTypeError,
        "'max=' of complex numbers, which have no order\n  z max= A[i,j]\n    ^^^^",
    ),
    # Extents.
    (
        lambda: evaluate("Z[i,j] = A[i,j] + B[i,j]", A=CSR, B=SQUARE),
        nacho.ShapeError,
        "index 'j' has extent 4 in operand 'A', but 3 in operand 'B'\n"
        "  Z[i,j] = A[i,j] + B[i,j]\n"
        "                    ^^^^^^",
    ),
    (
        lambda: evaluate("y[i] = A[i,j] * x[j]", A=SQUARE, x=X),
        nacho.ShapeError,
        "index 'j' has extent 3 in operand 'A', but 4 in operand 'x'\n"
        "  y[i] = A[i,j] * x[j]\n"
        "                  ^^^^",
    ),
    (
        lambda: evaluate("y[i] = D[i,i]", D=np.ones((2, 3))),
        nacho.ShapeError,
        "index 'i' has extent 2 in operand 'D', but 3 in operand 'D'\n"
        "  y[i] = D[i,i]\n"
        "         ^^^^^^",
    ),
    (
        lambda: evaluate("y[i] = x[i]", x=CSR),
        nacho.ShapeError,
        "operand 'x' has rank 2, but is written with 1 index\n"
        "  y[i] = x[i]\n"
        "         ^^^^",
    ),
    (
        lambda: evaluate("y[i] = A[i,j] * x[j] * s", A=SQUARE, x=np.ones(3), s=X),
        nacho.ShapeError,
        "operand 's' has rank 1, but is written without indices\n"
        "  y[i] = A[i,j] * x[j] * s\n"
        "                         ^",
    ),
    (
        lambda: evaluate("y[i] = A[i] * x[i]", A=sp.bsr_array(SQUARE), x=np.ones(3)),
        nacho.ShapeError,
        "operand 'A' has rank 2, but is written with 1 index\n"
        "  y[i] = A[i] * x[i]\n"
        "         ^^^^",
    ),
    (
        lambda: evaluate("y[i] = A[i,j] * x[j] * s", A=sp.bsr_array(SQUARE), x=X, s=X),
        nacho.ShapeError,
        "operand 's' has rank 1, but is written without indices\n"
        "  y[i] = A[i,j] * x[j] * s\n"
        "                         ^",
    ),
    (
        lambda: evaluate("y[i] = A[i,j] * x[j]", A=sp.bsr_array(SQUARE), x=CSR),
        nacho.ShapeError,
        "operand 'x' has rank 2, but is written with 1 index\n"
        "  y[i] = A[i,j] * x[j]\n"
        "                  ^^^^",
    ),
    # Operands.
    (
        lambda: evaluate("Z[i,j] = A[i,j] + B[i,j]", A=CSR),
        nacho.ArgumentError,
        "missing operand 'B', expected: A, B\n"
        "  Z[i,j] = A[i,j] + B[i,j]\n"
        "                    ^^^^^^",
    ),
    (
        lambda: evaluate("Z[i,j] = A[i,j]", A=CSR, B=CSR),
        nacho.ArgumentError,
        "no operand is named 'B', expected: A\n  Z[i,j] = A[i,j]\n           ^^^^^^",
    ),
    (
        lambda: evaluate("Z[i,j] = A[i,j]", {"A": CSR}, A=CSR),
        nacho.ArgumentError,
        "operand 'A' is given twice",
    ),
    (
        lambda: evaluate("Z[i,j] = out[i,j]", out=CSR),
        nacho.ArgumentError,
        "operand 'out' has the name of an option: pass it in a mapping, "
        'evaluate(expr, {"out": out})',
    ),
    (
        lambda: evaluate("Z[i,j] = A[i,j] + B[i,j]", CSR, CSR),
        nacho.ArgumentError,
        "operands are passed by name, evaluate(expr, A=A, B=B), or in a mapping of "
        "names, not by position",
    ),
    (
        lambda: nacho.explain("Z[i,j] = A[i,j] + B[i,j]", CSR, CSR),
        nacho.ArgumentError,
        "operands are passed by name, explain(expr, A=A, B=B), or in a mapping of "
        "names, not by position",
    ),
    (
        lambda: nacho.count("Z[i,j] = A[i,j]", A=CSR),
        nacho.ArgumentError,
        "count takes index variables and an expression of nacho.indices: "
        "nacho.count(j, A[i, j]); how many entries a result has, the method count of a "
        "kernel says: nacho.mlir.compile(text).count(A, B)",
    ),
    (
        lambda: nacho.mlir.compile("Z[i,j] = A[i,j]").mlir(),
        nacho.OptionError,
        "stage='': expected 'assign', 'loops', 'remap', 'partition', 'assemble', "
        "'scf', 'llvm'",
    ),
    (
        lambda: evaluate("Z[i,j] = A[i,j]", CSR),
        nacho.ArgumentError,
        "operands are passed by name, evaluate(expr, A=A), or in a mapping of names, "
        "not in one csr_array",
    ),
    (
        lambda: partition("Z[i,j] = A[i,j]", A=CSR),
        nacho.ArgumentError,
        "partition needs the number of parts",
    ),
    # Formats and types of compile.
    (
        lambda: compile("Z[i,j] = A[i,j]", {"B": "csr"}),
        nacho.ArgumentError,
        "formats: there is no tensor 'B', expected: A, Z",
    ),
    (
        lambda: compile("Z[i,j] = A[i,j]", {"A": "sparse-vector"}),
        nacho.FormatError,
        "operand 'A': format 'sparse-vector' is of rank 1, not of rank 2",
    ),
    (
        lambda: compile("Z[i,j] = A[i,j]", dtype="f16"),
        nacho.NachoError,
        "dtype of 'A' is 'f16': expected 'f32', 'f64', 'i8', 'i16', 'i32', 'i64', "
        "'u8', 'bool', 'c64', 'c128'",
    ),
    (
        lambda: compile("Z[i,j] = A[i,j]", index="i16"),
        nacho.NachoError,
        "index of 'A' is 'i16': expected 'i32', 'i64', or a pair of them (for pos and "
        "crd)",
    ),
    # Options.
    (
        lambda: evaluate("Z[i,j] = A[i,j]", A=CSR, parts=0),
        nacho.NachoError,
        "parts=0: expected an integer from 1 to 16777216, or None",
    ),
    (
        lambda: evaluate("Z[i,j] = A[i,j]", A=CSR, validate="maybe"),
        nacho.NachoError,
        "validate='maybe': expected 'safe', 'full', 'none'",
    ),
]


def named(case):
    return case[2].partition("\n")[0][:60]


@pytest.mark.parametrize("case", REFUSALS, ids=named)
def test_refusals(case):
    call, error, message = case
    with pytest.raises(error) as caught:
        call()
    assert str(caught.value) == message
    assert isinstance(caught.value, nacho.NachoError)


# What needs a kernel: the compiler knows the order of the loops, and calls know values.
COMPILED = [
    (
        lambda: evaluate("Z[i,j] = A[i,j]", A=CSR, order="i,k"),
        nacho.NachoError,
        ("order='i,k': expected the indices (i, j)",),
    ),
    (
        lambda: evaluate(
            "Z[i,j] = exp(A[i,m] * B[m,j])",
            A=SQUARE,
            B=SQUARE,
            order="m,j,i",
            out="dense",
        ),
        nacho.UnsupportedError,
        (
            "in the order of loops ['m', 'j', 'i'], entries are listed and sorted, but "
            "a list has no values where no operand has one: not supported\n"
            "  Z[i,j] = exp(A[i,m] * B[m,j])\n"
            "           ^^^^^^^^^^^^^^^^^^^^",
        ),
    ),
    (
        lambda: evaluate("y[i] max= A[i,j]", A=EMPTY),
        nacho.ReductionError,
        (
            "the reduction 'max=' over the empty index 'j' has no value\n"
            "  y[i] max= A[i,j]\n"
            "       ^^^^",
        ),
    ),
    (
        lambda: evaluate("y[i] *= A[i,j]", A=EMPTY, out="sparse-vector"),
        nacho.ReductionError,
        ("over the empty index 'j' is 1, and result 'y' (sparse-vector) stores no",),
    ),
    (
        lambda: evaluate("Z[i,j] = s * A[i,j]", A=U8, s=256),
        nacho.DTypeError,
        ("operand 's': the integer 256 is out of bounds for u8",),
    ),
    (
        lambda: compile("Z[i,j] = A[i,j]", dtype="f32")(CSR),
        nacho.DTypeError,
        ("operand 'A' is float64, but the kernel was compiled for float32",),
    ),
    (
        lambda: compile("Z[i,j] = A[i,j]").mlir("asm"),
        nacho.NachoError,
        ("stage='asm': expected 'assign'",),
    ),
]


@pytest.mark.filterwarnings("ignore:index .m. is summed over last")
@pytest.mark.parametrize("case", COMPILED, ids=lambda case: case[2][0][:60])
def test_refusals_of_kernels(case):
    call, error, words = case
    with pytest.raises(error) as caught:
        call()
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize(
    ("text", "operands"),
    [
        ("Z[i,j] = A[i,j] + 1", {"A": CSR}),
        ("Z[i,j] = s - A[i,j]", {"A": CSR, "s": 2.5}),
    ],
)
def test_dense_results_on_request(text, operands):
    result = evaluate(text, **operands, out="dense")
    assert type(result) is np.ndarray
    dense = CSR.toarray()
    wanted = dense + 1 if "s" not in operands else 2.5 - dense
    np.testing.assert_array_equal(result, wanted)


def test_products_over_nothing_are_one():
    np.testing.assert_array_equal(evaluate("y[i] *= A[i,j]", A=EMPTY), np.ones(3))


def test_a_compilation_has_a_budget():
    """Rewrites that undo each other come to an end, and the pass is named."""
    with pytest.raises(nacho.NachoError, match="gave up: pass 'canonicalize'"):
        nacho.mlir.compile(
            "Z[i,j] = M[i,j] * A[i,k] * B[k,j]",
            formats={"M": "csr", "A": "csr", "B": "csr"},
            choices={"rewrites": 1},
        ).mlir("scf")


@pytest.mark.parametrize("rewrites", [0, -1, 1 << 40])
def test_a_budget_that_is_none(rewrites):
    with pytest.raises(nacho.NachoError, match="expected 1 to"):
        nacho.mlir.compile("y[i] = A[i,j]", choices={"rewrites": rewrites})
