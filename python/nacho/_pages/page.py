"""The page of ``nacho explore``: one file, which needs no other and no network.

What can be read without JavaScript is in the HTML: facts, lattices, pictures, and the
texts of the IR. ``explore.js`` switches between tabs, colours the texts when they are
first shown, marks where in the expression a line comes from, and moves the slider.
"""

from __future__ import annotations

import html
import json
from pathlib import Path

from nacho._pages.explore import Exploration
from nacho._pictures.figure import as_html, framed, table
from nacho._pictures.svg import element

_HERE = Path(__file__).parent
_SAMPLE = (
    "No operands were given: these are random, with the most entries in the first "
    "rows. With files, as in A=a.mtx, the page shows how those are cut."
)


def page_of(found: Exploration) -> str:
    """Return the page."""
    tabs = {
        "overview": _overview(found),
        "lattice": _lattices(found),
        **{name: _code(name, text, "mlir") for name, text in found.stages.items()},
        "assembly": _code("assembly", found.assembly, "asm"),
        "parts": _parts(found),
    }
    style, script = (
        (_HERE / name).read_text(encoding="utf-8")
        for name in ("explore.css", "explore.js")
    )
    title = html.escape(found.expression)
    return "\n".join(
        [
            "<!DOCTYPE html>",
            '<html lang="en">',
            f'<head><meta charset="utf-8"><title>nacho: {title}</title>',
            f"<style>\n{style}</style></head>",
            "<body>",
            element("h1", title, id="expression"),
            element("nav", *map(_button, tabs), role="tablist"),
            *(_panel(name, content) for name, content in tabs.items()),
            f'<script type="application/json" id="data">{_data(found)}</script>',
            f"<script>\n{script}</script>",
            "</body>",
            "</html>",
            "",
        ]
    )


def _button(name: str) -> str:
    return element(
        "button",
        html.escape(name),
        role="tab",
        id=f"tab-{name}",
        aria_controls=f"panel-{name}",
    )


def _panel(name: str, content: str) -> str:
    return element(
        "section",
        content,
        role="tabpanel",
        id=f"panel-{name}",
        aria_labelledby=f"tab-{name}",
    )


def _code(name: str, text: str, language: str) -> str:
    return element(
        "pre", html.escape(text), class_="code", data_stage=name, data_language=language
    )


def _overview(found: Exploration) -> str:
    return table(found.facts)


def _lattices(found: Exploration) -> str:
    return "\n".join(
        framed(each.title, each.svg(), each.caption) for each in found.lattices
    )


def _parts(found: Exploration) -> str:
    note = element("p", _SAMPLE) if found.is_sample else ""
    counts = list(found.cuts)
    slider = element(
        "label",
        "parts ",
        f'<input type="range" id="slider" min="0" max="{len(counts) - 1}" value="0">',
        element("output", str(counts[0]), id="count"),
    )
    costs = [
        element(
            "div",
            as_html([nest.bars for nest in nests]),
            class_="parts",
            data_parts=parts,
            style="" if parts == counts[0] else "display:none",
        )
        for parts, nests in found.cuts.items()
    ]
    patterns = element("div", as_html(found.patterns), class_="patterns")
    return "\n".join([note, slider, patterns, *costs])


def _data(found: Exploration) -> str:
    """Return what the script needs, as JSON that HTML does not end."""
    origins = found.origins
    lines = {
        stage: list(map(origins.of_name, names)) for stage, names in found.lines.items()
    }
    keys = sorted({key for each in lines.values() for key in each if key is not None})
    numbers = {key: number for number, key in enumerate(keys)}
    data = {
        "parts": list(found.cuts),
        "origins": [
            {"text": origins.shown(key), "spans": origins.spans(key)} for key in keys
        ],
        "lines": {
            name: [-1 if key is None else numbers[key] for key in each]
            for name, each in lines.items()
        },
    }
    return json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")
