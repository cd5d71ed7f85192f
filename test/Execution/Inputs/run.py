"""Compiles a module and prints its result in several partitions.

usage: run.py FILE.mlir OPERAND...

An operand is the name of a matrix, A or B, in some format, or the vector x. A format
may end in the bits of its positions and coordinates, and then in those of its values:
A.csr-8-16.

      1 . 2         . . .
  A = . . .     B = . . .     x = 1 10 100
      . . .         . . 5
      . 3 .         4 6 .
"""

import sys
from pathlib import Path

import numpy as np

from nacho._nacho import Kernel

A = {(0, 0): 1.0, (0, 2): 2.0, (3, 1): 3.0}
B = {(2, 2): 5.0, (3, 0): 4.0, (3, 1): 6.0}
X = [1.0, 10.0, 100.0]
ROWS, COLUMNS = 4, 3


def operand(name: str) -> list[object]:
    """A matrix or vector, as arguments of a kernel."""
    if name == "x":
        return [np.array(X), len(X)]
    entries = {"A": A, "B": B}[name[0]]
    format, *bits = name[2:].split("-")
    position, coordinate = [f"i{int(bits[0]) // 8}"] * 2 if bits else ["i4", "i8"]
    values = np.array([*entries.values()], f"f{int(bits[1]) // 8}" if bits else "f8")
    stored = [i for i, _ in entries]
    columns = np.array([j for _, j in entries], coordinate)
    rows = {"csr": range(ROWS), "dcsr": sorted(set(stored)), "coo": stored}[format]
    ends = np.array([0, *(sum(i <= row for i in stored) for row in rows)], position)
    levels: list[object] = []
    if format != "csr":
        levels += [np.array([0, len(rows)], position), np.array(rows, coordinate)]
    if format != "coo":
        levels += [ends]
    return [*levels, columns, values, ROWS, COLUMNS]


def main(path: str, *names: str) -> None:
    kernel = Kernel(Path(path).read_text(), "cpu", {"cost": "nnz"})
    args = [argument for name in names for argument in operand(name)]
    for parts in (1, 2, 6, 50):
        result = kernel.plan(args, parts, 2).execute(args)
        print(f"parts {parts}:", *(array.tolist() for array in result))


if __name__ == "__main__":
    main(*sys.argv[1:])
