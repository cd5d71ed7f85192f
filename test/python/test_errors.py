"""Errors: what they derive from, and how they point into an expression."""

import builtins

import pytest

import nacho
from nacho.errors import pointed

PARENTS = {
    "ParseError": "ValueError",
    "ShapeError": "ValueError",
    "FormatError": "ValueError",
    "OperandError": "ValueError",
    "DTypeError": "TypeError",
    "ArgumentError": "TypeError",
    "UnsupportedError": "NotImplementedError",
    "OutOfMemoryError": "MemoryError",
    "IndexOverflowError": "OverflowError",
}


@pytest.mark.parametrize("name", PARENTS)
def test_every_error_is_also_what_python_users_expect(name):
    error = getattr(nacho, name)
    assert issubclass(error, nacho.NachoError)
    assert issubclass(error, getattr(builtins, PARENTS[name]))
    assert name in nacho.__all__


def test_caret_is_under_the_span():
    assert pointed("no", "Z = A + B", (4, 5)) == "no\n  Z = A + B\n      ^"
    assert pointed("no", "Z = A + B", (4, 9)).endswith("\n      ^^^^^")


def test_caret_behind_the_end():
    assert pointed("no", "Z =", (3, 4)) == "no\n  Z =\n     ^"


def test_caret_in_the_line_that_holds_the_span():
    assert pointed("no", "Z =\n\tA + B\n + C", (9, 10)) == "no\n   A + B\n       ^"


def test_caret_stays_in_its_line():
    assert pointed("no", "Z = A +\n B", (4, 10)) == "no\n  Z = A +\n      ^^^"
