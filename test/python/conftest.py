"""What all Python tests share: options, markers, targets, Hypothesis's profile.

``selection.py`` says which tests run when.
"""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

import optimization
import selection
import targets
from libraries import Listing

# The first call of an expression compiles it: no example has a deadline, and
# data that are slow to draw are no reason to fail.
settings.register_profile(
    "nacho",
    max_examples=selection.EXAMPLES,
    deadline=None,
    derandomize=not selection.THOROUGH,
    print_blob=selection.THOROUGH,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("nacho")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--sanitized",
        action="store_true",
        help="run the sample of tests that a build for a sanitizer runs",
    )
    parser.addoption(
        "--target",
        action="append",
        choices=targets.NAMES,
        help="run all tests marked any_target on this target, and no other tests",
    )
    parser.addoption(
        "--list-missing",
        type=Path,
        metavar="FILE",
        help="list what is skipped for want of a library, for `pytest @FILE`",
    )


def pytest_configure(config: pytest.Config) -> None:
    for marker in selection.MARKERS:
        config.addinivalue_line("markers", marker)
    path = config.getoption("list_missing")
    if path is not None and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Listing(path))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test on several targets; on the host it keeps its name."""
    if not selection.runs_anywhere(metafunc):
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
    if selection.is_left_unoptimized(request.node):
        optimization.leave_out(monkeypatch)


# After pytest has left out what `-k` and names do not ask for.
@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> None:
    selection.select(config, items)


@pytest.fixture
def full(monkeypatch):
    """The calls that were checked in full, by the kernels' expressions."""
    from nacho._kernels.kernel import Kernel

    seen = []
    run = Kernel._run

    def counted(kernel, *rest, **options):
        seen.append(kernel.expression)
        return run(kernel, *rest, **options)

    monkeypatch.setattr(Kernel, "_run", counted)
    return seen
