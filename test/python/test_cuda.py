"""Kernels for NVIDIA's GPUs, which a driver for tests runs on the host.

The driver interprets the PTX: each instruction that a GPU would execute is executed.
"""

import os
import re
import subprocess
import sys
from functools import partial

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given

import expressions
import fake_cuda
import nacho
import samples
from test_cuda_sim import EXTENT, KERNELS, check_run, matrix, operands_of
from test_properties import examples, runs

OF_LIBDEVICE = re.compile(
    r"\b(?:exp|log|sin|cos|tanh|round|logaddexp|copysign|fmod|angle)\(|%|//"
)
OF_COMPLEX = re.compile(r"\b(?:sqrt|abs)\(")


@pytest.fixture(autouse=True, scope="module")
def driver():
    """The driver of tests; it is chosen only when one of these tests runs."""
    fake_cuda.use()


def compiled(case):
    """Compile a case for the host and a GPU, unless CUDA's libdevice is needed."""
    is_complex = any(dtype.startswith("c") for dtype in case.dtype.values())
    assume(not OF_LIBDEVICE.search(case.text))
    assume(not (is_complex and OF_COMPLEX.search(case.text)))
    return case.compile(), case.compile(target="cuda", device=0)


@given(expressions.elementwise(), runs())
@examples(4, 800)
def test_element_wise(case, run):
    check_run(compiled(case), case, run)


@given(expressions.contractions(), runs())
@examples(3, 1600)
def test_contractions(case, run):
    check_run(compiled(case), case, run)


@pytest.mark.sampled
@pytest.mark.each_value
@pytest.mark.parametrize("parts", [None, 1, 3, 40])
@pytest.mark.parametrize("text", KERNELS)
def test_kernels(text, parts):
    operands = operands_of(text)
    wanted = nacho.evaluate(text, operands, parts=parts, **KERNELS[text])
    found = nacho.evaluate(
        text, operands, parts=parts, target="cuda", device=0, **KERNELS[text]
    )
    # If nobody asks for parts, a GPU has more of them, and so adds in another order.
    assert parts is None or samples.same_numbers(found, wanted)
    samples.check(found, text, operands)


@pytest.mark.sampled
@pytest.mark.each_value
@pytest.mark.parametrize("parts", [1, 33, 300])
@pytest.mark.parametrize("text", KERNELS)
def test_threads_alone(text, parts):
    """Without tiles, threads do not share memory."""
    operands = operands_of(text)
    wanted = nacho.evaluate(text, operands, parts=parts, **KERNELS[text])
    found = nacho.evaluate(
        text,
        operands,
        parts=parts,
        target="cuda",
        device=0,
        choices={"tile": 0},
        **KERNELS[text],
    )
    assert samples.same_numbers(found, wanted)


def test_tiles_share_memory():
    text = "Z[i,j] = A[i,j] + B[i,j]"
    together = nacho.mlir.compile(text, target="cuda", device=0).ptx()
    asked = nacho.mlir.compile(text, target="cuda", device=0, choices={"tile": 0})
    # Blocks scan what parts append in any case.
    _, _, compute = asked.ptx().partition(".entry kernel_compute_kernel")
    alone, _, _ = compute.partition(".entry")
    assert "bar.sync" not in alone
    _, _, compute = together.partition(".entry kernel_compute_kernel")
    both, _, _ = compute.partition(".entry")
    assert ".shared" in together
    assert "bar.sync" in both


def test_functions_of_complex_numbers():
    with pytest.raises(nacho.UnsupportedError, match="complex numbers has no lowering"):
        nacho.mlir.compile(
            "Z[i,j] = sqrt(A[i,j])", dtype="complex128", target="cuda", device=0
        )


@pytest.mark.sampled
@pytest.mark.parametrize("dtype", ["f4", "f8", "i1", "i2", "i4", "i8", "u1", "?"])
def test_types(dtype):
    A, B = (matrix(seed, density=0.03) for seed in range(2))
    A.data *= 20
    A, B = A.astype(dtype), B.astype(dtype)
    for text in ("Z[i,j] = A[i,j] + B[i,j]", "Z[i,k] = A[i,j] * B[j,k]"):
        wanted = nacho.evaluate(text, A=A, B=B)
        assert samples.same_numbers(
            nacho.evaluate(text, A=A, B=B, target="cuda", device=0), wanted
        )


