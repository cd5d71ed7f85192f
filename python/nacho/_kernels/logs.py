"""What Nacho logs, under the name "nacho", and the line that shows a long compilation.

At level INFO: what is compiled or found on the disk, and how long that takes; the
variants of kernels; conversions of operands. At level DEBUG: kernels that are found in
memory.

>>> import logging  # doctest: +SKIP
>>> logging.basicConfig(level=logging.INFO)  # doctest: +SKIP
"""

from __future__ import annotations

import logging
import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

LOGGER = logging.getLogger("nacho")

PATIENCE = 1.0
"""After so many seconds, a compilation shows a line on a terminal."""
_LONGEST = 60
"""So many characters of an expression fit into the line."""


def informs() -> bool:
    """Return whether somebody reads what is logged at level INFO."""
    return LOGGER.isEnabledFor(logging.INFO)


class LoggedNotes(list[str]):
    """Notes of what was converted, which are logged and not kept."""

    def __init__(self, text: str) -> None:
        self._text = text

    def append(self, note: str) -> None:
        LOGGER.info("'%s': %s", self._text, note)


@contextmanager
def compiling(text: str) -> Iterator[None]:
    """Log how long it takes to compile an expression, and show that it goes on.

    Code that a file was added for was compiled; other code was found. If another
    process adds one at the same time, this may take one for the other.
    """
    terminal = sys.stderr
    if not informs() and not (terminal and terminal.isatty()):
        yield
        return
    kept = _kept()
    began = time.perf_counter()
    with _line_on(terminal, text):
        yield
    seconds = time.perf_counter() - began
    now = _kept()
    if not now:
        LOGGER.info("'%s': compiled in %.3f s, kept in memory only", text, seconds)
    elif kept == now:
        LOGGER.info("'%s': compiled code found, in %.3f s", text, seconds)
    else:
        LOGGER.info("'%s': compiled in %.3f s", text, seconds)


def _kept() -> set[str] | None:
    """Return the names of the files with compiled code; None if none are written."""
    from nacho import _nacho

    directory = _nacho.cache_directory()
    if not directory or _nacho.cache_refusal("cpu"):
        return None
    try:
        return set(os.listdir(directory))
    except OSError:
        return set()


@contextmanager
def _line_on(terminal: TextIO | None, text: str) -> Iterator[None]:
    """Show a line on a terminal as soon as this takes long; remove it at the end."""
    if terminal is None or not terminal.isatty():
        yield
        return
    done = threading.Event()
    thread = threading.Thread(target=_show, args=(terminal, text, done), daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def _show(terminal: TextIO, text: str, done: threading.Event) -> None:
    began = time.monotonic()
    if done.wait(PATIENCE):
        return
    shown = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
    is_done = False
    while not is_done:
        seconds = time.monotonic() - began
        terminal.write(f"\r\033[Knacho: compiling {shown} ({seconds:.0f} s)")
        terminal.flush()
        is_done = done.wait(1.0)
    terminal.write("\r\033[K")
    terminal.flush()
