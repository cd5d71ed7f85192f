"""NVIDIA's cuSPARSE, called by ctypes: where it is, and what its functions take.

The functions and types are those of ``cusparse.h`` of CUDA 12 and 13. No other part of
CUDA's toolkit is needed.
"""

import contextlib
import ctypes
import importlib.util
import os
from collections.abc import Iterator
from ctypes import POINTER, c_double, c_int, c_int64, c_size_t
from ctypes import c_void_p as pointer
from pathlib import Path
from typing import Any

from nacho_bench.peers import NotInstalledError

# Of enumerations of cuSPARSE, and of cudaDataType, what is used here.
AS_IT_IS, TRANSPOSED = 0, 1
INDEX_32, BASE_ZERO, REAL_64, ROW_MAJOR, BY_DEFAULT = 2, 0, 1, 2, 0

_new = POINTER(pointer)
_factor = POINTER(c_double)
_bytes = POINTER(c_size_t)
_sizes = POINTER(c_int64)

_DESTROYED = ("", "MatDescr", "SpMat", "DnVec", "DnMat")
# Rows and columns, then twice a factor, a description, entries, values, pos and crd.
_CSR = (pointer, c_int, pointer, pointer, pointer)
_SUM = (pointer, c_int, c_int, _factor, *_CSR, _factor, *_CSR)
_PATTERN = (pointer, c_int, pointer, pointer)
# Operations, factors, operands and the result, the type and the algorithm.
_VECTOR = (pointer, c_int, *(_factor, pointer, pointer), _factor, pointer, c_int, c_int)
_MATRICES = (pointer, c_int, *_VECTOR[1:])

_SIGNATURES: dict[str, tuple[Any, ...]] = {
    "Create": (_new,),
    "GetVersion": (pointer, POINTER(c_int)),
    "CreateMatDescr": (_new,),
    "CreateCsr": (_new, *(c_int64,) * 3, *(pointer,) * 3, *(c_int,) * 4),
    "CsrSetPointers": (pointer, pointer, pointer, pointer),
    "SpMatGetSize": (pointer, _sizes, _sizes, _sizes),
    "CreateDnVec": (_new, c_int64, pointer, c_int),
    "CreateDnMat": (_new, c_int64, c_int64, c_int64, pointer, c_int, c_int),
    **{f"Destroy{kind}": (pointer,) for kind in _DESTROYED},
    "Dcsrgeam2_bufferSizeExt": (*_SUM, *(pointer,) * 4, _bytes),
    "Xcsrgeam2Nnz": (
        *(pointer, c_int, c_int, *_PATTERN, *_PATTERN),
        *(pointer, pointer, POINTER(c_int), pointer),
    ),
    "Dcsrgeam2": (*_SUM, *(pointer,) * 5),
    "SpMV_bufferSize": (*_VECTOR, _bytes),
    "SpMV": (*_VECTOR, pointer),
    "SpMM_bufferSize": (*_MATRICES, _bytes),
    "SpMM": (*_MATRICES, pointer),
    "SDDMM_bufferSize": (*_MATRICES, _bytes),
    "SDDMM_preprocess": (*_MATRICES, pointer),
    "SDDMM": (*_MATRICES, pointer),
    "SpGEMM_createDescr": (_new,),
    "SpGEMM_destroyDescr": (pointer,),
    "SpGEMM_workEstimation": (*_MATRICES, pointer, _bytes, pointer),
    "SpGEMM_compute": (*_MATRICES, pointer, _bytes, pointer),
    "SpGEMM_copy": (*_MATRICES, pointer),
}
_OPTIONAL: dict[str, tuple[Any, ...]] = {
    "SpMV_preprocess": (*_VECTOR, pointer),
    "SpMM_preprocess": (*_MATRICES, pointer),
}
"""The functions that only newer versions have."""


class CusparseError(RuntimeError):
    """A function of cuSPARSE failed; the text says which one, and how."""


