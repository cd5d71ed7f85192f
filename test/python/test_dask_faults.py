"""Clusters that lose workers, tasks that fail, and clients that go."""

import gc
import importlib
import os
import re
import resource
import signal
import time

import numpy as np
import pytest
import scipy.sparse as sp

import nacho
from libraries import needed

dask, distributed = needed("dask"), needed("dask", "dask.array", "distributed")
pytest.importorskip("nacho.dask")

ADD = "Z[i,j] = A[i,j] + B[i,j]"
PATIENCE = 300
"""Seconds for workers to come back, which take long on a busy machine."""


def matrix(seed):
    rng = np.random.default_rng(seed)
    made = sp.random_array((200, 200), density=0.1, rng=rng, format="lil")
    made[17] = rng.random(200)
    return sp.csr_array(made)


A, B = matrix(1), matrix(2)


@pytest.fixture(scope="module")
def cluster():
    how = {"n_workers": 3, "threads_per_worker": 1, "dashboard_address": ":0"}
    # By default, a cluster gives up a worker that is not there 15 seconds after it was
    # lost, also if it was there meanwhile.
    patient = dask.config.set({"distributed.deploy.lost-worker-timeout": "1 hour"})
    with patient, distributed.LocalCluster(**how, processes=True) as made:
        yield made


@pytest.fixture
def client(cluster):
    with distributed.Client(cluster) as made:
        made.wait_for_workers(3, timeout=PATIENCE)
        yield made
        reload_all(made)


def reload_all(client):
    """Reload the tasks of all workers, once those are back that were killed."""
    end = time.monotonic() + PATIENCE
    while True:
        try:
            client.wait_for_workers(3, timeout=PATIENCE)
            if len(client.run(reload_tasks)) == 3:
                return
        except OSError:
            # The scheduler does not yet know that a worker is gone.
            if time.monotonic() > end:
                raise
        time.sleep(0.05)


def replace_task(name, change):
    """Replace a task of the process in which this runs."""
    from nacho._pieces import searching, tasks

    module = tasks if hasattr(tasks, name) else searching
    setattr(module, name, change(getattr(module, name)))


def reload_tasks():
    from nacho._pieces import searching, tasks

    for module in (tasks, searching):
        importlib.reload(module)


def slowed(function):
    def wait(*args):
        time.sleep(0.2)
        return function(*args)

    return wait


def without_memory(function):
    def fail(*args):
        raise MemoryError("there is no memory")

    return fail


def dying(function):
    def die(*args):
        os._exit(1)

    return die


