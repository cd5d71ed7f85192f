"""Dense tensors in files: NumPy's ``.npy``, and tables of numbers, ``.csv``."""

from __future__ import annotations

import gzip
import re
import warnings
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from nacho._arrays.tensor import Tensor
from nacho._files.packing import created
from nacho._files.progress import opened
from nacho._storage.views import Array
from nacho.errors import FileError

_DIGITS = {"float32": "%.9g", "float64": "%.17g"}
"""How numbers are written, so that they are read as the same."""


def read_npy(path: Path) -> Tensor:
    """Read an array of NumPy's; objects of Python are refused."""
    try:
        found = np.load(path, allow_pickle=False)
    except (ValueError, EOFError, OSError) as error:
        raise FileError(f"'{path}' is no array of NumPy: {error}") from error
    return Tensor.from_dense(_required_rank(path, found), "dense")


def write_npy(path: Path, tensor: Tensor) -> None:
    np.save(path, _elements(path, tensor), allow_pickle=False)


def read_csv(path: Path, dtype: np.dtype[Any] | None = None) -> Tensor:
    """Read lines of numbers between commas; one number in each line is a vector.

    Integers are read as such, if they are asked for, and others refused.
    """
    is_integral = dtype is not None and dtype.kind in "iu"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # that there are no numbers
            kind = dtype if is_integral else np.float64
            with opened(path) as file:
                found = np.loadtxt(file, kind, delimiter=",", ndmin=2)
    except (ValueError, EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise FileError(f"'{path}': {_of_lines(str(error))}") from error
    if not found.size:
        raise FileError(f"'{path}' has no numbers")
    is_vector = found.shape[1] == 1
    return Tensor.from_dense(found[:, 0] if is_vector else found, "dense")


def write_csv(path: Path, tensor: Tensor) -> None:
    """Write lines of numbers, a line for each row; those of a vector have one."""
    elements = _elements(path, tensor)
    if elements.ndim > 2 or np.iscomplexobj(elements):
        what = f"{elements.ndim} dimensions" if elements.ndim > 2 else "complex numbers"
        raise FileError(f"'{path}': a table has no {what}: write .npy")
    with created(path) as file:
        np.savetxt(file, elements, _DIGITS.get(elements.dtype.name, "%d"), ",")


def _elements(path: Path, tensor: Tensor) -> Array:
    """Return all elements of a dense tensor, or refuse one that is not dense."""
    if not tensor.format.is_dense:
        raise FileError(
            f"'{path}' would have all elements, zeros included, of a tensor in "
            f"{tensor.format}: write .npz, .mtx or .tns, or convert it to dense; ask "
            'for that with out="dense"'
        )
    return tensor.to_dense()


def _required_rank(path: Path, found: Array) -> Array:
    if not found.ndim:
        raise FileError(f"'{path}' has a number, and no tensor")
    return found


def _of_lines(message: str) -> str:
    """Return a message of NumPy about rows as one about lines, which begin at 1.

    NumPy counts rows from 0, but from 1 where they have too few or too many columns.
    """
    first = 0 if "columns changed" in message else 1
    text = message.partition(";")[0]
    return re.sub(r"\brow (\d+)", lambda row: f"line {int(row[1]) + first}", text)
