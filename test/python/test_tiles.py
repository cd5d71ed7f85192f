"""Parts that share the memory of a block of a GPU: tiles of neighbours."""

import re
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import expressions
import nacho
import samples
from nacho import _nacho
from nacho._kernels import ptxas, tiles
from nacho._kernels.counts import counted, since, total
from test_cuda_sim import EXTENT, KERNELS, check_run, matrix, operands_of
from test_properties import RUNS, examples, runs

ADD = "Z[i,j] = A[i,j] + B[i,j]"


def kernel(text, tile, **options):
    choices = {"tile": tile, **options.pop("choices", {})}
    return nacho.mlir.compile(text, target="cuda-sim", choices=choices, **options)


# Other statements than those that test_cuda_sim runs without tiles, of all formats.
@pytest.mark.parametrize(
    "statements",
    [expressions.elementwise(), expressions.contractions()],
    ids=["element-wise", "contractions"],
)
@given(data=st.data())
@examples(4, 100)
def test_random_statements(statements, data):
    case = data.draw(statements)
    kernels = case.compile(), case.compile(target="cuda-sim", choices={"tile": 32})
    for run in data.draw(st.lists(runs(), min_size=RUNS, max_size=RUNS)):
        check_run(kernels, case, run)


@pytest.mark.parametrize("parts", [100, 150, 200, 300, 1000])
def test_sums_that_many_tiles_share(parts):
    """The parts of a sum are found among the cuts of tiles before their own."""
    X = np.ones((41, 64), np.int32)
    made = kernel("t[j] = X[j,k]", 64, dtype="int32")(X, parts=parts)
    np.testing.assert_array_equal(made, np.full(41, 64))


@pytest.mark.sampled
@pytest.mark.each_value
@pytest.mark.parametrize("parts", [1, 33, 700])
@pytest.mark.parametrize("text", KERNELS)
def test_tiles_change_nothing(text, parts):
    def found(tile):
        return nacho.evaluate(
            text,
            operands_of(text),
            parts=parts,
            target="cuda-sim",
            choices={"tile": tile},
            **KERNELS[text],
        )

    alone = found(0)
    for tile in (32, 64):
        assert samples.same_numbers(found(tile), alone)


@pytest.mark.each_value
@pytest.mark.parametrize("dtype", ["f4", "i1", "u1", "c16", "bool"])
@pytest.mark.parametrize("format", ["csr", "coo", "dcsr", "csc", "coo-interleaved"])
def test_elements_and_formats(format, dtype):
    """Elements of 1 to 16 bytes lie next to each other in shared memory."""
    rng = np.random.default_rng(5)
    given = {}
    for name in "AB":
        dense = rng.integers(0, 2, (60, 70)) * rng.integers(1, 100, (60, 70))
        typed = dense.astype(dtype)
        given[name] = nacho.Tensor.from_dense(typed, format)
    formats = dict.fromkeys("ABZ", format)
    found = kernel(ADD, 32, formats=formats)(**given, parts=200)
    wanted = nacho.mlir.compile(ADD, formats=formats)(**given, parts=200)
    assert (found.to_dense() == wanted.to_dense()).all()


def test_windows_without_room():
    """So much per part that no window of values fits in the memory of a block."""
    A, B = matrix(1, density=0.4), matrix(2, density=0.4)
    found = kernel(ADD, 32)(A, B, parts=40)
    assert abs(found - (A + B)).max() == 0


def test_heavy_rows():
    """Windows of rows that many tiles share, and of many empty ones."""
    dense = np.zeros((3000, 900))
    dense[17, :] = 1
    dense[2999, ::3] = 2
    A = sp.csr_array(dense)
    B = sp.csr_array(np.roll(dense, 1, axis=0))
    for cost in ("nnz", "time"):
        found = kernel(ADD, 32, cost=cost)(A, B, parts=300)
        assert (found.toarray() == (A + B).toarray()).all()