class Cusparse:
    """The functions of cuSPARSE, by their names without the prefix, and a handle."""

    def __init__(self) -> None:
        self._library = _load()
        try:
            self.handle = self.make("Create", "Destroy")
        except CusparseError as error:
            raise NotInstalledError(str(error)) from error

    def __call__(self, function: str, *arguments: Any) -> None:
        """Call a function; raise CusparseError if it fails."""
        status = getattr(self._library, f"cusparse{function}")(*arguments)
        if status:
            raise CusparseError(
                f"cusparse{function} failed: {self._name(status)} ({status})"
            )

    def has(self, function: str) -> bool:
        return hasattr(self._library, f"cusparse{function}")

    def make(self, create: str, destroy: str, *arguments: Any) -> "Object":
        """Return what a function makes, whose first argument is the place for it."""
        made = pointer()
        self(create, ctypes.byref(made), *arguments)
        return Object(self, destroy, made)

    def version(self) -> str:
        found = c_int()
        self("GetVersion", self.handle, ctypes.byref(found))
        major, rest = divmod(found.value, 1000)
        return f"{major}.{rest // 100}.{rest % 100}"

    def _name(self, status: int) -> str:
        function = self._library.cusparseGetErrorName
        function.restype = ctypes.c_char_p
        name: bytes = function(c_int(status))
        return name.decode()


class Object:
    """Something that cuSPARSE made; it is destroyed with this.

    ``kept`` are arrays that it describes.
    """

    def __init__(self, cusparse: Cusparse, destroy: str, handle: pointer) -> None:
        self._cusparse = cusparse
        self._destroy = destroy
        self._as_parameter_ = handle
        self.kept: tuple[Any, ...] = ()

    def __del__(self) -> None:
        # While Python ends, modules may be gone already.
        with contextlib.suppress(CusparseError, AttributeError, TypeError):
            self._cusparse(self._destroy, self)


def candidates() -> Iterator[Path | str]:
    """Return where the library may be, the most special place first."""
    named = os.environ.get("NACHO_LIBCUSPARSE")
    if named:
        yield named
        return
    for folder in (*_wheels(), *_toolkits()):
        yield from sorted(folder.glob("libcusparse.so*"), reverse=True)
    yield from ("libcusparse.so.12", "libcusparse.so.11", "libcusparse.so")


def _wheels() -> list[Path]:
    """Return the folders of libraries of NVIDIA's wheels."""
    nvidia = importlib.util.find_spec("nvidia")
    places = (nvidia.submodule_search_locations if nvidia else None) or ()
    return [folder for place in places for folder in sorted(Path(place).glob("*/lib"))]


def _toolkits() -> list[Path]:
    homes = (os.environ.get(name) for name in ("CUDA_HOME", "CUDA_PATH"))
    roots = [Path(home) for home in homes if home] + [Path("/usr/local/cuda")]
    return [root / name for root in roots for name in ("lib64", "lib")]


def _load() -> Any:
    # cuSPARSE looks for this one by its name.
    for folder in _wheels():
        for found in folder.glob("libnvJitLink.so*"):
            _opened(found)
    reasons = []
    for place in candidates():
        library = _opened(place)
        if isinstance(library, ctypes.CDLL):
            return _typed(library)
        reasons.append(library)
    hint = "pip install nvidia-cusparse, or set CUDA_HOME"
    raise NotInstalledError(f"no libcusparse.so ({reasons[0]}): {hint}")


def _opened(place: Path | str) -> ctypes.CDLL | str:
    """Return a library, or why it cannot be loaded."""
    try:
        return ctypes.CDLL(str(place), ctypes.RTLD_GLOBAL)
    except OSError as error:
        return str(error)


def _typed(library: ctypes.CDLL) -> ctypes.CDLL:
    """Set the types of the functions' parameters."""
    try:
        for name, types in _SIGNATURES.items():
            getattr(library, f"cusparse{name}").argtypes = types
    except AttributeError as error:
        raise NotInstalledError(f"this cuSPARSE is too old: {error}") from error
    for name, types in _OPTIONAL.items():
        if hasattr(library, f"cusparse{name}"):
            getattr(library, f"cusparse{name}").argtypes = types
    return library
