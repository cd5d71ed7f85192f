"""``tools/dev bench --setup``: compiles the peers that are written in C and C++.

Usage: python -m nacho_bench.build
"""

import subprocess
import sys
from pathlib import Path

from nacho_bench.native import BUILD

_HERE = Path(__file__).resolve().parent.parent
FLAGS = ("-O3", "-march=native", "-fopenmp", "-shared", "-fPIC")


def library(name: str) -> Path:
    return BUILD / f"lib{name}.so"


def build(name: str, compiler: str, sources: list[Path], *flags: str) -> None:
    """Compile a shared library.

    It gets its name only when it is complete, so that no process loads half of it.
    """
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
