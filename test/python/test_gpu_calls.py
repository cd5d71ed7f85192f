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
    "spmv": ("y[i] = A[i,j] * x[j]", (0, 0, 2, 1)),
    "spmm": ("Y[i,k] = A[i,j] * C[j,k]", (0, 0, 3, 1)),
    "sddmm": ("Z[i,j] = A[i,j] * C[i,k] * D[j,k]", (1, 0, 2, 1)),
    "csr-add": ("Z[i,j] = A[i,j] + B[i,j]", (1, 0, 1, 1)),
    "csr-mul": ("Z[i,j] = A[i,j] * B[i,j]", (1, 0, 1, 1)),
    "coo-add": ("Z[i,j] = L[i,j] + M[i,j]", (1, 0, 1, 1)),
    "spgemm": ("Z[i,k] = A[i,j] * B[j,k]", (2, 0, 8, 3)),
    "spgemm-masked": ("Z[i,k] = C[i,k] * A[i,j] * B[j,k]", (2, 0, 8, 3)),
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


@pytest.mark.parametrize(
    "text",
    ["Y[i,r] = A[i,j,k] * B[j,r] * C[k,r]", "Y[i,j,r] = A[i,j,k] * C[k,r]"],
)
@pytest.mark.parametrize(("out", "waits"), [("dense", 0), (None, 1)])
def test_products_of_tensors(text, out, waits):
    rng = np.random.default_rng(0)
    given = {"A": np.where(rng.random((9, 9, 9)) < 0.1, 1.0, 0.0)}
    given |= {name: rng.random((9, 4)) for name in "BC" if f"{name}[" in text}
    operands = {
        name: nacho.Tensor.from_dense(value, "csf" if name == "A" else "dense")
        for name, value in given.items()
    }
    there = {name: value.to("cuda") for name, value in operands.items()}
    for _ in range(2):
        nacho.evaluate(text, there, out=out)
    before = fake_cuda.calls_of("cuStreamSynchronize")
    found = nacho.evaluate(text, there, out=out)
    assert fake_cuda.calls_of("cuStreamSynchronize") == before + waits
    wanted = nacho.evaluate(text, given)
    assert np.allclose(found.to("cpu").to_dense(), wanted)


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


# --- What nobody waits for ------------------------------------------------------------

PRODUCT = "y[i] = A[i,j] * x[j]"
SUM = "Z[i,j] = A[i,j] + B[i,j]"
MATRICES = "Z[i,k] = A[i,j] * B[j,k]"


@pytest.fixture
def called():
    """The operands of a product whose sizes are known from earlier calls."""
    operands = operands_of("spmv", PRODUCT)
    for _ in range(2):
        nacho.evaluate(PRODUCT, operands)
    return operands


def edit(array, values):
    """Edit an array in place, as a kernel of the user does."""
    fake_cuda.write(array.memory, np.asarray(values, array.numpy_dtype))


def test_same_lengths(called):
    """What is known holds for other operands of the same lengths, too."""
    first = nacho.evaluate(PRODUCT, called).get()
    columns, rows = called["A"].indices, called["A"].indptr
    edit(called["x"], np.arange(ROWS))
    edit(rows, np.append(0, np.full(ROWS, columns.shape[0])))
    edit(columns, np.arange(columns.shape[0]) % ROWS)
    found = nacho.evaluate(PRODUCT, called).get()
    assert found[0] == pytest.approx(called["A"].data.get() @ columns.get())
    assert first[0] != found[0]
    assert (found[1:] == 0).all()


LATE = "an earlier call on the GPU has a wrong result.*coordinate-out-of-range"


def test_late_errors(called):
    """A wrong operand is refused by the next call that waits, and only once."""
    columns = called["A"].indices
    right = columns.get()
    edit(columns, np.where(np.arange(right.size) == 5, 10_000, right))
    nacho.evaluate(PRODUCT, called)
    with pytest.raises(nacho.OperandError, match=LATE):
        nacho.evaluate(SUM, A=called["A"], B=called["A"])
    edit(columns, right)
    y = nacho.evaluate(PRODUCT, called)
    assert np.allclose(y.get(), nacho.evaluate(PRODUCT, called, parts=1).get())


def test_results_on_the_host():
    """They are waited for, so that the call itself refuses its operands."""
    A, x = sp.eye_array(ROWS, format="csr"), np.ones(ROWS)
    options = {"target": "cuda", "device": 0, "validate": "none"}
    for _ in range(2):
        nacho.evaluate(PRODUCT, A=A, x=x, **options)
    A.indices[5] = 10_000
    with pytest.raises(nacho.OperandError, match="operand 'A'"):
        nacho.evaluate(PRODUCT, A=A, x=x, **options)


