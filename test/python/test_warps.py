"""What the lanes of a warp do together: parts with dense loops, and scans of parts."""

import numpy as np
import pytest
import scipy.sparse as sp

import nacho
import samples

PRODUCTS = {
    "spmm": ("Z[i,k] = A[i,j] * D[j,k]", {"A": "csr", "D": "dense", "Z": "dense"}),
    "sddmm": (
        "Z[i,j] = A[i,j] * D[i,k] * E[j,k]",
        {"A": "csr", "D": "dense", "E": "dense", "Z": "csr"},
    ),
    "mttkrp": (
        "Z[i,k] = T[i,j,l] * D[j,k] * E[l,k]",
        {"T": "csf", "D": "dense", "E": "dense", "Z": "dense"},
    ),
}


def operands(name, columns, dtype):
    rng = np.random.default_rng(columns)

    def dense(rows):
        return rng.integers(-9, 9, (rows, columns)).astype(dtype) / dtype(2)

    if name == "mttkrp":
        values = rng.integers(-3, 3, (12, 9, 8)) * (rng.random((12, 9, 8)) < 0.2)
        first = {"T": nacho.Tensor.from_dense(values.astype(dtype), "csf")}
        return first | {"D": dense(9), "E": dense(8)}
    # One row has half of the entries.
    values = rng.random((30, 20)) * (rng.random((30, 20)) < 0.1)
    values[7] = rng.random(20)
    first = {"A": sp.csr_array(values.astype(dtype))}
    rows = {"spmm": {"D": 20}, "sddmm": {"D": 30, "E": 20}}[name]
    return first | {each: dense(size) for each, size in rows.items()}


def expect_that_warps_change_nothing(text, formats, given, parts=5, **choices):
    def found(**more):
        options = {"parts": parts, "choices": choices} | more
        kernel = nacho.mlir.compile(text, formats=formats, **options)
        return kernel(*(given[each] for each in kernel.operands))

    together = found(target="cuda-sim")
    assert samples.same_numbers(together, found())
    alone = found(target="cuda-sim", choices={**choices, "warps": False})
    assert samples.same_numbers(together, alone)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("columns", [1, 7, 32, 75])
@pytest.mark.parametrize("name", PRODUCTS)
def test_warps_change_nothing(name, columns, dtype):
    text, formats = PRODUCTS[name]
    given = operands(name, columns, dtype)
    expect_that_warps_change_nothing(text, formats, given)


@pytest.mark.parametrize("parts", [1, 3, 70])
@pytest.mark.parametrize("columns", [0, 3])
@pytest.mark.parametrize("format", ["csr", "coo", "csc"])
def test_entries_at_the_positions_of_an_operand(format, columns, parts):
    text, formats = PRODUCTS["sddmm"]
    formats = formats | {"A": format, "Z": format}
    given = operands("sddmm", columns, np.float64)
    given["A"] = given["A"].asformat(format)
    expect_that_warps_change_nothing(text, formats, given, parts)


def test_entries_at_the_positions_of_an_operand_need_no_scan():
    def kernels(text, formats):
        return nacho.mlir.compile(text, formats=formats, target="cuda-sim").ptx()

    text, formats = PRODUCTS["sddmm"]
    assert "scan" not in kernels(text, formats)
    both = text.replace("A[i,j]", "A[i,j] * B[i,j]")
    assert "scan" in kernels(both, formats | {"B": "csr"})


@pytest.mark.parametrize("name", PRODUCTS)
def test_parts_with_dense_loops_are_for_warps(name):
    text, formats = PRODUCTS[name]
    kernel = nacho.mlir.compile(text, formats=formats, target="cuda-sim")
    shared = kernel.mlir("scf")
    # Sums of vectors take fewer shuffles with fewer lanes.
    assert f"nacho.lane of {4 if name == 'sddmm' else 32}" in shared
    assert ("nacho.from_lane" in shared) == (name == "sddmm")
    compute = kernel.mlir("tile").split("@kernel_compute")[1].split("func.func")[0]
    assert "nacho.tile" not in compute
    alone = nacho.mlir.compile(
        text, formats=formats, target="cuda-sim", choices={"warps": False}
    )
    assert "nacho.lane" not in alone.mlir("scf")


