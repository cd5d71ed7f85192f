"""Bars that tell how far something is that takes long, such as reading a file.

tqdm draws them where it is installed; else there is a line, on terminals.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from nacho.errors import OptionError, displayed

PATIENCE = 1.0
"""What takes fewer seconds is not shown."""

Progress = bool | Callable[[int, int], object] | None
"""True for a bar, or a function that is told how much of how much is done."""


def checked_progress(progress: object) -> Any:
    """Return who is told how far a call is: True for a bar, a function, or None."""
    if progress is None or isinstance(progress, bool):
        return progress or None
    if not callable(progress):
        shown = displayed(progress)
        raise OptionError(f"progress={shown}: expected True, False or a function")
    return progress


class Bar:
    """A bar, which appears when it is first told how far something is."""

    def __init__(self, what: str, unit: str) -> None:
        self._what = what
        self._unit = unit
        self._bar: Any = None
        self._has_line = False

    def show(self, done: int, total: int) -> None:
        """Show that so many of all units are done."""
        try:
            from tqdm import tqdm
        except ImportError:
            self._show_line(done, total)
            return
        if self._bar is None:
            unit = {"unit": self._unit, "unit_scale": self._unit == "B"}
            self._bar = tqdm(desc=self._what, total=total, **unit)
        self._bar.total = total
        self._bar.update(done - self._bar.n)

    def _show_line(self, done: int, total: int) -> None:
        if not (sys.stderr and sys.stderr.isatty()):
            return
        self._has_line = True
        shown = f"{done} of {total} {self._unit}s"
        if self._unit == "B":
            shown = f"{done / 1e6:.0f} of {total / 1e6:.0f} MB"
        sys.stderr.write(f"\r\033[Knacho: {self._what}: {shown}")
        sys.stderr.flush()

    def close(self) -> None:
        """Leave the bar as it is, or remove the line."""
        if self._bar is not None:
            self._bar.close()
        if self._has_line:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()
