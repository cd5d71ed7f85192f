"""The benchmark on a GPU: here the drivers of tests stand for NVIDIA's libraries."""

import ctypes
import gc
import json
import os
import subprocess
import sys
import types
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

import fake_cuda
import nacho

ROOT = Path(__file__).resolve().parents[2]
BENCH = ROOT / "tools" / "nacho-bench"
sys.path.insert(0, str(BENCH))

from nacho_bench import canonical, device, gpu, table  # noqa: E402
from nacho_bench.__main__ import arguments  # noqa: E402
from nacho_bench.cuda import Cuda, CudaError  # noqa: E402
from nacho_bench.cusparse import Cusparse, CusparseError, candidates  # noqa: E402
from nacho_bench.kernels import KERNELS  # noqa: E402
from nacho_bench.operands import Operands  # noqa: E402
from nacho_bench.peers import GPU_NAMES, NotInstalledError, load  # noqa: E402
from nacho_bench.worker import Worker  # noqa: E402

CUSPARSE = fake_cuda.LIBRARY.with_name("libnacho-fake-cusparse.so")
IN_CUSPARSE = ("csr-add", "csr-add3", "spgemm", "spmv", "spmm", "sddmm")


@pytest.fixture(autouse=True)
def libraries(monkeypatch):
    monkeypatch.setenv("NACHO_LIBCUDA", str(fake_cuda.LIBRARY))
    monkeypatch.setenv("NACHO_LIBCUSPARSE", str(CUSPARSE))


def file_of(folder, name, shape, density=0.05):
    """Write an operand to a file, as the benchmark does; return its path."""
    rng = np.random.default_rng(ord(name))
    keys = np.flatnonzero(rng.random(np.prod(shape)) < density)
    coords = np.array(np.unravel_index(keys, shape)).astype(np.int32)
    path = folder / f"{name}.npz"
    np.savez(path, coords=coords, values=rng.random(keys.size) + 0.5, shape=shape)
    return str(path)


def operands_of(name, folder, density=0.05):
    kernel = KERNELS[name]
    shape = (9, 8, 7) if kernel.family == "tensor" else (40, 40)
    files = {n: file_of(folder, n, shape, density) for n in kernel.sparse}
    return Operands(name, files, 1)


def result_of(peer, given):
    """Return the result of a call that is timed as in the benchmark."""
    call, entries = peer.kernels[given.kernel.name](given)
    _, first = peer.timed(call)
    result, second = peer.timed(call)
    assert first >= 0
    assert second >= 0
    return canonical.canonical(entries(result))


def check(peer, given):
    # SciPy has no semirings.
    witnesses = (load(name, 1).kernels for name in ("scipy", "nacho"))
    kernels = next(each for each in witnesses if given.kernel.name in each)
    call, entries = kernels[given.kernel.name](given)
    wanted = canonical.canonical(entries(call()))
    assert canonical.differ(result_of(peer, given), wanted) == ""


# --- nacho ----------------------------------------------------------------------------


@pytest.mark.sampled
@pytest.mark.parametrize("name", KERNELS)
def test_nacho(name, tmp_path):
    check(load("nacho", 1, on_gpu=True), operands_of(name, tmp_path))


@pytest.fixture
def moves(monkeypatch):
    """Where tensors were moved to by a nacho that has tensors on GPUs."""
    places = []

    def to(tensor, place):
        places.append(place)
        return tensor

    monkeypatch.setattr(nacho.Tensor, "to", to, raising=False)
    return places


