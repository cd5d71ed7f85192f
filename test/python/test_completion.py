"""Editors complete the public names only: they ask ``dir``."""

import ast
import builtins
import importlib
from pathlib import Path

import pytest

import nacho
import nacho.mlir
from libraries import needed
from nacho._notation.functions import FUNCTIONS


def test_names_of_the_package():
    names = dir(nacho)
    assert {*names} - {"torch"} == {*nacho.__all__, *FUNCTIONS}
    assert names == sorted(names)
    assert "max" in dir(nacho) and "max" not in nacho.__all__
    assert "_kernels" not in dir(nacho) and "use_kernels" not in dir(nacho)


@pytest.mark.parametrize("name", ["mlir", "torch", "cache", "array_api"])
def test_names_of_modules(name):
    if name == "torch":
        needed("torch")
        importlib.import_module("nacho.torch")
    assert name in dir(nacho)
    module = getattr(nacho, name)
    assert dir(module) == sorted(module.__all__)


def test_completed_names_are_there():
    for module in (nacho, nacho.mlir, nacho.cache, nacho.array_api):
        for name in dir(module):
            assert hasattr(module, name)


def test_type_checkers_know_every_function():
    """The table of operators has them, and the package lists them once more."""
    tree = ast.parse(Path(nacho.__file__).read_text())
    listed = [
        node.target.id
        for node in ast.walk(tree)
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    ]
    assert sorted(listed) == sorted(FUNCTIONS)
    own = {name for name in FUNCTIONS if not hasattr(builtins, name)}
    assert own == {*FUNCTIONS} & {*nacho.__all__}
