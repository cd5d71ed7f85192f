"""The gain of remapping on DCSR products, by skew and the fraction of skipped rows."""

from typing import Any

from nacho_bench.driver import Driver, Options
from nacho_bench.files import Store
from nacho_bench.kernels import KERNELS
from nacho_bench.peers import OURS, UNMAPPED
from nacho_bench.spread import summary
from nacho_bench.workloads import heat

_EXPONENTS = (1.6, 2.0, 2.4, 3.0)
_SKIPPED = (0.0, 0.25, 0.5, 0.75, 0.9)
_KERNEL = KERNELS["dcsr-mul"]._replace(size="heat")


def measure(store: Store, threads: int, options: Options) -> list[dict[str, float]]:
    """Return the gains: the time without remapping over the time with it."""
    records: list[dict[str, Any]] = []
    options = options._replace(modes=("steady",))
    driver = Driver((OURS, UNMAPPED), threads, store, options, records)
    found = []
    try:
        for exponent in _EXPONENTS:
            for skipped in _SKIPPED:
                driver.run(_KERNEL, heat(exponent, skipped))
                times = records[-1]["times"]["steady"]
                with_map, without = (summary(times[p]) for p in (OURS, UNMAPPED))
                gain = without.median / with_map.median
                found.append({"exponent": exponent, "skipped": skipped, "gain": gain})
    finally:
        driver.close()
    return found
