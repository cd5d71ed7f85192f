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
from typing import IO, NamedTuple

import numpy as np

from nacho._arrays.arrays import asarray
from nacho._arrays.tensor import Tensor
from nacho._elements import DType
from nacho._storage.views import Array
from nacho.errors import FileError

_CHUNK = 1 << 20
"""So many bytes of an array are read at a time where most of it is not kept."""
_COORDINATES = {
    "csr": ("indptr", "indices"),
    "csc": ("indptr", "indices"),
    "coo": ("row", "col"),
}
"""The arrays with the coordinates of entries, in formats that are read in part."""
_RANK = 2
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


class Head(NamedTuple):
    """What a file says of a matrix that is read in part."""

    format: str
    shape: tuple[int, ...]
    size: int
    """The number of entries."""
    width: int
    """How many bytes an entry has in the file, unpacked."""


def read(path: Path) -> Tensor:
    import scipy.sparse

    try:
        return asarray(scipy.sparse.load_npz(path))
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
            format = np.lib.format.read_array(archive.open("format.npy")).item()
            name = format.decode() if isinstance(format, bytes) else str(format)
            if name not in _COORDINATES:
                return None
            shape = np.lib.format.read_array(archive.open("shape.npy")).tolist()
            arrays = [_Member(archive, each) for each in ("data", *_COORDINATES[name])]
    except _MALFORMED:
        return None
    size = arrays[0].size
    listed = arrays[-1:] if name != "coo" else arrays[1:]
    is_shape = len(shape) == _RANK and all(isinstance(x, int) and x >= 0 for x in shape)
    if not is_shape or any(each.size != size for each in listed):
        return None
    width = sum(each.dtype.itemsize for each in (arrays[0], *listed))
    return Head(name, tuple(shape), size, width)


def read_range(path: Path, head: Head, begin: int, end: int) -> tuple[Array, Array]:
    """Return the coordinates and values of the entries from one up to another."""
    try:
        with zipfile.ZipFile(path) as archive:
            values = _Member(archive, "data").elements(begin, end)
            outer, inner = (_Member(archive, x) for x in _COORDINATES[head.format])
            columns = inner.elements(begin, end)
            if head.format == "coo":
                rows = outer.elements(begin, end)
            else:
                rows = _fibers(outer, begin, end, head.size)
    except _MALFORMED as error:
        raise FileError(f"'{path}' is no file of scipy.sparse.save_npz") from error
    if head.format == "csc":
        rows, columns = columns, rows
    return np.array([rows, columns]), values


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
        count = max(_CHUNK // self.dtype.itemsize, 1)
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
                ahead -= len(packed.read(min(ahead, _CHUNK))) or ahead
            yield packed


def _fibers(pos: _Member, begin: int, end: int, size: int) -> Array:
    """Return the coordinates of the fibers in which some entries lie.

    ``pos`` says where each fiber begins, and where the last one ends.
    """
    first, last = 0, 0
    starts = np.zeros(end - begin, np.int64)
    for number, chunk in enumerate(pos.chunks()):
        if number == 0 and chunk[0] != 0:
            raise ValueError("the first fiber begins behind an entry")
        if chunk[0] < last or (chunk[1:] < chunk[:-1]).any():
            raise ValueError("a fiber ends before it begins")
        last = chunk[-1]
        low, high = np.searchsorted(chunk, [begin, end - 1], "right")
        # Each of the entries has so many more fibers before it than those before it.
        first += int(low)
        starts += np.bincount(chunk[low:high] - begin, minlength=end - begin)
    if last != size:
        raise ValueError("the last fiber does not end with the last entry")
    return first - 1 + np.cumsum(starts)
