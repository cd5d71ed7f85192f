"""Threads around kernels, threads inside of them, and processes forked after."""

import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import nacho
import samples
from nacho._nacho import SANITIZER, take_sharing
from nacho._once import cached_property

UNION = "Z[i,j] = A[i,j] + B[i,j]"


def operands(seed=0, shape=(60, 70), format="csr"):
    rng = np.random.default_rng(seed)
    return {
        name: samples.sample(rng, shape, "power", format, special=False)
        for name in "AB"
    }


measures_memory = pytest.mark.skipif(
    SANITIZER != "none", reason="a sanitizer keeps memory that was freed"
)


@pytest.mark.parametrize("format", samples.ROWS)
def test_results_do_not_depend_on_threads(format):
    rng = np.random.default_rng(1)
    kernel = nacho.mlir.compile(UNION, dict.fromkeys("ABZ", format))
    given = {name: samples.sample(rng, (60, 70), "power", format) for name in "AB"}
    reference = kernel(**given, parts=1, threads=1)
    for parts in (1, 2, 3, 7, 64, 3000):
        for threads in (1, 2, 3, 7, 16):
            result = kernel(**given, parts=parts, threads=threads)
            assert samples.same(result, reference)


def test_several_threads_take_part():
    pattern = np.random.default_rng(0).random((2000, 2000)) < 0.1
    A = samples.tensor(pattern, np.ones(np.count_nonzero(pattern)))
    kernel = nacho.mlir.compile("y[i] = A[i,j] * x[j]", formats={"x": "dense"})
    x = np.ones(2000)
    counts = []
    # On a busy machine, other threads may not get their turn at once.
    for _ in range(10000):
        take_sharing()
        kernel(A, x, parts=64, threads=2)
        counts, _ = take_sharing()
        if len(counts) == 2 and all(counts):
            break
    assert len(counts) == 2
    assert all(counts)


def test_one_thread_fills_a_list_as_one_part():
    """No gaps are left between parts; but a number of parts that is asked for stays."""
    rng = np.random.default_rng(0)
    given = {}
    for name in "AB":
        pattern = rng.random((4000, 400)) < 0.04
        values = np.ones(np.count_nonzero(pattern))
        given[name] = samples.tensor(pattern, values).convert("dcsr")
    kernel = nacho.mlir.compile(
        "Z[i,j] = A[i,j] * B[i,j]",
        dict.fromkeys("ABZ", "dcsr"),
        choices={"drafts": True, "merge-keys": False},
    )
    done, results = [], []
    for options in ({"threads": 1}, {"threads": 2}, {"threads": 1, "parts": 8}):
        take_sharing()
        results.append(kernel(**given, **options))
        done.append(sum(take_sharing()[0]))
    assert done[0] < done[1] == done[2]
    assert samples.same(results[0], results[1])
    assert samples.same(results[0], results[2])


ASKED = """
import os, sys
import numpy as np
import nacho

expected, processors = map(int, sys.argv[1:])
os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:processors])
A = nacho.asarray(np.ones((1000, 1000)), "csr")
plan = nacho.mlir.compile("y[i] = A[i,j] * x[j]").plan(A, np.ones(1000))
assert plan.threads == expected, plan.threads
"""


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({"NACHO_NUM_THREADS": "3", "OMP_NUM_THREADS": "5"}, 3),
        ({"NACHO_NUM_THREADS": "", "OMP_NUM_THREADS": "5"}, 5),
        ({"NACHO_NUM_THREADS": "0", "OMP_NUM_THREADS": "none"}, 1),
        ({"NACHO_NUM_THREADS": "-2", "OMP_NUM_THREADS": "-2"}, 1),
        ({"NACHO_NUM_THREADS": "1000000"}, 8),
    ],
)
def test_the_environment_says_how_many_threads_there_are(environment, expected):
    run_in_a_process(ASKED, str(expected), "1", **environment)


