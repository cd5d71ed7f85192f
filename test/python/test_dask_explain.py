"""What is told of a statement on a cluster: bytes that moved, and shares of workers."""

import re

import numpy as np
import pytest
import scipy.sparse as sp

import nacho
from libraries import needed
from markup import parsed
from nacho._pieces import named_rows

distributed = needed("dask", "distributed")
nd = pytest.importorskip("nacho.dask")

SIZE = 400
ADD = "Z[i,j] = A[i,j] + B[i,j]"
WINDOWS = "windows, to where their parts are computed"
WHOLE = "as a whole, to each worker that needs it"
NEIGHBOURS = "what pieces have of their neighbours"
NAMED = "rows, each once to where parts name it"
REORDERED = "entries, to where they lie in another order"
ENTRY = 4 + 8
"""The bytes of a coordinate and of a value."""


@pytest.fixture(scope="module", autouse=True)
def client():
    options = {"processes": True, "threads_per_worker": 1, "dashboard_address": None}
    with (
        distributed.LocalCluster(n_workers=2, **options) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def matrix():
    rng = np.random.default_rng(1)
    made = sp.random_array((SIZE, SIZE), density=0.1, format="lil", rng=rng)
    made[7] = 1
    return sp.csr_array(made)


def pieces_of(value, count=2):
    return nd.from_tensor(value, pieces=count).persist()


def bytes_of(found):
    return {(each.name, each.why): each.nbytes for each in found.moved}


def test_pieces_that_lie_right_do_not_move(matrix):
    operands = {"A": pieces_of(matrix), "B": pieces_of(2 * matrix)}
    found = nd.explain(ADD, parts=2, cost="nnz", **operands)
    sizes = bytes_of(found)
    # One element behind the cut, with where its row ends: no piece.
    assert sizes["A", WINDOWS] <= ENTRY + 8
    assert sizes["B", WINDOWS] <= ENTRY + 8
    assert "yes, each worker" in found.sections["divided"][0]


def test_a_piece_that_is_elsewhere_moves_once(matrix):
    tensor = pieces_of(matrix, 1)
    found = nd.explain("Z[i,j] = 2 * A[i,j]", A=tensor, parts=2, cost="nnz")
    half = matrix.nnz // 2 * ENTRY
    pos = 4 * (SIZE + 1)
    assert half <= bytes_of(found)["A", WINDOWS] <= half + pos + 100


def test_a_vector_goes_to_every_other_worker(matrix):
    x = np.ones(SIZE)
    found = nd.explain("y[i] = A[i,j] * x[j]", A=pieces_of(matrix), x=x, parts=8)
    size = bytes_of(found)["x", WHOLE]
    # Twice, if the worker that it came to first is not the one that loads it.
    assert size in (x.nbytes, 2 * x.nbytes)
    assert f"x: {size} bytes, {WHOLE}" in found.sections["moved"]
    # The heavy row is cut, so that sums move, and a number for each of 4 parts.
    (sums,) = (each for each in found.moved if each.name == "sums")
    assert sums.why == "of entries that cuts divide, in the order of one machine"
    assert 0 < sums.nbytes < 8 * 100


def test_rows_that_parts_name_move_alone(matrix, monkeypatch):
    monkeypatch.setattr(named_rows, "TASK", 0)
    band = sp.csr_array(sp.diags_array([1.0, 2.0], offsets=[0, 1], shape=(SIZE, SIZE)))
    operands = {"A": pieces_of(band), "B": pieces_of(matrix)}
    found = nd.explain("Z[i,k] = A[i,j] * B[j,k]", parts=6, **operands)
    assert found.sections["divided"] == ("yes, each worker computes parts of its own",)
    moved = bytes_of(found)
    # The rows lie where the parts are, but for those that are between workers.
    assert 0 < moved["B", NAMED] < matrix.nnz * ENTRY / 4
    assert ("B", WHOLE) not in moved
    found = nd.explain("Z[i,k] = A[i,j] * B[j,k]", A=pieces_of(matrix), B=operands["B"])
    moved = bytes_of(found)
    assert ("B", NAMED) not in moved
    assert moved["B", WHOLE] >= matrix.nnz // 2 * ENTRY


def test_entries_move_to_where_they_lie_in_another_order(matrix):
    operands = {"A": pieces_of(matrix), "B": pieces_of(matrix)}
    found = nd.explain("Z[i,j] = A[i,j] + B[j,i]", parts=6, **operands)
    assert found.sections["divided"] == ("yes, each worker computes parts of its own",)
    moved = bytes_of(found)
    # Of two coordinates of 8 bytes and a value, each half has a half to give away.
    assert matrix.nnz * 24 / 4 < moved["B", REORDERED] < matrix.nnz * 24
    assert moved["A", WINDOWS] < matrix.nnz * ENTRY / 4


def test_rows_of_dense_operands_that_parts_name_move_alone(monkeypatch):
    monkeypatch.setattr(named_rows, "TASK", 1 << 14)
    size = 1 << 17
    band = sp.diags_array([1.0, 2.0, 3.0], offsets=[-1, 0, 1], shape=(size, size))
    A, x = sp.csr_array(band), np.arange(float(size))
    operands = {"A": pieces_of(A), "x": pieces_of(x)}
    found = nd.explain("y[i] = A[i,j] * x[j]", parts=4, **operands)
    moved = bytes_of(found)
    assert ("x", WHOLE) not in moved
    # Both workers have a half, and need a few elements of the other.
    assert 0 < moved["x", NAMED] < 1000
    # It comes to one worker, which gives the other one what that needs.
    found = nd.explain("y[i] = A[i,j] * x[j]", parts=4, A=operands["A"], x=x)
    moved = bytes_of(found)
    assert ("x", WHOLE) not in moved
    assert moved["x", NAMED] < 1000


def test_shares_are_those_of_the_cuts_and_within_the_bound(matrix):
    operands = {"A": pieces_of(matrix, 3), "B": matrix[::-1]}
    operands["B"] = pieces_of(sp.csr_array(operands["B"]))
    found = nd.explain(ADD, parts=7, **operands)
    known = nd.partition(ADD, 7, **operands)
    assert sorted(part for share in found.shares for part in share.parts) == [*range(7)]
    assert found.shares[0].parts == (0, 1, 2)
    assert len({share.worker for share in found.shares}) == len(found.shares) == 2
    for share in found.shares:
        parts = list(share.parts)
        assert share.cost == known.costs[parts].sum()
        assert share.fair == known.total * len(parts) / 7
        assert share.bound == known.delta
        assert abs(share.cost - share.fair) <= share.bound
    for name, nnz in (("A", matrix.nnz), ("B", matrix.nnz)):
        assert sum(share.entries[name] for share in found.shares) == nnz
    made = nacho.evaluate(ADD, A=matrix, B=matrix[::-1])
    assert sum(share.entries["Z"] for share in found.shares) == made.nnz
    assert f"total {known.total}" in found.sections["cost"][1]


def test_results_and_arrays_of_dask_are_operands(matrix):
    array = pytest.importorskip("dask.array")
    made = nd.evaluate(ADD, A=pieces_of(matrix, 3), B=matrix, parts=5)
    x = array.ones(SIZE, chunks=100)
    found = nd.explain("y[i] = Z[i,j] * x[j]", Z=made, x=x, parts=4)
    # The chunks of the array are put together by tasks of Dask's.
    assert bytes_of(found)["x", WHOLE] >= 8 * SIZE
    assert {each.name for each in found.moved} <= {"Z", "x", "sums", "result"}
    assert sum(share.entries["Z"] for share in found.shares) == made.nnz
    assert sum(share.entries["y"] for share in found.shares) == SIZE


def test_times_are_those_of_workers(matrix):
    found = nd.explain(ADD, A=pieces_of(matrix), B=pieces_of(matrix, 3))
    assert len(found.seconds) == 2
    for times in found.seconds.values():
        assert {"search", "transfer", "copy", "compute"} <= times.keys()
        assert all(seconds >= 0 for seconds in times.values())
        assert times["compute"] > 0
    assert sum(times["transfer"] for times in found.seconds.values()) > 0


def test_what_is_computed_first_stays_where_it_is_made(matrix):
    text = "Z[i,j] = max(sum(k, A[i,k] * B[k,j]), 0)"
    product = nacho.evaluate("Z[i,j] = A[i,k] * B[k,j]", A=matrix, B=matrix)
    operands = {"A": pieces_of(matrix), "B": pieces_of(matrix)}
    found = nd.explain(text, parts=6, **operands)
    assert found.sections["divided"] == ("yes, each worker computes parts of its own",)
    moved = bytes_of(found)
    assert moved["tensor 1", WINDOWS] < product.nnz * ENTRY / 10
    assert moved["result", NEIGHBOURS] < 10_000
    # Of all of it, the client knows cuts and counts.
    (client,) = found.sections["client"]
    assert int(re.search(r"(\d+) bytes", client).group(1)) < 10_000
    assert sum(share.entries["Z"] for share in found.shares) == product.nnz
    for nest, made in enumerate(("list 0", "tensor 1", "Z")):
        lines = found.sections[f"workers {nest}"]
        assert all(f", {made} " in line for line in lines)


def test_what_is_looked_up_comes_as_a_whole(matrix):
    operands = {"A": pieces_of(matrix), "B": pieces_of(matrix), "x": np.ones(SIZE)}
    found = nd.explain("y[i] = A[i,j] * B[j,k] * x[k]", parts=6, **operands)
    assert found.sections["divided"] == ("yes, each worker computes parts of its own",)
    moved = bytes_of(found)
    assert 0 < moved["tensor 0", WHOLE] <= 3 * SIZE * ENTRY
    assert moved["A", WINDOWS] < matrix.nnz * ENTRY / 4


def test_a_statement_of_one_worker_says_why(matrix):
    tensor = pieces_of(matrix.tocoo())
    found = nd.explain(ADD, A=tensor, B=tensor)
    (line,) = found.sections["divided"]
    assert line == (
        "no, one worker computes the whole statement: its operands have few entries, "
        "which are merged in a single loop"
    )
    assert (found.shares, found.pictures) == ((), ())
    moved = bytes_of(found)
    assert moved["A", WHOLE] >= matrix.nnz // 2 * ENTRY


def test_gpus_of_workers_have_parts(matrix):
    given = {"A": pieces_of(matrix), "x": np.ones(matrix.shape[1])}
    found = nd.explain(ADD, A=given["A"], B=given["A"], target="cuda-sim")
    (line,) = found.sections["divided"]
    assert line == "yes, each worker computes parts of its own, on 'cuda-sim'"
    assert [share.parts for share in found.shares] == [(0,), (1,)]
    found = nd.explain("y[j] = A[i,j] * x[i]", target="cuda-sim", **given)
    (line,) = found.sections["divided"]
    assert line == (
        "no, one worker computes the whole statement: the target 'cuda-sim' may sort "
        "what is added to the result"
    )


def test_two_levels_of_cuts_are_drawn(matrix, tmp_path):
    found = nd.explain(ADD, A=pieces_of(matrix), B=pieces_of(matrix), parts=6)
    assert isinstance(found, nacho.Explanation)
    levels, bars = found.pictures
    svg = parsed(levels.svg())
    assert len(svg.all("rect", "worker")) == 2
    assert len(svg.all("rect", "part")) == 6
    assert bars.values.tolist() == [share.cost for share in found.shares]
    assert bars.off == found.shares[0].bound
    assert parsed(f"<div>{found._repr_html_()}</div>").all("svg", "levels")
    found.to_html(tmp_path / "a.html")
    assert ADD in (tmp_path / "a.html").read_text()


def test_numbers_and_errors(matrix):
    found = nd.explain("s = a * b", a=2.0, b=3.0)
    assert found.sections["result"] == ("s: 1 entries in 1 piece, dense",)
    assert found.sections["cost"][0] == "no loops, in 1 part on 1 worker"
    assert [type(each).__name__ for each in found.pictures] == ["Bars"]
    with pytest.raises(nacho.OptionError, match="threads: a cluster has no such"):
        nd.explain(ADD, A=matrix, B=matrix, threads=2)
    with pytest.raises(nacho.ArgumentError, match=r"nacho\.dask\.explain\(expr, "):
        nd.explain(ADD, 3)


def test_nothing_remains_on_the_workers(client, matrix):
    nd.explain(ADD, A=matrix, B=matrix)

    def plugins(dask_worker):
        return [name for name in dask_worker.plugins if name.startswith("nacho")]

    assert not any(client.run(plugins).values())
