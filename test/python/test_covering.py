"""Samples of cases have every value, or every pair of values; and few cases do."""

import itertools

import pytest

from covering import SIZES, combinations_of, covering


def product(*extents):
    """Return the cases of a test with parameters of so many values each."""
    letters = "abcdef"[: len(extents)]
    return [
        dict(zip(letters, values, strict=True))
        for values in itertools.product(*map(range, extents))
    ]


def names_of(cases):
    return [f"test[{'-'.join(map(str, case.values()))}]" for case in cases]


def all_combinations(cases, size):
    return set().union(*(combinations_of(case, size) for case in cases))


EXTENTS = [(7,), (3, 4), (50, 3), (2, 2, 2), (8, 6, 4), (10, 3, 5, 2), (3,) * 6]


@pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)
@pytest.mark.parametrize("extents", EXTENTS, ids=str)
def test_nothing_is_left_out(extents, size):
    cases = product(*extents)
    kept = covering(cases, names_of(cases), size)
    chosen = [cases[number] for number in kept]
    assert all_combinations(chosen, size) == all_combinations(cases, size)


@pytest.mark.parametrize("extents", EXTENTS, ids=str)
def test_few_cases_are_kept(extents):
    """Hardly more than there have to be: those of the longest one or two parameters."""
    cases = product(*extents)
    names = names_of(cases)
    longest = sorted(extents)[::-1]
    assert len(covering(cases, names, 1)) == longest[0]
    pairs = longest[0] * longest[1] if len(longest) > 1 else longest[0]
    assert pairs <= len(covering(cases, names, 2)) <= 2.5 * pairs


def test_values_are_mixed():
    """Of 50 values with three others each, all three are chosen about as often."""
    cases = product(50, 3)
    chosen = [cases[n]["b"] for n in covering(cases, names_of(cases), 1)]
    assert min(map(chosen.count, range(3))) >= 10


def test_the_choice_is_the_same_each_time():
    cases = product(8, 6, 4)
    names = names_of(cases)
    assert covering(cases, names, 2) == covering(cases, names, 2)
    assert covering([], [], 2) == set()


def test_without_parameters():
    assert covering([{}], ["test"], 1) == {0}