def moved(array, number):
    """Return a copy that begins so many elements after a multiple of 64 bytes."""
    memory = np.zeros(array.size + 64 // array.itemsize + number, array.dtype)
    begin = -memory.ctypes.data % 64 // array.itemsize + number
    copy = memory[begin : begin + array.size].reshape(array.shape)
    copy[:] = array
    return copy


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("columns", [31, 64, 66, 96])
def test_wide_loads_change_nothing(columns, dtype):
    """Threads load 16 bytes at once if arrays and rows begin at multiples of them."""
    text, formats = PRODUCTS["sddmm"]
    given = operands("sddmm", columns, dtype)
    for number in (0, 1, 2):
        there = given | {"E": moved(given["E"], number)}
        expect_that_warps_change_nothing(text, formats, there)


def test_wide_loads_are_in_the_code():
    text, formats = PRODUCTS["sddmm"]
    kernel = nacho.mlir.compile(text, formats=formats, target="cuda-sim")
    compute = kernel.ptx().split(".entry kernel_compute")[1].split(".entry")[0]
    # Four neighbours of 16, twice, in each of two rows.
    assert compute.count("ld.global.v2.b64") == 8


@pytest.mark.parametrize("name", ["spmm", "mttkrp"])
def test_threads_keep_sums_of_rows_in_registers(name):
    text, formats = PRODUCTS[name]
    kernel = nacho.mlir.compile(text, formats=formats, target="cuda-sim")
    compute = kernel.mlir("scf").split("@kernel_compute")[1].split("func.func")[0]
    adds = [line for line in compute.splitlines() if "arith.addf" in line]
    assert adds and all(": f64" in line for line in adds)
    # No step of a loop over entries loads or stores a row of sums.
    assert "arith.addf %arg" in compute
    assert "vector" not in compute


def test_other_parts_have_a_thread_each():
    formats = dict.fromkeys("ABZ", "csr")
    text = "Z[i,j] = A[i,j] + B[i,j]"
    kernel = nacho.mlir.compile(text, formats=formats, target="cuda-sim")
    assert "nacho.lane" not in kernel.mlir("scf")


@pytest.mark.parametrize("parts", [1, 511, 512, 513, 70_000])
def test_scans_of_parts(parts):
    """A warp scans the tiles of 512 parts, 128 of them at a time."""
    A = sp.random_array((300, 40), density=0.2, format="csr", rng=1)
    B = sp.random_array((300, 40), density=0.2, format="csr", rng=2)
    found = nacho.evaluate(
        "Z[i,j] = A[i,j] + B[i,j]", A=A, B=B, parts=parts, target="cuda-sim"
    )
    assert samples.same_numbers(
        found, nacho.evaluate("Z[i,j] = A[i,j] + B[i,j]", A=A, B=B)
    )


@pytest.mark.parametrize("rows", [40, 1500])
def test_products_of_many_threads(rows):
    """Lists of costs are summed up, and each thread has marks for all columns."""
    A, B = (
        sp.random_array((rows, rows), density=6 / rows, format="csr", rng=seed)
        for seed in (1, 2)
    )
    text = "Z[i,k] = A[i,j] * B[j,k]"
    found = nacho.evaluate(text, A=A, B=B, target="cuda-sim")
    assert samples.same_numbers(found, nacho.evaluate(text, A=A, B=B))


def test_fewer_threads_need_less_memory():
    A = sp.random_array((800, 800), density=0.01, format="csr", rng=1)
    text = "Z[i,k] = A[i,j] * B[j,k]"
    given = {"A": A, "B": A}
    # All threads together would need 16 MB.
    found = nacho.evaluate(text, given, target="cuda-sim", memory_limit=4_000_000)
    assert samples.same_numbers(found, nacho.evaluate(text, given))


def test_lists_are_merged_by_keys():
    """Parts of a tile read all of its entries, even if most do not match."""
    rng = np.random.default_rng(1)
    coords = np.unique(rng.integers(0, 3000, (2, 40_000)), axis=1).astype(np.int32)
    values = rng.random(coords.shape[1])
    half = coords.shape[1] // 2
    shape = (3000, 3000)
    A = nacho.Tensor.from_coo(
        coords[:, :half], values[:half], shape=shape, format="coo"
    )
    B = nacho.Tensor.from_coo(
        coords[:, half:], values[half:], shape=shape, format="coo"
    )
    formats = dict.fromkeys("ABZ", "coo")
    text = "Z[i,j] = A[i,j] * B[i,j]"
    kernel = nacho.mlir.compile(text, formats=formats, target="cuda-sim")
    assert "the parts of a tile read all of its entries" in str(kernel.explain(A, B))


ROWS = {
    "spgemm": ("Z[i,k] = A[i,j] * B[j,k]", {"A": "csr", "B": "csr", "Z": "csr"}),
    "of a tensor": (
        "Z[i,j,k] = T[i,j,l] * B[l,k]",
        {"T": "csf", "B": "csr", "Z": "csf"},
    ),
    "of three": (
        "Z[i,l] = A[i,j] * B[j,k] * B[k,l]",
        {"A": "csr", "B": "csr", "Z": "csr"},
    ),
    "masked": (
        "Z[i,k] = M[i,k] * A[i,j] * B[j,k]",
        {"M": "csr", "A": "csr", "B": "csr", "Z": "csr"},
    ),
}


def matrix_for_warps(rng, density):
    """A row has more entries than a warp has lanes, and another one has none."""
    values = rng.integers(1, 9, (90, 90)) * (rng.random((90, 90)) < density)
    values[3] = rng.integers(1, 9, 90)
    values[5] = 0
    return sp.csr_array(values / 3)


@pytest.mark.sampled
@pytest.mark.each_value
@pytest.mark.parametrize("density", [0.01, 0.3])
@pytest.mark.parametrize("name", ROWS)
def test_warps_add_up_rows_in_the_order_of_one_thread(name, density):
    rng = np.random.default_rng(2)
    given = {each: matrix_for_warps(rng, density) for each in "ABM"}
    values = rng.random((4, 7, 90)) * (rng.random((4, 7, 90)) < density)
    given["T"] = nacho.Tensor.from_dense(values, "csf")
    text, formats = ROWS[name]
    expect_that_warps_change_nothing(text, formats, given)


def test_masked_rows_that_parts_share():
    """Without a number of parts, this follows from costs: warps change none."""
    shapes = {"A": (4, 3000, 0.8), "B": (3000, 400, 0.03), "M": (4, 400, 0.8)}
    given = {
        name: sp.random_array((rows, columns), density=density, format="csr", rng=seed)
        for seed, (name, (rows, columns, density)) in enumerate(shapes.items(), 1)
    }
    text, formats = ROWS["masked"]
    shared = {"whole-rows": False}
    expect_that_warps_change_nothing(text, formats, given, parts=None, **shared)


@pytest.mark.parametrize("name", ROWS)
def test_rows_are_added_up_by_warps(name):
    text, formats = ROWS[name]
    kernel = nacho.mlir.compile(text, formats=formats, target="cuda-sim")
    compute = kernel.mlir("scf").split("@kernel_compute")[1].split("func.func")[0]
    assert "nacho.lane of 32" in compute
    assert "nacho.lane_sync" in compute


@pytest.mark.parametrize("name", ["spgemm", "masked"])
def test_short_rows_are_in_tables_that_lanes_share(name):
    text, formats = ROWS[name]
    kernel = nacho.mlir.compile(text, formats=formats, target="cuda-sim")
    compute = kernel.mlir("scf").split("@kernel_compute")[1].split("func.func")[0]
    # Keys, bits and values of 512 places, and the order of 256 entries.
    for memory in ("512xi32", "16xi32", "512xf64", "256xi32"):
        assert f"nacho.lane_memory : memref<{memory}>" in compute


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.float32, np.complex128])
def test_tables_of_any_elements(dtype):
    rng = np.random.default_rng(4)
    A, B = (
        sp.csr_array(rng.integers(1, 9, (40, 40)) * (rng.random((40, 40)) < density))
        for density in (0.1, 0.2)
    )
    text, formats = ROWS["spgemm"]
    expect_that_warps_change_nothing(
        text, formats, {"A": A.astype(dtype), "B": B.astype(dtype)}
    )


