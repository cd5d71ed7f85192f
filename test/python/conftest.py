"""What all Python tests share: Hypothesis profiles and markers.

With NACHO_THOROUGH=1 the tests marked `slow` run too, and Hypothesis tries many
more examples, different ones each time.

Tests marked `each_value` or `each_pair` run on a sample of their cases, which has every
value of every parameter, or every pair of values; with NACHO_THOROUGH=1 or `--target`,
on all cases. Of the cases that `-k` or a name asks for, a sample is chosen, too: a case
that is asked for on its own always runs.

Tests marked `any_target` run on the host and, a sample of them, on the simulated GPU.
With `--target` all of them run, and nothing else, on the named targets.

Most of the tests' time is LLVM's, which optimises kernels. What kernels compute does
not depend on that: of the tests marked `any_code` or `any_target`, one in four compiles
kernels as users do, and so do all others. With NACHO_THOROUGH=1, all tests do, and with
NACHO_OPTIMIZE=1, or 0, all tests are as they are asked to be.
"""

import os
from collections import defaultdict
from zlib import crc32

import pytest
from hypothesis import HealthCheck, settings

import optimization
import targets
from covering import SIZES, covering

ALWAYS = {"test_edits", "test_sanitizers"}
"""The files whose tests are in every sample: what sanitizers are there for."""

SIMULATED_EVERY = 40
"""One in so many tests marked `any_target` is run on the simulated GPU."""

ANY_CODE = {"any_code", "any_target"}
"""The marks of tests of what kernels compute, however LLVM compiles them."""

OPTIMIZED_EVERY = 4
"""One in so many tests marked `any_code` or `any_target` has its kernels optimised."""

THOROUGH = os.environ.get("NACHO_THOROUGH") == "1"

IS_ASKED_FOR = THOROUGH or "NACHO_OPTIMIZE" in os.environ
"""Whether somebody says which kernels are optimised."""

# Tests run kernels on more threads than there are cores. OpenMP's threads would spin
# for a while whenever they wait, and keep those that they wait for from running.
os.environ.setdefault("KMP_BLOCKTIME", "0")

# The first call of an expression compiles it: no example has a deadline, and
# data that are slow to draw are no reason to fail.
settings.register_profile(
    "ci",
    max_examples=50,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile(
    "thorough",
    settings.get_profile("ci"),
    max_examples=2000,
    derandomize=False,
    print_blob=True,
)
settings.load_profile("thorough" if THOROUGH else "ci")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--every",
        type=int,
        default=1,
        metavar="N",
        help="run a sample: every N-th test, the same each time, and those of edits",
    )
    parser.addoption(
        "--target",
        action="append",
        choices=targets.NAMES,
        help="run all tests marked any_target on this target, and no other tests",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "slow: takes seconds; runs only with NACHO_THOROUGH=1"
    )
    config.addinivalue_line(
        "markers", "any_target: runs on other targets than the host, too; see targets"
    )
    config.addinivalue_line(
        "markers", "host_only: does not, although its file is marked any_target"
    )
    config.addinivalue_line(
        "markers", "any_code: tests what kernels compute, however LLVM compiles them"
    )
    config.addinivalue_line(
        "markers", "each_value: on cases that have every value of every parameter"
    )
    config.addinivalue_line(
        "markers", "each_pair: on cases that have every pair of two parameters' values"
    )


# --- Targets --------------------------------------------------------------------------


def runs_anywhere(node: pytest.Item | pytest.Metafunc) -> bool:
    """Return whether a test can run on any target."""
    definition = node.definition if isinstance(node, pytest.Metafunc) else node
    marks = {mark.name for mark in definition.iter_markers()}
    return "any_target" in marks and "host_only" not in marks


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test on several targets; on the host it keeps its name."""
    if not runs_anywhere(metafunc):
        return
    names = metafunc.config.getoption("target") or targets.BY_DEFAULT
    params = [
        pytest.param(name, id=pytest.HIDDEN_PARAM if name == targets.HOST else name)
        for name in names
    ]
    metafunc.parametrize("on_target", params, indirect=True)


@pytest.fixture(autouse=True)
def on_target(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The target that a test runs kernels on."""
    name: str = getattr(request, "param", targets.HOST)
    if lacking := targets.missing(name):
        pytest.skip(lacking)
    targets.use(name, monkeypatch)
    return name


@pytest.fixture(autouse=True)
def _optimization(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Leave the code of most kernels unoptimised, where that makes no difference.

    All cases of a test are compiled alike, so that they can share kernels. Kernels of
    the simulated GPU run longer than it takes to compile them.
    """
    test = request.node
    if IS_ASKED_FOR or not ANY_CODE & {mark.name for mark in test.iter_markers()}:
        return
    name, _, _ = test.nodeid.partition("[")
    if target_of(test) == targets.HOST and crc32(name.encode()) % OPTIMIZED_EVERY:
        optimization.leave_out(monkeypatch)


def target_of(item: pytest.Item) -> str:
    call = getattr(item, "callspec", None)
    name: str = call.params.get("on_target", targets.HOST) if call else targets.HOST
    return name


# --- Selection ------------------------------------------------------------------------


def is_sampled(item: pytest.Item, every: int) -> bool:
    return item.path.stem in ALWAYS or crc32(item.nodeid.encode()) % every == 0


def is_selected(item: pytest.Item) -> bool:
    """Return whether the options ask for a test, and the time allows for it."""
    if item.config.getoption("target"):
        return runs_anywhere(item)
    if target_of(item) == targets.SIMULATED and not THOROUGH:
        return is_sampled(item, SIMULATED_EVERY)
    return True


def values_of(case: pytest.Item) -> dict[str, int]:
    """Return what identifies the values of a case: not all of them can be compared."""
    call = getattr(case, "callspec", None)
    return {name: id(value) for name, value in call.params.items()} if call else {}


def repetitive(items: list[pytest.Item]) -> set[pytest.Item]:
    """Return the cases whose values, or pairs of values, other cases have, too.

    The sample on the simulated GPU is drawn from all cases.
    """
    tests: dict[tuple[str, int], list[pytest.Item]] = defaultdict(list)
    for item in items:
        for mark in item.iter_markers():
            if mark.name in SIZES and target_of(item) == targets.HOST:
                name, _, _ = item.nodeid.partition("[")
                tests[name, SIZES[mark.name]].append(item)
    found: set[pytest.Item] = set()
    for (_, size), cases in tests.items():
        values = [values_of(case) for case in cases]
        kept = covering(values, [case.nodeid for case in cases], size)
        found |= {case for number, case in enumerate(cases) if number not in kept}
    return found


# After pytest has left out what `-k` and names do not ask for.
@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> None:
    every = config.getoption("every")
    repeated = set() if THOROUGH or config.getoption("target") else repetitive(items)
    kept, rest = [], []
    for item in items:
        chosen = is_sampled(item, every) and is_selected(item) and item not in repeated
        (kept if chosen else rest).append(item)
    config.hook.pytest_deselected(items=rest)
    items[:] = kept
    if THOROUGH:
        return
    skip = pytest.mark.skip(reason="slow; set NACHO_THOROUGH=1")
    for item in items:
        if "slow" in item.keywords:
            item.add_marker(skip)
