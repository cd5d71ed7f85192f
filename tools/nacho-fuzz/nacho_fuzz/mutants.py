"""MLIR tests with some of their text changed, run as the tests themselves are run.

The text is that of a test, in the form of the dialect or in the generic one, or what a
pass of some test made of it; the passes that follow meet what they did not make. A
mutant may be refused, with an error, or accepted. It must not crash ``nacho-opt``, or
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

from nacho_fuzz.farm import BLOCKS, block_of
from nacho_fuzz.suite import ROOT

_TOOL: Path = ROOT / "build" / "dev" / "bin" / "nacho-opt"
SECONDS = 20.0
MOST = 60_000
"""Longer texts would take their time for reading, not for attacks."""
UPSTREAM = ("Parser::parseDenseArrayAttr", "gpu::LaunchOp::verifyRegions")
"""Functions of MLIR 22 that crash, in mlir-opt as well: on ``array<index: 1>``, and on
a ``gpu.launch`` without a terminator."""
SEPARATOR = "\n// -----\n"
TERMINATOR = re.compile(r'\s*(%[\w:, ]+ = )?"?(\w+\.)*(yield|return|end|condition)\b')
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


def _print(options: list[str], text: str) -> subprocess.CompletedProcess[str]:
    """Run nacho-opt on what need not be right."""
    try:
        return subprocess.run(
            [_TOOL, *options],
            input=text,
            capture_output=True,
            text=True,
            timeout=SECONDS,
        )
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(options, 1, "", "")


def _generic(text: str) -> list[str]:
    """Return the generic form of a piece, if it is accepted."""
    printed = _print(["--mlir-print-op-generic", "--allow-unregistered-dialect"], text)
    return [printed.stdout] if printed.stdout.strip() else []


def _after_passes(options: list[str], text: str) -> list[str]:
    """Return what each pass of a pipeline makes of a piece."""
    after_all = ["--mlir-print-ir-after-all", "--mlir-print-ir-module-scope"]
    printed = _print([*options, *after_all, "--mlir-disable-threading"], text)
    dumps = re.split(r"^// -----// IR Dump After .*$", printed.stderr, flags=re.M)
    return [dump for dump in dumps[1:] if len(dump) < MOST]


def _mutate_lines(rng: random.Random, text: str, foreign: list[str]) -> str:
    """Remove or double a terminator or another line, or add one of another test."""
    lines = text.splitlines()
    ends = [n for n, line in enumerate(lines) if TERMINATOR.match(line)]
    at = rng.choice(ends) if ends and rng.random() < 0.5 else rng.randrange(len(lines))
    kind = rng.randrange(3)
    if kind == 0:
        del lines[at]
    elif kind == 1:
        lines.insert(at, lines[at])
    else:
        first = rng.randrange(len(foreign))
        lines[at:at] = foreign[first : first + rng.choice((1, 1, 3))]
    return "\n".join(lines) + "\n"


def _mutate(rng: random.Random, text: str, others: list[str]) -> str:
    tokens = list(TOKEN.finditer(text))
    for _ in range(rng.choice((1, 1, 2, 4))):
        if not tokens:
            break
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


def _mutant(case: int, text: str, foreign: list[str]) -> str:
    rng = random.Random(case)
    words = [match.group() for match in TOKEN.finditer(text)]
    if rng.random() < 0.4:
        text = _mutate_lines(rng, text, foreign)
    if rng.random() < 0.7:
        text = _mutate(rng, text, words)
    # A test's own separators must not end a mutant.
    return text.replace("// -----", "")


def _attack(options: list[str], text: str, seconds: float) -> str:
    """Run nacho-opt; return what it prints. Raises if it crashes or hangs."""
    command = [_TOOL, *options, "-split-input-file"]
    where = f"nacho-opt {shlex.join(options)[:200]}"
    try:
        done = subprocess.run(
            command, input=text, capture_output=True, text=True, timeout=seconds
        )
    except subprocess.TimeoutExpired:
        raise AssertionError(f"hang: {where}") from None
    # After a crash, whosever it is, the mutants that follow have not been run.
    is_lone = SEPARATOR not in text
    if done.returncode < 0 and not (
        is_lone and any(name in done.stderr for name in UPSTREAM)
    ):
        name = signal.Signals(-done.returncode).name
        raise AssertionError(f"crash: {name} in {where}")
    return done.stdout


@functools.lru_cache(maxsize=1)
def _outcomes(block: int) -> dict[int, str]:
    """Run the cases of a block; return what became of each."""
    rng = random.Random(-1 - block)
    options, pieces = rng.choice(_tests())
    foreign = rng.choice(rng.choice(_tests())[1]).splitlines()
    form = rng.randrange(4)
    if form == 0:
        pieces = _generic(rng.choice(pieces)) or pieces
    elif form == 1:
        pieces = _after_passes(options, rng.choice(pieces)) or pieces
        options = rng.choice(_tests())[0]
    cases = range(block * BLOCKS["mutants"], (block + 1) * BLOCKS["mutants"])
    mutants = {case: _mutant(case, rng.choice(pieces), foreign) for case in cases}
    try:
        printed = _attack(options, SEPARATOR.join(mutants.values()), SECONDS)
        parts = printed.split(SEPARATOR)
        accepted = sum(bool(part.strip()) for part in parts)
        return {
            case: "accepted" if n < accepted else "refused"
            for n, case in enumerate(cases)
        }
    except AssertionError:
        pass
    outcomes = {}
    for case, mutant in mutants.items():
        try:
            printed = _attack(options, mutant, SECONDS)
            outcomes[case] = "accepted" if printed.strip() else "refused"
        except AssertionError as error:
            outcomes[case] = f"fail {error}"
    return outcomes


def run(case: int) -> str:
    """Run a case, and with it its block: nacho-opt takes long to start."""
    return _outcomes(block_of("mutants", case))[case]
