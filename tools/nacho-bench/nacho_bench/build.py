"""``tools/dev bench --setup``: compiles the peers that are written in C and C++.

Usage: python -m nacho_bench.build
"""

import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from nacho_bench.native import BUILD
from nacho_bench.progress import say

_HERE = Path(__file__).resolve().parent.parent
FLAGS = ("-O3", "-march=native", "-fopenmp", "-shared", "-fPIC")


def library(name: str) -> Path:
    return BUILD / f"lib{name}.so"


def is_current(made: Path, sources: Iterable[Path]) -> bool:
    """Return whether a file is there and newer than all its sources."""
    if not made.exists():
        return False
    return made.stat().st_mtime_ns > max(each.stat().st_mtime_ns for each in sources)


def build(name: str, compiler: str, sources: list[Path], *flags: str) -> None:
    """Compile a shared library, unless it is newer than all that it is made of.

    That is its sources, the headers in ``reference``, and this file. It gets its name
    only when it is complete, so that no process loads half of it.
    """
    written = [*(_HERE / "reference").iterdir(), *sources, Path(__file__)]
    if is_current(library(name), written):
        return
    say(f"compiling the peer {name}")
    BUILD.mkdir(parents=True, exist_ok=True)
    unfinished = library(f"{name}-part")
    command = [compiler, *FLAGS, *flags, "-o", unfinished, *sources]
    subprocess.run(command, check=True)
    unfinished.rename(library(name))


def main() -> int:
    reference = sorted((_HERE / "reference").glob("*.c"))
    build("reference", "clang-22", reference)
    eigen = [_HERE / "eigen" / "eigen.cpp"]
    build("eigen", "clang++-22", eigen, "-std=c++17", "-isystem/usr/include/eigen3")
    return 0


if __name__ == "__main__":
    sys.exit(main())
