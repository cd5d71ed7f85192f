"""The modules of the tests that make operands and check results."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "test" / "python"))

import checks  # noqa: E402
import oracle  # noqa: E402
import samples  # noqa: E402
import test_properties as properties  # noqa: E402

__all__ = ["ROOT", "checks", "oracle", "properties", "samples"]
