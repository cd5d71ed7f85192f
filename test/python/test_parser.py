"""Notation: what parses, what is malformed, and what is refused by name."""

import pytest

import nacho
from nacho._notation.limits import require_supported
from nacho._notation.parser import (
    MAX_NESTING,
    parse,
)
from nacho._notation.tree import (
    Access,
    Binary,
    Call,
    Literal,
    Unary,
    postorder,
    terms,
)


def show(node):
    """Write a tree with every operation in parentheses."""
    match node:
        case Access():
            return node.name
        case Literal():
            return repr(node.value)
        case Unary():
            return f"({node.op} {show(node.operand)})"
        case Binary():
            return f"({show(node.lhs)} {node.op} {show(node.rhs)})"
        case Call():
            return f"{node.function}({', '.join(map(show, node.arguments))})"


def caret(error):
    """Return the text that the caret is under."""
    _, line, marks = str(error).rsplit("\n", 2)
    begin = marks.index("^")
    return line[begin : begin + marks.count("^")]


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("Z[i,j] = A[i,j]", "A"),
        ("Z(i,j) = A(i,j)", "A"),
        ("Z[i,j] += A[i,j]", "A"),
        ("Z[i,j]=A[i,j]+B[i,j]*C[i,j]", "(A add (B mul C))"),
        ("Z[i,j] = (A[i,j] + B[i,j])*C[i,j]", "((A add B) mul C)"),
        ("Z[i,j] = A[i,j] - B[i,j] - C[i,j]", "((A sub B) sub C)"),
        ("Z[i,j] = -A[i,j]*B[i,j]", "((neg A) mul B)"),
        ("Z[i,j] = --A[i,j]", "(neg (neg A))"),
        ("Z[i,j] = 2*A[i,j]*s", "((2 mul A) mul s)"),
        ("Z[i,j] = .5e-3 * A[i,j] * 1. * 1E+2", "(((0.0005 mul A) mul 1.0) mul 100.0)"),
        ("  Z [ i , j ]\n=\tA [ i , j ]  ", "A"),
        ("Z[i,j] = max * A[i,j]", "(max mul A)"),
        ("Zé[δ,λ] = Ä_1[δ,λ]", "Ä_1"),
        ("Z[i,j] = A[i,j] / 2 > B[i,j] + 1", "((A div 2) gt (B add 1))"),
        (
            "Z[i,j] = where(A[i,j] != 0, abs(B[i,j]), 2)",
            "where((A ne 0), abs(B), 2)",
        ),
        ("Z[i,j] max= min(A[i,j], B[i,j])", "min(A, B)"),
        ("Z[i] = 2. * 2e0 * 2 * A[i]", "(((2.0 mul 2.0) mul 2) mul A)"),
        ("z = x[i] * y[i]", "(x mul y)"),
    ],
)
def test_parses(text, tree):
    assert show(parse(text).expr) == tree


def test_spans_are_columns():
    text = "Z[i,j] = -(A[i,j] + s) * 2"
    spans = [text[slice(*node.span)] for node in postorder(parse(text).expr)]
    assert spans == [
        "A[i,j]",
        "s",
        "(A[i,j] + s)",
        "-(A[i,j] + s)",
        "2",
        "-(A[i,j] + s) * 2",
    ]


def test_operands_by_first_appearance():
    assignment = parse("Z[i,j] = s*B[i,j] + A[i,j]*B[i,j] + s*A[i,j]")
    assert assignment.operands == ("s", "B", "A")
    assert assignment.tensors == ("B", "A")
    assert len(assignment.accesses) == 3


def test_thousands_of_terms():
    text = "Z[i,j] = " + " + ".join(["A[i,j]"] * 5000)
    require_supported(parse(text))
    require_supported(parse("Z[i,j] = " + "-" * 5000 + "A[i,j]"))


