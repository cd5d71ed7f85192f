"""The GPU that kernels are measured on: whether there is one, and which."""

import shutil
import subprocess
import sys
from functools import cache
from typing import Any

from nacho_bench.cuda import Cuda
from nacho_bench.peers import NotInstalledError

_QUERIES = {
    "driver": "driver_version",
    "clocks_sm": "clocks.sm",
    "clocks_memory": "clocks.mem",
    "clocks_max_sm": "clocks.max.sm",
    "power_limit": "power.limit",
    "persistence": "persistence_mode",
    "ecc": "ecc.mode.current",
}
"""What nvidia-smi is asked, by the names in the raw data."""


@cache
def _cuda() -> Cuda:
    return Cuda()


def require() -> None:
    """End the program, with a line that says what is missing, if there is no GPU."""
    try:
        _cuda()
    except NotInstalledError as error:
        sys.exit(
            f"bench: error: {error}; --gpu measures on an NVIDIA GPU, and without one "
            "there is nothing to measure (`tools/dev bench` measures on the host)"
        )


def description() -> dict[str, Any]:
    """Return the facts that identify the GPU, its driver and its clocks."""
    found = _cuda().description()
    return found | reported(found["bus"])


def reported(bus: str) -> dict[str, str]:
    """Return what nvidia-smi, if it is there, says of the GPU on a bus."""
    program = shutil.which("nvidia-smi")
    if program is None:
        return {}
    query = f"--query-gpu={','.join(_QUERIES.values())}"
    command = [program, query, "--format=csv,noheader", f"--id={bus}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    values = [value.strip() for value in done.stdout.split(",")]
    if done.returncode or len(values) != len(_QUERIES):
        return {}
    return dict(zip(_QUERIES, values, strict=True))


def bandwidth(threads: int, size: int) -> float:
    """Return the bytes per second at which the GPU copies, whatever the threads are."""
    return _cuda().bandwidth(size)
