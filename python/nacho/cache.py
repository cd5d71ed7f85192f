"""Compiled code that is kept on disk, for later processes.

It lies in ``NACHO_CACHE_DIR``, or else in ``nacho`` in the user's cache directory. Only
the user can read and write it, and the code that was not used for the longest time goes
when there is too much of it.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

__all__ = ["CacheInfo", "clear", "info"]

_FILES = "llvmcache-*"


def __dir__() -> list[str]:
    """Return the public names, which are those that an editor completes."""
    return sorted(__all__)


class CacheInfo(NamedTuple):
    """What is kept."""

    directory: str
    """Empty if nothing is kept."""
    kernels: int
    """How many kernels are kept."""
    bytes: int
    """The size of their files."""
    refusal: str
    """Why the directory is not used, such as that others can write to it, or empty."""


def info() -> CacheInfo:
    """Return where compiled code is kept, and how much there is."""
    from nacho import _nacho

    files = [path.stat().st_size for path in _kept()]
    refusal = _nacho.cache_refusal("cpu")
    return CacheInfo(_nacho.cache_directory(), len(files), sum(files), refusal)


def clear() -> int:
    """Remove all compiled code from the disk; return how many kernels that were."""
    count = 0
    for path in _kept():
        path.unlink(missing_ok=True)
        count += 1
    return count


def _kept() -> list[Path]:
    from nacho import _nacho

    directory = _nacho.cache_directory()
    return sorted(Path(directory).glob(_FILES)) if directory else []
