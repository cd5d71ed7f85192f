"""MLIR's own ``--sparsifier``, and ``--nacho-sparsifier`` on the same modules.

A library is compiled for every shape. MLIR's has one thread.
"""

import ctypes
import hashlib
import shutil
import subprocess
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from nacho_bench.kernels import KERNELS
from nacho_bench.native import BUILD, array, unpacked
from nacho_bench.operands import Operands
from nacho_bench.peers import Kernels, NotInstalledError, Prepared, UnsuitableError
from nacho_bench.peers.mlir_text import buffers, module

_TRANSLATE, _CLANG = "mlir-translate-22", "clang-22"
_TREE = Path(__file__).resolve().parents[4] / "build" / "dev"
"""Where nacho-opt and its runtime library are built."""
_C = ctypes.CDLL(None)
_C.free.argtypes = [ctypes.c_void_p]


def _descriptor(rank: int) -> type[ctypes.Structure]:
    """A memref, as MLIR passes it."""

    class Descriptor(ctypes.Structure):
        _fields_ = (
            ("allocated", ctypes.c_void_p),
            ("aligned", ctypes.c_void_p),
            ("offset", ctypes.c_int64),
            ("sizes", ctypes.c_int64 * rank),
            ("strides", ctypes.c_int64 * rank),
        )

    return Descriptor


_DESCRIPTORS = {rank: _descriptor(rank) for rank in (1, 2)}


class _Sparsifier(NamedTuple):
    """What compiles modules, and the library that compiled code needs, if any."""

    opt: str
    pipeline: str
    library: Path | None = None


class Mlir:
    def __init__(self, threads: int) -> None:
        self._sparsifier = self._with(threads)
        lacking = [
            tool
            for tool in (self._sparsifier.opt, _TRANSLATE, _CLANG)
            if shutil.which(tool) is None
        ]
        if lacking:
            raise NotInstalledError(f"{lacking[0]} is not there")
        said = subprocess.run([_TRANSLATE, "--version"], capture_output=True, text=True)
        self.version = said.stdout.split("version ")[1].split()[0]
        self.kernels: Kernels = dict.fromkeys(KERNELS, self._prepare)

    def _with(self, threads: int) -> _Sparsifier:
        return _Sparsifier("mlir-opt-22", "--sparsifier=enable-runtime-library=false")

    def _prepare(self, given: Operands) -> Prepared:
        kernel = given.kernel
        text = module(kernel, given.shapes, given.shape)
        path = compiled(text, self._sparsifier)
        function = ctypes.CDLL(str(path))._mlir_ciface_kernel
        arrays = [part for name in kernel.operands for part in _arrays(given, name)]
        call = _Call(function, arrays, _result_of(given))
        return call, lambda result: result.entries(given)


class NachoAsSparsifier(Mlir):
    def _with(self, threads: int) -> _Sparsifier:
        options = f"enable-runtime-library=false threads={threads}"
        library = _TREE / "lib" / "libnacho_runtime.so"
        if not library.exists():
            raise NotInstalledError(f"{library} is not there: run tools/dev build")
        opt = str(_TREE / "bin" / "nacho-opt")
        return _Sparsifier(opt, f"--nacho-sparsifier={options}", library)


def _arrays(given: Operands, name: str) -> list[np.ndarray]:
    """Return the arrays of an operand in the order of the function's arguments."""
    format = given.kernel.formats[name]
    if format == "dense":
        return [given.dense(name)]
    levels = given.levels(name, format)
    found: list[Any] = [
        levels.pos[level] if what == "positions" else levels.crd[level]
        for what, level in buffers(format, len(levels.shape))
    ]
    return [*found, levels.values]


