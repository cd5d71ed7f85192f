"""The packages inside of nacho: which may import which; that importing does nothing."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import nacho

ROOT = Path(nacho.__file__).parent

ALLOWED = {
    "": set(),  # errors and elements
    "_pictures": {""},
    "_notation": {""},
    "_storage": {"", "_notation"},
    "_files": {"", "_notation", "_storage"},
    "mlir": {"", "_notation", "_storage"},
    "_kernels": {"", "_pictures", "_notation", "_storage", "mlir"},
    "_pages": {"", "_pictures", "_notation", "_storage", "mlir", "_kernels"},
    "torch": {"", "_notation", "_storage", "_kernels"},
}
"""Per package, those that its modules may import besides their own.

What users import is free to show what is inside, ``nacho`` and ``nacho.mlir``, and so
are the commands that use these.
"""
SHOWN = {"__init__.py", "mlir/__init__.py", "_command.py", "__main__.py"}

MODULES = sorted(
    path.relative_to(ROOT)
    for path in ROOT.rglob("*.py")
    if str(path.relative_to(ROOT)) not in SHOWN
)


def room_of(module):
    """Return the package of a module of nacho; that of the extension is the lowest."""
    parts = module.split(".")[1:]
    return parts[0] if parts and (ROOT / parts[0]).is_dir() else ""


def imported(path):
    """Yield the modules of nacho that a file imports, also inside of functions."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            assert not node.level, "imports are absolute"
            for alias in node.names:
                yield f"{node.module}.{alias.name}"
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


@pytest.mark.parametrize("path", MODULES, ids=str)
def test_packages_import_downwards(path):
    room = path.parts[0] if len(path.parts) > 1 else ""
    for module in imported(ROOT / path):
        if module.partition(".")[0] == "nacho":
            assert room_of(module) in ALLOWED[room] | {room}, module


def test_packages_have_no_cycle():
    """Each may import what comes before it in the table, and nothing else."""
    before = set()
    for room, allowed in ALLOWED.items():
        assert allowed <= before
        before.add(room)
    assert {path.parts[0] for path in MODULES if len(path.parts) > 1} <= before


def test_importing_is_inert():
    """No extension, no library, no thread, no change of the environment."""
    code = (
        "import os, sys, threading\n"
        "before, threads = dict(os.environ), threading.active_count()\n"
        "import nacho, nacho.mlir\n"
        "assert dict(os.environ) == before\n"
        "assert threading.active_count() == threads\n"
        "late = {'nacho._nacho', 'scipy', 'torch'} & set(sys.modules)\n"
        "assert not late, late\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT.parent)


def test_nothing_is_left_at_exit():
    """Kernels are freed when Python ends, or nanobind tells of them."""
    code = (
        "import nacho, numpy as np\n"
        "x = nacho.evaluate('y[i] = 2 * x[i]', x=np.ones(3))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        check=True,
        cwd=ROOT.parent,
        capture_output=True,
        text=True,
    )
    assert done.stderr == ""
