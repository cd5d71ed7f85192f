"""Signals, such as that of Ctrl-C, while kernels are compiled or run."""

import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager

import numpy as np
import pytest
import scipy.sparse as sp

import nacho
import samples
from nacho import _nacho

SOON = 2.0
"""Seconds, generously: what is interrupted would take many times as long.

They are seconds of a processor, not of a clock, so that a busy machine changes nothing.
"""

CORES = len(os.sched_getaffinity(0))

LONG = 60
"""Seconds of a clock in which every signal has arrived."""

SIZE = 1500
TRIPLE = "y = A[i,j] * B[j,k] * C[k,l]"
TRIPLE_ROWS = "Z[i,l] = A[i,j] * B[j,k] * C[k,l]"
WORKERS = ({}, {"threads": 1}, {"threads": 2}, {"threads": 1, "parts": 1})


@pytest.fixture(autouse=True)
def handles_interruptions():
    """A shell's background processes ignore SIGINT, and Python then does, too."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def heavy():
    """Operands whose products, whole, are more than 10^10."""
    return {
        name: sp.random_array((SIZE, SIZE), density=0.15, format="csr", rng=n)
        for n, name in enumerate("ABC")
    }


def light(operands):
    return {name: matrix[:40, :40].tocsr() for name, matrix in operands.items()}


@contextmanager
def interrupted_after(delay, number=signal.SIGINT):
    """Send this process a signal after some seconds; it must raise an exception."""
    main = threading.main_thread().ident
    clock = threading.Timer(delay, signal.pthread_kill, (main, number))
    begin = time.process_time()
    with pytest.raises(KeyboardInterrupt):
        clock.start()
        yield
    took = time.process_time() - begin
    clock.join()
    assert took < CORES * (delay + SOON)


@pytest.mark.host_only
def test_parts_that_wait_for_each_other_are_interrupted():
    """Parts that are left out pass nothing on to those that come next."""
    A, B = (
        sp.random_array((4000, 4000), density=0.05, format="csr", rng=n) for n in (1, 2)
    )
    kernel = nacho.mlir.compile("Z[i,j] = A[i,j] + B[i,j]", threads=3)
    wanted = kernel(A, B)
    main = threading.main_thread().ident
    for delay in range(20):
        signal_soon = threading.Timer(
            delay / 4000, signal.pthread_kill, (main, signal.SIGINT)
        )
        with pytest.raises(KeyboardInterrupt):
            signal_soon.start()
            kernel(A, B)
            time.sleep(LONG)
        signal_soon.join()
    assert abs(kernel(A, B) - wanted).max() == 0


@pytest.mark.parametrize("workers", WORKERS, ids=str)
@pytest.mark.parametrize("text", [TRIPLE, TRIPLE_ROWS])
@pytest.mark.sampled
def test_a_kernel_is_interrupted(text, workers):
    given = heavy()
    kernel = nacho.mlir.compile(text, contract="none")
    small = light(given)
    wanted = kernel(**small)
    for _ in range(2):
        with interrupted_after(0.2):
            kernel(**given, **workers)
        assert samples.same(kernel(**small), wanted)
        samples.check(kernel(**small), text, small)


@pytest.mark.parametrize("delay", [0.02, 0.05, 0.1, 0.2, 0.4])
def test_a_simulated_gpu_is_interrupted(delay):
    """It is, between threads: each computes one part."""
    given = heavy()
    kernel = nacho.mlir.compile(TRIPLE, contract="none", target="cuda-sim")
    small = light(given)
    wanted = kernel(**small)
    with interrupted_after(delay):
        kernel(**given, parts=10_000)
    assert samples.same(kernel(**small), wanted)


@pytest.mark.parametrize("workers", WORKERS, ids=str)
def test_a_plan_is_interrupted(workers):
    """The plan can be executed afterwards."""
    given = heavy()
    values = np.ones(SIZE)
    text = "y[i] = A[i,j] * B[j,k] * C[k,l] * x[l]"
    formats = {"x": "dense", "y": "dense"}
    kernel = nacho.mlir.compile(text, formats, contract="none")
    plan = kernel.plan(**given, x=values, **workers)
    for _ in range(2):
        with interrupted_after(0.1):
            plan.execute()
    few = {name: matrix.copy() for name, matrix in given.items()}
    few["A"].data[:] = 0
    with interrupted_after(0.1):
        plan.execute(**few, x=values)
    small = {**light(given), "x": values[:40]}
    samples.check(kernel(**small), text, small)


def test_workspaces_are_empty_after_an_interruption():
    """The plan of a product with workspaces computes the same as before."""
    A = sp.random_array((4000, 4000), density=0.01, format="csr", rng=1)
    kernel = nacho.mlir.compile("Z[i,k] = A[i,j] * B[j,k]")
    plan = kernel.plan(A, A, parts=3, threads=2)
    wanted = plan.execute()
    interruptions = 0
    for delay in np.linspace(0.001, 0.05, 8):
        main = threading.main_thread().ident
        clock = threading.Timer(delay, signal.pthread_kill, (main, signal.SIGINT))
        try:
            clock.start()
            plan.execute()
            time.sleep(LONG)
        except KeyboardInterrupt:
            interruptions += 1
        clock.join()
        assert samples.same(plan.execute(), wanted)
    assert interruptions == 8


def test_a_long_sort_is_interrupted():
    rng = np.random.default_rng(1)
    count = 1 << 21
    coords = tuple(np.sort(rng.integers(0, 1 << 20, (1, count)))) + tuple(
        rng.integers(0, 1 << 20, (2, count))
    )
    A = sp.coo_array((np.ones(count), coords), shape=(1 << 20,) * 3)
    A.sum_duplicates()
    text = "Z[k,j,i] = A[i,j,k]"
    kernel = nacho.mlir.compile(text, {"A": "coo", "Z": "coo"})
    wanted = kernel(A)
    interruptions = 0
    for delay in (0.01, 0.05, 0.1):
        main = threading.main_thread().ident
        clock = threading.Timer(delay, signal.pthread_kill, (main, signal.SIGINT))
        try:
            clock.start()
            kernel(A, threads=2)
            time.sleep(LONG)
        except KeyboardInterrupt:
            interruptions += 1
        clock.join()
    assert interruptions == 3
    assert samples.same(kernel(A), wanted)


def checks(fibers, count):
    """Checks of large operands, which have no fault."""
    pos = np.zeros(fibers + 1, np.int64)
    one = np.array([0, count])
    crd = np.arange(count, dtype=np.int32)
    none = crd[:0]
    return {
        "positions": lambda: _nacho.check_positions(pos, fibers, 0),
        "empty fibers": lambda: _nacho.check_coordinates(pos, none, 1),
        "coordinates": lambda: _nacho.check_coordinates(one, crd, count),
        "tuples": lambda: _nacho.check_tuples(one, [crd, crd], [count, count]),
    }


@pytest.mark.parametrize("kind", ["positions", "empty fibers", "coordinates", "tuples"])
def test_a_check_of_operands_is_interrupted(kind):
    """However large the operands are, Ctrl-C need not wait for the end of it."""
    few, many = (checks(size, size) for size in (100, 1 << 27))
    wanted = few[kind]()
    begin = time.process_time()
    assert many[kind]() == wanted
    whole = time.process_time() - begin
    for _ in range(3):
        main = threading.main_thread().ident
        delay = whole / 10
        clock = threading.Timer(delay, signal.pthread_kill, (main, signal.SIGINT))
        begin = time.process_time()
        with pytest.raises(KeyboardInterrupt):
            clock.start()
            many[kind]()
            time.sleep(LONG)
        took = time.process_time() - begin
        clock.join()
        assert took < delay + max(0.2, whole / 3)
    assert many[kind]() == wanted


def test_a_check_goes_on_if_a_handler_raises_nothing():
    many = checks(1 << 27, 1 << 20)
    ticks = []
    before = signal.signal(signal.SIGALRM, lambda *_: ticks.append(1))
    signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
    try:
        assert many["positions"]() == -1
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert ticks


def test_a_handler_that_raises_nothing_lets_the_kernel_go_on():
    """Even if its clock ticks faster than the kernel computes."""
    A = sp.random_array((4000, 4000), density=0.01, format="csr", rng=1)
    text = "Z[i,k] = A[i,j] * B[j,k]"
    kernel = nacho.mlir.compile(text)
    wanted = kernel(A, A)
    ticks = []
    before = signal.signal(signal.SIGALRM, lambda *_: ticks.append(1))
    signal.setitimer(signal.ITIMER_REAL, 0.005, 0.005)
    try:
        for _ in range(3):
            assert samples.same(kernel(A, A), wanted)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert ticks


def test_a_product_on_a_simulated_gpu_begins_again():
    """What stopped parts leave in their workspaces, and report, is forgotten."""
    A = sp.random_array((60, 200), density=0.3, format="csr", rng=1)
    B = sp.random_array((200, 3000), density=0.1, format="csr", rng=2)
    kernel = nacho.mlir.compile("Z[i,k] = A[i,j] * B[j,k]", target="cuda-sim")
    wanted = kernel(A, B, parts=40)
    begin = time.perf_counter()
    kernel(A, B, parts=40)
    whole = time.perf_counter() - begin
    before = signal.signal(signal.SIGALRM, lambda *_: None)
    try:
        for part in np.linspace(0.1, 0.95, 24):
            signal.setitimer(signal.ITIMER_REAL, part * whole)
            assert samples.same(kernel(A, B, parts=40), wanted)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_a_handler_may_call_kernels():
    given = heavy()
    small = light(given)
    kernel = nacho.mlir.compile(TRIPLE, contract="none")
    made = []

    def handle(*_):
        made.append(kernel(**small))
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, handle)
    try:
        with interrupted_after(0.2, signal.SIGTERM):
            kernel(**given)
    finally:
        signal.signal(signal.SIGTERM, before)
    assert samples.same(made[0], kernel(**small))


def test_handlers_stay_as_they_were():
    known = {number: signal.getsignal(number) for number in (2, 14, 15)}
    test_a_handler_that_raises_nothing_lets_the_kernel_go_on()
    assert known == {number: signal.getsignal(number) for number in known}
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


def test_another_thread_is_not_interrupted():
    A = sp.random_array((5000, 5000), density=0.012, format="csr", rng=1)
    kernel = nacho.mlir.compile("Z[i,k] = A[i,j] * B[j,k]")
    wanted = kernel(A, A)
    made = []
    worker = threading.Thread(target=lambda: made.append(kernel(A, A)))
    with interrupted_after(0.05):
        worker.start()
        time.sleep(LONG)
    worker.join()
    assert samples.same(made[0], wanted)


def test_a_compilation_is_interrupted(tmp_path, monkeypatch):
    """What has been interrupted can be compiled again."""
    monkeypatch.setenv("NACHO_CACHE_DIR", str(tmp_path))
    names = [f"A{n}" for n in range(24)]
    rng = np.random.default_rng(1)
    given = {
        name: sp.random_array((30, 30), density=0.2, format="csr", rng=rng)
        for name in names
    }
    text = "Z[i,j] = " + " + ".join(f"{name}[i,j]" for name in names)
    interruptions = 0
    for delay in (0.01, 0.03, 0.1, 0.2):
        main = threading.main_thread().ident
        clock = threading.Timer(delay, signal.pthread_kill, (main, signal.SIGINT))
        begin = time.process_time()
        try:
            clock.start()
            nacho.mlir.compile(text)
            time.sleep(LONG)
        except KeyboardInterrupt:
            interruptions += 1
        clock.join()
        assert time.process_time() - begin < 10
    assert interruptions == 4
    samples.check(nacho.evaluate(text, **given), text, given)


def test_another_variant_is_interrupted_while_it_is_compiled(tmp_path, monkeypatch):
    """Whenever the signal comes: also while the statement is read once more."""
    monkeypatch.setenv("NACHO_CACHE_DIR", str(tmp_path))
    A = sp.random_array((30, 30), density=0.2, format="csr", rng=1)
    main = threading.main_thread().ident
    for n in range(40):
        kernel = nacho.mlir.compile(f"Z[i,j] = A[i,j] + {n + 2} * B[i,j]")
        assert abs(kernel(A, A) - (n + 3) * A).max() < 1e-12
        clock = threading.Timer(n / 8000, signal.pthread_kill, (main, signal.SIGINT))
        with pytest.raises(KeyboardInterrupt):
            clock.start()
            kernel.mlir("assemble", choices={"draft-unions": True})
            kernel(A, A, parts=3)
            time.sleep(LONG)
        clock.join()
        assert abs(kernel(A, A, parts=3) - (n + 3) * A).max() < 1e-12


FORKS = """
import os, threading, time
import nacho.mlir

