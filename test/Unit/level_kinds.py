"""Compares Python's table of the kinds of levels with the compiler's, from stdin."""

import json
import sys

from nacho import Format
from nacho._storage.kinds import PROPERTIES

PARENTS, ENTRIES, EXTENT = 7, 100, 70


def length(array):
    size = array["wordSize"]
    parents = PARENTS * (-(-EXTENT // size) if size else 1)
    scaled = array["perParent"] * parents + array["perEntry"] * ENTRIES
    return scaled + array["extra"]


def described(format, level):
    """Return what Python says of a level, in the compiler's terms."""
    kind = format.level_kinds[level]
    arrays = {}
    if kind.has_pos:
        arrays["pos"] = kind.pos_length(PARENTS, EXTENT)
    if level in format.owners:
        crd = (format.level_kinds[each] for each in format.sharing[level])
        arrays["crd"] = sum(each.crd_length(PARENTS, ENTRIES, EXTENT) for each in crd)
    return kind.is_full, kind.is_unique, kind.shares_positions, arrays


def main():
    words = set()
    *formats, summary = sys.stdin.read().splitlines()
    assert summary.endswith(", 0 failed"), summary
    for line in formats:
        known = json.loads(line)
        format = Format(known["map"])
        words |= {kind.word for kind in format.level_kinds}
        for level, each in enumerate(known["levels"]):
            arrays = {array["name"]: length(array) for array in each["arrays"]}
            found = described(format, level)
            flags = each["isFull"], each["isUnique"], each["sharesPositions"]
            assert found == (*flags, arrays), f"level {level} of {format}: {found}"
    assert words == {*PROPERTIES, "bitmap"}, f"not all kinds are compared: {words}"
    print(f"{len(formats)} formats are alike")


main()
