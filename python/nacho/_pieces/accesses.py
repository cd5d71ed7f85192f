"""Operands that a statement accesses several times, each time under another name.

Then each access is cut as if it were to an operand of its own. All are the same pieces.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace

from nacho._notation.parser import parse
from nacho._notation.tree import Access, AccessKey, Assignment, postorder

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
    """Return names that nothing else has, by operands and indices of accesses."""
    taken = {*assignment.indices, *assignment.operands, assignment.result.name}
    seen: set[str] = set()
    found: dict[AccessKey, str] = {}
    for access in assignment.accesses:
        if access.name in names and access.name in seen:
            number = 2
            while f"{access.name}_{number}" in taken:
                number += 1
            name = f"{access.name}_{number}"
            found[access.key] = name
            taken.add(name)
        seen.add(access.name)
    return found