@pytest.mark.parametrize("name", ["csr-add", "coo3-add", "spmm", "mttkrp", "csf-inner"])
def test_tensors_on_the_gpu(name, tmp_path, moves):
    """Operands are moved to the GPU before a call, and results back after it."""
    given = operands_of(name, tmp_path)
    operands = {n: device.operand(given, n) for n in given.kernel.operands}
    assert moves == ["cuda"] * len(operands)
    formats = {n: f for n, f in given.kernel.formats.items() if f != "scalar"}
    kernel = nacho.mlir.compile(given.kernel.expression, formats=formats)
    result = kernel(**operands)
    found = canonical.canonical(device.entries(result))
    assert moves[len(operands) :] == ["cpu"] * isinstance(result, nacho.Tensor)
    call, entries = load("scipy", 1).kernels[name](given)
    assert canonical.differ(found, canonical.canonical(entries(call()))) == ""


def test_what_times_have_in_them(moves, monkeypatch):
    assert device.included() == "operands and results are on the GPU"
    monkeypatch.delattr(nacho.Tensor, "to")
    assert "copies its operands to the GPU" in device.included()


# --- cuSPARSE -------------------------------------------------------------------------


def objects():
    """Return how many objects of cuSPARSE are not destroyed."""
    gc.collect()
    count = ctypes.CDLL(str(CUSPARSE)).nacho_sparse_objects
    count.restype = ctypes.c_int64
    return count()


@pytest.mark.sampled
@pytest.mark.parametrize("density", [0.0, 0.05, 0.6])
@pytest.mark.parametrize("name", IN_CUSPARSE)
def test_cusparse(name, density, tmp_path):
    """Its library checks the order of calls, and what is passed to them."""
    before = objects(), fake_cuda.allocated()
    peer = load("cusparse", 1, on_gpu=True)
    assert set(peer.kernels) == set(IN_CUSPARSE)
    check(peer, operands_of(name, tmp_path, density))
    del peer
    assert (objects(), fake_cuda.allocated()) == before


@pytest.fixture
def peer():
    return load("cusparse", 1, on_gpu=True)


def pair(peer, folder):
    given = operands_of("spgemm", folder)
    return peer.matrix(given, "A"), peer.matrix(given, "B")


def refused(peer, function, *arguments):
    """Check that the library for tests refuses a call."""
    with pytest.raises(CusparseError, match=rf"cusparse{function} failed: .*INVALID"):
        peer.cusparse(function, *arguments)


def test_sums_out_of_order(peer, tmp_path):
    """The rows come before the entries, and before them the size of the buffer."""
    calls = []
    original = Cusparse.__call__

    def record(self, function, *arguments):
        calls.append((function, arguments))
        original(self, function, *arguments)

    a, b = pair(peer, tmp_path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Cusparse, "__call__", record)
        peer.sum(a, b)
    names = [name for name, _ in calls]
    assert names == ["Dcsrgeam2_bufferSizeExt", "Xcsrgeam2Nnz", "Dcsrgeam2"]
    sized, counted, computed = calls
    refused(peer, *counted[:1], *counted[1])
    refused(peer, *computed[:1], *computed[1])
    peer.cusparse(sized[0], *sized[1])
    refused(peer, *computed[:1], *computed[1])
    short = peer.cuda.empty(4, np.uint8)
    refused(peer, *counted[:1], *counted[1][:-1], short)


def test_products_out_of_order(peer, tmp_path):
    a, b = (peer.sparse(each) for each in pair(peer, tmp_path))
    result = peer.csr(40, 40, 0, None, None, None)
    steps = peer.cusparse.make("SpGEMM_createDescr", "SpGEMM_destroyDescr")
    whole = peer.arguments(0, a, b, result, steps)
    size = ctypes.c_size_t()
    buffer = peer.cuda.empty(4, np.uint8)
    refused(peer, "SpGEMM_compute", *whole, ctypes.byref(size), None)
    refused(peer, "SpGEMM_copy", *whole)
    refused(peer, "SpGEMM_workEstimation", *whole, ctypes.byref(size), buffer)
    peer.cusparse("SpGEMM_workEstimation", *whole, ctypes.byref(size), None)
    # It is too small.
    refused(peer, "SpGEMM_workEstimation", *whole, ctypes.byref(size), buffer)
    buffer = peer.cuda.empty(size.value, np.uint8)
    peer.cusparse("SpGEMM_workEstimation", *whole, ctypes.byref(size), buffer)
    refused(peer, "SpGEMM_copy", *whole)


