"""What runs when.

Tests that draw their own cases in a loop ask ``THOROUGH`` how many; all else is here.

=======================  =======================  =================  ================
                         ``tools/dev test``       its ``--sanitize`` NACHO_THOROUGH=1
=======================  =======================  =================  ================
tests                    all but those marked     one in 121, and    all
                         ``slow``                 all of edits
cases of a test marked   so many that every       the same           all
``each_value`` (or       value (or every pair of
``each_pair``)           values) is among them
cases of a test marked   one in five              the same           all
``sampled``, which
repeats others
tests marked             on the host; one in 300  the same           all on both
``any_target``           on the simulated GPU
                         as well
kernels of tests that    optimised by LLVM        not optimised      optimised
are marked
``optimized``
kernels of other tests   optimised in one test    not optimised      optimised
                         of twelve
examples of Hypothesis   30, always the same      the same           2000 others
=======================  =======================  =================  ================

``--target`` runs all tests marked ``any_target``, in all cases, on the targets that it
names, and nothing else. Of the cases that ``-k`` or a name asks for, a sample is
chosen, too; a case that is asked for on its own always runs. NACHO_OPTIMIZE=1, or 0,
has all kernels optimised, or none. What kernels compute does not depend on it, but most
of the tests' time is LLVM's.
"""

from __future__ import annotations

import os
from collections import defaultdict
from zlib import crc32

import pytest

import targets
from covering import SIZES, covering

THOROUGH = os.environ.get("NACHO_THOROUGH") == "1"

EXAMPLES = 2000 if THOROUGH else 30

_SANITIZED, _SIMULATED, _OPTIMIZED, _SAMPLED = 121, 300, 12, 5
"""One in so many tests is run with a sanitizer, on the simulated GPU, optimised, or at
all. The first two have no common divisor: so neither draws what the other has drawn."""

_ALWAYS_SANITIZED = {"test_edits", "test_sanitizers"}
"""The files of what sanitizers are there for."""

MARKERS = (
    "slow: takes seconds; runs only with NACHO_THOROUGH=1",
    "any_target: runs on other targets than the host, too; see targets",
    "host_only: does not, although its file is marked any_target",
    "optimized: depends on how LLVM optimises kernels, not only on what they compute",
    "sampled: repeats much of what other tests do; some of its cases run",
    "each_value: on cases that have every value of every parameter",
    "each_pair: on cases that have every pair of two parameters' values",
)


def _is_drawn(name: str, every: int) -> bool:
    return crc32(name.encode()) % every == 0


def _marks(node: pytest.Item | pytest.Metafunc) -> set[str]:
    definition = node.definition if isinstance(node, pytest.Metafunc) else node
    return {mark.name for mark in definition.iter_markers()}


def _function(item: pytest.Item) -> str:
    """Return the name that all cases of a test share."""
    return item.nodeid.partition("[")[0]


def runs_anywhere(node: pytest.Item | pytest.Metafunc) -> bool:
    """Return whether a test can run on any target."""
    marks = _marks(node)
    return "any_target" in marks and "host_only" not in marks


def target_of(item: pytest.Item) -> str:
    call = getattr(item, "callspec", None)
    name: str = call.params.get("on_target", targets.HOST) if call else targets.HOST
    return name


def is_left_unoptimized(item: pytest.Item) -> bool:
    """Return whether the kernels of a test are compiled as fast as can be.

    All cases of a test are compiled alike, so that they can share kernels. Kernels of
    the simulated GPU run longer than it takes to compile them.
    """
    if THOROUGH or "NACHO_OPTIMIZE" in os.environ:
        return False
    return (
        "optimized" not in _marks(item)
        and target_of(item) == targets.HOST
        and not _is_drawn(_function(item), _OPTIMIZED)
    )


def _is_selected(item: pytest.Item) -> bool:
    """Return whether a test belongs to the run, were it the only case of its kind."""
    if item.config.getoption("target"):
        return runs_anywhere(item)
    if item.config.getoption("sanitized") and not (
        item.path.stem in _ALWAYS_SANITIZED or _is_drawn(item.nodeid, _SANITIZED)
    ):
        return False
    on_host = target_of(item) == targets.HOST
    return THOROUGH or on_host or _is_drawn(item.nodeid, _SIMULATED)


def _values(case: pytest.Item) -> dict[str, int]:
    """Return what identifies the values of a case: not all of them can be compared."""
    call = getattr(case, "callspec", None)
    return {name: id(value) for name, value in call.params.items()} if call else {}


def _sample(cases: list[pytest.Item]) -> list[pytest.Item]:
    """Return the cases of a test that its marks have run: at least one."""
    marks = _marks(cases[0])
    for mark, size in SIZES.items():
        if mark in marks:
            names = [case.nodeid for case in cases]
            kept = covering([_values(case) for case in cases], names, size)
            cases = [cases[number] for number in sorted(kept)]
    if "sampled" in marks:
        drawn = [case for case in cases if _is_drawn(case.nodeid, _SAMPLED)]
        cases = drawn or cases[:1]
    return cases


def _repetitive(items: list[pytest.Item]) -> set[pytest.Item]:
    """Return the cases on the host that the marks of their tests leave out."""
    tests: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        if target_of(item) == targets.HOST:
            tests[_function(item)].append(item)
    found: set[pytest.Item] = set()
    for cases in tests.values():
        found |= {*cases} - {*_sample(cases)}
    return found


def select(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the tests that are to run; of those, skip the slow ones."""
    everything = THOROUGH or config.getoption("target")
    repetitive = set() if everything else _repetitive(items)
    kept, rest = [], []
    for item in items:
        chosen = _is_selected(item) and item not in repetitive
        (kept if chosen else rest).append(item)
    config.hook.pytest_deselected(items=rest)
    items[:] = kept
    if THOROUGH:
        return
    skip = pytest.mark.skip(reason="slow; set NACHO_THOROUGH=1")
    for item in items:
        if "slow" in item.keywords:
            item.add_marker(skip)
