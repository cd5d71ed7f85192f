"""Statements on a cluster: a real one, of processes on this machine."""

import gc
import inspect
import pickle
import subprocess
import sys
import time

import numpy as np
import pytest
import scipy.sparse as sp

import nacho
from libraries import needed

distributed = needed("dask", "distributed")
dask = pytest.importorskip("dask")
cluster_of_nacho = pytest.importorskip("nacho.dask")
DaskEngine = pytest.importorskip("nacho.dask._engine").DaskEngine

SIZE = 300
ADD = "Z[i,j] = A[i,j] + B[i,j]"


@pytest.fixture(scope="module")
def client():
    cluster = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
    )
    with cluster, distributed.Client(cluster) as client:
        yield client


def matrix(seed, density=0.05, heavy=None):
    rng = np.random.default_rng(seed)
    made = sp.random_array((SIZE, SIZE), density=density, rng=rng, format="lil")
    if heavy is not None:
        made[heavy] = rng.random(SIZE)
    return sp.csr_array(made)


A, B, HEAVY = matrix(1), matrix(2), matrix(3, heavy=17)


def same(one, other):
    """Whether two results are the same, bit for bit."""
    assert type(one) is type(other)
    if not sp.issparse(one):
        return np.array_equal(one, other)
    pairs = (
        (one.indptr, other.indptr),
        (one.indices, other.indices),
        (one.data, other.data),
    )
    return all(a.dtype == b.dtype and np.array_equal(a, b) for a, b in pairs)


def test_a_tensor_goes_there_and_back(client):
    tensor = nacho.dask.from_tensor(HEAVY, pieces=5)
    assert (tensor.shape, tensor.nnz, tensor.npieces) == (HEAVY.shape, HEAVY.nnz, 5)
    assert (tensor.dtype, str(tensor.format), tensor.ndim) == (HEAVY.dtype, "csr", 2)
    assert tensor.nbytes == sum(
        array.nbytes for array in (HEAVY.indptr, HEAVY.indices, HEAVY.data)
    )
    assert same(tensor.compute(), HEAVY)
    assert repr(tensor) == (
        "<nacho.dask.Tensor 300x300 of float64 in csr: "
        f"{HEAVY.nnz} entries in 5 pieces>"
    )


@pytest.mark.parametrize("pieces", [1, 3, 2000])
def test_an_addition(client, pieces):
    operands = {"A": nacho.dask.from_tensor(HEAVY, pieces=min(pieces, 20)), "B": B}
    operands["B"] = nacho.dask.from_tensor(B, pieces=4)
    made = nacho.dask.evaluate(ADD, **operands)
    assert same(made.compute(), nacho.evaluate(ADD, A=HEAVY, B=B))


def test_the_scheduler_tells_the_workers_once_in_a_round(client, monkeypatch):
    """It is asked again after a round, since workers may come and leave."""
    asked = []
    nthreads = client.nthreads
    monkeypatch.setattr(client, "nthreads", lambda: asked.append(1) or nthreads())
    engine = DaskEngine(client)
    for count in (1, 2):
        made = [engine.submit("absolute", abs, n, at=n / 6) for n in range(6)]
        assert len(asked) == count
        assert engine.fetch(made) == [*range(6)]


def test_results_are_operands(client):
    first = nacho.dask.evaluate(ADD, A=nacho.dask.from_tensor(HEAVY), B=B)
    second = nacho.dask.evaluate("y[i] = Z[i,j] * x[j]", Z=first, x=np.ones(SIZE))
    third = nacho.dask.evaluate("s += y[i]", y=second)
    whole = nacho.evaluate(ADD, A=HEAVY, B=B)
    np.testing.assert_allclose(second.compute(), whole.sum(axis=1))
    np.testing.assert_allclose(third.compute(), whole.sum())
    assert np.ndim(third.compute()) == 0


