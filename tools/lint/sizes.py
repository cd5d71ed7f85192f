"""Checks that no function and no file is too large to be read at once.

usage: sizes.py [ALLOWED]

Functions of C++ and Python have up to 80 lines and a cyclomatic complexity of up to
15, as lizard counts it; source files have up to 400 lines. Docstrings of functions do
not count as lines of these: those of public functions describe each parameter. ALLOWED
(allowed.txt beside this file) names the exceptions:

    PATH[:FUNCTION] lines|complexity LIMIT REASON

An exception that is no longer one has to go, so that the list can only shrink.
"""

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import lizard

FUNCTION_LIMITS = {"lines": 80, "complexity": 15}
FILE_LIMIT = 400
FOLDERS = ("include", "lib", "python", "tools", "test")
SUFFIXES = {".c", ".cpp", ".h", ".py", ".td"}
"""The suffixes of the files that are measured; lizard reads all of them but .td."""


@dataclass(frozen=True)
class Subject:
    """What is measured: a property of a file or of a function in it."""

    place: str
    measure: str


@dataclass(frozen=True)
class Allowance:
    """How large a subject may be, and why."""

    limit: int
    reason: str
    line: int


def sources() -> list[Path]:
    """All files that are written by hand."""
    return sorted(
        path
        for folder in FOLDERS
        for path in Path(folder).rglob("*")
        if path.suffix in SUFFIXES and path.is_file()
    )


def file_sizes(paths: list[Path]) -> Iterator[tuple[Subject, int]]:
    # Files of tests may be longer: they are lists of cases.
    for path in paths:
        if path.parts[0] != "test":
            lines = path.read_text().count("\n")
            yield Subject(str(path), "lines"), lines


def function_sizes(paths: list[Path]) -> Iterator[tuple[Subject, int]]:
    names = [str(path) for path in paths if path.suffix != ".td"]
    for file in lizard.analyze_files(names, exts=[]):
        texts = docstrings(file.filename)
        for function in file.function_list:
            place = f"{file.filename}:{function.name}"
            length = function.length - texts.get(function.start_line, 0)
            yield Subject(place, "lines"), length
            yield Subject(place, "complexity"), function.cyclomatic_complexity


def docstrings(path: str) -> dict[int, int]:
    """Return how many lines docstrings have, by the lines where functions begin."""
    if not path.endswith(".py"):
        return {}
    found = {}
    for node in ast.walk(ast.parse(Path(path).read_text())):
        if isinstance(node, ast.FunctionDef) and ast.get_docstring(node) is not None:
            text = node.body[0]
            found[node.lineno] = (text.end_lineno or text.lineno) - text.lineno + 1
    return found


def largest(sizes: Iterator[tuple[Subject, int]]) -> dict[Subject, int]:
    """Return the largest size of each subject: several functions may share a name."""
    found: dict[Subject, int] = {}
    for subject, size in sizes:
        found[subject] = max(size, found.get(subject, 0))
    return found


def read_allowances(path: Path) -> dict[Subject, Allowance]:
    allowances = {}
    for number, line in enumerate(path.read_text().splitlines(), start=1):
        if line and not line.startswith("#"):
            place, measure, limit, reason = line.split(maxsplit=3)
            allowances[Subject(place, measure)] = Allowance(int(limit), reason, number)
    return allowances


def limit_of(subject: Subject) -> int:
    if ":" in subject.place:
        return FUNCTION_LIMITS[subject.measure]
    return FILE_LIMIT


def problems(
    sizes: dict[Subject, int], allowances: dict[Subject, Allowance], allowed: Path
) -> Iterator[str]:
    for subject, size in sizes.items():
        allowance = allowances.get(subject)
        limit = allowance.limit if allowance else limit_of(subject)
        if size > limit:
            yield f"{subject.place}: {subject.measure} {size}, not up to {limit}"
    for subject, allowance in allowances.items():
        if sizes.get(subject, 0) <= limit_of(subject):
            where = f"{allowed}:{allowance.line}"
            yield f"{where}: no longer needed: {subject.place} {subject.measure}"


def main(allowed: Path) -> int:
    paths = sources()
    sizes = largest(file_sizes(paths)) | largest(function_sizes(paths))
    found = sorted(problems(sizes, read_allowances(allowed), allowed))
    print(*found, sep="\n", end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    beside = Path(__file__).with_name("allowed.txt")
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else beside))
