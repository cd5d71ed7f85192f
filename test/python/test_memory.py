"""Limits of memory: what is refused, and what the errors say."""

import re
import resource
import time

import numpy as np
import pytest
import scipy.sparse as sp

import nacho
import samples
from test_threads import measures_memory, run_in_a_process

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


def test_what_is_too_large_is_refused_before_it_is_counted():
    """There are 10^9 products in a row and a column of 31,623 entries."""
    n = 31_623
    A = sp.csr_array((np.ones(n), np.arange(n), [0, *[n] * n]), shape=(n, n))
    text = "Z[i,k] = A[j,i] * B[j,k]"
    kernel = nacho.mlir.compile(text, {"A": "csc"}, index={"Z": "i64"})
    given = A.tocsc(), A
    began = time.perf_counter()
    with pytest.raises(nacho.OutOfMemoryError) as caught:
        kernel(*given, memory_limit=10**8)
    refused = time.perf_counter() - began
    first, *advice = str(caught.value).split(". ")
    assert re.search(
        r"at least \d{9} bytes for the result \(\d+\.\d MB\), but memory_limit is "
        r"100000000 bytes \(100\.0 MB\), of which \d+ are in use",
        first,
    )
    assert advice == ["A computation in several steps may need less"]
    began = time.perf_counter()
    assert kernel.count(*given, memory_limit=10**8) == n * n
    assert refused < (time.perf_counter() - began) / 3


@pytest.mark.parametrize("columns", [8000, 32])
def test_what_has_room_is_not_refused(columns):
    """25.6 million products add up to 17.6 million entries, or to 128,000."""
    rows, each = 4000, 80
    rng = np.random.default_rng(1)
    places = np.repeat(np.arange(rows), each), np.ones(rows * each)
    A, B = (
        sp.csr_array(
            (places[1], (places[0], rng.integers(0, width, rows * each))),
            shape=(rows, width),
        )
        for width in (rows, columns)
    )
    wanted = nacho.evaluate(PRODUCT, A=A, B=B)
    limit = wanted.data.nbytes + wanted.indices.nbytes + (40 << 20)
    assert samples.same(nacho.evaluate(PRODUCT, A=A, B=B, memory_limit=limit), wanted)


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


def lists(count, extent=1 << 20):
    """A coo tensor; to sort it by its last index first, all entries have to move."""
    rng = np.random.default_rng(1)
    coords = rng.integers(0, extent, (2, count), dtype=np.int32)
    coords = [np.zeros(count, np.int32), *coords[:, np.lexsort(coords[::-1])]]
    A = sp.coo_array((np.ones(count), tuple(coords)), shape=(4, extent, extent))
    A.sum_duplicates()
    return A


SORT = "Z[k,j,i] = A[i,j,k]"
FORMATS = {"A": "coo", "Z": "coo"}


def smallest_limit(call):
    """Return the smallest limit with which a call succeeds, and the refusal below."""
    low, high, refusal = 1, 1 << 34, ""
    while low < high:
        middle = (low + high) // 2
        try:
            call(middle)
            high = middle
        except nacho.OutOfMemoryError as error:
            low, refusal = middle + 1, str(error)
    with pytest.raises(nacho.OutOfMemoryError, match=f"memory_limit is {low - 1} b"):
        call(low - 1)
    return low, refusal


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(("target", "count"), [("cpu", 200_000), ("cuda-sim", 3000)])
@pytest.mark.sampled
def test_sorts_are_limited(target, count, threads):
    A = lists(count)
    kernel = nacho.mlir.compile(SORT, FORMATS, target=target)
    wanted = kernel(A)
    limit, refusal = smallest_limit(
        lambda most: kernel(A, threads=threads, parts=8, memory_limit=most)
    )
    # On a GPU, the step after the sort needs as much.
    what = "sorting entries" if target == "cpu" else "a table"
    assert f"bytes for {what}" in refusal
    assert ", but memory_limit is" in refusal
    assert ("Fewer threads=" in refusal) == (threads > 1 or target != "cpu")
    # Coordinates, values, a permutation of them, and its sort.
    assert limit > 60 * count
    made = kernel(A, threads=threads, parts=8, memory_limit=limit)
    assert samples.same(made, wanted)


