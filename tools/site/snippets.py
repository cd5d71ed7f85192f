"""Executes the snippets of the pages of the site, and checks what they print.

usage: tools/dev python tools/site/snippets.py [--write] PAGE...

A page is Markdown. Its blocks of `python` are executed in order, as one program, and
its blocks of `sh` by bash, in the same folder, which is empty at first. Where a block
of `text` comes next, it is what the snippet prints, to the letter. Blocks of `console`
are commands that set up a machine, and are not executed. With --write, what the
snippets print is written into the pages.
"""

import argparse
import contextlib
import io
import os
import re
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_IMPORT = re.compile(r"^ *(?:import|from) (\w+)", re.MULTILINE)


class SnippetError(Exception):
    """A snippet failed, or printed something else than its page says."""


@dataclass(frozen=True)
class Snippet:
    """A block of code of a page, and what it prints."""

    page: Path
    line: int
    language: str
    code: str
    output: str
    """Empty if no block of text follows."""
    end: tuple[int, int]
    """Where the output of the snippet is in the page, with its fences: an empty range
    behind the snippet if there is none."""

    @property
    def place(self) -> str:
        return f"{self.page}:{self.line}"


def snippets(page: Path) -> list[Snippet]:
    """Return the snippets of a page that are executed."""
    text = page.read_text()
    blocks = list(_FENCE.finditer(text))
    found = []
    for block, after in zip_longest(blocks, blocks[1:]):
        if block[1] not in ("python", "sh"):
            continue
        line = text.count("\n", 0, block.start()) + 2
        output, end = "", (block.end(), block.end())
        if after and after[1] == "text" and not text[end[0] : after.start()].strip():
            output, end = after[2], (block.end(), after.end())
        found.append(Snippet(page, line, block[1], block[2], output, end))
    return found


def required_modules(page: Path) -> set[str]:
    """Return the modules that the snippets of a page import."""
    codes = (each.code for each in snippets(page) if each.language == "python")
    return {name for code in codes for name in _IMPORT.findall(code)}


def printed(page: Path) -> Iterator[tuple[Snippet, str]]:
    """Execute the snippets of a page in the current folder; yield what each prints.

    A warning is an error, since a page shows how something is meant to be done; but
    PyTorch warns of each of its CSR tensors.
    """
    scope: dict[str, Any] = {"__name__": "__main__"}
    for snippet in snippets(page):
        try:
            if snippet.language == "python":
                yield snippet, _run_python(snippet, scope)
            else:
                yield snippet, _run_shell(snippet)
        except Exception as error:
            raise SnippetError(f"{snippet.place}: {error!r}") from error


def _run_python(snippet: Snippet, scope: dict[str, Any]) -> str:
    # Lines before the code make tracebacks name the line of the page.
    source = "\n" * (snippet.line - 1) + snippet.code
    found = io.StringIO()
    with contextlib.redirect_stdout(found), warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", "Sparse CSR tensor support is in beta")
        exec(compile(source, snippet.page, "exec"), scope)
    return found.getvalue()


def _run_shell(snippet: Snippet) -> str:
    """Run commands by bash, with `nacho` and the tools of the build in the path.

    NACHO_PLUGIN is where the plugin for a stock mlir-opt is.
    """
    with tempfile.TemporaryDirectory() as folder:
        command = Path(folder) / "nacho"
        command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m nacho "$@"\n')
        command.chmod(0o755)
        path = [folder, str(ROOT / "build/dev/bin"), os.environ["PATH"]]
        packages = [os.environ.get("PYTHONPATH", ""), str(ROOT / "python")]
        made = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", snippet.code],
            capture_output=True,
            text=True,
            env={
                **os.environ,
                "PATH": os.pathsep.join(path),
                "PYTHONPATH": os.pathsep.join(filter(None, packages)),
                "NACHO_PLUGIN": str(ROOT / "build/dev/lib/NachoPlugin.so"),
            },
        )
    if made.returncode:
        raise SnippetError(f"exit code {made.returncode}: {made.stderr}")
    return made.stdout


def check(page: Path) -> None:
    """Execute a page, and refuse output that is not what the page says.

    Without a block of text behind it, a snippet must not print anything.
    """
    for snippet, found in printed(page):
        if found != snippet.output:
            raise SnippetError(
                f"{snippet.place} prints\n\n{found}\nand the page says\n\n"
                f"{snippet.output}"
            )


def write(page: Path) -> None:
    """Execute a page, and write what its snippets print into it."""
    text, parts, done = page.read_text(), [], 0
    for snippet, found in printed(page):
        begin, end = snippet.end
        output = f"\n```text\n{found}```" if found else ""
        parts += [text[done:begin], output]
        done = end
    page.write_text("".join([*parts, text[done:]]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("pages", nargs="+", type=Path)
    given = parser.parse_args()
    for page in given.pages:
        place = page.resolve()
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            (write if given.write else check)(place)


if __name__ == "__main__":
    main()
