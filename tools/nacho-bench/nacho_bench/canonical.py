"""Brings the results of all peers into one form, and compares them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from nacho_bench.patterns import distinct, linear

_DIGESTS = 1e-11
RELATIVE, ABSOLUTE = 1e-9, 1e-11
"""By how much equal values may differ: relative to the value, and, for all values of a
result, relative to the largest one."""


def places(result: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the place of each entry, as one integer, and its value, in any order.

    ``result`` is a number, a dense array, or coordinates, values and shape.
    """
    if not isinstance(result, tuple):
        values = np.asarray(result, np.float64).reshape(-1)
        keys = np.flatnonzero(values)
        return keys, values[keys]
    coords, values, shape = result
    return linear(tuple(map(np.asarray, coords)), shape), np.asarray(values)


def canonical(result: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the sorted places of entries that are not zero, and their values."""
    keys, values = places(result)
    if not np.all(keys[1:] > keys[:-1]):
        order = np.argsort(keys, kind="stable")
        keys, values = keys[order], values[order]
    kept = values != 0
    if not kept.all():
        keys, values = keys[kept], values[kept]
    return _summed(keys, values)


def digest(result: Any) -> tuple[float, float]:
    """Return the sum of all values, weighted by hashes of their places.

    The second number is the same sum of absolute values.
    """
    keys, values = places(result)
    mixed = keys.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    weighted = values * ((mixed >> np.uint64(40)).astype(np.float64) + 1)
    return float(weighted.sum()), float(np.abs(weighted).sum())


def same_digest(one: Sequence[float], other: Sequence[float]) -> bool:
    """Return whether two digests may be those of results that differ by rounding."""
    return abs(one[0] - other[0]) <= _DIGESTS * max(one[1], other[1])


def _summed(keys: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    first = np.ones(keys.size, bool)
    first[1:] = keys[1:] != keys[:-1]
    if first.all():
        return keys, np.asarray(values, np.float64)
    return keys[first], np.add.reduceat(values, np.flatnonzero(first))


def differ(
    one: tuple[np.ndarray, np.ndarray], other: tuple[np.ndarray, np.ndarray]
) -> str:
    """Return as text how two canonical results differ; empty if they are equal."""
    keys, (a, b) = one[0], (one[1], other[1])
    if not np.array_equal(one[0], other[0]):
        keys = distinct(np.concatenate([one[0], other[0]]))
        a, b = (_at(keys, *each) for each in (one, other))
    # Some semirings have infinities, which have to be the same.
    one_size, other_size = (np.where(np.isinf(e), 0.0, np.abs(e)) for e in (a, b))
    sizes = np.maximum(one_size, other_size)
    allowed = RELATIVE * sizes + ABSOLUTE * sizes.max(initial=0)
    with np.errstate(invalid="ignore"):
        # Written so that NaN counts as different.
        is_near = np.abs(a - b) <= allowed
    wrong = np.flatnonzero(~(is_near | (a == b)))
    if not wrong.size:
        return ""
    place = wrong[0]
    return (
        f"{wrong.size} of {keys.size} entries differ, the first one "
        f"{a[place]:.6g} and {b[place]:.6g}"
    )


def _at(keys: np.ndarray, places: np.ndarray, values: np.ndarray) -> np.ndarray:
    found = np.zeros(keys.size)
    found[np.searchsorted(keys, places)] = values
    return found


def write(path: Path, result: Any) -> None:
    """Write a result in canonical form."""
    keys, values = canonical(result)
    with path.open("wb") as file:
        np.save(file, keys)
        np.save(file, values)


def read(path: Path) -> tuple[np.ndarray, np.ndarray]:
    with path.open("rb") as file:
        return np.load(file), np.load(file)


def majority(
    results: dict[str, Path], preferred: tuple[str, ...]
) -> tuple[str, dict[str, str]]:
    """Return a peer whose result is taken for right, and how other results differ.

    It is the result that most peers agree on. If several results have as many peers,
    the order in ``preferred`` decides.
    """
    groups: list[list[str]] = []
    said: dict[tuple[str, str], str] = {}
    order = sorted(results, key=lambda name: _rank(name, preferred))
    firsts: dict[str, Any] = {}
    for name in order:
        mine = read(results[name])
        for group in groups:
            said[group[0], name] = differ(firsts[group[0]], mine)
            if not said[group[0], name]:
                group.append(name)
                break
        else:
            groups.append([name])
            firsts[name] = mine
    best = max(groups, key=len)
    wrong = {
        name: said.get((best[0], name)) or said.get((name, best[0]), "it differs")
        for group in groups
        if group is not best
        for name in group
    }
    return best[0], wrong


def _rank(name: str, preferred: tuple[str, ...]) -> int:
    return preferred.index(name) if name in preferred else len(preferred)
