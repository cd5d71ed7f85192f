"""Kernels in MLIR: ``linalg.generic`` over sparse tensors of a static shape.

A function makes its operands from their arrays, and returns the arrays of its result.
"""

import re
from collections.abc import Iterator

from nacho_bench.kernels import Kernel

_LEVELS = {
    "csr": ("dense", "compressed"),
    "dcsr": ("compressed", "compressed"),
    "csf": ("compressed", "compressed", "compressed"),
}
Shapes = dict[str, tuple[int, ...]]


def levels(format: str, rank: int) -> tuple[str, ...]:
    """Return the kinds of the levels of a format."""
    if format != "coo":
        return _LEVELS[format]
    inner = ["singleton(nonunique, soa)"] * (rank - 2)
    return ("compressed(nonunique)", *inner, "singleton(soa)")


def buffers(format: str, rank: int) -> list[tuple[str, int]]:
    """Return the arrays of a format: "positions" or "coordinates", and the level."""
    found = []
    for level, kind in enumerate(levels(format, rank)):
        if kind.startswith("compressed"):
            found.append(("positions", level))
        if kind != "dense":
            found.append(("coordinates", level))
    return found


def module(kernel: Kernel, shapes: Shapes, shape: tuple[int, ...]) -> str:
    """Return a module with the function of a kernel, which is called ``kernel``."""
    accesses = dict(re.findall(r"(\w)\[([\w,]+)\]", kernel.expression))
    at = {name: found.split(",") for name, found in accesses.items()}
    result = tuple(kernel.formats)[-1]
    at.setdefault(result, [])
    types = {
        n: _type(kernel.formats[n], s) for n, s in (shapes | {result: shape}).items()
    }
    body = [*_assembled(kernel, types, shapes), *_empty(kernel, types[result])]
    body += _generic(kernel, at, types, result)
    returned, kinds = _returned(kernel, types[result], shape)
    arguments = ", ".join(
        f"%{name}: {type}" for name, type in _arguments(kernel, types, shapes)
    )
    lines = "\n".join(f"  {line}" for line in [*body, *returned])
    return (
        f"func.func @kernel({arguments}) -> ({', '.join(kinds)})\n"
        f"    attributes {{ llvm.emit_c_interface }} {{\n{lines}\n}}\n"
    )


def _type(format: str, shape: tuple[int, ...]) -> str:
    extents = "".join(f"{extent}x" for extent in shape)
    if format in ("dense", "scalar"):
        return f"tensor<{extents}f64>"
    dimensions = [f"d{n}" for n in range(len(shape))]
    kinds = zip(dimensions, levels(format, len(shape)), strict=True)
    mapped = ", ".join(f"{dimension} : {kind}" for dimension, kind in kinds)
    return (
        f"tensor<{extents}f64, #sparse_tensor.encoding<{{ map = "
        f"({', '.join(dimensions)}) -> ({mapped}), posWidth = 32, crdWidth = 32 }}>>"
    )


def _arguments(
    kernel: Kernel, types: dict[str, str], shapes: Shapes
) -> Iterator[tuple[str, str]]:
    for name in kernel.operands:
        format = kernel.formats[name]
        if format == "dense":
            yield name, types[name]
            continue
        for what, level in buffers(format, len(shapes[name])):
            yield f"{name}_{what}{level}", "tensor<?xi32>"
        yield f"{name}_values", "tensor<?xf64>"


def _assembled(kernel: Kernel, types: dict[str, str], shapes: Shapes) -> Iterator[str]:
    for name in kernel.sparse:
        parts = buffers(kernel.formats[name], len(shapes[name]))
        listed = ", ".join(f"%{name}_{what}{level}" for what, level in parts)
        arrays = ", ".join(["tensor<?xi32>"] * len(parts))
        yield (
            f"%{name} = sparse_tensor.assemble ({listed}), %{name}_values : "
            f"({arrays}), tensor<?xf64> to {types[name]}"
        )


def _empty(kernel: Kernel, type: str) -> Iterator[str]:
    if kernel.result not in ("dense", "scalar"):
        yield f"%empty = tensor.empty() : {type}"
        return
    yield "%zero = arith.constant 0.0 : f64"
    yield f"%none = tensor.empty() : {type}"
    yield (f"%empty = linalg.fill ins(%zero : f64) outs(%none : {type}) -> {type}")


def _generic(
    kernel: Kernel, at: dict[str, list[str]], types: dict[str, str], result: str
) -> Iterator[str]:
    reduced: list[str] = []
    for name in kernel.operands:
        reduced += [i for i in at[name] if i not in at[result] and i not in reduced]
    order = _loops(kernel, at[result], reduced)
    names = (*kernel.operands, result)
    maps = ", ".join(
        f"affine_map<({', '.join(order)}) -> ({', '.join(at[name])})>" for name in names
    )
    kinds = ", ".join(
        '"reduction"' if index in reduced else '"parallel"' for index in order
    )
    inputs = ", ".join(f"%{name}" for name in kernel.operands)
    kinds_in = ", ".join(types[name] for name in kernel.operands)
    block = ", ".join(f"%{name.lower()}0: f64" for name in names)
    yield (
        f"%result = linalg.generic {{ indexing_maps = [{maps}], iterator_types = "
        f"[{kinds}] }} ins({inputs} : {kinds_in}) outs(%empty : {types[result]}) {{"
    )
    yield f"^bb0({block}):"
    yield from _scalar_code(kernel, result, bool(reduced))
    yield f"}} -> {types[result]}"


def _loops(kernel: Kernel, kept: list[str], reduced: list[str]) -> list[str]:
    """Return the order of the loops: reduced indices come before scattered ones."""
    order = [*kept, *reduced]
    if kernel.name in ("spgemm", "spgemm-masked", "spmm"):
        return [order[0], order[2], order[1]]
    if kernel.name == "mttkrp":
        return [order[0], *reduced, order[1]]
    return order


def _scalar_code(kernel: Kernel, result: str, reduces: bool) -> Iterator[str]:
    operation = "addf" if "+" in kernel.expression else "mulf"
    total, *others = (f"%{name.lower()}0" for name in kernel.operands)
    for number, other in enumerate(others):
        yield f"  %t{number} = arith.{operation} {total}, {other} : f64"
        total = f"%t{number}"
    if reduces:
        yield f"  %sum = arith.addf %{result.lower()}0, {total} : f64"
        total = "%sum"
    yield f"  linalg.yield {total} : f64"


def _returned(
    kernel: Kernel, type: str, shape: tuple[int, ...]
) -> tuple[list[str], list[str]]:
    """Return the last lines of the function, and the types of the returned values."""
    if kernel.result == "scalar":
        lines = [f"%value = tensor.extract %result[] : {type}"]
        return [*lines, "return %value : f64"], ["f64"]
    if kernel.result == "dense":
        memref = type.replace("tensor", "memref")
        lines = [f"%value = bufferization.to_buffer %result : {type} to {memref}"]
        return [*lines, f"return %value : {memref}"], [memref]
    lines, names, kinds = [], [], []
    for what, level in buffers(kernel.result, len(shape)):
        name = f"%{what}{level}"
        lines.append(
            f"{name} = sparse_tensor.{what} %result {{ level = {level} : index }} : "
            f"{type} to memref<?xi32>"
        )
        names.append(name)
        kinds.append("memref<?xi32>")
    lines.append(f"%values = sparse_tensor.values %result : {type} to memref<?xf64>")
    names.append("%values")
    kinds.append("memref<?xf64>")
    return [*lines, f"return {', '.join(names)} : {', '.join(kinds)}"], kinds
