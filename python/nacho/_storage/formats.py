"""Formats: a name, or MLIR's own level map, of how a tensor is stored.

A format is a list of levels; each stores one dimension in one way. Names and level
maps are two spellings of the same thing: ``Format("csr")`` equals
``Format("(d0, d1) -> (d0 : dense, d1 : compressed)")``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from operator import index

from nacho._notation.tree import MAX_RANK, LevelParts
from nacho._storage.kinds import level_kind
from nacho._storage.level_kind import LevelKind
from nacho._storage.level_maps import Levels, level_map, parse_map
from nacho.errors import FormatError, UnsupportedError, displayed

_NAMED: dict[str, Levels] = {
    "csr": ((0, "dense"), (1, "compressed")),
    "dcsr": ((0, "compressed"), (1, "compressed")),
    "csc": ((1, "dense"), (0, "compressed")),
    "dcsc": ((1, "compressed"), (0, "compressed")),
    "sparse-vector": ((0, "compressed"),),
}
LISTS: dict[str, tuple[str, str]] = {
    "coo": ("singleton(nonunique, soa)", "singleton(soa)"),
    "coo-interleaved": ("singleton(nonunique)", "singleton"),
}
"""Per format in which entries are listed, the kinds of its singleton levels: the kind
of all singletons but the last, and the kind of the last. Without ``soa``, which is
MLIR's default, one array has the coordinates of all levels, entry by entry."""
_ANY_RANK = (*LISTS, "csf", "dense")
_NONUNIQUE = "compressed(nonunique)"
_SINGLETONS = {kind: name for name, kinds in LISTS.items() for kind in kinds}


