"""Functions of MLIR's dialects math and complex in bodies of linalg ops."""

import cmath
import math

import numpy as np
import pytest

from test_linalg import generic, run, sparse, tensor

HALVES = [-2.5, -1.5, -0.5, 0, 0.5, 1.5, 2.5, 2.6]


def away_from_zero(x):
    return np.trunc(x + np.copysign(0.5, x))


ZERO_PRESERVING = {
    "tan": np.tan,
    "asin": np.arcsin,
    "atan": np.arctan,
    "sinh": np.sinh,
    "asinh": np.arcsinh,
    "atanh": np.arctanh,
    "cbrt": np.cbrt,
    "erf": np.vectorize(math.erf),
    "trunc": np.trunc,
    "round": away_from_zero,
    "roundeven": np.rint,
}
"""Functions of real numbers that are 0 where nothing is stored."""

OTHERS = {
    "acos": np.arccos,
    "cosh": np.cosh,
    "exp2": np.exp2,
    "erfc": np.vectorize(math.erfc),
    "log2": np.log2,
    "log10": np.log10,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "acosh": np.arccosh,
}
"""Others make the result dense."""


def values(function):
    """Return numbers on which a function is defined, and for most of them 0."""
    if function in ("log2", "log10", "rsqrt"):
        return np.array([0.3, 0, 4, 0, 1e-9, 10])
    if function == "acosh":
        return np.array([1, 4, 1.5, 10])
    if "round" in function or function == "trunc":
        return np.array(HALVES)
    return np.array([-0.9, 0, 0.3, 0, 1e-9, 0.5])


def body(op, before, after):
    return f"%0 = {op} %a0_ : {before}\nlinalg.yield %0 : {after}"


@pytest.mark.parametrize("element", ["f64", "f32"])
@pytest.mark.parametrize("function", ZERO_PRESERVING)
def test_functions_of_zero_that_are_0(function, element):
    vector = tensor(element, 1, "SV")
    text = generic(
        [vector], vector, body(f"math.{function}", element, element), ["i"] * 2, "p"
    )
    x = values(function).astype({"f64": "f8", "f32": "f4"}[element])
    found = run(text, sparse(x, "SV"), sparse(np.zeros_like(x), "SV"))
    np.testing.assert_allclose(
        found, ZERO_PRESERVING[function](x), rtol=1e-14 if element == "f64" else 1e-6
    )


@pytest.mark.parametrize("function", OTHERS)
def test_other_functions(function):
    text = generic(
        [tensor("f64", 1, "SV")],
        tensor("f64", 1),
        body(f"math.{function}", "f64", "f64"),
        ["i"] * 2,
        "p",
    )
    x = values(function)
    with np.errstate(divide="ignore"):
        expected = OTHERS[function](x)
    found = run(text, sparse(x, "SV"), np.zeros_like(x))
    np.testing.assert_allclose(found, expected, rtol=1e-14)


def test_the_angle_of_a_point():
    vector = tensor("f64", 1, "SV")
    text = generic(
        [vector, vector],
        vector,
        "%0 = math.atan2 %a0_, %a1_ : f64\nlinalg.yield %0 : f64",
        ["i"] * 3,
        "p",
    )
    y = np.array([1.0, 0, 0, -2, 0])
    x = np.array([0.5, -3, 2, 0, 0])
    found = run(text, sparse(y, "SV"), sparse(x, "SV"), sparse(np.zeros(5), "SV"))
    np.testing.assert_allclose(found, np.arctan2(y, x), rtol=1e-15)


@pytest.mark.parametrize("test", ["isnan", "isinf", "isfinite"])
def test_kinds_of_numbers(test):
    text = generic(
        [tensor("f64", 1)],
        tensor("i1", 1),
        f"%0 = math.{test} %a0_ : f64\nlinalg.yield %0 : i1",
        ["i"] * 2,
        "p",
    )
    x = np.array([0, 1e308, np.nan, np.inf, -np.inf])
    found = run(text, x, np.zeros(5, bool))
    np.testing.assert_array_equal(found, getattr(np, test)(x))


# --- Complex numbers ------------------------------------------------------------------

NUMBERS = np.array([-5.13 + 2j, 0, 3 + 4j, 0, 5 - 6j, 1e-9 + 2e-9j, -2, 1j])


def sign(z):
    return np.divide(z, np.abs(z), out=np.zeros_like(z), where=z != 0)


COMPLEX = {"conj": np.conj, "sign": sign, "tan": np.tan, "angle": np.angle}


@pytest.mark.parametrize("op", COMPLEX)
def test_functions_of_complex_numbers(op):
    element = "complex<f64>"
    after = "f64" if op == "angle" else element
    text = generic(
        [tensor(element, 1, "SV")],
        tensor(after, 1, "SV"),
        body(f"complex.{op}", element, after),
        ["i"] * 2,
        "p",
    )
    expected = COMPLEX[op](NUMBERS)
    out = sparse(np.zeros(len(NUMBERS), expected.dtype), "SV")
    found = run(text, sparse(NUMBERS, "SV"), out)
    np.testing.assert_allclose(found, expected, rtol=1e-14)


def test_a_reciprocal_root():
    element = "complex<f64>"
    vector = tensor(element, 1)
    text = generic(
        [vector], vector, body("complex.rsqrt", element, element), ["i"] * 2, "p"
    )
    z = NUMBERS[NUMBERS != 0]
    np.testing.assert_allclose(run(text, z, z), 1 / np.sqrt(z), rtol=1e-14)


def test_a_number_of_two_parts():
    """Also if one of them is not stored."""
    part = tensor("f64", 1, "SV")
    text = generic(
        [part, part],
        tensor("complex<f64>", 1, "SV"),
        "%0 = complex.create %a0_, %a1_ : complex<f64>\nlinalg.yield %0 : complex<f64>",
        ["i"] * 3,
        "p",
    )
    x, y = np.array([1.0, 0, -2, 0]), np.array([0, 3.0, np.inf, 0])
    out = sparse(np.zeros(4, complex), "SV")
    found = run(text, sparse(x, "SV"), sparse(y, "SV"), out)
    np.testing.assert_array_equal(found.real, x)
    np.testing.assert_array_equal(found.imag, y)


@pytest.mark.parametrize("exponent", [2, 0.5 - 1j, 0])
def test_powers_of_complex_numbers(exponent):
    """Of 0, only the power 0 is not 0."""
    element = "complex<f64>"
    exponent = complex(exponent)
    before = f"%c = complex.constant [{exponent.real}, {exponent.imag}] : {element}"
    text = generic(
        [tensor(element, 1)],
        tensor(element, 1),
        f"%0 = complex.pow %a0_, %c : {element}\nlinalg.yield %0 : {element}",
        ["i"] * 2,
        "p",
        before,
    )
    expected = [
        complex(exponent == 0) if z == 0 else cmath.exp(exponent * cmath.log(z))
        for z in NUMBERS
    ]
    np.testing.assert_allclose(run(text, NUMBERS, NUMBERS), expected, rtol=1e-13)
