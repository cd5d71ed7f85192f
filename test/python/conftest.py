"""What all Python tests share: Hypothesis profiles and markers.

With NACHO_THOROUGH=1 the tests marked `slow` run too, and Hypothesis tries many
more examples, different ones each time.
"""

import os

import pytest
from hypothesis import HealthCheck, settings

THOROUGH = os.environ.get("NACHO_THOROUGH") == "1"

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


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "slow: takes seconds; runs only with NACHO_THOROUGH=1"
    )


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if THOROUGH:
        return
    skip = pytest.mark.skip(reason="slow; set NACHO_THOROUGH=1")
    for item in items:
        if "slow" in item.keywords:
            item.add_marker(skip)
