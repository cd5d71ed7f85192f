"""Types of nodes, against NumPy itself; and what is 0 in them."""

import itertools
import math
import re

import numpy as np
import pytest

import nacho
from nacho._elements import ELEMENTS
from nacho._notation.background import backgrounds, require_sparse
from nacho._notation.parser import parse
from nacho._notation.promotion import (
    WEAK,
    fits,
    kinds_of,
    promote,
    promoted,
    strong,
    weak_kind,
)

KINDS = (*ELEMENTS, *(kind for kind in WEAK if kind != "coordinate"))


def sample(kind):
    return WEAK[kind](1) if kind in WEAK else ELEMENTS[kind].type(1)


def kinds(text, **operands):
    return kinds_of(parse(text), operands)


@pytest.mark.parametrize(("one", "other"), [*itertools.product(KINDS, repeat=2)])
def test_as_numpy(one, other):
    found = sample(one) * sample(other)
    wanted = np.asarray(found).dtype
    assert ELEMENTS[strong(promote(one, other))] == wanted
    assert (promote(one, other) in WEAK) == (one in WEAK and other in WEAK)


@pytest.mark.parametrize("other", [*ELEMENTS, *WEAK])
def test_coordinates(other):
    """They are weak, except among integers and bools, where they are int64."""
    is_narrow = ELEMENTS[strong(other)].kind in "biu" and other not in WEAK
    weak = max("coordinate", other, key=[*WEAK].index) if other in WEAK else other
    assert promote("coordinate", other) == ("i64" if is_narrow else weak)
    assert promote(other, "coordinate") == promote("coordinate", other)


def test_of_many():
    assert promoted(["int", "f32", "i8"]) == "f32"
    assert promoted(["i32", "f32", "u8"]) == "f64"
    assert promoted(["u8", "i8", "f32"]) == "f32"  # node by node: i16, then f32
    assert promoted(["complex", "f32"]) == "c64"


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (1, "int"),
        (1.0, "float"),
        (1j, "complex"),
        (True, None),
        (np.float64(1), None),
        (np.complex128(1), None),
        ("1", None),
    ],
)
def test_weak_kinds(value, kind):
    assert weak_kind(value) == kind


EXPRESSIONS = (
    "a * 2 + b",
    "2 * 3 * a",
    "a + b * 0.5",
    "(a + 1) * (b - 1.5)",
    "a * s + b * s",
    "s * -(a * b * 2)",
)


@pytest.mark.parametrize("text", EXPRESSIONS)
@pytest.mark.parametrize("weak", [2, 2.5, 2j])
def test_nodes_as_numpy(text, weak):
    for one, other in itertools.product(ELEMENTS, repeat=2):
        values = {"a": np.ones(3, ELEMENTS[one]), "b": np.ones(3, ELEMENTS[other])}
        wanted = eval(text, {}, {**values, "s": weak})
        notation = "z[i] = " + re.sub(r"\b([ab])\b", r"\1[i]", text)
        found = kinds(notation, a=one, b=other, s=weak_kind(weak))
        assert ELEMENTS[found.result] == wanted.dtype, (one, other)


FUNCTIONS = {
    "div": "a / b",
    "lt": "a < b",
    "ne": "a * 2 != b",
    "min": "min(a, b)",
    "max": "max(a, s)",
    "where": "where(a, b, s)",
    "literals": "where(a > 1, 1, 2) * b",
    "real": "abs(a) + abs(s) * b",
}


@pytest.mark.parametrize("text", FUNCTIONS.values())
@pytest.mark.parametrize("weak", [2, 2.5])
def test_functions_as_numpy(text, weak):
    named = {"min": np.minimum, "max": np.maximum, "where": np.where, "abs": np.abs}
    for one, other in itertools.product(ELEMENTS, repeat=2):
        if re.search("min|max|<|>", text) and "c" in one[0] + other[0]:
            continue
        values = {"a": np.ones(3, ELEMENTS[one]), "b": np.ones(3, ELEMENTS[other])}
        wanted = eval(text, {}, {**named, **values, "s": weak})
        if "abs(s)" in text:
            # Of a number of Python's, it is one.
            wanted = eval(
                text.replace("abs(s)", "s"), {}, {**named, **values, "s": weak}
            )
        notation = "z[i] = " + re.sub(r"\b([ab])\b", r"\1[i]", text)
        found = kinds(notation, a=one, b=other, s=weak_kind(weak))
        assert ELEMENTS[found.result] == wanted.dtype, (one, other)


@pytest.mark.parametrize("function", ["sqrt", "exp", "log", "sin", "cos", "tanh"])
def test_functions_of_integers_are_of_f64(function):
    for kind, dtype in ELEMENTS.items():
        wanted = "f64" if dtype.kind in "biu" else kind
        assert kinds(f"z[i] = {function}(a[i])", a=kind).result == wanted
        weak = kinds(f"z[i] = {function}(s) * a[i]", a=kind, s="int").result
        assert weak == wanted