@pytest.mark.parametrize("format", ["csr", "dcsr"])
@pytest.mark.parametrize("text", ["Z[i,j] = 3 * A[i,j]", ADD])
def test_parts_that_end_where_runs_begin(text, format):
    """Such a part visits the run only where it appends rows: it has no entry in it."""
    formats = {**dict.fromkeys([n for n in "AB" if n in text], "coo"), "Z": format}
    adds, wanted = kernel(text, 32, formats=formats), nacho.mlir.compile(text, formats)
    for lengths in ((3, 3), (1, 0, 1), (5, 1), (1, 1, 1)):
        dense = np.arange(1.0, 9) * (np.arange(8) < np.array(lengths)[:, None])
        given = [nacho.Tensor.from_dense(dense[:, ::n], "coo") for n in (1, -1)]
        given = given[: len(formats) - 1]
        for parts in range(1, 12):
            found = adds(*given, parts=parts)
            assert samples.same_numbers(found, wanted(*given, parts=parts))


@pytest.mark.each_value
@pytest.mark.parametrize("format", ["coo", "csr", "csc", "dcsr", "csf"])
@pytest.mark.parametrize("text", ["Z[i,j] = A[1:-2, 3:][i,j]", "Z[i] += A[1:-2][i,j]"])
def test_ranges_of_operands(text, format):
    """Each part searches for the ends of a range, which may lie in other tiles."""
    A = nacho.Tensor.from_dense(matrix(1, (40, 60), 0.9).toarray(), format)
    names = {"A": format, "Z": "csr" if "Z[i,j]" in text else "dense"}
    found = kernel(text, 64, formats=names)(A, parts=300)
    wanted = nacho.mlir.compile(text, names)(A, parts=300)
    assert samples.same_numbers(found, wanted)


