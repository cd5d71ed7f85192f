"""Files that are packed by gzip, as the end of their name, .gz, says."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any


def is_packed(path: Path) -> bool:
    return path.name.endswith(".gz")


def created(path: Path) -> Any:
    """Open a file to write bytes, which are packed on their way into it."""
    return gzip.open(path, "wb") if is_packed(path) else path.open("wb")
