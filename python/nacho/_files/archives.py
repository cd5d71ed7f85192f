"""SciPy's own files of sparse matrices."""

from __future__ import annotations

from pathlib import Path

from nacho._arrays.arrays import asarray
from nacho._arrays.tensor import Tensor
from nacho.errors import FileError


def read(path: Path) -> Tensor:
    import zipfile

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