class Format:
    """How a tensor is stored: the dimension and the kind of each level.

    A name that fits any rank, such as "coo", has no ``levels``.
    """

    __slots__ = (
        "_hash",
        "compressed",
        "is_dense",
        "is_row_major",
        "is_usual",
        "kinds",
        "level_kinds",
        "levels",
        "name",
        "order",
        "owners",
        "parts",
        "rank",
        "sharing",
        "stored",
    )

    _hash: int
    name: str
    """Its name or, if it has none, its level map."""
    rank: int | None
    """How many dimensions it has, or None if it fits any rank."""
    levels: Levels
    """The dimension and the kind of each level."""
    parts: LevelParts
    """What each level stores of its dimension; empty if all store whole dimensions."""
    order: tuple[int, ...]
    """The dimension of each level."""
    kinds: tuple[str, ...]
    """The kind of each level, as level maps spell it."""
    level_kinds: tuple[LevelKind, ...]
    """What is known of each level by its kind. The fields below follow from it."""
    compressed: tuple[int, ...]
    """The levels that have ``pos``."""
    stored: tuple[int, ...]
    """The levels that store coordinates."""
    sharing: tuple[range, ...]
    """Per level, the levels whose coordinates share one array with this level. The
    array is the ``crd`` of the first of them, and has a column for each of them."""
    owners: tuple[int, ...]
    """The levels that have a ``crd`` of their own."""
    is_dense: bool
    """Whether every level is dense."""
    is_row_major: bool
    """Whether the levels are in the order of the dimensions."""
    is_usual: bool
    """Whether every level stores its coordinates in the usual way."""

    def __init__(self, text: str | Format) -> None:
        if isinstance(text, Format):
            name, rank, levels, parts = text.name, text.rank, text.levels, text.parts
        else:
            name, rank, levels, parts = _resolve(text)
        put = object.__setattr__
        put(self, "name", name)
        put(self, "rank", rank)
        put(self, "levels", levels)
        put(self, "parts", parts)
        put(self, "order", tuple(dimension for dimension, _ in levels))
        put(self, "is_row_major", self.order == (*range(len(levels)),))
        put(self, "kinds", tuple(kind for _, kind in levels))
        known = tuple(level_kind(kind) for _, kind in levels)
        put(self, "level_kinds", known)
        has_pos = (n for n, kind in enumerate(known) if kind.has_pos)
        put(self, "compressed", tuple(has_pos))
        put(self, "is_usual", all(map(_is_usual, known, self.kinds)))
        stored = tuple(n for n, kind in enumerate(known) if not kind.is_full)
        put(self, "stored", stored)
        sharing = _sharing_levels(known)
        put(self, "sharing", sharing)
        put(self, "owners", tuple(n for n in stored if sharing[n][0] == n))
        put(self, "is_dense", not stored if known else name == "dense")
        put(self, "_hash", hash((name, rank, levels, parts)))

    @classmethod
    def of_levels(cls, levels: Levels) -> Format:
        """Return the format that has these ``levels``."""
        return cls(level_map(len(levels), levels))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Format is immutable: cannot set '{name}'")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a Format is immutable: cannot delete '{name}'")

    def __reduce__(self) -> tuple[type[Format], tuple[str]]:
        return (Format, (self.name if self.rank is None else self.level_map(),))

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Format):
            return NotImplemented
        return self.rank == other.rank and (
            self.name == other.name
            if self.rank is None
            else self.levels == other.levels and self.parts == other.parts
        )

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        return f"nacho.Format({self.name!r})"

    def __str__(self) -> str:
        return self.name

    def level_map(self) -> str:
        """Return the level map in MLIR's syntax."""
        if self.rank is None:
            raise FormatError(f"'{self.name}' fits any rank and has no level map")
        return level_map(self.rank, self.levels, self.parts)

    def encoding(self, pos_width: int, crd_width: int) -> str:
        """Return MLIR's encoding; ``pos_width`` and ``crd_width`` are in bits."""
        if self.is_dense:
            return f"#sparse_tensor.encoding<{{ map = {self.level_map()} }}>"
        return (
            f"#sparse_tensor.encoding<{{ map = {self.level_map()}, "
            f"posWidth = {pos_width}, crdWidth = {crd_width} }}>"
        )

    def for_rank(self, rank: int, operand: str | None = None) -> Format:
        """Return the format for a tensor of this rank, or refuse a format of another.

        For a name that fits any rank, the format has the levels that the name stands
        for. Equal formats give the same object, so that comparing them takes no time.
        Messages name the ``operand``.
        """
        subject = "" if operand is None else f"operand '{operand}': "
        if rank > MAX_RANK:
            raise UnsupportedError(
                f"{subject}rank {rank} is not supported (supported: 1 to {MAX_RANK})"
            )
        if self.rank == rank:
            return _shared(self)
        if self.rank is not None:
            message = f"format '{self.name}' is of rank {self.rank}, not of rank {rank}"
            raise FormatError(f"{subject}{message}")
        if rank < 1:
            raise FormatError(f"{subject}a scalar has no format '{self.name}'")
        return _family_format(self.name, rank)

    def in_order(self, order: Sequence[int]) -> Format:
        """Return the format whose levels have the same kinds and store ``order``.

        ``order`` is the dimension of each level. A format whose levels are not in the
        order of the dimensions already, such as csc, cannot be given another order.
        """
        dimensions = tuple(range(len(self.levels)))
        try:
            wanted = tuple([index(dimension) for dimension in order])
        except TypeError:
            wanted = ()
        if tuple(sorted(wanted)) != dimensions:
            shown = ", ".join(map(str, dimensions))
            raise FormatError(
                f"order={displayed(order)}: expected the dimensions ({shown})"
            )
        if self.order not in (dimensions, wanted):
            raise FormatError(
                f"order={displayed(order)}: format '{self.name}' has the order "
                f"{self.order}"
            )
        return self.of_levels((*zip(wanted, self.kinds, strict=True),))

    @property
    def usual(self) -> Format:
        """The format that stores the same coordinates in the usual way."""
        if self.is_usual:
            return self
        kinds = (kind.usual for kind in self.level_kinds)
        levels = tuple(zip(self.order, kinds, strict=True))
        assert self.rank is not None
        return Format(level_map(self.rank, levels, self.parts)).for_rank(self.rank)

    @property
    def whole(self) -> Format:
        """The format that has a level for each dimension, without blocks.

        A dimension is dense there if all of its levels are, and compressed otherwise.
        """
        if not self.parts:
            return self
        sparse = {self.order[level] for level in self.stored}
        kinds = (
            (dimension, "compressed" if dimension in sparse else "dense")
            for dimension in dict.fromkeys(self.order)
        )
        return self.of_levels((*kinds,))

    @property
    def not_packed(self) -> str:
        """Why nothing is converted to the format; empty if that is possible."""
        reasons = (kind.not_packed for kind in self.level_kinds)
        return next(filter(None, reasons), "")

    @property
    def inner_dense(self) -> frozenset[int]:
        """The dimensions of the dense levels behind the last sparse one."""
        return frozenset(self.order[1 + max(self.stored, default=-1) :])

    def require_compiled(self, name: str, role: str = "operand") -> Format:
        """Return the format itself, or refuse one that no kernel can read or make.

        Messages say the ``name`` of the tensor, and its ``role``.
        """
        if self.rank is None:
            return self
        reason = "" if self.rank <= MAX_RANK else f"rank {self.rank}"
        reason = reason or _unsupported_level(self.kinds)
        if self.is_dense and self.parts:
            reason = reason or "no tensor in blocks is dense"
        if role == "result":
            reason = reason or _unsupported_in_results(self.level_kinds)
        if reason:
            raise UnsupportedError(
                f"{role} '{name}': format '{self.name}' is not supported: {reason}"
            )
        return self


