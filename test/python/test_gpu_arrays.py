"""Arrays of PyTorch and CuPy on a GPU, and what else says where it is on a device."""

import ctypes
import gc

import numpy as np
import pytest
import scipy.sparse as sp

import fake_cuda
import fake_gpu_libraries as fake
import nacho
from nacho import Tensor
from nacho._kernels.loading import load
from nacho._storage.containers import view_of
from nacho._storage.device_arrays import DeviceArray
from nacho._storage.operand_types import tensor_type
from nacho._storage.operands import arguments
from test_cuda_sim import EXTENT, matrix

SUM = "Z[i,j] = A[i,j] + B[i,j]"
PRODUCT = "y[i] = A[i,j] * x[j]"
LAYOUTS = ("csr", "csc", "coo")
LIBRARIES = {
    "torch": (fake.Tensor, fake.matrix_to_torch, fake.to_torch),
    "cupy": (fake.ndarray, fake.matrix_to_cupy, fake.to_cupy),
}


@pytest.fixture(autouse=True, scope="module")
def driver():
    """The driver of tests; it is chosen only when one of these tests runs."""
    fake_cuda.use()


@pytest.fixture(autouse=True)
def libraries(monkeypatch):
    fake.install(monkeypatch)


def arrays_of(made):
    """Return the arrays of a matrix on a GPU, as the host reads them."""
    if isinstance(made, fake.Tensor):
        return [part._read() for part in made.parts.values()]
    names = ("row", "col") if made.layout == "coo" else ("indptr", "indices")
    return [getattr(made, name).get() for name in (*names, "data")]


def on_host(made):
    """Return a matrix of one of the libraries as one of SciPy."""
    layout = str(made.layout).removeprefix("sparse_")
    *index, data = arrays_of(made)
    if layout == "coo":
        coords = index[0] if len(index) == 1 else np.stack(index)
        return sp.coo_array((data, tuple(coords)), shape=made.shape)
    kind = {"csr": sp.csr_array, "csc": sp.csc_array}[layout]
    return kind((data, *index[::-1]), shape=made.shape)


def operand(name, container, notes, rank=2):
    view = view_of(name, container, rank)
    return load(name, container, view, tensor_type(name, view), "safe", notes)


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_sums(library, layout):
    kind, to_library, _ = LIBRARIES[library]
    A, B = (matrix(seed, format=layout) for seed in (1, 2))
    there, notes = [to_library(each) for each in (A, B)], []
    used = [
        getattr(each, "address", 0) for each in arguments(operand("A", there[0], notes))
    ]
    given = there[0].parts.values() if library == "torch" else [there[0].data]
    assert {part.memory for part in given} <= set(used)
    assert notes == []
    for _ in range(2):
        Z = nacho.evaluate(SUM, A=there[0], B=there[1])
        wanted = nacho.evaluate(SUM, A=A, B=B)
        assert Z.layout.removeprefix("sparse_") == layout
        assert isinstance(Z, kind) or library == "cupy"
        assert abs(on_host(Z) - wanted).max() == 0
    W = nacho.evaluate("Z[i,j] = A[i,j] * B[i,j]", A=Z, B=there[0])
    assert abs(on_host(W) - wanted.multiply(A)).max() < 1e-15


@pytest.mark.parametrize("library", LIBRARIES)
def test_dense_arrays(library):
    kind, to_library, to_dense = LIBRARIES[library]
    A, x = matrix(1), np.arange(float(EXTENT))
    y = nacho.evaluate(PRODUCT, A=to_library(A), x=to_dense(x), parts=3)
    assert type(y) is kind
    assert (y._read() == nacho.evaluate(PRODUCT, A=A, x=x, parts=3)).all()
    total = nacho.evaluate("s = A[i,j]", A=to_library(A), parts=3)
    assert type(total) is kind
    assert total.shape == ()
    assert total._read() == nacho.evaluate("s = A[i,j]", A=A, parts=3)
    D = np.arange(6.0).reshape(2, 3)
    for transposed in (False, True):
        given = to_dense(D)._permuted([1, 0]) if transposed else to_dense(D)
        wanted = D.T if transposed else D
        found = nacho.evaluate("Z[i,j] = 2 * D[i,j]", D=given)
        assert found.shape == wanted.shape
        assert (found._read() == 2 * wanted).all()
    scaled = nacho.evaluate("Z[i,j] = t * D[i,j]", D=to_dense(D), t=to_dense(2.0))
    assert (scaled._read() == 2 * D).all()


