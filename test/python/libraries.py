"""Libraries and programs that tests may do without.

``tools/dev test`` runs without them, as on the machine of a user. Such a run lists
what it skipped, and ``tools/dev test --libraries`` runs that where they are installed.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

OF_SINC = np.sinc.__doc__
"""What NumPy says of ``sinc``. Dask replaces it when it is imported."""

_MISSING = re.compile(r"the (package|program) \S+ is not installed")


def needed(*packages: str) -> Any:
    """Return the last of these packages; skip the test, or file, if one is missing."""
    found = None
    for name in packages:
        reason = f"the package {name} is not installed"
        found = pytest.importorskip(name, reason=reason)
    return found


def program(name: str) -> str:
    """Return where a program is; skip this test, or file, without it."""
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"the program {name} is not installed", allow_module_level=True)
    return found


class Listing:
    """A plugin of pytest that lists what is skipped for want of a library."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.names: set[str] = set()

    def _add(self, report: Any) -> None:
        if report.skipped and _MISSING.search(str(report.longrepr)):
            self.names.add(report.nodeid)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._add(report)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        self._add(report)

    def pytest_sessionfinish(self) -> None:
        self.path.write_text("".join(f"{name}\n" for name in sorted(self.names)))
