"""A bar that tells how much of a file is read, on terminals."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_LONG = 1 << 28
"""Files of fewer bytes are read in a moment."""


@contextmanager
def progress(what: str, size: int) -> Iterator[Callable[[int], object]]:
    """Yield a function that is told of bytes that were read.

    There is a bar if tqdm is installed, messages go to a terminal, and it takes long.
    """
    if size < _LONG or not sys.stderr.isatty():
        yield lambda bytes: None
        return
    try:
        from tqdm import tqdm
    except ImportError:
        yield lambda bytes: None
        return
    with tqdm(desc=what, total=size, unit="B", unit_scale=True) as bar:
        yield bar.update
