"""`tools/dev`, as far as it can be tried without setting anything up."""

import shutil
import subprocess
from pathlib import Path

import pytest

import nacho

SCRIPT = Path(nacho.__file__).parents[2] / "tools" / "dev"


@pytest.mark.parametrize("asked", ["--help", "-h"])
@pytest.mark.parametrize("command", ["build", "clean", "lint", "wheel"])
def test_help_does_nothing_else(command, asked, tmp_path):
    """The script works in the folder that it is in: a copy sees an empty one."""
    if not SCRIPT.exists():
        pytest.skip("this is no checkout")
    script = tmp_path / "tools" / "dev"
    script.parent.mkdir()
    shutil.copy(SCRIPT, script)
    kept = tmp_path / "build" / "kept"
    kept.mkdir(parents=True)
    ran = subprocess.run(
        [script, command, asked], capture_output=True, text=True, check=True
    )
    assert ran.stdout.startswith("usage: tools/dev COMMAND")
    assert kept.exists()
    assert list(kept.parent.iterdir()) == [kept]
