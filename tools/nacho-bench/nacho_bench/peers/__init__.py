"""The peers that nacho is compared with: a module each, loaded only in its own process.

The class of a peer is made with the number of threads. Its ``kernels`` map the name of
a kernel to a function that takes the operands and returns two functions: the call to
be timed, and one that turns the call's value into a result. A result is a number, a
dense array, or a tuple of coordinates, values and shape.

Peers on a GPU have classes of their own. Their ``timed`` calls a function, and measures
the seconds by the clock of the GPU; their ``included`` says what else is in the time.
"""

import importlib
from collections.abc import Callable
from typing import Any

Prepared = tuple[Callable[[], Any], Callable[[Any], Any]]
Kernels = dict[str, Callable[[Any], Prepared]]

OURS, UNMAPPED, BEFORE = "nacho", "nacho-unmapped", "before"
"""The second is nacho with remap=False, for one of the figures only; the third is the
nacho of another checkout, which ``--against`` names."""

MLIR, SPARSIFIER = "mlir", "nacho-sparsifier"
"""MLIR's sparsifier, and Nacho in its place: both compile the same modules."""

_CLASSES = {
    OURS: "nacho_peer:Nacho",
    UNMAPPED: "nacho_peer:Unmapped",
    BEFORE: "nacho_peer:Nacho",
    "scipy": "scipy_peer:SciPy",
    "torch": "torch_peer:Torch",
    "mkl": "mkl_peer:Mkl",
    "mkl-sorted": "mkl_peer:MklSorted",
    "graphblas": "graphblas_peer:GraphBLAS",
    "sparse": "sparse_peer:Sparse",
    MLIR: "mlir_peer:Mlir",
    SPARSIFIER: "mlir_peer:NachoAsSparsifier",
    "eigen": "eigen_peer:Eigen",
    "reference": "reference_peer:Reference",
}
_GPU_CLASSES = {
    OURS: "nacho_gpu_peer:NachoOnGpu",
    BEFORE: "nacho_gpu_peer:NachoOnGpu",
    "cusparse": "cusparse_peer:CusparsePeer",
    "torch": "torch_peer:TorchOnGpu",
    "cupy": "cupy_peer:CuPy",
    "scipy": "scipy_peer:SciPy",
}
NAMES = tuple(name for name in _CLASSES if name not in (UNMAPPED, BEFORE))
GPU_NAMES = tuple(name for name in _GPU_CLASSES if name != BEFORE)
WITNESS = "scipy"
"""Among the peers on a GPU, the one on the host: its results are compared with the
others', but its times are not."""


class NotInstalledError(Exception):
    """A peer is not there; the text says what is missing."""


class UnsuitableError(Exception):
    """A peer has the kernel, but not for these operands; the text says why."""


def load(name: str, threads: int, on_gpu: bool = False) -> Any:
    """Return a peer, or raise NotInstalledError."""
    classes = _GPU_CLASSES if on_gpu else _CLASSES
    module, _, made = classes[name].partition(":")
    try:
        found = importlib.import_module(f"nacho_bench.peers.{module}")
    except ImportError as error:
        raise NotInstalledError(str(error)) from error
    return getattr(found, made)(threads)