def test_objects_of_another_kind(peer, tmp_path):
    given = operands_of("spmv", tmp_path)
    a, x = peer.sparse(peer.matrix(given, "A")), peer.dense(peer.cuda.empty(40, "f8"))
    y = peer.dense(peer.cuda.empty(40, "f8"))
    one, size = ctypes.byref(ctypes.c_double(1)), ctypes.c_size_t()
    right = (peer.cusparse.handle, 0, one, a, x, one, y, 1, 0)
    peer.cusparse("SpMV_bufferSize", *right, ctypes.byref(size))
    for at, other in ((0, a), (1, 1), (3, x), (4, a), (6, a), (7, 0), (8, 9)):
        wrong = (*right[:at], other, *right[at + 1 :])
        refused(peer, "SpMV_bufferSize", *wrong, ctypes.byref(size))
    refused(peer, "SpMV", *right, peer.cuda.empty(1, np.uint8))
    short = peer.dense(peer.cuda.empty(39, "f8"))
    wrong = (*right[:4], short, *right[5:])
    refused(peer, "SpMV_bufferSize", *wrong, ctypes.byref(size))


def test_where_cusparse_is(monkeypatch, tmp_path):
    monkeypatch.delenv("NACHO_LIBCUSPARSE")
    monkeypatch.setenv("CUDA_HOME", str(tmp_path))
    (tmp_path / "lib64").mkdir()
    named = tmp_path / "lib64" / "libcusparse.so.12"
    named.touch()
    found = [*candidates()]
    assert named in found
    assert found[-1] == "libcusparse.so"


def test_no_cusparse(monkeypatch):
    monkeypatch.setenv("NACHO_LIBCUSPARSE", "/nowhere/libcusparse.so")
    with pytest.raises(NotInstalledError, match=r"/nowhere.*pip install nvidia"):
        load("cusparse", 1, on_gpu=True)


def test_cusparse_without_a_gpu(monkeypatch):
    monkeypatch.setenv("NACHO_FAKE_CUSPARSE", "no GPU")
    with pytest.raises(NotInstalledError, match="NOT_INITIALIZED"):
        load("cusparse", 1, on_gpu=True)


# --- CuPy and PyTorch -----------------------------------------------------------------


@pytest.fixture
def cupy(monkeypatch):
    """What CuPy shares with NumPy and SciPy."""
    made = types.ModuleType("cupy")
    made.__version__ = "of tests"
    made.asarray = made.asnumpy = np.asarray
    outer, inner = types.ModuleType("cupyx"), types.ModuleType("cupyx.scipy")
    modules = {"cupy": made, "cupyx": outer, "cupyx.scipy": inner}
    modules["cupyx.scipy.sparse"] = inner.sparse = sp
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.delitem(sys.modules, "nacho_bench.peers.cupy_peer", raising=False)
    yield
    sys.modules.pop("nacho_bench.peers.cupy_peer", None)


@pytest.mark.parametrize(
    "name", ["csr-add3", "csr-mul", "coo-mul", "coo+csr", "spgemm-masked", "spmm"]
)
def test_cupy(name, cupy, tmp_path):
    check(load("cupy", 1, on_gpu=True), operands_of(name, tmp_path))


@pytest.fixture
def torch(monkeypatch):
    made = types.ModuleType("torch")
    made.__version__ = "of tests"
    made.cuda = types.SimpleNamespace(is_available=lambda: False)
    made.set_num_threads = lambda count: None
    monkeypatch.setitem(sys.modules, "torch", made)
    monkeypatch.delitem(sys.modules, "nacho_bench.peers.torch_peer", raising=False)
    yield
    sys.modules.pop("nacho_bench.peers.torch_peer", None)


