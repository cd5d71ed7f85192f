"""MLIR tests with some of their text changed, run as the tests themselves are run.

A mutant may be refused, with an error, or accepted. It must not crash ``nacho-opt``, or
keep it busy for ever.
"""

from __future__ import annotations

import ast
import functools
import random
import re
import shlex
import signal
import subprocess
from pathlib import Path

from nacho_fuzz.suite import ROOT

SECONDS = 20.0
TOKEN = re.compile(r"[%#!@^]?[\w.]+|\S")


@functools.cache
def _substitutions() -> dict[str, str]:
    """Return what lit replaces by pipelines in the commands of the tests."""
    tree = ast.parse((ROOT / "test" / "lit.cfg.py").read_text())
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Tuple) and len(node.elts) == 2:
            name, value = (getattr(each, "value", None) for each in node.elts)
            if isinstance(name, str) and name.startswith("%{"):
                found[name] = str(value)
    return found


@functools.cache
def _tests() -> list[tuple[list[str], list[str]]]:
    """Return the pipelines and the pieces of all tests that run nacho-opt on a file."""
    tests = []
    for path in sorted((ROOT / "test").rglob("*.mlir")):
        text = path.read_text()
        options = _options_of(text)
        if options is not None:
            pieces = re.split(r"^// -----$", text, flags=re.MULTILINE)
            plain = [re.sub(r"^\s*//.*\n", "", piece, flags=re.M) for piece in pieces]
            tests.append((options, [piece for piece in plain if piece.strip()]))
    return tests


def _options_of(text: str) -> list[str] | None:
    lines = re.findall(r"RUN:(.*)", text)
    command = " ".join(line.strip().rstrip("\\") for line in lines).split("|")[0]
    for name, value in _substitutions().items():
        command = command.replace(name, value)
    if not command.strip().startswith("nacho-opt") or "%{" in command:
        return None
    words = shlex.split(command)[1:]
    unwanted = (
        "%s",
        "-verify-diagnostics",
        "--verify-diagnostics",
        "-split-input-file",
    )
    return [
        word for word in words if word not in unwanted and word not in (">", "2>&1")
    ]


def _mutate(rng: random.Random, text: str, others: list[str]) -> str:
    tokens = list(TOKEN.finditer(text))
    for _ in range(rng.choice((1, 1, 2, 4))):
        at = rng.choice(tokens)
        word = at.group()
        kind = rng.randrange(5)
        if kind == 0:
            new = rng.choice(others)
        elif kind == 1:
            new = ""
        elif kind == 2:
            new = f"{word} {word}"
        elif kind == 3 and word.isdigit():
            new = rng.choice(("0", "1", "-1", "2", "7", "64", "9223372036854775807"))
        else:
            same = [other for other in others if other[:1] == word[:1]] or others
            new = rng.choice(same)
        text = text[: at.start()] + new + text[at.end() :]
        tokens = list(TOKEN.finditer(text)) or tokens
    return text


def run(case: int) -> str:
    """Run a case."""
    rng = random.Random(case)
    options, pieces = rng.choice(_tests())
    text = rng.choice(pieces)
    words = [match.group() for match in TOKEN.finditer(text)]
    mutant = _mutate(rng, text, words)
    tool: Path = ROOT / "build" / "dev" / "bin" / "nacho-opt"
    try:
        done = subprocess.run(
            [tool, *options],
            input=mutant,
            capture_output=True,
            text=True,
            timeout=SECONDS,
        )
    except subprocess.TimeoutExpired:
        return f"fail hang: nacho-opt {shlex.join(options)[:200]}"
    if done.returncode < 0:
        name = signal.Signals(-done.returncode).name
        return f"fail crash: {name} in nacho-opt {shlex.join(options)[:200]}"
    return "accepted" if done.returncode == 0 else "refused"
