"""Kernels for a GPU, which the host simulates."""

import os
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import expressions
import nacho
import samples
from test_properties import RUNS, check_format, examples, runs

SEEDS = (0, 1, 987654321)
"""The orders in which the simulator starts blocks and threads."""


def check_run(kernels, case, run):
    """Check that the simulated GPU gives the bits that the host gives."""
    number, extents, kinds, parts, _ = run
    operands = case.sample(np.random.default_rng(number), extents, kinds)
    host, simulated = (kernel(**operands, parts=parts) for kernel in kernels)
    assert samples.same_numbers(host, simulated)
    check_format(simulated, case)


# A sample of what test_properties runs on any target.
@given(expressions.elementwise(), st.lists(runs(), min_size=RUNS, max_size=RUNS))
@examples(5, 15)
def test_element_wise(case, drawn):
    kernels = case.compile(), case.compile(target="cuda-sim")
    for run in drawn:
        check_run(kernels, case, run)


@given(expressions.contractions(), st.lists(runs(), min_size=RUNS, max_size=RUNS))
@examples(3, 25)
def test_contractions(case, drawn):
    kernels = case.compile(), case.compile(target="cuda-sim")
    for run in drawn:
        check_run(kernels, case, run)


EXTENT = 180
"""Of square matrices: a few tiles of parts, and no more, as GPUs are simulated."""


def matrix(seed, shape=(EXTENT, EXTENT), density=0.05, format="csr"):
    made = sp.random_array(shape, density=density, format=format, rng=seed)
    made.sum_duplicates()
    return made


KERNELS = {
    "Z[i,j] = A[i,j] + B[i,j]": {},
    "Z[i,j] = A[i,j] + B[i,j] * C[i,j]": {},
    "y[i] = A[i,j] * x[j]": {},
    "s = A[i,j] * B[i,j]": {},
    "y[j] = A[i,j]": {"out": "dense"},
    "Z[i,k] = A[i,j] * B[j,k]": {},
    "Z[i,k] = M[i,k] * A[i,j] * B[j,k]": {},
    "Z[j,i] = A[i,j]": {},
    "Z[j,i] = A[i,j] + B[j,i]": {"out": "coo"},
    "Z[i,k] = A[i,j] * D[j,k]": {"out": "dense"},
    "Z[i,j] = B[i,j] * D[i,k] * D[j,k]": {},
}


def operands_of(text):
    given = {name: matrix(n) for n, name in enumerate("ABCM")}
    rng = np.random.default_rng(9)
    given["x"] = rng.standard_normal(EXTENT)
    given["D"] = rng.standard_normal((EXTENT, EXTENT))
    return {name: value for name, value in given.items() if f"{name}[" in text}


@pytest.mark.sampled
@pytest.mark.each_value
@pytest.mark.parametrize("parts", [None, 1, 3, 40, 5000])
@pytest.mark.parametrize("text", KERNELS)
def test_kernels(text, parts):
    """With any number of parts: more than threads, and more than there is work."""
    operands = operands_of(text)
    wanted = nacho.evaluate(text, operands, parts=parts, **KERNELS[text])
    found = nacho.evaluate(
        text, operands, parts=parts, target="cuda-sim", **KERNELS[text]
    )
    # If nobody asks for parts, a GPU has more of them, and so adds in another order.
    assert parts is None or samples.same_numbers(found, wanted)
    samples.check(found, text, operands)


