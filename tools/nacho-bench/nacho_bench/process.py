"""The driver's end of a worker: commands go in, answers come out."""

import contextlib
import json
import os
import select
import subprocess
import sys
from pathlib import Path
from typing import Any

_HERE = Path(__file__).resolve().parent.parent
_THREADS = (
    "OMP_NUM_THREADS",
    "MKL_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "NUMBA_NUM_THREADS",
)
BLOCKTIME = 5
"""Milliseconds for which idle threads of LLVM's and Intel's OpenMP spin.

The default of 200 ms would disturb the next peer.
"""


class DiedError(Exception):
    """A worker ended or hung; the text says how."""


class Process:
    """A peer in a process of its own."""

    def __init__(
        self,
        peer: str,
        threads: int,
        patience: float,
        log: Path,
        package: Path | None = None,
        on_gpu: bool = False,
    ) -> None:
        """Start the process; with ``package``, Python looks there for modules first."""
        self.peer = peer
        self.threads = threads
        self.patience = patience
        self._log = log.open("ab")
        self._process = subprocess.Popen(
            [
                *(sys.executable, "-m", "nacho_bench.worker", peer, str(threads)),
                *(("gpu",) if on_gpu else ()),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            env=environment(threads, package),
        )
        self._unread = b""
        try:
            self.hello = self._answer()
        except DiedError as error:
            self.hello = {"missing": str(error)}

    @property
    def kernels(self) -> list[str]:
        kernels: list[str] = self.hello.get("kernels", [])
        return kernels

    def ask(self, do: str, **arguments: Any) -> dict[str, Any]:
        """Send a command and return the answer; raise DiedError if there is none."""
        assert self._process.stdin
        try:
            line = json.dumps({"do": do, **arguments}) + "\n"
            self._process.stdin.write(line.encode())
            self._process.stdin.flush()
        except BrokenPipeError:
            pass
        return self._answer()

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout
        descriptor = self._process.stdout.fileno()
        while b"\n" not in self._unread:
            ready, _, _ = select.select([descriptor], [], [], self.patience)
            if not ready:
                self.end()
                raise DiedError(f"no answer within {self.patience:.0f} s")
            read = os.read(descriptor, 1 << 16)
            if not read:
                raise DiedError(f"it ended with status {self.end()}")
            self._unread += read
        line, _, self._unread = self._unread.partition(b"\n")
        found: dict[str, Any] = json.loads(line)
        return found

    def end(self) -> int:
        """End the process; return its status."""
        if self._process.stdin and not self._process.stdin.closed:
            with contextlib.suppress(BrokenPipeError):
                self._process.stdin.close()
        try:
            status = self._process.wait(2)
        except subprocess.TimeoutExpired:
            self._process.kill()
            status = self._process.wait()
        self._log.close()
        return status


def environment(threads: int, package: Path | None = None) -> dict[str, str]:
    """Return the environment variables of a worker."""
    found = dict(os.environ)
    found.update(dict.fromkeys(_THREADS, str(threads)))
    found["KMP_BLOCKTIME"] = str(BLOCKTIME)
    first = [] if package is None else [str(package)]
    paths = [*first, str(_HERE), found.get("PYTHONPATH", "")]
    found["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
    return found
