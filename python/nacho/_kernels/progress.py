"""How many parts of a call are done, told while it runs: the option ``progress``."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from nacho import _progress
from nacho._progress import Bar, Progress

if TYPE_CHECKING:
    from nacho import _nacho

_INTERVAL = 0.1
"""The seconds between two looks at the parts."""


class _Nested(threading.local):
    """Whether the calling thread is shown already: phases of a call are one call."""

    is_shown = False


_nested = _Nested()


@contextmanager
def shown(progress: Progress, text: str) -> Iterator[None]:
    """Show how many parts are done of what this thread computes.

    Another thread looks at them, after a second and then now and then. If the function
    of the caller raises something, the computation is stopped, and this raises that.
    """
    if progress is None or _nested.is_shown:
        yield
        return
    from nacho import _nacho

    counts = _nacho.PartCounts()
    done = threading.Event()
    raised: list[BaseException] = []
    thread = threading.Thread(
        target=_watch, args=(counts, progress, text, done, raised), daemon=True
    )
    thread.start()
    _nested.is_shown = True
    _nacho.count_parts(counts)
    try:
        yield
    finally:
        _nacho.count_parts(None)
        _nested.is_shown = False
        done.set()
        thread.join()
        if raised:
            raise raised[0]


def _watch(
    counts: _nacho.PartCounts,
    progress: Progress,
    text: str,
    done: threading.Event,
    raised: list[BaseException],
) -> None:
    if done.wait(_progress.PATIENCE):
        return
    bar = None if callable(progress) else Bar(text, "part")
    told: tuple[int, int] | None = None
    try:
        while True:
            is_last = done.wait(_INTERVAL)
            # Parts that begin meanwhile must not make more of them done than there are.
            finished = counts.done
            now = (finished, counts.parts)
            if now != told and now[1]:
                _tell(progress, bar, *now)
                told = now
            if is_last:
                return
    except BaseException as error:
        raised.append(error)
        counts.stop()
        while not done.wait(_INTERVAL):
            # A loop that began meanwhile has not been told.
            counts.stop()
    finally:
        if bar is not None:
            bar.close()


def _tell(progress: Progress, bar: Bar | None, done: int, parts: int) -> None:
    if callable(progress):
        progress(done, parts)
    elif bar is not None:
        bar.show(done, parts)
