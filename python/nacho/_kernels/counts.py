"""What kernels of the simulated GPU would make a GPU do, as it was counted."""

from __future__ import annotations

from typing import NamedTuple


class KernelCounts(NamedTuple):
    """The counts of some launches of a kernel."""

    launches: int
    warps: int
    blocks: int
    threads: int
    """Those of a block, summed over launches."""
    sectors_loaded: int
    """Sectors of 32 bytes that instructions of warps touch in global memory."""
    sectors_stored: int
    sectors_moved: int
    """Sectors that the cache of an H100 exchanges with its memory for these."""
    bytes_loaded: int
    """The bytes that each launch loads, however often."""
    bytes_stored: int
    lines: int
    """Lines of 128 bytes that instructions touch, without what is near: sectors that
    their block has loaded recently."""
    shared_accesses: int
    """Instructions of warps that access shared memory."""
    bank_conflicts: int
    """How many more turns than without conflicts these take."""
    atomics: int
    issued: int
    """Instructions of warps."""
    useful: int
    """Instructions of lanes: 32 times as many if no lane is ever idle."""
    far_waits: int
    """How often warps wait for loads of such lines, times ``WAITS_TOGETHER``."""
    near_waits: int
    """Those for what is near, or in shared memory."""
    longest: int
    """Instructions of the longest warp of each launch."""
    longest_far_waits: int
    """The most waits of a warp of each launch."""
    longest_near_waits: int

    @property
    def sectors(self) -> int:
        return self.sectors_loaded + self.sectors_stored

    @property
    def ideal_sectors(self) -> float:
        """How many sectors the bytes fill that have to be moved."""
        return (self.bytes_loaded + self.bytes_stored) / _SECTOR

    @property
    def useful_lanes(self) -> float:
        """The share of lanes that do something, of those of all instructions."""
        return self.useful / (_LANES * self.issued) if self.issued else 1.0

    @property
    def bound(self) -> float:
        """The seconds that an H100 needs to move the bytes once."""
        return self.ideal_sectors * _SECTOR / _BANDWIDTH

    def __add__(self, other: KernelCounts) -> KernelCounts:  # type: ignore[override]
        return KernelCounts._make(a + b for a, b in zip(self, other, strict=True))

    def __sub__(self, other: KernelCounts) -> KernelCounts:
        return KernelCounts._make(a - b for a, b in zip(self, other, strict=True))


_SECTOR = 32
_LANES = 32
_BANDWIDTH = 3.35e12
_NONE = KernelCounts(*[0] * len(KernelCounts._fields))

Counted = dict[str, KernelCounts]
"""Counts by the names of kernels, in the order of their first launches."""


def counted() -> Counted:
    """Return what was counted in this process so far."""
    from nacho._nacho import counted_kernels

    return {name: KernelCounts(*counts) for name, counts in counted_kernels()}


def since(before: Counted) -> Counted:
    """Return what was counted since ``counted`` has returned ``before``."""
    now = {name: counts - before.get(name, _NONE) for name, counts in counted().items()}
    return {name: counts for name, counts in now.items() if counts.launches}


def total(counts: Counted) -> KernelCounts:
    """Return the counts of all kernels together."""
    return sum(counts.values(), _NONE)


def described(counts: Counted) -> list[str]:
    """Return a line for each kernel, and one for all of them."""
    lines = [f"{name}: {_described(each)}" for name, each in counts.items()]
    return [*lines, f"in all: {_described(total(counts))}"]


def _described(counts: KernelCounts) -> str:
    shown = [
        f"{counts.launches} launch(es)",
        f"{counts.sectors} sectors of 32 bytes (ideal {counts.ideal_sectors:.0f}), "
        f"{counts.sectors_moved} to and from memory",
        f"{counts.issued} warp instructions, {counts.useful_lanes:.0%} of lanes useful",
    ]
    if counts.shared_accesses:
        shown.append(
            f"{counts.bank_conflicts} bank conflicts of "
            f"{counts.shared_accesses} accesses"
        )
    if counts.atomics:
        shown.append(f"{counts.atomics} atomics")
    return ", ".join(shown)
