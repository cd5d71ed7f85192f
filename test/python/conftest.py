"""What all Python tests share: Hypothesis profiles and markers.

With NACHO_THOROUGH=1 the tests marked `slow` run too, and Hypothesis tries many
more examples, different ones each time.
"""

import os
from zlib import crc32

import pytest
from hypothesis import HealthCheck, settings

ALWAYS = {"test_edits", "test_sanitizers"}
"""The files whose tests are in every sample: what sanitizers are there for."""

THOROUGH = os.environ.get("NACHO_THOROUGH") == "1"

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


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "slow: takes seconds; runs only with NACHO_THOROUGH=1"
    )


def is_sampled(item: pytest.Item, every: int) -> bool:
    return item.path.stem in ALWAYS or crc32(item.nodeid.encode()) % every == 0


def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> None:
    every = config.getoption("every")
    rest = [item for item in items if not is_sampled(item, every)]
    config.hook.pytest_deselected(items=rest)
    items[:] = [item for item in items if is_sampled(item, every)]
    if THOROUGH:
        return
    skip = pytest.mark.skip(reason="slow; set NACHO_THOROUGH=1")
    for item in items:
        if "slow" in item.keywords:
            item.add_marker(skip)
