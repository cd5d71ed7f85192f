"""SciPy's own files of sparse matrices, which are archives of NumPy's arrays.

A part of one is read without the rest, so that a file may be larger than the memory.
"""

from __future__ import annotations

import os
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import numpy as np

from nacho._arrays.arrays import asarray
from nacho._arrays.tensor import Tensor
from nacho._elements import DType
from nacho._files.in_part import CHUNK, Head, Matrix
from nacho._files.progress import opened
from nacho._storage.views import Array
from nacho.errors import FileError

_COMPRESSED = {"inner": "indices", "pos": "indptr"}
_ARRAYS = {
    "csr": _COMPRESSED,
    "csc": _COMPRESSED,
    "coo": {"inner": "col", "outer": "row"},
}
"""The arrays with the coordinates of entries, in formats that are read in part."""
_LOCAL_HEAD = struct.Struct("<26xHH")
"""What an array begins with in an archive: two lengths, of its name and of more."""
_MALFORMED = (
    ValueError,
    KeyError,
    EOFError,
    OSError,
    struct.error,
    zlib.error,
    zipfile.BadZipFile,
)


def read(path: Path) -> Tensor:
    import scipy.sparse

    try:
        with opened(path) as file:
            return asarray(scipy.sparse.load_npz(file))
    except (ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise FileError(f"'{path}' is no file of scipy.sparse.save_npz") from error


def write(path: Path, tensor: Tensor) -> None:
    import scipy.sparse

    if tensor.ndim == 0:
        raise FileError(f"'{path}': SciPy has no sparse numbers")
    with path.open("wb") as file:
        scipy.sparse.save_npz(file, tensor.to_scipy())


# --- Parts ----------------------------------------------------------------------------


def head_of(path: Path) -> Head | None:
    """Return the head of a file; None if it is read as a whole, or is malformed."""
    try:
        with zipfile.ZipFile(path) as archive:
            name = np.lib.format.read_array(archive.open("format.npy")).item()
            shape = np.lib.format.read_array(archive.open("shape.npy")).tolist()
            name = name.decode() if isinstance(name, bytes) else str(name)
            return _matrix(archive, name).head(shape) if name in _ARRAYS else None
    except _MALFORMED:
        return None


def read_range(path: Path, head: Head, begin: int, end: int) -> tuple[Array, Array]:
    """Return the coordinates and values of the entries from one up to another."""
    try:
        with zipfile.ZipFile(path) as archive:
            return _matrix(archive, head.format).entries(begin, end)
    except _MALFORMED as error:
        raise FileError(f"'{path}' is no file of scipy.sparse.save_npz") from error


def _matrix(archive: zipfile.ZipFile, format: str) -> Matrix:
    arrays = {field: _Member(archive, x) for field, x in _ARRAYS[format].items()}
    return Matrix(format, _Member(archive, "data"), **arrays)


class _Member:
    """An array of an archive, of which some elements are read."""

    def __init__(self, archive: zipfile.ZipFile, name: str) -> None:
        self._archive = archive
        self._path = Path(str(archive.filename))
        self._name = f"{name}.npy"
        with archive.open(self._name) as file:
            major, _ = np.lib.format.read_magic(file)
            read_header = (
                np.lib.format.read_array_header_1_0
                if major == 1
                else np.lib.format.read_array_header_2_0
            )
            (self.size,), _, dtype = read_header(file)
            self._begin = file.tell()
        self.dtype: DType = dtype
        if dtype.hasobject:
            raise ValueError(f"'{name}' has objects")

    def elements(self, begin: int, end: int) -> Array:
        """Return the elements from one up to another."""
        count = end - begin
        with self._opened(begin) as file:
            return np.frombuffer(
                file.read(count * self.dtype.itemsize), self.dtype, count
            )

    def chunks(self) -> Iterator[Array]:
        """Return all elements, some at a time."""
        count = max(CHUNK // self.dtype.itemsize, 1)
        with self._opened(0) as file:
            for begin in range(0, self.size, count):
                size = min(count, self.size - begin)
                text = file.read(size * self.dtype.itemsize)
                yield np.frombuffer(text, self.dtype, size)

    @contextmanager
    def _opened(self, element: int) -> Iterator[IO[bytes]]:
        """Open the archive where an element begins."""
        ahead = self._begin + element * self.dtype.itemsize
        info = self._archive.getinfo(self._name)
        if info.compress_type == zipfile.ZIP_STORED:
            with self._path.open("rb") as file:
                file.seek(info.header_offset)
                name_and_more = _LOCAL_HEAD.unpack(file.read(_LOCAL_HEAD.size))
                file.seek(sum(name_and_more) + ahead, os.SEEK_CUR)
                yield file
            return
        with self._archive.open(self._name) as packed:
            while ahead:
                # What comes before has to be unpacked.
                ahead -= len(packed.read(min(ahead, CHUNK))) or ahead
            yield packed
