"""Matrix Market files, which SciPy reads and writes."""

from __future__ import annotations

import gzip
import itertools
import re
import zlib
from pathlib import Path

import numpy as np

from nacho._arrays.arrays import asarray
from nacho._arrays.tensor import Tensor
from nacho._files.packing import created
from nacho.errors import FileError

_RANK = 2
_SHOWN = 60
"""So many characters of a line are shown."""
_MALFORMED = (ValueError, OverflowError, EOFError, gzip.BadGzipFile, zlib.error)


def read(path: Path) -> Tensor:
    import scipy.io

    try:
        # Files of symmetric matrices have one half of the entries, which SciPy doubles.
        return asarray(scipy.io.mmread(path, spmatrix=False))
    except _MALFORMED as error:
        raise FileError(
            f"'{path}': {str(error).rstrip('.')}{_line_of(path, str(error))}"
        ) from error


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