def compiled(text: str, by: _Sparsifier) -> Path:
    """Return the library of a module; it is made the first time only."""
    made = [by.library, Path(by.opt)] if by.library else []
    key = [text, by.pipeline, *(str(each.stat().st_mtime_ns) for each in made)]
    name = hashlib.sha256("\0".join(key).encode()).hexdigest()[:16]
    path = BUILD / "mlir" / f"{name}.so"
    if path.exists():
        return path
    path.parent.mkdir(parents=True, exist_ok=True)
    lowered = _piped([by.opt, by.pipeline], text)
    llvm = _piped([_TRANSLATE, "--mlir-to-llvmir"], lowered)
    unfinished = path.with_suffix(".part")
    flags = ["-O3", "-march=native", "-shared", "-fPIC", "-Wno-override-module"]
    files = ["-x", "ir", "-", "-o", str(unfinished)]
    if by.library is not None:
        files += ["-x", "none", str(by.library), f"-Wl,-rpath,{by.library.parent}"]
    _piped([_CLANG, *flags, *files], llvm)
    unfinished.rename(path)
    return path


def _piped(command: list[str], text: str) -> str:
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    if done.returncode:
        said = next((s for s in done.stderr.splitlines() if "error" in s), "it failed")
        raise UnsuitableError(f"{command[0]}: {said.partition('error: ')[2] or said}")
    return done.stdout


def _result_of(given: Operands) -> type[ctypes.Structure] | None:
    """Return the structure that the function returns; None if it returns a number."""
    kernel = given.kernel
    if kernel.result == "scalar":
        return None
    if kernel.result == "dense":
        return _DESCRIPTORS[len(given.shape)]
    parts = len(buffers(kernel.result, len(given.shape))) + 1

    class Arrays(ctypes.Structure):
        _fields_ = tuple((f"part{n}", _DESCRIPTORS[1]) for n in range(parts))

    return Arrays


class _Call:
    def __init__(
        self,
        function: Any,
        arrays: list[np.ndarray],
        result: type[ctypes.Structure] | None,
    ) -> None:
        self._function = function
        self._result = result
        # The arrays have to live as long as the call may be made.
        self._arrays = arrays
        self._given = [_memref(each) for each in arrays]
        self._pointers = [ctypes.byref(each) for each in self._given]
        if result is None:
            function.restype = ctypes.c_double

    def __call__(self) -> Any:
        if self._result is None:
            return _Number(self._function(*self._pointers))
        made = self._result()
        self._function(ctypes.byref(made), *self._pointers)
        return _Arrays(made)


def _memref(values: np.ndarray) -> ctypes.Structure:
    made = _DESCRIPTORS[values.ndim]()
    address = values.ctypes.data
    fields = {"allocated": address, "aligned": address, "offset": 0}
    for field, value in fields.items():
        setattr(made, field, value)
    made.sizes[:] = values.shape
    made.strides[:] = [step // values.itemsize for step in values.strides]
    return made


class _Number(float):
    def entries(self, given: Operands) -> float:
        return float(self)


class _Arrays:
    """The arrays of a result, which are freed with it."""

    def __init__(self, made: Any) -> None:
        names = [name for name, _ in made._fields_]
        is_dense = names[0] == "allocated"
        self.parts = [made] if is_dense else [getattr(made, name) for name in names]

    def __del__(self) -> None:
        for part in self.parts:
            _C.free(part.allocated)

    def entries(self, given: Operands) -> Any:
        format, shape = given.kernel.result, given.shape
        values = _read(self.parts[-1], ctypes.c_double)
        if format == "dense":
            return values.reshape(shape)
        rank = len(shape)
        pos: list[Any] = [None] * rank
        crd: list[Any] = [np.arange(shape[0]), *[None] * (rank - 1)]
        listed = zip(buffers(format, rank), self.parts[:-1], strict=True)
        for (what, level), part in listed:
            (pos if what == "positions" else crd)[level] = _read(part, ctypes.c_int32)
        return unpacked(pos, crd), values, shape


def _read(part: Any, kind: Any) -> np.ndarray:
    size = int(np.prod(list(part.sizes)))
    return array(part.aligned, size, kind)
