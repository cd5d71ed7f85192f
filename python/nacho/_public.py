"""Public names that what is below needs when it is called, found as a user finds them.

A result may be a ``nacho.Tensor``, and an array tells which module has its functions.
Both are made of all that computes results, so that nothing below can import them.
"""

from __future__ import annotations

import sys
from typing import Any


def public(name: str) -> Any:
    """Return what the package calls by a name."""
    return getattr(sys.modules["nacho"], name)
