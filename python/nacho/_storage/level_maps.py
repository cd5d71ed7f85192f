"""MLIR's level maps as text: ``(d0, d1) -> (d0 : dense, d1 : compressed)``."""

from __future__ import annotations

import re

from nacho._notation.tree import LevelPart, LevelParts
from nacho._storage.kinds import PROPERTIES
from nacho.errors import FormatError, UnsupportedError

Levels = tuple[tuple[int, str], ...]
"""Per level, the dimension that it stores and the kind of the level."""

_FOREIGN_KINDS = frozenset({"batch"})

_MAP = re.compile(r"\s*\(([^()]*)\)\s*->\s*\((.*)\)\s*", re.DOTALL)
_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_LEVEL = re.compile(
    r"\s*([^:]+?)\s*:\s*([a-z_]+)\s*(\[[^\[\]]*\])?\s*(?:\(([^()]*)\))?\s*", re.DOTALL
)
_PART = re.compile(r"(\w+)\s+(floordiv|mod)\s+(\d+)", re.ASCII)
_STRUCTURED = re.compile(r"structured\[(\d+), (\d+)\]")
_SIZES = re.compile(r"\[\s*(\d+)\s*,\s*(\d+)\s*\]")


def parse_map(text: str) -> tuple[int, Levels, LevelParts]:
    """Return the rank, the levels, and what each level stores of its dimension.

    The last is empty if every level stores a whole dimension.
    """
    found = _MAP.fullmatch(text)
    if found is None:
        raise FormatError(f"'{text}' is not a level map '(d0, …) -> (d0 : kind, …)'")
    dimensions = [name.strip() for name in found[1].split(",")]
    for name in dimensions:
        if not _NAME.fullmatch(name) or dimensions.count(name) > 1:
            raise FormatError(f"level map '{text}': bad or repeated dimension '{name}'")
    # A comma inside the parentheses or brackets of a kind does not separate levels.
    texts = re.split(r",(?![^(\[]*[)\]])", found[2])
    parsed = [_parse_level(each, dimensions, text) for each in texts]
    parts = tuple(part for part, _ in parsed)
    _require_each_once(parts, len(dimensions), text)
    levels = tuple((part.dimension, kind) for part, kind in parsed)
    _require_structured_last(levels, parts, text)
    is_split = any(part.size > 1 for part in parts)
    return len(dimensions), levels, parts if is_split else ()


def _require_each_once(parts: LevelParts, rank: int, text: str) -> None:
    """Refuse a dimension that is neither whole nor in blocks of one size."""
    for dimension in range(rank):
        mine = [part for part in parts if part.dimension == dimension]
        size = mine[0].size if mine else 1
        in_blocks = [
            LevelPart(dimension, size),
            LevelPart(dimension, size, is_inside=True),
        ]
        if mine != [LevelPart(dimension)] and (size == 1 or mine != in_blocks):
            message = "each dimension needs exactly one level, or two: the number of a "
            message += "block (floordiv), and the place inside of it (mod)"
            raise FormatError(f"level map '{text}': {message}")


def _require_structured_last(levels: Levels, parts: LevelParts, text: str) -> None:
    """Refuse a level with n of m coordinates where MLIR does not allow it."""
    kinds = [kind for _, kind in levels]
    for number, (kind, part) in enumerate(zip(kinds, parts, strict=True)):
        found = _STRUCTURED.fullmatch(kind)
        if found is None:
            continue
        least, most = int(found[1]), int(found[2])
        message = ""
        if number + 1 < len(kinds):
            message = "has to be the last level"
        elif any(outer != "dense" for outer in kinds[:number]):
            message = "has to be below dense levels only"
        elif least > most:
            message = f"cannot have {least} of {most} coordinates"
        elif part.is_inside and part.size != most:
            message = f"has to be in blocks of {most}, not of {part.size}"
        if message:
            raise FormatError(f"level map '{text}': '{kind}' {message}")


def _parse_level(each: str, dimensions: list[str], text: str) -> tuple[LevelPart, str]:
    found = _LEVEL.fullmatch(each)
    if found is None:
        shown = each.strip()
        raise FormatError(f"level map '{text}': expected 'd0 : kind', found '{shown}'")
    split = _PART.fullmatch(found[1])
    name = split[1] if split else found[1]
    if name not in dimensions:
        if re.search(r"[-+*]|floordiv|mod", name):
            raise UnsupportedError(f"level map '{text}': '{found[1]}' of dimensions")
        raise FormatError(f"level map '{text}': unknown dimension '{name}'")
    part = LevelPart(dimensions.index(name))
    if split:
        part = LevelPart(part.dimension, int(split[3]), is_inside=split[2] == "mod")
    return part, _parse_kind(found[2], found[3], found[4], text)


def _parse_kind(kind: str, sizes: str | None, properties: str | None, text: str) -> str:
    if kind in _FOREIGN_KINDS:
        raise UnsupportedError(f"level map '{text}': levels of kind '{kind}'")
    if kind not in PROPERTIES:
        known = ", ".join(PROPERTIES)
        raise FormatError(f"level map '{text}': unknown kind '{kind}' (known: {known})")
    given = _SIZES.fullmatch(sizes or "")
    if (kind == "structured") is not (given is not None):
        raise FormatError(f"level map '{text}': expected 'structured[n, m]'")
    if given is not None:
        kind = f"structured[{int(given[1])}, {int(given[2])}]"
    if properties is None:
        return kind
    names = {name.strip() for name in properties.split(",")}
    wrong = names - PROPERTIES[kind.partition("[")[0]]
    if wrong:
        shown = ", ".join(sorted(wrong))
        raise FormatError(f"level map '{text}': '{kind}' cannot be '{shown}'")
    return f"{kind}({', '.join(sorted(names))})"


def level_map(rank: int, levels: Levels, parts: LevelParts = ()) -> str:
    """Return the text of a level map."""
    dimensions = ", ".join(f"d{n}" for n in range(rank))
    whole = tuple(LevelPart(dimension) for dimension, _ in levels)
    stored = ", ".join(
        f"{_shown(part)} : {kind}"
        for part, (_, kind) in zip(parts or whole, levels, strict=True)
    )
    return f"({dimensions}) -> ({stored})"


def _shown(part: LevelPart) -> str:
    if part.size == 1:
        return f"d{part.dimension}"
    return f"d{part.dimension} {'mod' if part.is_inside else 'floordiv'} {part.size}"