def test_one_kernel_called_by_many_threads():
    kernel = nacho.mlir.compile(UNION)
    given = [operands(seed) for seed in range(8)]
    wanted = [kernel(**pair) for pair in given]

    def work(number):
        pick = number % len(given)
        threads = 1 + number % 3
        result = kernel(**given[pick], parts=1 + number % 9, threads=threads)
        return samples.same(result, wanted[pick])

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(400)))


def test_one_plan_executed_by_many_threads():
    given = operands()
    plan = nacho.mlir.compile(UNION).plan(**given, parts=6, threads=2)
    wanted = plan.execute()
    with ThreadPoolExecutor(6) as pool:
        results = list(pool.map(lambda _: plan.execute(), range(60)))
    assert all(samples.same(result, wanted) for result in results)


def test_kernels_compiled_by_many_threads():
    """The same expression is compiled once; different ones at the same time."""
    given = operands()
    texts = [f"Z[i,j] = {n} * A[i,j] + B[i,j]" for n in range(2, 7)]

    def work(number):
        text = texts[number % len(texts)]
        samples.check(nacho.evaluate(text, **given), text, given)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(20)))


def test_compiling_and_running_at_the_same_time():
    """Each of eight threads compiles its own kernels, and runs those of others."""
    given = operands(shape=(300, 300))
    kernels = {n: nacho.mlir.compile(f"Z[i,j] = A[i,j] + {n} * B[i,j]") for n in (2, 3)}
    wanted = {n: kernel(**given) for n, kernel in kernels.items()}

    def work(number):
        text = f"Z[i,j] = {number + 2} * A[i,j] - B[i,j]"
        for n, kernel in kernels.items():
            assert samples.same(kernel(**given, threads=2, parts=5), wanted[n])
        samples.check(nacho.evaluate(text, **given, threads=2), text, given)
        return True

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(8)))


GROWTH = """
import os, sys
import scipy.sparse as sp
import nacho

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

A = sp.random_array((200, 200), density=0.1, format="csr", rng=1)
calls, compilations = map(int, sys.argv[1:])
kernel = nacho.mlir.compile("Z[i,k] = A[i,j] * B[j,k]")

def call(count):
    for number in range(count):
        kernel(A, A.copy() if number % 2 else A)

def compile(first, count):
    for number in range(first, first + count):
        nacho.mlir.compile(f"Z[i,j] = {number} * A[i,j]")(A)

call(300)
before = resident()
call(calls)
after = resident()
assert after - before < 16 << 20, (before, after)
compile(2, 10)
before = resident()
compile(20, compilations)
after = resident()
assert after - before < (16 << 20) + compilations * 20000, (before, after)
"""


def run_in_a_process(script, *args, **environment):
    paths = [str(Path(__file__).parent), str(Path(nacho.__file__).parents[1])]
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", script, *args],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), **environment},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr[-3000:]


@measures_memory
def test_memory_does_not_grow():
    run_in_a_process(GROWTH, "2000", "30", NACHO_CACHE_DIR="")


@pytest.mark.slow
@measures_memory
def test_memory_does_not_grow_in_many_calls():
    run_in_a_process(GROWTH, "10000", "500", NACHO_CACHE_DIR="")


def test_python_runs_meanwhile():
    """Compiling, planning and executing let go of the interpreter."""
    ticks, done = [], threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0)

    values = np.ones((1500, 1500))
    tensor = samples.tensor(np.ones_like(values, bool), values.ravel())
    args = {"A": tensor, "B": tensor}
    kernel = nacho.mlir.compile(UNION)
    plan = kernel.plan(**args, parts=1, threads=1)
    clock = threading.Thread(target=tick)
    clock.start()
    try:
        for step in (
            lambda: nacho.mlir.compile("Z[i,j] = 9 * A[i,j]"),
            lambda: kernel.plan(**args, parts=1, threads=1),
            plan.execute,
        ):
            # On a busy machine, the other thread may not get its turn at once.
            before = len(ticks)
            for _ in range(20):
                step()
                if len(ticks) - before >= 2:
                    break
            assert len(ticks) - before >= 2
    finally:
        done.set()
        clock.join()


