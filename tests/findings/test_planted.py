"""Findings names the op at fault first in every program with a planted fault, and nothing in its twin without it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hloscope.engine.findings import KINDS

from .planted import Planted, planted_programs
from .proof import Outcome, kinds_of, prove, totals

PROGRAMS = tuple(planted_programs())


@pytest.mark.parametrize("planted", PROGRAMS, ids=lambda planted: planted.name)
def test_the_twins_differ_and_have_lines_of_the_same_numbers(planted: Planted) -> None:
    faulty, sound = planted.text("faulty").split("\n"), planted.text("sound").split("\n")
    assert len(faulty) == len(sound)
    assert faulty != sound or planted.inputs("faulty") != planted.inputs("sound")
    assert faulty[planted.faulty_line - 1]


def test_findings_names_every_planted_fault_first_and_nothing_in_the_twins(
    record_property: Callable[[str, object], None],
) -> None:
    outcomes = list(prove())
    record_property("measured", totals(outcomes))
    assert [found.text for found in outcomes if not found.is_right] == []
    kinds = kinds_of(outcomes)
    assert {kind: kinds[kind] for kind in (kind.title for kind in KINDS.values()) if kinds[kind] < 3} == {}


def test_an_outcome_says_what_is_wrong() -> None:
    planted = next(found for found in PROGRAMS if found.name == "log_of_negative")
    outcome = Outcome.of(planted)
    assert outcome.is_right
    assert outcome.text.startswith("ok     log_of_negative: first NaN: line 9, log, 1 of 4 elements")
    missed = Outcome(planted, None, None, ("first NaN: line 7",))
    assert not missed.is_right
    assert missed.text.split("\n") == [
        "WRONG  log_of_negative: nothing found",
        "       the fault is in line 9",
        "       its twin: first NaN: line 7",
    ]
    assert totals([outcome, missed]) == "planted faults: 1 of 2 named first, 1 of 2 twins without a finding"
