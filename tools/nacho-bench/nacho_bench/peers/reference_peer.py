"""The reference in C: loops as TACO writes them, parallel over rows if at all."""

from nacho_bench.kernels import KERNELS
from nacho_bench.peers.native_peer import Native


class Reference(Native):
    version = "C"

    def __init__(self, threads: int) -> None:
        super().__init__("reference", tuple(KERNELS))
