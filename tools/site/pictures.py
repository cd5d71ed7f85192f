"""Draws the pictures of the site with the library's own means, as SVG.

usage: tools/dev python tools/site/pictures.py

They are in the folder pictures beside this file; a test says if one is out of date.
"""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import scipy.sparse as sp

import nacho
import nacho.mlir
from nacho import _nacho
from nacho._pictures.bars import Bars
from nacho._pictures.figure import Picture
from nacho._pictures.lattice import Lattice
from nacho._pictures.levels import Levels
from nacho._pictures.pattern import Cuts, Grid, Pattern

FOLDER = Path(__file__).with_name("pictures")
PARTS = 6
SHAPE = (24, 40)


def operands() -> tuple[sp.csr_array, sp.csr_array]:
    """Return a matrix with a heavy row, and one without."""
    rng = np.random.default_rng(0)
    B = sp.random_array(SHAPE, density=0.05, format="csr", rng=rng)
    A = sp.random_array(SHAPE, density=0.06, format="lil", rng=rng)
    A[9, 2:38] = 1
    return A.tocsr(), B


def pictures() -> dict[str, str]:
    """Return the pictures by the names of their files."""
    return {name: standing_alone(picture.svg()) for name, picture in _pictures()}


def standing_alone(svg: str) -> str:
    """Return a file: in a page of HTML, which pictures are made for, there is no need
    of a namespace."""
    space = 'xmlns="http://www.w3.org/2000/svg"'
    return svg.replace("<svg ", f"<svg {space} ", 1) + "\n"


def _pictures() -> Iterator[tuple[str, Picture | Lattice]]:
    A, B = operands()
    yield from _cut_by_rows(A, B)
    by_cost = nacho.explain(
        "Z[i,j] = A[i,j] + B[i,j]", A=A, B=B, parts=PARTS, cost="nnz"
    )
    costs, _, pattern, _ = by_cost.pictures
    yield "cost-by-search.svg", costs
    yield "parts-by-search.svg", pattern
    yield "levels-of-cuts.svg", _levels(A, B)
    yield "remapped.svg", _remapped()
    kernel = nacho.mlir.compile(
        "Z[i,j] = A[i,j] * B[i,j] + C[i,j]",
        formats=dict.fromkeys("ABC", "dcsr"),
    )
    loop = _nacho.Kernel(kernel.mlir("loops")).loops()[0]
    yield "lattice.svg", Lattice.of(f"Loop {loop.index}: {loop.merge}", loop)


def _cut_by_rows(A: sp.csr_array, B: sp.csr_array) -> Iterator[tuple[str, Picture]]:
    """Draw what becomes of parts with equally many rows."""
    cuts = np.arange(PARTS + 1) * SHAPE[0] // PARTS
    until = A.indptr.astype(np.int64) + B.indptr
    costs = [until[end] - until[begin] for begin, end in pairwise(cuts)]
    title = "Cost of each part, if all have equally many rows"
    yield "cost-by-rows.svg", Bars.of(title, "part", "cost", np.array(costs))
    places = Cuts(np.column_stack([cuts, np.zeros_like(cuts)]))
    grid = Grid.of(A.shape, *A.nonzero())
    yield "parts-by-rows.svg", Pattern("A[i,j]", "", grid, {PARTS: places})


def _levels(A: sp.csr_array, B: sp.csr_array) -> Picture:
    """Draw the parts of two workers."""
    found = nacho.partition("Z[i,j] = A[i,j] + B[i,j]", PARTS, A=A, B=B, cost="nnz")
    before = np.concatenate([[0], found.costs.cumsum()])
    cuts = np.column_stack([before, found.bounds[:, 0]])
    title = "Cuts between two workers, and between their parts"
    return Levels.of(title, found.order[0], cuts, np.arange(PARTS) // (PARTS // 2))


def _remapped() -> Picture:
    """Draw a matrix of whose rows most are skipped, since the other one lacks them."""
    rng = np.random.default_rng(1)
    A = sp.random_array(SHAPE, density=0.2, format="coo", rng=rng)
    rows = rng.choice([1, 2, 3, 11, 17, 18, 20, 22], size=40)
    columns = rng.integers(SHAPE[1], size=rows.size)
    B = sp.coo_array((np.ones(rows.size), (rows, columns)), SHAPE)
    tensors = {
        name: nacho.asarray(each.tocsr(), "dcsr") for name, each in (("A", A), ("B", B))
    }
    found = nacho.explain(
        "Z[i,j] = A[i,j] * B[i,j]", **tensors, parts=PARTS, cost="nnz"
    )
    return next(each for each in found.pictures if each.title == "A[i,j]")


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for name, text in pictures().items():
        (FOLDER / name).write_text(text)


if __name__ == "__main__":
    main()
