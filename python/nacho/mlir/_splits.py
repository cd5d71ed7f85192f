"""How the compiler has split the dimensions of a function's tensors, from its text.

The pass ``--nacho-split-blocks`` notes the sizes of the blocks in the signature:

    func.func @f(%A: tensor<?x?x2x2xf64, #sparse> {nacho.blocks = array<i64: 2, 2>}, ...
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from nacho._notation.tree import Part, Split
from nacho._storage.formats import Format

RESULT = ""
"""The key of the result among the names of arguments."""

_ARGUMENT = re.compile(r"%[\w$.-]+: ")
_BLOCKS = re.compile(r"nacho\.blocks = array<i64: ([\d, ]+)>")


def read_splits(
    text: str, names: Sequence[str], formats: Mapping[str, Format | None]
) -> dict[str, Split]:
    """Return how arguments and the result were split, by name.

    ``formats`` are those of the tensors before that.
    """
    header = text.partition("func.func")[2].partition("\n")[0]
    arguments, _, result = header.partition(") -> ")
    starts = [found.start() for found in _ARGUMENT.finditer(arguments)]
    ends = [*starts, len(arguments)][1:]
    texts = {RESULT: result}
    for name, start, end in zip(names, starts, ends, strict=True):
        texts[name] = arguments[start:end]
    found = {name: _BLOCKS.search(each) for name, each in texts.items()}
    return {
        name: _split(formats[name], [int(size) for size in blocks[1].split(",")])
        for name, blocks in found.items()
        if blocks is not None
    }


def _split(format: Format | None, blocks: Sequence[int]) -> Split:
    """Return how a tensor of a format was split, whose dimensions have these blocks."""
    if format is not None and format.parts:
        return Split(format.parts, format.name)
    parts: list[Part] = []
    for dimension, size in enumerate(blocks):
        parts.append(Part(dimension, size))
        if size > 1:
            parts.append(Part(dimension, size, is_inside=True))
    return Split((*parts,))