def test_every_integer_can_be_compared():
    assert kinds("z[i] = a[i] < 300", a="i8").result == "bool"
    assert kinds("z[i] = a[i] > -1", a="u8").result == "bool"
    found = kinds("z[i] = (a[i] == s) * (a[i] / 300)", a="i8", s="int")
    assert found.result == "f64"
    assert found.limits == {"s": ["i64"]}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("7 / 2", 3.5),
        (f"{10**30} / {10**29}", 10.0),
        ("1 / 0", math.inf),
        ("-1 / 0", -math.inf),
        ("1.5 / -(0.0)", -math.inf),
        ("0 / 0", math.nan),
        ("sqrt(2)", math.sqrt(2)),
        ("sqrt(-1)", math.nan),
        ("exp(1000)", math.inf),
        ("log(0)", -math.inf),
        ("abs(-3)", 3),
        ("min(2, 1.5)", 1.5),
        ("max(2, 0 / 0)", math.nan),
        ("where(1 < 2, 3, 4)", 3),
        ("where(0.0, 3, 4)", 4),
        ("(1 < 2) + (2 < 3)", True),
        ("(1 < 2) * (3 < 3)", False),
        ("tanh(0)", 0.0),
    ],
)
def test_literals_are_folded(text, value):
    found = kinds(f"z[i] = {text} + a[i]", a="f64")
    sum = found.assignment.expr
    constant = found.constants[id(sum.lhs)]
    assert type(constant) is type(value)
    assert constant == value or (math.isnan(constant) and math.isnan(value))


@pytest.mark.parametrize(
    ("text", "operands", "message"),
    [
        ("z[i] = a[i] - b[i]", {"a": "bool", "b": "bool"}, "the difference of bools"),
        ("z[i] = -a[i]", {"a": "bool"}, "the negative of a bool"),
        ("z[i] = a[i] * 300", {"a": "u8"}, "the integer 300 is out of bounds for u8"),
        ("z[i] = a[i] * -1", {"a": "u8"}, "the integer -1 is out of bounds for u8"),
        ("z[i] = 100*2 + a[i]", {"a": "i8"}, "the integer 200 is out of bounds for i8"),
        (f"z[i] = a[i] * {10**30}", {"a": "i64"}, "is out of bounds for i64"),
        (f"z[i] = a[i] * {10**400}", {"a": "f64"}, "of 1329 bits is out of bounds"),
        (f"z[i] = {10**30} * s * a[i]", {"a": "f64", "s": "int"}, "bounds for i64"),
        (f"z[i] = 1.0*{10**400}*a[i]", {"a": "f64"}, "too large to convert"),
        (f"z[i] = a[i] < {10**30}", {"a": "i8"}, "is out of bounds for i64"),
        ("z[i] = min(a[i], 300)", {"a": "i8"}, "300 is out of bounds for i8"),
        ("z[i] = where(a[i], b[i], -1)", {"a": "f64", "b": "u8"}, "bounds for u8"),
        ("z[i] = (a[i] < 1) - (a[i] > 1)", {"a": "f64"}, "the difference of bools"),
        ("z[i] = a[i] >= s", {"a": "f64", "s": "complex"}, "'>=' of complex numbers"),
        ("z[i] = min(a[i], b[i])", {"a": "c64", "b": "i8"}, "'min' of complex numbers"),
        (f"z[i] = sqrt({10**400}) * a[i]", {"a": "f64"}, "too large to convert"),
        ("z max= a[i]", {"a": "c64"}, "'max=' of complex numbers, which have no"),
        ("z min= a[i] * s", {"a": "f32", "s": "complex"}, "'min=' of complex numbers"),
    ],
)
def test_what_numpy_refuses(text, operands, message):
    with pytest.raises(nacho.DTypeError) as caught:
        kinds(text, **operands)
    assert message in str(caught.value)
    assert "^" in str(caught.value)
    assert isinstance(caught.value, TypeError)


def test_what_numpy_does_not_refuse():
    assert kinds("z[i] = a[i] - s", a="bool", s="int").result == "i64"
    assert kinds(f"z[i] = a[i] * {10**30}", a="f64").result == "f64"
    assert kinds("z[i] = -1 * a[i]", a="i8").result == "i8"


def test_bounds_of_weak_operands():
    operands = {"a": "u8", "b": "f32", "c": "i8", "s": "int", "t": "float"}
    found = kinds("z[i] = s*a[i] + s*b[i] + t*c[i]", **operands)
    assert found.limits == {"s": ["u8"]}
    assert fits(255, "u8")
    assert not fits(256, "u8")
    assert not fits(-1, "u8")
    assert fits(10**30, "f32")


# --- What is 0 ------------------------------------------------------------------------


