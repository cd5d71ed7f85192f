"""Counts the ops to which unions and mixed expressions of n operands lower.

usage: linear_code.py NACHO-OPT
"""

import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from itertools import pairwise

PASSES = (
    "nacho-concretize,cse,nacho-partition-loops,cse,nacho-bound-loops,"
    "nacho-assemble-outputs,canonicalize,cse,"
    "func.func(convert-nacho-loops-to-scf,convert-nacho-partition-to-scf),"
    "convert-nacho-storage-to-memref,canonicalize,cse"
)
SIZES = (2, 4, 6, 8, 10)
FUNCTION = re.compile(r'"func.func".*sym_name = "(\w+)"')
OP = re.compile(r'^\s*(?:%\S+(?:, %\S+)* = )?"([\w.]+)"', re.M)


def union(number: int) -> str:
    """X0 + X1 + ..."""
    return "add"


def mixed(number: int) -> str:
    """(X0 * X1 + X2) * X3 + ..."""
    return "mul" if number % 2 else "add"


def module(size: int, kind: Callable[[int], str]) -> str:
    tensor = "tensor<?x?xf64, #DCSR>"
    arguments = ", ".join(f"%X{n}: {tensor}" for n in range(size))
    bindings = ", ".join(f"%x{n} = %X{n}[i, j] : {tensor}" for n in range(size))
    body, value = "", "x0"
    for n in range(1, size):
        body += f"%y{n} = nacho.binary {kind(n)} %{value}, %x{n} : f64\n"
        value = f"y{n}"
    return f"""
#DCSR = #sparse_tensor.encoding<{{
  map = (d0, d1) -> (d0 : compressed, d1 : compressed) }}>
func.func @kernel({arguments}) -> {tensor} {{
  %Z = nacho.assign ({bindings}) -> [i, j] : {tensor} {{
    {body}
    nacho.yield %{value} : f64
  }}
  return %Z : {tensor}
}}
"""


def count(tool: str, text: str) -> dict[str, Counter[str]]:
    """How many ops there are of each name in each function."""
    command = [
        tool,
        f"--pass-pipeline=builtin.module({PASSES})",
        "--mlir-print-op-generic",
    ]
    run = subprocess.run(
        command, input=text, capture_output=True, text=True, check=True
    )
    parts = FUNCTION.split(run.stdout)
    return {
        name: Counter(OP.findall(body))
        for name, body in zip(parts[1::2], parts[2::2], strict=True)
    }


def check(tool: str, kind: Callable[[int], str]) -> None:
    counts = {size: count(tool, module(size, kind)) for size in SIZES}
    for size, functions in counts.items():
        for name in ("kernel_assemble", "kernel_compute"):
            loops = functions[name]["scf.while"]
            assert loops == 2, f"{name}: {loops} loops for {size} operands"
        # One search per loop of the nest, and a bisection per operand in each.
        loops = functions["kernel_partition"]["scf.while"]
        assert loops == 2 * (1 + size), f"{loops} bisections for {size} operands"
    for name in counts[SIZES[0]]:
        totals = [counts[size][name].total() for size in SIZES]
        steps = [b - a for a, b in pairwise(totals)]
        assert max(steps) <= 1.25 * max(1, min(steps)), f"{name}: {totals} ops"
        print(kind.__name__, name, *totals)


if __name__ == "__main__":
    for kind in (union, mixed):
        check(sys.argv[1], kind)
