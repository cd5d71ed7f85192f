"""How long the compiler takes: cold, cached, per stage, and what a call costs.

Usage: python -m nacho_bench.compilation KERNEL (one kernel, in a fresh process)
"""

import importlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from nacho_bench.kernels import KERNELS
from nacho_bench.process import environment
from nacho_bench.progress import say
from nacho_bench.table import markdown

_PROCESSES, _CALLS = 3, 300
_COLUMNS = {
    "imported": "import",
    "cold": "cold compile",
    "first": "first call",
    "disk": "compile, disk cache",
    "again": "compile again",
    "cached": "evaluate, cached",
    "call": "call",
    "container": "container",
}
_MEANING = """\
Milliseconds, medians of fresh processes. *cold compile* is `nacho.mlir.compile` with an
empty cache, *disk cache* that of a later process, *compile again* one more in the same
process. Calls are on operands of 4 entries, with one thread; *container* is what making
the container of such a result alone takes. *stages* is the time to lower to each stage
from the one before; *LLVM* is the rest of a cold compile. With `--against`, the row
below a kernel is that of the other checkout, measured in turns."""


def report(kernels: Sequence[str], against: Path | None = None) -> str:
    """Measure all kernels, and return the table.

    ``against`` is another checkout; processes of both take turns.
    """
    packages = [None] if against is None else [None, against / "python"]
    lines = []
    for name in kernels:
        runs: list[list[dict[str, Any]]] = [[] for _ in packages]
        for _ in range(_PROCESSES):
            for made, package in zip(runs, packages, strict=True):
                made.append(_run(name, package))
        lines += [
            _line(label, _medians(made))
            for label, made in zip((name, "before"), runs, strict=False)
        ]
    head = ("kernel", *_COLUMNS.values(), "LLVM", "stages")
    return f"# Compile time\n\n{_MEANING}\n\n{markdown(head, lines)}\n"


def cold(kernel: str) -> float:
    """Return the seconds that a kernel takes to compile, with an empty cache."""

    def once() -> float:
        with tempfile.TemporaryDirectory() as cache:
            return float(_process(kernel, cache, None)["cold"])

    return float(np.median([once() for _ in range(_PROCESSES)]))


def _line(label: str, found: dict[str, Any]) -> tuple[str, ...]:
    stages = found["stages"]
    rest = max(0.0, found["cold"] - sum(stages.values()))
    times = [f"{1e3 * found[key]:.3g}" for key in _COLUMNS]
    shown = ", ".join(f"{s} {1e3 * t:.1f}" for s, t in stages.items() if t > 5e-5)
    say(f"{label}: cold {times[1]} ms, call {times[-2]} ms")
    return (label, *times, f"{1e3 * rest:.0f}", shown)


def _run(kernel: str, package: Path | None) -> dict[str, Any]:
    """Return the times of a process with an empty cache.

    ``disk`` is the compile time of a second process, which finds the cache filled.
    """
    with tempfile.TemporaryDirectory() as cache:
        first = _process(kernel, cache, package)
        second = _process(kernel, cache, package)
    return first | {"disk": second["cold"]}


def _medians(runs: Sequence[dict[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {
        key: float(np.median([run[key] for run in runs])) for key in _COLUMNS
    }
    found["stages"] = {
        stage: float(np.median([run["stages"][stage] for run in runs]))
        for stage in runs[0]["stages"]
    }
    return found


def _process(kernel: str, cache: str, package: Path | None) -> dict[str, Any]:
    variables = environment(1, package) | {
        "XDG_CACHE_HOME": cache,
        "NACHO_CACHE_DIR": cache,
    }
    command = [sys.executable, "-m", "nacho_bench.compilation", kernel]
    done = subprocess.run(
        command, env=variables, stdout=subprocess.PIPE, check=True, text=True
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


# --- In the fresh process -------------------------------------------------------------


def seconds(call: Callable[[], Any]) -> float:
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


def often(call: Callable[[], Any]) -> float:
    """Return the median time of many calls, in seconds."""
    for _ in range(10):
        call()
    return float(np.median([seconds(call) for _ in range(_CALLS)]))


def one(name: str) -> dict[str, Any]:
    """Measure a kernel; nacho is imported here for the first time, which is timed."""
    began = time.perf_counter()
    import nacho

    # ``import nacho`` does not load the extension.
    importlib.import_module("nacho._nacho")
    imported = time.perf_counter() - began
    kernel = KERNELS[name]
    formats = {n: f for n, f in kernel.formats.items() if f != "scalar"}
    operands = tiny(name)

    def compiled() -> Any:
        return nacho.mlir.compile(
            kernel.expression, formats=formats, threads=1, semiring=kernel.semiring
        )

    began = time.perf_counter()
    found = compiled()
    cold = time.perf_counter() - began
    given = [operands[each] for each in found.operands]
    first = seconds(lambda: found(*given))
    out = formats.get(found.result_name)
    result = found(*given)

    def evaluated() -> Any:
        return nacho.evaluate(
            kernel.expression, operands, out=out, threads=1, semiring=kernel.semiring
        )

    evaluated()
    return {
        "imported": imported,
        "cold": cold,
        "first": first,
        "again": seconds(compiled),
        "cached": often(evaluated),
        "call": often(lambda: found(*given)),
        "container": often(lambda: rebuilt(result)),
        "stages": stages(found),
    }


def stages(kernel: Any) -> dict[str, float]:
    """Return the time of each stage: lowering to it less lowering to the one before."""
    taken, before = {}, 0.0
    for stage in kernel.stages:
        total = min(seconds(lambda at=stage: kernel.mlir(at)) for _ in range(3))
        taken[stage] = max(0.0, total - before)
        before = max(before, total)
    return taken


def tiny(name: str) -> dict[str, Any]:
    """Return operands with 4 entries each."""
    import nacho
    from nacho_bench.kernels import dense_shapes

    kernel = KERNELS[name]
    rank = 3 if kernel.family == "tensor" else 2
    coords = np.arange(4, dtype=np.int32)
    found: dict[str, Any] = {
        n: np.ones(s) for n, s in dense_shapes(kernel, (4,) * rank).items()
    }
    for each in kernel.sparse:
        tensor = nacho.Tensor.from_coo(
            np.array([coords] * rank),
            np.ones(4),
            shape=(4,) * rank,
            format=kernel.formats[each],
        )
        is_scipys = rank == 2 and kernel.formats[each] in ("csr", "coo")
        found[each] = tensor.to_scipy() if is_scipys else tensor
    return found


def rebuilt(result: Any) -> Any:
    """Make a container like that of a result, from the same arrays."""
    import scipy.sparse as sp

    import nacho

    if isinstance(result, nacho.Tensor):
        return nacho.Tensor.from_parts(
            result.format, result.shape, result.pos, result.crd, result.values
        )
    if sp.issparse(result) and result.format == "csr":
        parts = (result.data, result.indices, result.indptr)
        return sp.csr_array(parts, shape=result.shape)
    if sp.issparse(result):
        return sp.coo_array((result.data, result.coords), shape=result.shape)
    return np.empty_like(result) if isinstance(result, np.ndarray) else None


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    print(json.dumps(one(sys.argv[1])))
