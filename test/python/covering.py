"""Samples of the cases of a parametrised test that leave nothing out on its own.

A test over formats, types and widths has a case for each combination. What the compiler
does rarely depends on all of them at once: a fault shows with one value, or with a pair
of values. So a test that is marked ``each_value`` runs, unless all cases are asked for,
on as few cases as are found to have every value of every parameter, and one that is
marked ``each_pair`` on cases that have every pair of values of two parameters.
"""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Mapping, Sequence
from zlib import crc32

SIZES = {"each_value": 1, "each_pair": 2}
"""How many values there are in what has to be covered, by the name of the mark."""

Case = Mapping[str, Hashable]


def combinations_of(case: Case, size: int) -> set[tuple[tuple[str, Hashable], ...]]:
    """Return all combinations of so many values that a case has.

    If it has fewer parameters, all its values are one combination.
    """
    values = sorted(case.items(), key=lambda item: item[0])
    return {*itertools.combinations(values, min(size, len(values)))}


def covering(cases: Sequence[Case], names: Sequence[str], size: int) -> set[int]:
    """Return the numbers of cases that together have all combinations of some size.

    Those that add most come first. Among those that add as much, a digest of the names
    decides: so the choice is the same each time, and values are mixed.
    """
    order = sorted(range(len(cases)), key=lambda n: crc32(names[n].encode()))
    wanted = {n: combinations_of(cases[n], size) for n in order}
    covered: set[tuple[tuple[str, Hashable], ...]] = set()
    kept: set[int] = set()
    for least in range(max(map(len, wanted.values()), default=0), 0, -1):
        for number in order:
            if len(wanted[number] - covered) >= least:
                covered |= wanted[number]
                kept.add(number)
    return kept