def test_torch_without_a_gpu(torch):
    assert "csr-add" in load("torch", 1).kernels
    with pytest.raises(NotInstalledError, match="finds no GPU"):
        load("torch", 1, on_gpu=True)


# --- The driver -----------------------------------------------------------------------


def test_arrays():
    cuda = Cuda()
    values = np.arange(12.0).reshape(3, 4)
    before = fake_cuda.allocated()
    array = cuda.array(values)
    assert fake_cuda.allocated() == before + values.nbytes
    assert (array.host() == values).all()
    assert array.__cuda_array_interface__["data"] == (array.address, False)
    assert cuda.array(np.zeros(0)).host().size == 0
    del array
    assert fake_cuda.allocated() == before
    assert cuda.bandwidth(1 << 12, rounds=2) > 0


def test_facts():
    found = Cuda().description()
    assert found["cuda"] == "13.0"
    assert (found["major"], found["minor"]) == (9, 0)
    assert found["name"]


def test_what_nvidia_smi_says(tmp_path, monkeypatch):
    program = tmp_path / "nvidia-smi"
    monkeypatch.setenv("PATH", str(tmp_path))
    assert gpu.reported("0000:00:00.0") == {}
    facts = "580.65, 1980 MHz, 2619 MHz, 1980 MHz, 700.00 W, Enabled, Enabled"
    asked = f"case \"$*\" in *--id=0000:01:00.0*) echo '{facts}';; esac"
    program.write_text(f"#!/bin/sh\n{asked}\n")
    program.chmod(0o755)
    found = gpu.reported("0000:01:00.0")
    assert found["driver"] == "580.65"
    assert found["clocks_sm"] == "1980 MHz"
    assert found["ecc"] == "Enabled"
    assert gpu.reported("0000:02:00.0") == {}


@pytest.mark.parametrize("call", ["cuInit=100", "cuInit=999"])
def test_no_gpu(call, monkeypatch):
    monkeypatch.setenv("NACHO_FAKE_CUDA", call)
    with pytest.raises(NotInstalledError, match="no GPU: cuInit failed"):
        Cuda()


def test_calls_that_fail(monkeypatch):
    cuda = Cuda()
    monkeypatch.setenv("NACHO_FAKE_CUDA", "cuMemAllocFromPoolAsync=2")
    with pytest.raises(CudaError, match=r"cuMemAllocFromPoolAsync failed: .*\(2\)"):
        cuda.empty(3, np.uint8)


def test_workers_use_the_clock_of_the_gpu(tmp_path):
    class Peer:
        def __init__(self):
            self.calls = 0
            self.kernels = {"spmv": lambda given: (lambda: 1.0, float)}

        def timed(self, call):
            self.calls += 1
            return call(), 7e-3

    peer = Peer()
    worker = Worker(peer, 1)
    worker.prepare("spmv", operands_of("spmv", tmp_path).files)
    assert worker.verify(None)["seconds"] == 7e-3
    assert worker.time("steady", 3) == {"times": [7e-3] * 3}
    assert peer.calls > 5


# --- All of it ------------------------------------------------------------------------


def run(*arguments, **variables):
    """Run ``tools/dev bench`` as the script does."""
    package = Path(nacho.__file__).parents[1]
    paths = os.pathsep.join([str(BENCH), str(package)])
    environment = {**os.environ, "PYTHONPATH": paths, **variables}
    command = [sys.executable, "-m", "nacho_bench", *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True)


