"""Numbers as MLIR writes them."""

from __future__ import annotations

import math

import numpy as np

from nacho._elements import ELEMENTS
from nacho._notation.promotion import Number, is_integer

_INFINITY = {"f32": "0x7F800000", "f64": "0x7FF0000000000000"}
_NEGATIVE_INFINITY = {"f32": "0xFF800000", "f64": "0xFFF0000000000000"}
_NAN = {"f32": "0x7FC00000", "f64": "0x7FF8000000000000"}
_LARGEST = {"f32": 3.4028235677973366e38, "f64": math.inf}
"""A literal of at least this magnitude rounds to infinity in the type."""


def literal(value: Number, element: str) -> str:
    """Return a number as MLIR's literal of a type; MLIR's floats need a point."""
    if element == "bool":
        return "1" if value else "0"
    if is_integer(element):
        return str(int(np.array(value).astype(ELEMENTS[element])))
    number = float(value)
    if math.isnan(number):
        return _NAN[element]
    sign = "-" if math.copysign(1, number) < 0 else ""
    if abs(number) >= _LARGEST[element]:
        return _NEGATIVE_INFINITY[element] if sign else _INFINITY[element]
    mantissa, exponent, power = repr(abs(number)).partition("e")
    point = "" if "." in mantissa else ".0"
    return f"{sign}{mantissa}{point}{exponent}{power}"
