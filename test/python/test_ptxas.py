"""Every kernel of the benchmark is assembled for several GPUs, and spills nothing."""

import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).resolve().parents[2] / "tools" / "nacho-bench"
sys.path.insert(0, str(BENCH))

from nacho_bench import registers  # noqa: E402
from nacho_bench.kernels import KERNELS  # noqa: E402

pytestmark = pytest.mark.skipif(
    registers.find_ptxas() is None, reason="there is no ptxas"
)


@pytest.mark.parametrize("chip", registers.CHIPS)
@pytest.mark.parametrize("name", KERNELS)
def test_kernels(name, chip):
    made = registers.assemble_kernel(KERNELS[name], chip)
    assert {"partition", "compute"} & {
        word for one in made for word in one.name.split("_")
    }
    assert [one for one in made if one.spilled] == []
    assert all(0 < one.registers < 255 for one in made)


def test_what_cannot_be_assembled():
    with pytest.raises(Exception, match="exit status"):
        registers.assemble("no PTX", "sm_90")
