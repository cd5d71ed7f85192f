"""The check of `tools/dev wheel --check`: a wheel works where there is no LLVM.

Runs the first example of the README, calls the command, and uses PyTorch in the same
process. Fails if anything of another LLVM, or another OpenMP of LLVM's, is loaded.
"""

import ctypes
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

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

import torch  # noqa: E402

dense = torch.arange(12.0).reshape(3, 4).relu()
sums = nacho.evaluate("y[i] = sum(j, T[i,j])", T=dense.to_sparse_csr())
np.testing.assert_allclose(sums, dense.sum(1))


class LoadedObject(ctypes.Structure):
    """The beginning of the C library's dl_phdr_info."""

    _fields_ = (("address", ctypes.c_void_p), ("name", ctypes.c_char_p))


def loaded() -> list[str]:
    """Return the libraries in this process. Some systems show no /proc."""
    names: list[str] = []

    @ctypes.CFUNCTYPE(
        ctypes.c_int, ctypes.POINTER(LoadedObject), ctypes.c_size_t, ctypes.c_void_p
    )
    def visit(found: Any, size: int, data: Any) -> int:
        names.append((found[0].name or b"").decode())
        return 0

    ctypes.CDLL(None).dl_iterate_phdr(visit, None)
    return names


mine = str(Path(nacho.__file__).parents[1])
paths = loaded()
assert any(mine in path for path in paths), paths
foreign = [p for p in paths if re.search("llvm|LLVM|MLIR|libomp", p) and mine not in p]
assert not foreign, foreign
print("the wheel needs nothing that is not in it")