@dataclass(frozen=True)
class TensorType:
    """The type of an operand or result of a kernel; the format of a scalar is None."""

    format: Format | None
    dtype: str  # a key of elements.ELEMENTS
    pos_width: int = 32
    crd_width: int = 32

    def __str__(self) -> str:
        return "scalar" if self.format is None else str(self.format)


def known_names() -> tuple[str, ...]:
    """Return the names that ``Format`` understands."""
    return (*_NAMED, *_ANY_RANK)


def _is_usual(kind: LevelKind, text: str) -> bool:
    return kind.usual == text


def _resolve(text: object) -> tuple[str, int | None, Levels, LevelParts]:
    if not isinstance(text, str):
        kind = type(text).__name__
        raise FormatError(f"a format is a name or a level map, not {kind}")
    name = text.lower()
    if name in _ANY_RANK:
        return name, None, (), ()
    if name in _NAMED:
        return name, len(_NAMED[name]), _NAMED[name], ()
    if "->" not in text:
        known = ", ".join(known_names())
        raise FormatError(
            f"unknown format '{text}': expected one of {known}, or a level map such "
            "as '(d0, d1) -> (d0 : dense, d1 : compressed)'"
        )
    rank, levels, parts = parse_map(text)
    name = level_map(rank, levels, parts) if parts else _canonical_name(rank, levels)
    return name, rank, levels, parts


def _canonical_name(rank: int, levels: Levels) -> str:
    for name, named in _NAMED.items():
        if levels == named:
            return name
    for name in _ANY_RANK:
        if levels == _family(name, rank):
            return name
    return level_map(rank, levels)


@lru_cache(maxsize=1024)
def _shared(format: Format) -> Format:
    """Return the same object for all equal formats."""
    return format


@cache
def _family_format(name: str, rank: int) -> Format:
    return _shared(Format.of_levels(_family(name, rank)))


def _family(name: str, rank: int) -> Levels:
    """Return the levels that a name for any rank stands for at one rank."""
    if name == "dense":
        return tuple((n, "dense") for n in range(rank))
    if name == "csf" or rank == 1:
        return tuple((n, "compressed") for n in range(rank))
    return tuple(enumerate(list_kinds(name, rank)))


def list_kinds(name: str, count: int) -> tuple[str, ...]:
    """Return the kinds of ``count`` levels, at least two, that list entries."""
    inner, last = LISTS[name]
    return (_NONUNIQUE, *[inner] * (count - 2), last)


def list_name(kind: str) -> str:
    """Return the name of the format, such as coo, that has singletons of this kind."""
    return _SINGLETONS[kind]


def _sharing_levels(kinds: tuple[LevelKind, ...]) -> tuple[range, ...]:
    """Return, per level, the levels that share one array of coordinates with it."""
    found: list[range] = []
    for level, kind in enumerate(kinds):
        if kind.joins_crd and level:
            levels = range(found[-1][0], level + 1)
            found[levels[0] :] = [levels] * len(levels)
        else:
            found.append(range(level, level + 1))
    return tuple(found)


# --- What is compiled -----------------------------------------------------------------


def _unsupported_in_results(kinds: tuple[LevelKind, ...]) -> str:
    """Return why no kernel makes levels of these kinds; empty if kernels make them."""
    return next(filter(None, (kind.not_in_results for kind in kinds)), "")


def _unsupported_level(kinds: tuple[str, ...]) -> str:
    """Return why no kernel reads levels of these kinds; empty if kernels read them."""
    open_group = False
    if len({list_name(kind) for kind in kinds if kind in _SINGLETONS}) > 1:
        return "either all singletons are 'soa' or none is"
    for kind in kinds:
        known = level_kind(kind)
        if known.unsupported:
            return known.unsupported
        if known.shares_positions is not open_group:
            return (
                f"'{_NONUNIQUE}' needs a singleton behind it"
                if open_group
                else f"a singleton needs '{_NONUNIQUE}' before it"
            )
        open_group = not known.is_unique
    return "the last level of coo is unique" if open_group else ""
