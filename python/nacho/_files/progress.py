"""How much of a file is read, told while it is: by a bar on terminals, or as asked."""

from __future__ import annotations

import gzip
import io
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from pathlib import Path
from typing import Any, BinaryIO

from nacho import _progress
from nacho._files.packing import is_packed
from nacho._progress import Bar, Progress

_BUFFER = 1 << 20
"""So many bytes are read at a time."""

asked: ContextVar[Progress] = ContextVar("asked", default=None)
"""What the caller of ``nacho.read`` asks for; None is a bar, on terminals only."""


def _is_told() -> bool:
    """Return whether anybody is told of what is read."""
    wanted = asked.get()
    return sys.stderr.isatty() if wanted is None else wanted is not False


@contextmanager
def progress(what: str, size: int) -> Iterator[Callable[[int], object]]:
    """Yield a function that is told of bytes that were read.

    It passes that on, to the caller or to a bar, if it takes long.
    """
    if not _is_told():
        yield lambda bytes: None
        return
    wanted = asked.get()
    bar, done, began = Bar(what, "B"), 0, time.monotonic()
    tell = wanted if callable(wanted) else bar.show

    def advance(bytes: int) -> None:
        nonlocal done
        done = min(done + bytes, size)
        if time.monotonic() - began >= _progress.PATIENCE:
            tell(done, size)

    try:
        yield advance
    finally:
        bar.close()


def opened(path: Path) -> AbstractContextManager[Any]:
    """Return what a library reads in place of a path: a file with a bar.

    If nobody is told, that is the path itself, since libraries read files of their own
    faster.
    """
    return unpacked(path) if _is_told() else nullcontext(path)


@contextmanager
def unpacked(path: Path) -> Iterator[Any]:
    """Open a file, whose bytes may be packed, and show how much is read."""
    size = path.stat().st_size
    with path.open("rb") as file, progress(f"reading {path.name}", size) as advance:
        counted = io.BufferedReader(_Counted(file, advance), _BUFFER)
        yield gzip.GzipFile(fileobj=counted) if is_packed(path) else counted


class _Counted(io.RawIOBase):
    """The bytes of a file, of which a function is told how many were read."""

    def __init__(self, file: BinaryIO, advance: Callable[[int], object]) -> None:
        self._file = file
        self._advance = advance

    def readinto(self, buffer: Any) -> int:
        part = self._file.read(len(buffer))
        buffer[: len(part)] = part
        self._advance(len(part))
        return len(part)

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        return self._file.seek(offset, whence)

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True