def test_backgrounds():
    found = kinds("Z[i,j] = (2 - A[i,j]) * (s * 0 + 3)", A="f64", s="f64")
    assert backgrounds(found)[id(found.assignment.expr)] == 6.0
    found = kinds("Z[i,j] = (2 - A[i,j]) * 128", A="u8")
    assert backgrounds(found)[id(found.assignment.expr)] == 0  # wraps around


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("exp(A[i,j])", 1.0),
        ("cos(A[i,j]) + abs(A[i,j] - 3)", 4.0),
        ("A[i,j] < 0.5", True),
        ("A[i,j] > 0.5", False),
        ("2 / A[i,j]", np.inf),
        ("A[i,j] / 0", 0.0),
        ("A[i,j] / s", 0.0),
        ("s / A[i,j]", None),
        ("A[i,j] != s", None),
        ("min(A[i,j], s)", None),
        ("min(A[i,j], 1) + max(A[i,j], 1)", 1.0),
        ("where(A[i,j], s, 2)", 2.0),
        ("where(A[i,j] == 0, A[i,j], 2)", 0.0),
        ("where(s, A[i,j], 2)", None),
        ("where(s, A[i,j] + 2, 2)", 2.0),
    ],
)
def test_backgrounds_of_functions(text, value):
    given = {"A": "f64", "s": "f64"}
    names = parse(f"Z[i,j] = {text}").operands
    found = kinds(f"Z[i,j] = {text}", **{name: given[name] for name in names})
    background = backgrounds(found)[id(found.assignment.expr)]
    assert background == value
    assert (background is None) == (value is None)


def test_dense_operands_have_no_absent_entries():
    require_sparse(kinds("Z[i,j] = A[i,j] + D[i,j]", A="f64", D="f64"))


@pytest.mark.parametrize("term", ["1e39 - 1e39", "(1e30*1e30 - 1e30*1e30)"])
def test_backgrounds_are_computed_in_the_type_of_the_node(term):
    """What is 0 in f64 need not be so in f32, where it overflows."""
    text = f"Z[i,j] = A[i,j] + {term}"
    require_sparse(kinds(text, A="f64"))
    # Literals among themselves are Python's numbers.
    if term.startswith("("):
        require_sparse(kinds(text, A="f32"))
        return
    with pytest.raises(nacho.UnsupportedError, match="would make the result dense"):
        require_sparse(kinds(text, A="f32"))


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("Z[i,j] = A[i,j] + s", "s"),
        ("Z[i,j] = A[i,j] - 1e-300", "1e-300"),
        ("Z[i,j] = -(A[i,j] - (B[i,j] + 2))", "2"),
        ("Z[i,j] = A[i,j] + (A[i,j]+1)*s", "(A[i,j]+1)*s"),
        ("y[i] = A[i,j] + 1", "1"),
        ("y[i] = A[i,j] * 2 + B[i,j] * (A[i,j]+1) + (A[i,j]+1)*s", "(A[i,j]+1)*s"),
    ],
)
def test_terms_that_make_the_result_dense(text, term):
    operands = dict.fromkeys(parse(text).operands, "f64")
    with pytest.raises(nacho.UnsupportedError) as caught:
        require_sparse(kinds(text, **operands))
    message = str(caught.value)
    assert f"the term '{term}' is not zero" in message
    assert 'out="dense"' in message
    assert "^" * len(term) in message


@pytest.mark.parametrize(
    "text",
    [
        "Z[i,j] = A[i,j] + 0",
        "Z[i,j] = A[i,j] * (B[i,j] + s)",
        "Z[i,j] = 0 * s + A[i,j]",
        "Z[i,j] = (A[i,j] + 1) * (B[i,j] + 1) - 1",
        "y[i] = A[i,j]*x[j] - b[i]",
        "Z[i,j] = exp(A[i,j]) - 1",
        "Z[i,j] = where(A[i,j] < 0.5, B[i,j], s)",
        "Z[i,j] = (s < A[i,j]) * B[i,j]",
    ],
)
def test_sparse_expressions(text):
    require_sparse(kinds(text, **dict.fromkeys(parse(text).operands, "f64")))


@pytest.mark.parametrize("sign", ["max=", "min=", "*="])
def test_a_cast_result_has_the_pattern_of_the_other(sign):
    """A reduction of sparse vectors is as sparse if its type is pinned."""
    a = nacho.Tensor.from_dense(np.array([1.5, 0, 0, 2.5]), "sparse-vector")
    c = nacho.Tensor.from_dense(np.array([0, 3.5, 0, 0, 4.5, 0]), "sparse-vector")
    formats = dict.fromkeys(("A", "C", "Z"), "sparse-vector")
    text = f"Z[i] {sign} A[m] * C[i]"
    wanted = nacho.mlir.compile(text, formats)(a, c)
    found = nacho.mlir.compile(text, formats, dtype={"Z": "f32"})(a, c)
    assert found.nnz == wanted.nnz == 2
    np.testing.assert_array_equal(found.coords, wanted.coords)
    np.testing.assert_array_equal(found.values, wanted.values.astype(np.float32))
