"""What runs when: samples, and tests that need libraries."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import nacho
from test_targets import listed

HERE = Path(__file__).resolve().parent


def run(*arguments, folder=None):
    """Run pytest on test files; modules in a folder come before those installed."""
    paths = [str(Path(nacho.__file__).parents[1])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    if folder is not None:
        environment["PYTHONPATH"] = os.pathsep.join([str(folder), *paths])
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *arguments],
        cwd=HERE,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode in (0, pytest.ExitCode.NO_TESTS_COLLECTED), done.stdout
    return done.stdout


def test_what_needs_a_library_is_listed(tmp_path):
    """A test, and a whole file, that are skipped without a library; not others."""
    for name in ("tqdm", "selenium"):
        text = "raise ModuleNotFoundError('hidden from a test')\n"
        (tmp_path / f"{name}.py").write_text(text)
    listing = tmp_path / "missing.txt"
    said = run(
        *(f"--list-missing={listing}", "test_files.py", "test_browser.py"),
        *("-k", "terminals"),
        folder=tmp_path,
    )
    assert "the package selenium is not installed" in said
    names = listing.read_text().splitlines()
    assert "test/python/test_browser.py" in names
    assert [name for name in names if "test_files.py::" in name]
    assert all("::" in name or name.endswith(".py") for name in names)


def test_sanitizers_run_a_sample_and_all_edits():
    files = ("test_edits.py", "test_einsum.py")
    everything, sample = listed(*files), listed("--sanitized", *files)
    assert sample < everything
    edits = {name for name in everything if "test_edits" in name}
    assert edits and edits <= sample


def test_a_case_that_is_asked_for_runs():
    name = "test_ptxas.py::test_kernels[csr-add-sm_80-True]"
    assert len(listed(name)) == 1
