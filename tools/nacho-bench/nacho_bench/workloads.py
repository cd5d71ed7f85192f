"""The workloads by name: synthetic ones at several sizes, and files of real data."""

import math
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from nacho_bench import patterns
from nacho_bench.files import TENSOR_SUFFIXES, data_name, read_entries
from nacho_bench.patterns import Coordinates

MOVED = 3
"""By how much the columns of A are moved to make the operand B."""


class Size(NamedTuple):
    """How large a synthetic workload is."""

    n: int
    nnz: int


_SIZES = {
    "add": Size(100_000, 5_000_000),
    "product": Size(100_000, 1_000_000),
    "dense": Size(100_000, 2_000_000),
    "hyper": Size(20_000_000, 4_000_000),
    "heat": Size(100_000, 8_000_000),
    "tensor": Size(1, 8_000_000),
}
_QUICK = {
    "add": Size(5_000, 50_000),
    "product": Size(2_000, 10_000),
    "dense": Size(2_000, 20_000),
    "hyper": Size(100_000, 20_000),
    "heat": Size(5_000, 50_000),
    "tensor": Size(50, 20_000),
}


class Entries(NamedTuple):
    """A matrix or tensor: sorted, distinct coordinates, and values."""

    coords: Coordinates
    values: np.ndarray
    shape: tuple[int, ...]


class Workload(NamedTuple):
    name: str
    family: str
    """The kind of operands: "matrix", "tensor", or "hyper" for mostly empty rows."""
    text: str
    make: Callable[[str, Size, str], Entries]
    """Make an operand, from its name, the size, and the name of the kernel's size."""
    source: Path | None = None


def size_of(name: str, quick: bool) -> Size:
    return (_QUICK if quick else _SIZES)[name]


def generator(*seeds: object) -> np.random.Generator:
    """Return a generator whose numbers depend only on the seeds."""
    return np.random.default_rng(zlib.crc32(repr(seeds).encode()))


def _square(
    name: str,
    text: str,
    coords: Callable[[np.random.Generator, Size, str], Coordinates],
) -> Workload:
    """A workload of square matrices; ``coords`` gets the name of the operand."""

    def make(operand: str, size: Size, use: str) -> Entries:
        rng = generator(name, operand, size)
        found = coords(rng, size, operand)
        return _valued(rng, found, (_extent(name, size),) * 2)

    return Workload(name, "matrix", text, make)


def _extent(name: str, size: Size) -> int:
    if name.startswith("stencil"):
        return math.prod(_grid(size, int(name[-2])))
    return 1 << _scale(size) if name == "rmat" else size.n


def _scale(size: Size) -> int:
    return max(1, size.n - 1).bit_length()