@pytest.mark.sampled
@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize(
    "text",
    (
        "s = x[i] * x[i]",
        "y[i] = D[i,j] * x[j]",
        "y[i] = A[i,j]",
        "y[i] = A[i,j] * x[j]",
        "Z[i,j] = A[i,j] * D[i,k] * D[j,k]",
    ),
)
def test_long_sums(text, dtype):
    """No compiler chooses the order of a sum: it would be another one for a GPU."""
    rng = np.random.default_rng(0)
    given = {"x": rng.standard_normal(EXTENT)}
    given["D"] = rng.standard_normal((EXTENT, EXTENT))
    given["A"] = matrix(3, density=0.6)
    operands = {n: v.astype(dtype) for n, v in given.items() if f"{n}[" in text}
    wanted = nacho.evaluate(text, operands, parts=3)
    found = nacho.evaluate(text, operands, parts=3, target="cuda", device=0)
    assert samples.same_numbers(found, wanted)


@pytest.mark.parametrize("cut", [{}, {"heavy-rows": True, "row-pieces": True}])
def test_long_rows(cut):
    """Rows have more products than fit in a table, and lanes share a workspace."""
    A = sp.random_array((40, 60), density=0.5, format="csr", rng=1)
    B = sp.random_array((60, 300), density=0.1, format="csr", rng=2)
    run = partial(nacho.evaluate, "Z[i,k] = A[i,j] * B[j,k]", A=A, B=B, order="ijk")
    wanted = run(parts=3)
    found = run(parts=5, target="cuda", device=0, choices=cut)
    assert samples.same_numbers(found.toarray(), wanted.toarray())


@pytest.mark.parametrize("shape", [(0, 5), (5, 0), (0, 0), (1, 1)])
def test_empty_operands(shape):
    A = sp.csr_array(shape)
    found = nacho.evaluate("Z[i,j] = A[i,j] + A[i,j]", A=A, target="cuda", device=0)
    assert found.shape == shape
    assert found.nnz == 0


def test_repeated_calls():
    """The same arrays again, with other values: they are copied each time."""
    kernel = nacho.mlir.compile("Z[i,j] = A[i,j] + B[i,j]", target="cuda", device=0)
    A, B = matrix(1), matrix(2)
    for _ in range(4):
        assert abs(kernel(A, B) - (A + B)).max() == 0
        A.data *= 2


def test_plans():
    text = "Z[i,j] = A[i,j] + B[i,j]"
    A, B = matrix(1), matrix(2)
    plan = nacho.mlir.compile(text, target="cuda", device=0).plan(A, B, parts=7)
    on_host = nacho.mlir.compile(text).plan(A, B, parts=7)
    assert (plan.bounds == on_host.bounds).all()
    assert plan.nnz == on_host.nnz
    doubled = A * 2
    assert abs(plan.execute(doubled, B) - (doubled + B)).max() == 0


def test_stages():
    kernel = nacho.mlir.compile("Z[i,j] = A[i,j] + B[i,j]", target="cuda", device=0)
    assert kernel.stages[-3:] == ("gpu", "ptx", "llvm")
    assert ".target sm_90" in kernel.mlir("ptx")
    lowered = kernel.mlir("llvm")
    assert "nacho_launch_ptx" in lowered
    assert "gpu." not in lowered


def test_edited_operands():
    options = {"target": "cuda", "device": 0, "validate": "none"}
    kernel = nacho.mlir.compile("y[i] = A[i,j] * x[j]", {"x": "dense"}, **options)
    A = matrix(1)
    A.indices[5] = 10_000
    with pytest.raises(nacho.OperandError):
        kernel(A, np.ones(EXTENT))


# --- What can go wrong ----------------------------------------------------------------

PROGRAM = """
import numpy as np, scipy.sparse as sp, nacho
A = sp.random_array((50, 50), density=0.1, format="csr", rng=1)
try:
    nacho.evaluate("Z[i,j] = A[i,j] + A[i,j]", A=A, target="cuda", device=0)
except nacho.NachoError as error:
    print(type(error).__name__, error)
"""


