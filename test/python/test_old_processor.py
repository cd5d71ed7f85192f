"""The oldest processors that Nacho runs on: x86-64-v2, of 2009, as NumPy's wheels.

QEMU emulates one, on which newer instructions are illegal. Those of the machine that
builds Nacho must not be in the extension module; kernels are compiled for the processor
that they run on.
"""

import os
import subprocess
import sys

import pytest

import libraries

PROGRAM = """
import numpy as np
import nacho

rng = np.random.default_rng(1)
dense = np.where(rng.random((60, 50)) < 0.2, rng.random((60, 50)), 0)
x = rng.random(50)
A = nacho.Tensor.from_dense(dense, "coo")
y = nacho.evaluate("y[i] = A[i,j] * x[j]", A=A, x=x, threads=2)
np.testing.assert_allclose(y, dense @ x)
Z = nacho.evaluate("Z[i,j] = A[i,j] * A[i,j] + A[i,j]", A=A, validate="full")
np.testing.assert_allclose(Z.to_dense(), dense * dense + dense)
code = nacho.mlir.compile("y[i] = A[i,j] * x[j]").asm()
print("xmm" in code, "ymm" in code, "zmm" in code)
"""


def test_kernels_and_the_runtime():
    emulator = libraries.program("qemu-x86_64")
    old = [emulator, "-cpu", "Nehalem", sys.executable, "-c"]
    if subprocess.run([*old, "import numpy"], capture_output=True).returncode:
        pytest.skip("NumPy itself does not run on the emulated processor here")
    # What was compiled for the real processor is not for the emulated one.
    env = {**os.environ, "NACHO_CACHE_DIR": "", "NACHO_OPTIMIZE": "1"}
    done = subprocess.run(
        [*old, PROGRAM],
        env=env,
        check=True,
        capture_output=True,
        text=True,
    )
    assert done.stdout.split() == ["True", "False", "False"]
