"""The words of explanations: what each means, and text in which they are links."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Mapping

from nacho._pictures.figure import table
from nacho._pictures.svg import element

WORDS = {
    "assemble": "The phase that finds out how many entries the result has, and where "
    "each part puts its own.",
    "balance": "The cost of the most expensive part over the mean cost; 1 is perfect.",
    "compute": "The phase that computes the values of the result.",
    "cost": "What a part has to do, in units of the cost model, such as entries that "
    "are read, or products that are added up.",
    "delta": "The most that one step of the innermost loop can cost. No cut is farther "
    "than that from where the part would have exactly its share.",
    "draft": "A result that parts write without counting its entries first. It is "
    "copied to its place when they are known.",
    "heavy row": "A row that costs more than the share of a part, so that several "
    "parts divide it.",
    "key": "All coordinates of an entry in one number, so that one loop merges lists "
    "of entries.",
    "list": "Entries that one loop writes down for the next one.",
    "model": "The rule by which costs are counted; the option cost= names it.",
    "part": "A piece of the loops. Threads take one part after the other.",
    "partition": "The phase that finds, by binary searches, where each part begins.",
    "pinned": "Fixed when the kernel was made, whatever operands a call has.",
    "plain": "The variant in which nothing is done in a special way.",
    "share": "What each part would cost if all cost the same: the total over the "
    "number of parts.",
    "spread": "The cost of the most expensive part less that of the cheapest one.",
    "tile": "The parts whose threads share the fast memory of a processor of a GPU.",
    "variant": "A way in which a kernel can be compiled. All variants give the same "
    "result; which one runs depends on the operands.",
    "weak": "A number of Python: it takes the type of what it is combined with.",
    "whole row": "A row of the result that is not divided among parts.",
    "workspace": "Memory of a thread, in which it adds up a row of the result.",
}
"""What words mean that explanations do not use as everybody does."""

_WORD = re.compile(rf"\b({'|'.join(WORDS).replace(' ', '[ -]')})(?=s?\b)")


def linked_table(rows: Mapping[str, Iterable[str]]) -> str:
    """Return a table whose words are links, and what they mean below it."""
    used: set[str] = set()

    def link(found: re.Match[str]) -> str:
        word = found[1].replace("-", " ")
        used.add(word)
        meaning = html.escape(WORDS[word])
        return element("a", found[1], href=f"#nacho-{_anchor(word)}", title=meaning)

    def linked(text: str) -> str:
        return _WORD.sub(link, html.escape(text))

    shown = table(rows, linked)
    meanings = [
        element("dt", html.escape(word), id=f"nacho-{_anchor(word)}")
        + element("dd", html.escape(WORDS[word]))
        for word in sorted(used)
    ]
    heading = element("summary", "What the words mean")
    return f"{shown}\n{element('details', heading, element('dl', *meanings))}"


def _anchor(word: str) -> str:
    return word.replace(" ", "-")
