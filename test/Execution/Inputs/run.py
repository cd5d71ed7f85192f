"""Compiles a module and prints the sum of two matrices in several partitions.

usage: run.py FILE.mlir
"""

import sys
from pathlib import Path

import numpy as np

from nacho._nacho import Kernel


def dcsr(
    rows: list[int], pos: list[int], crd: list[int], values: list[float]
) -> list[object]:
    """A matrix with four rows and three columns, as arguments of a kernel."""
    return [
        np.array([0, len(rows)], np.int32),
        np.array(rows, np.int64),
        np.array(pos, np.int32),
        np.array(crd, np.int64),
        np.array(values, np.float64),
        4,
        3,
    ]


def main(path: str) -> None:
    kernel = Kernel(Path(path).read_text(), "nnz")
    args = [
        *dcsr([0, 3], [0, 2, 3], [0, 2, 1], [1.0, 2.0, 3.0]),
        *dcsr([2, 3], [0, 1, 3], [2, 0, 1], [5.0, 4.0, 6.0]),
    ]
    for parts in (1, 2, 6, 50):
        result = kernel.plan(args, parts, 2).execute(args, 2)
        print(f"parts {parts}:", *(array.tolist() for array in result))


if __name__ == "__main__":
    main(*sys.argv[1:])
