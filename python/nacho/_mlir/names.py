"""Names of values in the IR, made of those in the text of a statement."""

from __future__ import annotations

import re
from collections.abc import Iterable

from nacho._notation.tree import Assignment


class Names:
    """Distinct MLIR identifiers for the names of the text."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = set(taken)

    def fresh(self, wanted: str) -> str:
        """Return ``wanted`` in ASCII, with a number if that name is taken."""
        base = re.sub(r"[^A-Za-z0-9_]", lambda c: f"u{ord(c[0]):x}", wanted)
        name, number = base, 0
        while name in self._taken:
            number += 1
            name = f"{base}_{number}"
        self._taken.add(name)
        return name


def spelled_indices(assignment: Assignment) -> dict[str, str]:
    """Return, per index, its name in the IR."""
    names = Names()
    return {index: names.fresh(index) for index in assignment.indices}
