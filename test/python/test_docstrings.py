"""Docstrings show only what runs: every example of the package is executed."""

import ast
import doctest
import importlib
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse

import nacho
from libraries import needed

ROOT = Path(nacho.__file__).parent


def documented():
    """Return every text with examples: by its file and line, and its examples."""
    found = {}
    for path in sorted(ROOT.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
            if is_text and ">>> " in node.value:
                place = f"{path.relative_to(ROOT)}:{node.lineno}"
                found[place] = doctest.DocTestParser().get_examples(node.value)
    return found


TEXTS = documented()


def names():
    """Return what the examples take for granted."""
    rng = np.random.default_rng(1)
    given = {
        name: nacho.asarray(scipy.sparse.random_array((9, 9), density=0.3, rng=rng))
        for name in "ABCDZ"
    }
    i, j, k = nacho.indices("i j k")
    x = np.arange(9.0)
    return {**given, "i": i, "j": j, "k": k, "x": x, "nacho": nacho, "scipy": scipy}


def tensors():
    """Return what the examples of nacho.torch take for granted."""
    torch = needed("torch")
    importlib.import_module("nacho.torch")
    A = torch.eye(9, dtype=torch.float64).to_sparse_csr()
    x = torch.arange(9, dtype=torch.float64, requires_grad=True)
    return {**names(), "A": A, "x": x}


@pytest.fixture(scope="module")
def cluster():
    """What the examples of nacho.dask take for granted: a client, and its threads."""
    distributed = needed("distributed")
    importlib.import_module("nacho.dask")
    with distributed.Client(
        processes=False, n_workers=1, threads_per_worker=2, dashboard_address=":0"
    ):
        yield names()


def test_there_are_examples():
    assert len(TEXTS) >= 10


@pytest.mark.parametrize("place", TEXTS)
def test_examples(place, tmp_path, monkeypatch, request):
    monkeypatch.chdir(tmp_path)
    if place.startswith("dask/"):
        scope = dict(request.getfixturevalue("cluster"))
    else:
        scope = tensors() if place.startswith("torch/") else names()
    nacho.write("nell-2.tns", names()["A"])
    for example in TEXTS[place]:
        if not example.want:
            exec(compile(example.source, place, "exec"), scope)
            continue
        found = eval(compile(example.source.strip(), place, "eval"), scope)
        assert repr(found) == example.want.strip()
