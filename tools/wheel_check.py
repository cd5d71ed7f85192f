"""The check of `tools/dev wheel --check`: a wheel works where there is no LLVM.

Runs the first example of the README, calls the commands, and a kernel that it writes to
a file, in another process, too. Uses PyTorch in the same process, if it is installed.
Fails if anything of another LLVM, or an OpenMP of LLVM's, is loaded. With
--on-old-processor, all it does is run the example.
"""

import re
import subprocess
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path

import numpy as np

began = time.perf_counter()
import nacho  # noqa: E402

print(
    f"import nacho takes {(time.perf_counter() - began) * 1e3:.0f} ms more than NumPy"
)

readme = Path(__file__).parents[1] / "README.md"
example = re.search(r"```python\n(.*?)```", readme.read_text(), re.DOTALL)
assert example is not None
exec(example[1])
if "--on-old-processor" in sys.argv:
    print("the wheel runs on an old processor")
    raise SystemExit

command = Path(sys.executable).with_name("nacho")
subprocess.run([command, "info"], check=True)

# nacho-opt prints what it has read.
module = "module {\n}\n"
found = subprocess.run(
    [command.with_name("nacho-opt"), "--nacho-concretize"],
    check=True,
    input=module,
    capture_output=True,
    text=True,
)
assert found.stdout.strip() == module.strip(), found.stdout

caller = """
import sys
import numpy as np
import scipy.sparse as sp
import nacho

A = sp.csr_array(np.arange(6.0).reshape(2, 3))
print(*nacho.load(sys.argv[1])(A, np.ones(3)))
with open("/proc/self/maps") as maps:
    assert "/_nacho." not in maps.read(), "a kernel of a file has loaded the compiler"
"""
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "matvec.so"
    nacho.mlir.compile("y[i] = A[i,j] * x[j]", {"A": "csr"}).export(path)
    found = subprocess.run(
        [sys.executable, "-I", "-c", caller, path],
        check=True,
        capture_output=True,
        text=True,
    )
assert found.stdout == "3.0 12.0\n", found.stdout

if find_spec("torch"):
    import torch

    dense = torch.arange(12.0).reshape(3, 4).relu()
    sums = nacho.evaluate("y[i] = sum(j, T[i,j])", T=dense.to_sparse_csr())
    np.testing.assert_allclose(sums, dense.sum(1))

loaded = Path("/proc/self/maps").read_text()
mine = str(Path(nacho.__file__).parents[1])
paths = {line.split()[-1] for line in loaded.splitlines() if "/" in line}
foreign = [p for p in paths if re.search("llvm|LLVM|MLIR|libomp", p) and mine not in p]
assert not foreign, foreign
print("the wheel needs nothing that is not in it")