FORKED = """
import os, signal
import numpy as np
import nacho, samples

pattern = np.eye(50, dtype=bool)
A = samples.tensor(pattern, np.ones(50))
kernel = nacho.mlir.compile("Z[i,j] = A[i,j] + B[i,j]")
wanted = kernel(A, A, parts=8, threads=2)
failed = []
for threads in (1, 2):
    child = os.fork()
    if not child:
        signal.alarm(30)
        try:
            same = samples.same(kernel(A, A, parts=8, threads=threads), wanted)
            fresh = nacho.evaluate("Z[i,j] = 3 * A[i,j]", A=A, parts=8, threads=threads)
            os._exit(0 if same and fresh.values.sum() == 150 else 1)
        finally:
            os._exit(2)
    failed.append(os.waitpid(child, 0)[1])
assert samples.same(kernel(A, A, parts=8, threads=2), wanted)
assert not any(failed), failed
"""


BUSY = """
import os, signal, threading
import numpy as np
import nacho, samples

pattern = np.eye(50, dtype=bool)
A = samples.tensor(pattern, np.ones(50))
texts = [f"Z[i,j] = {n} * A[i,j] + B[i,j]" for n in range(2, 8)]
kernel = nacho.mlir.compile("Z[i,j] = A[i,j] + B[i,j]")
wanted = kernel(A, A, parts=8, threads=2)
stop = threading.Event()

def work(number):
    while not stop.is_set():
        number += 1
        nacho.evaluate(f"Z[i,j] = {number} * A[i,j]", A=A, parts=4, threads=2)
        kernel(A, A, parts=8, threads=2)

workers = [threading.Thread(target=work, args=(1000 * n,)) for n in range(4)]
for worker in workers:
    worker.start()
failed = []
for fork in range(12):
    child = os.fork()
    if not child:
        signal.alarm(30)
        try:
            same = samples.same(kernel(A, A, parts=8, threads=2), wanted)
            text = f"Z[i,j] = {fork + 10000} * A[i,j]"
            fresh = nacho.evaluate(text, A=A, parts=8, threads=2)
            # What the threads of the parent were compiling.
            for number in range(4):
                for n in range(1, 12):
                    nacho.evaluate(f"Z[i,j] = {1000 * number + n} * A[i,j]", A=A)
            os._exit(0 if same and fresh.values.sum() == 50 * (fork + 10000) else 1)
        finally:
            os._exit(2)
    failed.append(os.waitpid(child, 0)[1])
stop.set()
for worker in workers:
    worker.join()
assert not any(failed), failed
"""

POOL = """
import multiprocessing
import numpy as np
import nacho, samples

pattern = np.eye(50, dtype=bool)
A = samples.tensor(pattern, np.ones(50))
kernel = nacho.mlir.compile("Z[i,j] = A[i,j] + B[i,j]")
kernel(A, A, parts=8, threads=2)

def work(number):
    made = kernel(A, A, parts=8, threads=2).values.sum()
    text = f"Z[i,j] = {number + 2} * A[i,j]"
    return made, nacho.evaluate(text, A=A, parts=8, threads=2).values.sum()

with multiprocessing.get_context("fork").Pool(2) as pool:
    made = pool.map_async(work, range(6)).get(60)
assert made == [(100, 50 * (n + 2)) for n in range(6)], made
assert work(0) == (100, 100)
"""


@pytest.mark.parametrize("script", [FORKED, BUSY, POOL], ids=["calm", "busy", "pool"])
def test_forked_processes(script):
    run_in_a_process(script)


def test_properties_are_computed_without_a_lock():
    """A fork would leave it held: one object does not wait for another of its class."""
    begun, known = threading.Event(), threading.Event()

    class Computed:
        def __init__(self, compute):
            self.compute = compute

        @cached_property
        def value(self):
            return self.compute()

    def wait():
        begun.set()
        return known.wait(5)

    slow, fast = Computed(wait), Computed(lambda: known.set() or 1)
    waiting = threading.Thread(target=lambda: slow.value)
    waiting.start()
    begun.wait()
    assert fast.value == 1
    waiting.join()
    assert slow.value
