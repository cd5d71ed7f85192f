"""Clusters that lose workers, tasks that fail, and clients that go."""

import gc
import importlib
import os
import re
import signal
import time

import numpy as np
import pytest
import scipy.sparse as sp

import nacho
from libraries import needed

distributed = needed("dask", "distributed")
dask = pytest.importorskip("dask")
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


def test_an_error_names_the_operand_and_its_piece(client, tmp_path):
    nacho.dask.from_tensor(A, pieces=3).write(tmp_path / "A")
    (tmp_path / "A" / "piece-000001.npz").write_bytes(b"")
    made = nacho.dask.evaluate("Z[i,j] = 2 * L[i,j]", L=nacho.dask.read(tmp_path / "A"))
    chained = nacho.dask.evaluate("y[i] = Z[i,j] * Z[i,j]", Z=made)
    with pytest.raises(nacho.FileError, match="piece-000001") as caught:
        chained.compute()
    where, first, second = caught.value.__notes__
    assert re.match("in the task 'read.*' on the worker tcp:", where)
    assert re.match("in piece [01] of the operand 'L'", first)
    assert second == "in the operand 'Z'"
    with pytest.raises(nacho.FileError) as caught:
        made.compute()
    assert len(caught.value.__notes__) == 2
    gone = nacho.dask.evaluate(ADD, A=nacho.dask.read(tmp_path / "no.tns"), B=B)
    with pytest.raises(FileNotFoundError, match=r"no\.tns") as caught:
        gone.compute()
    assert caught.value.__notes__[-1] == "in the operand 'A'"
    del made, chained, gone, caught
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
    made = nacho.dask.evaluate("Z[i,j] = 2 * A[i,j]", A=nacho.dask.from_tensor(A))
    with pytest.raises(distributed.KilledWorker, match=r"task 'count-.*was tcp:"):
        made.compute()
    client.run_on_scheduler(set_allowed_failures, 3)
    del made
    require_nothing_remains(client)


def test_a_client_that_goes(cluster, capfd):
    client = distributed.Client(cluster)
    client.run(replace_task, "compute", slowed)
    made = nacho.dask.evaluate(ADD, A=nacho.dask.from_tensor(A), B=B)
    pid_of_worker_with(client, "compute")
    client.close()
    with pytest.raises(Exception):  # noqa: B017
        made.compute()
    del made
    with distributed.Client(cluster) as other:
        require_nothing_remains(other)
    assert "Exception in thread" not in capfd.readouterr().err