@pytest.mark.parametrize(
    "expr",
    [
        "Z[i,k] = A[i,j] * B[j,k]",
        "Z[i,j] = A[i,j] + B[j,i]",
        "y[j] = A[i,j] * B[i,j]",
        "Z[i,l] = A[i,j] * B[j,k] * B[k,l]",
        "Z[i,j] = max(sum(k, A[i,k] * B[k,j]), 0)",
        "Z[i,j] = A[i,j] * sum(k, A[i,k]) + B[i,j]",
        "Z[i,k] = A[i,j] * A[j,k]",
        "y[k] += A[i,j] * B[j,k]",
        "y[i] = argmax(j, A[i,j] * B[j,i]) + argmin(j, A[j,i])",
    ],
)
def test_other_statements(client, expr):
    matrices = {name: x for name, x in (("A", A), ("B", B)) if f"{name}[" in expr}
    operands = {name: nacho.dask.from_tensor(x) for name, x in matrices.items()}
    made = nacho.dask.evaluate(expr, parts=3, **operands).compute()
    wanted = nacho.evaluate(expr, **matrices, parts=3)
    assert same(made, wanted)


BITMAP = "(d0, d1) -> (d0 : dense, d1 : structured[0, 32])"
LOOSE = "(d0, d1) -> (d0 : dense, d1 : loose_compressed)"


def require_same_levels(found, wanted):
    assert (type(found), found.format) == (type(wanted), wanted.format)
    for one, other in zip(arrays_of(found), arrays_of(wanted), strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)


def arrays_of(tensor):
    levels = [*tensor.pos, *tensor.crd, tensor.values]
    return [array for array in levels if array is not None]


@pytest.mark.parametrize("format", ["coo-interleaved", BITMAP])
def test_results_in_levels_that_are_not_cut(client, tmp_path, format):
    """Their pieces have other levels; the whole tensor is that of one machine."""
    add = "Y[i,j] = Z[i,j] + B[i,j]"
    known = nacho.evaluate("Z[i,j] = 2 * A[i,j]", A=A, out=format)
    given = nacho.dask.from_tensor(A, pieces=3)
    made = nacho.dask.evaluate("Z[i,j] = 2 * A[i,j]", A=given, out=format)
    assert str(made.format) == str(known.format) and str(known.format) in repr(made)
    require_same_levels(made.compute(), known)
    made.write(tmp_path / "Z")
    require_same_levels(nacho.dask.read(tmp_path / "Z").compute(), known)
    found = nacho.dask.evaluate(add, Z=made, B=B).compute()
    require_same_levels(found, nacho.evaluate(add, Z=known, B=B))
    for other in (known, nacho.dask.from_tensor(known, pieces=4)):
        found = nacho.dask.evaluate("Z[i,j] = A[i,j] * 2", A=other, out=format)
        require_same_levels(
            found.compute(), nacho.evaluate("Z[i,j] = A[i,j] * 2", A=known, out=format)
        )


@pytest.mark.parametrize("format", ["coo-interleaved", BITMAP, LOOSE])
def test_tensors_in_levels_that_are_not_cut(client, format):
    given = nacho.Tensor.from_scipy(HEAVY).convert(format)
    require_same_levels(nacho.dask.from_tensor(given, pieces=5).compute(), given)


def test_heavy_rows_of_products_are_cut(client):
    expr, operands = "Z[i,k] = A[i,j] * B[j,k]", {"A": HEAVY, "B": B}
    choices = {"merge-keys": False, "row-pieces": True}
    pieces = {name: nacho.dask.from_tensor(x, pieces=3) for name, x in operands.items()}
    for parts in (2, 7, 100):
        asked = {"parts": parts, "choices": choices}
        found = nacho.dask.evaluate(expr, **pieces, **asked).compute()
        assert same(found, nacho.evaluate(expr, **operands, **asked))


def test_arrays_of_dask_are_dense_operands(client):
    array = pytest.importorskip("dask.array")
    tensor = nacho.dask.from_tensor(HEAVY)
    x = np.random.default_rng(5).random((SIZE, 3))
    made = nacho.dask.evaluate(
        "Y[i,k] = A[i,j] * x[j,k]",
        A=tensor,
        x=array.from_array(x, chunks=(70, 2)),
        parts=4,
    )
    wanted = nacho.evaluate("Y[i,k] = A[i,j] * x[j,k]", A=HEAVY, x=x, parts=4)
    np.testing.assert_array_equal(made.compute(), wanted)
    sparse = array.from_array(x, chunks=70).map_blocks(sp.csr_array)
    wrong = nacho.dask.evaluate("Z[i,j] = x[i,j] + x[i,j]", x=sparse)
    with pytest.raises(nacho.OperandError, match="from_array takes those of sparse"):
        wrong.compute()


