"""The table of the kinds of levels.

This is the table of the compiler (``lib/Levels``) once more, since tensors are looked
at before the compiler is loaded; ``test/Unit/level-kinds.test`` compares the two.
"""

from __future__ import annotations

from functools import cache

from nacho._storage.bitmap import BitmapKind
from nacho._storage.level_kind import LevelKind
from nacho._storage.loose import LooseKind
from nacho._storage.structured import StructuredKind

PROPERTIES = {
    "dense": frozenset[str](),
    "compressed": frozenset({"nonunique", "nonordered"}),
    "loose_compressed": frozenset({"nonunique", "nonordered"}),
    "singleton": frozenset({"nonunique", "nonordered", "soa"}),
    "structured": frozenset(),
}
"""Per word, the properties that MLIR allows."""
_CLASSES = {"loose_compressed": LooseKind}
"""The classes of the kinds that do not store coordinates in the usual way."""


@cache
def level_kind(text: str) -> LevelKind:
    """Return what is known of a kind, which is written as in MLIR's level maps."""
    if text.startswith("structured"):
        return _structured(text)
    word, _, listed = text.rstrip(")").partition("(")
    properties = set(listed.split(", ")) if listed else set()
    assert properties <= PROPERTIES[word]
    is_singleton = word == "singleton"
    return _CLASSES.get(word, LevelKind)(
        word,
        text.removeprefix("loose_"),
        is_full=word == "dense",
        has_pos=word not in ("dense", "singleton"),
        shares_positions=is_singleton,
        joins_crd=is_singleton and "soa" not in properties,
        is_unique="nonunique" not in properties,
        is_ordered="nonordered" not in properties,
    )


def _structured(text: str) -> LevelKind:
    count, size = map(int, text[len("structured[") : -1].split(", "))
    if count:
        return StructuredKind("structured", "compressed", per_parent=count)
    return BitmapKind("bitmap", "compressed", has_pos=True, word_size=size)
