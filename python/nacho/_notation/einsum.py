"""From NumPy's subscripts of einsum to an assignment in the notation."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from string import ascii_letters
from typing import Any

import numpy as np

from nacho._notation.symbols import fresh_names, result_name
from nacho.errors import ArgumentError, ParseError, ShapeError, pointed


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
    if "..." in subscripts:
        subscripts = _written_out(subscripts, [*map(_rank, operands)])
    text, names = _spelled(subscripts, *which)
    return text, {name: operands[n] for name, n in names.items()}


@functools.lru_cache(maxsize=256)
def _spelled(subscripts: str, *which: int) -> tuple[str, dict[str, int]]:
    """Return the assignment, and for each name in it, the number of an operand.

    ``which`` has, for each operand, the number of the first that is the same object.
    """
    inputs, left = _parsed(subscripts)
    _require_count(subscripts, inputs, len(which))
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


def _require_count(subscripts: str, inputs: Sequence[str], count: int) -> None:
    if len(inputs) != count:
        raise ArgumentError(
            f"einsum: {count} operands given, but '{subscripts}' has {len(inputs)}"
        )


def _rank(operand: Any) -> int:
    return (
        len(shape) if (shape := getattr(operand, "shape", None)) else np.ndim(operand)
    )


def _written_out(subscripts: str, ranks: Sequence[int]) -> str:
    """Return subscripts with letters for each ellipsis, aligned at the last of them.

    As in NumPy, it stands for all dimensions of an operand that have no letter, and
    comes first in a result that is not written.
    """
    left, arrow, right = subscripts.partition("->")
    inputs = left.split(",")
    _require_count(subscripts, inputs, len(ranks))
    unused = [letter for letter in ascii_letters if letter not in subscripts]
    counts = [
        rank - sum(map(str.isalpha, each)) if "..." in each else 0
        for each, rank in zip(inputs, ranks, strict=True)
    ]
    most = max(counts)
    if min(counts) < 0 or most > len(unused):
        number = counts.index(min(counts)) if min(counts) < 0 else counts.index(most)
        raise ShapeError(
            f"einsum: operand {number} is of rank {ranks[number]}, and has the indices "
            f"'{inputs[number].strip()}'"
        )
    letters = "".join(unused[:most])
    if not arrow:
        right = "..." + _once(left.replace("...", "").replace(",", ""))
    elif most and "..." not in right:
        _refuse("einsum: the result lacks the ellipsis", subscripts, len(left))
    inputs = [
        each.replace("...", letters[most - count :], 1)
        for each, count in zip(inputs, counts, strict=True)
    ]
    return f"{','.join(inputs)}->{right.replace('...', letters, 1)}"


def _access(name: str, indices: str) -> str:
    return f"{name}[{','.join(indices)}]" if indices else name


def _parsed(subscripts: str) -> tuple[list[str], str]:
    """Return the indices of the operands and those of the result."""
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