def slowly(value):
    time.sleep(1)
    return value


def test_workers_with_gpus(client):
    """On simulated ones, parts of a statement or, if these cannot run alone, all."""
    given = nacho.dask.from_tensor(HEAVY)
    made = nacho.dask.evaluate(ADD, A=given, B=B, target="cuda-sim")
    assert made.npieces == 2
    assert same(made.compute(), nacho.evaluate(ADD, A=HEAVY, B=B))
    x = np.random.default_rng(5).random(SIZE)
    for text in ("y[i] = A[i,j] * x[j]", "y[j] = A[i,j] * x[i]"):
        made = nacho.dask.evaluate(text, A=given, x=x, target="cuda-sim")
        wanted = nacho.evaluate(text, A=HEAVY, x=x, target="cuda-sim")
        np.testing.assert_array_equal(made.compute(), wanted)


def test_cuts_are_those_of_one_machine(client):
    operands = {"A": nacho.dask.from_tensor(HEAVY), "B": nacho.dask.from_tensor(B)}
    found = nacho.dask.partition(ADD, 16, **operands)
    known = nacho.partition(ADD, 16, A=HEAVY, B=B, cost="time")
    np.testing.assert_array_equal(found.bounds, known.bounds)
    np.testing.assert_array_equal(found.costs, known.costs)
    found = nacho.dask.partition("Z[i,k] = A[i,j] * B[j,k]", 3, **operands)
    known = nacho.partition("Z[i,k] = A[i,j] * B[j,k]", 3, A=HEAVY, B=B, cost="time")
    np.testing.assert_array_equal(found.bounds, known.bounds)
    chain = "y[i] = A[i,j] * B[j,k] * x[k]"
    x = np.ones(SIZE)
    found = nacho.dask.partition(chain, 5, x=x, **operands)
    known = nacho.partition(chain, 5, A=HEAVY, B=B, x=x, cost="time")
    for one, other in zip(found.nests, known.nests, strict=True):
        np.testing.assert_array_equal(one.bounds, other.bounds)


def test_tensors_that_are_added_to(client):
    text, x = "Z[i,j] += A[i,j]", np.ones(SIZE)
    given, other = (nacho.dask.from_tensor(each) for each in (HEAVY, B))
    wanted = nacho.evaluate(text, A=HEAVY, Z=B)
    assert same(nacho.dask.evaluate(text, A=given, Z=other).compute(), wanted)
    assert same(nacho.dask.evaluate(text, A=given).compute(), HEAVY)
    made = nacho.dask.evaluate("y[i] += A[i,j] * x[j]", A=given, x=x, y=x)
    wanted = nacho.evaluate("y[i] += A[i,j] * x[j]", A=HEAVY, x=x, y=x)
    np.testing.assert_array_equal(made.compute(), wanted)


def sent(dask_worker):
    """Return how many bytes a worker has sent to others."""
    return sum(each["total"] for each in dask_worker.transfer_outgoing_log)


def test_pieces_that_lie_right_do_not_move(client):
    """Tensors that are cut alike are added where they are."""
    rng = np.random.default_rng(1)
    one = sp.random_array((2000, 2000), density=0.1, format="csr", rng=rng)
    operands = {
        name: nacho.dask.from_tensor(value, pieces=2).persist()
        for name, value in (("A", one), ("B", 2 * one))
    }
    handles = [handle for each in operands.values() for handle in each._pieces.handles]
    places = client.who_has(handles).values()
    assert len({worker for found in places for worker in found}) == 2
    before = sum(client.run(sent).values())
    made = nacho.dask.evaluate(ADD, parts=2, cost="nnz", **operands).persist()
    # No piece: the cuts, the counts, and an element or two behind each piece.
    assert sum(client.run(sent).values()) - before < one.nnz / 50
    assert same(made.compute(), nacho.evaluate(ADD, A=one, B=2 * one))


def test_evaluate_returns_at_once(client):
    begin = time.monotonic()
    tensor = nacho.dask.from_tensor(A)
    made = nacho.dask.evaluate(ADD, A=tensor, B=tensor)
    assert "not known yet" in repr(made) or "entries" in repr(made)
    # Generous, but far less than it takes if every task waits.
    assert time.monotonic() - begin < 30
    assert made.persist() is made


