"""A bar that tells how much of a file is read, on terminals."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from nacho._progress import Bar

_LONG = 1 << 28
"""Files of fewer bytes are read in a moment."""


@contextmanager
def progress(what: str, size: int) -> Iterator[Callable[[int], object]]:
    """Yield a function that is told of bytes that were read.

    There is a bar if messages go to a terminal, and it takes long.
    """
    if size < _LONG or not sys.stderr.isatty():
        yield lambda bytes: None
        return
    bar, done = Bar(what, "B"), 0

    def advance(bytes: int) -> None:
        nonlocal done
        done += bytes
        bar.show(done, size)

    try:
        yield advance
    finally:
        bar.close()
