"""The loops of the IR, read from its text: what each visits, and of which operands.

The merge expression of a loop says at which coordinates it runs its body. It is the
compiler's own, as the stage ``loops`` prints it:

    nacho.coiterate %i of (%A1 = %A0 : !fiber, %B1 = %B0 : !fiber) in union(%A1, %B1) {
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

Point = frozenset[str]
"""Operands that have an entry at a coordinate."""

_MOST_POINTS = 256
"""The most lowest points of a lattice that are found out."""

_FUNCTION = re.compile(r"func\.func (?:private )?@(\w+)")
_ROOT = re.compile(r"%(\w+) = nacho\.root %(\w+)")
_LOOP = re.compile(r"^( *)(?:%[\w:]+ = )?nacho\.coiterate %(\w+)(.*)$")
_INDEX_NAME = re.compile(r'index_name = "(\w+)"')
_ENCODING = re.compile(r"#(\w+) = #sparse_tensor\.encoding<\{ map = .* -> \((.*?)\), ")
_LEVEL = re.compile(r"d\d+ : (\w+)")
_FIBER = re.compile(r"!(\w+) = !nacho\.fiber<tensor<[^#]*#(\w+)>, (\d+)")
_BINDING = re.compile(r"%(\w+) = %(\w+) : !(\w+)")
_TYPED = re.compile(r"%(\w+) : ")
_AFTER_MERGE = re.compile(r" nonempty\(| between | iter_args| \{")
_TOKEN = re.compile(r"%(\w+)|(union|intersect)\(|\)|,")


@dataclass(frozen=True, eq=False)
class Loop:
    """A loop over the coordinates of several fibers."""

    function: str
    index: str
    depth: int
    """How many loops are around it."""
    operands: tuple[str, ...]
    """The operands that it merges, in the order of the IR."""
    merge: str
    """The merge expression, with operands in place of fibers."""
    full: Point
    """The operands that have every coordinate, since their level is dense."""
    lowest: tuple[Point, ...] | None
    """The smallest sets of operands whose entries make the loop visit a coordinate.

    A loop that visits every coordinate has one, the empty set. None says that there are
    too many of them.
    """


def loops_of(text: str) -> list[Loop]:
    """Return the loops of a module in which no loop has been lowered, from outside."""
    reader = _Reader()
    for line in text.splitlines():
        reader.read(line)
    return reader.loops


@dataclass
class _Reader:
    loops: list[Loop] = field(default_factory=list)
    function: str = ""
    fibers: dict[str, str] = field(default_factory=dict)
    """The operands of fibers, by the names of values in this function."""
    encodings: dict[str, list[str]] = field(default_factory=dict)
    """The kinds of the levels of tensors, by the names of their encodings."""
    dense: set[str] = field(default_factory=set)
    """The names of the types of fibers whose coordinates are dense."""
    indents: list[int] = field(default_factory=list)
    """How far the loops around are indented."""

    def read(self, line: str) -> None:
        if found := _FUNCTION.search(line):
            self.function = found[1]
            self.fibers = {}
        elif found := _ROOT.search(line):
            taken = list(self.fibers.values()).count(found[2])
            self.fibers[found[1]] = f"{found[2]}#{taken + 1}" if taken else found[2]
        elif found := _LOOP.match(line):
            self._open(len(found[1]), found[2], found[3])
        elif found := _ENCODING.match(line):
            self.encodings[found[1]] = _LEVEL.findall(found[2])
        elif found := _FIBER.match(line):
            levels = self.encodings.get(found[2], [])[int(found[3]) :]
            self.dense |= {found[1]} if levels[:1] == ["dense"] else set()

    def _open(self, indent: int, coordinate: str, rest: str) -> None:
        before, _, after = rest.partition(" in ")
        merge = _AFTER_MERGE.split(after, maxsplit=1)[0]
        named = _INDEX_NAME.search(after)
        of, _, given = before.partition(" given ")
        bound = _BINDING.findall(of)
        for child, parent, _ in bound:
            self.fibers[child] = self._operand(parent)
        fibers = [child for child, _, _ in bound] + _TYPED.findall(given)
        full = {self._operand(child) for child, _, type in bound if type in self.dense}
        self.indents = [outer for outer in self.indents if outer < indent]
        loop = Loop(
            self.function,
            named[1] if named else coordinate,
            len(self.indents),
            tuple(dict.fromkeys(self._operand(fiber) for fiber in fibers)),
            re.sub(r"%(\w+)", lambda found: self._operand(found[1]), merge),
            Point(full),
            self._lowest(merge),
        )
        self.loops.append(loop)
        self.indents.append(indent)

    def _operand(self, fiber: str) -> str:
        """Return the operand of a fiber; one that no root leads to has its own name."""
        return self.fibers.get(fiber, fiber)

    def _lowest(self, merge: str) -> tuple[Point, ...] | None:
        """Return the lowest points of the lattice of a merge expression."""
        stack: list[tuple[str, list[list[Point]]]] = [("union", [])]
        for token in _TOKEN.finditer(merge):
            if token[1]:
                stack[-1][1].append([Point({self._operand(token[1])})])
            elif token[2]:
                stack.append((token[2], []))
            elif token[0] == ")":
                kind, inner = stack.pop()
                joined = united(inner) if kind == "union" else intersected(inner)
                if joined is None:
                    return None
                stack[-1][1].append(joined)
        return tuple(united(stack[0][1]))


# --- Lattices -------------------------------------------------------------------------


def united(terms: Iterable[Sequence[Point]]) -> list[Point]:
    """Return the lowest points of a union of lattices, given theirs."""
    return _minimal(point for term in terms for point in term)


def intersected(factors: Iterable[Sequence[Point]]) -> list[Point] | None:
    """Return the lowest points of an intersection of lattices, given theirs.

    A product of sums may have any number of them; None says that they are too many.
    """
    found = [Point()]
    for factor in factors:
        found = _minimal(one | other for one in found for other in factor)
        if len(found) > _MOST_POINTS:
            return None
    return found


def _minimal(points: Iterable[Point]) -> list[Point]:
    """Return the points that contain no other point, in their order."""
    distinct = list(dict.fromkeys(points))
    return [one for one in distinct if not any(other < one for other in distinct)]
