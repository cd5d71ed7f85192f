"""Replays a pipeline as it prints itself: in one go, and pass by pass.

usage: replay.py NACHO-OPT PIPELINE-OPTION FILE.mlir
"""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path


def run(tool: str, text: str, *options: str) -> tuple[str, str]:
    """The IR, and what is said on the standard error."""
    command = [tool, *options]
    done = subprocess.run(
        command, input=text, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stderr}")
    return done.stdout, done.stderr


def elements(pipeline: str) -> Iterator[str]:
    """Split a list of passes at its commas, but not at those inside brackets."""
    depth, start = 0, 0
    for at, char in enumerate(pipeline):
        depth += (char in "({") - (char in ")}")
        if char == "," and depth == 0:
            yield pipeline[start:at]
            start = at + 1
    yield pipeline[start:]


def passes(pipeline: str) -> Iterator[str]:
    """Every pass of a pipeline, as a pipeline of its own: a(b,c) -> a(b), a(c)."""
    anchor, bracket, inside = pipeline.strip().partition("(")
    if not bracket or "{" in anchor:
        yield pipeline.strip()
        return
    for element in elements(inside.removesuffix(")")):
        for alone in passes(element):
            yield f"{anchor}({alone})"


def main(tool: str, option: str, path: str) -> None:
    text = Path(path).read_text()
    expected, dump = run(tool, text, option, "-dump-pass-pipeline")
    pipeline = dump[dump.index("builtin.module(") :].replace("\n", "").strip()
    replayed, _ = run(tool, text, f"-pass-pipeline={pipeline}")
    assert replayed == expected, f"differs when replayed:\n{pipeline}"
    for alone in passes(pipeline):
        text, _ = run(tool, text, f"-pass-pipeline={alone}")
    assert text == expected, f"differs pass by pass:\n{text}"


if __name__ == "__main__":
    main(*sys.argv[1:])