def fork():
    for _ in range(40):
        child = os.fork()
        if child == 0:
            os._exit(0)
        os.waitpid(child, 0)
        time.sleep(0.0005)

formats = {"A": "csr", "x": "dense", "y": "dense"}
nacho.mlir.compile("y[i] = A[i,j] * x[j]", formats)
forks = threading.Thread(target=fork)
forks.start()
for number in range(2, 12):
    nacho.mlir.compile(f"y[i] = A[i,j] * x[j] * {number}", formats)
forks.join()
print("done")
"""
"""Compilations, while another thread forks."""


def test_no_compilation_waits_for_a_thread_that_forks():
    """A fork waits for what is compiled, and has the interpreter meanwhile."""
    run = [sys.executable, "-c", FORKS]
    made = subprocess.run(run, capture_output=True, text=True, timeout=LONG)
    assert made.stdout == "done\n", made.stderr


@pytest.mark.parametrize("threads", [1, 2])
def test_many_problems_are_interrupted(threads):
    given = heavy()
    kernel = nacho.mlir.compile("Z[i,k] = A[i,j] * B[j,k]")
    problem = given["A"][:400].tocsr(), given["B"]
    small = list(light(given).values())[:2]
    wanted = kernel(*small)
    with interrupted_after(0.2):
        kernel.map([problem] * 400, threads=threads)
    found = kernel.map([small, small], threads=threads)
    assert all(samples.same(made, wanted) for made in found)