def printed(program, **variables):
    """Run a program in a process of its own; return what it prints."""
    environment = {**os.environ, "NACHO_LIBCUDA": str(fake_cuda.LIBRARY), **variables}
    run = [sys.executable, "-c", program]
    done = subprocess.run(run, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_no_driver():
    """Nothing else of Nacho needs it."""
    said = printed("import nacho", NACHO_LIBCUDA="/nowhere/libcuda.so.1")
    assert said == ""
    said = printed(PROGRAM, NACHO_LIBCUDA="/nowhere/libcuda.so.1")
    assert "DeviceError target 'cuda' needs NVIDIA's driver, which is not here" in said
    assert "/nowhere/libcuda.so.1" in said
    assert "cuda-sim" in said


def test_no_gpu():
    said = printed(PROGRAM, NACHO_FAKE_CUDA="cuInit=100")
    assert "DeviceError NVIDIA's driver finds no GPU; target='cuda-sim' runs" in said


def test_old_gpu():
    said = printed(PROGRAM, NACHO_FAKE_CUDA_CHIP="7.0")
    assert "DeviceError the GPU has compute capability 7.0" in said


@pytest.mark.parametrize("version", ["7.5", "8.6", "9.0", "10.3", "12.1"])
def test_chips(version):
    assert printed(PROGRAM, NACHO_FAKE_CUDA_CHIP=version) == ""


@pytest.mark.parametrize(
    "call",
    (
        "cuDevicePrimaryCtxRetain",
        "cuMemPoolCreate",
        "cuCtxPushCurrent_v2",
        "cuMemAllocFromPoolAsync",
        "cuMemsetD8Async",
        "cuMemcpyHtoDAsync_v2",
        "cuMemcpyDtoHAsync_v2",
        "cuStreamSynchronize",
        "cuModuleLoadDataEx",
        "cuModuleGetFunction",
        "cuLaunchKernel",
    ),
)
def test_calls_that_fail(call):
    said = printed(PROGRAM, NACHO_FAKE_CUDA=f"{call}=719")
    wanted = f"DeviceError {call} failed: CUDA_ERROR_719 (719): as the test wants it"
    assert wanted in said


def test_no_memory():
    said = printed(PROGRAM, NACHO_FAKE_CUDA="cuMemAllocFromPoolAsync=2")
    assert "OutOfMemoryError" in said


def test_memory_that_is_not_released():
    """A process whose GPU is gone ends all the same."""
    small = {"NACHO_FAKE_CUDA_MEMORY": "65536"}
    assert printed(PROGRAM, NACHO_FAKE_CUDA="cuMemFreeAsync=719", **small) == ""


FILLED = """
import numpy as np
from nacho import _nacho
from nacho._storage.device_arrays import DeviceArray
for size in (60_000, 30_000, 600_000):
    DeviceArray.copy_of(np.zeros(size, np.int8), "cuda")
    print(_nacho.pooled_bytes("cuda"), end=" ")
"""


def test_memory_that_is_kept_is_released_for_other_arrays():
    said = printed(FILLED, NACHO_FAKE_CUDA_MEMORY="680000")
    # At most an eighth of the memory is kept; the last array needs all of it.
    assert said.split() == ["61440", "61440", "0"]


FORK = """
import os, scipy.sparse as sp, nacho
A = sp.random_array((50, 50), density=0.1, format="csr", rng=1)
kernel = nacho.mlir.compile("Z[i,j] = A[i,j] + A[i,j]", target="cuda", device=0)
kernel(A)
child = os.fork()
try:
    kernel(A)
    print("added")
except nacho.DeviceError as error:
    print(error)
if child:
    os.waitpid(child, 0)
"""


def test_fork():
    said = printed(FORK)
    assert "added" in said
    assert "this process forked after another one had used CUDA" in said


def test_memory_is_returned():
    """What kernels took is free again when their results are."""
    kernel = nacho.mlir.compile("Z[i,k] = A[i,j] * B[j,k]", target="cuda", device=0)
    A, B = matrix(1), matrix(2)
    kernel(A, B)
    before = fake_cuda.allocated()
    for _ in range(3):
        kernel(A, B)
    assert fake_cuda.allocated() == before
