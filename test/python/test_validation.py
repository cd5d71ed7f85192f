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
