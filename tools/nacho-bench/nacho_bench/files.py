"""Files of real data, and the folder in which operands are kept."""

import hashlib
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from nacho_bench.patterns import linear
from nacho_bench.progress import say

TENSOR_SUFFIXES = (".tensor.npz", ".tns")
_SUFFIXES = (*TENSOR_SUFFIXES, ".npz", ".mtx")
_MOST_DIMENSIONS = 3
_REMEMBERED = "data-folder"
"""The file, in the folder of operands, that names the folder of real data."""


def data_files(folder: Path) -> list[Path]:
    """Return the files of a folder that hold a matrix or a tensor."""
    return sorted(path for path in folder.iterdir() if path.name.endswith(_SUFFIXES))


def data_name(path: Path) -> str:
    """Return the name of a file without the suffix that says what it holds."""
    ending = next(each for each in _SUFFIXES if path.name.endswith(each))
    return path.name.removesuffix(ending)


def data_folder(cache: Path, given: Path | None) -> Path | None:
    """Return the folder of real data; None if nobody ever named one.

    A folder that is given is remembered in ``cache`` for the runs that give none.
    """
    memory = cache / _REMEMBERED
    if given is not None:
        cache.mkdir(parents=True, exist_ok=True)
        memory.write_text(f"{given.resolve()}\n")
        return given
    if not memory.exists():
        return None
    found = Path(memory.read_text().strip())
    if found.is_dir():
        return found
    say(f"there are no rows of real data: {found} is gone; name another with --data")
    return None


def read_entries(path: Path, make: Callable[..., Any]) -> Any:
    """Return ``make(coords, values, shape)`` of a file, sorted; duplicates are summed.

    An .npz file holds a SciPy matrix, a .tensor.npz file the arrays coords, vals and
    shape; .mtx is Matrix Market's format, .tns is FROSTT's. Of a tensor of more than
    three dimensions, the last ones become one, so that every kernel can take it.
    """
    if path.suffix == ".tns":
        text = np.loadtxt(path, ndmin=2)
        coords, values = text[:, :-1].T.astype(np.int64) - 1, text[:, -1]
        shape = tuple(int(column.max()) + 1 for column in coords)
    elif path.name.endswith(".tensor.npz"):
        with np.load(path) as arrays:
            coords, values = arrays["coords"], arrays["vals"]
            shape = tuple(int(extent) for extent in arrays["shape"])
        if coords.shape[0] != len(shape):
            coords = coords.T
    else:
        coords, values, shape = _matrix(path)
    coords, shape = _folded(tuple(coords), shape)
    return make(*_summed(coords, values.astype(np.float64), shape), shape)


def _folded(
    coords: tuple[np.ndarray, ...], shape: tuple[int, ...]
) -> tuple[tuple[np.ndarray, ...], tuple[int, ...]]:
    """Return coordinates of up to three dimensions, in the same order.

    The third one numbers what the third and all later ones are together.
    """
    if len(shape) <= _MOST_DIMENSIONS:
        return coords, shape
    kept = _MOST_DIMENSIONS - 1
    last = linear(coords[kept:], shape[kept:])
    return (*coords[:kept], last), (*shape[:kept], math.prod(shape[kept:]))


def _matrix(path: Path) -> tuple[Any, np.ndarray, tuple[int, ...]]:
    import scipy.io
    import scipy.sparse as sp

    matrix = scipy.io.mmread(path) if path.suffix == ".mtx" else sp.load_npz(path)
    found = sp.coo_array(matrix)
    return found.coords, np.real(found.data), found.shape


def _summed(
    coords: tuple[np.ndarray, ...], values: np.ndarray, shape: tuple[int, ...]
) -> tuple[tuple[np.ndarray, ...], np.ndarray]:
    keys = linear(coords, shape)
    order = np.argsort(keys, kind="stable")
    keys, values = keys[order], values[order]
    first = np.ones(keys.size, bool)
    np.not_equal(keys[1:], keys[:-1], out=first[1:])
    if not first.all():
        keys, values = keys[first], np.add.reduceat(values, np.flatnonzero(first))
    columns = []
    for extent in shape[:0:-1]:
        keys, column = np.divmod(keys, extent)
        columns.append(column)
    return (keys, *columns[::-1]), values


class Store:
    """A folder of operands, each of which is made only once."""

    def __init__(self, folder: Path, quick: bool) -> None:
        self.folder = folder
        self.quick = quick

    def path(self, workload: Any, operand: str, use: str) -> Path:
        """Return the file of an operand; make the operand if there is no file yet."""
        from nacho_bench.workloads import size_of

        size = size_of(use, self.quick)
        if workload.source is not None and use != "product":
            # Only products have operands of their own made from a file.
            use = "file"
        path = self.folder / f"{self._stem(workload, size)}-{use}-{operand}.npz"
        if not path.exists():
            self.folder.mkdir(parents=True, exist_ok=True)
            _save(path, workload.make(operand, size, use))
        return path

    def _stem(self, workload: Any, size: tuple[int, int]) -> str:
        if workload.source is None:
            return f"{workload.name}-{size[0]}-{size[1]}"
        stat = workload.source.stat()
        origin = f"{workload.source.resolve()} {stat.st_size} {stat.st_mtime_ns}"
        return f"{workload.name}-{hashlib.sha256(origin.encode()).hexdigest()[:12]}"


def _save(path: Path, entries: Any) -> None:
    """Write an operand.

    The file gets its name only when it is complete, so that nobody reads half of it.
    """
    columns = [column.astype(np.int32) for column in entries.coords]
    unfinished = path.with_suffix(".part.npz")
    np.savez(
        unfinished, coords=np.array(columns), values=entries.values, shape=entries.shape
    )
    unfinished.rename(path)
