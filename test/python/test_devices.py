"""Tensors in the memory of a device: operands in place, and results that stay there."""

import gc

import numpy as np
import pytest
import scipy.sparse as sp

import fake_cuda
import nacho
import samples
from nacho import Tensor
from nacho._kernels.loading import load
from nacho._storage.device_arrays import DeviceArray, moved
from nacho._storage.operand_types import tensor_type
from test_cuda_sim import KERNELS, matrix, operands_of

DEVICES = ("cuda-sim", "cuda")
SUM = "Z[i,j] = A[i,j] + B[i,j]"
FORMATS = ("csr", "csc", "dcsr", "coo", "coo-interleaved", "dense")


@pytest.fixture(autouse=True, scope="module")
def driver():
    """The driver of tests; it is chosen only when one of these tests runs."""
    fake_cuda.use()


def tensor(seed=0, format="csr", shape=(20, 30), dtype=np.float64):
    rng = np.random.default_rng(seed)
    kept = rng.random(shape) < 0.2
    values = (rng.integers(1, 9, shape) * kept).astype(dtype)
    return Tensor.from_dense(values, format)


def arrays_of(tensor):
    return [each for each in (*tensor.pos, *tensor.crd) if each is not None] + [
        tensor.values
    ]


@pytest.fixture(params=DEVICES)
def device(request):
    return request.param


# --- There and back -------------------------------------------------------------------


@pytest.mark.parametrize("dtype", samples.DTYPES.values(), ids=samples.DTYPES)
@pytest.mark.parametrize("format", FORMATS)
def test_moving(device, format, dtype):
    A = tensor(format=format, dtype=dtype)
    there = A.to(device)
    assert (A.device, there.device) == ("cpu", device)
    assert (there.shape, there.format) == (A.shape, A.format)
    assert (there.dtype, there.nnz) == (A.dtype, A.nnz)
    assert all(type(each) is DeviceArray for each in arrays_of(there))
    assert f"on {device}" in repr(there)
    back = there.to("cpu")
    for one, other in zip(arrays_of(back), arrays_of(A), strict=True):
        assert one.dtype == other.dtype
        assert (one == other).all()
    assert there.to(device) is there
    assert A.to("cpu") is A


def test_moving_between_devices():
    A = tensor()
    there = A.to("cuda-sim").to("cuda")
    assert there.device == "cuda"
    assert (there.to("cpu").to_dense() == A.to_dense()).all()
    with pytest.raises(nacho.NachoError, match="device='tpu': expected 'cpu', 'cuda'"):
        A.to("tpu")


def test_empty_tensors(device):
    A = Tensor.from_coo(np.empty((2, 0), np.int32), [], shape=(3, 4), format="coo")
    Z = nacho.evaluate(SUM, A=A.to(device), B=A.to(device))
    assert Z.device == device
    assert Z.to("cpu").nnz == 0


def test_what_only_the_host_can_do(device):
    A = tensor().to(device)
    for act in (
        A.to_dense,
        A.to_scipy,
        lambda: A.coords,
        lambda: A.convert("dcsr"),
    ):
        with pytest.raises(nacho.DeviceError, match=rf"lies on '{device}'.*\.to\("):
            act()
    with pytest.raises(nacho.DeviceError, match=r"copy it with .to_host\(\)"):
        np.asarray(A.values)
    with pytest.raises(TypeError):
        iter(A.values)


def test_interfaces():
    """Other libraries are told where the memory is, but not of simulated memory."""
    on_gpu, simulated = (tensor().to(each).values for each in ("cuda", "cuda-sim"))
    told = on_gpu.__cuda_array_interface__
    assert told["shape"] == on_gpu.shape
    assert told["typestr"] == "<f8"
    assert told["data"] == (on_gpu.native.address, False)
    assert not hasattr(on_gpu, "__cuda_sim_array_interface__")
    assert not hasattr(simulated, "__cuda_array_interface__")
    assert simulated.__cuda_sim_array_interface__["shape"] == simulated.shape


# --- Calls ----------------------------------------------------------------------------


@pytest.mark.parametrize("format", FORMATS)
def test_operands_are_used_in_place(device, format):
    A = tensor(format=format).to(device)
    notes = []
    view = load("A", A, A._view, tensor_type("A", A._view), "safe", notes)
    for one, other in zip(arrays_of(Tensor._of(view)), arrays_of(A), strict=True):
        assert one is other
    assert notes == []


