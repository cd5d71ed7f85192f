"""What a call asks of CUDA's driver when it repeats an earlier one."""

import numpy as np
import pytest
import scipy.sparse as sp

import fake_cuda
import fake_gpu_libraries as fake
import nacho

ROWS = 400

COUNTED = {
    "waits": "cuStreamSynchronize",
    "allocations": "cuMemAllocFromPoolAsync",
    "launches": "cuLaunchKernel",
    "fills": "cuMemsetD8Async",
}

CASES = {
    "spmv": ("y[i] = A[i,j] * x[j]", (3, 0, 5, 3)),
    "spmm": ("Y[i,k] = A[i,j] * C[j,k]", (3, 0, 5, 3)),
    "sddmm": ("Z[i,j] = A[i,j] * C[i,k] * D[j,k]", (3, 0, 7, 4)),
    "csr-add": ("Z[i,j] = A[i,j] + B[i,j]", (4, 0, 7, 4)),
    "csr-mul": ("Z[i,j] = A[i,j] * B[i,j]", (4, 0, 7, 4)),
    "coo-add": ("Z[i,j] = L[i,j] + M[i,j]", (2, 0, 7, 4)),
    "spgemm": ("Z[i,k] = A[i,j] * B[j,k]", (9, 0, 20, 10)),
    "spgemm-masked": ("Z[i,k] = C[i,k] * A[i,j] * B[j,k]", (10, 0, 20, 12)),
}
"""What calls ask of the driver, in the order of ``COUNTED``."""


@pytest.fixture(autouse=True, scope="module")
def driver():
    """The driver of tests; it is chosen only when one of these tests runs."""
    fake_cuda.use()


@pytest.fixture(autouse=True)
def libraries(monkeypatch):
    fake.install(monkeypatch)


def operands_of(name, text):
    """Return the operands of an expression, as CuPy has them."""
    rng = np.random.default_rng(0)
    given = {}
    for operand in "ABCDLMx":
        if f"{operand}[" not in text:
            continue
        if operand == "x":
            given[operand] = fake.to_cupy(rng.random(ROWS))
        elif operand in "CD" and name != "spgemm-masked":
            given[operand] = fake.to_cupy(rng.random((ROWS, 8)))
        else:
            made = sp.random_array((ROWS, ROWS), density=0.01, format="csr", rng=rng)
            layout = "coo" if operand in "LM" else "csr"
            given[operand] = fake.matrix_to_cupy(made.asformat(layout))
    return given


@pytest.mark.parametrize("name", CASES)
def test_driver_calls(name):
    """A change that makes these numbers lower should lower them here, too."""
    text, wanted = CASES[name]
    operands = operands_of(name, text)
    call = lambda: nacho.evaluate(text, operands)  # noqa: E731
    call()
    call()
    with fake_cuda.played_back(call):
        before = [fake_cuda.calls_of(each) for each in COUNTED.values()]
        call()
        after = [fake_cuda.calls_of(each) for each in COUNTED.values()]
    counts = [now - earlier for now, earlier in zip(after, before, strict=True)]
    found, wanted = (dict(zip(COUNTED, each, strict=True)) for each in (counts, wanted))
    assert found == wanted


def test_play_back():
    """What was recorded is read again, in its order, and nothing is written."""
    array = fake.to_cupy(np.arange(3.0))
    with fake_cuda.played_back(array._read):
        other = fake.to_cupy(np.full(3, 7.0))
        for each in (other, array, other):
            assert (each._read() == np.arange(3.0)).all()
        with pytest.raises(nacho.DeviceError, match="cuMemcpyDtoHAsync_v2 failed"):
            fake.to_cupy(np.zeros(4))._read()
    assert (other._read() != 7).all()
