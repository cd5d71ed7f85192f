"""How many parts of a call are done, told while it runs."""

import builtins
import io
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import scipy.sparse as sp

import nacho
from libraries import needed
from nacho._kernels import progress
from nacho._progress import Bar

RNG = np.random.default_rng(53)
A = sp.random_array((3000, 3000), density=0.02, rng=RNG, format="csr")
TEXT = "Z[i,k] = A[i,j] * A[j,k]"


@pytest.fixture
def _soon(monkeypatch):
    """Tells of calls at once, and looks at their parts all the time."""
    monkeypatch.setattr("nacho._progress.PATIENCE", 0.0)
    monkeypatch.setattr(progress, "_INTERVAL", 0.001)


class Told(list):
    """What a function was told, and by which threads."""

    def __init__(self):
        self.threads = set()

    def __call__(self, done, parts):
        self.append((done, parts))
        self.threads.add(threading.current_thread())


def check(told):
    assert len(told) > 1
    assert told == sorted(told)
    assert all(0 <= done <= parts for done, parts in told)
    done, parts = told[-1]
    assert done == parts > 0
    assert told.threads.isdisjoint({threading.current_thread()})


@pytest.mark.usefixtures("_soon")
@pytest.mark.parametrize("threads", [1, 2])
def test_a_function_is_told_until_all_parts_are_done(threads):
    expected = nacho.evaluate(TEXT, A=A, threads=threads)
    told = Told()
    found = nacho.evaluate(TEXT, A=A, threads=threads, parts=64, progress=told)
    check(told)
    assert told[-1][1] >= 64
    assert (found != expected).nnz == 0


@pytest.mark.usefixtures("_soon")
def test_kernels_and_plans_tell_too():
    kernel = nacho.mlir.compile(TEXT, {"A": "csr", "Z": "csr"})
    for _ in range(2):  # the second call would be a repetition
        told = Told()
        kernel(A, progress=told)
        check(told)
    told = Told()
    plan = kernel.plan(A, progress=told)
    check(told)
    before = len(told)
    plan.execute()
    assert len(told) > before
    told = Told()
    assert kernel.count(A, progress=told) == nacho.evaluate(TEXT, A=A).nnz
    check(told)
    plan = kernel.plan(A)
    for _ in range(2):  # the second one would be a repetition
        told = Told()
        plan.execute(progress=told)
        check(told)
    with pytest.raises(nacho.OptionError, match="progress=1: expected True, False"):
        plan.execute(progress=1)
    plan = nacho.mlir.compile("y[i] = 2 * progress[i]").plan(np.ones(3))
    assert plan.execute(progress=np.full(3, 2.0)).tolist() == [4, 4, 4]


@pytest.mark.usefixtures("_soon")
def test_problems_of_a_map_are_its_parts():
    kernel = nacho.mlir.compile(TEXT, {"A": "csr", "Z": "csr"})
    small = sp.random_array((200, 200), density=0.05, rng=RNG, format="csr")
    told = Told()
    kernel.map([(small,)] * 300, progress=told)
    check(told)


def test_fast_calls_are_not_told():
    told = Told()
    nacho.evaluate("Z[i,j] = A[i,j] * 2", A=A, progress=told)
    assert told == []
    assert not [t for t in threading.enumerate() if "_watch" in t.name]


@pytest.mark.usefixtures("_soon")
@pytest.mark.parametrize("error", [LookupError, SystemExit])
def test_what_the_function_raises_is_raised(error):
    calls = []

    def refuse(done, parts):
        calls.append(done)
        raise error("no bar here")

    with pytest.raises(error, match="no bar here"):
        nacho.evaluate(TEXT, A=A, progress=refuse)
    assert len(calls) == 1


@pytest.mark.usefixtures("_soon")
@pytest.mark.parametrize("in_thread", [False, True])
def test_the_call_ends_when_the_function_raises(in_thread):
    """The rest of it is not computed, on any thread; later calls are as before."""
    dense = sp.csr_array(np.ones((1000, 1000)))
    kernel = nacho.mlir.compile(TEXT, {"A": "csr", "Z": "csr"}, threads=1, parts=200)
    told = Told()
    began = time.perf_counter()
    kernel(dense, progress=told)
    whole = time.perf_counter() - began
    check(told)

    def refuse(done, parts):
        raise LookupError("no bar here")

    def timed():
        began = time.perf_counter()
        with pytest.raises(LookupError, match="no bar here"):
            kernel(dense, progress=refuse)
        return time.perf_counter() - began

    if in_thread:
        with ThreadPoolExecutor(1) as pool:
            took = pool.submit(timed).result()
    else:
        took = timed()
    assert took < whole / 2
    assert kernel(A).nnz == nacho.evaluate(TEXT, A=A).nnz


@pytest.mark.usefixtures("_soon")
def test_errors_of_the_call_come_first():
    told = Told()
    with pytest.raises(nacho.OutOfMemoryError):
        nacho.evaluate(TEXT, A=A, memory_limit=1000, progress=told)
    after = Told()
    nacho.evaluate(TEXT, A=A, progress=after)
    check(after)


def test_it_is_a_function_or_a_bool():
    for value in ("yes", 1, [print]):
        with pytest.raises(
            nacho.OptionError, match=r"progress=.*True, False or a func"
        ):
            nacho.evaluate(TEXT, A=A, progress=value)
    assert nacho.evaluate("s = sum(i, j, A[i,j])", A=A, progress=False) > 0


def test_an_operand_may_have_its_name():
    kernel = nacho.mlir.compile("y[i] = 2 * progress[i]")
    assert kernel(progress=np.ones(3)).tolist() == [2, 2, 2]


# --- Bars -----------------------------------------------------------------------------


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def _no_tqdm(monkeypatch):
    load = builtins.__import__

    def refuse(name, *about, **options):
        if name == "tqdm":
            raise ImportError(name)
        return load(name, *about, **options)

    monkeypatch.setattr(builtins, "__import__", refuse)


@pytest.mark.usefixtures("_no_tqdm")
def test_without_tqdm_there_is_a_line_on_terminals(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    bar = Bar("Z[i,j] = A[i,j]", "part")
    bar.show(3, 64)
    bar.show(9, 64)
    bar.close()
    text = sys.stderr.getvalue()
    assert "\r\033[Knacho: Z[i,j] = A[i,j]: 3 of 64 parts\r\033[K" in text
    assert text.endswith("9 of 64 parts\r\033[K")
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    bar = Bar("reading a.tns", "B")
    bar.show(1, 2)
    bar.close()
    assert sys.stderr.getvalue() == ""


@pytest.mark.usefixtures("_no_tqdm", "_soon")
def test_a_call_has_a_line(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    nacho.evaluate(TEXT, A=A, progress=True)
    assert "nacho: Z[i,k] = sum(j, A[i,j] * A[j,k]): " in sys.stderr.getvalue()


@pytest.mark.usefixtures("_soon")
def test_tqdm_draws_the_bar(capsys):
    needed("tqdm")
    nacho.evaluate(TEXT, A=A, progress=True)
    shown = capsys.readouterr().err
    assert "Z[i,k] = sum(j, A[i,j] * A[j,k]): 100%" in shown
