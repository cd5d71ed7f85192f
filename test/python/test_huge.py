"""Extents to 2^63 - 1, no extent at all, and more entries than 32 bits can count."""

import mmap

import numpy as np
import pytest
import scipy.sparse as sp

import nacho

EXTENTS = (1, 2**31 - 1, 2**31, 2**32 + 1, 2**40, 2**62, 2**63 - 1)
LISTS = ("dcsr", "dcsc", "coo", "coo-interleaved")
MAP_NORESERVE = 0x4000


def entries(shape, seed):
    """Return a few entries by coordinates, those in the corners among them."""
    rng = np.random.default_rng(seed)
    corners = [tuple(0 for _ in shape), tuple(extent - 1 for extent in shape)]
    inner = [tuple(int(rng.integers(0, n)) for n in shape) for _ in range(5)]
    # Shared by all tensors of a shape, so that intersections have entries, too.
    shared = [tuple(n // 3 for n in shape)]
    known = dict.fromkeys([*corners, *inner, *shared])
    return {key: float(n + seed + 1) for n, key in enumerate(known)}


def from_coo(coords, values, shape, format):
    return nacho.Tensor.from_coo(coords, values, shape=shape, format=format)


def tensor(values, shape, format):
    coords = np.array(list(values), np.int64).T
    return from_coo(coords, list(values.values()), shape, format)


def read(made):
    keys = zip(*np.atleast_2d(made.coords).tolist(), strict=True)
    return dict(zip(keys, made.values.tolist(), strict=True))


def added(pairs):
    sums = {}
    for key, value in pairs:
        sums[key] = sums.get(key, 0) + value
    return sums


MATRICES = {
    "Z[i,j] = A[i,j] + B[i,j]": lambda a, b: added([*a.items(), *b.items()]),
    "Z[i,j] = A[i,j] * B[i,j]": lambda a, b: {k: a[k] * b[k] for k in a if k in b},
    "Z[i,j] = A[i,j] + B[j,i]": lambda a, b: added(
        [*a.items(), *(((j, i), v) for (i, j), v in b.items())]
    ),
    "Z[i,k] = A[i,j] * B[j,k]": lambda a, b: added(
        ((i, k), v * w) for (i, j), v in a.items() for (m, k), w in b.items() if j == m
    ),
    "Z[i,j] = max(A[i,j], B[i,j]) - B[i,j]": lambda a, b: {
        k: max(a.get(k, 0), b.get(k, 0)) - b.get(k, 0) for k in {*a, *b}
    },
}


@pytest.mark.each_pair
@pytest.mark.parametrize("extent", EXTENTS)
@pytest.mark.parametrize("format", LISTS)
@pytest.mark.parametrize("text", MATRICES)
@pytest.mark.sampled
def test_matrices(text, format, extent):
    shape = (extent, extent)
    a, b = entries(shape, 1), entries(shape, 2)
    given = {"A": tensor(a, shape, format), "B": tensor(b, shape, format)}
    for options in ({}, {"parts": 5, "threads": 2}):
        made = nacho.evaluate(
            text, **given, out=format, **options, memory_limit=1 << 28
        )
        assert made.shape == shape
        assert read(made) == pytest.approx(MATRICES[text](a, b))


@pytest.mark.parametrize("extent", EXTENTS)
def test_vectors_and_sums(extent):
    shape = (extent,)
    a, b = entries(shape, 1), entries(shape, 2)
    v, w = (tensor(x, shape, "sparse-vector") for x in (a, b))

    def check(text, wanted, out, **given):
        made = nacho.evaluate(text, **given, out=out, memory_limit=1 << 28)
        assert read(made) == pytest.approx(wanted)

    total = added([*a.items(), *b.items()])
    check("z[i] = v[i] + w[i]", total, "sparse-vector", v=v, w=w)
    both = {key: a[key] * b[key] for key in a if key in b}
    check("z[i] = v[i] * w[i]", both, "sparse-vector", v=v, w=w)
    outer = {(*k, *m): x * y for k, x in a.items() for m, y in b.items()}
    check("Z[i,j] = v[i] * w[j]", outer, "dcsr", v=v, w=w)
    assert nacho.evaluate("z = v[i] * w[i]", v=v, w=w) == pytest.approx(
        sum(both.values())
    )
    matrix = entries((extent, extent), 3)
    A = tensor(matrix, (extent, extent), "dcsr")
    rows = added(((i,), value) for (i, _), value in matrix.items())
    check("y[i] = A[i,j]", rows, "sparse-vector", A=A)
    columns = added(((j,), value) for (_, j), value in matrix.items())
    check("y[j] = A[i,j]", columns, "sparse-vector", A=A)
    diagonal = {(i,): value for (i, j), value in matrix.items() if i == j}
    check("y[i] = A[i,i]", diagonal, "sparse-vector", A=A)


@pytest.mark.parametrize("format", ["csf", "coo"])
def test_more_indices(format):
    shape = (2**62, 2**31, 2**63 - 1)
    a, b = entries(shape, 1), entries(shape, 2)
    given = {"A": tensor(a, shape, format), "B": tensor(b, shape, format)}
    text = "Z[i,j,k] = A[i,j,k] + B[i,j,k]"
    made = nacho.evaluate(text, **given, out=format)
    assert read(made) == added([*a.items(), *b.items()])
    made = nacho.evaluate("Z[k,i,j] = A[i,j,k]", A=given["A"], out=format)
    assert read(made) == {(k, i, j): value for (i, j, k), value in a.items()}


def test_extents_that_are_too_large():
    for extent in (2**63, 2**64, 2**70):
        with pytest.raises(nacho.NachoError):
            from_coo([[0], [0]], [1.0], (extent, 2), "dcsr")
    v = tensor({(2**31,): 1.0}, (2**31 + 1,), "sparse-vector")
    formats = dict.fromkeys("vz", "sparse-vector")
    narrow = nacho.mlir.compile("z[i] = 2 * v[i]", formats, index={"z": "i32"})
    message = "index 'i' has extent 2147483649, but the coordinates of result 'z' are"
    with pytest.raises(nacho.IndexOverflowError, match=message):
        narrow(v)
    last = tensor({(2**31 - 1,): 1.0}, (2**31,), "sparse-vector")
    assert read(narrow(last)) == {(2**31 - 1,): 2.0}


@pytest.mark.parametrize(
    "shape",
    [
        (0,),
        (0, 5),
        pytest.param((5, 0), marks=pytest.mark.slow),
        pytest.param((0, 0), marks=pytest.mark.slow),
        pytest.param((3, 0, 2), marks=pytest.mark.slow),
        (0, 4, 0, 1),
    ],
)
def test_no_extent(shape):
    rank = len(shape)
    names = {1: ("sparse-vector", "dense"), 2: ("csr", "csc", *LISTS, "dense")}
    indices = ",".join("ijkl"[:rank])
    for format in names.get(rank, ("csf", "coo", "coo-interleaved", "dense")):
        none = [np.zeros(0, np.int64)] * rank
        A = from_coo(none, np.zeros(0), shape, format)
        for text in (
            f"Z[{indices}] = A[{indices}] + B[{indices}]",
            f"Z[{indices}] = A[{indices}] * B[{indices}]",
            f"Z[{indices[::-1]}] = A[{indices}] + 2 * B[{indices}]",
        ):
            out = format if rank != 2 or format != "csc" else "csr"
            made = nacho.evaluate(text, A=A, B=A, out=out, parts=3, threads=2)
            order = shape[::-1] if "[" + indices[::-1] in text else shape
            assert made.shape == order
        assert nacho.evaluate(f"z = A[{indices}]", A=A) == 0


# --- More entries than int32 can count ------------------------------------------------


def full(count):
    return from_coo([np.arange(count)], np.ones(count), (count,), "sparse-vector")


VECTORS = dict.fromkeys("vw", "sparse-vector")
OUTER = "Z[i,j] = v[i] * w[j] + C[i,j]"


@pytest.mark.parametrize("columns", [2**16 - 1, 2**16, 2**17])
def test_results_that_32_bits_can_or_cannot_count(columns):
    rows = 2**15
    given = {"v": full(rows), "w": full(columns)}
    text, formats = "Z[i,j] = v[i] * w[j]", {**VECTORS, "Z": "csr"}
    narrow = nacho.mlir.compile(text, formats, index={"Z": "i32"})
    free = nacho.mlir.compile(text, formats)
    assert free.count(**given) == free.plan(**given).nnz == rows * columns
    if rows * columns < 2**31:
        assert narrow.plan(**given).nnz == rows * columns
    else:
        with pytest.raises(nacho.IndexOverflowError, match=r'index=\{"Z": "i64"\}'):
            narrow(**given)
    with pytest.raises(nacho.OutOfMemoryError, match=r"\d{10,} bytes for the resu"):
        free(**given, memory_limit=1 << 30)


@pytest.mark.slow
@pytest.mark.parametrize("more", [-1, 0, 1])
def test_results_around_the_limit(more):
    """2^15 rows of 2^16 - 1 entries, and 2^15 - 1 others are 2^31 - 1 in all."""
    rows, columns, others = 2**15, 2**16 - 1, 2**15 - 1 + more
    count = rows * columns + others
    v = from_coo([np.arange(rows)], np.ones(rows), (rows + 1,), "sparse-vector")
    places = [np.full(others, rows), np.arange(others)]
    C = from_coo(places, np.ones(others), (rows + 1, columns), "csr")
    given = {"v": v, "w": full(columns), "C": C}
    formats = {**VECTORS, "C": "csr", "Z": "csr"}
    narrow = nacho.mlir.compile(OUTER, formats, index={"Z": "i32"})
    wide = nacho.mlir.compile(OUTER, formats, index={"Z": "i64"})
    free = nacho.mlir.compile(OUTER, formats)
    assert wide.count(**given) == free.count(**given) == count
    if more <= 0:
        assert narrow.plan(**given).nnz == count
    else:
        with pytest.raises(nacho.IndexOverflowError, match=r'index=\{"Z": "i64"\}'):
            narrow.plan(**given)
        with pytest.raises(nacho.IndexOverflowError):
            narrow(**given)
    for kernel in (wide, free):
        with pytest.raises(nacho.OutOfMemoryError, match=r"\d{10,} bytes for the resu"):
            kernel(**given, memory_limit=1 << 30)


def unread(count, dtype):
    """Return an array of zeros that takes no memory until it is written to."""
    kind = np.dtype(dtype)
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_NORESERVE
    return np.frombuffer(mmap.mmap(-1, count * kind.itemsize, flags=flags), kind)


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("count", "width"),
    [(2**31 - 1, "i4"), (2**31 - 1, "i8"), (2**31, "i8"), (2**31 + 8, "i8")],
)
def test_operands_around_the_limit(count, width):
    values = unread(count, "i1")
    values[-1], values[2] = 5, 3
    A = sp.csr_array((2, 2**31 - 1), dtype="i1")
    A.data, A.indices = values, unread(count, "i4")
    A.indptr = np.array([0, 5, count], width)
    trusted = {"A": A, "validate": "none"}
    assert nacho.evaluate("z = A[i,j]", **trusted) == 8
    made = nacho.evaluate("y[i] = A[i,j]", **trusted, threads=2)
    assert made.tolist() == [3, 5]
    for out in ("csr", "csc"):
        with pytest.raises(nacho.OutOfMemoryError, match="memory_limit is"):
            nacho.evaluate("Z[i,j] = A[i,j]", **trusted, out=out, memory_limit=1 << 30)


def test_positions_that_have_wrapped_around():
    A = sp.csr_array((2, 9))
    A.data, A.indices = np.ones(8), np.arange(8, dtype="i4")
    for wrong in ([0, 5, -(2**31)], [0, -(2**31), 8], [0, 2**31 - 1, 8]):
        A.indptr = np.array(wrong, "i4")
        for validate in ("safe", "full"):
            with pytest.raises(nacho.OperandError, match="indptr"):
                nacho.evaluate("z = A[i,j]", A=A, validate=validate)


def test_long_dense_operands():
    """Their elements are found by 64-bit positions."""
    extent = 2**31 + 8
    x = unread(extent, "i1")
    x[-1], x[3] = 5, 7
    v = tensor({(3,): 1.0, (extent - 1,): 2.0}, (extent,), "sparse-vector")
    assert nacho.evaluate("z = x[i] * v[i]", x=x, v=v) == 17
    made = nacho.evaluate("z[i] = x[i] * v[i]", x=x, v=v, out="sparse-vector")
    assert read(made) == {(3,): 7.0, (extent - 1,): 10.0}


def test_arrays_that_repeat_one_element():
    """They are small, but a kernel needs them whole."""
    long = 2**42
    ones = np.broadcast_to(1.0, long)
    places = np.broadcast_to(np.int64(0), long)
    v = tensor({(0,): 1.0}, (long,), "sparse-vector")
    square = np.broadcast_to(1.0, (2**21, 2**21))
    A = sp.csr_array((2**21, 2**21))
    for call in (
        lambda: from_coo([places], ones, (5,), "coo"),
        lambda: nacho.Tensor.from_parts(
            "csr", (1, 5), [None, np.array([0, long])], [None, places], ones
        ),
        lambda: nacho.evaluate("z = x[i] * v[i]", x=ones, v=v),
        lambda: nacho.evaluate("Z[i,j] = X[i,j] * A[i,j]", X=square, A=A),
    ):
        with pytest.raises(nacho.OutOfMemoryError, match="Unable to allocate"):
            call()
    strided = np.lib.stride_tricks.as_strided(np.arange(4.0), (3,), (0,))
    w = tensor({(0,): 1.0, (2,): 3.0}, (3,), "sparse-vector")
    assert nacho.evaluate("z = x[i] * w[i]", x=strided + 1, w=w) == 4
