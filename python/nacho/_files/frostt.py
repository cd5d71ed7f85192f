"""FROSTT's files: a line for each entry, its coordinates, from 1 on, and its value.

The shape and the type are not in such a file, but comments, ``# shape: 3 4 5`` and
``# dtype: int64``, are written before the entries, and read.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import DTypeLike

from nacho._arrays.tensor import Tensor
from nacho._elements import ELEMENTS
from nacho._files.packing import created
from nacho._files.progress import progress
from nacho._files.text import CHUNK, in_file, line_end, text_of
from nacho._storage.input_checks import checked_shape
from nacho._storage.views import Array
from nacho.errors import FileError

_COMMENT = re.compile(rb"^# (shape|dtype):([ \w]*)$", re.MULTILINE)
_TYPES = tuple(str(dtype) for dtype in ELEMENTS.values() if dtype.kind != "c")
_HEAD = 1 << 16
"""The shape is looked for in so many bytes."""


def read(
    path: Path, shape: Sequence[int] | None, dtype: DTypeLike | None = None
) -> Tensor:
    extents = None if shape is None else checked_shape(shape)
    text = text_of(path)
    head = _head_of(text)
    if extents is None:
        extents = _shape_in(head)
    kind = np.dtype(_type_in(path, head) if dtype is None else dtype)
    coords, values = _entries(path, text, kind.kind in "iub")
    values = values.astype(kind) if dtype is None else values
    rank = len(extents) if extents is not None else len(coords)
    if not values.size:
        if extents is None:
            raise FileError(f"'{path}' has no entries, and no shape: give one, shape=")
        coords = np.empty((rank, 0), np.int64)
    if rank != len(coords):
        raise FileError(
            f"'{path}': entries have {len(coords)} coordinates, but the shape {rank}"
        )
    return Tensor.from_coo(coords, values, shape=extents)


def shape_in(path: Path) -> tuple[int, ...] | None:
    """Return the shape in the comments of a file; None if there is none."""
    return _shape_in(_head_of(text_of(path)))


def read_range(
    path: Path, begin: int, end: int, dtype: DTypeLike | None = None
) -> tuple[Array, Array]:
    """Return the coordinates and values of the lines that begin in a range of bytes."""
    text = text_of(path)
    kind = np.dtype(_type_in(path, _head_of(text)) if dtype is None else dtype)
    first = line_end(text, begin - 1) if begin else 0
    last = line_end(text, end - 1) if end else 0
    coords, values = _entries(path, text[:last], kind.kind in "iub", first)
    return coords, values.astype(kind, copy=False)


def _head_of(text: Array) -> Mapping[bytes, bytes]:
    return dict(_COMMENT.findall(text[:_HEAD].tobytes()))


def _shape_in(head: Mapping[bytes, bytes]) -> tuple[int, ...] | None:
    if b"shape" not in head:
        return None
    return checked_shape([int(extent) for extent in head[b"shape"].split()])


def _type_in(path: Path, head: Mapping[bytes, bytes]) -> str:
    name = head.get(b"dtype", b"float64").decode().strip()
    if name not in _TYPES:
        raise FileError(f"'{path}': the type '{name}' is none of {', '.join(_TYPES)}")
    return name


def write(path: Path, tensor: Tensor) -> None:
    from nacho._nacho import write_entries

    if tensor.dtype.kind == "c":
        raise FileError(f"'{path}': a .tns file has no complex numbers")
    sparse = tensor.convert("coo") if tensor.format.is_dense else tensor
    kind = np.float64 if tensor.dtype.kind == "f" else np.int64
    head = f"# shape: {' '.join(map(str, tensor.shape))}\n# dtype: {tensor.dtype}\n"
    body = write_entries(
        np.ascontiguousarray(sparse.coords, np.int64),
        np.ascontiguousarray(sparse.values.reshape(-1), kind),
    )
    with created(path) as file:
        file.write(head.encode())
        file.write(body)


def _entries(
    path: Path, text: Array, are_whole: bool, begin: int = 0
) -> tuple[Array, Array]:
    """Read the entries behind a byte, some at a time; values may be integers."""
    from nacho._nacho import read_entries

    found: list[tuple[Array, Array]] = []
    threads = len(os.sched_getaffinity(0))
    with progress(f"reading {path.name}", text.size - begin) as advance:
        while begin < text.size:
            end = line_end(text, begin + CHUNK)
            try:
                # A copy: a file may change while it is read.
                part = np.array(text[begin:end])
                coords, values = read_entries(part, threads, are_whole)
            except ValueError as error:
                lines = int(np.count_nonzero(text[:begin] == ord("\n")))
                raise FileError(f"'{path}', {in_file(str(error), lines)}") from None
            if values.size:
                found.append((coords, values))
            if found and len(coords) != len(found[0][0]) and values.size:
                raise FileError(f"'{path}': not all entries have as many coordinates")
            advance(end - begin)
            begin = end
    if not found:
        return np.empty((0, 0), np.int64), np.empty(0)
    if len(found) == 1:
        return found[0]
    coords, values = zip(*found, strict=True)
    return np.concatenate(coords, axis=1), np.concatenate(values)
