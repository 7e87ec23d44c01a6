"""Findings name the op at fault first in every program with a planted fault, and nothing in its healthy twin."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from hloscope.engine.findings import KINDS
from tests.each import for_each
from tests.server_process import ROOT

from .planted import Planted, planted_programs
from .proof import Outcome, prove, totals

PROGRAMS = tuple(planted_programs())
LEAST_PROGRAMS = 3
"""Minimum number of programs for each kind of finding."""


@for_each("planted", PROGRAMS, ids=lambda planted: planted.name)
def test_the_twins_differ_and_have_lines_of_the_same_numbers(planted: Planted) -> None:
    faulty, sound = planted.text("faulty").split("\n"), planted.text("sound").split("\n")
    assert len(faulty) == len(sound)
    assert faulty != sound or planted.inputs("faulty") != planted.inputs("sound")
    assert faulty[planted.faulty_line - 1]


def test_each_kind_of_finding_has_planted_programs() -> None:
    counts = Counter(planted.kind for planted in PROGRAMS)
    assert set(counts) <= set(KINDS)
    assert {kind: counts[kind] for kind in KINDS if counts[kind] < LEAST_PROGRAMS} == {}


def test_each_kind_of_finding_is_documented() -> None:
    page = (ROOT / "docs" / "findings.md").read_text("utf-8")
    assert [kind.title for kind in KINDS.values() if kind.title not in page] == [], "add a row to its table"


def test_findings_name_every_planted_fault_first_and_nothing_in_the_twins(
    record_property: Callable[[str, object], None],
) -> None:
    outcomes = list(prove())
    record_property("measured", totals(outcomes))
    assert [outcome.text for outcome in outcomes if not outcome.is_right] == []


def test_an_outcome_says_what_is_wrong() -> None:
    planted = next(found for found in PROGRAMS if found.name == "log_of_negative")
    outcome = Outcome.of(planted)
    assert outcome.is_right
    assert outcome.text.startswith("ok     log_of_negative: first NaN: line 9, log, 1 of 4 elements")
    missed = Outcome(planted, None, None, ("first NaN: line 7",))
    assert not missed.is_right
    assert missed.text.split("\n") == [
        "WRONG  log_of_negative: nothing found",
        "       the fault is in line 9: nan",
        "       its twin: first NaN: line 7",
    ]
    assert totals([outcome, missed]) == "planted faults: 1 of 2 named first, 1 of 2 twins without a finding"
