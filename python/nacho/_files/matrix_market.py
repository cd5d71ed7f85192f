"""Matrix Market files, which SciPy reads and writes."""

from __future__ import annotations

import gzip
import io
import itertools
import os
import re
import zlib
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from nacho._arrays.arrays import asarray
from nacho._arrays.tensor import Tensor
from nacho._files.packing import created, is_packed
from nacho._files.progress import opened
from nacho._files.text import CHUNK, in_file, line_end, text_of
from nacho._storage.views import Array
from nacho.errors import FileError

_RANK = 2
_HEAD_LINES = 2
"""So many lines come before the entries of a part of a file."""
_SHOWN = 60
"""So many characters of a line are shown."""
_COORDINATE = 3
"""A line before coordinates has so many numbers: the shape, and how many lines follow.
"""
_FIELDS = {
    b"pattern": (0, 0),
    b"integer": (1, 0),
    b"unsigned-integer": (0, 1),
    b"real": (0, 1),
    b"double": (0, 1),
    b"complex": (0, 2),
}
"""How many integers, and then how many other numbers, a value is in a file."""
_BANNER = re.compile(rb"%+matrixmarket\s+matrix\s+(array|coordinate)\s+([\w-]+)\s")
_NEWLINE = ord("\n")
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

    text = text_of(path)
    banner, begin = b"", 0
    while begin < text.size:
        end = line_end(text, begin)
        line = text[begin:end].tobytes()
        banner, begin = banner or line, end
        if line.strip() and not line.startswith(b"%"):
            break
    _require_numbers(path, banner, text[begin:], begin)
    try:
        # Files of symmetric matrices have one half of the entries, which SciPy doubles.
        with io.BytesIO(text.tobytes()) if is_packed(path) else opened(path) as file:
            return asarray(scipy.io.mmread(file, spmatrix=False))
    except _MALFORMED as error:
        raise FileError(
            f"'{path}': {str(error).rstrip('.')}{_line_of(path, str(error))}"
        ) from error


def _require_numbers(path: Path, banner: bytes, text: Array, begin: int) -> None:
    """Refuse lines, from a byte on, that do not have the numbers of an entry.

    SciPy leaves out what is behind them, or crashes there. It refuses other banners.
    """
    from nacho._nacho import check_numbers

    found = _BANNER.match(banner.lower())
    if found is None or found[2] not in _FIELDS:
        return
    integers, numbers = _FIELDS[found[2]]
    if found[1] == b"coordinate":
        integers += _RANK
    threads, at = len(os.sched_getaffinity(0)), 0
    while at < text.size:
        end = line_end(text, at + CHUNK)
        if wrong := check_numbers(text[at:end], threads, integers, numbers):
            before = int(np.count_nonzero(text[:at] == _NEWLINE))
            message = in_file(wrong, _lines_before(path, begin) + before)
            raise FileError(f"'{path}', {message}")
        at = end


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
    _require_numbers(path, banner, np.frombuffer(text, np.uint8), begin)
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
    with gzip.open(path) if is_packed(path) else path.open("rb") as file:
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
