"""Draws the pictures of the site with the library's own means, as SVG.

usage: tools/dev python tools/site/pictures.py

They are in the folder pictures beside this file; a test says if one is out of date.
"""

from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import scipy.sparse as sp
import speeds

import nacho
import nacho.mlir
from nacho import _nacho
from nacho._pictures.bars import Bars
from nacho._pictures.figure import Picture
from nacho._pictures.lattice import Lattice
from nacho._pictures.levels import Levels
from nacho._pictures.pattern import Cuts, Grid, Pattern
from nacho._pictures.svg import drawing, label

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

    yield from _of_programs()
    yield "formats.svg", Formats()
    yield from speeds.pictures()


def _of_programs() -> Iterator[tuple[str, Picture]]:
    """Draw operands of programs of the site, and the parts in which they are read."""
    A = sp.random_array((60, 60), density=0.06, format="csr", rng=1)
    first = nacho.explain("y[i] = A[i,j] * x[j]", A=A, x=np.ones(60), parts=4)
    yield "start.svg", _pattern(first.pictures, "A[i,j]")
    tokens = 256
    sees = np.tri(tokens, dtype=bool) & ~np.tri(tokens, k=-33, dtype=bool)
    sees[:, :4] |= np.tri(tokens, 4, dtype=bool)
    M, Q = sp.csr_array(sees), np.ones((tokens, 8), np.float32)
    text = "E[i,j] = pattern(M)[i,j] * exp(sum(k, Q[i,k] * Q[j,k]))"
    scores = nacho.explain(text, M=M, Q=Q, parts=8)
    yield "gallery-attention.svg", _pattern(scores.pictures, "M[i,j]")
    T = sp.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(9, 9))
    grid = sp.csr_array(sp.kronsum(T, T))
    heat = nacho.explain("y[i] = A[i,j] * p[j]", A=grid, p=np.ones(81), parts=6)
    yield "gallery-finite-differences.svg", _pattern(heat.pictures, "A[i,j]")


def _pattern(found: Iterable[Picture], title: str) -> Picture:
    return next(each for each in found if each.title == title)


class Formats:
    """A small matrix, and the arrays in which formats store it."""

    title = "The arrays of a small matrix in several formats"
    caption = ""

    def svg(self) -> str:
        dense = np.array([[0, 7, 0, 0], [0, 0, 0, 0], [5, 0, 0, 6]])
        lines = [
            f"row {n}:  {'   '.join(map(str, row))}" for n, row in enumerate(dense)
        ]
        content = [label(line, 4, 20 + 18 * n) for n, line in enumerate(lines)]
        top = 20.0
        for name in ("csr", "csc", "dcsr", "coo"):
            tensor = nacho.asarray(dense, name)
            content.append(label(name, 150, top))
            arrays = [
                *((f"pos[{n}]", each) for n, each in enumerate(tensor.pos)),
                *((f"crd[{n}]", each) for n, each in enumerate(tensor.crd)),
                ("values", tensor.values),
            ]
            for place, array in arrays:
                if array is None:
                    continue
                content.append(label(place, 200, top))
                content.append(label("  ".join(map(str, array.tolist())), 260, top))
                top += 16
            top += 8
        return drawing("formats", 420, top, *content, name=self.title)

    def plot(self, axes: object) -> None:
        raise NotImplementedError


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
