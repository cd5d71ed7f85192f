"""What the wheels of NVIDIA have, if they are installed."""

from __future__ import annotations

import importlib.util
from pathlib import Path


def find_in_wheels(pattern: str) -> Path | None:
    """Return a file that lies below a folder of one of the wheels, by a pattern."""
    nvidia = importlib.util.find_spec("nvidia")
    places = nvidia.submodule_search_locations if nvidia else None
    for place in places or ():
        for found in Path(place).glob(pattern):
            return found
    return None
