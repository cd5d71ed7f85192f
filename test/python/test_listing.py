"""The text of expressions of whole arrays is remembered by their structure."""

import gc
import itertools
import weakref

import numpy as np
import pytest

import nacho
from nacho._arrays import spelling
from nacho._arrays.listing import structure_of


def tensor(shape=(3, 3), dtype="f8", seed=0):
    rng = np.random.default_rng((seed, *shape))
    return nacho.asarray(rng.integers(0, 4, shape).astype(dtype), "coo")


A, B, C = (tensor(seed=n) for n in range(3))
COLUMN, VECTOR = tensor((3, 1)), np.arange(3.0)

MADE = {
    "sum": lambda: A + B,
    "twice": lambda: A + A,
    "integers": lambda: A + tensor(dtype="i4"),
    "column": lambda: A * COLUMN,
    "two columns": lambda: COLUMN * COLUMN,
    "wide": lambda: A[:2] + B[:2],
    "difference": lambda: A - B,
    "negative": lambda: -A,
    "product": lambda: A @ B,
    "chain": lambda: A @ B @ VECTOR,
    "in the other order": lambda: A @ (B @ VECTOR),
    "elements": lambda: A * B,
    "with a vector": lambda: A * VECTOR,
    "two": lambda: 2 * A,
    "three": lambda: 3 * A,
    "behind": lambda: A * 2,
    "float": lambda: A * 0.25,
    "bool": lambda: A * True,
    "numpy": lambda: A * np.float32(0.25),
    "bound and scalar": lambda: np.clip(A, 0.5, np.float64(1.5)),
    "scalar and bound": lambda: np.clip(A, np.float64(0.5), 1.5),
    "array": lambda: A * np.array(0.25),
    "functions": lambda: np.clip(A, 0.5, 1.5),
    "other bounds": lambda: np.clip(A, 0.5, 2.5),
    "negative zero": lambda: np.clip(A, -0.0, 1.5),
    "zero": lambda: np.clip(A, 0.0, 1.5),
    "power": lambda: A**0.5,
    "other power": lambda: A**1.5,
    "base": lambda: 0.5**A,
    "greater": lambda: A > 0.5,
    "greater than another": lambda: A > 2.5,
    "less": lambda: A < -0.5,
    "equal": lambda: A == 1.5,
    "product of a comparison": lambda: 0.5 * (A > 1),
    "root": lambda: np.sqrt(A),
    "sine": lambda: np.sin(A),
    "rows": lambda: A.sum(axis=0),
    "columns": lambda: A.sum(axis=1),
    "kept": lambda: A.sum(axis=1, keepdims=True),
    "largest": lambda: A.max(axis=1),
    "all": lambda: A.sum(),
    "turned": lambda: (A + B).T,
    "turned sum": lambda: A.T + B,
    "sum with turned": lambda: A + B.T,
    "turned number": lambda: A.sum().T,
}  # fmt: skip


@pytest.mark.parametrize("name", MADE)
def test_remembered_texts_are_those_that_are_written(name):
    for made in MADE.values():
        made().statement  # noqa: B018
    text, operands = MADE[name]().statement
    wanted, given = spelling._spelled(MADE[name]().operation)
    assert text == wanted
    assert list(operands) == list(given)
    for one, other in zip(operands.values(), given.values(), strict=True):
        assert type(one) is type(other)
        assert np.array_equal(np.asarray(one), np.asarray(other))


def test_different_texts_have_different_structures():
    texts = {}
    for made in MADE.values():
        root = made().operation
        text, _ = spelling._spelled(root)
        structure, _ = structure_of(root)
        assert texts.setdefault(structure, text) == text


def test_other_operands_of_a_known_text():
    for one, other in itertools.product((A, B, C), repeat=2):
        made = one @ other + one
        assert np.array_equal(
            made.to_dense(), one.to_dense() @ other.to_dense() + one.to_dense()
        )
    for factor in (0.1, 0.7, float("inf")):
        made = A * factor
        assert made.statement[0] == "Z[i,j] = A[i,j] * B"
        assert made.statement[1]["B"] == factor


@pytest.mark.parametrize("operator", [np.power, np.greater, np.maximum])
def test_other_literals_of_a_known_text(operator):
    for number in (0.5, 1.5, 2.5):
        made = operator(A, number)
        assert np.array_equal(made.to_dense(), operator(A.to_dense(), number))


def test_texts_keep_no_operands():
    given = tensor((3, 3), seed=9)
    known = weakref.ref(given)
    (given + given).statement  # noqa: B018
    del given
    gc.collect()
    assert known() is None


def test_texts_keep_no_classes():
    """Classes of a script lead to all of its variables."""

    class Mine(float):
        pass

    known = weakref.ref(Mine)
    (A * Mine(0.25)).statement  # noqa: B018
    del Mine
    gc.collect()
    assert known() is None
