"""The kernels of the benchmark, and random expressions, on a cluster of two processes.

Tests of pieces compute many more, in one process that guards its memory.
"""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given, settings

import checks
import nacho
from libraries import needed
from nacho._pieces.cutting import has_windows
from selection import THOROUGH
from test_pieces_of_kernels import KERNELS, fuzzed, is_sparse

distributed = needed("dask", "distributed")
nd = pytest.importorskip("nacho.dask")

pytestmark = [
    pytest.mark.filterwarnings("ignore::nacho.NachoWarning"),
    # Dask's threads draw random numbers while Hypothesis watches who does.
    pytest.mark.filterwarnings("ignore:Do not use the `random` module"),
]
ENVIRONMENT = {} if THOROUGH else {"NACHO_OPTIMIZE": "0"}
"""That of workers: as in most tests, LLVM does not optimise kernels."""


@pytest.fixture(scope="module")
def client():
    cluster = distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=True,
        dashboard_address=":0",
        env=ENVIRONMENT,
    )
    with cluster, distributed.Client(cluster) as client:
        yield client


def is_cut(operand):
    """Whether pieces have the levels of a tensor, on which those of results depend."""
    return sp.issparse(operand) or has_windows(operand.format)


def check(text, operands, pieces, **options):
    """Compare a result with that of one machine, bit for bit."""
    given = {
        name: nd.from_tensor(operand, pieces)
        if is_sparse(operand) and is_cut(operand)
        else operand
        for name, operand in operands.items()
    }
    found = nd.evaluate(text, given, **options).compute()
    wanted = nacho.evaluate(text, operands, **options)
    assert type(found) is type(wanted)
    assert np.shape(found) == np.shape(wanted)
    assert checks.same(found, wanted)


@pytest.mark.parametrize("kernel", KERNELS)
def test_kernels_of_the_bench(client, kernel):
    # Short lists would be merged by keys, in a single task.
    check(*KERNELS[kernel], 3, parts=7, choices={"merge-keys": False})


@pytest.mark.parametrize("kernel", ["csr-add", "spmv", "coo-mul", "csf-inner"])
def test_the_default_number_of_parts(client, kernel):
    check(*KERNELS[kernel], 4)


@settings(max_examples=30)
@given(fuzzed())
def test_random_expressions(client, drawn):
    """With NACHO_THOROUGH=1, they are others in each run."""
    case, operands, pieces, _, parts = drawn
    options = {"parts": parts, "cost": case.cost}
    try:
        nacho.evaluate(case.text, operands, **options)
    except nacho.NachoError:
        assume(False)
    check(case.text, operands, pieces, **options)
