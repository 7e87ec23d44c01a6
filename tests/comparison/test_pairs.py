"""The verdict on pairs of programs whose answer is known, and the sensitivity of the judge."""

from __future__ import annotations

from functools import partial

import pytest

from .forms import SAME
from .pairs import KINDS, WANTED, compared
from .sensitivity import Sensitivity, programs

LARGEST_RATIO = 100.0
"""How many times larger than the rounding that a value has an error may be and still pass."""
IN_F64 = ("variance in one pass", "a third", "mean by a product", "cosine by sine", "interpolation")
"""Forms of one function in f64, some of which its bound does not acquit."""
FAST, SOME = 6, 20
"""Pairs of each kind that `make test` compares, and `make test-more` with it; `make test-long` compares the others."""
PAIRS = [
    pytest.param(
        kind, name, marks=[] if number < FAST else pytest.mark.more if number < SOME else pytest.mark.long
    )
    for kind, pairs in KINDS.items()
    for number, name in enumerate(pairs)
]


def test_the_numbers_of_pairs_and_programs() -> None:
    assert {kind: len(pairs) for kind, pairs in KINDS.items()} == {"different": 60, "same": 60, "chaotic": 19}
    assert len(programs()) == 100


@pytest.mark.parametrize(("kind", "name"), PAIRS)
def test_a_pair_has_the_verdict_that_is_known(kind: str, name: str) -> None:
    found = compared(KINDS[kind][name])
    assert found.verdict in WANTED[kind], str(found)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        pytest.param(*program, marks=pytest.mark.long if number % 6 else pytest.mark.more)
        for number, program in enumerate(programs()[:90])
    ],
)
def test_a_factor_of_a_thousandth_is_never_acquitted(name: str, options: dict[str, str]) -> None:
    measured = list(Sensitivity(name, options).measured())
    assert all(value.of_thousandth != "same" for value in measured)
    assert all(value.ratio <= LARGEST_RATIO for value in measured)


@pytest.mark.parametrize("name", IN_F64)
def test_two_forms_in_f64_are_the_same(name: str) -> None:
    before, after = (partial(form, t="f64") for form in SAME[name])
    assert compared((before, after)).verdict == "same"
