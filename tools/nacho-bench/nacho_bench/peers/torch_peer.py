"""PyTorch on the CPU: it calls MKL for CSR, and has code of its own for COO."""

import warnings
from typing import Any

import torch

from nacho_bench.cuda import Cuda
from nacho_bench.operands import Operands
from nacho_bench.peers import Kernels, NotInstalledError, Prepared

warnings.filterwarnings("ignore", message="Sparse")


class Torch:
    def __init__(self, threads: int) -> None:
        torch.set_num_threads(threads)
        self.version = torch.__version__
        self.kernels: Kernels = {
            "csr-add": _add,
            "csr-add3": _add,
            "csr-mul": _multiply,
            "coo-add": _add,
            "coo-mul": _multiply,
            "coo3-add": _add,
            "csf-add": _add,
            "coo3-inner": _inner,
            "csf-inner": _inner,
            "spgemm": lambda given: _times(given, _csr(given, "B")),
            "spmv": lambda given: _times(given, _dense(given, "x")),
            "spmm": lambda given: _times(given, _dense(given, "D")),
            "sddmm": _sddmm,
        }


class TorchOnGpu(Torch):
    """PyTorch on a GPU, with what its CPU has no kernels for or users would write."""

    def __init__(self, threads: int) -> None:
        if not torch.cuda.is_available():
            raise NotInstalledError("PyTorch finds no GPU, or is built for none")
        super().__init__(threads)
        self.timed = Cuda().timed
        torch.set_default_device("cuda")
        self.kernels |= {"spgemm-masked": _masked, "mttkrp": _mttkrp}


def _placed(array: Any) -> Any:
    """Return a tensor on the default device: a GPU, or else the host."""
    return torch.from_numpy(array).to(torch.get_default_device())


def _csr(given: Operands, name: str) -> Any:
    a = given.csr(name)
    parts = (_placed(part) for part in (a.indptr, a.indices, a.data))
    return torch.sparse_csr_tensor(*parts, size=a.shape)


def _coo(given: Operands, name: str) -> Any:
    coords, values, shape = given.coo(name)
    where = torch.stack([_placed(c.astype("int64")) for c in coords])
    made = torch.sparse_coo_tensor(where, _placed(values), shape)
    return made.coalesce()


def _dense(given: Operands, name: str) -> Any:
    return _placed(given.dense(name))


def _container(given: Operands, name: str) -> Any:
    make = _csr if given.kernel.formats[name] == "csr" else _coo
    return make(given, name)


def entries(result: Any) -> Any:
    result = result.cpu()
    if result.layout == torch.strided:
        return result.numpy()
    if result.layout == torch.sparse_csr:
        result = result.to_sparse_coo()
    found = result.coalesce()
    return tuple(found.indices().numpy()), found.values().numpy(), tuple(found.shape)


def _coalesced(call: Any) -> Any:
    """Return a call that also adds up the duplicates that a sum of COO may have."""

    def called() -> Any:
        found = call()
        return found.coalesce() if found.layout == torch.sparse_coo else found

    return called


def _add(given: Operands) -> Prepared:
    a, b, *more = (_container(given, name) for name in given.kernel.sparse)
    if more:
        return lambda: a + b + more[0], entries
    return _coalesced(lambda: a + b), entries


def _multiply(given: Operands) -> Prepared:
    a, b = _container(given, "A"), _container(given, "B")
    return _coalesced(lambda: a * b), entries


def _inner(given: Operands) -> Prepared:
    a, b = _container(given, "A"), _container(given, "B")
    return lambda: torch.sparse.sum(a * b), entries


def _times(given: Operands, other: Any) -> Prepared:
    a = _csr(given, "A")
    return lambda: a @ other, entries


def _masked(given: Operands) -> Prepared:
    a, b, mask = (_csr(given, name) for name in ("A", "B", "M"))
    return lambda: (a @ b) * mask, entries


def _mttkrp(given: Operands) -> Prepared:
    coords, values, _ = given.coo("A")
    i, j, k = (_placed(c.astype("int64")) for c in coords)
    weights, second, third = _placed(values), _dense(given, "D"), _dense(given, "E")

    def call() -> Any:
        found = torch.zeros(given.shape, dtype=weights.dtype)
        return found.index_add_(0, i, weights[:, None] * second[j] * third[k])

    return call, entries


def _sddmm(given: Operands) -> Prepared:
    a = _csr(given, "A")
    left, right = _dense(given, "D"), _dense(given, "E").T
    values = a.values()

    def call() -> Any:
        found = torch.sparse.sampled_addmm(a, left, right, beta=0.0)
        found.values().mul_(values)
        return found

    return call, entries
