"""Batch levels by the extension itself: each batch has a row of every array."""

import contextlib
import itertools
from typing import Any

import numpy as np
import pytest

from nacho import _nacho

CSR = "(d0, d1, d2) -> (d0 : batch, d1 : dense, d2 : compressed)"
DCSR = "(d0, d1, d2) -> (d0 : batch, d1 : compressed, d2 : compressed)"
LIST = "(d0, d1, d2) -> (d0 : batch, d1 : compressed(nonunique), d2 : singleton(soa))"
MAPS = {"csr": CSR, "dcsr": DCSR, "list": LIST}

STATEMENTS = {
    "rows": ("[n, i] : tensor<?x?xf64>", "nacho.reduce add %a over [j]", False),
    "columns": ("[j, n] : tensor<?x?xf64>", "nacho.reduce add %a over [i]", False),
    "all": ("[] : tensor<f64>", "nacho.reduce add %a over [n, i, j]", False),
    "union": ("[n, i, j] : tensor<?x?x?xf64, #PLAIN>", "nacho.binary add %a, %b", True),
    "both": ("[n, i, j] : tensor<?x?x?xf64, #PLAIN>", "nacho.binary mul %a, %b", True),
}


def text_of(statement: str, batched: str) -> str:
    result, body, is_binary = STATEMENTS[statement]
    type = "tensor<?x?x?xf64, #BATCHED>"
    names = "AB" if is_binary else "A"
    params = ", ".join(f"%{name}: {type}" for name in names)
    reads = ", ".join(f"%{name.lower()} = %{name}[n, i, j] : {type}" for name in names)
    plain = "(d0, d1, d2) -> (d0 : dense, d1 : dense, d2 : compressed)"
    widths = "posWidth = 32, crdWidth = 32"
    made = result.partition(" : ")[2]
    return f"""
#BATCHED = #sparse_tensor.encoding<{{ map = {batched}, {widths} }}>
#PLAIN = #sparse_tensor.encoding<{{ map = {plain}, {widths} }}>
func.func @kernel({params}) -> {made} {{
  %Z = nacho.assign ({reads}) -> {result} {{
    %0 = {body} : f64
    nacho.yield %0 : f64
  }}
  return %Z : {made}
}}
"""


def row_of(items: Any, length: int, filler: Any) -> np.ndarray:
    return np.append(items, [filler] * (length - len(items)))


def levels_of(matrix: np.ndarray, name: str) -> list[np.ndarray]:
    """The arrays of one batch: positions and coordinates of its levels."""
    i, j = np.nonzero(matrix)
    if name == "list":
        return [np.array([0, i.size]), i, j]
    counts = np.bincount(i, minlength=len(matrix))
    if name == "csr":
        return [np.append(0, np.cumsum(counts)), j]
    rows = np.flatnonzero(counts)
    pos = np.append(0, np.cumsum(counts[rows]))
    return [np.array([0, rows.size]), rows, pos, j]


def pack(dense: np.ndarray, name: str, spare: int = 0) -> list[Any]:
    """The arguments of a kernel: rows have room for ``spare`` entries too many."""
    batches = [levels_of(matrix, name) for matrix in dense]
    values = [matrix[np.nonzero(matrix)] for matrix in dense]
    args: list[Any] = []
    for arrays in zip(*batches, strict=True):
        length = max(array.size for array in arrays) + spare
        # What lies behind the entries of a batch must not be read.
        rows = [row_of(array, length, 2**31 - 1) for array in arrays]
        args.append(np.concatenate(rows).astype(np.int32))
    length = max(array.size for array in values) + spare
    args.append(np.concatenate([row_of(array, length, np.nan) for array in values]))
    return [*args, *dense.shape]


def random_batches(rng: Any, shape: tuple[int, int, int], density: Any) -> np.ndarray:
    """Batches of matrices of integers, each with a density of its own."""
    kept = rng.random(shape) < np.reshape(density, (-1, 1, 1))
    return rng.integers(1, 9, shape) * kept.astype(np.float64)


