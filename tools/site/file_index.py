"""A generated page: every file of the code, with the title it begins with."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

_FOLDERS = ("include", "lib", "python", "tools/nacho-opt", "tools/nacho-plugin")
_BANNER = re.compile(r"/[/*]===- \S+ - (.+?)\s*-*(?:\*- \S+ -\*-?)?===[/*\\]")


def page() -> str:
    """Return the page: a table for each folder."""
    text = [
        "# Every file\n",
        "Each file begins with a line that says what is in it. Where to begin is said "
        "in `CONTRIBUTING.md`.\n",
    ]
    before = None
    for path in files():
        if path.parent != before:
            before = path.parent
            text.append(f"\n## `{before.relative_to(ROOT)}`\n\n| File | |\n|---|---|")
        text.append(f"| `{path.name}` | {title(path)} |")
    return "\n".join(text) + "\n"


def files() -> Iterator[Path]:
    """Yield the files of the compiler, of what runs kernels, and of the package."""
    suffixes = {".h", ".td", ".def", ".cpp", ".py"}
    for folder in _FOLDERS:
        found = (p for p in (ROOT / folder).rglob("*") if p.suffix in suffixes)
        yield from sorted(found, key=lambda path: (path.parent, path.name))


def title(path: Path) -> str:
    """Return the title of a file; raise ``ValueError`` if it has none."""
    text = path.read_text()
    if path.suffix == ".py":
        found = (ast.get_docstring(ast.parse(text)) or "").partition("\n")[0]
        found = found.removesuffix(".")
    else:
        banner = _BANNER.match(text)
        found = banner[1] if banner else ""
    if not found:
        raise ValueError(f"{path.relative_to(ROOT)} does not say what is in it")
    return found.replace("|", "\\|")