@pytest.mark.sampled
@pytest.mark.each_value
@pytest.mark.parametrize("text", KERNELS)
def test_kernels(device, text):
    """The results are those of the host, bit for bit, and lie on the device.

    If nobody asks for parts, a GPU has more of them, and so adds in another order.
    """
    given = operands_of(text)
    operands = {
        name: Tensor.from_dense(value, "dense")
        if isinstance(value, np.ndarray)
        else Tensor.from_parts(
            "csr", value.shape, [None, value.indptr], [None, value.indices], value.data
        )
        for name, value in given.items()
    }
    there = {name: value.to(device) for name, value in operands.items()}
    for parts in (None, 7):
        wanted = nacho.evaluate(text, operands, parts=parts, **KERNELS[text])
        found = nacho.evaluate(text, there, parts=parts, **KERNELS[text])
        if isinstance(found, Tensor):
            assert found.device == device
            found = found.to("cpu")
        if found.__class__ is not wanted.__class__:
            found = found.to_dense()
        assert parts is None or samples.same_numbers(found, wanted)
        samples.check(found, text, given)


def test_results_are_operands(device, monkeypatch):
    """They are known to be sorted, and are not checked again."""
    A, B = tensor(1), tensor(2)
    there = A.to(device), B.to(device)
    monkeypatch.setattr("nacho._storage.device_operands.has_canonical_entries", None)
    Z = nacho.evaluate(SUM, A=there[0], B=there[1])
    Y = nacho.evaluate("Z[i,j] = A[i,j] * B[i,j]", A=Z, B=there[1])
    wanted = (A.to_dense() + B.to_dense()) * B.to_dense()
    assert (Y.to("cpu").to_dense() == wanted).all()


def test_dense_results_and_numbers(device):
    A, x = tensor(), np.arange(30.0)
    there = A.to(device), Tensor.from_dense(x, "dense").to(device)
    y = nacho.evaluate("y[i] = A[i,j] * x[j]", A=there[0], x=there[1])
    assert isinstance(y, Tensor)
    assert (y.to("cpu").values == A.to_dense() @ x).all()
    total = nacho.evaluate("s = t * A[i,j]", A=there[0], t=2.0)
    assert total == 2 * A.to_dense().sum()


def test_kernels_go_where_operands_are(device):
    kernel = nacho.mlir.compile(SUM)
    A, B = tensor(1), tensor(2)
    wanted = kernel(A, B)
    found = kernel(A.to(device), B.to(device))
    assert (wanted.device, found.device) == ("cpu", device)
    assert samples.same(found.to("cpu"), wanted)
    assert "none: every array is used in place" in kernel.explain(
        A.to(device), B.to(device)
    )


def test_plans(device):
    kernel = nacho.mlir.compile(SUM)
    A, B = tensor(1), tensor(2)
    there, other = A.to(device), B.to(device)
    plan = kernel.plan(there, other, parts=3)
    assert plan.nnz == kernel(A, B).nnz
    doubled = Tensor.from_parts("csr", A.shape, A.pos, A.crd, 2 * A.values)
    for one, values in ((there, A), (doubled.to(device), doubled)):
        made = plan.execute(one, other)
        assert samples.same(made.to("cpu"), kernel(values, B))
    with pytest.raises(nacho.OperandError, match="operand 'A' has another pattern"):
        plan.execute(tensor(3).to(device), other)


def test_operands_of_the_host_are_copied():
    A, B = matrix(1), matrix(2)
    wanted = A + B
    for options in ({"target": "cuda", "device": 0}, {"target": "cuda-sim"}):
        assert abs(nacho.evaluate(SUM, A=A, B=B, **options) - wanted).max() == 0
        kernel = nacho.mlir.compile(SUM, **options)
        assert f"A: copied to the memory of '{options['target']}'" in kernel.explain(
            A, B
        )
    one = tensor().to("cuda")
    made = nacho.evaluate(SUM, A=one, B=tensor(1), target="cuda", device=0)
    assert made.device == "cuda"


def test_memory_is_returned():
    gc.collect()
    before = fake_cuda.allocated()
    A, B = tensor(1).to("cuda"), tensor(2).to("cuda")
    kept = fake_cuda.allocated()
    assert kept > before
    Z = nacho.evaluate(SUM, A=A, B=B)
    assert fake_cuda.allocated() > kept
    del Z
    gc.collect()
    assert fake_cuda.allocated() == kept
    del A, B
    gc.collect()
    assert fake_cuda.allocated() == before


# --- What is refused ------------------------------------------------------------------


