"""Counts the ops to which expressions of n operands lower.

usage: linear_code.py NACHO-OPT
"""

import re
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise

PIPELINES = {
    # Every operand is merged, so that the loops can be told from the expression.
    "merged": "builtin.module(nacho-cpu{until=scf find=false})",
    # What would be merged again and again is found in tables.
    "found": "builtin.module(nacho-cpu{until=scf})",
}
SIZES = (5, 7, 9, 11, 13)
"""At least three operands have each index: for two, less code may do."""
FUNCTION = re.compile(r'"func.func".*sym_name = "(\w+)"')
OP = re.compile(r'^\s*(?:%\S+(?:, %\S+)* = )?"([\w.]+)"', re.M)


TENSORS = {
    "i, j": "tensor<?x?xf64, #DCSR>",
    "i": "tensor<?xf64, #SV>",
    "j": "tensor<?xf64, #SV>",
}


@dataclass(frozen=True)
class Family:
    """Expressions of any number of operands: operators and accesses by number."""

    name: str
    operators: tuple[str, str]
    accesses: tuple[str, str] = ("i, j", "i, j")
    listed: bool = False
    """Whether the coordinates i are listed first."""
    goes_on: bool = False
    """Whether the merges go on when the first of their operands has ended."""

    def operator(self, number: int) -> str:
        return self.operators[number % 2]

    def access(self, number: int) -> str:
        return self.accesses[number % 2] if number else "i, j"

    def levels(self, size: int, index: str) -> int:
        """How many of the operands' levels are iterated over an index."""
        return sum(index in self.access(n) for n in range(size))


FAMILIES = (
    # X0 + X1 + ...
    Family("union", ("add", "add"), goes_on=True),
    # (X0 * X1 + X2) * X3 + ...
    Family("mixed", ("add", "mul"), listed=True, goes_on=True),
    # X0 * X1 * ...
    Family("intersection", ("mul", "mul"), listed=True),
    # X0[i, j] * X1[i] * X2[j] * X3[i] * ...
    Family("broadcasts", ("mul", "mul"), ("j", "i"), listed=True),
)


def module(size: int, family: Family) -> str:
    accesses = [family.access(n) for n in range(size)]
    arguments = ", ".join(f"%X{n}: {TENSORS[a]}" for n, a in enumerate(accesses))
    bindings = ", ".join(
        f"%x{n} = %X{n}[{a}] : {TENSORS[a]}" for n, a in enumerate(accesses)
    )
    body, value = "", "x0"
    for n in range(1, size):
        body += f"%y{n} = nacho.binary {family.operator(n)} %{value}, %x{n} : f64\n"
        value = f"y{n}"
    result = TENSORS["i, j"]
    return f"""
#DCSR = #sparse_tensor.encoding<{{
  map = (d0, d1) -> (d0 : compressed, d1 : compressed) }}>
#SV = #sparse_tensor.encoding<{{ map = (d0) -> (d0 : compressed) }}>
func.func @kernel({arguments}) -> {result} {{
  %Z = nacho.assign ({bindings}) -> [i, j] : {result} {{
    {body}
    nacho.yield %{value} : f64
  }}
  return %Z : {result}
}}
"""


def count(tool: str, pipeline: str, text: str) -> dict[str, Counter[str]]:
    """How many ops there are of each name in each function."""
    command = [tool, f"--pass-pipeline={pipeline}", "--mlir-print-op-generic"]
    run = subprocess.run(
        command, input=text, capture_output=True, text=True, check=True
    )
    parts = FUNCTION.split(run.stdout)
    return {
        name: Counter(OP.findall(body))
        for name, body in zip(parts[1::2], parts[2::2], strict=True)
    }


def check_count(name: str, loops: dict[str, int], expected: int, size: int) -> None:
    found = loops[name]
    assert found == expected, f"{name}: {found} loops, not {expected}, for {size}"


Counts = dict[int, dict[str, Counter[str]]]
"""Of each size of an expression, how many ops there are in each function."""


def check_loops(family: Family, counts: Counts) -> None:
    for size, functions in counts.items():
        whiles = {name: ops["scf.while"] for name, ops in functions.items()}
        fors = {name: ops["scf.for"] for name, ops in functions.items()}
        rows = family.levels(size, "i")
        # The loops over i and j, of which that over the entries of a list is counted;
        # the innermost merge takes another one for what is left at its end.
        counted = 1 if family.listed else 0
        rest = 1 if family.goes_on else 0
        # Rows are bisected, with a search in each operand. What is innermost is
        # counted instead, with one loop for all operands.
        searches = (1 + rows) + 1
        if family.listed:
            # The rows are counted for the list, which takes their place, and of which
            # the positions are bisected.
            searches = 1 + 1
            check_count("kernel_0_partition", whiles, 1, size)
            for name in ("kernel_0_assemble", "kernel_0_compute"):
                check_count(name, fors, 0, size)
                check_count(name, whiles, 1 + rest, size)
        check_count("kernel_partition", whiles, searches, size)
        for name in ("kernel_assemble", "kernel_compute"):
            check_count(name, fors, counted, size)
            check_count(name, whiles, 2 - counted + rest, size)


def check_growth(family: Family, pipeline: str, counts: Counts) -> None:
    for name in counts[SIZES[0]]:
        totals = [counts[size][name].total() for size in SIZES]
        steps = [b - a for a, b in pairwise(totals)]
        assert max(steps) <= 1.25 * max(1, min(steps)), f"{name}: {totals} ops"
        print(family.name, pipeline, name, *totals)


def check(tool: str, family: Family) -> None:
    for name, pipeline in PIPELINES.items():
        counts = {n: count(tool, pipeline, module(n, family)) for n in SIZES}
        if name == "merged":
            check_loops(family, counts)
        check_growth(family, name, counts)


if __name__ == "__main__":
    for family in FAMILIES:
        check(sys.argv[1], family)
