"""Warnings of what is valid, but may not be meant."""

from __future__ import annotations

import sys
import warnings
from collections import Counter
from functools import lru_cache
from pathlib import Path

from nacho._notation.tree import Access, Assignment, postorder
from nacho.errors import NachoWarning, pointed

_PACKAGE = str(Path(__file__).parents[1])
_warned: set[str] = set()
_MOST_WARNED = 10_000


def expect_sums(text: str) -> None:
    """Never warn of a text: its indices were given, and all others are summed."""
    if len(_warned) < _MOST_WARNED:
        _warned.add(text)


def warn_of_single_indices(assignment: Assignment) -> None:
    """Warn, once for each text, of an index that is summed and used in one place only.

    Only ``=`` sums without saying so: ``+=`` and ``sum(j, …)`` are meant.
    """
    text, single = assignment.text, _single_index(assignment)
    if single is None or text in _warned or len(_warned) >= _MOST_WARNED:
        return
    _warned.add(text)
    index, access = single
    message = (
        f"index '{index}' is summed over, and nothing else has it: write "
        f"sum({index}, …), or += in place of =, if that is meant"
    )
    warn(pointed(message, text, access.span))


def warn(message: str) -> None:
    """Warn whoever has called this package, in their line."""
    warnings.warn(message, NachoWarning, stacklevel=_outside())


@lru_cache(maxsize=512)
def _single_index(assignment: Assignment) -> tuple[str, Access] | None:
    if (
        not assignment.reduced
        or assignment.text[slice(*assignment.reduction_span)] != "="
    ):
        return None
    bound = {index for node in assignment.nested for index in node.indices}
    accesses = [n for n in postorder(assignment.expr) if isinstance(n, Access)]
    used = Counter(index for access in accesses for index in access.indices)
    for access in accesses:
        for index in access.indices:
            kept = index in assignment.result.indices or index in bound
            if used[index] == 1 and not kept:
                return index, access
    return None


def _outside() -> int:
    """Return the ``stacklevel`` for ``warn`` of the first caller outside."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back and frame.f_code.co_filename.startswith(_PACKAGE):
        level, frame = level + 1, frame.f_back
    return level
