"""The targets that kernels run on, and in what they differ."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Target:
    """A target, whose device has the same name."""

    name: str
    interface: str = ""
    """The attribute with which arrays of any library say where they are on the device;
    empty if kernels use the memory of the host."""
    copies: bool = False
    """Set if operands of the host are copied to the device unasked."""
    counts: bool = False
    """Set if kernels can count their accesses to memory."""
    needs_toolkit: bool = False
    """Set if kernels call functions of numbers that CUDA's toolkit has."""


CPU = Target("cpu", copies=True)
GPU = Target("cuda", interface="__cuda_array_interface__", needs_toolkit=True)
SIMULATED = Target(
    "cuda-sim", interface="__cuda_sim_array_interface__", copies=True, counts=True
)
TARGETS = {each.name: each for each in (CPU, GPU, SIMULATED)}