@pytest.mark.parametrize(
    ("text", "message", "under"),
    [
        ("", "expected the name of the result, found the end", ""),
        ("Z[i,j]", "expected '=' after the result", ""),
        (
            "y[i] -= A[i,j]",
            "(-= is none of the assignments: += -(…) subtracts from a tensor), found",
            "-",
        ),
        ("y[i] /= A[i,j]", "result (/= is none of the assignments), found '/'", "/"),
        ("Z<M>[i,j] = A[i,j]", "result (a mask is a factor, as pattern(M)[i,", "<"),
        ("Z[i,j] = A[i,j] and B[i,j]", "found 'and': & joins comparisons", "and"),
        ("y[i] = x[i] if c[i] else 0", "found 'if': where(c, a, b) is a", "if"),
        ("Z[i,j] = A.T[i,j]", "'.': functions and tensors are names", "."),
        ("z = a[i]; y = b[i]", "';': a text has one statement", ";"),
        ("Z[i,j] = power(A[i,j], 2)", "'power' is no function of the nota", "power"),
        ("Z[i,j] == A[i,j]", "expected '=' after the result, found '=='", "=="),
        ("Z[i,j] = ", "expected an operand, found the end", ""),
        ("Z[i,j] = A[i,j", "expected ']', found the end", ""),
        ("Z[i,j] = A[i,j)", "expected ']', found ')'", ")"),
        ("Z[i,j] = A[i,j-1]", "an index has no offset: a range before", "j-"),
        ("y[i] = A[p[i],j]", "an index is a name, and not read from a tensor", "p["),
        ("m = mean(A[i,j])", "'mean' is no function of the notation: sum(j, ", "mean"),
        (
            "m = median(j, x[j])",
            "'median' is no function of the notation: no",
            "median",
        ),
        (
            "y[j] = cumsum(x[j])",
            "'cumsum' is no function of the notation: no",
            "cumsum",
        ),
        (
            "Z[i] = round(x[i], 2)",
            "not 2: round(100 * x) / 100 rounds",
            "round(x[i], 2)",
        ),
        ("Z[i,j] = A[]", "expected the name of an index, or a coordinate", "]"),
        ("Z[i,j] = A[1.0,j]", "expected the name of an index, or a coordinate", "1.0"),
        ("Z[i,j] = (A[i,j]", "expected ')', found the end", ""),
        ("Z[i,j] = A[i,j])", "expected an operator or the end", ")"),
        ("Z[i,j] = A[i,j] B[i,j]", "expected an operator or the end", "B"),
        ("Z[i,j] = 2A[i,j]", "expected an operator or the end", "A"),
        ("Z[i,j] = A[i,j] * * 2", "expected an operand, found '*'", "*"),
        ("Z[i,j] = A[i,j] < 1 < 2", "comparisons do not chain", "<"),
        ("Z[i,j] = A[i,j] @ B[i,j]", "'@': the product A @ B is A[i,k] * B[k,j]", "@"),
        ("Z[i,j] = min(A[i,j])", "'min' takes 2 argument(s), not 1", "min(A[i,j])"),
        ("2 = A[i,j]", "expected the name of the result", "2"),
        ("Z[i,j] = Z[i,j] + A[i,j]", "the result 'Z' is also read", "Z[i,j]"),
        ("Z[i,i] = A[i,j]", "is written Z[i,k] = keep(…, i == k), of", "Z[i,i]"),
        (
            "Z[j,i,j] = A[i] * k",
            "is written Z[j,i,l] = keep(…, j == l), of",
            "Z[j,i,j]",
        ),
        ("Z[i,k] = A[i,j]", "index 'k' on the left is an index of no op", "Z[i,k]"),
        ("Z[i,j] = A[i,j] + A[i]", "operand 'A' is used with 1 and with 2", "A[i]"),
        ("Z[i,j] = A[i,j] * A", "operand 'A' is used with 0 and with 2", "A"),
        ("Z[i,j] = i[j] * A[i,j]", "'i' is the name of an index and", "Z[i,j]"),
    ],
)
def test_malformed(text, message, under):
    with pytest.raises(nacho.ParseError) as caught:
        parse(text)
    assert message in str(caught.value)
    assert caret(caught.value) == under