def dense_of(buffers: list[np.ndarray], shape: tuple[int, int, int]) -> np.ndarray:
    """The dense tensor of a result with two dense levels and a compressed one."""
    pos, crd, values = buffers[:3]
    dense = np.zeros((shape[0] * shape[1], shape[2]))
    dense[np.repeat(np.arange(len(dense)), np.diff(pos)), crd] = values
    return dense.reshape(shape)


def expected_of(statement: str, A: np.ndarray, B: np.ndarray) -> np.ndarray:
    if statement == "all":
        return A.sum()
    if statement in ("rows", "columns"):
        return A.sum(2) if statement == "rows" else A.sum(1).T
    return A + B if statement == "union" else A * B


@pytest.mark.parametrize("name", MAPS)
@pytest.mark.parametrize("statement", STATEMENTS)
def test_statements(name: str, statement: str) -> None:
    rng = np.random.default_rng(7)
    kernel = _nacho.Kernel(text_of(statement, MAPS[name]), "cpu", {"cost": "time"})
    is_binary = STATEMENTS[statement][2]
    densities = ([0.3] * 4, [0.9, 0, 0, 0.02], [0] * 4)
    for density, parts, threads in itertools.product(densities, (1, 3, 64), (1, 2)):
        shape = (4, 5, 6)
        A, B = (random_batches(rng, shape, density) for _ in "AB")
        spare = 0 if name == "dcsr" and not A.any() else parts % 3
        args = pack(A, name, spare) + (pack(B, name) if is_binary else [])
        made = kernel.plan(args, parts, threads).execute(args)
        expected = expected_of(statement, A, B)
        if is_binary:
            assert np.array_equal(dense_of(made, shape), expected)
        else:
            assert np.array_equal(made[0].reshape(expected.shape), expected)


@pytest.mark.parametrize("name", MAPS)
@pytest.mark.parametrize("statement", ["rows", "union"])
def test_one_batch_with_nearly_all_entries(name: str, statement: str) -> None:
    """Rows of arrays are as long as that batch needs; only entries are work."""
    rng = np.random.default_rng(3)
    kernel = _nacho.Kernel(text_of(statement, MAPS[name]), "cpu", {"cost": "nnz"})
    density = np.full(50, 0.002)
    density[20] = 0.9
    A = random_batches(rng, (50, 40, 60), density)
    args = pack(A, name)
    total = np.count_nonzero(A)
    if STATEMENTS[statement][2]:
        args, total = args * 2, 2 * total
    for parts in (2, 7, 30):
        plan = kernel.plan(args, parts, 2)
        costs = np.asarray(plan.costs)
        # Each entry of the list of batches is a step, too.
        assert total <= plan.total <= total + 2 * len(A)
        assert np.diff(costs).max() - np.diff(costs).min() <= 6
        assert np.diff(costs).min() > 0.9 * total / parts - 6


@pytest.mark.parametrize("name", MAPS)
def test_simulated_gpu(name: str) -> None:
    A, B = (random_batches(np.random.default_rng(s), (4, 5, 6), 0.3) for s in (1, 2))
    kernel = _nacho.Kernel(text_of("union", MAPS[name]), "cuda-sim", {})
    args = pack(A, name, 1) + pack(B, name)
    assert np.array_equal(dense_of(kernel.plan(args, 5).execute(args), A.shape), A + B)


@pytest.mark.parametrize("name", MAPS)
def test_wrong_positions_are_not_followed(name: str) -> None:
    """Whatever arrays of positions hold, nothing outside of arrays is accessed."""
    rng = np.random.default_rng(5)
    kernel = _nacho.Kernel(text_of("union", MAPS[name]), "cpu", {"cost": "nnz"})
    A = random_batches(rng, (3, 4, 5), [0.5, 0.1, 0.9])
    for _ in range(20):
        args = pack(A, name) + pack(A, name)
        for array in args:
            if isinstance(array, np.ndarray) and array.dtype == np.int32:
                places = rng.integers(0, array.size, 2)
                array[places] = rng.integers(-(2**31), 2**31, 2)
        with contextlib.suppress(_nacho.CoordinateOutOfRange, _nacho.OperandsChanged):
            kernel.plan(args, 3, 2).execute(args)
