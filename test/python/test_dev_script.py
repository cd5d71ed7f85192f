"""`tools/dev`, as far as it can be tried without setting anything up."""

import os
import shutil
import subprocess
import sys
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


def script_that_runs(command, tmp_path):
    """Return a copy of the script in an empty folder, to run one of its functions."""
    if not SCRIPT.exists():
        pytest.skip("this is no checkout")
    script = tmp_path / "tools" / "dev"
    script.parent.mkdir()
    text, end, _ = SCRIPT.read_text().rpartition('main "$@"; exit')
    assert end
    script.write_text(text + command)
    return script


def test_wheels_are_made_with_one_python_of_each_version(tmp_path):
    """A Python of pyenv that is not chosen does not run; another may be found twice."""
    script = script_that_runs("list_pythons", tmp_path)
    folder = tmp_path / "bin"
    folder.mkdir()
    for name, does in (
        ("python3.99", "exit 127"),
        ("python3.98", "exec $NACHO_PYTHON"),
    ):
        (folder / name).write_text(f'#!/bin/sh\n{does} "$@"\n')
        (folder / name).chmod(0o755)
    env = {
        **os.environ,
        "NACHO_PYTHON": sys.executable,
        "PATH": f"{folder}:/usr/bin:/bin",
        "PYENV_ROOT": str(tmp_path),
    }
    ran = subprocess.run(
        ["bash", script], capture_output=True, text=True, check=True, env=env
    )
    first, *others = ran.stdout.splitlines()
    assert first == f"{sys.version_info.minor} {sys.executable}"
    minors = [line.split()[0] for line in (first, *others)]
    assert len(set(minors)) == len(minors)
    assert str(folder) not in ran.stdout


def test_wheels_that_cannot_be_made_are_named(tmp_path):
    script = script_that_runs("make_wheels </dev/null", tmp_path)
    ran = subprocess.run(["bash", script], capture_output=True, text=True, check=True)
    for version in ("3.11", "3.12 and later"):
        message = f"no wheel of nacho for Python {version}: this machine has no such"
        assert message in ran.stderr
