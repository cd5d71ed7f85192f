"""Files of binsparse in HDF5, by the package of that name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from nacho._arrays.arrays import asarray
from nacho._arrays.tensor import Tensor
from nacho.errors import FileError, NachoError

_SPARSE = {
    "csr": "CSRMatrix",
    "csc": "CSCMatrix",
    "dcsr": "DCSRMatrix",
    "dcsc": "DCSCMatrix",
    "coo": "COORMatrix",
}


def read(path: Path) -> Tensor:
    package = _imported()
    try:
        found = package.load_binsparse(path, copy=True)
        return _tensor(found)
    except FileNotFoundError:
        raise
    except NachoError as error:
        raise FileError(f"'{path}': {error}") from error
    except (package.BinsparseParseError, ValueError, OSError, KeyError) as error:
        raise FileError(f"'{path}' cannot be read: {error}") from error


def write(path: Path, tensor: Tensor) -> None:
    package = _imported()
    package.save_binsparse(_matrix(package, path, tensor), path)


def _imported() -> Any:
    try:
        import binsparse
    except ImportError as error:
        message = "files of binsparse need the packages binsparse and h5py"
        raise FileError(f"{message}: pip install binsparse h5py") from error
    return binsparse


def _tensor(found: Any) -> Tensor:
    if found.fill is True and found.fill_value != 0:
        raise FileError(f"what is not stored is {found.fill_value} in it, not 0")
    kind = type(found).__name__
    if kind in ("COORMatrix", "COOMatrix"):
        coords = np.array([found.indices_0, found.indices_1])
        return Tensor.from_coo(coords, found.values, shape=found.shape)
    name = next((name for name, each in _SPARSE.items() if each == kind), None)
    if name in ("csr", "csc"):
        pos, crd = [None, found.pointers_to_1], [None, found.indices_1]
    elif name in ("dcsr", "dcsc"):
        outer = np.array([0, len(found.indices_0)], found.pointers_to_1.dtype)
        pos, crd = [outer, found.pointers_to_1], [found.indices_0, found.indices_1]
    else:
        return asarray(_dense(found, kind))
    return Tensor.from_parts(name, found.shape, pos, crd, found.values)


def _dense(found: Any, kind: str) -> Any:
    from binsparse.conversions.numpy import to_numpy

    try:
        return to_numpy(found)
    except TypeError:
        raise FileError(f"it has the format {kind}, which is not supported") from None


def _matrix(package: Any, path: Path, tensor: Tensor) -> Any:
    if tensor.format.is_dense:
        from binsparse.conversions.numpy import from_numpy

        return from_numpy(tensor.to_dense())
    name = tensor.format.name
    if tensor.ndim != 2 or name not in _SPARSE:
        raise FileError(
            f"'{path}': files of binsparse are matrices, {', '.join(_SPARSE)}, dense, "
            f"not {tensor.format} of {tensor.ndim} dimensions"
        )
    arrays: dict[str, Any] = {"values": tensor.values}
    if name == "coo":
        arrays |= {"indices_0": tensor.crd[0], "indices_1": tensor.crd[1]}
    else:
        arrays |= {"pointers_to_1": tensor.pos[1], "indices_1": tensor.crd[1]}
    if name in ("dcsr", "dcsc"):
        arrays["indices_0"] = tensor.crd[0]
    return getattr(package, _SPARSE[name])(tensor.shape, tensor.nnz, **arrays)
