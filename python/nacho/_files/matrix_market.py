"""Matrix Market files, which SciPy reads and writes."""

from __future__ import annotations

import gzip
import io
import itertools
import re
import zlib
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from nacho._arrays.arrays import asarray
from nacho._arrays.tensor import Tensor
from nacho._files.packing import created
from nacho._files.progress import opened
from nacho.errors import FileError

_RANK = 2
_HEAD_LINES = 2
"""So many lines come before the entries of a part of a file."""
_SHOWN = 60
"""So many characters of a line are shown."""
_COORDINATE = 3
"""A line before coordinates has so many numbers: the shape, and how many lines follow.
"""
_MALFORMED = (ValueError, OverflowError, EOFError, gzip.BadGzipFile, zlib.error)


class Head(NamedTuple):
    """What a file in coordinate format says before its entries."""

    begin: int
    """The byte with which entries begin."""
    shape: tuple[int, ...]
    lines: int
    """The number of entries that follow, one to a line."""


def read(path: Path) -> Tensor:
    import scipy.io

    try:
        # Files of symmetric matrices have one half of the entries, which SciPy doubles.
        with opened(path) as file:
            return asarray(scipy.io.mmread(file, spmatrix=False))
    except _MALFORMED as error:
        raise FileError(
            f"'{path}': {str(error).rstrip('.')}{_line_of(path, str(error))}"
        ) from error


def head_of(path: Path) -> Head | None:
    """Return the head of a file; None if it lists no coordinates, or is malformed."""
    with path.open("rb") as file:
        if b"coordinate" not in file.readline().lower():
            return None
        for line in iter(file.readline, b""):
            words = line.split()
            if words and not words[0].startswith(b"%"):
                break
        else:
            return None
        if len(words) != _COORDINATE or not all(word.isdigit() for word in words):
            return None
        rows, columns, lines = map(int, words)
        return Head(file.tell(), (rows, columns), lines)


def read_lines(path: Path, begin: int, text: bytes, lines: int) -> Any:
    """Return the entries of some lines of a file, from a byte on, as SciPy does."""
    import scipy.io

    found = head_of(path)
    with path.open("rb") as file:
        banner = file.readline()
    if found is None:
        raise FileError(f"'{path}' has changed while it was read")
    rows, columns = found.shape
    size = f"{rows} {columns} {lines}\n".encode()
    try:
        return scipy.io.mmread(io.BytesIO(banner + size + text), spmatrix=False)
    except _MALFORMED as error:
        message = str(error).rstrip(".")
        named = re.match(r"Line (\d+)\b", message)
        if named:
            before = _lines_before(path, begin)
            number = int(named[1]) - _HEAD_LINES + before
            message = f"Line {number}{message[named.end() :]}"
        raise FileError(f"'{path}': {message}{_line_of(path, message)}") from error


def _lines_before(path: Path, begin: int) -> int:
    with path.open("rb") as file:
        return file.read(begin).count(b"\n")


def _line_of(path: Path, message: str) -> str:
    """Return the text of the line that a message names, if there is one."""
    named = re.match(r"Line (\d+)\b", message)
    if not named:
        return ""
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", errors="replace") as lines:
        line = next(itertools.islice(lines, int(named[1]) - 1, None), "").strip()
    shown = line if len(line) <= _SHOWN else f"{line[:_SHOWN]}..."
    return f": '{shown}'" if shown else ""


def write(path: Path, tensor: Tensor) -> None:
    import scipy.io

    if tensor.ndim != _RANK:
        raise FileError(
            f"'{path}': a Matrix Market file has two dimensions, not {tensor.ndim}; "
            ".tns takes any number"
        )
    values = tensor.to_dense() if tensor.format.is_dense else tensor.to_scipy()
    if values.dtype == np.bool_:
        # There are no truth values in these files.
        values = values.astype(np.int8)
    with created(path) as file:
        scipy.io.mmwrite(file, values, symmetry="general")
