"""Operands that a statement accesses several times, each time under another name.

Then each access is cut as if it were to an operand of its own. All are the same pieces.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace
from itertools import count

from nacho._notation.parser import parse
from nacho._notation.tree import Access, AccessKey, Assignment, postorder
from nacho.errors import Span

_NAME = re.compile(r"\w+")


def named_apart(
    assignment: Assignment, names: Collection[str]
) -> tuple[Assignment, dict[str, Access]]:
    """Return a statement with a name for each access to some operands.

    Also return which accesses have the new names: all but the first to each operand.
    """
    found = _new_names(assignment, names)
    if not found or assignment.splits:
        return assignment, {}
    text = assignment.text
    nodes = [node for node in postorder(assignment.expr) if isinstance(node, Access)]
    spans = {node.span: found.get(node.key) for node in nodes}
    for (begin, end), name in sorted(spans.items(), reverse=True):
        written = _NAME.search(text, begin, end)
        if name is not None and written is not None:
            text = f"{text[: written.start()]}{name}{text[written.end() :]}"
    made = replace(parse(text), semiring=assignment.semiring)
    renamed = {
        found[access.key]: access
        for access in assignment.accesses
        if access.key in found
    }
    return replace(made, extents=assignment.extents), renamed


def _new_names(assignment: Assignment, names: Collection[str]) -> dict[AccessKey, str]:
    """Return names that nothing else has, by operands and indices of accesses.

    Accesses that are written in one place, as those that ``argmax`` stands for, share a
    name. Where a place would need two names, there are none.
    """
    taken = {*assignment.indices, *assignment.operands, assignment.result.name}
    written: dict[AccessKey, set[Span]] = {}
    for node in postorder(assignment.expr):
        if isinstance(node, Access):
            written.setdefault(node.key, set()).add(node.span)
    seen: set[str] = set()
    found: dict[AccessKey, str] = {}
    there: dict[Span, str] = {}
    for access in assignment.accesses:
        if access.name not in names:
            continue
        places = written[access.key]
        known = {there[place] for place in places if place in there}
        if len(known) > 1:
            return {}
        name = access.name
        if known:
            name = known.pop()
        elif access.name in seen:
            name = _fresh(access.name, taken)
            taken.add(name)
        if name != access.name:
            found[access.key] = name
        there |= dict.fromkeys(places, name)
        seen.add(access.name)
    return found


def _fresh(name: str, taken: Collection[str]) -> str:
    return next(new for n in count(2) if (new := f"{name}_{n}") not in taken)