def test_values_that_are_asked_for():
    """Tensors of Nacho refuse to be read after such a call."""
    A = nacho.Tensor.from_dense(np.eye(ROWS), "csr").to("cuda")
    x = nacho.Tensor.from_dense(np.ones(ROWS), "dense").to("cuda")
    for _ in range(2):
        y = nacho.evaluate(PRODUCT, A=A, x=x)
    assert (y.to("cpu").values == 1).all()
    at = A.crd[1].__cuda_array_interface__["data"][0]
    fake_cuda.write(at, np.array([10_000], A.crd[1].dtype))
    y = nacho.evaluate(PRODUCT, A=A, x=x)
    with pytest.raises(nacho.OperandError, match=LATE):
        y.to("cpu")


def test_many_calls_without_a_wait(called):
    """There is memory for some statuses; then the host waits for all of them."""
    before = fake_cuda.calls_of("cuCtxSynchronize")
    for _ in range(300):
        nacho.evaluate(PRODUCT, called, validate="none")
    assert fake_cuda.calls_of("cuCtxSynchronize") == before + 1


@pytest.mark.parametrize("text", [PRODUCT, SUM, MATRICES])
@pytest.mark.parametrize("at", ["first", "middle", "last"])
@pytest.mark.parametrize("parts", [None, 1])
def test_edited_positions(text, at, parts):
    """Kernels check them, and the host says what is wrong with which operand.

    With one part, there are more workers than that to check them.
    """
    operands = operands_of("", text)
    for _ in range(2):
        nacho.evaluate(text, operands, parts=parts)
    rows = operands["A"].indptr
    right = rows.get()
    place = {"first": 0, "middle": ROWS // 2, "last": ROWS}[at]
    wrong = {"first": 1, "middle": right[-1] + 1, "last": right[-1] + 1}[at]
    edit(rows, np.where(np.arange(right.size) == place, wrong, right))
    late = "an earlier call on the GPU has a wrong result.*changed"
    match = late if text == PRODUCT else "operand 'A'|an operand of 'Z"
    with pytest.raises(nacho.OperandError, match=match):
        nacho.evaluate(text, operands, parts=parts)
        nacho.evaluate(SUM, A=operands["A"], B=operands["A"])
    edit(rows, right)
    nacho.evaluate(text, operands, parts=parts)


def test_edited_columns_of_products():
    """Rows that a list leads to are checked where they are counted."""
    operands = operands_of("", MATRICES)
    wanted = nacho.evaluate(MATRICES, operands).data.get()
    columns = operands["B"].indices
    right = columns.get()
    edit(columns, np.where(np.arange(right.size) == 5, 10_000, right))
    with pytest.raises(nacho.OperandError, match="operand 'B': indices"):
        nacho.evaluate(MATRICES, operands)
    edit(columns, right)
    assert (nacho.evaluate(MATRICES, operands).data.get() == wanted).all()


def test_heavy_rows_of_products():
    """The costs of parts that are refused are read with the counts.

    The host waits once for each of seven steps and for the attempt that is refused, and
    for the statuses of steps whose lists lead others to their operands.
    """
    A = sp.eye_array(ROWS, format="lil")
    A[3] = 1
    given = {"A": sp.csr_array(A), "B": sp.random_array((ROWS, ROWS), density=0.1)}
    given = {name: sp.csr_array(each) for name, each in given.items()}
    there = {name: fake.matrix_to_cupy(each) for name, each in given.items()}
    found = nacho.evaluate(MATRICES, there, parts=64)
    before = fake_cuda.calls_of("cuStreamSynchronize")
    nacho.evaluate(MATRICES, there, parts=64)
    assert fake_cuda.calls_of("cuStreamSynchronize") == before + 10
    wanted = nacho.evaluate(MATRICES, given)
    assert np.allclose(found.data.get(), sp.csr_array(wanted).data)


def test_arrays_that_are_too_long():
    """Arrays may have room behind the last entry, which only the host can tell."""
    A = operands_of("", SUM)["A"]
    wanted = nacho.evaluate("Z[i,j] = A[i,j] + A[i,j]", A=A).data.get()
    longer = [np.append(each.get(), each.get()[:1]) for each in (A.indices, A.data)]
    A.indices, A.data = map(fake.to_cupy, longer)
    for validate in ("safe", "safe", "none", "none"):
        asked = {"A": A, "validate": validate}
        found = nacho.evaluate("Z[i,j] = A[i,j] + A[i,j]", **asked).data.get()
        assert (found == wanted).all()


@pytest.mark.parametrize("format", ["csr", "csc", "dcsr", "coo", "coo-interleaved"])
def test_formats_with_edited_positions(format):
    A = nacho.Tensor.from_dense(np.eye(9), format).to("cuda")
    double = "Z[i,j] = A[i,j] + A[i,j]"
    for _ in range(2):
        nacho.evaluate(double, A=A)
    for pos in [each for each in A.pos if each is not None]:
        address, right = pos.native.address, pos.to_host()
        for wrong in (right + 1, np.append(right[:-1], right[-1] + 1)):
            fake_cuda.write(address, wrong.astype(right.dtype))
            with pytest.raises(nacho.OperandError):
                nacho.evaluate(double, A=A)
            fake_cuda.write(address, right)
            assert (nacho.evaluate(double, A=A).to("cpu").values == 2).all()