def pid_of_worker_with(client, prefix):
    """Return the process of a worker that runs a task, once there is one."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        for address, keys in client.processing().items():
            if any(str(key).startswith(prefix) for key in keys):
                return client.run(os.getpid, workers=[address])[address]
        time.sleep(0.01)
    raise AssertionError(f"no worker runs a task {prefix}")


@pytest.mark.parametrize(
    "task, prefix",
    [("search", "search"), ("taken", "cut"), ("compute", "compute")],
)
def test_a_worker_is_lost(client, task, prefix):
    """In the search, in a transfer, and in the computation."""
    client.run(replace_task, task, slowed)
    operands = {"A": nacho.dask.from_tensor(A, pieces=5)}
    operands["B"] = nacho.dask.from_tensor(B, pieces=4)
    made = nacho.dask.evaluate(ADD, **operands)
    os.kill(pid_of_worker_with(client, prefix), signal.SIGKILL)
    found = made.compute()
    known = nacho.evaluate(ADD, A=A, B=B)
    for one, other in (
        (found.indptr, known.indptr),
        (found.indices, known.indices),
        (found.data, known.data),
    ):
        np.testing.assert_array_equal(one, other)


def test_a_worker_with_pieces_of_a_result_is_lost(client):
    made = nacho.dask.evaluate(ADD, A=nacho.dask.from_tensor(A), B=B).persist()
    pids = client.run(os.getpid)
    os.kill(next(iter(pids.values())), signal.SIGKILL)
    assert abs(made.compute() - (A + B)).max() == 0


def test_all_workers_are_lost(client):
    """For a moment there is no worker, and those that come have other addresses."""
    operands = {"A": nacho.dask.from_tensor(A).persist(), "B": B}
    pids = client.run(os.getpid)
    for pid in pids.values():
        os.kill(pid, signal.SIGKILL)
    while pids.keys() & client.nthreads().keys():
        time.sleep(0.01)
    made = nacho.dask.evaluate(ADD, **operands)
    handles = made._state.result(PATIENCE).handles
    distributed.wait(list(handles), timeout=PATIENCE)
    assert abs(made.compute() - (A + B)).max() == 0


def remaining(dask_scheduler):
    return [str(key) for key in dask_scheduler.tasks]


def require_nothing_remains(client):
    """Wait until the scheduler has no task.

    Dask drops futures that it gathers in a task of its own, in a cycle of references.
    """
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and client.run_on_scheduler(remaining):
        gc.collect()
        time.sleep(0.05)
    assert client.run_on_scheduler(remaining) == []


def test_an_error_names_the_task_and_the_worker(client):
    client.run(replace_task, "compute", without_memory)
    made = nacho.dask.evaluate(ADD, A=nacho.dask.from_tensor(A), B=B)
    with pytest.raises(MemoryError, match="there is no memory") as caught:
        made.compute()
    (note,) = caught.value.__notes__
    assert re.match(
        "in the task 'compute' of the parts? [0-9 to]+ on the worker tcp:", note
    )
    del made, caught
    require_nothing_remains(client)


def limit_memory(more):
    """Let a process have so many bytes more than it has; None lets it have all."""
    size = resource.RLIM_INFINITY
    if more is not None:
        with open("/proc/self/statm") as file:
            size = int(file.read().split()[0]) * resource.getpagesize() + more
    resource.setrlimit(resource.RLIMIT_AS, (size, resource.RLIM_INFINITY))


def test_workers_without_memory_name_operands(client):
    """The operating system refuses what parts allocate."""
    text, x = "Z[i,j] = x[i] * y[j]", nacho.dask.from_tensor(np.ones(100), 2)
    many = dask.array.ones(2_000_000, chunks=1_000_000)
    # The kernel is loaded before.
    nacho.dask.evaluate(text, x=x, y=np.ones(100)).persist()
    client.run(limit_memory, 150 << 20)
    try:
        made = nacho.dask.evaluate(text, x=x, y=nacho.dask.from_array(many))
        with pytest.raises(MemoryError) as caught:
            made.compute()
    finally:
        client.run(limit_memory, None)
    sizes, where = caught.value.__notes__
    assert re.match(r"with \d+ bytes of 'x', \d+ bytes of 'y'", sizes)
    assert re.match("in the task 'compute' of the parts .* on the worker tcp:", where)
    del made, caught


def test_an_error_names_the_operand_and_its_piece(client, tmp_path):
    nacho.dask.from_tensor(A, pieces=3).write(tmp_path / "A")
    (tmp_path / "A" / "piece-000001.npz").write_bytes(b"")
    made = nacho.dask.evaluate("Z[i,j] = 2 * L[i,j]", L=nacho.dask.read(tmp_path / "A"))
    chained = nacho.dask.evaluate("y[i] = Z[i,j] * Z[i,j]", Z=made)
    with pytest.raises(nacho.FileError, match="piece-000001") as caught:
        chained.compute()
    where, first, second = caught.value.__notes__
    # Piece 0 has an element of piece 1.
    assert where.startswith("in the task 'read' of piece 1 on the worker tcp:")
    assert (first, second) == ("in the operand 'L'", "in the operand 'Z'")
    with pytest.raises(nacho.FileError) as caught:
        made.compute()
    assert len(caught.value.__notes__) == 2
    gone = nacho.dask.evaluate(ADD, A=nacho.dask.read(tmp_path / "no.tns"), B=B)
    with pytest.raises(FileNotFoundError, match=r"no\.tns") as caught:
        gone.compute()
    assert caught.value.__notes__[-1] == "in the operand 'A'"
    del made, chained, gone, caught
    require_nothing_remains(client)


def without_nacho(function, **given):
    raise ModuleNotFoundError("No module named 'nacho'")


def test_an_error_names_a_delayed_block(client, monkeypatch):
    blocks = [dask.delayed(sp.csr_array)(A), dask.delayed(divmod)(1, 0)]
    failing = nacho.dask.from_delayed(blocks, (None, None))
    with pytest.raises(ZeroDivisionError) as caught:
        failing.compute()
    (where,) = caught.value.__notes__
    assert where.startswith("in block 1 on the worker tcp:")
    made = nacho.dask.evaluate("y[i] = A[i,j] * A[i,j]", A=failing)
    with pytest.raises(ZeroDivisionError) as caught:
        made.compute()
    assert caught.value.__notes__ == [where, "in the operand 'A'"]
    with monkeypatch.context() as scheduler:
        scheduler.setattr(client, "run_on_scheduler", without_nacho)
        again = nacho.dask.from_delayed(blocks, (None, None))
        with pytest.raises(ZeroDivisionError) as caught:
            again.compute()
    assert caught.value.__notes__ == ["in block 1 on a worker"]
    del failing, made, again, caught
    require_nothing_remains(client)


def test_a_worker_without_memory_for_an_operand(client):
    client.run(replace_task, "gathered", without_memory)
    made = nacho.dask.evaluate(ADD, A=nacho.dask.from_tensor(A), B=B)
    with pytest.raises(MemoryError) as caught:
        made.compute()
    operand, task = caught.value.__notes__
    assert operand == "in the operand 'A'"
    assert "in the task 'limit' on the worker tcp:" in task
    del made, caught
    require_nothing_remains(client)


def set_allowed_failures(count, dask_scheduler):
    dask_scheduler.allowed_failures = count


def test_workers_that_die_of_a_task(client):
    """As the operating system kills them, if they have no memory."""
    client.run(replace_task, "gathered", dying)
    client.run_on_scheduler(set_allowed_failures, 0)
    text = "Z[i,j] = 2 * A[i,j]"
    made = nacho.dask.evaluate(text, A=nacho.dask.from_tensor(A))
    killed = pytest.raises(distributed.KilledWorker, match=r"task 'count-.*was tcp:")
    with killed as caught:
        made.compute()
    (note,) = caught.value.__notes__
    assert re.fullmatch(f"in the task 'count' of piece . of '{re.escape(text)}'", note)
    del caught, killed
    client.run_on_scheduler(set_allowed_failures, 3)
    del made
    require_nothing_remains(client)


def test_a_client_that_goes(cluster, capfd):
    client = distributed.Client(cluster)
    client.run(replace_task, "compute", slowed)
    made = nacho.dask.evaluate(ADD, A=nacho.dask.from_tensor(A), B=B)
    pid_of_worker_with(client, "compute")
    client.close()
    with pytest.raises(Exception) as caught:
        made.compute()
    said = [str(caught.value), *getattr(caught.value, "__notes__", ())]
    assert "closed" in " ".join(said)
    del made, caught
    with distributed.Client(cluster) as other:
        require_nothing_remains(other)
    assert "Exception in thread" not in capfd.readouterr().err