def _grid(size: Size, dimensions: int) -> tuple[int, ...]:
    side = round((size.nnz // (2 * dimensions + 1)) ** (1 / dimensions))
    return (side,) * dimensions


def _power(exponent: float) -> Workload:
    return _square(
        f"power-{exponent:.1f}",
        f"rows whose lengths follow a power law of exponent {exponent:.1f}",
        lambda rng, size, _: patterns.power_law(
            rng, size.n, size.n, size.nnz, exponent
        ),
    )


def _valued(
    rng: np.random.Generator, coords: Coordinates, shape: tuple[int, ...]
) -> Entries:
    return Entries(coords, rng.random(coords[0].size) + 0.5, shape)


def _heavy(name: str, text: str, share: float | None) -> Workload:
    """A fraction ``share`` of all entries in one row; if None, half in one column.

    In products, only A is like this, and the other operands are uniform.
    """

    def make(operand: str, size: Size, use: str) -> Entries:
        rng = generator(name, operand, size)
        if use == "dense":
            # The dense operands have as many rows as these have columns.
            size = size._replace(nnz=size.nnz // 2)
        rows, columns = _heavy_shape(size, use, share)
        if use == "product" and operand != "A":
            shape = (columns, rows) if operand == "B" else (rows, rows)
            return _valued(rng, patterns.uniform(rng, *shape, size.nnz), shape)
        if share is None:
            coords = patterns.heavy_column(rng, rows, columns)
        else:
            coords = patterns.heavy_row(rng, rows, columns, size.nnz, share)
        return _valued(rng, coords, (rows, columns))

    return Workload(name, "matrix", text, make)


def _heavy_shape(size: Size, use: str, share: float | None) -> tuple[int, int]:
    if share is None:
        return size.nnz // 2, size.n
    wide = 2 if use == "add" else 1
    return size.n, wide * size.nnz


def heat(exponent: float, skipped: float) -> Workload:
    """A point of the heat map: two rows in five have entries, heavy ones first.

    The rows of A that B skips are the heaviest.
    """
    name = f"heat-{exponent:.1f}-{skipped:.2f}"
    text = "a point of the heat map"
    return _hyper(name, text, skipped, exponent, per_row=200, by_weight=True)


def _hyper(
    name: str,
    text: str,
    skipped: float,
    exponent: float,
    per_row: int = 16,
    by_weight: bool = False,
) -> Workload:
    """Mostly empty rows; in the fraction ``skipped`` of A's rows, B has no entry.

    In rows that both have, half of the entries are at the same coordinates.
    """

    def make(operand: str, size: Size, use: str) -> Entries:
        rng = generator(name, "rows", size)
        coords = _hypersparse(rng, size, skipped, exponent, operand, per_row, by_weight)
        return _valued(generator(name, operand), coords, (size.n, size.n))

    return Workload(name, "hyper", text, make)


def _hypersparse(
    rng: np.random.Generator,
    size: Size,
    skipped: float,
    exponent: float,
    operand: str,
    per_row: int,
    by_weight: bool,
) -> Coordinates:
    """Return the coordinates of A or B; both need a generator in the same state."""
    filled = max(1, size.nnz // per_row)
    rows = rng.choice(size.n, 2 * filled, replace=False)
    common = round(filled * (1 - skipped))
    columns = max(4, size.n)
    row, column = patterns.power_law(
        rng, filled, min(columns, size.nnz), size.nnz, exponent
    )
    order = rng.permutation(filled)
    if by_weight:
        weights = np.bincount(row, minlength=filled)
        row = np.argsort(np.argsort(-weights, kind="stable"))[row]
        order = np.arange(filled)[::-1]
    a_rows = np.sort(rows[:filled])
    if operand == "A":
        return patterns.ordered(a_rows[row], column)
    # B has some rows of A, with every second column moved, and rows of its own.
    is_common = np.zeros(filled, bool)
    is_common[order[:common]] = True
    b_rows = np.where(is_common, a_rows, np.sort(rows[filled:]))
    moved = (column + (np.arange(column.size) % 2) * MOVED) % columns
    return patterns.ordered(b_rows[row], moved)


def _tensor(name: str, shape: tuple[int, ...]) -> Workload:
    """A Zipf tensor; half of B's entries are at coordinates of A."""

    def make(operand: str, size: Size, use: str) -> Entries:
        scaled = tuple(max(2, extent // size.n) for extent in shape)
        coords = patterns.zipf(generator(name, size), scaled, size.nnz, 1.1)
        rng = generator(name, operand, size)
        if operand != "A":
            half = tuple(column[::2] for column in coords)
            other = patterns.zipf(rng, scaled, size.nnz // 2, 1.1)
            both = map(np.concatenate, zip(half, other, strict=True))
            coords = patterns.ordered(*both)
        return _valued(rng, coords, scaled)

    return Workload(name, "tensor", f"Zipf, shape {'x'.join(map(str, shape))}", make)


def from_file(path: Path) -> Workload:
    """Real data: B and C are A with the last coordinate moved; M is A moved by one.

    In a product B is A itself, or its transpose where the shapes ask for it.
    """
    name = data_name(path)
    found: list[Entries] = []

    def make(operand: str, size: Size, use: str) -> Entries:
        if not found:
            found.append(read_entries(path, Entries))
        return _derived(found[0], name, operand, use)

    family = "tensor" if path.name.endswith(TENSOR_SUFFIXES) else "matrix"
    return Workload(name, family, f"the file {path.name}", make, path)


def _derived(first: Entries, name: str, operand: str, use: str) -> Entries:
    coords, values, shape = first
    if operand == "A":
        return first
    if use == "product" and operand == "B":
        if shape[0] == shape[1]:
            return first
        order = np.lexsort((coords[0], coords[1]))
        swapped = (coords[1][order], coords[0][order])
        return Entries(swapped, values[order], shape[::-1])
    rng = generator(name, operand)
    if use == "product":
        shape = (shape[0], shape[0])
        if first.shape[0] != first.shape[1]:
            found = patterns.uniform(rng, *shape, values.size)
            return _valued(rng, found, shape)
    by = {"B": MOVED, "C": 2 * MOVED, "M": 1}[operand]
    moved = patterns.ordered(*coords[:-1], (coords[-1] + by) % shape[-1])
    return _valued(rng, moved, shape)


_SYNTHETIC = (
    _square(
        "uniform",
        "entries anywhere",
        lambda rng, size, _: patterns.uniform(rng, size.n, size.n, size.nnz),
    ),
    *(_power(exponent / 10) for exponent in range(16, 31, 2)),
    _square(
        "banded",
        f"a dense band; that of B is {MOVED} further right, of C {2 * MOVED}",
        lambda rng, size, operand: patterns.banded(
            size.n, size.nnz // size.n, {"B": MOVED, "C": 2 * MOVED}.get(operand, 0)
        ),
    ),
    _square(
        "stencil-2d",
        "5 points on a square grid; all operands alike",
        lambda rng, size, _: patterns.stencil(_grid(size, 2)),
    ),
    _square(
        "stencil-3d",
        "7 points on a cubic grid; all operands alike",
        lambda rng, size, _: patterns.stencil(_grid(size, 3)),
    ),
    _heavy("heavy-row-50", "half of the entries in one row", 0.5),
    _heavy("heavy-row-90", "90 % of the entries in one row", 0.9),
    _heavy("heavy-column", "half of the entries in one column", None),
    _square(
        "rmat",
        "R-MAT graphs (0.57, 0.19, 0.19, 0.05)",
        lambda rng, size, _: patterns.rmat(rng, _scale(size), size.nnz),
    ),
    _hyper("hyper-even", "mostly empty rows; half are common, alike in length", 0.5, 9),
    _hyper("hyper-skewed", "the same, of power-law lengths (2.0)", 0.5, 2.0),
    _hyper("hyper-few", "the same, 95 % of the rows skipped", 0.95, 2.0),
    _hyper("hyper-all", "the same, no row skipped", 0.0, 2.0),
    _tensor("zipf-nell-2", (12_092, 9_184, 28_818)),
    _tensor("zipf-vast", (165_427, 11_374, 2)),
    _tensor("zipf-patents", (46, 239_172, 239_172)),
    _tensor("zipf-darpa", (22_476, 22_476, 23_776_223)),
    _tensor("zipf-fb-m", (23_344_784, 23_344_784, 166)),
)
SYNTHETIC = {workload.name: workload for workload in _SYNTHETIC}
_SWEEP_ONLY = ("power-1.8", "power-2.2", "power-2.6", "power-2.8")
BY_DEFAULT = tuple(name for name in SYNTHETIC if name not in _SWEEP_ONLY)
KINDS = ("real", "synthetic")


def kind_of(name: str) -> str:
    """Return the kind of a workload: those that are not made here are files."""
    return "synthetic" if name in SYNTHETIC else "real"
