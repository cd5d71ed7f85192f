"""The check of `tools/dev wheel --check`: a wheel works where there is no LLVM.

Runs the first example of the README, calls the command, and uses PyTorch in the same
process. Fails if anything of another LLVM, or an OpenMP of LLVM's, is loaded. With
--on-old-processor, all it does is run the example.
"""

import re
import subprocess
import sys
import time
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

import torch  # noqa: E402

dense = torch.arange(12.0).reshape(3, 4).relu()
sums = nacho.evaluate("y[i] = sum(j, T[i,j])", T=dense.to_sparse_csr())
np.testing.assert_allclose(sums, dense.sum(1))

loaded = Path("/proc/self/maps").read_text()
mine = str(Path(nacho.__file__).parents[1])
paths = {line.split()[-1] for line in loaded.splitlines() if "/" in line}
foreign = [p for p in paths if re.search("llvm|LLVM|MLIR|libomp", p) and mine not in p]
assert not foreign, foreign
print("the wheel needs nothing that is not in it")