def test_operands_may_be_changed_after_the_call(client):
    one, other, x, factor = A.copy(), B.copy(), np.ones(SIZE), np.array(2.0)
    tensor = nacho.dask.from_tensor(one)
    one.data[:] = 0
    expr = "y[i] = (A[i,j] + B[i,j]) * x[j] * s"
    made = nacho.dask.evaluate(expr, A=tensor, B=other, x=x, s=factor)
    for changed in (other.data, other.indices, x, factor):
        changed[...] = 0
    np.testing.assert_allclose(made.compute(), 2 * (A + B).sum(axis=1))


def test_tensors_are_collections_of_dask(client, capsys):
    """Their futures are those of the pieces; what asks for them waits for the search.

    In Dask's event loop, nobody can wait.
    """
    late = nacho.dask.from_delayed([dask.delayed(slowly)(A)])
    made = nacho.dask.evaluate("Z[i,j] = 2 * A[i,j]", A=late)
    with pytest.raises(RuntimeError, match="are not known yet"):
        distributed.wait(made)
    distributed.progress(made)
    assert "100% Completed" in capsys.readouterr().out
    assert made._state.done() and distributed.wait(made).not_done == set()
    futures = distributed.futures_of([made])
    assert [each.key for each in futures] == made.__dask_keys__()
    assert {each.status for each in futures} == {"finished"}
    assert same(dask.compute(made)[0], 2 * A)
    assert same(client.compute(made).result(), 2 * A)
    assert same(dask.delayed(abs)(made).compute(), 2 * A)
    assert dask.persist(made) == (made,)


def test_errors_say_what_is_wrong(client):
    tensor = nacho.dask.from_tensor(A)
    with pytest.raises(nacho.ParseError):
        nacho.dask.evaluate("Z[i,j] = A[i,j", A=tensor)
    with pytest.raises(
        nacho.OptionError, match="threads: a cluster has no such option"
    ):
        nacho.dask.evaluate(ADD, A=tensor, B=tensor, threads=2)
    with pytest.raises(nacho.UnsupportedError, match="list is not supported"):
        nacho.dask.from_tensor([1])
    for number in (3, np.array(3.0)):
        with pytest.raises(nacho.ArgumentError, match="a number needs no pieces"):
            nacho.dask.from_tensor(number)
    with pytest.raises(nacho.ArgumentError, match="not in one Client"):
        nacho.dask.evaluate(ADD, client, A=tensor, B=tensor)
    with pytest.raises(nacho.ArgumentError, match="client: expected"):
        nacho.dask.evaluate(ADD, A=tensor, B=tensor, client=3)
    with pytest.raises(nacho.ArgumentError, match="missing operand 'B'"):
        nacho.dask.evaluate(ADD, A=tensor)
    with pytest.raises(nacho.ArgumentError, match="no operand is named 'C'"):
        nacho.dask.evaluate(ADD, A=tensor, B=tensor, C=tensor)


REFUSED = [
    ({"parts": 0}, nacho.OptionError, "parts=0: expected an integer from 1 to"),
    ({"out": "cst"}, nacho.FormatError, "unknown format 'cst'"),
    ({"out": np.ones((SIZE, SIZE))}, nacho.OptionError, "out= is a ndarray: on a clu"),
    ({"order": "ik"}, nacho.OptionError, "order='ik': expected the indices"),
    ({"validate": "x"}, nacho.OptionError, "validate='x': expected 'safe', 'full'"),
    ({"remap": 3}, nacho.OptionError, "remap=3: expected True, False or None"),
    ({"choices": {"x": 1}}, nacho.OptionError, "choices='x': expected 'whole-rows'"),
    ({"progress": True}, nacho.OptionError, "progress: a cluster has no such option"),
    ({"part": 3}, nacho.ArgumentError, "no operand is named 'part'"),
]


@pytest.mark.parametrize(("options", "kind", "message"), REFUSED)
@pytest.mark.parametrize("function", ["evaluate", "explain"])
def test_options_are_checked_by_the_call(client, function, options, kind, message):
    tensor = nacho.dask.from_tensor(A)
    with pytest.raises(kind, match=message):
        getattr(nacho.dask, function)("Z[i,j] = 2 * A[i,j]", A=tensor, **options)


