"""Operands whose arrays are edited before, between and during the calls of a kernel.

The arrays end, or begin, at memory that nobody may touch. A call may be refused with an
error of Nacho. With ``validate="safe"`` or ``"full"`` what it returns is canonical.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

import nacho
from nacho_fuzz.farm import block_of
from nacho_fuzz.guard import guarded
from nacho_fuzz.suite import checks, samples

KERNELS: tuple[tuple[str, dict[str, str]], ...] = (
    ("y[i] = A[i,j] * x[j]", {"A": "csr", "x": "dense"}),
    ("y[i] = A[i,j] * x[j]", {"A": "coo", "x": "dense"}),
    ("y[i] = A[i,j] * x[j]", {"A": "dcsr", "x": "dense"}),
    ("y[i] = A[i,j] * x[j]", {"A": "csc", "x": "dense"}),
    ("y[i] = A[i,j] * x[j]", {"A": "csr", "x": "sparse-vector"}),
    ("y[i] = A[i,j] * x[j]", {"A": "coo", "x": "sparse-vector"}),
    ("y[i] = A[i,j] * x[j]", {"A": "csc", "x": "sparse-vector"}),
    ("y[j] = A[i,j]", {"A": "csr"}),
    ("y[i] max= A[i,j]", {"A": "coo"}),
    ("s = A[i,j] * B[i,j]", {"A": "csr", "B": "csr"}),
    ("Z[i,j] = A[i,j] + B[i,j]", {"A": "csr", "B": "csr"}),
    ("Z[i,j] = A[i,j] + B[i,j]", {"A": "coo", "B": "coo"}),
    ("Z[i,j] = A[i,j] + B[i,j]", {"A": "csr", "B": "coo"}),
    ("Z[i,j] = A[i,j] + B[i,j]", {"A": "dcsr", "B": "dcsr"}),
    ("Z[i,j] = A[i,j] + B[i,j]", {"A": "csr", "B": "csc"}),
    ("Z[i,j] = A[i,j] + B[i,j] + C[i,j]", {"A": "csr", "B": "coo", "C": "dcsr"}),
    ("Z[i,j] = A[i,j] * B[i,j]", {"A": "csr", "B": "csr"}),
    ("Z[i,j] = A[i,j] * B[i,j]", {"A": "coo", "B": "coo"}),
    ("Z[i,j] = A[i,j] * B[i,j]", {"A": "dcsr", "B": "csr"}),
    ("Z[i,j] = A[i,j] * B[i,j] + C[i,j]", {"A": "csr", "B": "csr", "C": "csr"}),
    ("Z[i,j] = A[i,j] - A[i,j] * B[i,j]", {"A": "csr", "B": "dcsr"}),
    ("Z[i,k] = A[i,j] * B[j,k]", {"A": "csr", "B": "csr"}),
    ("Z[i,k] = A[i,j] * B[j,k]", {"A": "coo", "B": "csr"}),
    ("Z[i,k] = A[i,j] * B[j,k]", {"A": "coo", "B": "coo"}),
    ("Z[i,k] = A[i,j] * B[j,k]", {"A": "dcsr", "B": "dcsr"}),
    ("Z[i,k] = A[i,j] * B[k,j]", {"A": "csr", "B": "csr"}),
    ("Z[i,k] = A[i,j] * B[j,k]", {"A": "csr", "B": "dense"}),
    ("Z[i,k] = M[i,k] * A[i,j] * B[j,k]", {"M": "csr", "A": "csr", "B": "csr"}),
    ("Z[i,k] = M[i,k] * A[i,j] * B[j,k]", {"M": "coo", "A": "coo", "B": "coo"}),
    ("Z[i,k] = M[i,k] * A[i,j] * B[j,k]", {"M": "dcsr", "A": "dcsr", "B": "csr"}),
    ("Z[i,k] = M[i,k] * A[i,j] * B[j,k]", {"M": "csr", "A": "dense", "B": "dense"}),
    ("s = A[i,j] * B[j,k] * M[i,k]", {"A": "csr", "B": "csr", "M": "csr"}),
    ("s = A[i,j] * B[j,k] * M[i,k]", {"A": "coo", "B": "coo", "M": "coo"}),
    ("y[i] = A[i,j] * B[j,k] * x[k]", {"A": "csr", "B": "csr", "x": "dense"}),
    ("Z[i,l] = A[i,j] * B[j,k] * C[k,l]", {"A": "csr", "B": "coo", "C": "csr"}),
    ("Z[j,i] = A[i,j]", {"A": "csr"}),
    ("Z[j,i] = A[i,j]", {"A": "coo"}),
    ("Z[i,j] = A[i,j] + A[j,i]", {"A": "csr"}),
    ("y[i] = A[i,i]", {"A": "csr"}),
    ("y[j] = A[i,j] * x[i]", {"A": "csr", "x": "dense"}),
    ("Z[i,j,k] = T[i,j,k] + U[i,j,k]", {"T": "csf", "U": "csf"}),
    ("Z[i,j,k] = T[i,j,k] + U[i,j,k]", {"T": "coo", "U": "coo"}),
    ("s = T[i,j,k] * U[i,j,k]", {"T": "csf", "U": "csf"}),
    ("Z[i,l] = T[i,j,k] * B[j,l] * C[k,l]", {"T": "csf", "B": "dense", "C": "dense"}),
    ("Z[i,j,l] = T[i,j,k] * B[k,l]", {"T": "csf", "B": "csr"}),
    ("Z[i,j] = T[i,j,k] * x[k]", {"T": "coo", "x": "sparse-vector"}),
)
WIDTHS = (("i32", "i32"), ("i64", "i64"), ("i64", "i32"))
VALIDATIONS = ("safe", "safe", "none", "full")
MOMENTS = ("before", "between", "planned", "during")
SIZES = (0, 1, 2, 5, 12, 40, 200)
MOST_CELLS = 40_000
"""Larger extents would take their time for drawing operands, not for attacks."""
PARTS = (None, 1, 3, 16)
THREADS = (1, 2)
PINNED: tuple[tuple[str, ...], ...] = (
    (),
    (),
    ("heavy-rows",),
    ("heavy-rows", "row-pieces", "fine-pieces"),
)
"""Choices that small operands seldom lead to."""


def _indices(text: str, name: str) -> str:
    return text.split(name + "[", 1)[1].split("]", 1)[0]


def _rank(text: str, name: str) -> int:
    return len(_indices(text, name).split(","))


def _draw_size(rng: Any, rank: int) -> int:
    sizes = [size for size in SIZES if size**rank <= MOST_CELLS]
    return sizes[rng.integers(len(sizes))]


class _Operand:
    """A tensor in guarded memory, and the arrays that can be edited."""

    def __init__(
        self, rng: Any, shape: tuple[int, ...], format: str, width: Any
    ) -> None:
        pattern = rng.choice(("sparse", "sparse", "full", "empty"))
        if format == "sparse-vector":
            format = "(d0) -> (d0 : compressed)"
        made = samples.sample(rng, shape, str(pattern), format, "f64", width)
        self.arrays: list[Any] = []
        at_end = bool(rng.random() < 0.8)
        if isinstance(made, np.ndarray):
            self.value: Any = guarded(made, at_end=at_end)
            return
        pos = [self._place(array, at_end) for array in made.pos]
        crd = [self._place(array, at_end) for array in made.crd]
        values = guarded(made.values, at_end=at_end)
        self.value = nacho.Tensor.from_parts(made.format, shape, pos, crd, values)

    def _place(self, array: Any, at_end: bool) -> Any:
        if array is None:
            return None
        placed = guarded(array, at_end=at_end)
        if placed.size:
            self.arrays.append(placed)
        return placed


def _edit(rng: Any, array: Any, extent: int) -> None:
    """Change an array of positions or coordinates."""
    most = np.iinfo(array.dtype).max
    flat = array.reshape(-1)
    kind, at = rng.integers(8), rng.integers(flat.size)
    if kind < 3:
        odd = (-1, 0, 1, extent - 1, extent, extent + 1, most, most - 1, -most - 1, -2)
        flat[at] = odd[rng.integers(len(odd))]
    elif kind == 3:
        flat[at] = rng.integers(0, extent + 1)
    elif kind == 4:
        other = rng.integers(flat.size)
        flat[[at, other]] = flat[[other, at]]
    elif kind == 5:
        flat[...] = flat[::-1].copy()
    elif kind == 6:
        flat[...] = rng.integers(0, extent + 1, flat.size)
    else:
        flat[at:] = flat[at]


@functools.lru_cache(maxsize=16)
def _kernel(number: int, validate: str, pinned: int) -> Any:
    choices = dict.fromkeys(PINNED[pinned], True)
    return nacho.mlir.compile(KERNELS[number][0], validate=validate, choices=choices)


class _Flicker:
    """Edits arrays and takes the edits back, again and again, in another thread."""

    def __init__(self, edits: list[tuple[Any, Any, Any]]) -> None:
        self._edits, self._ends = edits, threading.Event()
        self._thread = threading.Thread(target=self._run)

    def _run(self) -> None:
        while not self._ends.is_set():
            for array, _, edited in self._edits:
                array[...] = edited
            for array, plain, _ in self._edits:
                array[...] = plain

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._ends.set()
        self._thread.join()


def _attempt(call: Callable[[], Any], validate: str) -> str:
    """Call; return what became of it. Raises what must not happen."""
    try:
        result = call()
    except nacho.NachoError:
        return "refused"
    if validate != "none":
        checks.check_structure(result)
    return "returned"


def _edits(rng: Any, arrays: list[Any], size: int) -> list[tuple[Any, Any, Any]]:
    """Return arrays, their elements, and what the elements are to become."""
    edits = []
    for _ in range(rng.integers(1, 4)):
        array = arrays[rng.integers(len(arrays))]
        plain = array.copy()
        _edit(rng, array, size)
        edits.append((array, plain, array.copy()))
        array[...] = plain
    return edits


def _attack(
    kernel: Any, values: Any, options: Any, moment: str, edits: Any
) -> list[str]:
    """Call a kernel on arrays that are edited at a moment; return the outcomes."""

    def edit() -> None:
        for array, _, edited in edits:
            array[...] = edited

    def attempt() -> str:
        return _attempt(lambda: kernel(**values, **options), kernel.validate)

    if moment == "during":
        with _Flicker(edits):
            return [attempt() for _ in range(4)]
    if moment == "planned":
        try:
            plan = kernel.plan(**values, **options)
        except nacho.NachoError:
            return ["refused"]
        edit()
        return [_attempt(lambda: plan.execute(**values), kernel.validate)]
    if moment == "between":
        attempt()
    edit()
    return [attempt(), attempt()]


def run(case: int) -> str:
    """Run a case."""
    rng = np.random.default_rng((case, 18))
    group = np.random.default_rng((block_of("corruptions", case), 81))
    number = int(group.integers(len(KERNELS)))
    text, formats = KERNELS[number]
    width = WIDTHS[group.integers(len(WIDTHS))]
    pinned = int(group.integers(len(PINNED)))
    validate = VALIDATIONS[rng.integers(len(VALIDATIONS))]
    moment = MOMENTS[rng.integers(len(MOMENTS))]
    size = _draw_size(rng, max(_rank(text, name) for name in formats))
    options = {"parts": PARTS[rng.integers(4)], "threads": THREADS[rng.integers(2)]}
    operands = {
        name: _Operand(rng, (size,) * _rank(text, name), format, width)
        for name, format in formats.items()
    }
    values = {name: operand.value for name, operand in operands.items()}
    arrays = [array for operand in operands.values() for array in operand.arrays]
    edits = _edits(rng, arrays, size)
    kernel = _kernel(number, validate, pinned)
    outcomes = _attack(kernel, values, options, moment, edits)
    return "returned" if "returned" in outcomes else "refused"
