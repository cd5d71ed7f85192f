"""Random expressions on random operands, against the dense oracle."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import samples
from conftest import THOROUGH

PARTS = (1, 2, 3, 7, 64, 1000)
THREADS = (1, 2, 3, 7)

# Each example compiles; what varies without compiling is drawn several times.
RUNS = 6


@st.composite
def runs(draw):
    """Operands for one kernel, and how to split the work."""
    return (
        draw(samples.seeds),
        draw(samples.shapes),
        draw(samples.kinds),
        draw(st.sampled_from(PARTS)),
        draw(st.sampled_from(THREADS)),
    )


def check_run(kernel, case, run):
    seed, shape, kinds, parts, threads = run
    operands = case.operands(np.random.default_rng(seed), shape, kinds)
    result = kernel(**operands, parts=parts, threads=threads)
    samples.check(result, case.text, operands)
    assert str(result.format) == case.formats["Z"]
    pos, crd = (samples.INDICES[width] for width in case.index["Z"])
    *levels, _ = samples.buffers(result)
    assert all(array.dtype == pos for array in levels[::2])
    assert all(array.dtype == crd for array in levels[1::2])
    assert samples.same(result, kernel(**operands, parts=parts, threads=threads))
    assert samples.same(result, kernel(**operands, parts=1, threads=1))


@given(samples.cases(), st.lists(runs(), min_size=RUNS, max_size=RUNS))
@settings(max_examples=2000 if THOROUGH else 100)
def test_any_expression(case, drawn):
    kernel = case.compile()
    for run in drawn:
        check_run(kernel, case, run)
