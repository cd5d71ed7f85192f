"""Tests on other targets than the host: which run, and what they compare."""

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp

import fake_cuda
import nacho
import targets

HERE = Path(__file__).resolve().parent
TEXT, SUM = "Z[i,j] = A[i,j] + A[i,j]", "y[i] = A[i,j]"
A = sp.random_array((30, 40), density=0.2, format="csr", rng=1)

plain_compile, plain_evaluate = nacho.mlir.compile, nacho.evaluate


@pytest.fixture
def simulated(monkeypatch):
    targets.use(targets.SIMULATED, monkeypatch)


# --- Other targets by default ---------------------------------------------------------


def test_kernels_are_those_of_the_target(simulated):
    kernel = nacho.mlir.compile(TEXT)
    assert kernel.target == "cuda-sim"
    assert "gpu" in kernel.stages
    assert abs(kernel(A) - 2 * A).max() == 0
    assert kernel.plan(A, parts=3).parts == 3
    assert nacho.mlir.compile(TEXT, target="cpu").target == "cpu"


def test_functions_are_replaced_and_put_back():
    with pytest.MonkeyPatch.context() as patch:
        targets.use(targets.SIMULATED, patch)
        assert nacho.evaluate is not plain_evaluate
        assert abs(nacho.evaluate(TEXT, A=A, parts=3) - 2 * A).max() == 0
        assert abs(nacho.einsum("ij->ij", A) - A).max() == 0
    assert nacho.evaluate is plain_evaluate
    assert nacho.mlir.compile is plain_compile


def test_errors_are_those_of_the_target(simulated):
    with pytest.raises(nacho.NachoError, match="operand 'A'"):
        nacho.mlir.compile(TEXT)(np.zeros(3))


# --- Comparisons ----------------------------------------------------------------------


def compared(text, target="cuda-sim", parts=None):
    """Return a kernel whose results are the host's, but for the last bit of one."""

    def run(*operands, **named):
        found = plain_evaluate(text, A=A, parts=named.get("parts"))
        values = getattr(found, "data", found)
        values[-1] = np.nextafter(values[-1], 9)
        return found

    class Kernel(SimpleNamespace):
        __call__ = staticmethod(run)

    kernel = Kernel(expression=text, target=target, parts=parts)
    return targets.Compared(kernel, lambda more: plain_compile(text, **more), {})


@pytest.mark.parametrize(
    ("text", "parts"), [(TEXT, None), (TEXT, 3), (SUM, 3)], ids=str
)
def test_a_different_bit_is_found(text, parts):
    with pytest.raises(AssertionError):
        compared(text)(A, parts=parts)


def test_sums_may_be_cut_at_other_places():
    """Unless the number of parts is given, to the call or to compile."""
    compared(SUM)(A)
    with pytest.raises(AssertionError):
        compared(SUM, parts=3)(A)


def test_functions_that_gpus_round_otherwise():
    text = "Z[i,j] = sin(A[i,j])"
    compared(text, "cuda")(A)
    with pytest.raises(AssertionError):
        compared(text, "cuda-sim")(A)
    with pytest.raises(AssertionError):
        compared("Z[i,j] = abs(A[i,j])", "cuda")(A)


def test_a_test_without_a_function_is_skipped():
    def refuse():
        raise nacho.UnsupportedError("needs CUDA's libdevice, which is not found")

    with pytest.raises(pytest.skip.Exception, match="libdevice"):
        targets._run(refuse)

    def fail():
        raise nacho.UnsupportedError("blocked levels")

    with pytest.raises(nacho.UnsupportedError, match="blocked"):
        targets._run(fail)


def test_functions_that_the_driver_of_tests_lacks(monkeypatch):
    monkeypatch.setenv("NACHO_LIBCUDA", str(fake_cuda.LIBRARY))
    assert not targets.has_libdevice.__wrapped__()
    monkeypatch.setattr(targets, "has_libdevice", lambda: False)
    targets._require_functions("Z[i] = sin(A[i])", targets.SIMULATED)
    targets._require_functions("Z[i] = abs(A[i])", targets.GPU)
    with pytest.raises(pytest.skip.Exception, match="driver of tests"):
        targets._require_functions("Z[i] = sin(A[i])", targets.GPU)


# --- What is missing ------------------------------------------------------------------


def missing(monkeypatch, library, **variables):
    monkeypatch.setenv("NACHO_LIBCUDA", str(library))
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    return targets.missing.__wrapped__(targets.GPU)


def test_what_is_missing(monkeypatch):
    assert targets.missing(targets.SIMULATED) == ""
    assert missing(monkeypatch, fake_cuda.LIBRARY) == ""
    said = missing(monkeypatch, "/nowhere/libcuda.so.1")
    assert "no GPU: NVIDIA's driver cannot be loaded: /nowhere/libcuda.so.1" in said
    said = missing(monkeypatch, fake_cuda.LIBRARY, NACHO_FAKE_CUDA="cuInit=100")
    assert said.endswith("is here, but cuInit returned 100")


# --- The command ----------------------------------------------------------------------


def run(*arguments, library=None):
    """Run pytest as ``tools/dev test --gpu`` does; return what it prints."""
    environment = {**os.environ, "PYTHONPATH": str(Path(nacho.__file__).parents[1])}
    if library is not None:
        environment["NACHO_LIBCUDA"] = str(library)
    command = [sys.executable, "-m", "pytest", "-q"]
    done = subprocess.run(
        [*command, *arguments],
        cwd=HERE,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


FEW = ("test_einsum.py", "-k", "options")


def test_on_a_gpu():
    """Here it is the driver of tests."""
    said = run("--target", "cuda", *FEW, library=fake_cuda.LIBRARY)
    assert " passed" in said
    assert "skipped" not in said


def test_without_a_gpu():
    said = run("--target", "cuda", *FEW, library="/nowhere/libcuda.so.1")
    assert "no GPU: NVIDIA's driver cannot be loaded" in said
    assert " passed" not in said


def test_no_file_of_tests_chooses_a_driver():
    """With --target, all files are imported, and a GPU has to be the real one."""
    # A file that needs a library is skipped where it would import it.
    program = f"""
import contextlib, importlib, os, pytest
for name in {[path.stem for path in HERE.glob("test_*.py")]}:
    with contextlib.suppress(pytest.skip.Exception):
        importlib.import_module(name)
print("NACHO_LIBCUDA" in os.environ)
"""
    kept = {n: v for n, v in os.environ.items() if n != "NACHO_LIBCUDA"}
    package = str(Path(nacho.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=HERE,
        env={**kept, "PYTHONPATH": package},
        capture_output=True,
        check=True,
        text=True,
    )
    assert done.stdout == "False\n"


def listed(*arguments):
    lines = run("--collect-only", *arguments).splitlines()
    return {line for line in lines if "::" in line}


def test_which_tests_run():
    files = ("test_einsum.py", "test_groups.py")
    on_host = listed("--target", "cpu", *files)
    assert all("cpu" not in name for name in on_host)
    simulated = listed("--target", "cuda-sim", *files)
    assert len(simulated) == len(on_host)
    assert all("cuda-sim" in name for name in simulated)
    # Without the option there are tests that only run on the host, too, and a sample.
    ordinary = listed(*files)
    assert on_host < ordinary
    sample = {name for name in ordinary if "cuda-sim" in name}
    assert sample < simulated
    alone = {name for name in ordinary - on_host - sample}
    assert any("test_subscripts" in name for name in alone)
