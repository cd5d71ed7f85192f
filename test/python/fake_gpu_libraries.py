"""What Nacho uses of PyTorch and CuPy, with the memory of the GPU for tests.

Neither library can have arrays on a GPU where there is none. These have their names and
attributes, and the memory that the driver for tests allocates (see ``fake_cuda``).
"""

import sys
import types

import numpy as np

from nacho._storage.device_arrays import DeviceArray

TORCH_STREAM, CUPY_STREAM = 0x7000, 0xC000
"""The current streams of the libraries."""


class _OnGpu:
    """An array on a GPU: memory, and where its elements are in it."""

    def __init__(self, memory, shape, dtype, strides=None, number=0):
        self.owner = memory
        self.memory = memory.__cuda_array_interface__["data"][0]
        self.shape, self.numpy_dtype = tuple(shape), np.dtype(dtype)
        self.strides = strides
        self.number = number

    def _read(self):
        count = int(np.prod(self.shape))
        flat = DeviceArray.at(
            "cuda", self.memory, (count,), self.numpy_dtype, self.owner
        )
        host = flat.to_host()
        if self.strides is None:
            return host.reshape(self.shape)
        return np.lib.stride_tricks.as_strided(host, self.shape, self.strides)

    def _permuted(self, axes):
        own = self.strides or np.empty(self.shape, self.numpy_dtype).strides
        shape, strides = ([of[axis] for axis in axes] for of in (self.shape, own))
        return type(self)(self.owner, shape, self.numpy_dtype, tuple(strides))

    @property
    def __cuda_array_interface__(self):
        return {
            "shape": self.shape,
            "typestr": self.numpy_dtype.str,
            "data": (self.memory, False),
            "strides": self.strides,
            "version": 3,
        }


def _take(kind, given):
    """Return an array that shares the memory of what has an interface."""
    told = given.__cuda_array_interface__
    return kind(given, told["shape"], told["typestr"], told.get("strides"))


# --- CuPy -----------------------------------------------------------------------------


class ndarray(_OnGpu):
    __module__ = "cupy"

    @property
    def dtype(self):
        return self.numpy_dtype

    @property
    def device(self):
        return types.SimpleNamespace(id=self.number)

    @property
    def ndim(self):
        return len(self.shape)

    def transpose(self, axes):
        return self._permuted(axes)

    def get(self):
        return self._read()


def to_cupy(array):
    return _take(ndarray, DeviceArray.copy_of(np.asarray(array, order="C"), "cuda"))


class _Matrix:
    def __init__(self, parts, shape):
        self.data, *index = parts
        index = index if len(index) == 2 else index[0]
        if self.layout == "coo":
            self.row, self.col = index
        else:
            self.indices, self.indptr = index
        self.shape = shape


def _matrix(layout):
    name = f"{layout}_matrix"
    return type(
        name, (_Matrix,), {"layout": layout, "__module__": "cupyx.scipy.sparse._it"}
    )


csr_matrix, csc_matrix, coo_matrix = map(_matrix, ("csr", "csc", "coo"))


def matrix_to_cupy(matrix):
    """Return a matrix of SciPy as one of CuPy."""
    if matrix.format == "coo":
        index = (tuple(to_cupy(each) for each in matrix.coords),)
    else:
        index = (to_cupy(matrix.indices), to_cupy(matrix.indptr))
    make = {"csr": csr_matrix, "csc": csc_matrix, "coo": coo_matrix}[matrix.format]
    return make((to_cupy(matrix.data), *index), shape=matrix.shape)


# --- PyTorch --------------------------------------------------------------------------


class Dtype(str):
    pass