@pytest.mark.parametrize("products", [1, 16, 17, 255, 256, 257])
@pytest.mark.sampled
def test_rows_as_long_as_tables(products):
    """Products of a row have coordinates that are far apart, or all the same."""
    rng = np.random.default_rng(products)
    A = sp.csr_array(rng.random((3, products)))
    columns = rng.choice(2**20 - 1, products, replace=False)
    rows = np.arange(products)
    text, formats = ROWS["spgemm"]
    for coordinates in (columns, columns * 0 + 5, np.sort(columns)):
        B = sp.csr_array(
            (rng.random(products), (rows, coordinates)), (products, 2**20 - 1)
        )
        expect_that_warps_change_nothing(text, formats, {"A": A, "B": B})


@pytest.mark.parametrize("rows", [1, 31, 3000])
def test_warps_sort_in_the_order_of_one_thread(rows):
    """Lists of fewer entries than lanes, and of more than a part; equal entries keep
    their order, which decides what their sum is."""
    rng = np.random.default_rng(rows)
    A, B = (
        sp.csr_array(rng.random(shape) * (rng.random(shape) < 0.5))
        for shape in ((rows, 6), (6, 5))
    )
    text, formats = ROWS["spgemm"]
    kernels = [
        nacho.mlir.compile(
            text,
            formats=formats,
            target=target,
            choices={"sort-products": True},
        )
        for target in ("cpu", "cuda-sim")
    ]
    on_host, simulated = (kernel(A, B) for kernel in kernels)
    assert samples.same_numbers(simulated, on_host)
