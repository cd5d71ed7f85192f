"""Warnings of what is valid, but may not be meant."""

from __future__ import annotations

import sys
import warnings
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from nacho._notation.parser import parse
from nacho._notation.tree import Access, Assignment, postorder
from nacho._notation.written_out import doubt
from nacho.errors import NachoWarning, Span, pointed

_PACKAGE = str(Path(__file__).parents[1])
_expected: set[str] = set()
_warned: set[str] = set()
_MOST_WARNED = 10_000


def expect_sums(text: str) -> None:
    """Take all sums of a text for meant, wherever an index is used.

    The indices of its result were given, and all others are summed over.
    """
    if len(_expected) < _MOST_WARNED:
        _expected.add(text)


def warn_of_sums(assignment: Assignment) -> None:
    """Warn, once for each text, of sums over indices that may not be meant so.

    That is a sum over an index that is used in one place only, which no ``+=`` and no
    ``sum(j, …)`` says to be meant; and one whose value would be another one if it were
    written further inside of its term. Under a semiring, only the former is looked for.
    """
    text = assignment.text
    if not assignment.reduced or text in _warned or len(_warned) >= _MOST_WARNED:
        return
    message = None if assignment.semiring else _doubt_of(text)
    if message is None and text not in _expected:
        message = _single_indices(text)
    if message is not None:
        _warned.add(text)
        warn(message)


def warn(message: str) -> None:
    """Warn whoever has called this package, in their line."""
    warnings.warn(message, NachoWarning, stacklevel=_outside())


@lru_cache(maxsize=512)
def _doubt_of(text: str) -> str | None:
    """Return a warning of a sum that may be meant to be further inside."""
    found = doubt(text)
    if found is None:
        return None
    indices = [repr(index) for index in found.summed]
    message = (
        f"{_named(indices)} {_of(indices, 'is', 'are')} summed over last, after "
        f"everything else in this term: write sum({', '.join(found.summed)}, …) where "
        f"{_of(indices, 'it is', 'they are')} meant"
    )
    return (
        f"{pointed(message, text, found.span)}\n"
        f"So it is computed for each {_listed(indices)}, and the results are summed:\n"
        f"  {found.meaning}\n"
        "This sums first, and computes the rest once:\n"
        f"  {found.alternative}"
    )


@lru_cache(maxsize=512)
def _single_indices(text: str) -> str | None:
    """Return a warning of indices that are summed over and used in one place only."""
    assignment = parse(text)
    if assignment.text[slice(*assignment.reduction_span)] != "=":
        return None
    found = _used_once(assignment)
    if not found:
        return None
    names = [repr(index) for _, indices in found for index in indices]
    sums = _listed([f"sum({', '.join(indices)}, …)" for _, indices in found])
    message = (
        f"{_named(names)} {_of(names, 'is', 'are')} summed over, and nothing else has "
        f"{_of(names, 'it', 'them')}: write {sums}, or += in place of =, if that is "
        "meant"
    )
    return pointed(message, text, found[0][0])


def _used_once(assignment: Assignment) -> list[tuple[Span, list[str]]]:
    """Return the places of accesses with indices that nothing else has, and these."""
    bound = {index for node in assignment.nested for index in node.indices}
    kept = bound.union(assignment.result.indices)
    accesses = [n for n in postorder(assignment.expr) if isinstance(n, Access)]
    used = Counter(index for access in accesses for index in access.indices)
    found = [
        (access.span, [i for i in access.variables if used[i] == 1 and i not in kept])
        for access in accesses
    ]
    return [(span, indices) for span, indices in found if indices]


def _named(indices: Sequence[str]) -> str:
    return f"{_of(indices, 'index', 'indices')} {_listed(indices)}"


def _of(words: Sequence[str], one: str, several: str) -> str:
    return one if len(words) == 1 else several


def _listed(words: Sequence[str]) -> str:
    before = ", ".join(words[:-1])
    return f"{before} and {words[-1]}" if before else words[-1]


def _outside() -> int:
    """Return the ``stacklevel`` for ``warn`` of the first caller outside."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back and frame.f_code.co_filename.startswith(_PACKAGE):
        level, frame = level + 1, frame.f_back
    return level
