"""A model of the time that a kernel takes on a GPU, from what was counted of it.

A processor has four schedulers, which issue instructions of the warps that are
resident: as many as its registers and shared memory allow. In cycles,

    warp = issue * instructions + far * waits for far loads + near * waits for near ones
    rate = min(peak, resident warps / 4 * instructions / warp)     of one scheduler
    time = start + the longest of
        all instructions / (4 * processors with a block * rate)
        warp, of the longest one
        line * all lines of memory that are not near / processors with a block
        bytes exchanged with memory / bandwidth

The constants were fitted to times that were measured on an NVIDIA H200:
tools/nacho-bench/results/gpu-model.md has them, and how far the model is off.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from nacho._kernels.counts import Counted, KernelCounts, total
from nacho._kernels.ptxas import PROCESSORS, Assembled

CHIP = "sm_90"
"""The chip of an H100, for which kernels are assembled."""
WAITS_TOGETHER = 4
"""What a wait counts as (``kWaitsTogether`` of KernelCounts.h)."""
_SECTOR = 32
_WARP = 32
_SCHEDULERS = 4
_REGISTERS = 64
"""Those of a thread of a kernel that was not assembled."""


class Gpu(NamedTuple):
    """A GPU of ``CHIP``."""

    name: str
    bandwidth: float
    """The bytes a second at which it was measured to copy its memory."""
    processors: int = 132
    clock: float = 1.98e9


H100 = Gpu("H100", 2.94e12)
H200 = Gpu("H200", 4.03e12)


class Constants(NamedTuple):
    """Cycles, unless a comment says something else."""

    issue: float
    """From an instruction of a warp to its next one, if it waits for no load."""
    far: float
    """Until what is not near is loaded."""
    near: float
    """Until what is in shared memory, or near, is loaded."""
    line: float
    """In which a processor gets one line of 128 bytes that is not near."""
    peak: float
    """Instructions that a scheduler issues in a cycle at most."""
    start: float
    """Seconds of a launch in which no instruction is executed."""


FITTED = Constants(issue=5.7, far=480, near=30, line=4.3, peak=0.68, start=0.9e-6)


class Parts(NamedTuple):
    """The seconds of a launch, if nothing but one thing took time."""

    issuing: float
    longest: float
    lines: float
    memory: float

    @property
    def most(self) -> str:
        """Return the name of what takes the longest."""
        return max(self._fields, key=lambda name: float(getattr(self, name)))


def resident_warps(counts: KernelCounts, made: Assembled | None) -> float:
    """Return how many warps of a launch a processor that has a block runs at a time."""
    threads = counts.threads // counts.launches
    kernel = made or Assembled("", _REGISTERS, 0, 0)
    blocks = PROCESSORS[CHIP].blocks_of(kernel, threads)
    return min(
        blocks * -(-threads // _WARP), counts.warps / counts.launches / _busy(counts)
    )


def _busy(counts: KernelCounts, gpu: Gpu = H100) -> float:
    """Return how many processors have a block of a launch."""
    return min(counts.blocks / counts.launches, gpu.processors)


def parts(
    counts: KernelCounts,
    made: Assembled | None,
    gpu: Gpu = H100,
    constants: Constants = FITTED,
) -> Parts:
    """Return what the mean launch of a kernel takes."""

    def cycles(instructions: float, far: float, near: float) -> float:
        waits = constants.far * far + constants.near * near
        return constants.issue * instructions + waits / WAITS_TOGETHER

    n, busy = counts.launches, _busy(counts, gpu)
    one = cycles(counts.issued, counts.far_waits, counts.near_waits) / counts.warps
    wanted = resident_warps(counts, made) / _SCHEDULERS * counts.issued / counts.warps
    rate = min(constants.peak, wanted / one)
    issuing = counts.issued / n / (_SCHEDULERS * busy * rate)
    longest = cycles(
        counts.longest, counts.longest_far_waits, counts.longest_near_waits
    )
    lines = constants.line * counts.lines / n / busy
    memory = counts.sectors_moved * _SECTOR / n / gpu.bandwidth
    return Parts(
        issuing / gpu.clock, longest / n / gpu.clock, lines / gpu.clock, memory
    )


def seconds(
    counts: KernelCounts,
    made: Assembled | None,
    gpu: Gpu = H100,
    constants: Constants = FITTED,
) -> float:
    """Return what all launches of a kernel take, without the host."""
    if not counts.issued:
        return constants.start * counts.launches
    each = constants.start + max(parts(counts, made, gpu, constants))
    return counts.launches * each


def total_seconds(
    counts: Counted, made: Mapping[str, Assembled], gpu: Gpu = H100
) -> float:
    """Return what all kernels of a call take, without the host."""
    return sum(seconds(each, made.get(name), gpu) for name, each in counts.items())


class Checked(NamedTuple):
    """How far the model is off where it was checked."""

    kernels: int
    """The kernels of calls that were measured on an H200, of 1.5 us or more."""
    close: int
    """Those that took between 1 / 1.5 and 1.5 times as long as predicted."""
    low: float
    """Nine in ten took at least this many times as long as predicted."""
    high: float
    """Nine in ten took at most this many times as long as predicted."""

    def __str__(self) -> str:
        return (
            f"of {self.kernels} kernels measured on an H200, {self.close} took 0.67 to "
            f"1.5 times as long as predicted, and eight in ten {self.low:.2f} to "
            f"{self.high:.2f} times"
        )


CHECKED = Checked(kernels=82, close=77, low=0.8, high=1.39)
"""As tools/nacho-bench/results/gpu-model.md has it."""


def described(counts: Counted, made: Mapping[str, Assembled]) -> list[str]:
    """Return a line for each kernel, one for what takes the most, and for all."""
    lines = [
        f"{name}: {seconds(each, made.get(name)) * 1e6:.1f} us, most of it "
        f"{_MEANT[parts(each, made.get(name)).most]}"
        for name, each in counts.items()
    ]
    bound = total(counts).bound
    return [
        *lines,
        f"{total_seconds(counts, made) * 1e6:.1f} us on an H100 (predicted), without "
        f"the host; its memory moves the bytes in {bound * 1e6:.2f} us",
        str(CHECKED),
    ]


_MEANT = {
    "issuing": "issuing instructions, or waiting with all warps",
    "longest": "the longest warp",
    "lines": "loading single lines",
    "memory": "moving memory",
}
