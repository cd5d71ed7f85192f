"""Which functions of a kernel let the threads of a GPU share memory."""

from __future__ import annotations

import re

_FUNCTION = re.compile(r"^ *func\.func (?:private )?@(\w+)", re.MULTILINE)
_TILE = re.compile(r"= nacho\.tile .* by (\d+)")
_SHARED = re.compile(r"memref<(\d+)xi8, #gpu\.address_space<workgroup>>")


def described(ir: str, lowered: str) -> list[str]:
    """Tell from the IR of stage ``tile`` which functions do tiles, and which do not.

    The IR of stage ``gpu`` says how much memory threads share.
    """
    together: list[str] = []
    alone: list[str] = []
    parts = ""
    _, *pieces = _FUNCTION.split(ir)
    for name, body in zip(pieces[::2], pieces[1::2], strict=True):
        if "nacho.parallel" not in body:
            continue
        tile = _TILE.search(body)
        (together if tile else alone).append(name)
        parts = tile[1] if tile else parts
    lines = []
    if together:
        shared = max(map(int, _SHARED.findall(lowered)), default=0)
        names = ", ".join(together)
        lines.append(f"{parts} parts share {shared} bytes of a block: {names}")
    if alone:
        lines.append(f"a thread for each part, alone: {', '.join(alone)}")
    if not together:
        lines.append("choices={'tile': 32} lets 32 parts share the memory of a block")
    return lines
