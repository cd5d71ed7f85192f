"""What `tools/dev test --sanitize` relies on: errors in compiled code are reported.

The kernels here are led to memory that they must not touch, by arrays that are shorter
than they say, or that are gone.
"""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import nacho
from nacho._nacho import SANITIZER

IMPORTS = """
import sys, threading, time
import numpy as np, scipy.sparse as sp
from numpy.lib.stride_tricks import as_strided
import nacho

choices = {"sanitizer": sys.argv[1]}
ones = lambda n: sp.csr_array(np.ones((2, n)))
product = nacho.mlir.compile("y[i] = A[i,j] * x[j]", {"x": "dense"}, choices=choices)
total = nacho.mlir.compile("s = x[i]", {"x": "dense"}, choices=choices)
double = nacho.mlir.compile("z[i] = x[i] + x[i]", {"x": "dense"}, choices=choices)

def at(address, n):
    interface = {"data": (address, False), "shape": (n,), "typestr": "<f8"}
    return np.asarray(type("Memory", (), {"__array_interface__": interface})())
"""

SHORT = """
x = as_strided(np.ones(9), (10,))
product(ones(10), x)
"""

BEHIND_A_RESULT = """
x = as_strided(double(np.ones(10001)), (10002,))
product(ones(10002), x)
"""

RELEASED = """
z = double(np.ones(10001))
address = z.ctypes.data
del z
product(ones(10001), at(address, 10001))
"""

# Each call of `double` fills the buffer that the call before has released. Python's
# lock brings calls in order, so that it may take a while until two of them overlap.
RACE = """
x = np.ones(1 << 22)
stale = at(double(x, threads=1).ctypes.data, x.size)
total(stale, threads=1)
start = threading.Barrier(2)

def repeat(kernel, operand):
    start.wait()
    end = time.monotonic() + (60 if sys.argv[1] == "thread" else 1)
    while time.monotonic() < end:
        kernel(operand, threads=1)

writer = threading.Thread(target=repeat, args=(double, x))
writer.start()
repeat(total, stale)
writer.join()
"""


def run(program: str, sanitizer: str) -> subprocess.CompletedProcess:
    """Run a program that compiles for a sanitizer, which reports to stderr."""
    # pytest itself writes reports to a file, where each is a failure of the run.
    reports = {
        name: os.environ.get(name, "") + ":log_path=stderr:halt_on_error=1"
        for name in ("ASAN_OPTIONS", "TSAN_OPTIONS")
    }
    package = str(Path(nacho.__file__).parents[1])
    return subprocess.run(
        [sys.executable, "-c", IMPORTS + program, sanitizer],
        env={**os.environ, **reports, "PYTHONPATH": package},
        capture_output=True,
        text=True,
        timeout=600,
    )


@pytest.mark.skipif(SANITIZER != "none", reason="this build is for a sanitizer")
def test_ordinary_builds_have_no_sanitizer():
    done = run(SHORT, "none")
    assert done.returncode == 0, done.stderr
    with pytest.raises(nacho.NachoError, match="no runtime of the sanitizer 'address'"):
        nacho.mlir.compile(
            "y[i] = A[i,j]", dtype="f64", choices={"sanitizer": "address"}
        )(np.ones((2, 2)))


@pytest.mark.skipif(SANITIZER != "address", reason="needs AddressSanitizer")
@pytest.mark.parametrize(
    ("program", "what"),
    [
        (SHORT, "heap-buffer-overflow"),
        (BEHIND_A_RESULT, "use-after-poison"),
        (RELEASED, "use-after-poison"),
    ],
)
def test_wrong_addresses_are_reported(program, what):
    done = run(program, "address")
    assert done.returncode != 0
    assert what in done.stderr
    # Nothing but the instrumentation of the compiled code finds the error.
    done = run(program, "none")
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(SANITIZER != "thread", reason="needs ThreadSanitizer")
def test_races_are_reported():
    done = run(RACE, "thread")
    assert done.returncode != 0
    assert "data race" in done.stderr
    done = run(RACE, "none")
    assert done.returncode == 0, done.stderr