class Tensor(_OnGpu):
    """A tensor on a GPU; a sparse one has the tensors of its layout in ``parts``."""

    __module__ = "torch"
    layout, parts = "strided", {}
    is_coalesced = lambda self: self.coalesced  # noqa: E731

    @classmethod
    def of(cls, layout, parts, shape, coalesced=True):
        made = cls(parts["values"], shape, parts["values"].numpy_dtype)
        made.layout, made.parts, made.coalesced = layout, parts, coalesced
        for name in parts:
            setattr(made, name, lambda name=name: parts[name])
        made._indices, made._values = made.parts.get("indices"), made.values
        if layout == "sparse_coo":
            made._indices = made.indices
        return made

    @property
    def dtype(self):
        return Dtype(f"torch.{self.numpy_dtype.name}")

    @property
    def device(self):
        return types.SimpleNamespace(type="cuda", index=self.number)

    def detach(self):
        return self

    def dim(self):
        return len(self.shape)

    ndim = property(dim)
    sparse_dim = dim

    def dense_dim(self):
        return 0

    def is_conj(self):
        return False

    is_neg = is_conj

    def data_ptr(self):
        return self.memory

    def is_contiguous(self):
        plain = np.empty(self.shape, self.numpy_dtype).strides
        return self.strides is None or self.strides == plain

    def permute(self, *axes):
        return self._permuted(axes[0] if isinstance(axes[0], list) else axes)

    def unbind(self, _):
        step = self.numpy_dtype.itemsize * self.shape[1]
        return [self._row(n * step) for n in range(self.shape[0])]

    def _row(self, offset):
        made = Tensor(self.owner, self.shape[1:], self.numpy_dtype)
        made.memory += offset
        return made

    def long(self):
        return to_torch(self._read().astype(np.int64))

    def cpu(self):
        read = self._read()
        host = types.SimpleNamespace(type="cpu", index=None)
        return types.SimpleNamespace(device=host, dtype=self.dtype, numpy=lambda: read)


def to_torch(array):
    return _take(Tensor, DeviceArray.copy_of(np.asarray(array, order="C"), "cuda"))


def _sparse_torch(layout, names):
    def make(*parts, check_invariants, is_coalesced=True):
        assert not check_invariants
        *tensors, shape = parts
        named = dict(zip((*names, "values"), tensors, strict=True))
        return Tensor.of(layout, named, shape, is_coalesced)

    return make


_NAMES = {
    "sparse_coo": ("indices",),
    "sparse_csr": ("crow_indices", "col_indices"),
    "sparse_csc": ("ccol_indices", "row_indices"),
}


def matrix_to_torch(matrix):
    """Return a matrix of SciPy as one of PyTorch, with indices of int64."""
    layout = f"sparse_{matrix.format}"
    if matrix.format == "coo":
        index = [np.stack(matrix.coords)]
    else:
        index = [matrix.indptr, matrix.indices]
    tensors = [to_torch(each.astype(np.int64)) for each in index]
    make = _sparse_torch(layout, _NAMES[layout])
    return make(*tensors, to_torch(matrix.data), matrix.shape, check_invariants=False)


def install(monkeypatch):
    """Put both libraries where Nacho finds them, for one test."""
    cupy = types.ModuleType("cupy")
    stream = types.SimpleNamespace(ptr=CUPY_STREAM)
    cupy.cuda = types.SimpleNamespace(get_current_stream=lambda: stream)
    cupy.ndarray, cupy.asarray = ndarray, lambda given: _take(ndarray, given)
    sparse = types.ModuleType("cupyx.scipy.sparse")
    for each in (csr_matrix, csc_matrix, coo_matrix):
        setattr(sparse, each.__name__, each)
    torch = types.ModuleType("torch")
    current = types.SimpleNamespace(cuda_stream=TORCH_STREAM)
    torch.cuda = types.SimpleNamespace(current_stream=lambda: current)
    torch.Tensor, torch.strided = Tensor, "strided"
    torch.as_tensor = lambda given, device: _take(Tensor, given)
    torch.stack = lambda tensors: to_torch(np.stack([each._read() for each in tensors]))
    torch.sparse_bsr, torch.sparse_bsc = "sparse_bsr", "sparse_bsc"
    for layout, names in _NAMES.items():
        setattr(torch, layout, layout)
        setattr(torch, f"{layout}_tensor", _sparse_torch(layout, names))
    for module in (cupy, sparse, torch):
        monkeypatch.setitem(sys.modules, module.__name__, module)
