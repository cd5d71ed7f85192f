"""Files of binsparse in HDF5, by the package of that name."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from nacho._arrays.arrays import asarray
from nacho._arrays.tensor import Tensor
from nacho._elements import DType
from nacho._files.in_part import CHUNK, Head, Matrix
from nacho._storage.views import Array
from nacho.errors import FileError, NachoError

_MALFORMED = (ValueError, TypeError, AttributeError, KeyError, OSError)
_COMPRESSED = {"inner": "indices_1", "pos": "pointers_to_1"}
_DOUBLY_COMPRESSED = {**_COMPRESSED, "outer": "indices_0"}
_FIELDS = {
    "csr": _COMPRESSED,
    "csc": _COMPRESSED,
    "dcsr": _DOUBLY_COMPRESSED,
    "dcsc": _DOUBLY_COMPRESSED,
    "coo": {"inner": "indices_1", "outer": "indices_0"},
}
"""The arrays with the coordinates of entries, and with the begins of fibers."""
_FORMATS = {
    "CSR": "csr",
    "CSC": "csc",
    "DCSR": "dcsr",
    "DCSC": "dcsc",
    "COOR": "coo",
    "COO": "coo",
    "COOC": "coo",
}
"""For what files call a format, ours; entries in coordinates are in any order."""


def read(path: Path) -> Tensor:
    package = _imported()
    with _errors(package, path):
        return _tensor(package.load_binsparse(path, copy=True))


def write(path: Path, tensor: Tensor) -> None:
    package = _imported()
    package.save_binsparse(_made(package, path, tensor), path)


def _imported() -> Any:
    try:
        import binsparse
    except ImportError as error:
        message = "files of binsparse need the packages binsparse and h5py"
        raise FileError(f"{message}: pip install binsparse h5py") from error
    return binsparse


@contextmanager
def _errors(package: Any, path: Path) -> Iterator[None]:
    """Raise what tells a user which file is wrong."""
    try:
        yield
    except FileNotFoundError:
        raise
    except NachoError as error:
        raise FileError(f"'{path}': {error}") from error
    except (package.BinsparseParseError, *_MALFORMED) as error:
        raise FileError(f"'{path}' cannot be read: {error}") from error


def _tensor(found: Any) -> Tensor:
    if found.fill is True and found.fill_value != 0:
        raise FileError(f"what is not stored is {found.fill_value} in it, not 0")
    name = _FORMATS.get(found.format)
    if name == "coo":
        coords = np.array([found.indices_0, found.indices_1])
        return Tensor.from_coo(coords, found.values, shape=found.shape)
    if name in ("csr", "csc"):
        pos, crd = [None, found.pointers_to_1], [None, found.indices_1]
    elif name is not None:
        outer = np.array([0, len(found.indices_0)], found.pointers_to_1.dtype)
        pos, crd = [outer, found.pointers_to_1], [found.indices_0, found.indices_1]
    else:
        return asarray(_dense(found, type(found).__name__))
    return Tensor.from_parts(name, found.shape, pos, crd, found.values)


def _dense(found: Any, kind: str) -> Any:
    from binsparse.conversions.numpy import to_numpy

    try:
        return to_numpy(found)
    except TypeError:
        raise FileError(f"it has the format {kind}, which is not supported") from None


def _made(package: Any, path: Path, tensor: Tensor) -> Any:
    if tensor.format.is_dense:
        from binsparse.conversions.numpy import from_numpy

        return from_numpy(tensor.to_dense())
    name = tensor.format.name
    if tensor.ndim != 2 or name not in _FIELDS:
        raise FileError(
            f"'{path}': files of binsparse are matrices, {', '.join(_FIELDS)}, dense, "
            f"not {tensor.format} of {tensor.ndim} dimensions"
        )
    stored = {
        "indices_0": tensor.crd[0],
        "indices_1": tensor.crd[1],
        "pointers_to_1": tensor.pos[1],
    }
    arrays = {each: stored[each] for each in _FIELDS[name].values()}
    kind = next(kind for kind, ours in _FORMATS.items() if ours == name)
    made = getattr(package, f"{kind}Matrix")
    return made(tensor.shape, tensor.nnz, values=tensor.values, **arrays)


# --- Parts ----------------------------------------------------------------------------


def head_of(path: Path) -> Head | None:
    """Return the head of a file; None if it is read as a whole."""
    package = _imported()
    with _errors(package, path), _opened(path) as (file, said):
        if said.get("format") not in _FORMATS or said.get("fill") is True:
            return None
        found = _matrix(file, said).head(said.get("shape"))
        is_as_said = found and found.size == said["number_of_stored_values"]
        return found if is_as_said else None


def read_range(path: Path, head: Head, begin: int, end: int) -> tuple[Array, Array]:
    """Return the coordinates and values of the entries from one up to another."""
    package = _imported()
    with _errors(package, path), _opened(path) as (file, said):
        return _matrix(file, said).entries(begin, end)


@contextmanager
def _opened(path: Path) -> Iterator[tuple[Any, dict[str, Any]]]:
    """Open a file, and tell what it says of itself."""
    import h5py  # type: ignore[import-not-found, unused-ignore]
    from binsparse.container import HDF5BinsparseContainer

    with h5py.File(path, "r") as file:
        yield file, HDF5BinsparseContainer(file).read_header()


def _matrix(file: Any, said: dict[str, Any]) -> Matrix:
    name = _FORMATS[said["format"]]
    fields = _FIELDS[name]
    size = int(said["number_of_stored_values"])
    values, *others = (
        _Dataset(file, each, said["data_types"][each], size)
        for each in ("values", *fields.values())
    )
    return Matrix(name, values, **dict(zip(fields, others, strict=True)))


class _Dataset:
    """An array of a file, of which some elements are read."""

    def __init__(self, file: Any, name: str, declared: str, size: int) -> None:
        self._dataset = file[name]
        self._declared = declared
        self._is_same = declared.startswith("iso[")
        """Whether one value stands for all of them."""
        self._width = 2 if "complex[" in declared else 1
        self.size = size if self._is_same else self._dataset.size // self._width
        self.dtype: DType = self.elements(0, 0).dtype

    def elements(self, begin: int, end: int) -> Array:
        """Return the elements from one up to another."""
        from binsparse.container import InMemoryBinsparseContainer

        part = slice(begin * self._width, end * self._width)
        found = self._dataset[() if self._is_same else part]
        said = {"data_types": {"found": self._declared}}
        one = InMemoryBinsparseContainer(said, [np.asarray(found)])
        return np.asarray(one.read_buffer("found", end - begin))

    def chunks(self) -> Iterator[Array]:
        """Return all elements, some at a time."""
        count = max(CHUNK // self.dtype.itemsize, 1)
        for begin in range(0, self.size, count):
            yield self.elements(begin, min(begin + count, self.size))
