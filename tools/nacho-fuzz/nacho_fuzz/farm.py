"""Workers in processes of their own, so that a crash or a hang is one failed case."""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]
SECONDS_PER_CASE = 60.0
"""After so many seconds of a processor, or so many in which it has not run for one, a
case hangs. They include what is compiled for the case."""
BLOCKS = {"corruptions": 100, "expressions": 20, "mutants": 20}
"""So many cases in a row, from a multiple on, share what is compiled for them."""


def block_of(kind: str, case: int) -> int:
    """Return the number of the block of cases to which a case belongs."""
    return case // BLOCKS[kind]


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


def processor_seconds(process: int) -> float:
    """Return for how long a process and its children have run."""
    ticks = 0
    for path in Path("/proc").glob("[0-9]*/stat"):
        # A process may end meanwhile.
        with contextlib.suppress(OSError):
            fields = path.read_text().rpartition(") ")[2].split()
            if path.parent.name == str(process):
                ticks += sum(map(int, fields[11:15]))
            elif fields[1] == str(process):
                ticks += sum(map(int, fields[11:13]))
    return ticks / os.sysconf("SC_CLK_TCK")


class _Worker:
    """A process that runs the cases it is told, and says what became of them."""

    def __init__(self, kind: str) -> None:
        paths = [str(HERE), os.environ.get("PYTHONPATH", "")]
        self._process = subprocess.Popen(
            [sys.executable, "-m", "nacho_fuzz.worker", kind],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))},
        )
        self._lines: queue.Queue[str | None] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line.rstrip("\n"))
        self._lines.put(None)

    def run(self, case: int, seconds: float) -> str | None:
        """Run a case. Returns None if the process ends; may raise queue.Empty.

        On a busy machine, a case may take longer than so many seconds: they are those
        of a processor.
        """
        assert self._process.stdin is not None
        try:
            print(case, file=self._process.stdin, flush=True)
        except BrokenPipeError:
            return None
        began = used = processor_seconds(self._process.pid)
        while True:
            try:
                return self._lines.get(timeout=seconds)
            except queue.Empty:
                before, used = used, processor_seconds(self._process.pid)
                if used - before < seconds / 60 or used - began >= seconds:
                    raise

    def death(self) -> str:
        """Say how the process ended."""
        code = self._process.wait()
        if code < 0:
            return f"crash: {signal.Signals(-code).name}"
        return f"crash: the process ended with status {code}"

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()


class _Strand:
    """Runs cases one after the other, with a new worker after a crash."""

    def __init__(self, kind: str) -> None:
        self._kind = kind
        self._worker: _Worker | None = None

    def run(self, case: int) -> tuple[str, str]:
        """Run one case; return its outcome, and more about it."""
        if self._worker is None:
            self._worker = _Worker(self._kind)
        try:
            line = self._worker.run(case, SECONDS_PER_CASE)
        except queue.Empty:
            return self._lost(f"hang: no end after {SECONDS_PER_CASE:.0f} s")
        if line is None:
            return self._lost(self._worker.death())
        outcome, _, what = line.partition(" ")
        return outcome, what

    def _lost(self, what: str) -> tuple[str, str]:
        self.close()
        return "fail", what

    def close(self) -> None:
        if self._worker is not None:
            self._worker.kill()
        self._worker = None


def _blocks(kind: str, cases: Iterable[int]) -> Iterator[list[int]]:
    size = BLOCKS.get(kind, 1)
    for _, block in itertools.groupby(cases, lambda case: case // size):
        yield list(block)


def run(
    kind: str, cases: Iterable[int], minutes: float, jobs: int
) -> Iterator[Failure | Tally]:
    """Run cases until there are no more, or the time is over.

    Yields failures as they happen, and what was done at the end.
    """
    deadline = time.monotonic() + 60 * minutes
    blocks, lock = _blocks(kind, cases), threading.Lock()
    results: queue.Queue[tuple[int, str, str] | None] = queue.Queue()

    def follow() -> None:
        strand = _Strand(kind)
        while time.monotonic() < deadline:
            with lock:
                block = next(blocks, None)
            if block is None:
                break
            for case in block:
                if time.monotonic() < deadline:
                    results.put((case, *strand.run(case)))
        strand.close()
        results.put(None)

    for _ in range(jobs):
        threading.Thread(target=follow).start()
    tally, running = Tally(), jobs
    while running:
        result = results.get()
        if result is None:
            running -= 1
            continue
        case, outcome, what = result
        tally.cases += 1
        tally.outcomes[outcome] = tally.outcomes.get(outcome, 0) + 1
        if outcome == "fail":
            tally.failures.append(Failure(kind, case, what))
            yield tally.failures[-1]
    yield tally
