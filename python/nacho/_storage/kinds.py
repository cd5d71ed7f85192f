"""The kinds of levels: which arrays a level has, and how long they are.

This is the table of the compiler (``lib/Levels``) once more, since tensors are looked
at before the compiler is loaded; ``test/Unit/level-kinds.test`` compares the two.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True)
class LevelKind:
    """What is known of a level by its kind, which is a word with properties.

    A level with ``parents`` positions above it and ``entries`` positions of its own has
    ``pos_length(parents)`` elements in ``pos`` and ``crd_length(entries)`` in ``crd``.
    """

    word: str
    is_full: bool = False
    """Whether every parent has a child at every coordinate, so that nothing is stored.
    Any other level stores the coordinate of each position."""
    has_pos: bool = False
    """Whether an array says where the children of each parent begin."""
    has_gaps: bool = False
    """Whether that array also says where they end, since there may be gaps."""
    per_parent: int | None = None
    """How many children every parent has; None if that is stored, or the extent."""
    shares_positions: bool = False
    """Whether every parent has one child, which has the same position."""
    joins_crd: bool = False
    """Whether the coordinates are a column of the array of the level above."""
    is_unique: bool = True
    """Whether a parent has each coordinate at most once."""
    is_ordered: bool = True
    """Whether the children of a parent are in the order of their coordinates."""

    def pos_length(self, parents: int) -> int:
        if self.has_gaps:
            return 2 * parents
        return parents + 1 if self.has_pos else 0

    def crd_length(self, entries: int) -> int:
        return 0 if self.is_full else entries


PROPERTIES = {
    "dense": frozenset[str](),
    "compressed": frozenset({"nonunique", "nonordered"}),
    "loose_compressed": frozenset({"nonunique", "nonordered"}),
    "singleton": frozenset({"nonunique", "nonordered", "soa"}),
    "structured": frozenset(),
}
"""Per word, the properties that MLIR allows."""


@cache
def level_kind(text: str) -> LevelKind:
    """Return what is known of a kind, which is written as in MLIR's level maps."""
    if text.startswith("structured"):
        return LevelKind("structured", per_parent=int(text[11:].partition(",")[0]))
    word, _, listed = text.rstrip(")").partition("(")
    properties = set(listed.split(", ")) if listed else set()
    assert properties <= PROPERTIES[word]
    if word == "dense":
        return LevelKind(word, is_full=True)
    is_singleton = word == "singleton"
    return LevelKind(
        word,
        has_pos=not is_singleton,
        has_gaps=word == "loose_compressed",
        shares_positions=is_singleton,
        joins_crd=is_singleton and "soa" not in properties,
        is_unique="nonunique" not in properties,
        is_ordered="nonordered" not in properties,
    )