def test_parts_that_nobody_asks_for():
    """A thread for every 16 entries; fewer, if each has rows of sums.

    What a block keeps is counted like entries: the rows of sparse operands.
    """
    A, B = (matrix(seed, shape=(300, 300)) for seed in (1, 2))
    D = np.ones((300, 40))
    adds = nacho.mlir.compile("Z[i,j] = A[i,j] + B[i,j]", target="cuda-sim")
    plan = adds.plan(A, B)
    assert plan.parts == -(-(A.nnz + B.nnz + 600) // 16)
    assert plan.costs.max() - plan.costs.min() <= 2 * plan.delta
    text = "Y[i,k] = A[i,j] * D[j,k]"
    formats = {"A": "csr", "D": "dense", "Y": "dense"}
    multiplies = nacho.mlir.compile(text, formats, target="cuda-sim")
    plan = multiplies.plan(A, D)
    assert 32 <= plan.parts <= (A.nnz + 4 * 300) // (2 * 40)
    assert abs(plan.execute() - A @ D).max() < 1e-12
    assert "16 for each part" in adds.explain(A, B)
    assert "as asked for" in adds.explain(A, B, parts=3)


def test_a_row_that_many_parts_share():
    """The parts' sums of the row are added up in order, by one of them."""
    A = sp.random_array((50, 4000), density=0.001, format="lil", rng=3)
    A[7, :] = np.random.default_rng(4).standard_normal(4000)
    A, x = A.tocsr(), np.random.default_rng(5).standard_normal(4000)
    text, formats = "y[i] = A[i,j] * x[j]", {"A": "csr", "x": "dense", "y": "dense"}
    kernels = [
        nacho.mlir.compile(text, formats, target=target)
        for target in ("cpu", "cuda-sim")
    ]
    for parts in (2, 60, 260, 4000):
        on_host, on_device = (kernel(A, x, parts=parts) for kernel in kernels)
        assert (on_host == on_device).all()
        assert abs(on_host - A @ x).max() < 1e-10


@pytest.mark.parametrize("parts", [512, 513, 20_000])
def test_scans_of_many_tiles(parts):
    """A warp scans what 512 parts append, after what warps before it tell."""
    A, B = (matrix(seed, shape=(900, 900)) for seed in (1, 2))
    text, given = "Z[i,j] = A[i,j] + B[i,j]", {"A": A, "B": B}
    for _ in range(2):
        found = nacho.evaluate(text, given, target="cuda-sim", parts=parts)
        assert samples.same(found, A + B)


def test_repeated_calls():
    """The same arrays again, with other values: they are copied each time."""
    kernel = nacho.mlir.compile("Z[i,j] = A[i,j] + B[i,j]", target="cuda-sim")
    A, B = matrix(1), matrix(2)
    for _ in range(4):
        assert abs(kernel(A, B) - (A + B)).max() == 0
        assert abs(kernel(A, B, parts=3) - (A + B)).max() == 0
        A.data *= 2


def test_plans():
    """A plan has cuts and sizes, and can be executed again with other values."""
    text = "Z[i,j] = A[i,j] + B[i,j]"
    kernel = nacho.mlir.compile(text, target="cuda-sim")
    A, B = matrix(1), matrix(2)
    plan = kernel.plan(A, B, parts=7)
    on_host = nacho.mlir.compile(text).plan(A, B, parts=7)
    assert (plan.bounds == on_host.bounds).all()
    assert plan.nnz == on_host.nnz
    assert abs(plan.execute() - (A + B)).max() == 0
    doubled = A * 2
    assert abs(plan.execute(doubled, B) - (doubled + B)).max() == 0


def test_long_sorts():
    """Of more entries than one part has, with coordinates of several digits."""
    rng = np.random.default_rng(0)
    shape, count = (70_000, 3, 300), 20_000
    coords = tuple(rng.integers(0, extent, count) for extent in shape)
    A = sp.coo_array((rng.standard_normal(count), coords), shape=shape)
    A.sum_duplicates()
    text = "Z[k,j,i] = A[i,j,k]"
    found = nacho.evaluate(text, A=A, out="coo", target="cuda-sim")
    assert samples.same(found, nacho.evaluate(text, A=A, out="coo"))


def test_memory_limits_are_kept():
    with pytest.raises(nacho.OutOfMemoryError, match="memory_limit"):
        nacho.evaluate(
            "Z[i,j] = A[i,j] + B[i,j]",
            A=matrix(1),
            B=matrix(2),
            target="cuda-sim",
            memory_limit=1000,
        )


def test_stages_are_those_of_a_gpu():
    kernel = nacho.mlir.compile("Z[i,j] = A[i,j] + B[i,j]", target="cuda-sim")
    gpu = kernel.mlir("gpu")
    assert "gpu.launch_func" in gpu
    host = [text for text in gpu.split("\n  func.func")[1:]]
    assert host
    for function in host:
        assert "memref.load" not in function.partition("\n  gpu.module")[0]
    assert "nacho_launch" in kernel.mlir("llvm")


ORDERS = """
import numpy as np, scipy.sparse as sp, nacho
A = sp.random_array((500, 500), density=0.05, format="csr", rng=1)
Z = nacho.evaluate("Z[i,k] = A[i,j] * A[j,k]", A=A, parts=77, target="cuda-sim")
T = nacho.evaluate("Z[j,i] = A[i,j] + A[j,i]", A=A, parts=77, target="cuda-sim")
y = nacho.evaluate("y[j] = A[i,j]", A=A, parts=77, out="dense", target="cuda-sim")
for each in (Z, T):
    for array in (each.indptr, each.indices, each.data):
        print(array.tobytes().hex())
print(y.tobytes().hex())
"""


def test_the_order_of_threads_does_not_matter():
    found = set()
    for seed in SEEDS:
        environment = {**os.environ, "NACHO_SIMULATOR_SEED": str(seed)}
        run = [sys.executable, "-c", ORDERS]
        done = subprocess.run(run, env=environment, capture_output=True, check=True)
        found.add(done.stdout)
    assert len(found) == 1


@pytest.mark.parametrize("order", [1, -1])
def test_rows_of_products_of_many_lengths(order):
    """The lanes of a warp sort the entries of a row in one of three ways."""
    lengths = [0, 1, 2, 3, 15, 16, 17, 31, 32, 33, 64, 65, 127, 128, 129, 200, 256, 300]
    rng = np.random.default_rng(0)
    columns = [np.sort(rng.choice(5_000, each, replace=False)) for each in lengths]
    pointers = np.append(0, np.cumsum(lengths)).astype(np.int32)
    shape = (len(lengths), 5_000)
    flat = np.concatenate(columns).astype(np.int32)
    B = sp.csr_array((rng.standard_normal(flat.size), flat, pointers), shape)
    A = sp.csr_array(sp.eye_array(len(lengths)).tocsr()[::order])
    host, simulated = (
        nacho.evaluate("Z[i,k] = A[i,j] * B[j,k]", A=A, B=B, target=target)
        for target in ("cpu", "cuda-sim")
    )
    assert samples.same_numbers(host, simulated)
    assert sorted(np.diff(host.indptr)) == lengths


# --- PTX ------------------------------------------------------------------------------


@pytest.mark.parametrize("chip", ["sm_75", "sm_90", "sm_100"])
@pytest.mark.parametrize("target", ["cpu", "cuda-sim"])
def test_ptx(chip, target):
    kernel = nacho.mlir.compile("Z[i,j] = A[i,j] + B[i,j]", target=target)
    ptx = kernel.ptx(chip)
    assert f".target {chip}" in ptx
    assert "add.rn.f64" in ptx
    assert kernel.ptx(chip) == ptx


def test_rows_are_divided_if_they_are_too_long_for_a_thread():
    """A thread may have many times its share, if that takes less than to divide it."""
    rng = np.random.default_rng(0)
    B = sp.random_array((400, 300), density=0.03, format="csr", rng=rng)
    text = "Z[i,k] = A[i,j] * B[j,k]"
    for entries in (100, 400):
        A = sp.random_array((50, 400), density=0.005, format="lil", rng=rng)
        A[7, :entries] = 1
        operands = {"A": A.tocsr(), "B": B}
        found = nacho.evaluate(text, operands, target="cuda-sim")
        assert samples.same_numbers(found.toarray(), (A @ B).toarray())
        explained = str(nacho.explain(text, operands, target="cuda-sim"))
        assert ("whole-rows, heavy-rows" in explained) == (entries == 400)


def test_ptx_of_other_choices():
    # Threads that wait for each other merge without branches.
    kernel = nacho.mlir.compile("Z[i,j] = A[i,j] + B[i,j]", choices={"tile": 0})
    one, other = (kernel.ptx(choices={"branches": b}) for b in (False, True))
    assert one != other


@pytest.mark.parametrize("chip", ["sm_12", "gfx90a", "", None, 90])
def test_no_such_chip(chip):
    kernel = nacho.mlir.compile("Z[i,j] = A[i,j] + B[i,j]")
    with pytest.raises(nacho.NachoError, match="chip"):
        kernel.ptx(chip)


def test_functions_that_gpus_have():
    kernel = nacho.mlir.compile("Z[i,j] = sqrt(abs(A[i,j]))")
    assert "sqrt.rn.f64" in kernel.ptx()
    kernel = nacho.mlir.compile("Z[i,j] = sqrt(A[i,j])", dtype="complex128")
    with pytest.raises(nacho.UnsupportedError, match="complex"):
        kernel.ptx()
