"""Eigen, with OpenMP where it uses that: in spmv and spmm."""

import re
from pathlib import Path

from nacho_bench.peers.native_peer import Native

_KERNELS = ("csr-add", "csr-add3", "csr-mul", "spgemm", "spmv", "spmm")
_MACROS = Path("/usr/include/eigen3/Eigen/src/Core/util/Macros.h")


class Eigen(Native):
    def __init__(self, threads: int) -> None:
        super().__init__("eigen", _KERNELS)
        found = re.findall(r"EIGEN_\w+_VERSION (\d+)", _MACROS.read_text())
        self.version = ".".join(found[:3])
