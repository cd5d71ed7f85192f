"""Limits of memory: what is refused, and what the errors say."""

import numpy as np
import pytest
import scipy.sparse as sp

import nacho
import samples
from test_threads import run_in_a_process

PRODUCT = "Z[i,k] = A[i,j] * B[j,k]"


def operands(extent=400, density=0.05):
    return {
        name: sp.random_array((extent, extent), density=density, format="csr", rng=n)
        for n, name in enumerate("AB")
    }


CASES = {
    "result": ("Z[i,j] = A[i,j] + B[i,j]", {}, "for the result"),
    "dense result": ("Z[i,j] = A[i,j] + B[i,j]", {"out": "dense"}, "for the result"),
    "workspace": (PRODUCT, {}, "bytes for"),
    "sums of parts": ("y[j] = A[i,j] * B[j,i]", {}, "bytes for"),
    "transposition": ("Z[i,j] = A[j,i] + B[i,j]", {}, "bytes for"),
}


@pytest.mark.parametrize(("text", "options", "purpose"), CASES.values(), ids=CASES)
def test_a_limit(text, options, purpose):
    """Whatever the limit is, a call is refused with the numbers, or right."""
    given = operands()
    wanted = nacho.evaluate(text, **given, **options)
    refused = 0
    for limit in (1, 100, 3000, 20_000, 100_000, 400_000, 1 << 40):
        message = rf"{purpose}, but memory_limit is {limit} bytes, of which \d+ are in"
        try:
            made = nacho.evaluate(text, **given, **options, memory_limit=limit)
        except nacho.OutOfMemoryError as error:
            refused += 1
            assert f"memory_limit is {limit} bytes, of which" in str(error)
            assert text in str(error)
            found = error
        else:
            assert samples.same(made, wanted)
    assert 2 <= refused <= 6
    with pytest.raises(nacho.OutOfMemoryError, match=message.split(",")[0]):
        raise found


def test_the_limit_of_a_kernel_and_of_a_call():
    given = operands()
    kernel = nacho.mlir.compile(PRODUCT, memory_limit=5000)
    assert kernel.memory_limit == 5000
    with pytest.raises(nacho.OutOfMemoryError, match="memory_limit is 5000 bytes"):
        kernel(**given)
    with pytest.raises(nacho.OutOfMemoryError, match="memory_limit is 7000 bytes"):
        kernel(**given, memory_limit=7000)
    wanted = nacho.evaluate(PRODUCT, **given)
    for _ in range(3):
        assert samples.same(kernel(**given, memory_limit=1 << 30), wanted)
    with pytest.raises(nacho.OutOfMemoryError):
        kernel(**given)


def test_memory_is_given_back():
    """A plan that is executed again and again stays below its limit."""
    given = operands()
    kernel = nacho.mlir.compile(PRODUCT, memory_limit=10 << 20)
    plan = kernel.plan(**given)
    for _ in range(50):
        plan.execute()
    for _ in range(50):
        kernel(**given)
    with pytest.raises(nacho.OutOfMemoryError, match="of which"):
        _ = [plan.execute() for _ in range(50)]
    plan.execute()


@pytest.mark.parametrize("limit", [0, -1, 1.5, "1GB", True, 1 << 63])
def test_what_is_no_limit(limit):
    with pytest.raises(nacho.NachoError, match="memory_limit="):
        nacho.evaluate(PRODUCT, **operands(), memory_limit=limit)


LIMITED = """
import resource
import numpy as np
import scipy.sparse as sp
import nacho

def address_space():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * resource.getpagesize()

n = 20_000
A = sp.random_array((n, n), density=1e-3, format="csr", rng=1)
texts = {
    "Z[i,j] = A[i,j] + B[j,i]": {},
    "Z[i,k] = A[i,j] * B[j,k]": {},
    "Z[i,j] = A[i,j] + B[i,j]": {"Z": "dense"},
    "y[j] = A[i,j] * B[i,j]": {},
}
kernels = [nacho.mlir.compile(text, formats) for text, formats in texts.items()]
small = A[:50, :50].tocsr()
for kernel in kernels:
    kernel(small, small)
refused = 0
for extra in range(0, 80, 5):
    limit = address_space() + (extra << 20)
    resource.setrlimit(resource.RLIMIT_AS, (limit, resource.RLIM_INFINITY))
    for kernel in kernels:
        for threads in (1, 2):
            try:
                kernel(A, A, threads=threads)
            except nacho.OutOfMemoryError as error:
                refused += 1
                assert f"limited to {limit} bytes (RLIMIT_AS)" in str(error), error
                assert " bytes for " in str(error) or "more memory for" in str(error)
            except MemoryError:
                pass  # Python's own.
    resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY,) * 2)
    for kernel in kernels:
        kernel(small, small)
assert refused > 10, refused
kernels[0](A, A)
"""


def test_a_limit_of_the_address_space():
    run_in_a_process(LIMITED, OMP_NUM_THREADS="2")


def test_arrays_larger_than_any_memory():
    for extent in (1 << 40, 1 << 43):
        shape = (extent, 1 << 20)
        A = nacho.Tensor.from_coo([[1], [2]], np.ones(1), shape=shape, format="coo")
        with pytest.raises(nacho.OutOfMemoryError, match="bytes for the result, but"):
            nacho.evaluate("Z[i,j] = 2 * A[i,j]", A=A, out="dense")