def test_a_list_of_runs_is_limited():
    """Rows of two entries that are not in order: the sort first lists the rows."""
    rows = 50_000
    coords = np.repeat(np.arange(rows), 2), np.arange(2 * rows)[::-1] % 1000
    coords = coords[0], coords[1], np.arange(2 * rows) % 7
    shape = (rows, 1000, 7)
    A = sp.coo_array((np.ones(2 * rows), coords), shape=shape)
    A.sum_duplicates()
    kernel = nacho.mlir.compile("Z[i,k,j] = A[i,j,k]", FORMATS)
    wanted = kernel(A)
    limit, refusal = smallest_limit(lambda most: kernel(A, memory_limit=most))
    assert re.search(r"bytes for sorting entries \(\S+ MB\), but memory_limit", refusal)
    assert samples.same(kernel(A, memory_limit=limit), wanted)


PEAK = """
import nacho
from test_memory import FORMATS, SORT, lists, smallest_limit

def memory(name):
    with open("/proc/self/status") as file:
        line = next(line for line in file if line.startswith(name))
    return int(line.split()[1]) << 10

A = lists(1 << 18)
kernel = nacho.mlir.compile(SORT, FORMATS)
kernel(lists(100))
with open("/proc/self/clear_refs", "w") as file:
    file.write("5")  # The peak is what is used now.
before = memory("VmRSS")
kernel(A)
peak = memory("VmHWM") - before
limit, _ = smallest_limit(lambda most: kernel(A, memory_limit=most))
assert 0.95 * limit < peak < 1.05 * limit, (peak, limit)
"""


@measures_memory
def test_what_a_sort_uses_is_what_is_counted():
    run_in_a_process(PEAK, OMP_NUM_THREADS="1")


def address_space():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * resource.getpagesize()


LIMITED = """
import resource
import numpy as np
import scipy.sparse as sp
import nacho
from test_memory import address_space

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


LIMITED_SORT = """
import resource
import numpy as np
import nacho
from test_memory import FORMATS, SORT, address_space, lists

A = lists(1 << 18)
kernel = nacho.mlir.compile(SORT, FORMATS)
kernel(lists(100))
messages = []
for extra in range(0, 40):
    limit = address_space() + (extra << 20)
    resource.setrlimit(resource.RLIMIT_AS, (limit, resource.RLIM_INFINITY))
    try:
        kernel(A, threads=1)
    except nacho.OutOfMemoryError as error:
        messages.append(str(error))
    resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY,) * 2)
sorts = [text for text in messages if "bytes for sorting entries" in text]
assert sorts and all("(RLIMIT_AS)" in text for text in sorts), messages
Z = kernel(A)
order = np.lexsort(A.coords)
for made, given in zip(Z.coords, A.coords[::-1]):
    assert np.array_equal(made, given[order])
"""


def test_a_sort_in_a_limited_address_space():
    run_in_a_process(LIMITED_SORT, OMP_NUM_THREADS="1")


def test_arrays_larger_than_any_memory():
    for extent in (1 << 40, 1 << 43):
        shape = (extent, 1 << 20)
        A = nacho.Tensor.from_coo([[1], [2]], np.ones(1), shape=shape, format="coo")
        with pytest.raises(nacho.OutOfMemoryError, match="bytes for the result, but"):
            nacho.evaluate("Z[i,j] = 2 * A[i,j]", A=A, out="dense")


def test_limits_may_be_floats_that_are_integers():
    A = operands(60)["A"]
    assert nacho.evaluate("Z[i,j] = 2 * A[i,j]", A=A, memory_limit=1e9).nnz == A.nnz
    with pytest.raises(nacho.ArgumentError, match="is of type float"):
        nacho.evaluate("Z[i,j] = 2 * A[i,j]", A=A, memory_limit=1e9 + 0.5)
    with pytest.raises(nacho.OutOfMemoryError, match="memory_limit is 1000 bytes"):
        nacho.evaluate("Z[i,j] = 2 * A[i,j]", A=A, memory_limit=1e3)


def test_workspaces_are_as_small_as_the_operands():
    """That of a product with any number of columns takes 133 kB, and time to clear."""
    A = sp.csr_array(np.eye(4) + 1)
    for text in ("Z[i,k] = A[i,j] * B[j,k]", "Z[i,k] = A[i,j] * B[j,k] + A[i,k]"):
        operands = {"A": A, "B": A.copy(), "threads": 1}
        made = nacho.evaluate(text, memory_limit=40_000, **operands)
        assert (made != nacho.evaluate(text, **operands)).nnz == 0
