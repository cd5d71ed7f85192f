"""Files of lines of numbers, as the bytes that are in them, unpacked."""

from __future__ import annotations

import gzip
import re
import zlib
from pathlib import Path

import numpy as np

from nacho._files.packing import is_packed
from nacho._files.progress import unpacked
from nacho._storage.views import Array
from nacho.errors import FileError

CHUNK = 1 << 26
"""So many bytes are read at a time, between which a bar tells the progress."""


def text_of(path: Path) -> Array:
    """Return the bytes of a file, unpacked."""
    if is_packed(path):
        try:
            with unpacked(path) as file:
                text = file.read()
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise FileError(f"'{path}' is packed badly: {error}") from error
        return np.frombuffer(text, np.uint8)
    if path.stat().st_size:
        return np.memmap(path, np.uint8, "r")
    return np.empty(0, np.uint8)


def line_end(text: Array, at: int) -> int:
    """Return where the line ends in which a position lies."""
    while at < text.size:
        newlines = np.flatnonzero(text[at : at + 4096] == ord("\n"))
        if newlines.size:
            return at + int(newlines[0]) + 1
        at += 4096
    return text.size


def in_file(message: str, before: int) -> str:
    """Count the lines before a part of a file in a message on one of its lines."""
    return re.sub(r"\d+", lambda found: str(int(found[0]) + before), message, count=1)