def test_operands_elsewhere():
    A, B = tensor(1), tensor(2)
    with pytest.raises(nacho.DeviceError, match=r"operand 'A'.*host.*pass device=0"):
        nacho.evaluate(SUM, A=A, B=B, target="cuda")
    with pytest.raises(nacho.DeviceError, match=r"operand 'B'.*pass device=0"):
        nacho.evaluate(SUM, A=A.to("cuda"), B=B)
    with pytest.raises(nacho.DeviceError, match=r"operand 'A'.*move it with A.to\('cp"):
        nacho.evaluate(SUM, A=A.to("cuda"), B=B, target="cpu")
    with pytest.raises(nacho.DeviceError, match="operand 'B' is in the memory of 'cud"):
        nacho.evaluate(SUM, A=A.to("cuda"), B=B.to("cuda-sim"))
    with pytest.raises(nacho.DeviceError, match=r"operand 'A'.*target is 'cpu'"):
        nacho.partition(SUM, 3, A=A.to("cuda-sim"), B=B)


def test_numbers_of_devices():
    A, B = tensor(1), tensor(2)
    for wrong in (1, -1, "0", True):
        with pytest.raises(nacho.UnsupportedError, match="device="):
            nacho.evaluate(SUM, A=A, B=B, target="cuda", device=wrong)
    with pytest.raises(nacho.ArgumentError, match="pass target='cuda'"):
        nacho.evaluate(SUM, A=A, B=B, device=0)


def test_formats_are_not_converted(device):
    A = tensor(format="dcsr").to(device)
    kernel = nacho.mlir.compile(
        "y[i] = A[i,j] * x[j]", formats={"A": "csr", "x": "dense"}
    )
    x = Tensor.from_dense(np.ones(30), "dense").to(device)
    with pytest.raises(nacho.OperandError, match=r'formats={"A": "dcsr"}'):
        kernel(A, x)


def broken(device, format="csr", **places):
    """Return a tensor on a device that nobody has checked, with wrong elements."""
    view = tensor(format=format)._view
    arrays = {"pos": list(view.pos), "crd": list(view.crd)}
    for kind, (level, place, value) in places.items():
        arrays[kind][level] = arrays[kind][level].copy()
        arrays[kind][level][place] = value
    wrong = view.with_arrays(tuple(arrays["pos"]), tuple(arrays["crd"]), view.values)
    return Tensor._of(moved(wrong, device))


@pytest.mark.parametrize("validate", ["safe", "full"])
@pytest.mark.parametrize(
    ("places", "message"),
    [
        ({"pos": (1, 0, 1)}, r"pos\[1\]\[0\] = 1, expected 0"),
        ({"pos": (1, 5, 999)}, r"pos\[1\]\[6\] = \d+, below pos\[1\]\[5\] = 999"),
        ({"pos": (1, -1, 999)}, r"pos\[1\]\[20\] = 999, but crd\[1\] has"),
        ({"crd": (1, 3, 30)}, r"crd\[1\]\[3\] = 30 is out of range \[0, 30\)"),
        ({"crd": (1, 3, -1)}, r"crd\[1\]\[3\] = -1 is out of range"),
        ({"crd": (1, 1, 0)}, r"crd\[1\]\[1\] = 0 is"),
    ],
)
def test_wrong_indices(device, places, message, validate):
    wrong, B = broken(device, **places), tensor(2).to(device)
    with pytest.raises(nacho.OperandError, match=f"operand 'A': {message}"):
        nacho.evaluate(SUM, A=wrong, B=B, validate=validate)


def test_edited_coordinates(device):
    """Kernels check each coordinate that is an index, even if nobody else does."""
    wrong = broken(device, crd=(1, 3, 1 << 30))
    x = Tensor.from_dense(np.ones(30), "dense").to(device)
    with pytest.raises(nacho.OperandError):
        y = nacho.evaluate("y[i] = A[i,j] * x[j]", A=wrong, x=x, validate="none")
        # Where the lengths are known from other calls, nobody has waited yet.
        y.to("cpu")


@pytest.mark.parametrize("column", [4, 9, -1])
@pytest.mark.parametrize("text", [SUM, "Z[i,j] = A[i,k] * B[k,j] + A[i,j]"])
def test_wrong_columns_of_unions(text, column):
    """Parts that meet one leave out entries, of which nobody reads anything."""
    given = {name: sp.eye_array(4, format="csr") for name in "AB"}
    given["A"].indices[1] = column
    with pytest.raises(nacho.OperandError, match="is out of range"):
        nacho.evaluate(text, given, target="cuda-sim", validate="none")


def test_lengths(device):
    view = tensor()._view
    shorter = view.with_arrays(view.pos, view.crd, view.values[:-1])
    wrong, B = Tensor._of(moved(shorter, device)), tensor(2).to(device)
    for validate in ("safe", "none"):
        with pytest.raises(nacho.OperandError, match=r"operand 'A': .*values"):
            nacho.evaluate(SUM, A=wrong, B=B, validate=validate)
