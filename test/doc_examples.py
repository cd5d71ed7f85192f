"""Checks the examples in the documentation of the ops.

usage: doc_examples.py NACHO-OPT FILE.td...

Every example is a ```mlir block in a TableGen description and a whole module.
It has to verify, and what is printed for it has to parse and print the same
again. Every op that the files define has to occur in one of the examples.
"""

import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent, indent

EXAMPLE = re.compile(r"^[ \t]*```mlir[ \t]*\n(.*?)^[ \t]*```[ \t]*$", re.M | re.S)
OP = re.compile(r'^def\s+\w+Op\s*:\s*\w+<\s*"([\w.]+)"', re.M)


class ExampleError(Exception):
    """What is wrong with one example."""


@dataclass(frozen=True)
class Example:
    """A module from the documentation, and the line where it begins."""

    path: Path
    line: int
    text: str


def examples(path: Path) -> Iterator[Example]:
    text = path.read_text()
    for match in EXAMPLE.finditer(text):
        line = text.count("\n", 0, match.start(1)) + 1
        yield Example(path, line, dedent(match.group(1)))


def defined_ops(path: Path) -> list[str]:
    return OP.findall(path.read_text())


def print_module(tool: str, module: str) -> str:
    """The module as the tool prints it."""
    run = subprocess.run([tool], input=module, capture_output=True, text=True)
    if run.returncode != 0:
        raise ExampleError(run.stderr.strip() or f"exit code {run.returncode}")
    return run.stdout


def check_round_trip(tool: str, example: Example) -> None:
    once = print_module(tool, example.text)
    try:
        twice = print_module(tool, once)
    except ExampleError as error:
        raise ExampleError(f"does not parse as printed: {error}\n{once}") from error
    if once != twice:
        raise ExampleError(f"prints as\n{once}and then as\n{twice}")


def check(tool: str, paths: list[Path]) -> Iterator[str]:
    """Yields what is wrong, one message per example or op."""
    found = [example for path in paths for example in examples(path)]
    for example in found:
        try:
            check_round_trip(tool, example)
        except ExampleError as error:
            message = indent(str(error), "  ")
            yield f"{example.path}:{example.line}: this example fails\n{message}"

    if not found:
        yield "no examples found"
    for path in paths:
        for op in defined_ops(path):
            name = re.compile(rf"\bnacho\.{re.escape(op)}\b")
            if not any(name.search(example.text) for example in found):
                yield f"{path}: nacho.{op} occurs in no example"


def main(arguments: list[str]) -> int:
    if len(arguments) < 2:
        sys.exit(__doc__)
    tool, *paths = arguments
    problems = list(check(tool, [Path(path) for path in paths]))
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