@pytest.mark.parametrize("library", LIBRARIES)
def test_memory_is_the_operands(library):
    """Results are kept by the arrays that share their memory, and by nothing else."""
    _, to_library, _ = LIBRARIES[library]
    gc.collect()
    before = fake_cuda.allocated()
    A = to_library(matrix(1))
    kept = fake_cuda.allocated()
    Z = nacho.evaluate("Z[i,j] = 2 * A[i,j]", A=A)
    assert fake_cuda.allocated() > kept
    del Z
    gc.collect()
    assert fake_cuda.allocated() == kept
    del A
    gc.collect()
    assert fake_cuda.allocated() == before


def test_results_that_cupy_has_no_class_for():
    A = matrix(1)
    A.data = (A.data * 9).astype(np.int64)
    A.indices, A.indptr = A.indices.astype(np.int32), A.indptr.astype(np.int32)
    Z = nacho.evaluate("Z[i,j] = A[i,j] + A[i,j]", A=fake.matrix_to_cupy(A))
    assert isinstance(Z, Tensor)
    assert Z.device == "cuda"
    assert (Z.to("cpu").values == 2 * A.data).all()
    listed = nacho.evaluate("Z[i,j] = A[i,j]", A=fake.matrix_to_cupy(A), out="dcsr")
    assert listed.format.name == "dcsr"


def test_mixed_libraries():
    """The first sparse operand decides, as on the host."""
    A, x = matrix(1), np.arange(float(EXTENT))
    y = nacho.evaluate(PRODUCT, A=fake.matrix_to_torch(A), x=fake.to_cupy(x))
    assert type(y) is fake.Tensor
    in_nacho = Tensor.from_parts(
        "csr", A.shape, [None, A.indptr], [None, A.indices], A.data
    )
    y = nacho.evaluate(PRODUCT, A=in_nacho.to("cuda"), x=fake.to_cupy(x))
    assert type(y) is fake.ndarray


class Told:
    """An array of no known library, which says where it is."""

    def __init__(self, array, device, **changes):
        self.memory = DeviceArray.copy_of(array, device)
        told = self.memory._interface(device) | changes
        name = {"cuda": "__cuda_array_interface__"}.get(
            device, "__cuda_sim_array_interface__"
        )
        setattr(self, name, told)


@pytest.mark.parametrize("device", ["cuda", "cuda-sim"])
def test_interfaces(device):
    D, x = np.arange(6.0).reshape(2, 3), np.arange(3.0)
    for given in (Told, DeviceArray.copy_of):
        y = nacho.evaluate(
            "y[i] = D[i,j] * x[j]", D=given(D, device), x=given(x, device)
        )
        assert isinstance(y, Tensor)
        assert (y.device, y.format.name) == (device, "dense")
        assert (y.to("cpu").values == D @ x).all()
    empty = nacho.evaluate("y[i] = 2 * x[i]", x=Told(x[:0], device, data=(0, False)))
    assert empty.shape == (0,)