@pytest.mark.parametrize(
    ("text", "message", "under"),
    [
        (
            "Z = where(1 < 2, sqrt(3), 4)",
            "without an operand",
            "where(1 < 2, sqrt(3), 4)",
        ),
        ("Z = 2 * 3", "an expression without an operand", "2 * 3"),
        (
            "z = A[a,b,c,d,e,f,g,h,i]",
            "operand 'A' has 9 indices",
            "A[a,b,c,d,e,f,g,h,i]",
        ),
        (
            "Z[a,b,c,d,e,f,g,h,i] = x[a]*A[b,c,d,e,f,g,h,i]",
            "result 'Z' has 9 indices",
            "Z[a,b,c,d,e,f,g,h,i]",
        ),
    ],
)
def test_unsupported(text, message, under):
    assignment = parse(text)
    with pytest.raises(nacho.UnsupportedError) as caught:
        require_supported(assignment)
    assert message in str(caught.value)
    assert "not supported" in str(caught.value)
    assert caret(caught.value) == under


@pytest.mark.parametrize(
    "text",
    [
        "Z[i,j] = A[i,j] + 0",
        "Z[j,i] = A[i,j]",
        "Z[i] = A[i,j]",
        "Z = A[i,j]",
        "Z[i,j] = A[i,j] * x[j]",
        "Z[i,j,k] = A[i,j,k]",
        "Z = 2 * s",
        "Z[i,j] max= A[i,j]",
        "Z[i] *= A[i,j]",
        "z = A[a,b,c,d,e,f,g,h]",
    ],
)
def test_supported(text):
    require_supported(parse(text))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("y[i] = A[i,j]*x[j]", {"A[i,j]*x[j]": ("j",)}),
        ("y[i] = b[i] + A[i,j]*x[j]", {"b[i]": (), "A[i,j]*x[j]": ("j",)}),
        (
            "y[i] = -(A[i,j]*x[j] - (b[i] + -C[i,k]))",
            {"A[i,j]*x[j]": ("j",), "b[i]": (), "C[i,k]": ("k",)},
        ),
        ("y[i] = (A[i,j] + b[i]) * 2", {"(A[i,j] + b[i]) * 2": ("j",)}),
        ("y[i] max= b[i] + A[i,j]", {"b[i] + A[i,j]": ("j",)}),
        ("z = A[i,j] + 1", {"A[i,j]": ("i", "j"), "1": ()}),
        ("Z[i,j] *= A[i,j]", {"A[i,j]": ()}),
    ],
)
def test_every_term_is_reduced_over_its_own_indices(text, wanted):
    assignment = parse(text)
    whole = assignment.reduction is not None
    nodes = [assignment.expr] if whole else terms(assignment.expr)
    found = {text[slice(*node.span)]: assignment.reductions[id(node)] for node in nodes}
    assert found == wanted


def test_indices():
    assignment = parse("Z[j,i] = A[i,k] * B[k,j] + C[l]")
    assert assignment.indices == ("j", "i", "k", "l")
    assert assignment.reduced == ("k", "l")


def test_integers_of_any_size():
    assert parse(f"Z[i] = {10**100} * A[i]").expr.lhs.value == 10**100
    with pytest.raises(nacho.ParseError, match="5000 digits is too long"):
        parse(f"Z[i] = {'9' * 5000} * A[i]")


def test_names_are_normalised():
    """As Python does with keywords: the micro sign is a Greek letter."""
    assignment = parse("Z[\u00b5,j] = \ufb01[\u03bc,j] + x\u00b2[\u00b5,j]")
    assert assignment.result.indices == ("\u03bc", "j")
    assert assignment.operands == ("fi", "x\u00b2")
    assert parse("Z[i,j] = A[i,j] * \u00b2").operands == ("A", "\u00b2")


def test_nesting_is_bounded():
    deep = "(" * MAX_NESTING + "A[i,j]" + ")" * MAX_NESTING
    with pytest.raises(nacho.ParseError, match="parentheses are open"):
        parse(f"Z[i,j] = {deep}")
    with pytest.raises(nacho.ParseError, match="parentheses are open"):
        parse("Z[i,j] = " + "(" * 100_000)


@pytest.mark.parametrize("text", [None, 3, ["Z[i,j] = A[i,j]"]])
def test_not_text(text):
    with pytest.raises(nacho.ArgumentError, match="must be a string"):
        parse(text)
