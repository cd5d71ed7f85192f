"""Tensors in files: the kind of a file is the end of its name.

.mtx  .mtx.gz   Matrix Market, by SciPy
.tns  .tns.gz   FROSTT: a line for each entry
.npz            SciPy's own
.bsp.h5         binsparse, by the packages binsparse and h5py
.npy            NumPy's, for dense tensors
.csv  .csv.gz   a table of numbers, for dense matrices and vectors
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from nacho._arrays.arrays import asarray
from nacho._arrays.tensor import Tensor
from nacho._files import archives, binsparse, dense, frostt, matrix_market
from nacho._files.progress import asked
from nacho._progress import Progress, checked_progress
from nacho._storage.formats import Format
from nacho.errors import (
    DTypeError,
    FileError,
    NachoError,
    OutOfMemoryError,
    file_access_error,
)

Name = str | os.PathLike[str]

_READERS: dict[str, Callable[[Path], Tensor]] = {
    ".mtx": matrix_market.read,
    ".npz": archives.read,
    ".bsp.h5": binsparse.read,
    ".npy": dense.read_npy,
}
_WRITERS: dict[str, Callable[[Path, Tensor], None]] = {
    ".mtx": matrix_market.write,
    ".tns": frostt.write,
    ".npz": archives.write,
    ".bsp.h5": binsparse.write,
    ".npy": dense.write_npy,
    ".csv": dense.write_csv,
}
_PACKED = (".mtx", ".tns", ".csv")
"""Kinds of files that may be packed by gzip."""


def read(
    path: Name,
    *,
    format: str | Format | None = None,
    dtype: DTypeLike | None = None,
    shape: Sequence[int] | None = None,
    progress: Progress = None,
) -> Tensor:
    """Read a tensor from a file, whose name says what is in it.

    Parameters
    ----------
    path
        The file: ``.mtx`` (Matrix Market) and ``.tns`` (FROSTT), which may be packed
        (``.mtx.gz``), ``.npz`` (SciPy) or ``.bsp.h5`` (binsparse). Dense tensors are in
        ``.npy`` (NumPy) or ``.csv``, a table of numbers that may be packed.
    format
        The format of the tensor. By default, it is stored as the file stores it.
    dtype
        The type of the values. By default, it is that of the file.
    shape
        The extents of a tensor in ``.tns``, which has none: without it, they are the
        smallest that hold every entry.
    progress
        True for a bar that shows how much of a file of text, or of a packed one, is
        read, by tqdm where it is installed, if it takes more than a second; or a
        function ``(done, bytes)``. By default, there is a bar on terminals; False for
        none.

    Examples
    --------
    >>> nacho.read("nell-2.tns")  # doctest: +SKIP
    """
    place = Path(path)
    kind = kind_of(place)
    if shape is not None and kind != ".tns":
        raise FileError(f"'{place}' has a shape of its own: shape= is for .tns")
    with _named_access(), place.open("rb"):
        pass  # else each library has words of its own for what cannot be opened
    if dtype is not None:
        dtype = _checked(dtype)
    wanted = False if progress is False else checked_progress(progress)
    before = asked.set(wanted)
    try:
        if kind == ".tns":
            tensor = frostt.read(place, shape, dtype)
        elif kind == ".csv":
            tensor = dense.read_csv(place, dtype)
        else:
            tensor = _READERS[kind](place)
    except FileError:
        raise
    except MemoryError as error:
        raise OutOfMemoryError(f"'{place}': {error}") from error
    except NachoError as error:
        raise FileError(f"'{place}': {error}") from error
    finally:
        asked.reset(before)
    if dtype is not None and tensor.dtype != dtype:
        tensor = tensor.astype(dtype)
    return tensor if format is None else tensor.convert(format)


def write(path: Name, tensor: Any) -> None:
    """Write a tensor into a file.

    Parameters
    ----------
    path
        The file, whose name says what it will be, as for ``nacho.read``.
    tensor
        A tensor, or any container that ``nacho.asarray`` takes. Entries that are zero
        are kept.

    Examples
    --------
    >>> nacho.write("z.mtx", Z)  # doctest: +SKIP
    """
    place = Path(path)
    writer = _WRITERS[kind_of(place)]
    made = asarray(tensor).to("cpu")
    with _named_access():
        writer(place, made)


@contextmanager
def _named_access() -> Iterator[None]:
    """Make the errors of the system errors of Nacho, too."""
    try:
        yield
    except NachoError:
        raise
    except OSError as error:
        if error.errno is None or error.filename is None:
            raise
        reason = error.strerror or ""
        raise file_access_error(error.errno, reason, error.filename) from error


def _checked(dtype: DTypeLike) -> np.dtype[Any]:
    try:
        return np.dtype(dtype)
    except TypeError as error:
        raise DTypeError(f"dtype={dtype!r}: {error}") from error


def kind_of(path: Path) -> str:
    """Return the end of a name that says what is in a file."""
    name = path.name.lower()
    for kind in _WRITERS:
        if name.endswith((kind, f"{kind}.gz") if kind in _PACKED else kind):
            return kind
    known = ", ".join(sorted(_WRITERS))
    raise FileError(
        f"'{path}': the end of the name says what is in a file, one of {known}; "
        f"{', '.join(_PACKED)} may be followed by .gz"
    )
