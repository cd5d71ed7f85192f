"""The checks of the extension, against their definition on small random arrays."""

import itertools

import numpy as np
import pytest

from nacho import _nacho


def first_violation(pos, crds, extents):
    """Return the first wrong tuple, the level that shows it, and what is wrong."""
    for begin, end in itertools.pairwise(pos):
        last = None
        for place in range(begin, end):
            entry = tuple(int(crd[place]) for crd in crds)
            for level, coordinate in enumerate(entry):
                if not 0 <= coordinate < extents[level]:
                    return place, level, "range"
            if last is not None and entry <= last:
                pairs = zip(entry, last, strict=True)
                falls = [
                    level for level, (one, other) in enumerate(pairs) if one < other
                ]
                if entry == last:
                    return place, len(entry) - 1, "duplicate"
                return place, falls[0], "order"
            last = entry
    return -1, -1, ""


@pytest.mark.parametrize("pos_type", [np.int32, np.int64])
@pytest.mark.parametrize("crd_type", [np.int32, np.int64])
@pytest.mark.parametrize("levels", [1, 2, 3])
def test_tuples(levels, crd_type, pos_type):
    rng = np.random.default_rng(levels)
    found = set()
    for _ in range(300):
        count = rng.integers(0, 7)
        cuts = np.sort(rng.integers(0, count + 1, rng.integers(0, 3)))
        pos = np.array([0, *cuts, count], pos_type)
        extents = rng.integers(2, 4, levels).tolist()
        entries = rng.integers(-(rng.random() < 0.2), 3, (count, levels))
        ordered = entries[np.lexsort(entries.T[::-1])]
        entries = ordered if rng.random() < 0.8 else entries
        crds = [np.array(column, crd_type) for column in entries.T]
        expected = first_violation(pos, crds, extents)
        found.add(expected[2])
        assert _nacho.check_tuples(pos, crds, extents) == expected
        columns = [*np.array(entries, crd_type).reshape(-1, levels).T]
        assert _nacho.check_tuples(pos, columns, extents) == expected
        if levels == 1:
            place, why = _nacho.check_coordinates(pos, crds[0], extents[0])
            assert (place, why) == (expected[0], expected[2])
    assert found == {"", "range", "order", "duplicate"}


def sorted_entries(rng, count, levels, crd_type):
    """Return many fibers with sorted entries, some empty, and one of them long."""
    cuts = np.sort(rng.integers(0, count // 2, count // 4))
    pos = np.array([0, *cuts, count])
    ranks = np.cumsum(rng.integers(1, 3, count))
    ranks -= np.repeat(ranks[np.minimum(pos[:-1], count - 1)], np.diff(pos))
    extents = (int((2 * count) ** (1 / levels)) + 1,) * levels
    return pos, np.stack(np.unravel_index(ranks, extents), 1).astype(crd_type), extents


def check_faults(places, count, levels, crd_type, *, is_joined=False):
    """Check that a fault is found at each of the places."""
    rng = np.random.default_rng(levels)
    pos, entries, extents = sorted_entries(rng, count, levels, crd_type)
    begins = set(pos.tolist())

    def found(entries):
        crds = list(entries.T if is_joined else np.ascontiguousarray(entries.T))
        return _nacho.check_tuples(pos, crds, [*extents], 3)

    assert found(entries) == (-1, -1, "")
    for place in places:
        level = int(rng.integers(levels))
        for wrong in (-1, extents[level]):
            faulty = entries.copy()
            faulty[place, level] = wrong
            assert found(faulty) == (place, level, "range")
        if place in begins or place - 1 in begins:
            continue
        faulty = entries.copy()
        faulty[place] = entries[place - 1]
        assert found(faulty) == (place, levels - 1, "duplicate")
        faulty[place] = entries[place - 2]
        assert found(faulty)[::2] == (place, "order")


@pytest.mark.parametrize("is_joined", [False, True])
@pytest.mark.parametrize("crd_type", [np.int32, np.int64])
@pytest.mark.parametrize("levels", [1, 2, 3, 4])
def test_a_fault_is_found_wherever_it_is(levels, crd_type, is_joined):
    """Entries are checked in blocks."""
    count = 9_000
    places = [1023, 1024, 1025, count // 2, count - 2, count - 1]
    places += np.random.default_rng(levels).integers(1, count, 20).tolist()
    check_faults(places, count, levels, crd_type, is_joined=is_joined)


@pytest.mark.parametrize("levels", [1, 2])
def test_a_fault_is_found_by_any_thread(levels):
    count = 1 << 20
    places = [count // 7, count // 3, count // 3 + 1, 2 * count // 3, count - 1]
    check_faults(places, count, levels, np.int32)


@pytest.mark.parametrize("crd_type", [np.int32, np.int64])
@pytest.mark.parametrize("extent", [0, 1, 2**31 - 1, 2**31, 2**33, 2**62])
def test_extents_at_the_ends_of_types(extent, crd_type):
    """An extent may be larger than any coordinate of its type."""
    pos, largest = np.array([0, 1]), int(np.iinfo(crd_type).max)
    for coordinate in {-1, 0, min(extent, largest), min(extent - 1, largest)}:
        crd = np.array([coordinate], crd_type)
        expected = (-1, "") if 0 <= coordinate < extent else (0, "range")
        assert _nacho.check_coordinates(pos, crd, extent) == expected
        pair = _nacho.check_tuples(pos, [crd, crd], [extent, extent])
        assert (pair[0], pair[2]) == expected
