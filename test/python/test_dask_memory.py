"""Statements on operands that workers do not have memory for all at once.

Workers read them from files in parts, spill to disk what they do not need, and none of
them, nor the client, ever has a whole operand or result.
"""

import os
import resource
import tempfile
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
import scipy.sparse as sp

import nacho
from libraries import needed
from selection import THOROUGH

dask, distributed = needed("dask"), needed("distributed")
import nacho.dask as nd  # noqa: E402

MEGABYTE = 10**6
OPERANDS, LIMIT = (1500, 600) if THOROUGH else (200, 450)
"""The megabytes of all operands in files, and of memory that each worker may have.

Of its memory, a worker has about 250 megabytes for the libraries and kernels."""
SPILLS = {
    "distributed.worker.memory.target": 0.3,
    "distributed.worker.memory.spill": 0.55,
}
"""Which shares of its memory a worker may fill with results of tasks, and with all.

What Dask does without being told, 0.6 and 0.7, is for workers whose libraries and
kernels take a small share.
"""
WORKERS, FILES = 4, 12
COLUMNS, ROW = 200_000, 100
"""The columns of matrices, and the number of entries in a row."""


class Workers(NamedTuple):
    client: object
    pids: tuple[int, ...]

    def require_within_limit(self):
        """Fail if a worker ever had more memory, or was lost."""
        found = self.client.run(peak_of_memory)
        assert sorted(pid for pid, _ in found.values()) == sorted(self.pids)
        peaks = [peak for _, peak in found.values()]
        print("peaks of memory:", [peak // MEGABYTE for peak in peaks], "MB")
        assert max(peaks) <= LIMIT * MEGABYTE


def peak_of_memory():
    """Return the id of a process, and how many bytes it had in memory at most.

    What ``getrusage`` says of it is also that of the process that has started it.
    """
    status = Path("/proc/self/status").read_text()
    (line,) = (line for line in status.splitlines() if line.startswith("VmHWM"))
    return os.getpid(), int(line.split()[1]) * 1024


def limit_memory():
    """Let the system refuse a process more memory of its own."""
    _, most = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (LIMIT * MEGABYTE, most))


@pytest.fixture
def folder():
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


@pytest.fixture
def workers(folder):
    with dask.config.set(SPILLS):
        cluster = distributed.LocalCluster(
            n_workers=WORKERS,
            threads_per_worker=1,
            processes=True,
            dashboard_address=":0",
            memory_limit=LIMIT * MEGABYTE,
            local_directory=folder,
        )
    with cluster, distributed.Client(cluster) as client:
        client.run(limit_memory)
        yield Workers(client, tuple(client.run(os.getpid).values()))


def rows_of(seed, count):
    """Return the columns and values of some rows; columns ascend."""
    rng = np.random.default_rng(seed)
    gaps = rng.integers(1, COLUMNS // ROW, (count, ROW), dtype=np.int32)
    values = rng.integers(1, 9, (count, ROW)) * 0.5
    return np.cumsum(gaps, axis=1, dtype=np.int32) - 1, values


def write_rows(path, columns, values, first, rows):
    """Write some rows of a matrix, of which other files have the rest."""
    pos = np.clip(np.arange(rows + 1) - first, 0, len(columns)) * ROW
    np.savez(
        path,
        indices=columns.reshape(-1),
        indptr=pos.astype(np.int32),
        format=b"csr",
        shape=np.array((rows, COLUMNS)),
        data=values.reshape(-1),
    )


def test_matrices(folder, workers):
    each = OPERANDS * MEGABYTE // (2 * FILES * ROW * 12)
    rows = each * FILES
    x = np.random.default_rng(0).integers(0, 4, COLUMNS).astype(float)
    total, product, sums = 0.0, 0.0, []
    for file in range(FILES):
        blocks = []
        for number, name in enumerate("AB"):
            columns, values = rows_of((number, file), each)
            path = folder / f"{name}{file:03}.npz"
            write_rows(path, columns, values, file * each, rows)
            pos = np.arange(each + 1) * ROW
            made = (values.reshape(-1), columns.reshape(-1), pos)
            blocks.append(sp.csr_array(made, shape=(each, COLUMNS)))
        total += sum(block.sum() for block in blocks)
        product += (blocks[0] * blocks[1]).sum()
        sums.append(blocks[0] @ x)
    A, B = (nd.read(str(folder / f"{name}*.npz")) for name in "AB")
    assert A.nnz == B.nnz == rows * ROW
    workers.require_within_limit()
    expected = {"+": total, "*": product}
    for operator, wanted in expected.items():
        Z = nd.evaluate(f"Z[i,j] = A[i,j] {operator} B[i,j]", A=A, B=B).persist()
        workers.require_within_limit()
        assert nd.evaluate("s += Z[i,j]", Z=Z).compute() == wanted
        if operator == "*" or not THOROUGH:
            Z.write(folder / "Z", overwrite=True)
            assert nd.read(folder / "Z").nnz == Z.nnz
        del Z
        workers.require_within_limit()
    y = nd.evaluate("y[i] = A[i,j] * x[j]", A=A, x=x).compute()
    np.testing.assert_array_equal(y, np.concatenate(sums))
    workers.require_within_limit()


def test_a_tensor_of_three_dimensions(folder, workers):
    line, fiber = 20, 5
    each = OPERANDS * MEGABYTE // (FILES * line * ROW)
    shape = (each * FILES, ROW // fiber, 1000)
    v = np.random.default_rng(0).integers(0, 4, 1000).astype(float)
    sums = []
    for file in range(FILES):
        rng = np.random.default_rng(file)
        i, j, k = np.indices((each, ROW // fiber, fiber), np.int32).reshape(3, -1)
        k = k * 200 + rng.integers(0, 200, k.size, dtype=np.int32)
        values = rng.integers(1, 9, k.size) * 0.5
        sums.append(np.bincount(i, values * v[k]))
        tensor = nacho.Tensor.from_coo([i + file * each, j, k], values, shape=shape)
        nacho.write(folder / f"A{file:03}.tns", tensor)
    A = nd.read(str(folder / "A*.tns"), format="csf")
    assert A.nnz == each * FILES * ROW
    workers.require_within_limit()
    y = nd.evaluate("y[i] += A[i,j,k] * v[k]", A=A, v=v).compute()
    np.testing.assert_array_equal(y, np.concatenate(sums))
    workers.require_within_limit()


def test_entries_in_any_order(folder, workers):
    """Sorted by the workers, all of which get some of what each has read."""
    each = OPERANDS * MEGABYTE // (FILES * 16)
    total = 0.0
    for file in range(FILES):
        rng = np.random.default_rng(file)
        coords = rng.integers(0, COLUMNS, (2, each), dtype=np.int32)
        values = rng.integers(1, 9, each) * 0.5
        shape = (COLUMNS, COLUMNS)
        matrix = sp.coo_array((values, tuple(coords)), shape=shape)
        sp.save_npz(folder / f"A{file:03}.npz", matrix, compressed=False)
        total += values.sum()
    A = nd.read(str(folder / "A*.npz"), format="csr")
    assert A.shape == (COLUMNS, COLUMNS)
    assert nd.evaluate("s += A[i,j]", A=A).compute() == total
    workers.require_within_limit()
