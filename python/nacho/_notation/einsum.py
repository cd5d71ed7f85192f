"""From NumPy's subscripts of einsum to an assignment in the notation."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from nacho._notation.symbols import fresh_names, result_name
from nacho.errors import ArgumentError, ParseError, UnsupportedError, pointed


def spelled_product(
    subscripts: str, operands: Sequence[Any]
) -> tuple[str, dict[str, Any]]:
    """Return the product as the text of an assignment, and its operands by name.

    An object that is given several times becomes one operand, if its rank is the same.
    """
    if not isinstance(subscripts, str):
        kind = type(subscripts).__name__
        raise ArgumentError(f"einsum: the subscripts must be a string, not {kind}")
    first: dict[int, int] = {}
    which = [first.setdefault(id(each), n) for n, each in enumerate(operands)]
    text, names = _spelled(subscripts, *which)
    return text, {name: operands[n] for name, n in names.items()}


@functools.lru_cache(maxsize=256)
def _spelled(subscripts: str, *which: int) -> tuple[str, dict[str, int]]:
    """Return the assignment, and for each name in it, the number of an operand.

    ``which`` has, for each operand, the number of the first that is the same object.
    """
    inputs, left = _parsed(subscripts)
    if len(inputs) != len(which):
        raise ArgumentError(
            f"einsum: {len(which)} operands given, but '{subscripts}' has {len(inputs)}"
        )
    letters = set(left).union(*inputs)
    names = fresh_names(letters)
    known: dict[tuple[int, int], str] = {}
    factors: list[str] = []
    for indices, number in zip(inputs, which, strict=True):
        key = (number, len(indices))
        if key not in known:
            known[key] = next(names)
        factors.append(_access(known[key], indices))
    result = _access(result_name(letters), left)
    text = f"{result} = {' * '.join(factors)}"
    return text, {name: number for (number, _), name in known.items()}


def _access(name: str, indices: str) -> str:
    return f"{name}[{','.join(indices)}]" if indices else name


def _parsed(subscripts: str) -> tuple[list[str], str]:
    """Return the indices of the operands and those of the result."""
    if "." in subscripts:
        place = subscripts.index(".")
        message = "einsum: an ellipsis is not supported; write out its indices"
        raise UnsupportedError(pointed(message, subscripts, (place, place + 1)))
    left, arrow, right = subscripts.partition("->")
    for place, letter in enumerate(subscripts):
        in_arrow = bool(arrow) and len(left) <= place < len(left) + 2
        if not (in_arrow or letter in ", " or (letter.isascii() and letter.isalpha())):
            _refuse(f"einsum: unexpected character {letter!r}", subscripts, place)
    inputs = left.replace(" ", "").split(",")
    if not arrow:
        return inputs, _once("".join(inputs))
    _check_result(subscripts, left, right)
    return inputs, right.replace(" ", "")


def _once(letters: str) -> str:
    return "".join(letter for letter in sorted(letters) if letters.count(letter) == 1)


def _check_result(subscripts: str, left: str, right: str) -> None:
    for place, letter in enumerate(right):
        at = len(left) + 2 + place
        if letter == ",":
            _refuse("einsum: there is one result", subscripts, at)
        if letter != " " and letter not in left:
            message = f"einsum: index '{letter}' of the result is that of no operand"
            _refuse(message, subscripts, at)
        if letter != " " and letter in right[:place]:
            message = f"einsum: index '{letter}' is repeated in the result"
            _refuse(message, subscripts, at)


def _refuse(message: str, text: str, place: int) -> None:
    raise ParseError(pointed(message, text, (place, place + 1)))
