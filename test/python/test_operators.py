"""The table of operators: every record is documented, public, and compiled.

The operators come from the table, so that a new one is tested as it is added; what they
compute comes from NumPy.
"""

import inspect
import re
from pathlib import Path

import numpy as np
import pytest

import nacho
from nacho._notation.operators import OPERATORS
from nacho._notation.parser import parse

pytestmark = pytest.mark.any_target

SUPPORT = Path(__file__).parents[2] / "tools/site/support.md"
NAMES = "ABC"
ONE = np.array([3, 0, 2, 0])
OTHER = np.array([2, 5, 0, 0])
DTYPES = ("bool", "uint8", "int32", "float32", "float64", "complex128")

table = pytest.mark.parametrize("operator", OPERATORS.values(), ids=lambda o: o.name)


def applied(operator, arguments):
    """Write an operator as the notation does."""
    if operator.grammar == "call":
        return f"{operator.spelling}({', '.join(arguments)})"
    if operator.arity == 1:
        return operator.spelling + arguments[0]
    if operator.grammar == "power":
        return operator.spelling.join(arguments)
    return f" {operator.spelling} ".join(arguments)


def expected(operator, values):
    """Compute as NumPy, but functions of integers and bools as those of f64.

    NumPy has nothing that is not stored: all entries here are those that are not 0.
    """
    if operator.name == "pattern":
        return values[0] != 0
    if operator.name == "keep":
        return np.where(values[1] != 0, values[0], values[0].dtype.type())
    if operator.name in ("round", "conj") and values[0].dtype == bool:
        return values[0]  # NumPy makes numbers of them
    if operator.is_fractional and values[0].dtype.kind in "biu":
        values = [value.astype(float) for value in values]
    with np.errstate(all="ignore"):
        return getattr(np, operator.numpy)(*values)


def is_refused(operator, dtype):
    """Return whether an operator has no value for numbers of a type."""
    has_no_bits = operator.is_integral and dtype in ("float32", "float64", "complex128")
    has_no_order = operator.needs_order and dtype == "complex128"
    return (operator.refuses_bools and dtype == "bool") or has_no_bits or has_no_order


def sparse(values):
    """Return a sparse vector of the values that are not 0."""
    (places,) = values.nonzero()
    return nacho.Tensor.from_coo(
        [places], values[places], shape=values.shape, format="sparse-vector"
    )


@pytest.mark.host_only
@table
def test_operators_are_parsed(operator):
    accesses = [f"{name}[i]" for name in NAMES[: operator.arity]]
    assert parse(f"Z[i] = {applied(operator, accesses)}").expr.operator is operator


@pytest.mark.sampled
def computed(text, operands, refused):
    """Return what an expression evaluates to, or None if it has to be refused."""
    text = f"Z[i] = {text}"
    if refused:
        with pytest.raises(nacho.DTypeError):
            nacho.evaluate(text, operands, out="dense")
        return None
    return nacho.evaluate(text, operands, out="dense")


@table
@pytest.mark.parametrize("dtype", DTYPES)
def test_operators_compute_what_numpy_does(operator, dtype):
    """Also where one operand, or both, have no entry."""
    values = [ONE.astype(dtype), OTHER.astype(dtype), ONE[::-1].astype(dtype)]
    given = dict(zip(NAMES, values[: operator.arity], strict=False))
    text = applied(operator, [f"{name}[i]" for name in given])
    operands = {name: sparse(value) for name, value in given.items()}

    found = computed(text, operands, is_refused(operator, dtype))
    if found is None:
        return
    wanted = expected(operator, list(given.values()))
    assert found.dtype == wanted.dtype
    tolerance = 1e-6 if dtype == "float32" else 1e-14
    np.testing.assert_allclose(found, wanted, rtol=tolerance)


@table
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex128"])
def test_operators_compute_zeros_where_operands_have_ended(operator, dtype):
    """The compiler may fold an operator there: all its operands are zeros.

    Each has one entry, the first; what is added has six.
    """
    first = np.array([2.0, 0, 0, 0, 0, 0]).astype(dtype)
    given = dict.fromkeys(NAMES[: operator.arity], first)
    text = f"D[i] + ({applied(operator, [f'{name}[i]' for name in given])})"
    operands = {name: sparse(value) for name, value in given.items()}
    operands["D"] = sparse(np.arange(1.0, 7).astype(dtype))
    if operator.name == "where":
        given["A"] = operands["A"] = first != 0

    whole = computed(text, operands, is_refused(operator, dtype))
    if whole is None:
        return
    values = expected(operator, list(given.values()))
    np.testing.assert_allclose(whole, np.arange(1.0, 7) + values, rtol=1e-6)


@pytest.mark.host_only
@table
def test_python_has_every_operator(operator):
    """As a function of nacho, or as Python writes it."""
    i, names = nacho.Index("i"), NAMES[: operator.arity]
    elements = {name: nacho.access(ONE + n, i) for n, name in enumerate(names)}
    if operator.function:
        found = getattr(nacho, operator.function)(*elements.values())
    else:
        found = eval(applied(operator, names), {}, elements)
    text = applied(operator, [f"{name}[i]" for name in names])
    assert repr(found) == f"<nacho.Expression: {text}>"


@pytest.mark.host_only
@pytest.mark.parametrize(
    "operator", [o for o in OPERATORS.values() if o.function], ids=lambda o: o.name
)
def test_functions_are_public(operator):
    function = getattr(nacho, operator.function)
    assert operator.function in nacho.__all__
    assert function.__name__ == operator.function
    assert function.__doc__ == f"Return {operator.summary}."
    assert len(inspect.signature(function).parameters) == operator.arity


@pytest.mark.host_only
@table
def test_operators_are_documented(operator):
    """The row of the CPU in the site's table lists what expressions are made of."""
    (row,) = re.findall(r"^\| CPU .*$", SUPPORT.read_text(), re.MULTILINE)
    # In a cell of a table, a backslash stands before a bar.
    expressions = re.split(r"(?<!\\)\|", row)[3].replace(r"\|", "|")
    spans = re.findall(r"`([^`]*)`", expressions)
    assert operator.spelling in re.split(r"[\s(),]+", " ".join(spans))


@pytest.mark.host_only
def test_reductions_are_documented():
    (row,) = re.findall(r"^\| CPU .*$", SUPPORT.read_text(), re.MULTILINE)
    for operator in OPERATORS.values():
        if operator.reduces and operator.spelling != "+":
            assert f"{operator.spelling}=" in row