def test_operands_that_change_after_the_count():
    """Parts leave elements of windows out, or have more than there is room for."""
    A, B = matrix(1), matrix(2)
    plan = kernel(ADD, 32).plan(A, B, parts=300)
    other = B.copy()
    other.indices = ((other.indices + 1) // 2 * 2).clip(0, EXTENT - 1).astype(np.int32)
    with pytest.raises(nacho.NachoError):
        plan.execute(A, other)


def count(tile):
    """Return what the simulated GPU counts, with tiles and without."""
    A, B = matrix(1, (2000, 2000), 0.005), matrix(2, (2000, 2000), 0.005)
    adds = kernel(ADD, tile, choices={"count-accesses": True})
    before = counted()
    adds(A, B)
    return total(since(before))


def test_what_tiles_are_for():
    """Neighbours access what lies side by side, and few threads wait for others."""
    alone, together = count(0), count(32)
    assert together.sectors < 0.4 * alone.sectors
    assert together.useful_lanes > alone.useful_lanes
    assert together.shared_accesses > alone.shared_accesses


def test_vectors_are_loaded_from_windows():
    """A row has three vectors of 8 elements, of whose terms each reads x once."""
    A, x = sp.csr_array(np.random.default_rng(1).random((900, 24))), np.ones(24)
    products = nacho.mlir.compile(
        "y[i] = A[i,j] * x[j]",
        {"A": "csr", "x": "dense", "y": "dense"},
        target="cuda-sim",
        choices={"tile": 64, "count-accesses": True},
    )
    before = counted()
    assert abs(products(A, x) - A @ x).max() < 1e-12
    compute = since(before)["kernel_compute_kernel"]
    assert compute.sectors < 1.8 * compute.ideal_sectors


TERMS = {
    "y[i] = A[i,j] * x[j]": "csr",
    "y[i] = A[i,j] * x[j] * x[i]": "dcsr",
    "y[i] = A[i,j] * x[j] + x[i]": "coo",
    "y[i] max= A[i,j] * x[j]": "csr",
    "y[i] = B[i,j,k] * x[k] * x[j]": "csf",
}


@pytest.mark.parametrize("dtype", ["float64", "float32", "int32", "complex128"])
@pytest.mark.parametrize("text", TERMS)
def test_terms_of_tiles(text, dtype):
    """Any part computes a term, but each adds up its own, in the order of a CPU."""
    random = np.random.default_rng(5)
    shape = (90,) * (3 if "B[" in text else 2)
    places = np.unique(random.integers(0, 90, (len(shape), 3000)), axis=1)
    values = random.standard_normal(places.shape[1]).astype(dtype)
    name = "B" if "B[" in text else "A"
    operand = nacho.Tensor.from_coo(places, values, shape=shape, format=TERMS[text])
    given = {name: operand, "x": random.standard_normal(90).astype(dtype)}
    formats = {name: TERMS[text], "x": "dense", "y": "dense"}
    tiled = kernel(text, 64, formats=formats)
    if "max" in text and dtype == "complex128":
        with pytest.raises(nacho.DTypeError, match="order"):
            tiled(**given)
        return
    for parts in (1, 40, 300):
        wanted = nacho.mlir.compile(text, formats)(**given, parts=parts)
        assert tiled(**given, parts=parts).tobytes() == wanted.tobytes()
    assert "nacho.tile_memory" in tiled.mlir("scf")


UNIONS = [
    "y[i] = A[i,j] * x[j] + B[i,j] * x[j]",
    "y[i] = A[i,j] * x[j] + B[i,j] * x[j] - C[i,j]",
    "s = A[i,j] * x[j] - B[i,j]",
]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("text", UNIONS)
def test_sums_of_unions(text, dtype):
    """They have one order, though merges on a CPU end where one operand is left."""
    random, x = np.random.default_rng(6), np.linspace(-1, 2, 300).astype(dtype)
    operands = {
        name: sp.random(300, 300, density, "csr", rng=random, dtype=dtype)
        for name, density in {"A": 0.1, "B": 0.03, "C": 0.1}.items()
        if name in text
    }
    given = {**operands, "x": x}
    formats = {"x": "dense"} | ({"y": "dense"} if "y" in text else {})
    for parts in (1, 3, 64):
        wanted = nacho.mlir.compile(text, formats=formats)(**given, parts=parts)
        for tile in (0, 64):
            found = kernel(text, tile, formats=formats)(**given, parts=parts)
            assert found.tobytes() == wanted.tobytes()


def test_terms_of_what_is_no_entry():
    """Behind its last entry, an operand may have anything; among them, no index."""
    A, x = matrix(1), np.arange(EXTENT, dtype=float)
    longer = np.append(A.indices, [-1, EXTENT, 1 << 30]).astype(np.int32)
    B = A.copy()
    B.indices, B.data = longer, np.append(A.data, [np.nan] * 3)
    products = kernel("y[i] = A[i,j] * x[j]", 64, formats={"x": "dense"})
    for parts in (1, 70):
        assert (products(B, x, parts=parts) == products(A, x, parts=parts)).all()
    wrong = A.copy()
    wrong.indices = A.indices.copy()
    plan = products.plan(wrong, x, parts=70)
    wrong.indices[A.nnz // 2] = EXTENT
    with pytest.raises(nacho.NachoError):
        plan.execute(wrong, x)


def test_terms_without_room():
    """A tile whose cost was counted for few parts has more entries than room."""
    A, x = matrix(1, density=0.4), np.ones(EXTENT)
    products = kernel("y[i] = A[i,j] * x[j]", 64, formats={"x": "dense"})
    assert abs(products(A, x, parts=3) - A @ x).max() < 1e-9


def test_explain_names_what_is_tiled():
    A = matrix(1)
    text = kernel(ADD, 128).explain(A, A, parts=10)
    assert re.search(
        r"kernel_plan: a block does 128 parts, which share \d+ bytes", text
    )
    assert re.search("for each part, alone: kernel_partition$", text, re.MULTILINE)
    usual = nacho.mlir.compile(ADD, target="cuda-sim").explain(A, A)
    assert "kernel_plan: a block does 64 parts" in usual
    alone = kernel(ADD, 0).explain(A, A)
    assert "a thread for each part, alone: " in alone
    assert "a block does" not in alone
    assert "a block does" not in nacho.mlir.compile(ADD).explain(A, A)


@pytest.mark.skipif(ptxas.find_ptxas() is None, reason="there is no ptxas")
def test_explain_tells_how_many_threads_run():
    A = matrix(1)
    text = kernel(ADD, 64).explain(A, A)
    assert re.search(r"^on sm_90 +kernel_\w+: \d+ registers", text, re.MULTILINE)
    assert re.search(
        r"kernel_partition_kernel: \d+ registers, 0 bytes shared, "
        r"\d+ blocks of 128 threads at a time \(\d+%\)",
        text,
    )
    assert re.search(
        r"kernel_plan_kernel\w*: \d+ registers, [1-9]\d* bytes shared", text
    )


def test_explain_without_ptxas(monkeypatch):
    monkeypatch.setattr(tiles, "find_ptxas", lambda: None)
    assert "pip install nvidia-cuda-nvcc" in kernel(ADD, 64).explain(
        matrix(1), matrix(1)
    )


@pytest.mark.parametrize(
    ("chip", "registers", "shared", "threads", "blocks"),
    [
        # What NVIDIA's occupancy calculator gives.
        ("sm_90", 32, 0, 128, 16),
        ("sm_90", 64, 0, 128, 8),
        ("sm_90", 168, 0, 128, 3),
        ("sm_90", 32, 31744, 64, 7),
        ("sm_90", 16, 0, 32, 32),
        ("sm_75", 16, 0, 128, 8),
    ],
)
def test_blocks_at_a_time(chip, registers, shared, threads, blocks):
    made = ptxas.Assembled("f", registers, 0, shared)
    assert ptxas.PROCESSORS[chip].blocks_of(made, threads) == blocks


def function(name, tile=0, shared=0, lanes=0, tables=0):
    return SimpleNamespace(
        name=name, tile=tile, shared=shared, lanes=lanes, tables=tables
    )


def test_descriptions():
    functions = [
        function("f", tile=32, shared=640),
        function("g"),
        function("a", lanes=32, tables=99),
        function("b", lanes=32),
        function("c", lanes=8),
    ]
    assert tiles.described(functions) == [
        "f: a block does 32 parts, which share 640 bytes",
        "a: a warp does a part, with tables of 99 bytes for short rows",
        "b: a warp does a part",
        "c: 8 lanes of a warp do a part",
        "a thread for each part, alone: g",
    ]


@pytest.mark.parametrize(
    ("dtype", "size"), [("f64", 8), ("c64", 8), ("bool", 1)], ids=str
)
def test_tables_of_warps_are_measured(dtype, size):
    """Two numbers for each complex one; a bool takes a byte."""
    text = "Z[i,k] = A[i,j] * B[j,k]"
    native = _nacho.Kernel(
        nacho.mlir.compile(text, dtype=dtype).mlir("assign"), "cuda-sim"
    )
    choices = {"whole-rows": True}
    text = native.lower("scf", choices)
    memory = re.findall(r"nacho\.lane_memory : memref<(\d+)x([\w<>]+)>", text)
    sizes = {"i32": 4, "i64": 8}
    expected = sum(int(n) * sizes.get(element, size) for n, element in memory)
    assert memory
    assert sum(each.tables for each in native.gpu(choices).functions) == expected


def test_threads_of_blocks():
    found = kernel(ADD, 32)
    native = _nacho.Kernel(found.mlir("assign"), "cuda-sim", {"tile": 32})
    assert {each.tile for each in native.gpu().functions} == {0, 32}
    assert set(native.gpu().threads.values()) <= {1, 32, 64, 128}