def test_the_command(tmp_path):
    """Results of all peers are compared; ours and theirs are timed in turns."""
    raw = tmp_path / "raw.json"
    done = run(
        *("--gpu", "--quick", "--kernel", "spmv", "--workload", "uniform"),
        *("--cache", str(tmp_path), "--json", str(raw)),
    )
    assert done.returncode == 0, done.stderr
    data = json.loads(raw.read_text())
    (record,) = data["records"]
    assert record["wrong"] == {}
    assert record["checked"] == 3
    assert set(record["times"]["steady"]) == {"nacho", "cusparse"}
    # How many rounds there are depends on how long they take.
    assert all(record["times"]["steady"].values())
    assert {"name", "cuda", "clock_khz", "multiprocessors"} <= set(data["gpu"])
    assert set(data["missing"]) <= {"torch", "cupy"}
    assert "## spmv: `y[i] = A[i,j] * x[j]`, on the GPU, steady" in done.stdout
    assert f"- nacho: {device.included()}" in done.stdout
    assert "GPU: No GPU but Nacho's driver of tests (sm_90)" in done.stdout
    assert table.document(data) == done.stdout
    # Times of a GPU are not mixed with times of the host.
    other = run("--quick", "--resume", "--json", str(raw), "--cache", str(tmp_path))
    assert "has times of another device" in other.stderr


@pytest.mark.parametrize(
    ("variables", "reason"),
    [
        ({"NACHO_LIBCUDA": "/nowhere/libcuda.so.1"}, "no driver of NVIDIA: /nowhere"),
        ({"NACHO_FAKE_CUDA": "cuInit=100"}, "no GPU: cuInit failed"),
    ],
)
def test_the_command_without_a_gpu(variables, reason):
    done = run("--gpu", "--quick", **variables)
    assert done.returncode == 1
    assert f"bench: error: {reason}" in done.stderr
    assert "Traceback" not in done.stderr


def test_peers_on_a_gpu_are_others():
    assert GPU_NAMES == ("nacho", "cusparse", "torch", "cupy", "scipy")
    done = run("--gpu", "--peers", "mkl")
    assert "no such peer: mkl" in done.stderr
    assert "peers on a GPU:" in run("--list").stdout


@pytest.mark.parametrize("option", ["--registers", "--calibrate", "--compile-time"])
def test_nothing_else_is_measured_on_a_gpu(option, capsys):
    with pytest.raises(SystemExit):
        arguments(["--gpu", option])
    assert "--gpu measures kernels" in capsys.readouterr().err


@pytest.mark.parametrize("mode", ["keep", "both"])
def test_results_are_not_kept_on_a_gpu(mode, capsys):
    with pytest.raises(SystemExit):
        arguments(["--gpu", "--mode", mode])
    assert "the mode steady only" in capsys.readouterr().err


def test_the_gpu_of_a_table():
    clocks = {"clock_khz": 1_980_000, "memory_clock_khz": 2_619_000}
    facts = {"name": "H100", "major": 9, "minor": 0, "multiprocessors": 132}
    known = {**clocks, **facts, "memory": 80 << 30, "cuda": "13.0"}
    said = table._gpu_line(known, 2.5e12)
    assert "H100 (sm_90), 132 multiprocessors at up to 1.98 GHz, 80 GiB" in said
    assert "driver unknown, CUDA 13.0; it copies its memory" in said
    assert "2500.0 GB/s" in said
    known |= {"driver": "580.65", "clocks_sm": "345 MHz"}
    said = table._gpu_line(known, 2.5e12)
    assert "1.98 GHz (345 MHz at first), 80 GiB" in said
    assert "driver 580.65, CUDA 13.0" in said


# --- Registers ------------------------------------------------------------------------


def test_registers_of_every_kernel_are_recorded():
    """`tools/dev bench --registers` makes the table again."""
    results = BENCH / "results"
    text = (results / "registers.md").read_text()
    rows = [line for line in text.splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in row.split("|")[1:-1]] for row in rows]
    head, _, *listed = cells
    assert head == [
        "kernel",
        *(f"registers, {chip}" for chip in ("sm_80", "sm_90", "sm_100")),
        *("spilled", "shared"),
    ]
    assert [row[0] for row in listed] == [*KERNELS]
    assert all(int(cell) >= 0 for row in listed for cell in row[1:])
    assert "(registers.md)" in (results / "README.md").read_text()
