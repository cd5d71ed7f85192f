"""Groups of parts that a simulated GPU counts and computes, where the others are not.

The host finds the cuts, and adds up what they divide: the bits are those of its parts.
"""

import itertools

import numpy as np
import pytest

import nacho
from test_lone_steps import (
    CASES,
    Lone,
    check_executed,
    counted,
    groups,
    joined,
    largest,
    smallest,
)

# Parts of tiles are cut and counted at the same time, never alone.
LONE = {"tile": 0, "merge-keys": False}


class OnDevice(Lone):
    """Parts of a plan of the host, and the same program for a simulated GPU."""

    def __init__(self, expression, operands, formats, parts):
        super().__init__(expression, operands, formats, parts)
        kernel = nacho.mlir.compile(
            expression, formats=formats, target="cuda-sim", choices=LONE
        )
        plan = kernel.plan(parts=parts, **operands)
        assert plan.parts == parts
        self.device = plan._program.native

    @property
    def single(self):
        """Each part, as a group."""
        return [(number, number + 1) for number in range(self.parts)]


@pytest.fixture(scope="module", params=itertools.product(CASES, (1, 2, 7)), ids=str)
def lone(request):
    name, parts = request.param
    return OnDevice(*CASES[name], parts)


@pytest.mark.parametrize("wrong", [smallest, largest])
def test_cuts_are_those_of_the_host(lone, wrong):
    for begin, end in groups(lone.parts):
        queries = lone.queries(begin, end)
        lower, upper = lone.cuts[[begin, end]]
        windows = lone.windows(begin, end, wrong, are_cut=True)
        found = lone.device.cut(lone.step, windows, lower, upper, queries)
        np.testing.assert_array_equal(found, lone.every_cut[queries])


@pytest.mark.parametrize("wrong", [smallest, largest])
def test_groups_are_counted_at_a_time(lone, wrong):
    if lone.described.count_columns == 0:
        with pytest.raises(ValueError, match="no part of this step is counted alone"):
            lone.device.count(lone.step, lone.record(0, 1), lone.whole)
        return
    wanted = counted(lone, lambda *group: lone.windows(*group, wrong))
    for begin, end in groups(lone.parts):
        windows = lone.windows(begin, end, wrong)
        found = lone.device.count(lone.step, lone.record(begin, end), windows)
        np.testing.assert_array_equal(found, wanted[begin:end])


@pytest.mark.parametrize("inner", [2, 5, 100])
def test_a_part_that_is_divided_counts_the_same(lone, inner):
    if lone.described.count_columns == 0:
        return
    wanted = counted(lone, lambda *_: lone.whole)
    for begin, end in lone.single:
        record = lone.record(begin, end)
        found = lone.device.count(lone.step, record, lone.whole, inner)
        np.testing.assert_array_equal(found, wanted[begin:end])


def test_groups_compute_what_the_host_executes(lone):
    whole = joined(lone, groups(lone.parts), lone.device.compute)
    check_executed(lone, whole)


@pytest.mark.parametrize("inner", [2, 100])
def test_parts_that_are_divided_compute_the_same(lone, inner):
    _, sums, _ = lone.native.whole
    if sums:
        return

    def compute(step, record, _, results, own):
        lone.device.compute(step, record, lone.whole, results, own, inner)

    check_executed(lone, joined(lone, lone.single, compute))


def test_a_single_part_is_divided_at_a_time():
    lone = OnDevice(*CASES["CSR"], 2)
    with pytest.raises(RuntimeError, match="one part at a time is divided"):
        lone.device.count(lone.step, lone.record(0, 2), lone.whole, 2)