def test_an_option_that_is_false_is_not_asked_for(client):
    tensor = nacho.dask.from_tensor(A)
    result = nacho.dask.evaluate("Z[i,j] = 2 * A[i,j]", A=tensor, progress=False)
    assert result.shape == A.shape


def test_options_are_in_the_signature():
    known = inspect.signature(nacho.dask.evaluate).parameters
    assert {"out", "parts", "order", "cost", "semiring", "client"} <= set(known)


def test_operands_by_position_and_no_parts(client):
    tensor = nacho.dask.from_tensor(A)
    for function in (nacho.dask.evaluate, nacho.dask.explain):
        with pytest.raises(nacho.ArgumentError, match="names, not by position"):
            function(ADD, tensor, tensor)
    with pytest.raises(nacho.OptionError, match="parts=0: expected an integer"):
        nacho.dask.partition(ADD, 0, A=tensor, B=tensor)


def test_tensors_in_pieces_are_not_pickled(client):
    tensor = nacho.dask.from_tensor(A)
    with pytest.raises(nacho.ArgumentError, match=r"not pickled.*write\(\) it"):
        pickle.dumps(tensor)


def test_shapes_that_do_not_fit_are_refused_at_once(client):
    tensor = nacho.dask.from_tensor(A)
    different = "index 'i' has extent 300 in operand 'A', but 10 in operand 'B'"
    with pytest.raises(nacho.ShapeError, match=different):
        nacho.dask.evaluate(ADD, A=tensor, B=B[:10])
    made = nacho.dask.evaluate("C[i,k] = B[i,k] * x[k]", B=B[:10], x=np.ones(SIZE))
    with pytest.raises(nacho.ShapeError, match=different):
        nacho.dask.partition(ADD, 2, A=tensor, B=made)
    for value in (tensor, A, made):
        with pytest.raises(nacho.ShapeError, match="'y' has rank 2, but is written"):
            nacho.dask.explain("z[i] = y[i]", y=value)


def test_shapes_that_are_not_known_are_refused_later(client):
    tensor = nacho.dask.from_tensor(A)
    late = nacho.dask.from_delayed([dask.delayed(slowly)(B[:10])])
    wrong = nacho.dask.evaluate(ADD, A=late, B=tensor)
    with pytest.raises(nacho.ShapeError, match="index 'i' has extent 10 in operand"):
        wrong.compute()
    assert "ShapeError" in repr(wrong)
    late = nacho.dask.from_delayed([dask.delayed(slowly)(B)])
    wrong = nacho.dask.evaluate("z[i] = y[i]", y=late)
    with pytest.raises(nacho.ShapeError, match="'y' has rank 2, but is written"):
        wrong.compute()


def require_soon(client, ask, wanted):
    """Wait until a function of the scheduler returns what is wanted."""
    for _ in range(100):
        gc.collect()
        found = client.run_on_scheduler(ask)
        if found == wanted:
            break
        time.sleep(0.1)
    assert found == wanted


def test_nothing_remains_on_the_workers(client):
    made = nacho.dask.evaluate(ADD, A=nacho.dask.from_tensor(A), B=B)
    made.compute()
    del made

    def remaining(dask_scheduler):
        return [str(key) for key in dask_scheduler.tasks]

    require_soon(client, remaining, [])


def test_a_result_does_not_keep_its_operands(client):
    made = nacho.dask.from_tensor(A)
    for _ in range(3):
        made = nacho.dask.evaluate("Z[i,j] = 2 * A[i,j]", A=made).persist()
    pieces = {handle.key for handle in made._pieces.handles}

    def held(dask_scheduler):
        tasks = dask_scheduler.tasks.values()
        return {str(task.key) for task in tasks if task.state == "memory"}

    require_soon(client, held, pieces)


def test_without_a_client(monkeypatch):
    def none():
        raise ValueError("no client found")

    monkeypatch.setattr("nacho.dask._engine.default_client", none)
    with pytest.raises(nacho.ArgumentError, match="there is no client"):
        nacho.dask.from_tensor(A)


def test_importing_nacho_imports_no_dask():
    code = "import nacho, sys; print({'dask', 'distributed'} & {*sys.modules})"
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert found.stdout == "set()\n"
