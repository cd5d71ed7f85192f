"""The operands of one kernel on one workload, in any form that a peer needs."""

from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from nacho_bench.files import Store
from nacho_bench.kernels import KERNELS, Kernel, dense_shapes, result_shape
from nacho_bench.workloads import Workload

INT32 = np.dtype(np.int32)


class Levels(NamedTuple):
    """A tensor by levels; None stands for a ``pos`` or ``crd`` that a level lacks."""

    pos: list[np.ndarray | None]
    crd: list[np.ndarray | None]
    values: np.ndarray
    shape: tuple[int, ...]

    @property
    def nbytes(self) -> int:
        arrays = [*self.pos, *self.crd, self.values]
        return sum(array.nbytes for array in arrays if array is not None)


class Operands:
    """The operands for a peer; each is loaded from its file when it is first needed."""

    def __init__(self, kernel: str, files: dict[str, str], threads: int) -> None:
        self.kernel: Kernel = KERNELS[kernel]
        self.threads = threads
        self.files = files
        self._coo: dict[str, tuple[Any, ...]] = {}
        self._csr: dict[str, sp.csr_array] = {}

    @classmethod
    def of(cls, kernel: Kernel, workload: Workload, store: Store) -> "Operands":
        """Return those of a kernel on a workload, for one thread of this process."""
        files = {
            name: str(store.path(workload, name, kernel.size)) for name in kernel.sparse
        }
        return cls(kernel.name, files, threads=1)

    def coo(
        self, name: str
    ) -> tuple[tuple[np.ndarray, ...], np.ndarray, tuple[int, ...]]:
        """Return sorted coordinates (int32), values and shape."""
        if name not in self._coo:
            self._coo[name] = stored(self.files[name])
        return self._coo[name]

    def csr(self, name: str) -> sp.csr_array:
        """Return a SciPy matrix with int32 indices."""
        if name not in self._csr:
            (rows, columns), values, shape = self.coo(name)
            matrix = sp.csr_array((values, columns, _pointers(rows, shape[0])), shape)
            matrix.has_canonical_format = True
            self._csr[name] = matrix
        return self._csr[name]

    def scipy_coo(self, name: str) -> sp.coo_array:
        coords, values, shape = self.coo(name)
        tensor = sp.coo_array((values, coords), shape=shape)
        tensor.has_canonical_format = True
        return tensor

    def levels(self, name: str, format: str) -> Levels:
        """Return a tensor as csr, as coo, or with all levels compressed (dcsr, csf)."""
        return packed(*self.coo(name), format)

    def dense(self, name: str) -> np.ndarray:
        """Return a dense operand, which has the same values in every process."""
        shape = self.shapes[name]
        rng = np.random.default_rng(len(shape) + ord(name[0]))
        return rng.random(shape) + 0.5

    @cached_property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        shapes = {name: self.coo(name)[2] for name in self.kernel.sparse}
        return shapes | dense_shapes(self.kernel, shapes["A"])

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """The shape of the result."""
        return result_shape(self.kernel, self.shapes)


def stored(
    path: str | Path,
) -> tuple[tuple[np.ndarray, ...], np.ndarray, tuple[int, ...]]:
    """Return the coordinates, values and shape in an operand's file."""
    with np.load(path) as arrays:
        shape = tuple(int(extent) for extent in arrays["shape"])
        coords = tuple(np.ascontiguousarray(c) for c in arrays["coords"])
        return coords, arrays["values"], shape


def packed(
    coords: tuple[np.ndarray, ...],
    values: np.ndarray,
    shape: tuple[int, ...],
    format: str,
) -> Levels:
    """Return sorted entries by levels."""
    none: list[np.ndarray | None] = [None] * (len(shape) - 1)
    if format == "csr":
        return Levels(
            [None, _pointers(coords[0], shape[0])], [None, coords[1]], values, shape
        )
    if format == "coo":
        ends = np.array([0, values.size], INT32)
        return Levels([ends, *none], list(coords), values, shape)
    return Levels(*_compressed(coords), values, shape)


def _compressed(
    coords: tuple[np.ndarray, ...],
) -> tuple[list[np.ndarray | None], list[np.ndarray | None]]:
    """Return ``pos`` and ``crd`` of levels that are all compressed."""
    size = coords[0].size
    begins = np.zeros(size, bool)
    begins[:1] = True
    starts: list[np.ndarray] = []
    for column in coords[:-1]:
        begins[1:] |= column[1:] != column[:-1]
        starts.append(np.flatnonzero(begins))
    crd = [c[at] for c, at in zip(coords[:-1], starts, strict=True)]
    count = len(starts[0]) if starts else size
    pos: list[np.ndarray | None] = [np.array([0, count], INT32)]
    for outer, inner in zip(starts, [*starts[1:], None], strict=True):
        below = outer if inner is None else np.searchsorted(inner, outer)
        total = size if inner is None else inner.size
        pos.append(np.append(below, total).astype(INT32))
    return pos, [*crd, coords[-1]]


def _pointers(rows: np.ndarray, extent: int) -> np.ndarray:
    counts = np.bincount(rows, minlength=extent)
    return np.concatenate([[0], np.cumsum(counts)]).astype(INT32)


def stored_bytes(kernel: Kernel, name: str, levels: Levels, met: int) -> int:
    """Return how many bytes of an operand have to be read.

    If the kernel ``meets``, only ``met`` values are read, but all indices.
    """
    if not kernel.meets:
        return levels.nbytes
    return levels.nbytes - levels.values.nbytes + 8 * min(met, levels.values.size)


def moved_bytes(operands: Operands, result: tuple[np.ndarray, ...]) -> int:
    """Return the bytes that a kernel has to read and write at least.

    ``result`` are the coordinates of the result's entries; empty if it is dense.
    """
    kernel = operands.kernel
    met = result[0].size if result else 0
    if kernel.result == "scalar":
        met = 0
    total = sum(
        stored_bytes(kernel, name, operands.levels(name, kernel.formats[name]), met)
        for name in kernel.sparse
    )
    shapes = dense_shapes(kernel, operands.shapes["A"]).values()
    total += sum(8 * int(np.prod(shape)) for shape in shapes)
    if kernel.result in ("dense", "scalar"):
        return total + 8 * int(np.prod(operands.shape))
    values = np.empty(met)
    return total + packed(result, values, operands.shape, kernel.result).nbytes
