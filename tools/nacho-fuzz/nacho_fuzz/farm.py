"""Workers in processes of their own, so that a crash or a hang is one failed case."""

from __future__ import annotations

import dataclasses
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]
SECONDS_PER_CASE = 60.0
"""After this time a case hangs. It includes what is compiled for the case."""


@dataclasses.dataclass(frozen=True)
class Failure:
    """A case that went wrong."""

    kind: str
    case: int
    what: str

    def __str__(self) -> str:
        return f"{self.kind} {self.case}: {self.what}"


@dataclasses.dataclass
class Tally:
    """What a run has done."""

    cases: int = 0
    failures: list[Failure] = dataclasses.field(default_factory=list)
    outcomes: dict[str, int] = dataclasses.field(default_factory=dict)


class _Worker:
    """A process that runs cases and says so, line by line."""

    def __init__(self, kind: str, first: int, stride: int) -> None:
        command = [sys.executable, "-m", "nacho_fuzz.worker"]
        paths = [str(HERE), os.environ.get("PYTHONPATH", "")]
        self.process = subprocess.Popen(
            [*command, kind, str(first), str(stride)],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))},
        )
        self.lines: queue.Queue[str | None] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.put(line.rstrip("\n"))
        self.lines.put(None)

    def next_line(self, seconds: float) -> str | None:
        return self.lines.get(timeout=seconds)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


def _died(process: subprocess.Popen[str]) -> str:
    code = process.wait()
    if code < 0:
        return f"crash: {signal.Signals(-code).name}"
    return f"crash: the process ended with status {code}"


class _Strand:
    """Every ``stride``-th case from ``first`` on, with a new worker after a crash."""

    def __init__(self, kind: str, first: int, stride: int) -> None:
        self.kind, self.case, self.stride = kind, first, stride
        self.worker: _Worker | None = None

    def step(self, deadline: float) -> tuple[str, str] | None:
        """Run one case; return its outcome, or None when the time is over."""
        if self.worker is None:
            self.worker = _Worker(self.kind, self.case, self.stride)
        try:
            line = self.worker.next_line(SECONDS_PER_CASE)
        except queue.Empty:
            return self._lost(f"hang: no end after {SECONDS_PER_CASE:.0f} s")
        if line is None:
            return self._lost(_died(self.worker.process))
        if time.monotonic() > deadline:
            return None
        outcome, _, what = line.partition(" ")
        return outcome, what

    def _lost(self, what: str) -> tuple[str, str]:
        assert self.worker is not None
        self.worker.kill()
        self.worker = None
        return "fail", what

    def close(self) -> None:
        if self.worker is not None:
            self.worker.kill()


def run(
    kind: str, first: int, cases: int, minutes: float, jobs: int
) -> Iterator[Failure | Tally]:
    """Run cases until there are as many, or the time is over.

    Yields failures as they happen, and what was done at the end.
    """
    deadline = time.monotonic() + 60 * minutes
    results: queue.Queue[tuple[int, tuple[str, str] | None]] = queue.Queue()

    def follow(strand: _Strand, last: int) -> None:
        while strand.case < last:
            number, outcome = strand.case, strand.step(deadline)
            results.put((number, outcome))
            if outcome is None:
                break
            strand.case += strand.stride
        strand.close()
        results.put((-1, None))

    threads = [
        threading.Thread(
            target=follow, args=(_Strand(kind, first + n, jobs), first + cases)
        )
        for n in range(jobs)
    ]
    for thread in threads:
        thread.start()
    tally, running = Tally(), jobs
    while running:
        number, result = results.get()
        if number < 0:
            running -= 1
        elif result is not None:
            tally.cases += 1
            outcome, what = result
            tally.outcomes[outcome] = tally.outcomes.get(outcome, 0) + 1
            if outcome == "fail":
                failure = Failure(kind, number, what)
                tally.failures.append(failure)
                yield failure
    yield tally