class Capsule(ctypes.Structure):
    """DLPack's DLManagedTensor."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device", ctypes.c_int32),
        ("number", ctypes.c_int32),
        ("rank", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("offset", ctypes.c_uint64),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.CFUNCTYPE(None, ctypes.c_void_p)),
    )


class Exchanged:
    """An array on a GPU that is only exchanged by DLPack."""

    def __init__(self, array, code=2, number=0, strides=None):
        self.memory = DeviceArray.copy_of(np.asarray(array, order="C"), "cuda")
        rank = self.memory.ndim
        steps = [each // array.itemsize for each in array.strides]
        numbers = [self.memory.shape, strides or steps]
        self.numbers = [(ctypes.c_int64 * rank)(*each) for each in numbers]
        self.deleted = 0
        self.deleter = Capsule._fields_[-1][1](self.delete)
        at, bits = self.memory.native.address, 8 * array.itemsize
        self.capsule = Capsule(
            at, 2, number, rank, code, bits, 1, *self.numbers, 0, None, self.deleter
        )

    def delete(self, _):
        self.deleted += 1

    def __dlpack_device__(self):
        return 2, self.capsule.number

    def __dlpack__(self, **_):
        make = ctypes.pythonapi.PyCapsule_New
        make.restype = ctypes.py_object
        make.argtypes = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p
        return make(ctypes.addressof(self.capsule), b"dltensor", None)


def test_dlpack_on_a_gpu():
    D, x = np.arange(6.0).reshape(2, 3), np.arange(3.0)
    given = [Exchanged(D), Exchanged(x)]
    y = nacho.evaluate("y[i] = D[i,j] * x[j]", D=given[0], x=given[1])
    assert (y.device, y.format.name) == ("cuda", "dense")
    assert (y.to("cpu").values == D @ x).all()
    gc.collect()
    assert [each.deleted for each in given] == [1, 1]
    with pytest.raises(nacho.DeviceError, match=r"operand 'A'.* on GPU 1"):
        view_of("A", Exchanged(D, number=1), 2)
    with pytest.raises(nacho.DTypeError, match="operand 'A'"):
        view_of("A", Exchanged(D, code=4), 2)
    with pytest.raises(nacho.OperandError, match=r"operand 'A'.*has strides \(48, 8\)"):
        view_of("A", Exchanged(D, strides=(6, 1)), 2)


def test_what_is_refused():
    D = np.arange(6.0).reshape(2, 3)
    for container, error, message in (
        (Told(D, "cuda", strides=(48, 16)), nacho.OperandError, "has strides"),
        (Told(D, "cuda", typestr="<f2"), nacho.DTypeError, "has type <f2"),
        (Told(D, "cuda", typestr="what"), nacho.DTypeError, "has type what"),
        (Told(D, "cuda", mask=1), nacho.OperandError, "has a mask"),
    ):
        with pytest.raises(error, match=f"operand 'A'.*{message}"):
            view_of("A", container, 2)
    with pytest.raises(nacho.ShapeError, match="operand 'A' has rank 2"):
        view_of("A", Told(D, "cuda"), 1)
    half = fake.to_torch(np.zeros((2, 3)))
    half.numpy_dtype = np.dtype(np.float16)
    with pytest.raises(nacho.DTypeError, match=r"operand 'A'.*torch.float16"):
        view_of("A", half, 2)
    strided = fake.to_torch(np.zeros((4, 6)))
    strided.strides = (96, 8)
    with pytest.raises(nacho.OperandError, match=r"operand 'A'.*A.contiguous\(\)"):
        view_of("A", strided, 2)


def test_other_gpus():
    for to_dense in (fake.to_torch, fake.to_cupy):
        D = to_dense(np.zeros((2, 3)))
        D.number = 1
        with pytest.raises(nacho.DeviceError, match=r"operand 'A'.* on GPU 1"):
            view_of("A", D, 2)


@pytest.mark.parametrize("library", LIBRARIES)
def test_entries_that_are_not_canonical(library):
    A = matrix(1)
    A.indices[:2] = A.indices[1::-1]
    there = LIBRARIES[library][1](A)
    with pytest.raises(
        nacho.OperandError, match="operand 'A' has entries that are not s"
    ):
        nacho.evaluate("Z[i,j] = 2 * A[i,j]", A=there)
    A.indices[0] = EXTENT
    there = LIBRARIES[library][1](A)
    with pytest.raises(
        nacho.OperandError, match=rf"operand 'A'.*\[0\] = {EXTENT} is out of"
    ):
        nacho.evaluate("Z[i,j] = 2 * A[i,j]", A=there)


# --- Streams --------------------------------------------------------------------------


def calls_during(act, *streams):
    """Return how many calls of the driver there are for some streams."""
    gc.collect()
    before = [fake_cuda.calls_on(stream) for stream in streams]
    act()
    after = [fake_cuda.calls_on(stream) for stream in streams]
    return [late - early for late, early in zip(after, before, strict=True)]


@pytest.mark.parametrize(
    ("library", "stream"), [("torch", fake.TORCH_STREAM), ("cupy", fake.CUPY_STREAM)]
)
def test_current_streams(library, stream):
    """Everything is done on the current stream of the library."""
    A = LIBRARIES[library][1](matrix(1, format="csr"))

    def act():
        made = nacho.evaluate("Z[i,j] = 2 * A[i,j]", A=A)
        del made
        gc.collect()

    act()
    on_default, on_stream = calls_during(act, 0, stream)
    assert on_default == 0
    assert on_stream > 3


class OfTorch:
    cuda_stream = 0x1234


class OfCupy:
    ptr = 0x1234


@pytest.mark.parametrize("stream", [0x1234, OfTorch(), OfCupy()])
def test_given_streams(stream):
    A = matrix(1)
    there = fake.matrix_to_torch(A)
    kernel = nacho.mlir.compile("Z[i,j] = 2 * A[i,j]")
    kernel(there)
    for act in (
        lambda: kernel(there, stream=stream),
        lambda: nacho.evaluate("Z[i,j] = 2 * A[i,j]", A=there, stream=stream),
        lambda: kernel.plan(there, stream=stream).execute(),
    ):
        elsewhere, here = calls_during(act, fake.TORCH_STREAM, 0x1234)
        assert elsewhere == 0
        assert here > 3


def test_results_keep_their_stream():
    A = matrix(1)
    there = Tensor.from_parts(
        "csr", A.shape, [None, A.indptr], [None, A.indices], A.data
    ).to("cuda")
    kernel = nacho.mlir.compile("Z[i,j] = 2 * A[i,j]")
    Z = kernel(there, stream=0x4321)
    assert {each.native.stream for each in (Z.pos[1], Z.crd[1], Z.values)} == {0x4321}
    assert Z.values.__cuda_array_interface__["stream"] == 0x4321
    assert there.values.__cuda_array_interface__["stream"] == 1
    assert calls_during(lambda: Z.to("cpu"), 0x4321)[0] > 0
    # The next call goes on there, unless it is told not to: then it waits.
    (calls,) = calls_during(lambda: kernel(Z), 0x4321)
    assert calls > 5
    waits, calls = calls_during(lambda: kernel(Z, stream=0x5555), 0x4321, 0x5555)
    assert waits == 1
    assert calls > 5


def test_streams_of_other_libraries_are_waited_for():
    x = Told(np.arange(3.0), "cuda", stream=0x6666)
    act = lambda: nacho.evaluate("y[i] = 2 * x[i]", x=x)  # noqa: E731
    assert calls_during(act, 0x6666) == [1]


def test_what_is_no_stream():
    A, there = matrix(1), fake.matrix_to_torch(matrix(1))
    kernel = nacho.mlir.compile("Z[i,j] = 2 * A[i,j]")
    for wrong in ("0", -1, 1.5, True):
        with pytest.raises(nacho.ArgumentError, match="stream="):
            kernel(there, stream=wrong)
        with pytest.raises(nacho.ArgumentError, match="stream="):
            nacho.evaluate("Z[i,j] = 2 * A[i,j]", A=there, stream=wrong)
    assert (kernel(A, stream=None) != 2 * A).nnz == 0
